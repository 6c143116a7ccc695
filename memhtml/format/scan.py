"""Where things stand in a source: tags, attributes, comments and text with their places in the bytes.

The tree builder keeps no positions and gives no bytes back, so head edits and the lines of findings come from here.
The tokens are those of a browser with scripting. Only where markup is nested so badly that a tree is needed to know
whether a foreign element is open can a token differ from what the tree builder sees.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from memhtml.format.charrefs import decode_attribute, decode_name, decode_text
from memhtml.format.complexity import Complexity, prescan
from memhtml.format.lexis import (
    ATTRIBUTE,
    BYTE_ORDER_MARK,
    MARKUP,
    RAW_TEXT,
    attributes_end,
    comment_end,
    raw_text_end,
)
from memhtml.format.nesting import MARKED
from memhtml.format.outline import Outline

__all__ = ["Attribute", "Complexity", "Kind", "Position", "Token", "line_of", "locate", "prescan", "scan"]

_LINE_END: Final = re.compile(rb"\r\n?|\n")
_DASHES: Final = re.compile(rb"(?:--!|--?)\Z")
_CLOSING: Final = re.compile(rb"--!?>\Z")
_WORD: Final = re.compile(rb"[\t\n\f\r ]*([^\t\n\f\r ]+)")
_FONT_STYLES: Final = frozenset({"color", "face", "size"})
_CDATA: Final = b"[CDATA["


class Kind(Enum):
    START = "start tag"
    END = "end tag"
    COMMENT = "comment"
    DOCTYPE = "doctype"
    TEXT = "text"


class Attribute(NamedTuple):
    """One attribute of a tag; of two with the same name a tag has only the first.

    Shapes: `value` is decoded, and empty where the source gives none; `data[start:end]` is the whole attribute,
    `data[value_start:value_end]` the value as written, without its quotes.
    """

    name: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int


class Token(NamedTuple):
    """One piece of a source; `data[start:end]` is its bytes.

    Shapes: `name` is the name of an element or doctype in lower case, the words of a comment, and empty for text.
    """

    kind: Kind
    name: str
    start: int
    end: int
    attributes: tuple[Attribute, ...] = ()
    is_self_closing: bool = False

    def get(self, name: str) -> str | None:
        """Return the value of an attribute, or None."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute.value
        return None


class Position(NamedTuple):
    """A place in a source for people and for programs: `line` and `column` count from 1, in lines and characters."""

    line: int
    column: int
    offset: int


def scan(data: bytes) -> Iterator[Token]:
    """Yield the tokens of a source in order, in linear time for any bytes.

    Shapes: UTF-8, with or without a byte order mark; offsets are bytes. A tag that the data end in is no token, and
    neither is `</>`.
    """
    outline = Outline(is_quirky=False)
    closes_text = False
    position = text_start = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
    while (found := MARKUP.search(data, position)) is not None:
        if found[5] == b"!" and data.startswith(_CDATA, found.end()) and _is_foreign(outline):
            end = data.find(b"]]>", found.end())
            position = end + 3 if end >= 0 else len(data)
            continue
        if found.start() > text_start:
            yield Token(Kind.TEXT, "", text_start, found.start())
        token, position = _token_of(data, found)
        text_start = position
        if token is None:
            continue
        yield token
        if token.kind is Kind.START:
            name = found[2].lower()
            was_foreign = bool(outline.stack[-1].foreign)
            is_styled = not _FONT_STYLES.isdisjoint(attribute.name for attribute in token.attributes)
            outline.start(name, 0, closes_itself=token.is_self_closing, is_styled_font=is_styled)
            if name in RAW_TEXT and not was_foreign:
                position = raw_text_end(data, position, name)
                closes_text = True
        elif token.kind is Kind.END:
            if not closes_text:
                outline.end(found[2].lower())
            closes_text = False
    if text_start < len(data):
        yield Token(Kind.TEXT, "", text_start, len(data))


def _is_foreign(outline: Outline) -> bool:
    return bool(outline.stack[-1].foreign) or outline.stack[-1].name in MARKED


def _token_of(data: bytes, found: re.Match[bytes]) -> tuple[Token | None, int]:
    """Return the token that begins with a piece of markup, and the place behind it."""
    start, position = found.span()
    if found[2] is not None:
        end = attributes_end(data, position)
        return (_tag(data, found, end), end + 1) if end < len(data) else (None, end)
    if found[4] is not None:
        end = comment_end(data, position)
        if end < 0:
            words = _DASHES.sub(b"", data[position:])
            return Token(Kind.COMMENT, decode_text(words), start, len(data)), len(data)
        closing = _CLOSING.search(data, max(position, end - 4), end)
        words = data[position : closing.start()] if closing else b""
        return Token(Kind.COMMENT, decode_text(words), start, end), end
    end = data.find(b">", position)
    end = end if end >= 0 else len(data)
    close = min(end + 1, len(data))
    if found[5] == b"/" and end == position:
        return None, close
    if found[5] == b"!" and data[position : position + 7].lower() == b"doctype":
        named = _WORD.match(data, position + 7, end)
        return Token(Kind.DOCTYPE, decode_name(named[1]) if named else "", start, close), close
    words = data[start + 1 if found[5] == b"?" else position : end]
    return Token(Kind.COMMENT, decode_text(words), start, close), close


def _tag(data: bytes, found: re.Match[bytes], end: int) -> Token:
    attributes: dict[str, Attribute] = {}
    last = found.end(2)
    for match in ATTRIBUTE.finditer(data, last, end):
        last = match.end()
        name = decode_name(match[1])
        if name not in attributes:
            value_start, value_end = match.span(2) if match[2] is not None else (last, last)
            if data[value_start : value_start + 1] in (b'"', b"'") and value_start < value_end:
                value_start, value_end = value_start + 1, value_end - 1
            value = decode_attribute(data[value_start:value_end])
            attributes[name] = Attribute(name, value, match.start(), last, value_start, value_end)
    return Token(
        Kind.END if found[1] else Kind.START,
        decode_name(found[2]),
        found.start(),
        end + 1,
        tuple(attributes.values()),
        last < end and data[end - 1 : end] == b"/",
    )


def line_of(data: bytes, offset: int) -> int:
    """Return the line, counted from 1, in which an offset stands; LF, CRLF and CR end lines."""
    return sum(1 for _ in _LINE_END.finditer(data, 0, max(offset, 0))) + 1


def locate(
    data: bytes, *, element: str | None = None, attribute: str | None = None, value: str | None = None
) -> Position:
    """Return the first place in a source that is an element, an attribute, or an attribute with a value.

    What is None matches anything. With an attribute the place is the attribute's, otherwise its element's; where
    nothing matches it is the beginning of the source.
    """
    for token in scan(data):
        if token.kind is not Kind.START or (element is not None and token.name != element):
            continue
        if attribute is None and value is None:
            return _position(data, token.start)
        for candidate in token.attributes:
            if attribute in (None, candidate.name) and value in (None, candidate.value):
                return _position(data, candidate.start)
    return Position(1, 1, 0)


def _position(data: bytes, offset: int) -> Position:
    line_start = max(data.rfind(b"\n", 0, offset), data.rfind(b"\r", 0, offset)) + 1
    before = data[line_start:offset].removeprefix(BYTE_ORDER_MARK)
    return Position(line_of(data, offset), len(before.decode("utf-8", "replace")) + 1, offset)
