"""Where the blocks of an article stand in the bytes of a file: the elements and runs of text directly inside it.

Blocks are read off the source and held against the parsed tree, so that a piece of bytes is called a block only
where the tree builder makes the same of it, alone and among its siblings.
"""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from memhtml.format.content_hash import canonical_of_inner_html, collapse
from memhtml.format.lexis import VOID
from memhtml.format.nesting import CLOSES_P
from memhtml.format.scan import Kind, Token, scan
from memhtml.format.splice import Place
from memhtml.format.vocabulary import INLINE_ELEMENTS

__all__ = ["Article", "Block", "key_of", "read_article_blocks"]

#: More blocks than anyone writes: such an article is one block.
_MAX_BLOCKS: Final = 400
_SPACE: Final = b"\t\n\f\r "
_RUN: Final = re.compile(rb"[\t\n\f\r ]+")
#: A tag with the white space around it.
_TAG: Final = re.compile(rb" ?(</?([A-Za-z][^\t\n\f\r />]*)[^<>]*>) ?")
_LINE_END: Final = re.compile(rb"\r\n?")
#: White space counts in these.
_VERBATIM: Final = re.compile(rb"<(?:pre|textarea|listing|xmp|plaintext)(?=[\t\n\f\r />])", re.IGNORECASE)
#: An element that the next one of its kind ends.
_SELF_ENDING: Final = {"li": ("li",), "dt": ("dt", "dd"), "dd": ("dt", "dd"), "option": ("option",)}


class Block(NamedTuple):
    """A piece of an article; two with the same key say the same."""

    data: bytes
    #: The white space in front of it.
    gap: bytes
    #: The element's name, or nothing for a run of text.
    tag: str
    has_claim: bool
    key: bytes


@dataclass(frozen=True, slots=True)
class Article:
    """One article of a source."""

    blocks: tuple[Block, ...]
    #: The white space behind the last block.
    tail: bytes
    #: What stands between the article's tags.
    inner: Place

    @property
    def claim(self) -> int | None:
        """The place of the one block that marks the claim."""
        places = [place for place, block in enumerate(self.blocks) if block.has_claim]
        return places[0] if len(places) == 1 else None


class _Cut(NamedTuple):
    """A piece found in the source: its tag is empty for text, and `!` for a comment."""

    tag: str
    start: int
    end: int
    has_claim: bool = False


def key_of(data: bytes) -> bytes:
    """Return the bytes of a piece as far as they mean anything: how it is laid out does not.

    White space outside `pre` is one space, and none where a block begins or ends, which is a space by itself.
    """
    if _VERBATIM.search(data) is not None:
        return _LINE_END.sub(b"\n", data)
    return _TAG.sub(_without_edges, _RUN.sub(b" ", data.strip(_SPACE)))


def _without_edges(tag: re.Match[bytes]) -> bytes:
    return tag[0] if tag[2].decode("utf-8", "replace").lower() in INLINE_ELEMENTS else tag[1]


def read_article_blocks(data: bytes, start: int) -> Article | None:
    """Return the article whose tags stand behind `start`, or None where its tags cannot be found in the source.

    An article that cannot be cut into blocks is one block.
    """
    tokens = [token for token in scan(data) if token.start >= start]
    opens = [token for token in tokens if token.name == "article" and token.kind is Kind.START]
    closes = [token for token in tokens if token.name == "article" and token.kind is Kind.END]
    if len(opens) != 1 or len(closes) != 1 or closes[0].start < opens[0].end:
        return None
    inner = Place(opens[0].end, closes[0].start)
    inside = [token for token in tokens if token.start >= inner.start and token.end <= inner.end]
    cuts = _cut(data, inside)
    if cuts is None or len(cuts) > _MAX_BLOCKS or not _is_so_parsed(data, inner, cuts):
        whole = data[inner.start : inner.end]
        left = len(whole) - len(whole.lstrip(_SPACE))
        right = len(whole.rstrip(_SPACE))
        claim = any(token.name == "mark" and token.kind is Kind.START for token in inside)
        cuts = [_Cut("", inner.start + left, inner.start + right, claim)] if left < right else []
    blocks: list[Block] = []
    at = inner.start
    for cut in cuts:
        piece = data[cut.start : cut.end]
        blocks.append(Block(piece, data[at : cut.start], cut.tag, cut.has_claim, key_of(piece)))
        at = cut.end
    return Article(tuple(blocks), data[at : inner.end], inner)


