"""The words of a command that stands in free text, as a shell would split them.

Text is not a script: a command stands between words of prose, in quotes, in backticks or in markup. So a command is
read from its program on, and ends where the shell, the quotes around it or the markup end it. A quote that never
closes is an apostrophe.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Word", "words_at"]

_MAX_WORDS: Final = 24
_MAX_LENGTH: Final = 512

_BLANK: Final = re.compile(rb"(?:[ \t]|\\\r?\n)*+")
#: Between the words of a list, as programs take a command: `["rm", "-rf", "x"]`.
_BLANK_OR_COMMA: Final = re.compile(rb"(?:[ \t,]|\\?\r?\n)*+")
_WORD: Final = re.compile(
    rb"""(?:[^\s"'\\`;&|()<>]|\\[^\r\n]|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|["'\\](?!\r?\n))++"""
)
_PART: Final = re.compile(rb"""\\(.)|"((?:[^"\\\n]|\\.)*+)"|'([^'\n]*+)'|["'\\]|[^"'\\]+""", re.DOTALL)
_QUOTES: Final = b"\"'`"


class Word(NamedTuple):
    """One word: its text without quotes, and where it stands with them."""

    text: bytes
    start: int
    end: int


def _unquoted(raw: bytes) -> bytes:
    if b'"' not in raw and b"'" not in raw and b"\\" not in raw:
        return raw
    pieces = []
    for part in _PART.finditer(raw):
        escaped, double, single = part.groups()
        if escaped is not None or double is not None or single is not None:
            pieces.append(escaped or double or single or b"")
        elif part.group() not in (b'"', b"'", b"\\"):
            pieces.append(part.group())
    return b"".join(pieces)


def words_at(shadow: bytes, start: int, end: int) -> Iterator[Word]:
    """Yield the words of the command whose program stands between two places, to a bounded distance."""
    limit = min(len(shadow), start + _MAX_LENGTH)
    blank = _BLANK
    quote = shadow[start - 1 : start]
    if quote and quote in _QUOTES:
        if shadow[end : end + 1] == quote:
            start -= 1
            blank = _BLANK_OR_COMMA
        else:
            closing = shadow.find(quote, start, limit)
            limit = closing if closing >= 0 else limit
    position = start
    for _ in range(_MAX_WORDS):
        found = _WORD.match(shadow, position, limit)
        if found is None:
            return
        last = (
            found.end() - 1 if blank is _BLANK_OR_COMMA and shadow[found.end() - 1] in b",]" else found.end()
        )
        yield Word(_unquoted(shadow[position:last]), position, last)
        position = blank.match(shadow, last, limit).end()  # type: ignore[union-attr]  # an empty match at least
