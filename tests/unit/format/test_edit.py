"""Head edits: what changes, what stays, over heads of every shape that a person or a program writes."""

import re

import pytest
from builders import memory
from hypothesis import given
from hypothesis import strategies as st

from memhtml.errors import InvalidMemory
from memhtml.format.content_hash import of_file
from memhtml.format.edit import add_link, add_meta, read_meta, remove_link, remove_meta, set_meta
from memhtml.format.lexis import BYTE_ORDER_MARK
from memhtml.format.parse import parse
from memhtml.format.vocabulary import EXTENSION_META_NAMES, META_NAMES, REPEATABLE_METAS, token_of_rel
from memhtml.values import EdgeRel

FILE = memory(metas=[("tag", "sensors"), ("tag", "bay")], links=[("part_of", "/areas/arcs/a.html")])
SHORT_NAMES = [name.removeprefix("memhtml-") for name in META_NAMES]


def metas(data: bytes) -> list[tuple[str, str]]:
    metas = parse(data.removeprefix(BYTE_ORDER_MARK)).metas
    return [(meta.name, meta.content) for meta in metas if "memhtml-" in meta.name]


def links(data: bytes) -> list[tuple[str, str | None]]:
    links = parse(data.removeprefix(BYTE_ORDER_MARK)).links
    return [(link.rel, link.href) for link in links if link.rel.startswith("memhtml-")]


# The cases of the specification.


def test_60_names_set_in_reverse_order_end_in_the_order_of_the_vocabulary() -> None:
    data = memory()
    for name in reversed(SHORT_NAMES):
        data = set_meta(data, name, "x")
    assert [name for name, _ in metas(data)] == list(META_NAMES)
    for name in reversed(EXTENSION_META_NAMES):
        data = set_meta(data, name, "x")
    assert [name for name, _ in metas(data)] == [*META_NAMES, *EXTENSION_META_NAMES]


@pytest.mark.parametrize(
    "name", ["memhtml-nope", "nope", "viewport", "", "x-memhtml-nope", "MEMHTML-STATUS", "name"]
)
def test_61_an_unknown_name_changes_nothing(name: str) -> None:
    assert set_meta(FILE, name, "x") == FILE
    assert add_meta(FILE, name, "x") == FILE
    assert read_meta(FILE, name) is None


def test_62_setting_a_repeatable_name_replaces_the_first_value_and_keeps_the_second() -> None:
    edited = set_meta(FILE, "tag", "probes")
    assert parse(edited).tags == ("probes", "bay")
    assert edited == FILE.replace(b"sensors", b"probes")


def test_63_adding_what_is_there_changes_no_byte() -> None:
    assert add_meta(FILE, "tag", "bay") == FILE
    assert add_link(FILE, EdgeRel.PART_OF, "/areas/arcs/a.html") == FILE


def test_64_removing_a_link_takes_that_pair_or_the_whole_rel() -> None:
    data = add_link(add_link(FILE, EdgeRel.PART_OF, "/b.html"), EdgeRel.SUPPORTS, "/c.html")
    assert remove_link(data, EdgeRel.PART_OF, "/other.html") == data
    assert links(remove_link(data, EdgeRel.PART_OF, "/b.html")) == [
        ("memhtml-part-of", "/areas/arcs/a.html"),
        ("memhtml-supports", "/c.html"),
    ]
    assert links(remove_link(data, EdgeRel.PART_OF)) == [("memhtml-supports", "/c.html")]


def test_65_a_file_of_one_line_is_edited_in_place() -> None:
    line = FILE.replace(b"\n", b"")
    assert remove_meta(line, "updated") == line.replace(
        b'<meta name="memhtml-updated" content="2026-03-11T17:42:30Z">', b""
    )
    edited = set_meta(line, "author", "human:mara")
    assert edited == line.replace(
        b'<meta name="memhtml-tag"',
        b'<meta name="memhtml-author" content="human:mara"><meta name="memhtml-tag"',
        1,
    )
    assert b"\n" not in edited


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b"<title>t</title>\n<article><p>x",
            b'<title>t</title>\n<meta name="memhtml-due" content="d">\n<article><p>x',
        ),
        (b"<title>t</title><article>", b'<title>t</title><meta name="memhtml-due" content="d"><article>'),
        (
            b"<!doctype html>\n\n<article>",
            b'<!doctype html>\n\n<meta name="memhtml-due" content="d">\n<article>',
        ),
        (b"words", b'<meta name="memhtml-due" content="d">words'),
        (b"  \n  words", b'  \n  <meta name="memhtml-due" content="d">\n  words'),
        (b"", b'<meta name="memhtml-due" content="d">'),
        (b"</head><body>", b'<meta name="memhtml-due" content="d"></head><body>'),
        (b"<html><body>", b'<html><meta name="memhtml-due" content="d"><body>'),
        (b"<head></head>", b'<head><meta name="memhtml-due" content="d"></head>'),
        (b"<HEAD>\r\n</HEAD>", b'<HEAD>\r\n<meta name="memhtml-due" content="d">\r\n</HEAD>'),
        (b"\xef\xbb\xbf<p>x", b'\xef\xbb\xbf<meta name="memhtml-due" content="d"><p>x'),
        (b"\xef\xbb\xbf\n<p>x", b'\xef\xbb\xbf\n<meta name="memhtml-due" content="d">\n<p>x'),
        (
            b'<meta charset="utf-8"><a href="',
            b'<meta charset="utf-8"><meta name="memhtml-due" content="d"><a href="',
        ),
        (b"<title>never closed <p>", b'<meta name="memhtml-due" content="d"><title>never closed <p>'),
        (b"<title>t</title><!-- never", b'<title>t</title><meta name="memhtml-due" content="d"><!-- never'),
        (b"<head><template><p>", b'<head><meta name="memhtml-due" content="d"><template><p>'),
    ],
)
def test_66_a_head_without_its_tags_is_edited_where_it_ends(data: bytes, expected: bytes) -> None:
    edited = set_meta(data, "due", "d")
    assert edited == expected
    assert metas(edited) == [("memhtml-due", "d")]
    assert remove_meta(edited, "due").strip() == data.strip()