def _cut(data: bytes, tokens: list[Token]) -> list[_Cut] | None:
    """Cut an article's tokens where no element is open; None where its elements do not nest plainly."""
    cuts: list[_Cut] = []
    stack: list[str] = []
    start = 0
    has_claim = False
    for token in tokens:
        if not stack:
            start, has_claim = token.start, False
        if token.kind is Kind.END:
            if token.name not in stack:
                return None
            while stack.pop() != token.name:
                pass  # elements whose end the tree builder implies; it is asked below whether it does
            if not stack:
                cuts.append(_Cut(_tag_at(data, start), start, token.end, has_claim))
            continue
        if token.kind is Kind.START:
            if _ends_before(token, stack):
                closed = stack.pop()
                if not stack:
                    cuts.append(_Cut(closed, start, token.start, has_claim))
                    start, has_claim = token.start, False
            has_claim = has_claim or token.name == "mark"
            if token.name.encode() not in VOID:
                stack.append(token.name)
            elif not stack:
                cuts.append(_Cut(token.name, start, token.end))
        elif not stack:
            if token.kind is Kind.COMMENT:
                cuts.append(_Cut("!", token.start, token.end))
            elif token.kind is Kind.TEXT and data[token.start : token.end].strip(_SPACE):
                text = data[token.start : token.end]
                left = len(text) - len(text.lstrip(_SPACE))
                cuts.append(_Cut("", token.start + left, token.start + len(text.rstrip(_SPACE))))
            elif token.kind is not Kind.TEXT:
                return None
    if stack:
        if len(stack) > 1 or not tokens:
            return None
        cuts.append(_Cut(stack[0], start, tokens[-1].end, has_claim))
    return _runs(cuts)


def _tag_at(data: bytes, start: int) -> str:
    """Return the name of the tag that begins at a place."""
    found = re.match(rb"<([A-Za-z][^\t\n\f\r />]*)", data[start : start + 64])
    return found[1].decode("utf-8", "replace").lower() if found else ""


def _ends_before(token: Token, stack: list[str]) -> bool:
    if not stack:
        return False
    last = stack[-1]
    if last == "p":
        return token.name.encode() in CLOSES_P
    return token.name in _SELF_ENDING and last in _SELF_ENDING[token.name]


def _runs(cuts: list[_Cut]) -> list[_Cut]:
    """Join text and inline elements that follow each other: they are one piece of prose."""
    runs: list[_Cut] = []
    for cut in cuts:
        is_inline = not cut.tag or cut.tag in INLINE_ELEMENTS
        if is_inline and runs and not runs[-1].tag:
            last = runs.pop()
            cut = _Cut("", last.start, cut.end, last.has_claim or cut.has_claim)
        elif is_inline:
            cut = cut._replace(tag="")
        runs.append(cut)
    return runs


def _is_so_parsed(data: bytes, inner: Place, cuts: list[_Cut]) -> bool:
    """Say whether the pieces, each parsed alone, are together what the article is when parsed as a whole."""
    whole = data[inner.start : inner.end]
    apart: list[tuple[str, str]] = []
    for cut in cuts:
        apart += _children(data[cut.start : cut.end])
    if apart != _children(whole):
        return False
    words = " ".join(canonical_of_inner_html(data[cut.start : cut.end]) for cut in cuts)
    return collapse(words).strip(" ") == collapse(canonical_of_inner_html(whole)).strip(" ")


def _children(inner: bytes) -> list[tuple[str, str]]:
    # The comment takes the place of the first node, whose `html` would be that of the whole fragment.
    parser = LexborHTMLParser(
        b"<!---->" + inner,
        is_fragment=True,
        fragment_tag="article",
        scripting=True,
        options=LexborDocumentOptions.WO_EVENTS,
    )
    found: list[tuple[str, str]] = []
    node = parser.root.next if parser.root is not None else None
    while node is not None:
        html = node.html or ""
        if node.tag != "-text":
            found.append((node.tag or "", html))
        elif words := html.strip("\t\n\f\r "):
            found.append(("", words))
        node = node.next
    return found
