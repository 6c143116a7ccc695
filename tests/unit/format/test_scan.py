"""The scanner against two parsers of the standard, and the estimate of depth against the tree that is built."""

import time
from collections import Counter
from collections.abc import Iterator

import pytest
from corpora import data_dir, needs_data
from html5lib._tokenizer import HTMLTokenizer
from html5lib.constants import tokenTypes
from html5lib.html5parser import HTMLParser
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from memhtml.format.lexis import BYTE_ORDER_MARK
from memhtml.format.scan import Attribute, Kind, Position, Token, line_of, locate, prescan, scan

Seen = tuple[str, str, tuple[tuple[str, str], ...], bool]


def words(text: str) -> list[str]:
    return text.split()


def ours(data: bytes) -> list[Seen]:
    return [
        (
            token.kind.value,
            token.name,
            tuple((a.name, a.value) for a in token.attributes),
            token.is_self_closing,
        )
        if token.kind is Kind.START
        else (token.kind.value, token.name, (), False)
        for token in scan(data)
        if token.kind is not Kind.TEXT
    ]


def theirs(data: bytes, monkeypatch: pytest.MonkeyPatch) -> list[Seen]:
    """The tags, comments and doctypes that html5lib's tokeniser gives its own tree builder."""
    seen: list[Seen] = []
    original = HTMLTokenizer.__iter__

    def recording(self: HTMLTokenizer) -> Iterator[dict[str, object]]:
        for token in original(self):
            kind, name = token["type"], token.get("name")
            if kind in (tokenTypes["StartTag"], tokenTypes["EmptyTag"]):
                attributes = tuple(dict(token["data"]).items())
                seen.append(("start tag", name, attributes, bool(token["selfClosing"])))
            elif kind == tokenTypes["EndTag"]:
                seen.append(("end tag", name, (), False))
            elif kind == tokenTypes["Comment"]:
                seen.append(("comment", token["data"], (), False))
            elif kind == tokenTypes["Doctype"]:
                seen.append(("doctype", name or "", (), False))
            yield token

    with monkeypatch.context() as patch:
        patch.setattr(HTMLTokenizer, "__iter__", recording)
        HTMLParser().parse(data.decode("utf-8", "replace"), scripting=True)
    return seen


def cases() -> Iterator[bytes]:
    for path in sorted((data_dir() / "html" / "html5lib-tree-construction").glob("*.dat")):
        for block in (b"\n" + path.read_bytes()).split(b"\n#data\n")[1:]:
            yield block.split(b"\n#errors", 1)[0]


# Tokens.


@needs_data
def test_the_scanner_gives_the_standard_s_tokens_for_all_of_its_cases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inputs = list(cases())
    assert len(inputs) > 700
    assert [data for data in inputs if ours(data) != theirs(data, monkeypatch)] == []


SYNTAX = [
    *words(
        """< </ <! <!-- --> --!> -- - > / = " ' a B p x=y é ? <? </> <br/> <!doctype & &amp &amp; &lt= &ltx &#x41;"""
    ),
    *words(
        "&#0; &#128; &#129; &#xD800 &notit; &#99999999999; title script style textarea <title> </title> <script>"
    ),
    *words(
        "</script> <plaintext> <p> <b> </b> <table> <td> <h2> </h1> <body> <textarea> <xmp> <noscript> <svg>"
    ),
    *words("</svg> <g/> <math> <mi> <foreignObject> <desc> <font> <![CDATA[ ]]>"),
    *("<a b", "<!DOCTYPE html>", "<font size=1>", " ", "\n", "\r\n", "\r", "\t", "\f", "\0"),
]


@given(st.lists(st.sampled_from(SYNTAX), max_size=14))
@example(["<svg>", "<title>", "<p>"])
@example(["<math>", "<mi>", "<script>", "</script>", "<![CDATA[", "<a b"])
def test_the_scanner_gives_the_standard_s_tokens_for_broken_markup(pieces: list[str]) -> None:
    # Three things that html5lib reads as the standard did once: `select` without markup inside, `</p>` that stays in a
    # foreign element (neither is among the pieces), and a comment that begins with NUL and ends at the next `>`.
    data = "".join(pieces).encode()
    if b"<!--\0" in data or b"<!---\0" in data:
        return
    with pytest.MonkeyPatch.context() as patch:
        assert ours(data) == theirs(data, patch)


