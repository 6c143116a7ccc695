"""The fields at the top of a note, as texts and never as anything that acts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.exchange.front_matter import BadFrontMatter, split_front_matter, texts_of


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("title: A title", {"title": "A title"}),
        ("tags: [a, b]", {"tags": ["a", "b"]}),
        ("tags:\n  - a\n  - b", {"tags": ["a", "b"]}),
        ("draft: yes\nversion: 1.10\nday: 2026-01-02\ntime: 12:30:45", {
            "draft": "yes", "version": "1.10", "day": "2026-01-02", "time": "12:30:45"}),
        ("a:\n  b:\n    c: d", {"a": {"b": {"c": "d"}}}),
        ("empty:\nnothing: ~\nquoted: '~'", {"empty": "", "nothing": "", "quoted": "~"}),
        ("title: Locks: a study", {"title": "Locks: a study"}),
        ("title: Cleanups after PR #44 (it's late)", {"title": "Cleanups after PR #44 (it's late)"}),
        ("# a comment\ntitle: x", {"title": "x"}),
        ("text: |\n  one: two\n  three", {"text": "one: two\nthree\n"}),
        ("a: !!python/object/apply:os.system ['true']", {"a": ["true"]}),
        ("", {}),
    ],
)  # fmt: skip
def test_fields_are_read_as_they_were_written(yaml: str, expected: object) -> None:
    found = split_front_matter(f"---\n{yaml}\n---\nThe body.\n")
    assert (found.fields, found.body) == (expected, "The body.\n")


@pytest.mark.parametrize(
    "text", ["No front matter.", "---\na: b\nNever closed.", "----\na: b\n---\n", " ---\na: b\n---\n"]
)
def test_a_note_without_front_matter_is_all_body(text: str) -> None:
    assert split_front_matter(text) == ({}, text)


@pytest.mark.parametrize(
    "yaml",
    [
        "a: &x [1]\nb: [*x, *x]",
        "a: " + "[" * 5_000,
        "a:\n" + "".join(f"{'  ' * depth}b:\n" for depth in range(1, 20)),
        "title: [x",
        "\ta: b",
        "a: 'x",
        "- only\n- a list",
        "[a]: b",
        "x" * 17_000,
        "a: \x07",
    ],
)
def test_what_is_no_plain_yaml_is_refused_at_once(yaml: str) -> None:
    began = time.process_time()
    with pytest.raises(BadFrontMatter):
        split_front_matter(f"---\n{yaml}\n---\nBody.\n")
    assert time.process_time() - began < 2


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#\n\t ,?%@`0~", max_size=60))
def test_any_front_matter_is_read_or_refused(yaml: str) -> None:
    try:
        found = split_front_matter(f"---\n{yaml}\n---\nBody.")
    except BadFrontMatter:
        return
    assert found.body.endswith("Body.")


@pytest.mark.parametrize(
    ("field", "expected"),
    [("a, b,", ("a", "b")), (["a", {"b": "c"}, " d "], ("a", "d")), ({"a": "b"}, ()), (None, ())],
)
def test_a_list_may_be_written_with_commas(field: object, expected: tuple[str, ...]) -> None:
    assert texts_of(field) == expected
