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
_WORD: Final = re.compile(
    rb"""(?:[^\s"'\\`;&|()<>]|\\[^\r\n]|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|["'\\](?!\r?\n))++"""
)
#: Words as a program takes them, each in quotes: `["rm", "-rf", "x"]`, and `"rm" "-rf" x` as far as that goes.
_LISTED: Final = re.compile(rb""""(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'""")
_BETWEEN_LISTED: Final = re.compile(rb"(?:[ \t,]|\r?\n)*+")
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
    program = shadow[start:end]
    pattern, between = _WORD, _BLANK
    quote = shadow[start - 1 : start]
    if quote and quote in _QUOTES:
        if shadow[end : end + 1] == quote:
            start -= 1
            pattern, between = _LISTED, _BETWEEN_LISTED
        else:
            closing = shadow.find(quote, start, limit)
            limit = closing if closing >= 0 else limit
    position = start
    for _ in range(_MAX_WORDS):
        found = pattern.match(shadow, position, limit)
        if found is None:
            return
        last = found.end()
        word = Word(_unquoted(found.group()), position, last)
        if position > start and word.text == program:
            return  # the next command: text that repeats one is not read over and over
        yield word
        position = between.match(shadow, last, limit).end()  # type: ignore[union-attr]  # an empty match at least
