"""Drafts become files: always the same bytes, read back as they were meant."""

import re
from dataclasses import replace

import pytest
from corpora import data_dir, needs_data
from hypothesis import given
from hypothesis import strategies as st

from memhtml.errors import InvalidMemory
from memhtml.format.check import check
from memhtml.format.content_hash import of_file, of_inner_html, trim
from memhtml.format.draft import Draft
from memhtml.format.fences import Fence, Prose, read_fence, split_paragraphs, split_prose
from memhtml.format.parse import parse
from memhtml.format.render import article_of, confidence_text, render
from memhtml.format.rules import Severity
from memhtml.format.serialise import serialise_article
from memhtml.values import EdgeRel, Instant, MemoryType, TaskStatus

AT = Instant("2026-03-09T08:15:00Z")
DRAFT = Draft(
    title="Probes need a warm-up",
    memory_type=MemoryType.SEMANTIC,
    at=AT,
    claim="Power a probe for ten minutes.",
)

#: A file with every element of the vocabulary that has a meaning, in its canonical spelling.
ARTICLE = """<p><mark>Power a soil probe for ten minutes before calibrating it.</mark> A cold probe reads low; \
seen on <time datetime="2026-03-08">8 March</time> in the <cite>bay 4 drift report</cite>.</p>
<dl>
<dt>Applies to</dt><dd>capacitive probes</dd>
<dt>Warm-up</dt><dd><data value="600">ten minutes</data> on mains power</dd>
</dl>
<p>The effect is <dfn>thermal offset</dfn>, and the vendor sheet says \
<q cite="/resources/sensors/vendor-sheet.html">allow the element to settle</q> for the \
<abbr title="analog-to-digital converter">ADC</abbr>.</p>
<figure><pre><code data-lang="bash">probe warm --minutes 10
  probe calibrate --all</code></pre><figcaption>Warm first, then calibrate.</figcaption></figure>
<details><summary>How this was learned</summary><p>Two nights of drifting readings in bay 4.</p></details>
<aside><p>Resistive probes do not need the wait.</p></aside>"""


def errors(data: bytes) -> list[str]:
    return [violation.code for violation in check(parse(data)) if violation.severity is not Severity.WARNING]


def article(data: bytes) -> str:
    return data.decode().split("<article>\n", 1)[1].split("\n</article>", 1)[0]


# The cases of the specification.


def test_45_writing_twice_gives_the_same_bytes_with_attributes_in_order() -> None:
    draft = replace(DRAFT, article_html='<p title=b data-x="a" id=c><mark>Claim.</mark><br/>')
    assert article(render(draft)) == '<p data-x="a" id="c" title="b"><mark>Claim.</mark><br></p>'
    assert render(replace(draft, article_html=article(render(draft)))) == render(draft) == render(draft)


def test_46_a_table_gets_its_section_and_stray_text_moves_before_it() -> None:
    assert serialise_article("<table><tr><td>a") == "<table><tbody><tr><td>a</td></tr></tbody></table>"
    assert serialise_article("<table>x<tr><td>a</table>").startswith("x<table>")


def test_47_newlines_at_the_start_of_a_pre_survive_every_round() -> None:
    written = serialise_article("<p><mark>C.</mark></p><pre>\n\n  x</pre><textarea>\n\ny</textarea>")
    assert "<pre>\n\n  x</pre><textarea>\n\ny</textarea>" in written
    hashes = set()
    for _ in range(3):
        hashes.add(of_inner_html(written.encode()))
        written = serialise_article(written)
    assert len(hashes) == 1


def test_48_a_no_break_space_is_written_by_name_and_read_back() -> None:
    data = render(replace(DRAFT, title="a\xa0b", claim="c\xa0d."))
    assert b"<title>a&nbsp;b</title>" in data
    assert b"<mark>c&nbsp;d.</mark>" in data
    assert parse(data).title == "a\xa0b"
    assert parse(data).gist == "c\xa0d."


def test_49_markup_in_a_claim_is_its_words() -> None:
    data = render(replace(DRAFT, claim="Use <script>x</script> never."))
    assert errors(data) == []
    assert parse(data).gist == "Use <script>x</script> never."


def test_50_blank_paragraphs_leave_nothing() -> None:
    assert article_of(replace(DRAFT, claim="C.", body=("", "  ", "Real."))) == "<p><mark>C.</mark> Real.</p>"


def test_51_article_markup_wins_unless_it_is_blank() -> None:
    assert errors(render(replace(DRAFT, article_html="<p>No mark.</p>"))) == ["mark-missing"]
    for blank in ("", "  \n", "\xa0"):
        assert article_of(replace(DRAFT, article_html=blank)) == article_of(DRAFT)


def test_52_an_article_inside_the_article_is_refused() -> None:
    data = render(replace(DRAFT, article_html="<article><p><mark>C.</mark></p></article>"))
    assert "article-count" in errors(data)


