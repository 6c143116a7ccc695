"""The lines of findings."""

import pytest
from builders import memory
from corpora import data_dir, needs_data
from hypothesis import example, given
from hypothesis import strategies as st

from memhtml.doctor.lines import line_of_meta, lines_of_links, lines_of_violations
from memhtml.format.check import check
from memhtml.format.parse import parse
from memhtml.format.rules import ViolationCode
from memhtml.values import EdgeRel

HEAD = (
    "<!doctype html>\n<html>\n<head>\n<title>T</title>\n"
    '<meta name="memhtml-type" content="semantic">\n<meta name="memhtml-status" content="active">\n'
    '<meta name="memhtml-created" content="2026-01-01">\n<meta name="memhtml-updated" content="2026-01-01">\n'
)
BODY = "</head>\n<body>\n<article>\n<p><mark>It is so.</mark></p>\n</article>\n</body>\n</html>\n"


def _lines(source: str) -> dict[str, int | None]:
    """The line of every violation of a source, by the code of its rule."""
    data = source.encode()
    violations = check(parse(data))
    return {
        v.code.value: line for v, line in zip(violations, lines_of_violations(data, violations), strict=True)
    }


def _line_of(source: str, mark: str) -> int:
    return source[: source.index(mark)].count("\n") + 1


def in_head(markup: str) -> str:
    return HEAD + markup + "\n" + BODY


def in_article(markup: str) -> str:
    return HEAD + BODY.replace("</article>", markup + "\n</article>")


@pytest.mark.parametrize(
    ("code", "source", "mark"),
    [
        ("title-count", in_head("<title>Second</title>"), "<title>Second"),
        ("title-empty", in_head("").replace(">T<", "> <"), "<title>"),
        ("meta-missing", in_head("").replace("memhtml-type", "type"), "<head>"),
        (
            "meta-duplicate",
            in_head('<meta name="memhtml-type" content="arc">'),
            '<meta name="memhtml-type" content="arc"',
        ),
        (
            "article-count",
            in_article("").replace("</body>", "<article></article></body>"),
            "<article></article>",
        ),
        ("mark-missing", in_article("").replace("mark>", "em>"), "<article>"),
        ("mark-multiple", in_article("<p>\n<mark>Again.</mark>"), "<mark>Again"),
        ("mark-empty", in_article("").replace("It is so.", " "), "<p><mark>"),
        ("mark-in-aside", in_article("").replace("<p><mark>", "<p></p><aside>\n<p><mark>"), "<p><mark>"),
        ("mark-not-first", in_article("").replace("<p><mark>", "<p>First.</p>\n<p><mark>"), "<p><mark>"),
        (
            "time-no-datetime",
            in_article('<p><time datetime="2026-01-01">x</time>\n<time>y</time>'),
            "<time>y",
        ),
        (
            "time-bad-datetime",
            in_article('<time datetime="2026-01-01">\n<time datetime="soon">'),
            '<time datetime="soon',
        ),
        ("forbidden-element", in_article("<p>a\n<style>p {}</style>"), "<style>"),
        ("forbidden-attribute", in_article('<p>a\n<p class="b">'), '<p class="b">'),
        ("link-rel-unknown", in_head('<link rel="memhtml-likes" href="/areas/a.html">'), "<link"),
        ("link-href-missing", in_head('<link rel="memhtml-part-of">'), "<link"),
        (
            "link-href-not-root",
            in_head(
                '<link rel="memhtml-part-of" href="/areas/a.html">\n<link rel="memhtml-part-of" href="a.html">'
            ),
            '<link rel="memhtml-part-of" href="a.html">',
        ),
        ("type-unknown", in_head("").replace("semantic", "hunch"), '<meta name="memhtml-type"'),
        ("status-unknown", in_head("").replace("active", "asleep"), '<meta name="memhtml-status"'),
        (
            "task-status-on-nontask",
            in_head('<meta name="memhtml-task-status" content="todo">'),
            '<meta name="memhtml-task',
        ),
        ("due-bad", in_head('<meta name="memhtml-due" content="tuesday">'), '<meta name="memhtml-due"'),
        ("event-handler", in_article('<p>a\n<p onclick="b()">'), "<p onclick"),
        ("url-script", in_article('<p><a href="/b">\n<a href=" java&#10;script:c">'), '<a href=" java'),
        ("remote-resource", in_article('<p>\n<img src="https://example.com/i.png">'), "<img"),
        ("base-element", in_head('<base href="/x/">'), "<base"),
        ("meta-http-equiv", in_head('<meta http-equiv="refresh" content="0">'), "<meta http-equiv"),
        ("embedded-page", in_article("<p>\n<iframe></iframe>"), "<iframe>"),
        ("hidden-content", in_article("<p>a\n<template>b</template>"), "<template>"),
        ("meta-unknown", in_head('<meta name="memhtml-mood" content="fine">'), '<meta name="memhtml-mood"'),
        (
            "meta-malformed",
            in_head('<meta name="memhtml-confidence" content="high">'),
            '<meta name="memhtml-conf',
        ),
        (
            "instant-bad",
            in_head('<meta name="memhtml-valid-from" content="once">'),
            '<meta name="memhtml-valid',
        ),
        ("element-unknown", in_article("<p>a\n<!-- <h2> -->\n<h2>b</h2>"), "<h2>b"),
        ("scoped-outside-figure", in_article("<figure><div></div></figure>\n<div>b</div>"), "<div>b"),
        (
            "lang-token-bad",
            in_article('<p><code data-lang="c">\n<code data-lang="a b">'),
            '<code data-lang="a b"',
        ),
    ],
)
def test_a_violation_is_at_the_tag_that_shows_it(code: str, source: str, mark: str) -> None:
    assert _lines(source)[code] == _line_of(source, mark)


