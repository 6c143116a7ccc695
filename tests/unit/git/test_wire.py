"""What git writes, parsed from literals."""

import subprocess
from pathlib import Path

import pytest
from conftest import git
from hypothesis import given
from hypothesis import strategies as st

from memhtml.git.entries import EntryKind, WorktreeKind
from memhtml.git.wire import (
    StatusRecord,
    is_candidate,
    memory_path,
    parse_status,
    parse_trailers,
    parse_tree,
    quote_path,
    utf8_path,
)

OID = b"a" * 40
PRESENT, ABSENT, UNMERGED = WorktreeKind.PRESENT, WorktreeKind.ABSENT, WorktreeKind.UNMERGED


def ordinary(state: bytes, mode: bytes, path: bytes) -> bytes:
    return b" ".join([b"1", state, b"N...", b"100644", b"100644", mode, OID, OID, path])


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (ordinary(b".M", b"100644", b"areas/a b.html"), [StatusRecord(b"areas/a b.html", PRESENT, EntryKind.FILE)]),
        (ordinary(b".T", b"120000", b"areas/a.html"), [StatusRecord(b"areas/a.html", PRESENT, EntryKind.SYMLINK)]),
        (ordinary(b"A.", b"160000", b"areas/m"), [StatusRecord(b"areas/m", PRESENT, EntryKind.SUBMODULE)]),
        (ordinary(b".D", b"000000", b"x\n\"y\".html"), [StatusRecord(b"x\n\"y\".html", ABSENT, EntryKind.FILE)]),
        (b"? areas/\xff.html", [StatusRecord(b"areas/\xff.html", PRESENT, None)]),
        (b"! areas/ignored.html", []),
        (b"# branch.oid (initial)", []),
        (
            b" ".join([b"2", b"R.", b"N...", b"100644", b"100644", b"100644", OID, OID, b"R90", b"b.html"])
            + b"\0old name.html",
            [StatusRecord(b"old name.html", ABSENT, EntryKind.FILE), StatusRecord(b"b.html", PRESENT, EntryKind.FILE)],
        ),
        (
            b" ".join([b"2", b"C.", b"N...", b"100644", b"100644", b"100644", OID, OID, b"C90", b"b.html"])
            + b"\0source.html",
            [StatusRecord(b"b.html", PRESENT, EntryKind.FILE)],
        ),
        (
            b" ".join([b"u", b"UU", b"N...", b"100644", b"100644", b"100644", b"100644", OID, OID, OID, b"c d.html"]),
            [StatusRecord(b"c d.html", UNMERGED, EntryKind.FILE)],
        ),
    ],
)  # fmt: skip
def test_a_status_record_says_what_stands_in_the_work_tree(
    record: bytes, expected: list[StatusRecord]
) -> None:
    follower = ordinary(b".M", b"100644", b"z.html")
    assert list(parse_status(record + b"\0" + follower + b"\0")) == [
        *expected,
        StatusRecord(b"z.html", PRESENT, EntryKind.FILE),
    ]


@given(
    st.binary()
    | st.lists(st.sampled_from([b"1 ", b"2 ", b"u ", b"? ", b" ", b"\0", b"R1", b"x"])).map(b"".join)
)
def test_any_bytes_are_a_status_of_some_records(output: bytes) -> None:
    assert all(isinstance(record, StatusRecord) for record in parse_status(output))


names = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name and b"/" not in name)
items = st.lists(
    st.tuples(st.sampled_from([b"100644", b"40000", b"120000"]), names, st.binary(min_size=20, max_size=20)),
    unique_by=lambda item: item[1],
)


@given(items)
def test_a_tree_object_gives_back_the_items_it_was_made_of(made: list[tuple[bytes, bytes, bytes]]) -> None:
    assert parse_tree(b"".join(mode + b" " + name + b"\0" + oid for mode, name, oid in made)) == made


@given(st.binary(min_size=1))
def test_bytes_that_are_no_tree_are_an_error_and_never_a_shorter_tree(data: bytes) -> None:
    try:
        parsed = parse_tree(data)
    except ValueError:
        return
    assert sum(len(mode) + len(name) + 22 for mode, name, _ in parsed) == len(data)