def test_53_markup_cannot_close_the_article_early() -> None:
    data = render(replace(DRAFT, article_html="<p><mark>C.</mark></p></article></body><script>x</script>"))
    assert article(data) == "<p><mark>C.</mark></p><script>x</script>"
    assert "forbidden-element" in errors(data)


def test_54_a_list_inside_the_claim_is_parted_from_it() -> None:
    written = serialise_article("<p><mark>x <ul><li>y</ul></mark></p>")
    assert written == "<p><mark>x </mark></p><ul><li>y</li></ul><p></p>"


def test_55_a_title_has_one_line() -> None:
    data = render(replace(DRAFT, title="  One\n\ttitle\r\nhere "))
    assert b"<title>One title here</title>" in data
    assert parse(data).title == "One title here"


@pytest.mark.parametrize(
    ("confidence", "written"),
    [
        (0.125, "0.13"),
        (0.85, "0.85"),
        (1.0, "1.00"),
        (0, "0.00"),
        (0.005, "0.01"),
        (0.375, "0.38"),
    ],
)
def test_56_a_confidence_has_two_decimals_and_exact_halves_go_up(confidence: float, written: str) -> None:
    assert confidence_text(confidence) == written


@pytest.mark.parametrize(
    "draft",
    [
        *(
            replace(DRAFT, confidence=confidence)
            for confidence in (5.0, -0.01, float("nan"), float("inf"), 1e300)
        ),
        *(replace(DRAFT, importance=importance) for importance in (0, 11, -1)),
    ],
)
def test_56_a_number_that_no_reader_would_take_is_refused(draft: Draft) -> None:
    with pytest.raises(InvalidMemory) as refusal:
        render(draft)
    assert refusal.value.violations[0][0] == "meta-malformed"


def test_57_a_due_date_is_kept_for_any_type_and_a_task_status_for_tasks_alone() -> None:
    document = parse(render(replace(DRAFT, due="2026-03-20", task_status=TaskStatus.DOING)))
    assert (document.due, document.task_status) == ("2026-03-20", None)
    task = replace(DRAFT, memory_type=MemoryType.TASK)
    assert parse(render(task)).task_status is TaskStatus.TODO
    assert parse(render(replace(task, task_status=TaskStatus.DONE))).task_status is TaskStatus.DONE


@pytest.mark.parametrize(
    ("paragraph", "markup"),
    [
        ("```\n\n  a\n\n```", "<figure><pre><code>\n  a\n</code></pre></figure>"),
        ("```never closed", "<p>```never closed</p>"),
        ("```\nnever closed", "<p>```\nnever closed</p>"),
        ("~~~\nx\n~~~", "<p>~~~\nx\n~~~</p>"),
        ("````\nx\n```", "<p>````\nx\n```</p>"),
        ("````\n```\nx\n```\n`````", "<figure><pre><code>```\nx\n```</code></pre></figure>"),
        ("```\n```", "<figure><pre><code></code></pre></figure>"),
        ("  ```py \nx\n  ```  ", '<figure><pre><code data-lang="py">x</code></pre></figure>'),
        ("```\r\nx\r\n```", "<figure><pre><code>x</code></pre></figure>"),
    ],
)
def test_58_a_fence_is_code_to_the_letter_and_half_a_fence_is_prose(paragraph: str, markup: str) -> None:
    assert article_of(replace(DRAFT, claim="C.", body=("Tail.", paragraph))) == (
        f"<p><mark>C.</mark> Tail.</p>\n{markup}"
    )


@pytest.mark.parametrize(
    ("label", "language"),
    [
        ("python", "python"),
        ("JS", "js"),
        ("c++ extra words", "c++"),
        ("", None),
        ("not;a;lang", None),
        ("-x", None),
    ],
)
def test_59_the_author_s_label_is_the_language(label: str, language: str | None) -> None:
    assert read_fence(f"```{label}\nSELECT 1\n```") == Fence("SELECT 1", language)


def test_59_markup_in_a_fence_is_its_words_and_no_language_is_guessed() -> None:
    written = article_of(replace(DRAFT, claim="C.", body=("```\n<p class=x>&amp;\n```",)))
    assert written == (
        "<p><mark>C.</mark></p>\n<figure><pre><code>&lt;p class=x&gt;&amp;amp;</code></pre></figure>"
    )


# The file.


