"""Hostile files: every answer is a document, a skip or a row, and none takes long."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import memory
from corpora import data_dir, needs_data

from memhtml.format import content_hash
from memhtml.format.check import check
from memhtml.format.parse import parse
from memhtml.format.projection import project_file
from memhtml.format.rows import MemoryRows
from memhtml.format.vocabulary import MAX_INDEXED_BYTES, MAX_WRITTEN_BYTES
from memhtml.values import BlobSha, MemoryPath, Skip

BLOB = BlobSha("0" * 40)
#: Far above what any of these takes, and far below what an unbounded one would.
PATIENCE_S = 5.0


def project(data: bytes) -> MemoryRows | Skip:
    start = time.process_time()
    projected = project_file(MemoryPath("areas/x.html"), BLOB, data)
    assert time.process_time() - start < PATIENCE_S
    return projected


def _pages() -> list[Path]:
    root = data_dir() / "html"
    return sorted(
        path for folder in ("bs4-fuzz", "pages") for path in (root / folder).rglob("*") if path.is_file()
    )


def _snippets() -> Iterator[bytes]:
    for path in sorted((data_dir() / "html" / "html5lib-tree-construction").glob("*.dat")):
        for block in path.read_bytes().split(b"#data\n")[1:]:
            yield block.split(b"\n#errors")[0]


@needs_data
def test_real_and_fuzzed_pages_have_an_answer() -> None:
    pages = _pages()
    assert len(pages) > 10
    for path in pages:
        data = path.read_bytes()
        projected = project(data)
        assert isinstance(projected, Skip), path
        if len(data) <= MAX_WRITTEN_BYTES:
            assert check(parse(data))


@needs_data
def test_every_snippet_of_the_parser_suite_can_stand_in_an_article() -> None:
    count = 0
    for snippet in _snippets():
        count += 1
        data = memory(article="<p><mark>m</mark></p>").replace(b"</article>", snippet + b"</article>")
        document = parse(data)
        assert document.gist == "m"
        assert document.canonical_text == content_hash.canonical_of_file(data)
        assert check(document) == check(parse(data))
        project(data)
        project(snippet)
    assert count > 500


HOSTILE = {
    "sections": "<section>",
    "asides": "<aside>a",
    "lists": "<dl><dt>a<dd>b",
    "quotes": "<q>a",
    "terms": "<dfn>a",
    "bold": "<b>",
    "links": "<a href=x>",
    "tables": "<table><td>",
    "paragraphs": "<p><b id=",
    "fonts": "<font color=red><p>",
    "templates": "<template>",
    "figures": "<figure><div>",
    "divs": "<div>",
    "pre": "<pre>\n a",
    "code": "<code>a</code>",
    "marks": "<mark>a",
    "spaces": " ",
    "lines": "\n ",
    "entities": "&amp;&nosuch;&#0;",
    "comments": "<!--",
    "attributes": "<p a",
    "svg": "<svg><title>",
    "buttons": "<button>",
    "select": "<select><option>",
    "conflict": "\n<<<<<<< a",
    "underscores": "a_b",
    "camel": "aB",
    "cjk": "日",
    "links in head": '<link rel="memhtml-supports" href="/a">',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [MAX_WRITTEN_BYTES, MAX_INDEXED_BYTES])
def test_a_repeated_piece_of_markup_takes_bounded_time(name: str, size: int) -> None:
    room = size - len(memory(body="<p>"))
    unit = HOSTILE[name]
    project(memory(body=unit * (room // len(unit.encode()))))


@pytest.mark.parametrize("size", [MAX_WRITTEN_BYTES, MAX_INDEXED_BYTES])
def test_many_attributes_take_bounded_time(size: int) -> None:
    names = " ".join(f"a{i}" for i in range(size // 7))
    whole = memory(body=f"<p {names}>x</p>")
    for end in (b"", b" x='", b' x="', b" x=", b"/"):
        project(whole[: size - len(end)] + end)
    project(memory(body=f"<p on{'a' * (size - 400)}=x>x</p>"))


def test_formatting_left_open_is_not_repeated_without_end() -> None:
    opens = "".join(f"<i a{n}>" for n in range(3000))
    assert isinstance(project(memory(body="<p>" + opens + "<p>x" * 5000)), Skip)


@pytest.mark.parametrize(
    "data", [b"", b"<", b"&", b"\0" * 1000, b"\xff" * 1000, b"\xef\xbb\xbf", b"<title", b"<!doctype"]
)
def test_what_is_hardly_a_file_is_skipped_with_a_reason(data: bytes) -> None:
    projected = project(data)
    assert isinstance(projected, Skip)
    assert projected.reason


def test_nul_and_bad_bytes_never_reach_a_row() -> None:
    data = memory(body="<p>a\0b</p><pre>c\0d</pre>").replace(b"A memory", b"A \xff\xfe\0 memory")
    rows = project(data)
    assert isinstance(rows, MemoryRows)
    assert not any("\0" in value for value in rows.file if isinstance(value, str))