def test_a_name_that_a_forged_tree_holds_twice_is_there_once() -> None:
    twice = b"100644 a.html\0" + b"\1" * 20 + b"40000 a.html\0" + b"\2" * 20 + b"100644 b.html\0" + b"\3" * 20
    assert [(mode, name) for mode, name, _ in parse_tree(twice)] == [
        (b"100644", b"a.html"),
        (b"100644", b"b.html"),
    ]


def test_a_slash_in_a_forged_tree_item_makes_a_name_that_is_no_path() -> None:
    forged = b"100644 ../../etc/x.html\0" + b"\1" * 20
    ((_, name, _),) = parse_tree(b"100644 a.html\0" + b"\0" * 20 + forged)[1:]
    assert b"/" not in name
    assert memory_path(name)[1] is False


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"areas/a.html", True),
        (b"archive/2026/deep/er/x.html", True),
        (b"areas/.html", True),
        (b"areas/index.html", False),
        (b"projects/x/sitemap.xml", False),
        (b"README.html", False),
        (b"areas", False),
        (b"areas.html", False),
        (b"areas/a.HTML", False),
        (b".memhtml/areas/a.html", False),
        (b"areas/nested/", False),
    ],
)
def test_only_html_names_in_the_buckets_may_be_memories(path: bytes, expected: bool) -> None:
    assert is_candidate(path) is expected


_PIECES = [b"\xff", b"\\", b"xff", b"\\xff", b".", b"/", "é".encode()]


@given(st.sets(st.lists(st.sampled_from(_PIECES)).map(b"".join)))
def test_no_two_paths_are_shown_alike(paths: set[bytes]) -> None:
    shown = {memory_path(b"areas/" + path)[0] for path in paths}
    assert len(shown) == len(paths)


@pytest.mark.parametrize(
    "path", [b"areas/\xff.html", b"areas/../x.html", b"areas//x.html", b"./areas/x.html"]
)
def test_a_path_that_no_work_tree_holds_is_shown_and_marked(path: bytes) -> None:
    shown, is_usable = memory_path(path)
    assert not is_usable
    shown.encode("utf-8")


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x.html", "areas/../../x.html", "areas/\0.html", "areas/\udcff"]
)
def test_a_path_that_leaves_the_store_is_refused(path: str) -> None:
    assert utf8_path(path) is None


@given(st.text(min_size=1))
def test_a_usable_path_survives_the_way_to_bytes_and_back(path: str) -> None:
    raw = utf8_path(path)
    if raw is not None:
        assert memory_path(raw) == (path, True)


WEIRD = [
    b"plain.html",
    b'"quoted".html',
    b"new\nline.html",
    b"tab\t\x01.html",
    b"back\\slash.html",
    "é 🧠.html".encode(),
]


def test_git_reads_quoted_names_from_its_standard_input(repo: Path) -> None:
    for position, name in enumerate(WEIRD):
        (repo / name.decode()).write_bytes(b"%d" % position)
    asked = git(repo, "hash-object", "--stdin-paths", stdin=b"".join(quote_path(n) + b"\n" for n in WEIRD))
    expected = [
        subprocess.run(
            ["git", "hash-object", "--stdin"], input=b"%d" % i, capture_output=True, check=True
        ).stdout.strip()
        for i in range(len(WEIRD))
    ]
    assert asked.split() == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("subject", ()),
        ("memhtml: a subject with a colon", ()),
        ("subject\n\nbody\n\nSession: a\nSession: b\n", (("Session", "a"), ("Session", "b"))),
        ("subject\r\n\r\nKey: one\r\n", (("Key", "one"),)),
        ("subject\n\nKey: one\n  two\n\tthree\n", (("Key", "one two three"),)),
        ("subject\n\nprose, then\nKey: one\n", ()),
        ("subject\n\nKey: one\n\nprose", ()),
        ("", ()),
        ("\n\n\n", ()),
    ],
)
def test_trailers_are_the_last_paragraph_when_it_holds_nothing_else(
    message: str, expected: tuple[tuple[str, str], ...]
) -> None:
    assert parse_trailers(message) == expected


@given(st.text())
def test_any_message_has_some_trailers(message: str) -> None:
    assert all(key and "\n" not in value for key, value in parse_trailers(message))