def test_67_archiving_a_hand_aligned_head_touches_only_its_own_lines() -> None:
    data = FILE.replace(b"<meta name", b"    <meta   name").replace(b"<link", b"\t<link")
    edited = set_meta(data, "status", "archived")
    edited = set_meta(edited, "updated", "2026-04-01T00:00:00Z")
    edited = set_meta(edited, "archived", "2026-04-01T00:00:00Z")
    before, after = data.split(b"\n"), edited.split(b"\n")
    assert [line for line in after if line not in before] == [
        b'    <meta name="memhtml-status" content="archived">',
        b'    <meta name="memhtml-updated" content="2026-04-01T00:00:00Z">',
        b'    <meta name="memhtml-archived" content="2026-04-01T00:00:00Z">',
    ]
    assert len([line for line in before if line not in after]) == 2


# Shapes of heads.


def test_an_inserted_line_takes_the_file_s_line_end_and_its_neighbour_s_indentation() -> None:
    data = FILE.replace(b"<meta", b"\t<meta").replace(b"\n", b"\r\n")
    edited = set_meta(data, "due", "2026-03-20")
    assert b'\r\n\t<meta name="memhtml-due" content="2026-03-20">\r\n' in edited
    assert not re.search(rb"(?<!\r)\n", edited)
    assert remove_meta(edited, "due") == data


@pytest.mark.parametrize(
    "tag",
    [
        b"<META NAME=memhtml-status CONTENT=active>",
        b"<meta content='active' name='memhtml-status' />",
        b'<meta\n  name="memhtml-status"\n  content="active"\n>',
        b'<meta name="memhtml&#45;status" content="active" content="x">',
    ],
)
def test_a_meta_in_any_spelling_is_read_and_replaced(tag: bytes) -> None:
    data = FILE.replace(b'<meta name="memhtml-status" content="active">', tag)
    assert read_meta(data, "status") == "active"
    assert set_meta(data, "memhtml-status", "archived") == FILE.replace(b'"active"', b'"archived"')
    assert read_meta(remove_meta(data, "status"), "status") is None


@pytest.mark.parametrize(
    "around",
    [
        b"<!-- %s -->",
        b"<script>%s</script>",
        b"<style>%s</style>",
        b"<noscript>%s</noscript>",
        b"<template>%s</template>",
    ],
)
def test_a_meta_that_is_not_the_head_s_is_left_alone(around: bytes) -> None:
    decoy = around % b'<meta name="memhtml-due" content="decoy"></title>'
    data = FILE.replace(b"</head>", decoy + b"\n</head>")
    assert read_meta(data, "due") is None
    assert remove_meta(data, "due") == data
    edited = set_meta(data, "due", "2026-03-20")
    assert decoy in edited
    assert metas(edited) == [*metas(data)[:4], ("memhtml-due", "2026-03-20"), *metas(data)[4:]]


def test_a_meta_between_head_and_body_is_the_head_s_and_one_in_the_body_is_not() -> None:
    data = FILE.replace(b"<body>", b'<meta name="memhtml-due" content="late">\n<body>')
    assert read_meta(data, "due") == "late"
    assert remove_meta(data, "due") == FILE
    data = FILE.replace(b"<body>", b'<body><meta name="memhtml-due" content="late">')
    assert read_meta(data, "due") is None


