"""The words of a command in free text: split as a shell splits them, and ended by what ends it in text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.safety.shell import words_at


def words(text: str, program: str = "run") -> list[str]:
    shadow = text.encode("ascii", "replace")
    start = shadow.index(program.encode())
    return [word.text.decode() for word in words_at(shadow, start, start + len(program))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run", ["run"]),
        ("run a  b\tc", ["run", "a", "b", "c"]),
        ("run 'a b' \"c d\" e\\ f", ["run", "a b", "c d", "e f"]),
        ("run a'b c'd", ["run", "ab cd"]),
        ("run a \\\n b", ["run", "a", "b"]),
        ("run a; b", ["run", "a"]),
        ("run a | b", ["run", "a"]),
        ("run a && b", ["run", "a"]),
        ("run a\nb", ["run", "a"]),
        ("`run a` and b", ["run", "a"]),
        ("say 'run a b' to it", ["run", "a", "b"]),
        ("(run a) b", ["run", "a"]),
        ("<code>run a</code> b", ["run", "a"]),
        ("run doesn't stop", ["run", "doesnt", "stop"]),
        ('["run", "a b", "-c"]', ["run", "a b", "-c"]),
        ("run a run b", ["run", "a"]),
    ],
)
def test_words_are_those_of_one_command(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_command_is_read_to_a_bounded_distance() -> None:
    assert len(words("run " + "a " * 10_000)) < 100
    assert sum(map(len, words("run " + "a" * 10_000))) < 1_000


@given(st.text(alphabet="ab '\"\\`|;&<>()\n\t,😀", max_size=60))
def test_words_stand_where_they_say_and_never_overlap(rest: str) -> None:
    shadow = f"run {rest}".encode("ascii", "replace")
    place = 0
    for word in words_at(shadow, 0, 3):
        assert place <= word.start < word.end <= len(shadow)
        place = word.end
