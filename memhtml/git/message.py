"""Commit messages: one subject line, an indented body, trailers that only their writer can set."""

import re
from collections.abc import Iterable

__all__ = ["SUBJECT_CHARACTERS", "UNTITLED", "compose", "subject_line"]

#: How much of a title a subject carries.
SUBJECT_CHARACTERS = 72
UNTITLED = "(untitled)"

_TRAILER_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def subject_line(op: str, text: str) -> str:
    """Return `memhtml(<op>): <text>`, the text on one line and cut with an ellipsis after 72 characters.

    Total: an empty or blank text is `(untitled)`, and what no commit can hold (NUL, lone surrogates) is replaced.
    """
    words = one_line(text)
    if len(words) > SUBJECT_CHARACTERS:
        words = words[: SUBJECT_CHARACTERS - 1].rstrip() + "…"
    return f"memhtml({op}): {words or UNTITLED}"


def compose(subject: str, body: str, trailers: Iterable[tuple[str, str]]) -> str:
    """Return a whole message.

    Body lines are indented by two blanks: git takes an unindented `Key: value` in the last paragraph for a trailer,
    and a body may quote anything. Trailers without a value are left out.
    Errors: ValueError for a trailer whose key is no word of letters, digits and hyphens.
    """
    parts = [one_line(subject) or UNTITLED]
    lines = [_CONTROL.sub(" ", line).rstrip() for line in _LINE_END.split(_encodable(body))]
    indented = "\n".join(f"  {line}" if line else "" for line in lines).strip("\n")
    if indented:
        parts.append(indented)
    listed: list[str] = []
    for key, value in trailers:
        if not _TRAILER_KEY.fullmatch(key):
            raise ValueError("a trailer's key is letters, digits and hyphens")
        if words := one_line(value):
            listed.append(f"{key}: {words}")
    if listed:
        parts.append("\n".join(listed))
    return "\n\n".join(parts) + "\n"


def one_line(text: str) -> str:
    """Return a text with every run of blanks and control characters as one blank."""
    return " ".join(_CONTROL.sub(" ", _encodable(text)).split())


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
