"""What a document says: head values, the claim, and everything extracted from the article."""

import pytest
from builders import memory
from hypothesis import given
from hypothesis import strategies as st

from memhtml.format.check import check
from memhtml.format.content_hash import of_file
from memhtml.format.document import Abbreviation, Citation, Document, Facet, Link, Meta
from memhtml.format.parse import parse
from memhtml.values import MemoryStatus, MemoryType, TaskStatus

EXAMPLE = memory(
    title="Greenhouse probes need a warm-up before calibration",
    type_="procedural",
    metas=[
        ("confidence", "0.85"),
        ("importance", "6"),
        ("author", "agent:fieldbot-2"),
        ("session", "6b1f0c2e"),
        ("prompt", "pr_77aa"),
        ("turn", "c0ffee00"),
        ("valid-from", "2026-03-01T00:00:00Z"),
        ("entity", "device:soil-probe"),
        ("entity", "person:mara okafor"),
        ("tag", "sensors"),
        ("tag", "greenhouse"),
    ],
    links=[("part_of", "/areas/arcs/measure-before-acting.html")],
    article="""
<p><mark>Power a soil probe for ten minutes before calibrating it.</mark> A cold probe reads low; seen on
<time datetime="2026-03-08">8 March</time> in the <cite>bay 4 drift report</cite>.</p>
<dl>
<dt>Applies to</dt><dd>capacitive probes</dd>
<dt>Warm-up</dt><dd><data value="600">ten minutes</data> on mains power</dd>
</dl>
<p>The effect is <dfn>thermal offset</dfn>, and the vendor sheet says
<q cite="/resources/sensors/vendor-sheet.html">allow the element to settle</q> for the
<abbr title="analog-to-digital converter">ADC</abbr>.</p>
<figure><pre><code data-lang="Bash">probe warm --minutes 10
  probe calibrate --all</code></pre><figcaption>Warm first, then calibrate.</figcaption></figure>
<details><summary>How this was learned</summary><p>Two nights of drifting readings in bay 4.</p></details>
<aside><p>Resistive probes do not need the wait.</p></aside>
""",
)


def article(inner: str) -> Document:
    return parse(memory(article=inner))


def head(*metas: tuple[str, str]) -> Document:
    return parse(memory(metas=metas))


def test_the_example_is_read_whole() -> None:
    document = parse(EXAMPLE)
    assert document.title == "Greenhouse probes need a warm-up before calibration"
    assert (document.memory_type, document.status) == (MemoryType.PROCEDURAL, MemoryStatus.ACTIVE)
    assert (document.confidence, document.importance, document.reprieves) == (0.85, 6, None)
    assert (document.author, document.session) == ("agent:fieldbot-2", "6b1f0c2e")
    assert (document.prompt, document.turn) == ("pr_77aa", "c0ffee00")
    assert document.valid_from == "2026-03-01T00:00:00Z"
    assert document.valid_until is None
    assert document.entities == ("device:soil-probe", "person:mara okafor")
    assert document.tags == ("sensors", "greenhouse")
    assert document.aliases == ()
    assert document.links == (Link("memhtml-part-of", "/areas/arcs/measure-before-acting.html"),)
    assert document.gist == "Power a soil probe for ten minutes before calibrating it."
    assert document.event_at == "2026-03-08"
    assert document.facets == (
        Facet("Applies to", "capacitive probes", None),
        Facet("Warm-up", "ten minutes on mains power", 600.0),
    )
    assert document.citations == (
        Citation("bay 4 drift report", None),
        Citation("allow the element to settle", "/resources/sensors/vendor-sheet.html"),
    )
    assert document.defined_terms == ("thermal offset",)
    assert document.summary_texts == ("How this was learned",)
    assert document.aside_texts == ("Resistive probes do not need the wait.",)
    assert document.captions == ("Warm first, then calibrate.",)
    assert document.abbreviations == (Abbreviation("ADC", "analog-to-digital converter"),)
    assert document.code_langs == ("bash",)
    assert (
        "for the ADC. probe warm --minutes 10\n  probe calibrate --all Warm first" in document.canonical_text
    )
    assert "for the ADC. probe warm --minutes 10 probe calibrate --all Warm first" in document.body_text
    assert document.observations == ()