@given(
    st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(SYNTAX)).map(lambda p: "".join(p).encode()))
)
def test_tokens_lie_one_behind_the_other_and_attributes_inside_their_tags(data: bytes) -> None:
    position = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    for token in scan(data):
        assert position <= token.start < token.end <= len(data)
        if token.start > position:
            assert data[position : token.start].startswith(b"</")  # an end tag without a name is nothing
        position = token.end
        inside = token.start + 1
        for attribute in token.attributes:
            assert (
                inside
                < attribute.start
                <= attribute.value_start
                <= attribute.value_end
                <= attribute.end
                < token.end
            )
            inside = attribute.end
        if token.kind is Kind.START:
            assert data[token.start : token.start + 1] == b"<"
            assert data[token.end - 1 : token.end] == b">"


@pytest.mark.parametrize(
    ("tag", "attributes", "closes_itself"),
    [
        (b"<a b=c/d>", [("b", "c/d")], False),
        (b"<a/b>", [("b", "")], False),
        (b"<a b=c/>", [("b", "c/")], False),
        (b"<a b=/>", [("b", "/")], False),
        (b"<a b />", [("b", "")], True),
        (b"<a b='1'c=\"2\"/>", [("b", "1"), ("c", "2")], True),
        (b"<a B=1 b=2>", [("b", "1")], False),
        (b'<meta name=x content="a>b">', [("name", "x"), ("content", "a>b")], False),
        (b"<a =b=c>", [("=b", "c")], False),
        (b"<a b\r\n=\t'c\r\nd\re'>", [("b", "c\nd\ne")], False),
        (b"<a b= >", [("b", "")], False),
        (b"<a \"b'<c>", [("\"b'<c", "")], False),
        (b"<a href='?a=1&lt=2&copy&amp;b&#38;&nosuch;'>", [("href", "?a=1&lt=2\xa9&b&&nosuch;")], False),
        (b"<a b=\xff\0>", [("b", "\ufffd\ufffd")], False),
    ],
)
def test_attributes_are_read_as_browsers_read_them(
    tag: bytes, attributes: list[tuple[str, str]], closes_itself: bool
) -> None:
    (token,) = scan(tag)
    assert [(attribute.name, attribute.value) for attribute in token.attributes] == attributes
    assert token.is_self_closing is closes_itself


def test_an_attribute_knows_its_places() -> None:
    data = "\ufeffé<p a = 'é' b>".encode()
    text, tag = scan(data)
    assert text == Token(Kind.TEXT, "", 3, 5)
    assert tag.attributes == (Attribute("a", "é", 8, 16, 13, 15), Attribute("b", "", 17, 18, 18, 18))
    assert data[13:15].decode() == "é"


# Against the tree.


def elements(data: bytes) -> tuple[Counter[tuple[str, tuple[tuple[str, str], ...]]], int]:
    """The elements of the tree that Lexbor builds, templates' content included, and its depth."""
    parser = LexborHTMLParser(data, scripting=True, options=LexborDocumentOptions.WO_EVENTS)
    found: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
    deepest = 0
    pending: list[tuple[LexborNode | None, int]] = [(parser.root, 1)]
    while pending:
        node, depth = pending.pop()
        while node is not None:
            if node.is_element_node and node.tag is not None:
                deepest = max(deepest, depth)
                attributes = sorted((name.lower(), value or "") for name, value in node.attributes.items())
                found[node.tag.lower(), tuple(attributes)] += 1
                if node.tag == "template":
                    pending.extend(
                        (fragment.first_child, depth + 1) for fragment in node.template_fragments()
                    )
                pending.append((node.first_child, depth + 1))
            node = node.next if depth > 1 else None
    return found, deepest