def test_a_full_draft_stands_in_the_order_of_the_vocabulary() -> None:
    draft = replace(
        DRAFT,
        article_html=ARTICLE,
        confidence=0.85,
        importance=6,
        author="agent:fieldbot-2",
        session="s",
        prompt="pr_77aa",
        turn="t",
        valid_from="2026-03-01T00:00:00Z",
        valid_until="2027-03-01T00:00:00Z",
        due="2026-03-20",
        entities=("device:soil-probe", "person:mara okafor"),
        tags=("sensors", "greenhouse"),
        aliases=("probe",),
        links=((EdgeRel.PART_OF, "/areas/arcs/a.html"), (EdgeRel.SUPPORTS, "/areas/b.html")),
        extensions=(("language", "en"), ("run", "r1")),
    )
    data = render(draft)
    assert errors(data) == []
    assert data.decode().split("\n") == [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        "<title>Probes need a warm-up</title>",
        '<meta name="memhtml-type" content="semantic">',
        '<meta name="memhtml-status" content="active">',
        '<meta name="memhtml-created" content="2026-03-09T08:15:00Z">',
        '<meta name="memhtml-updated" content="2026-03-09T08:15:00Z">',
        '<meta name="memhtml-confidence" content="0.85">',
        '<meta name="memhtml-importance" content="6">',
        f'<meta name="memhtml-content-hash" content="{of_file(data)}">',
        '<meta name="memhtml-author" content="agent:fieldbot-2">',
        '<meta name="memhtml-session" content="s">',
        '<meta name="memhtml-prompt" content="pr_77aa">',
        '<meta name="memhtml-turn" content="t">',
        '<meta name="memhtml-valid-from" content="2026-03-01T00:00:00Z">',
        '<meta name="memhtml-valid-until" content="2027-03-01T00:00:00Z">',
        '<meta name="memhtml-due" content="2026-03-20">',
        '<meta name="memhtml-entity" content="device:soil-probe">',
        '<meta name="memhtml-entity" content="person:mara okafor">',
        '<meta name="memhtml-tag" content="sensors">',
        '<meta name="memhtml-tag" content="greenhouse">',
        '<meta name="memhtml-alias" content="probe">',
        '<meta name="x-memhtml-run" content="r1">',
        '<meta name="x-memhtml-language" content="en">',
        '<link rel="memhtml-part-of" href="/areas/arcs/a.html">',
        '<link rel="memhtml-supports" href="/areas/b.html">',
        "</head>",
        "<body>",
        "<article>",
        *ARTICLE.split("\n"),
        "</article>",
        "</body>",
        "</html>",
        "",
    ]


def test_markup_that_would_cost_gigabytes_to_parse_is_refused_unread() -> None:
    hostile = "<p>" + "".join(f"<b id={number}>" for number in range(500)) + "<p>x" * 5000
    with pytest.raises(InvalidMemory):
        render(replace(DRAFT, article_html=hostile))
    with pytest.raises(InvalidMemory) as refusal:
        render(replace(DRAFT, article_html="x" * 70_000))
    assert refusal.value.violations[0][0] == "file-large"


# Markup.


@pytest.mark.parametrize(
    ("markup", "written"),
    [
        ('a&lt;b &amp;amp; "q" &#13;c', 'a&lt;b &amp;amp; "q" &#13;c'),
        ("<p a='\"&amp;<>\xa0'>", '<p a="&quot;&amp;<>&nbsp;"></p>'),
        ("<IMG SRC=x alt>", '<img alt="" src="x">'),
        ("<!-- kept -- so --!>", "<!-- kept -- so -->"),
        ("<?php x ?>", "<!--?php x ?-->"),
        ("<script>a<b && '</p>'</script>", "<script>a<b && '</p>'</script>"),
        ("<noscript><p>&amp;</noscript>", "<noscript><p>&amp;</noscript>"),
        (
            "<svg viewbox=1><STYLE>a&lt;b</STYLE><path/></svg>",
            '<svg viewBox="1"><style>a&lt;b</style><path></path></svg>',
        ),
        ("<svg><link>x</svg>", "<svg><link>x</link></svg>"),
        (
            "<template><p>x<template>y</template></template>",
            "<template><p>x<template>y</template></p></template>",
        ),
        ("<plaintext>a<b></plaintext>", "<pre>a&lt;b&gt;&lt;/plaintext&gt;</pre>"),
        ("<a =x b\"='1'>", '<a =x="" b"="1"></a>'),
        ("  \n<p>x</p>\ufeff\n", "<p>x</p>"),
        ("", ""),
    ],
)
def test_markup_is_written_in_one_spelling(markup: str, written: str) -> None:
    assert serialise_article(markup) == written
    assert serialise_article(written) == written


def test_markup_nested_deeper_than_python_recurses_is_written() -> None:
    deep = serialise_article("<div>" * 3000 + "<template>" * 1500 + "x")
    assert deep.count("</div>") == 3000
    assert deep.count("</template>") == 1500