def test_a_second_value_of_a_name_that_takes_one_is_refused() -> None:
    with pytest.raises(InvalidMemory) as refusal:
        add_meta(FILE, "type", "task")
    assert refusal.value.violations[0][0] == "meta-duplicate"
    assert add_meta(FILE, "type", "semantic") == FILE


def test_an_added_value_stands_behind_the_last_one_of_its_name() -> None:
    assert parse(add_meta(FILE, "tag", "new")).tags == ("sensors", "bay", "new")
    assert metas(add_meta(FILE, "entity", "device:probe"))[4:] == [
        ("memhtml-entity", "device:probe"),
        ("memhtml-tag", "sensors"),
        ("memhtml-tag", "bay"),
    ]


def test_removing_works_for_names_of_a_newer_writer_and_for_no_others() -> None:
    data = FILE.replace(
        b"</head>", b'<meta name="memhtml-new" content="1">\n<meta name="viewport" content="w">\n</head>'
    )
    assert remove_meta(data, "memhtml-new") == data.replace(b'<meta name="memhtml-new" content="1">\n', b"")
    assert remove_meta(data, "viewport") == data


def test_a_meta_without_content_is_absent_and_makes_room() -> None:
    data = FILE.replace(b"</head>", b"<meta name=memhtml-due>\n</head>")
    assert read_meta(data, "due") is None
    assert metas(set_meta(data, "due", "d")) == [*metas(data), ("memhtml-due", "d")]


@pytest.mark.parametrize(
    "value", ['a "b" & <c> &amp; \xa0', "two\nlines", "cr\rlf\r\n", "日本 \U0001f600", "'", ""]
)
def test_any_value_is_read_back_as_it_was_given(value: str) -> None:
    assert parse(set_meta(FILE, "author", value)).metas[4].content == value
    assert read_meta(set_meta(FILE, "author", value), "author") == value
    assert add_meta(set_meta(FILE, "tag", value), "tag", value) == set_meta(FILE, "tag", value)


def test_what_no_file_can_hold_is_replaced() -> None:
    assert read_meta(set_meta(FILE, "author", "a\0b\ud800"), "author") == "a\ufffdb\ufffd"


# Properties.

NASTY_VALUES = st.one_of(
    st.sampled_from(
        ["x", "2026-03-20", 'a"b', "a>b", "<meta>", "</head>", "&amp;", "'", "\xa0", "a\nb", "<!--", ""]
    ),
    st.text(max_size=12),
)


def _spelled(name: str, content: str) -> st.SearchStrategy[str]:
    quoted = content.replace("&", "&amp;")
    double, single = quoted.replace('"', "&quot;"), quoted.replace("'", "&#39;")
    forms = [
        f'<meta name="{name}" content="{double}">',
        f"<META CONTENT='{single}' NAME={name}>",
        f"<meta name='{name}'\n\tcontent=\"{double}\" />",
        f'<Meta name={name} content="{double}" data-x="1" content="second">',
    ]
    if re.fullmatch("[A-Za-z0-9:-]+", content):
        forms.append(f"<meta name={name} content={content}>")
    return st.sampled_from(forms)