@needs_data
def test_every_element_of_a_tree_has_its_tag_in_the_source() -> None:
    # Elements that the tree builder makes without a tag: the skeleton, a table's sections, copies of formatting
    # elements, `p` and `br` for stray end tags, `img` for `image`. All others have to stand there as we read them.
    made = words(
        "html head body tbody tr colgroup img a b big code em font i nobr s small strike strong tt u"
    )
    checked = 0
    for data in cases():
        written = Counter(
            (token.name, tuple(sorted((a.name, a.value) for a in token.attributes)))
            for token in scan(data)
            if token.kind is Kind.START
        )
        for (name, attributes), count in elements(data)[0].items():
            if name in made or (name in ("p", "br") and f"</{name}".encode() in data.lower()):
                continue
            checked += count
            assert written[name, attributes] >= count, (data, name, attributes)
    assert checked > 500


# Depth, attributes and copies.

NESTED = [
    *words(
        "p div span b i a em li ul ol td tr th table tbody caption colgroup col section h1 h2 button form dd dt dl"
    ),
    *words(
        "svg math g foreignObject desc mi title style script annotation-xml br select option optgroup hr input ruby"
    ),
    *words(
        "rt rp rb rtc object marquee nobr textarea noscript template x-y body html head font pre article frameset"
    ),
]
TAGS = st.sampled_from(NESTED).flatmap(
    lambda name: st.sampled_from(
        [f"<{name}>"] * 6 + [f"</{name}>"] * 4 + [f"<{name}/>", f"<{name} a=1>", "t"]
    )
)
ASIDES = st.sampled_from(
    ["<!-- </p> -->", "<!--><p>", "<![CDATA[a>b]]>", "<![CDATA[<p>]]>", "</br>", " ", "<font size=1>"]
)


@given(st.booleans(), st.lists(st.one_of(TAGS, TAGS, TAGS, ASIDES), max_size=30))
@example(True, ["<table>", "<tbody>", "<em>", "<em>", "<td>", "</table>"])
@example(True, ["<template>", "<table>", "<b>", "<a>", "<caption>", "</template>"])
@example(True, ["<select>", "<table>", "<td>", "<input>", "<table>"])
@example(True, ["<h2>", "<b>", "</h1>", "<form>", "<dd>", "t", "</form>"])
@example(True, ["<table>", "<td/>", "<svg>", "</textarea>", "<tr>"])
@example(True, ["<svg>", "<title>", "<title>", "</title>", "<b/>"])
@example(True, ["<button>", "<form>", "</button>", "<p>", "<span>", "<form>"])
@example(True, ["<a>", "<table>", "<object>", "</table>", "<a>"])
@example(True, ["<table>", "<a>", "</table>", "<em>", "<table>", "<a>", "</table>"])
@example(True, ["<form>", "<h2>", "<form>", "<h2>", "</h1>", "<span>", "<section>", "</h1>"])
def test_the_estimated_depth_is_never_below_that_of_the_tree(has_doctype: bool, pieces: list[str]) -> None:
    # The long tail makes what is open at the end outweigh whatever was open before.
    data = ("<!doctype html>" * has_doctype + "".join(pieces) + "t" + "<x-end>" * 60).encode()
    assert prescan(data).depth >= elements(data)[1]


@pytest.mark.parametrize(
    ("unit", "depth"),
    [
        ("<p>Words and <em>more</em> words<br>", 12),
        ("<ul><li>one<li>two<ul><li>three</ul></ul><dl><dt>a<dd>b</dl>", 12),
        ("<table><tr><td>a<td>b<tr><th>c</table><h2>d</h2>", 12),
        ("<p>a <b>b <i>c</i></b> <a href=/x>d</a><p>e<hr><img src=x>", 12),
        ("<p><b>a</p></b><p><b>c <i>d</b> e</i></p>", 15),
    ],
)
def test_a_long_and_flat_page_is_not_deep(unit: str, depth: int) -> None:
    page = f"<!doctype html><html><head><title>t</title></head><body><article>{unit * 2000}</article></body></html>"
    found = prescan(page.encode())
    assert found.depth <= depth
    assert elements(page.encode())[1] <= found.depth


