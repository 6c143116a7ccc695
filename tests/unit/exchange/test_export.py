"""Memories as notes, and back."""

import json

import pytest
from builders import memory
from hypothesis import given
from hypothesis import strategies as st
from imported import note, plan_of

from memhtml.exchange.export import export_line, export_note
from memhtml.exchange.records import notes_of_lines
from memhtml.format.parse import parse

ARTICLE = (
    "<p><mark>Warm a <em>probe</em> up.</mark> It drifted on <time datetime='2026-03-08'>8 March</time>.</p>"
    "<dl><dt>Warm-up</dt><dd><data value='600'>ten minutes</data></dd></dl>"
    "<ol><li>Plug it in.</li><li>Wait:<ul><li>ten minutes</li></ul></li></ol>"
    "<figure><pre><code data-lang='sh'>probe warm\n\n```</code></pre></figure>"
    "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td><code>x`y</code></td></tr></tbody></table>"
    "<p><q>Said so.</q></p><p>See <a href='https://example.com/a_(b)'>the sheet</a>, <a href='/areas/b.html'>b</a>.</p>"
    "<details><summary>More</summary><p>One *star* and a &lt;tag&gt; &amp;amp; 1. [x](y)</p></details>"
)
RICH = memory(
    title="Warm: a “probe” #1",
    article=ARTICLE,
    type_="procedural",
    metas=[
        ("confidence", "0.85"),
        ("importance", "7"),
        ("author", "agent:fieldbot"),
        ("session", "s-1"),
        ("prompt", "p-1"),
        ("turn", "t-1"),
        ("valid-from", "2026-03-01T00:00:00Z"),
        ("entity", "device:soil probe"),
        ("tag", "sensors"),
        ("tag", "a, b"),
        ("alias", "probe"),
    ],
)
PATH = "resources/sensors/warm.html"


def test_markdown_reads_as_a_person_would_write_it() -> None:
    exported = export_note(PATH, RICH)
    assert exported.name == "resources/sensors/warm.md"
    front, _, body = exported.text.removeprefix("---\n").partition("\n---\n")
    assert "title: 'Warm: a “probe” #1'" in front
    assert "claim: Warm a probe up." in front
    assert body.startswith("\n# Warm: a “probe” #1\n\nWarm a *probe* up. It drifted on 8 March.\n")
    assert "\n1. Plug it in.\n2. Wait:" in body
    assert "\n````sh\nprobe warm\n\n```\n````\n" in body
    assert "\n> Said so.\n" in body


def test_what_markdown_has_no_words_for_is_named() -> None:
    assert export_note(PATH, RICH).losses == ("1 × data value", "1 × time datetime")
    assert export_note(PATH, memory()).losses == ()


def test_a_markdown_export_comes_back_to_its_place_with_the_same_words() -> None:
    exported = export_note(PATH, RICH)
    ((path, data),) = plan_of(note(exported.text, exported.name)).files
    before, after = parse(RICH), parse(data)
    assert path == PATH
    assert after.canonical_text == before.canonical_text
    assert after.gist == before.gist
    for name in ("title", "memory_type", "created", "updated", "confidence", "importance", "author", "session",
                 "prompt", "turn", "valid_from", "entities", "aliases"):  # fmt: skip
        assert getattr(after, name) == getattr(before, name), name


def test_json_lines_come_back_with_everything_but_the_bytes() -> None:
    line = export_line(PATH, RICH)
    assert "\n" not in line
    ((path, data),) = plan_of(*notes_of_lines("x.jsonl", [line.encode()])).files
    before, after = parse(RICH), parse(data)
    assert path == PATH
    unequal = [
        name
        for name in before._fields
        if name not in ("size_bytes", "metas", "head", "links", "stamped_hash")
        and getattr(before, name) != getattr(after, name)
    ]
    assert unequal == []


def test_edges_come_back_where_both_ends_do() -> None:
    first = memory(
        "The first of two.", links=[("supports", "/areas/b.html"), ("part_of", "/areas/gone.html")]
    )
    second = memory("The second of two.")
    for again in (
        plan_of(*notes_of_lines("x", [export_line("areas/a.html", first).encode(),
                                      export_line("areas/b.html", second).encode()])),
        plan_of(*(note(each.text, each.name) for each in (export_note("areas/a.html", first),
                                                          export_note("areas/b.html", second)))),
    ):  # fmt: skip
        assert parse(dict(again.files)["areas/a.html"]).links == (("memhtml-supports", "/areas/b.html"),)


def test_an_archived_memory_is_no_active_one_when_it_comes_back() -> None:
    exported = export_note("archive/2026/areas/a.html", memory(status="archived"))
    assert [each.code.value for each in plan_of(note(exported.text, exported.name)).refused] == ["RETIRED"]


@pytest.mark.parametrize(
    "data", [b"", b"<article>", b"\xff\xfe\x00", b"<div>" * 3_000, b"<article>" + b"<div>" * 3_000]
)
def test_any_bytes_can_be_exported(data: bytes) -> None:
    assert export_note(PATH, data).text.startswith("---\n")
    assert json.loads(export_line(PATH, data))["memory_path"] == PATH


_TEXT = st.text(alphabet="ab.1 *_`[]()<>&#-+=|~\\\"':!\n日é\xa0", min_size=1, max_size=24)


@given(_TEXT, st.lists(_TEXT, max_size=3))
def test_any_prose_comes_back_in_the_same_words(claim: str, body: list[str]) -> None:
    paragraphs = "".join(f"<p>{_escaped(each)}</p>" for each in body)
    data = memory(article=f"<p><mark>Claim: {_escaped(claim)}</mark></p>{paragraphs}")
    exported = export_note(PATH, data)
    ((_, again),) = plan_of(note(exported.text, exported.name)).files
    assert parse(again).body_text.split() == parse(data).body_text.split()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