PRINTABLE = st.text("abz09:-' \"<>&=é", max_size=8)
OUR_METAS = st.tuples(st.sampled_from([*META_NAMES, *EXTENSION_META_NAMES[:2]]), PRINTABLE).flatmap(
    lambda pair: _spelled(*pair)
)
DECOYS = st.sampled_from(
    [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        '<!-- <meta name="memhtml-status" content="no"> </head> -->',
        "<!-->",
        "<title>A <meta name=memhtml-tag content=no> title</title>",
        "<script>if (a < b) { '</head><article>' }</script>",
        "<style>a > b {}</style>",
        "<noscript><meta name=memhtml-tag content=no></noscript>",
        "<template><meta name=memhtml-tag content=no><p></template>",
        '<link rel="stylesheet" href="../x.css">',
        '<link rel="memhtml-part-of" href="/areas/a.html">',
        "<LINK HREF=/areas/b.html REL=memhtml-supports>",
        '<meta name="memhtml-tag">',
        "</p>",
        "<head>",
    ]
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file whose head has any of the shapes that HTML allows; the article begins at `<article id=it>`."""
    line_end = draw(st.sampled_from(["\n", "\r\n", "", "\r", "\n\n"]))
    indent = draw(st.sampled_from(["", "", "  ", "\t"]))
    parts = [draw(st.sampled_from(["", "\ufeff"]))]
    parts += draw(st.sampled_from([["<!doctype html>"], [], ["<!DOCTYPE html>", "<!-- <head> -->"]]))
    parts += draw(st.sampled_from([["<html>"], [], ["<HTML lang=en>"]]))
    parts += draw(st.sampled_from([["<head>"], [], ["<HEAD id=h>"]]))
    parts += draw(st.lists(st.one_of(OUR_METAS, DECOYS), max_size=8))
    parts += draw(st.sampled_from([["</head>"], [], ["</HEAD >"]]))
    parts += draw(st.lists(st.one_of(OUR_METAS, DECOYS), max_size=2))
    parts += draw(st.sampled_from([["<body>"], [], ["<body class=x>"], ["words"]]))
    head = parts[0] + "".join(indent + part + line_end for part in parts[1:])
    article = (
        "<article id=it><p><mark>Claim.</mark> <meta name=memhtml-status content=no></p></article>"
        "<meta name=memhtml-due content=no>"
    )
    return (head + article + draw(st.sampled_from(["", "\n</body></html>\n", "</html>"]))).encode()


EDITS = st.one_of(
    st.tuples(st.just("set"), st.sampled_from(SHORT_NAMES), NASTY_VALUES),
    st.tuples(st.just("add"), st.sampled_from(SHORT_NAMES), NASTY_VALUES),
    st.tuples(st.just("remove"), st.sampled_from(SHORT_NAMES), st.just("")),
    st.tuples(st.just("link"), st.sampled_from(list(EdgeRel)), NASTY_VALUES),
    st.tuples(st.just("unlink"), st.sampled_from(list(EdgeRel)), st.sampled_from(["", "/areas/a.html"])),
)


def _apply(data: bytes, kind: str, name: str, value: str) -> bytes:
    if kind == "set":
        return set_meta(data, name, value)
    if kind == "add":
        try:
            return add_meta(data, name, value)
        except InvalidMemory:
            return data
    if kind == "remove":
        return remove_meta(data, name)
    if kind == "link":
        return add_link(data, EdgeRel(name), value)
    return remove_link(data, EdgeRel(name), value or None)


def _expected(
    kind: str, name: str, value: str, had: list[tuple[str, str]], linked: list[tuple[str, str | None]]
) -> tuple[list[tuple[str, str]], list[tuple[str, str | None]]]:
    """What a head says after an edit, as a sorted list of metas and of links."""
    value = re.sub("[\0\ud800-\udfff]", "\ufffd", value)
    full, rel = f"memhtml-{name}", token_of_rel(EdgeRel(name)) if kind.endswith("link") else ""
    values = [content for meta, content in had if meta == full]
    if kind == "set":
        had.remove((full, values[0])) if values else None
        had.append((full, value))
    elif kind == "add" and value not in values and (not values or full in REPEATABLE_METAS):
        had.append((full, value))
    elif kind == "remove":
        had = [pair for pair in had if pair[0] != full]
    elif kind == "link" and (rel, value) not in linked:
        linked.append((rel, value))
    elif kind == "unlink":
        linked = [pair for pair in linked if pair[0] != rel or value not in ("", pair[1])]
    return sorted(had), sorted(linked, key=str)


@given(files(), st.lists(EDITS, min_size=1, max_size=5))
def test_edits_change_what_they_name_and_never_a_byte_of_the_article(
    data: bytes, edits: list[tuple[str, str, str]]
) -> None:
    for kind, name, value in edits:
        wanted = _expected(kind, name, value, metas(data), links(data))
        edited = _apply(data, kind, name, value)
        assert (sorted(metas(edited)), sorted(links(edited), key=str)) == wanted
        assert edited[edited.rindex(b"<article id=it>") :] == data[data.rindex(b"<article id=it>") :]
        assert of_file(edited) == of_file(data)
        assert edited.startswith(BYTE_ORDER_MARK) == data.startswith(BYTE_ORDER_MARK)
        assert _apply(edited, kind, name, value) == edited
        data = edited


@given(st.binary(max_size=200), EDITS)
def test_edits_are_total_over_any_bytes(data: bytes, edit: tuple[str, str, str]) -> None:
    edited = _apply(data, *edit)
    assert _apply(edited, *edit) == edited


@given(
    st.lists(
        st.sampled_from(
            [
                "<head>",
                "</head>",
                "<meta name=memhtml-tag content=t>",
                "<title>",
                "</title>",
                "<!--",
                "-->",
                "<",
                "x",
                " ",
                "<template>",
                "</template>",
                "<svg>",
                "<body>",
                "<script>",
                "</script>",
                "'",
                '"',
                "<a b=",
                ">",
                "\n",
                "<html>",
                "<noscript>",
                "</noscript>",
                "<p>",
            ]
        ),
        max_size=14,
    ),
    st.sampled_from(["tag", "status"]),
)
def test_an_edit_of_broken_markup_is_read_as_meant_or_not_made(pieces: list[str], name: str) -> None:
    data = "".join(pieces).encode()
    edited = set_meta(data, name, "new")
    if edited == data:
        return
    had = metas(data)
    values = [pair for pair in had if pair[0] == f"memhtml-{name}"]
    if values:
        had.remove(values[0])
    assert sorted(metas(edited)) == sorted([*had, (f"memhtml-{name}", "new")])
