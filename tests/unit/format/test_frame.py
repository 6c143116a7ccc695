"""The claim slot."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.format.frame import frame_key_of

_REFERENCE = re.compile(r"(.*\b(?:of|is|in|to|by|as))\s+(.+?)\.?", re.ASCII)


@pytest.mark.parametrize(
    ("gist", "key"),
    [
        ("The capital of India is New Delhi.", "the capital of india is"),
        ("The default port of the billing proxy is 8443.", "the default port of the billing proxy is"),
        ("  the  CAPITAL of India\nis   New Delhi ", "the capital of india is"),
        ("Water is wet", None),
        ("The capital of India IS New Delhi", "the capital of"),
        ("a b is one two three four five six", "a b is"),
        ("a b is one two three four five six seven", None),
        ("The capital of India is", "the capital of"),
        ("a b is .", "a b is"),
        ("a the so-called-is x", "a the so-called-is"),
        ("one two éis x", "one two éis"),
        ("one two this x", None),
        ("the port of\u00a0x", "the port of"),
        ("", None),
        ("of of of of", "of of of"),
    ],
)
def test_the_key_is_the_claim_without_its_value(gist: str, key: str | None) -> None:
    assert frame_key_of(gist) == key


@given(
    st.lists(st.sampled_from(["a", "is", "of", "x-is", "éis", "this", "IS", ".", "b.", "to,"]), max_size=14)
)
def test_the_key_is_that_of_the_written_rule(words: list[str]) -> None:
    text = " ".join(words)
    match = _REFERENCE.fullmatch(text)
    expected = None
    if match and match[1].count(" ") >= 2 and match[2].count(" ") <= 5:
        expected = match[1].lower()
    assert frame_key_of(text) == expected


@given(st.text(max_size=80))
def test_every_text_has_a_key_or_none(text: str) -> None:
    key = frame_key_of(text)
    assert key is None or frame_key_of(f"{key} value") is not None
