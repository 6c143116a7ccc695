"""Which words of a note become its claim."""

import pytest

from memhtml.exchange.claims import opening_of, shortened
from memhtml.exchange.markdown import read_markdown


def claim(text: str, title: str = "The title", stated: str = "") -> str:
    return opening_of(read_markdown(text).blocks, title, stated).claim


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Probes drift when cold. Warm them.", "Probes drift when cold."),
        ("Probes, e.g. the old ones, drift. Warm them.", "Probes, e.g. the old ones, drift."),
        ("Version 2. of the rig drifts. Warm it.", "Version 2. of the rig drifts."),
        ("Ask `blank?` before use. Then go on.", "Ask blank? before use."),
        ("It drifts (see no. 4. Or not) a lot. Warm it.", "It drifts (see no. 4. Or not) a lot."),
        ("**Probes drift.** Warm them.", "Probes drift."),
        (
            "See [the docs. All of them.](https://example.com) first. Then go.",
            "See the docs. All of them. first.",
        ),
        ("プローブは冷えるとずれる。温める。", "プローブは冷えるとずれる。"),
        ("No end of a sentence", "No end of a sentence"),
        ("Really? Probes drift when they are cold.", "The title"),
    ],
)
def test_a_note_that_begins_with_prose_claims_its_first_sentence_if_it_says_something(
    text: str, expected: str
) -> None:
    assert claim(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Use:\n\n```\nx\n```",
        "- item one of a list",
        "## Heading\n\nA full sentence here.",
        "Do this:\n\n- a",
        "",
    ],
)
def test_a_note_that_begins_otherwise_claims_its_title(text: str) -> None:
    assert claim(text) == "The title"


def test_a_stated_claim_is_marked_where_it_stands_and_not_repeated() -> None:
    opening = opening_of(
        read_markdown("Probes *drift* when\ncold. Warm them.").blocks, "T", "Probes drift when cold."
    )
    assert (opening.claim, opening.blocks) == ("Probes drift when cold.", ())


def test_a_summary_that_stands_nowhere_comes_before_the_text() -> None:
    opening = opening_of(read_markdown("Warm them first.").blocks, "T", "Probes drift when cold")
    assert opening.claim == "Probes drift when cold"
    assert len(opening.blocks) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("one two three", "one two…"),
        ("x" * 30, "x" * 9 + "…"),
        ("one, two three", "one, two…"),
    ],
)
def test_a_title_made_of_a_claim_is_cut_between_words(text: str, expected: str) -> None:
    assert shortened(text, 10) == expected
