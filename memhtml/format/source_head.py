"""Where the parts of a head stand in the bytes of a file.

A head ends where the tree builder ends it, with or without its tags: metas in comments, titles, templates or the body
are no parts of it, and those between `</head>` and `<body>` are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memhtml.format.lexis import BYTE_ORDER_MARK
from memhtml.format.scan import Kind, Token, scan
from memhtml.format.vocabulary import names

__all__ = ["Part", "SourceHead", "read_source_head"]

#: What may stand in a head; any other element begins the body.
_HEAD_ELEMENTS: Final = names(
    "base basefont bgsound link meta title noscript noframes style script template head html"
)
#: Those whose content is read as text up to their end tag.
_TEXT_ELEMENTS: Final = names("title noscript noframes style script")
_BODY_ENDS: Final = names("body html br")
_SPACE: Final = b"\t\n\f\r "


class Part(NamedTuple):
    """One element or comment of a head: the token that it begins with, and where it ends."""

    token: Token
    end: int


@dataclass(frozen=True, slots=True)
class SourceHead:
    """The tags of one head, in order.

    Shapes: `end` is where the head ends and new content can go at the latest: at `</head>`, before the first thing
    that is no part of a head, or before an element or comment that is never closed and swallows the rest.
    """

    metas: tuple[Token, ...]
    links: tuple[Token, ...]
    #: The last complete element or comment of the head before `end`, if there is one.
    last: Token | None
    #: The `<head>` tag, where it is written out.
    start: Token | None
    end: int
    #: Every complete element and comment of the head, those behind `</head>` included.
    parts: tuple[Part, ...] = ()

    def metas_of(self, name: str) -> list[Token]:
        """Return the metas of a name that have a content; without one they say nothing."""
        return [meta for meta in self.metas if meta.get("name") == name and meta.get("content") is not None]


@dataclass(slots=True)
class _Reader:
    data: bytes
    metas: list[Token] = field(default_factory=list)
    links: list[Token] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    last: Token | None = None
    start: Token | None = None
    #: Where `</head>` stands, once it was met.
    close: int | None = None
    #: The end of what is surely in the head or before it.
    safe: int = 0
    is_started: bool = False

    def read(self) -> SourceHead:
        tokens = scan(self.data)
        self.safe = len(BYTE_ORDER_MARK) if self.data.startswith(BYTE_ORDER_MARK) else 0
        end = None
        for token in tokens:
            end = self.take(token, tokens)
            if end is not None:
                break
        if self.close is not None:
            end = self.close
        return SourceHead(
            tuple(self.metas),
            tuple(self.links),
            self.last,
            self.start,
            self.safe if end is None else end,
            tuple(self.parts),
        )

    def take(self, token: Token, tokens: Iterator[Token]) -> int | None:
        """Note one token; where it ends the head, return the place."""
        if token.kind is Kind.TEXT:
            text = self.data[token.start : token.end]
            if text.strip(_SPACE):
                return token.start + len(text) - len(text.lstrip(_SPACE))
        elif token.kind is Kind.START:
            if token.name not in _HEAD_ELEMENTS or (token.name == "noscript" and self.close is not None):
                return token.start
            if not self.element(token, tokens):
                return token.start
            return None
        elif token.kind is Kind.END:
            if token.name in _BODY_ENDS:
                return token.start
            if token.name == "head" and self.close is None:
                self.close = token.start
        elif token.kind is Kind.COMMENT:
            if not self.is_closed(token):
                return token.start
            if self.is_started and self.close is None:
                self.last = token
            if self.is_started:
                self.parts.append(Part(token, token.end))
        self.safe = token.end
        return None

    def element(self, token: Token, tokens: Iterator[Token]) -> bool:
        """Note an element of the head and read over its content; say whether it is closed."""
        closing: Token | None = token
        if token.name in _TEXT_ELEMENTS:
            closing = next((t for t in tokens if t.kind is Kind.END), None)
        elif token.name == "template":
            closing = _template_end(tokens)
        if closing is None:
            return False
        self.safe = closing.end
        if token.name == "head":
            if not self.is_started:
                self.start = token
        elif token.name != "html":
            self.parts.append(Part(token, closing.end))
            if self.close is None:
                self.last = closing
            if token.name == "meta":
                self.metas.append(token)
            elif token.name == "link":
                self.links.append(token)
        self.is_started = self.is_started or token.name != "html"
        return True

    def is_closed(self, comment: Token) -> bool:
        raw = self.data[comment.start : comment.end]
        return raw.endswith((b"-->", b"--!>") if raw.startswith(b"<!--") else b">")


def _template_end(tokens: Iterator[Token]) -> Token | None:
    depth = 1
    for token in tokens:
        if token.name == "template" and token.kind in (Kind.START, Kind.END):
            depth += 1 if token.kind is Kind.START else -1
            if depth == 0:
                return token
    return None


def read_source_head(data: bytes) -> SourceHead:
    """Return where the head of a file stands; total over any bytes, and linear."""
    return _Reader(data).read()