@needs_data
def test_pages_of_the_wild_are_estimated_within_reason() -> None:
    for path in sorted((data_dir() / "html" / "pages").rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            assert elements(data)[1] <= prescan(data).depth <= 200, path.name


def test_the_most_attributes_of_one_tag_are_counted() -> None:
    assert prescan(b"<p><a b c='d' e=\"f g h\" i=j/k>x</a>").attributes == 4
    assert prescan(b"<a " + b"x " * 3000 + b">").attributes == 3000
    assert prescan(b"<p>x</p>").attributes == 0


def test_copies_of_open_formatting_elements_are_foreseen() -> None:
    hostile = b"<!doctype html><p>" + b"".join(b"<b id=%d>" % n for n in range(100)) + b"<p>x" * 100
    found, _ = elements(hostile)
    built = sum(count for (name, _), count in found.items() if name == "b")
    assert built > 10_000
    assert prescan(hostile).copies >= built - 100
    assert prescan(b"<p><b>x</b>" * 1000).copies == 0


UNITS = {
    "less-than": b"<",
    "comment": b"<!--",
    "tag": b"<a ",
    "open quote": b"<a b='",
    "mixed quotes": b"<a b=\"' c='\" ",
    "dashes": b"-",
    "slashes": b"</",
    "spaces in a tag": b"<a" + b" " * 50,
    "title": b"<title>",
    "script": b"<script><!--<script>",
    "cdata": b"<svg><![CDATA[",
    "div": b"<div>",
    "unclosed bold": b"<p><b>x",
    "closed": b"<div></div>",
    "paragraphs": b"<p>",
    "stray ends": b"</p></b></li>",
    "misnested": b"<b><i></b></i>",
    "tables": b"<table><tr><td>",
    "foreign": b"<svg></p><g>",
    "references": b"<a b='&amp;&lt'>",
    "lines": b"\r\n",
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("prefix", [b"", b"<a ", b"<div>" * 100 + b"<x-y>" * 90])
def test_time_grows_with_the_size_alone(prefix: bytes, unit: bytes) -> None:
    def seconds(size: int) -> float:
        data = prefix + unit * (size // len(unit))
        started = time.process_time()
        prescan(data)
        Counter(token.kind for token in scan(data))
        return time.process_time() - started

    short = min(seconds(8_192) for _ in range(3))
    # A ratio of processor times, which other work on the machine hardly moves. Sixteen times the size: a quadratic
    # pass would take 256 times as long.
    assert min(seconds(131_072) for _ in range(3)) < max(short, 0.004) * 80


# Places.


@pytest.mark.parametrize(
    ("line_end", "lines"),
    [(b"\n", 3), (b"\r\n", 3), (b"\r", 3), (b"\n\r", 5)],
    ids=["lf", "crlf", "cr", "lf cr"],
)
def test_lines_end_as_editors_end_them(line_end: bytes, lines: int) -> None:
    data = line_end.join([b"a", b"b", b"c"])
    assert line_of(data, data.index(b"c")) == lines
    assert line_of(data, 0) == 1
    assert line_of(data, len(data) + 10) == lines
    assert line_of(data, -5) == 1


SOURCE = """\ufeff<!doctype html>
<!-- <b onclick=x> -->
<title>é <b onclick=x></title>
  <meta name="memhtml-due" content=soon><p>é<B ONCLICK=x><script>1</script>
""".encode()


@pytest.mark.parametrize(
    ("wanted", "line", "column", "found"),
    [
        ({"element": "title"}, 3, 1, b"<title>"),
        ({"element": "script"}, 4, 58, b"<script>"),
        ({"element": "b"}, 4, 45, b"<B ONCLICK"),
        ({"attribute": "onclick"}, 4, 48, b"ONCLICK=x>"),
        ({"element": "meta", "attribute": "name", "value": "memhtml-due"}, 4, 9, b'name="'),
        ({"value": "soon"}, 4, 28, b"content=soon"),
        ({"element": "table"}, 1, 1, b"\xef\xbb\xbf<!doctype"),
        ({"element": "b", "attribute": "href"}, 1, 1, b"\xef\xbb\xbf<!doctype"),
    ],
)
def test_a_place_is_found_by_what_stands_there(
    wanted: dict[str, str], line: int, column: int, found: bytes
) -> None:
    position = locate(SOURCE, **wanted)
    assert position == Position(line, column, position.offset)
    assert SOURCE[position.offset :].startswith(found)