@pytest.mark.parametrize(
    ("inner", "gist"),
    [
        ("<ul><li><mark>one</mark></li><li>two</li></ul>", "one"),
        ("<p><mark>A <strong>bold</strong> claim.</mark></p>", "A bold claim."),
        ("<p><mark>Run <code>x</code> never.</mark></p>", "Run never."),
        ("<p><mark><code>cmd</code></mark></p>", ""),
        ("<p><mark><code>a<code>b</code></code> c</mark></p>", "c"),
        ("<p><mark><kbd>Ctrl-C</kbd></mark></p>", "Ctrl-C"),
        ("<p><mark>&nbsp;a\n  b&#xfeff;</mark></p>", "a b"),
        ("<p><mark>Use &lt;script&gt;x&lt;/script&gt; never.</mark></p>", "Use <script>x</script> never."),
        ("<li><mark>a<pre>x</pre>b</mark></li>", "a b"),
        ("<p>no claim</p>", ""),
    ],
)
def test_the_gist_is_the_prose_of_the_mark(inner: str, gist: str) -> None:
    assert article(inner).gist == gist


def test_code_stays_in_the_body() -> None:
    assert article("<p><mark>Run <code>x</code> never.</mark></p>").body_text == "Run x never."


def test_the_event_is_the_first_time_inside_the_article_as_authored() -> None:
    inner = (
        '<p><mark>a</mark> <time datetime="2026-01-02T10:00:00+02:00">then</time>'
        '<time datetime="2020-01-01">x</time></p>'
    )
    data = memory(article=inner).replace(b"<article>", b'<time datetime="1999-01-01">x</time><article>')
    assert parse(data).event_at == "2026-01-02T10:00:00+02:00"


@pytest.mark.parametrize(
    ("inner", "facets"),
    [
        ("<dl><dt>a</dt><dd>1</dd><dd>2</dd></dl>", [("a", "1", None), ("a", "2", None)]),
        ("<dl><dd>1</dd><dt>a</dt><dd>2</dd></dl>", [("a", "2", None)]),
        ("<dl><dt>a</dt><dt>b</dt><dd>1</dd></dl>", [("b", "1", None)]),
        ("<dl><div><dt>a</dt><dd>1</dd></div></dl>", []),
        (
            "<dl><dt>a</dt><dd>x<dl><dt>b</dt><dd>y</dd></dl></dd></dl>",
            [("a", "x b y", None), ("b", "y", None)],
        ),
        (
            '<dl><dt>a</dt><dd><data value="soon">x</data><data value="7">y</data></dd></dl>',
            [("a", "xy", 7.0)],
        ),
        ('<dl><dt>a</dt><dd><data value="">x</data></dd></dl>', [("a", "x", None)]),
        ('<dl><dt>a</dt><dd><data value="0x1F">x</data></dd></dl>', [("a", "x", None)]),
        ('<dl><dt>a</dt><dd><data value="Infinity">x</data></dd></dl>', [("a", "x", None)]),
        ('<dl><dt>a</dt><dd><data value="1e999">x</data></dd></dl>', [("a", "x", None)]),
        ('<dl><dt>a</dt><dd><data value=" -1.5e1 ">x</data></dd></dl>', [("a", "x", -15.0)]),
        ('<data value="7">x</data>', []),
        (
            '<dl><dt>a</dt><dd>x</dd><dt>b</dt><dd><data value="7">y</data></dd></dl>',
            [("a", "x", None), ("b", "y", 7.0)],
        ),
        (
            '<dl><dt>a</dt><dd>x<dl><dt>b</dt><dd><data value="7">y</data></dd></dl></dd></dl>',
            [("a", "x b y", 7.0), ("b", "y", 7.0)],
        ),
        ("<dt>a</dt><dd>1</dd>", []),
    ],
)
def test_facets_are_the_pairs_directly_inside_a_list(
    inner: str, facets: list[tuple[str, str, float | None]]
) -> None:
    assert list(map(tuple, article(f"<p><mark>m</mark></p>{inner}").facets)) == facets


def test_empty_citations_and_terms_are_dropped_and_the_rest_keep_document_order() -> None:
    document = article(
        '<p><mark>m</mark> <cite></cite><q cite="/x">b <cite>inner</cite></q><cite>a</cite><dfn> </dfn><q>c</q></p>'
    )
    assert document.citations == (
        Citation("b inner", "/x"),
        Citation("inner", None),
        Citation("a", None),
        Citation("c", None),
    )
    assert document.defined_terms == ()


def test_a_language_is_read_from_code_only() -> None:
    document = article(
        '<p><mark>m</mark></p><pre data-lang="sql"><code data-lang=" Python">x</code></pre><code>y</code>'
        '<code data-lang="">z</code>'
    )
    assert document.code_langs == ("python",)


@pytest.mark.parametrize(
    ("confidence", "value"),
    [
        ("0.85", 0.85),
        ("1", 1.0),
        (" 0.5 ", 0.5),
        ("1e-1", 0.1),
        (".5", 0.5),
        ("", None),
        ("1.5", None),
        ("-0.1", None),
        ("0x1", None),
        ("high", None),
        ("0.5.1", None),
        ("١", None),
        ("nan", None),
    ],
)
def test_a_confidence_is_a_decimal_number_of_zero_to_one_or_absent(
    confidence: str, value: float | None
) -> None:
    assert head(("confidence", confidence)).confidence == value