PIECES = st.sampled_from(
    re.findall(
        "[^ ]+",
        """<p> </p> <b> </b> <a/href=x> </a> <table> <tr> <td> </table> <pre> </pre> <svg> </svg> <math> <mi> </mi>
        <style> </style> <title> </title> <desc> <foreignObject> <template> </template> <select> <option> </select>
        <form> </form> <button> <!-- --> --!> <!x <?y <plaintext> <textarea> </textarea> <script> </script> <noscript>
        </noscript> <br> <image> <listing> <div> </div> <h1> </h1> <ul> <li> <nobr> <xmp> </xmp> <ruby> <rt>
        <caption> <col> <input> <hr> </br> <object> <i/> x &lt; &nbsp; &#13; &amp;lt; <![CDATA[ ]]>""",
    )
)


@given(st.lists(st.one_of(PIECES, st.text("ab \n<>&\"'=/-!", max_size=4)), max_size=14))
def test_writing_what_was_written_changes_nothing(pieces: list[str]) -> None:
    written = serialise_article("".join(pieces))
    assert serialise_article(written) == written
    assert of_inner_html(written.encode()) == of_inner_html(serialise_article(written).encode())


@needs_data
def test_writing_what_was_written_changes_nothing_for_the_standard_s_own_cases() -> None:
    changed = []
    for path in sorted((data_dir() / "html" / "html5lib-tree-construction").glob("*.dat")):
        for block in path.read_text(encoding="utf-8").split("#data\n")[1:]:
            written = serialise_article(block.split("\n#errors")[0])
            if serialise_article(written) != written:
                changed.append(block)
    assert changed == []


WORDS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=30)
DRAFTS = st.builds(
    Draft,
    title=WORDS.filter(trim),
    memory_type=st.sampled_from(MemoryType),
    at=st.just(AT),
    claim=WORDS.filter(lambda words: trim(words) and not trim(words).isspace()),
    body=st.lists(st.one_of(WORDS, WORDS.map("```py\n{}\n```".format)), max_size=3).map(tuple),
    confidence=st.none() | st.floats(0, 1),
    importance=st.none() | st.integers(1, 10),
    author=st.none() | WORDS,
    due=st.sampled_from([None, "2026-03-20"]),
    tags=st.lists(WORDS.filter(trim), max_size=3).map(tuple),
    links=st.lists(st.tuples(st.sampled_from(EdgeRel), st.just("/areas/a.html")), max_size=2).map(tuple),
)


@given(DRAFTS)
def test_a_draft_of_prose_is_a_memory_that_says_what_the_draft_said(draft: Draft) -> None:
    data = render(draft)
    document = parse(data)
    assert errors(data) == []
    assert data.endswith(b"</html>\n")
    assert document.memory_type is draft.memory_type
    assert document.tags == draft.tags
    assert document.author == draft.author
    assert document.importance == draft.importance
    assert re.sub(r"[\t\n\f ]+", " ", trim(draft.claim)) in (document.gist, f"{document.gist} ")
    assert document.stamped_hash == document.content_hash
    assert render(replace(draft, article_html=article(data))) == data


# Prose.


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("One. Two.", Prose("One.", ("Two.",))),
        ("  One!\nTwo\n\nThree ", Prose("One!", ("Two", "Three"))),
        ("Version 1.2 is\nout? Yes.", Prose("Version 1.2 is\nout?", ("Yes.",))),
        ("no end at all\n\nnot here", Prose("no end at all\n\nnot here", ())),
        ("Wait... what", Prose("Wait...", ("what",))),
        ("Run this:\n\n```sh\na. b\n\nc\n```\nDone.", Prose("Run this:", ("```sh\na. b\n\nc\n```", "Done."))),
        ("Use ```x``` inline. Then", Prose("Use ```x``` inline.", ("Then",))),
        ("A.\n```\nnever\n\nclosed", Prose("A.", ("```\nnever\n\nclosed",))),
        ("```\ncode. x\n```\n\nIt runs. Well.", Prose("It runs.", ("```\ncode. x\n```", "Well."))),
        ("```\ncode. x\n```", Prose("```\ncode. x\n```", ())),
        ("One.\r\n\r\nTwo", Prose("One.", ("Two",))),
        ("", Prose("", ())),
        (" \n ", Prose("", ())),
    ],
)
def test_70_the_first_sentence_is_the_claim(text: str, prose: Prose) -> None:
    assert split_prose(text) == prose


@given(
    st.lists(
        st.sampled_from(["a", "b.", "c!", " ", "\n", "\n\n", "```", "```py\n", "\n```\n", "````"]),
        max_size=20,
    )
)
def test_splitting_loses_no_letter_and_invents_none(pieces: list[str]) -> None:
    text = "".join(pieces)
    prose = split_prose(text)
    assert sorted("".join([prose.claim, *prose.paragraphs]).replace(" ", "").replace("\n", "")) == sorted(
        text.replace(" ", "").replace("\n", "")
    )
    assert "".join("".join(split_paragraphs(text)).split()) == "".join(text.split())