def test_a_size_has_no_line() -> None:
    assert _lines(in_article("<p>" + "word " * 14_000))["file-large"] is None


def test_tags_in_comments_and_raw_text_are_no_places() -> None:
    source = in_head(
        '<!-- <meta name="memhtml-due" content="x"> -->\n<meta name="memhtml-due" content="never">'
    )
    assert _lines(source)["due-bad"] == _line_of(source, '<meta name="memhtml-due" content="never"')


def test_metas_and_links_are_found_as_the_parser_reads_them() -> None:
    source = in_head(
        "<META CONTENT='2026-01-01' NAME='memhtml-due'>\n"
        '<link href="//areas//a.html" rel="memhtml-part-of">\n<link rel=memhtml-part_of href=/areas/&#98;.html>'
    )
    data = source.encode()
    assert line_of_meta(data, "memhtml-due") == _line_of(source, "<META")
    assert line_of_meta(data, "memhtml-alias") is None
    wanted = [
        (EdgeRel.PART_OF, "areas/b.html"),
        (EdgeRel.PART_OF, "areas/a.html"),
        (EdgeRel.SUPPORTS, "areas/a.html"),
    ]
    assert lines_of_links(data, wanted) == [
        _line_of(source, "<link rel=memhtml-part_of"),
        _line_of(source, "<link href"),
        None,
    ]


@given(
    st.binary(max_size=400) | st.text(alphabet="<>/ abcdehmnortyp=\"'-!&;\n", max_size=400).map(str.encode)
)
@example(b"<meta name=")
@example(b"<!--<mark")
def test_any_bytes_have_lines_within_the_file(junk: bytes) -> None:
    data = memory().replace(b"</article>", junk + b"</article>")
    violations = check(parse(data))
    lines = lines_of_violations(data, violations)
    assert len(lines) == len(violations)
    last = data.count(b"\n") + data.count(b"\r") + 1
    assert all(line is None or 1 <= line <= last for line in lines)


@needs_data
def test_nearly_every_violation_of_real_broken_pages_has_a_line() -> None:
    pages = sorted(path for path in (data_dir() / "html").rglob("*") if path.is_file())
    assert pages
    with_line = total = 0
    whole = {
        ViolationCode.FILE_LARGE,
        ViolationCode.META_MISSING,
        ViolationCode.MARK_MISSING,
        ViolationCode.TITLE_COUNT,
        ViolationCode.ARTICLE_COUNT,
    }
    for page in pages:
        data = page.read_bytes()[:65_536]
        violations = [v for v in check(parse(data)) if v.code not in whole]
        lines = lines_of_violations(data, violations)
        with_line += sum(line is not None for line in lines)
        total += len(lines)
    assert with_line > 0.95 * total