@pytest.mark.parametrize(
    ("importance", "value"),
    [
        ("6", 6),
        ("10", 10),
        ("8.0", 8),
        ("0", None),
        ("11", None),
        ("7.5", None),
        ("", None),
        ("9" * 5000, None),
    ],
)
def test_an_importance_is_a_whole_number_of_one_to_ten_or_absent(importance: str, value: int | None) -> None:
    assert head(("importance", importance)).importance == value


@pytest.mark.parametrize(
    ("reprieves", "value"),
    [("0", 0), ("2", 2), ("", None), ("-1", None), ("1.5", None), ("9007199254740993", None)],
)
def test_reprieves_are_a_whole_number_or_absent(reprieves: str, value: int | None) -> None:
    assert head(("reprieves", reprieves)).reprieves == value


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("YES", True), ("1", True), ("no", False), ("", False)]
)
def test_needs_revision_is_true_for_three_words(text: str, value: bool) -> None:
    assert head(("needs-revision", text)).needs_revision is value


def test_absent_stays_absent() -> None:
    document = parse(memory())
    assert document.confidence is document.importance is document.reprieves is document.author is None
    assert document.needs_revision is document.task_status is document.due is document.event_at is None


def test_texts_that_the_format_does_not_validate_are_verbatim() -> None:
    document = parse(
        memory(created="yesterday", updated="", metas=[("author", ""), ("content-hash", "sha256:no")])
    )
    assert (document.created, document.updated, document.author) == ("yesterday", "", "")
    assert document.stamped_hash == "sha256:no"


def test_empty_repeatables_are_dropped_and_blank_ones_are_kept() -> None:
    document = head(("tag", ""), ("tag", " "), ("tag", "a"), ("entity", ""), ("alias", ""))
    assert document.tags == (" ", "a")
    assert document.entities == document.aliases == ()


def test_a_task_has_its_status_and_due_day() -> None:
    document = parse(memory(type_="task", metas=[("task-status", "doing"), ("due", "2026-03-20")]))
    assert (document.task_status, document.due) == (TaskStatus.DOING, "2026-03-20")


def test_metas_and_links_of_the_body_are_not_read() -> None:
    document = article(
        '<p><mark>m</mark></p><meta name="memhtml-tag" content="x"><link rel="memhtml-supports" href="/a.html">'
    )
    assert document.tags == ()
    assert document.links == ()


def test_foreign_metas_are_kept_as_authored_and_a_meta_without_content_is_absent() -> None:
    data = memory().replace(
        b"</title>",
        b'</title><meta name=viewport content="width=1"><meta name="memhtml-tag">'
        b'<meta name="x-memhtml-run" content="r">',
    )
    document = parse(data)
    assert document.metas[0] == Meta("viewport", "width=1")
    assert document.tags == ()
    assert document.head["x-memhtml-run"] == ["r"]


def test_the_title_is_collapsed_and_the_first_one_counts() -> None:
    assert parse(memory(title=" a\n  b ")).title == "a b"
    document = parse(memory(title="a", article="<svg><title>b</title></svg><p><mark>m</mark></p>"))
    assert document.title == "a"


def test_text_is_taken_from_elements_nested_not_too_deep() -> None:
    document = article("<p><mark>m</mark></p>" + "<aside>a" * 2000)
    assert len(document.aside_texts) == 16


def test_a_deep_tree_is_read_without_recursion() -> None:
    assert article("<p><mark>m</mark></p>" + "<section>" * 5000 + "deep").body_text == "m deep"


@given(st.binary(max_size=400))
def test_every_input_is_a_document(data: bytes) -> None:
    document = parse(data)
    assert document.size_bytes == len(data)
    assert document.body_text == document.body_text.strip()


@given(
    st.lists(
        st.sampled_from(
            [
                *"<>/='\" &;",
                "mark",
                "<dl>",
                "<dd>",
                "<p",
                "article",
                "<template>",
                "</",
                "<!--",
                "<svg>",
                "<table>",
                "on",
                "\0",
                "\xff",
            ]
        ),
        max_size=60,
    )
)
def test_every_markup_is_a_document(tokens: list[str]) -> None:
    data = ("<article>" + "".join(tokens)).encode("latin-1")
    document = parse(data)
    assert document.content_hash.startswith("blake3:")
    assert parse(data) == document


def test_a_byte_order_mark_is_no_part_of_what_the_file_says() -> None:
    plain = memory("A fact.", metas=[("tag", "sea")])
    marked = parse(b"\xef\xbb\xbf" + plain)
    assert check(marked) == ()
    assert marked.tags == ("sea",)
    assert marked.content_hash == parse(plain).content_hash == of_file(b"\xef\xbb\xbf" + plain)
