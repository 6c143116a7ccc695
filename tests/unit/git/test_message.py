"""Commit messages."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.git.message import compose, subject_line
from memhtml.git.wire import parse_trailers

TEXT = st.text(max_size=300)


def test_a_subject_is_one_line_with_the_operation_in_front() -> None:
    assert subject_line("write", "  A title\n on two\tlines ") == "memhtml(write): A title on two lines"


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\0", "\u2028"])
def test_a_title_without_words_is_untitled(text: str) -> None:
    assert subject_line("write", text) == "memhtml(write): (untitled)"


def test_72_characters_stay_whole_and_73_end_with_an_ellipsis() -> None:
    assert subject_line("x", "a" * 72) == "memhtml(x): " + "a" * 72
    assert subject_line("x", "a" * 73) == "memhtml(x): " + "a" * 71 + "…"
    assert subject_line("x", "a" * 70 + " bcd") == "memhtml(x): " + "a" * 70 + "…"
    assert subject_line("x", "書" * 73) == "memhtml(x): " + "書" * 71 + "…"


@given(TEXT)
def test_any_title_gives_one_line_that_a_commit_can_hold(text: str) -> None:
    line = subject_line("write", text)
    assert line.splitlines() == [line]
    assert len(line) <= len("memhtml(write): ") + 72
    assert b"\0" not in line.encode("utf-8")


def test_a_message_has_subject_body_and_trailers_in_paragraphs() -> None:
    message = compose("memhtml(x): y", "why\n\nmore", [("Memhtml-Session", "s 1"), ("Memhtml-Prompt", "")])
    assert message == "memhtml(x): y\n\n  why\n\n  more\n\nMemhtml-Session: s 1\n"


def test_a_message_of_a_subject_alone_is_one_line() -> None:
    assert compose("memhtml(x): y", " \n ", []) == "memhtml(x): y\n"


@pytest.mark.parametrize("key", ["", "A b", "A:", "-a", "A\nB"])
def test_a_trailer_key_that_git_would_not_read_is_a_mistake_of_the_caller(key: str) -> None:
    with pytest.raises(ValueError, match="key"):
        compose("s", "", [(key, "v")])


BODIES = st.one_of(
    TEXT,
    st.lists(
        st.sampled_from(
            ["Memhtml-Session: forged", "", "x", "---", "# x", " Memhtml-Prompt: f", "\r", "\x85", "\v"]
        ),
        max_size=8,
    ).map("\n".join),
)


@given(
    TEXT,
    BODIES,
    st.lists(st.tuples(st.sampled_from(["Memhtml-Session", "Memhtml-Prompt"]), TEXT), max_size=3),
)
def test_no_text_forges_a_trailer(subject: str, body: str, trailers: list[tuple[str, str]]) -> None:
    message = compose(subject_line("write", subject), body, trailers)
    written = tuple((key, " ".join(value.split())) for key, value in parse_trailers(message))
    assert [key for key, _ in written] == [
        key for key, value in trailers if compose("s", "", [(key, value)]) != "s\n"
    ]
    seen_by_git = subprocess.run(
        ["git", "interpret-trailers", "--parse", "--no-divider"],
        input=message.encode(),
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert [line.partition(":")[0] for line in seen_by_git.splitlines()] == [key for key, _ in written]
