"""Markdown and HTML become markup of the format, and nothing that acts or hides comes through."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.exchange.blocks import markup, words_of
from memhtml.exchange.html_blocks import TooComplex, read_html
from memhtml.exchange.markdown import read_markdown
from memhtml.exchange.markdown_text import markdown_of
from memhtml.format.check import check, refusals
from memhtml.format.draft import Draft
from memhtml.format.parse import parse
from memhtml.format.render import render
from memhtml.values import Instant, MemoryType


def article(text: str) -> str:
    return markup(read_markdown(text).blocks, lambda _: None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Words *here* and **there**.", "<p>Words <em>here</em> and <strong>there</strong>.</p>"),
        ("Run `make test` now.", "<p>Run <code>make test</code> now.</p>"),
        ("## Why", "<p><strong>Why</strong></p>"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"),
        ("1. one\n2. two", "<ol>\n<li>one</li>\n<li>two</li>\n</ol>"),
        ("- a\n  - b", "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n</ul>"),
        ("> Said so.", "<p><q>Said so.</q></p>"),
        (
            "```Ruby title\n\n  x < 1\n```",
            '<figure><pre><code data-lang="ruby">  x &lt; 1</code></pre></figure>',
        ),
        (
            "| a | b |\n|---|---|\n| 1 | `2` |",
            "<table>\n<tbody>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td><code>2</code></td></tr>\n"
            "</tbody>\n</table>",
        ),
        ("[site](https://example.com/a)", '<p><a href="https://example.com/a">site</a></p>'),
        ("[note](other.md) and [[Third note]]", "<p>note and Third note</p>"),
        ("![a chart](chart.png) shows it", "<p>a chart shows it</p>"),
        ("~~Old~~ new", "<p>~~Old~~ new</p>"),
        ("a \\\nb", "<p>a\nb</p>"),
    ],
)
def test_markdown_is_written_in_the_words_of_the_format(text: str, expected: str) -> None:
    assert article(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>\nalert(1)\n\n</script>\n\nWords.", "<p>Words.</p>"),
        ("[x](javascript:alert(1)) y", "<p>x y</p>"),
        ('<a href=" java\tscript:alert(1)">x</a> y', "<p>x y</p>"),
        ('<b onclick="alert(1)" class="red" style="color:red">x</b> y', "<p><strong>x</strong> y</p>"),
        ('<img src="https://example.com/pixel" onerror="alert(1)" alt="a dot"> y', "<p>a dot y</p>"),
        ("<iframe src='https://example.com'></iframe>\n\nWords.", "<p>Words.</p>"),
        ("[x](data:text/html,<script>alert(1)</script>)", "<p>x</p>"),
        ("<div><form action='https://example.com'>Name</form></div>", "<p>Name</p>"),
        ("<!-- hidden -->\n\nWords.", "<p>Words.</p>"),
    ],
)
def test_what_acts_or_hides_is_left_out(text: str, expected: str) -> None:
    assert article(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Take the <style> out of root.html, and all that follows stays.",
        "A Vec<String> or a Map<Key, List<Value>> is meant.",
        "An <a> without its end, a <?php tag ?>, a <!DOCTYPE html> and a <![CDATA[part]]>.",
        "An unclosed <!-- comment, and what comes after.",
        "<noscript>\n\nWhat follows stays.",
        "<select> <template> <textarea> and <svg> are elements.",
    ],
)
def test_words_between_angle_brackets_are_no_markup(text: str) -> None:
    shown = words_of(run for block in read_markdown(text).blocks for run in block.content)  # type: ignore[union-attr] # paragraphs
    assert " ".join(shown.split()) == " ".join(text.split())


def test_what_was_left_out_is_counted() -> None:
    dropped = read_markdown(
        "<script>1</script>\n\n![a](b.png) [c](javascript:d) <b onclick='e'>f</b>"
    ).dropped
    assert dropped == {"script": 1, "img": 1, "address": 1, "event handler": 1}


def test_folded_text_and_terms_keep_their_meaning() -> None:
    assert article("<details><summary>More</summary>\n\nA *word*.\n\n</details>") == (
        "<details><summary>More</summary>\n<p>A <em>word</em>.</p>\n</details>"
    )
    assert article("<dl><dt>Applies to</dt><dd>probes</dd><dd>pumps</dd></dl>") == (
        "<dl>\n<dt>Applies to</dt><dd>probes</dd><dd>pumps</dd>\n</dl>"
    )


def test_a_page_loses_its_navigation_and_everything_around_its_article() -> None:
    page = (
        "<html><head><title>T</title><style>p{}</style></head><body><nav>Home</nav><div class='navheader'>Up</div>"
        "<main><h1>T</h1><p>Fact.</p></main><footer>2003</footer></body></html>"
    )
    reading = read_html(page, is_page=True)
    assert (reading.title, markup(reading.blocks, lambda _: None)) == (
        "T",
        "<p><strong>T</strong></p>\n<p>Fact.</p>",
    )


def test_a_term_outside_of_a_list_leads_its_definition() -> None:
    page = "<body><dt><b>foo</b>: n.</dt><dd><p>A sample name.</p><p>More.</p></dd></body>"
    blocks = read_html(page, is_page=True).blocks
    assert markup(blocks, lambda _: None) == "<p><dfn>foo</dfn>: n. A sample name.</p>\n<p>More.</p>"


@pytest.mark.parametrize(
    "text",
    [
        "> " * 300 + "deep",
        "<div>" * 3_000 + "deep",
        "[" * 60_000,
        "<b>" * 400 + "x" + "</b>" * 400,
        "<ul><li>" * 500,
    ],
)
def test_what_nests_too_deep_is_refused_before_it_costs_anything(text: str) -> None:
    with pytest.raises(TooComplex):
        read_markdown(text)


_PIECES = st.sampled_from(
    ["# ", "- ", "> ", "* ", "```\n", "`", "**", "_", "[", "](", "x.md)", "[[", "]]", "|", "|-|\n", "\n", "\n\n",
     "    ", "<div>", "</div>", "<p>", "<b>", "</b>", "<script>", "</script>", "<table>", "<tr>", "<td>", "<li>",
     "1. ", "---\n", "word ", "End. ", "日本語。", "😀", "<!--", "-->", "&amp;", "\u202e", "\xa0", "<dl><dt>", "<dd>",
     "<pre>", "<details>", "<summary>", "\\", "<svg>", "<math>", "<template>", '<a href="javascript:x">', "</a>",
     "<img src=x onerror=y>", "<style>", "\x00", "\ud800"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_any_markdown_becomes_an_article_that_may_be_written(text: str) -> None:
    inner = article(text)
    draft = Draft(
        title="T",
        memory_type=MemoryType.SEMANTIC,
        at=Instant("2026-01-01T00:00:00Z"),
        article_html=f"<p><mark>Claim.</mark></p>\n{inner}",
    )
    assert refusals(check(parse(render(draft)))) == ()


_WORDS = st.lists(
    st.sampled_from(
        ["word", "x_y", "a*b", "[z]", "1.", "#", "-", "<t>", "`", "&amp;", "日本", "end.", "|", "\\", "~"]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)


@given(st.lists(_WORDS, min_size=1, max_size=4))
def test_words_written_as_markdown_read_as_the_same_words(paragraphs: list[str]) -> None:
    html = "".join(f"<p>{p.replace('&', '&amp;').replace('<', '&lt;')}</p>" for p in paragraphs)
    blocks = read_html(html, is_page=False).blocks
    again = read_markdown(markdown_of(blocks)).blocks
    assert re.sub(r"\s+", " ", markup(again, lambda _: None)) == re.sub(
        r"\s+", " ", markup(blocks, lambda _: None)
    )
