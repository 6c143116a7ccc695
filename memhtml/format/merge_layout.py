"""The bytes of a merge's outcome: what stands where, in whose layout, and the markers around what is left open."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from memhtml.format.blocks import Article, Block, key_of
from memhtml.format.merge_head import Head
from memhtml.format.scan import Kind, scan
from memhtml.format.splice import indent_of, line_end_of
from memhtml.format.three_way import Clash, Kept

__all__ = ["Piece", "Reason", "Source", "lay_out", "merge_around", "whole_conflict"]

_LINE_END: Final = re.compile(rb"\r\n?|\n")
_SPACE: Final = b"\t\n\f\r "
_CLAIM: Final = re.compile(rb"<mark[^>]*>.*?</mark", re.IGNORECASE | re.DOTALL)
_START, _MIDDLE, _END = b"<<<<<<< ours", b"=======", b">>>>>>> theirs"


class Reason(StrEnum):
    """Why a merge was left to a person."""

    CLAIM = "both sides changed the claim"
    BLOCK = "both sides changed one block"
    DELETED = "one side changed a block that the other deleted"
    AROUND = "both sides changed what stands around the article"
    STRANGERS = "git took another memory for a version of this one"
    RULES = "together the two sides break a rule that neither breaks alone"


class Piece(NamedTuple):
    """A stretch of the outcome around the article or between its tags."""

    data: bytes
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """One version, taken apart."""

    data: bytes
    head: Head
    article: Article
    #: Where the head's content begins and ends.
    head_start: int
    head_end: int

    @property
    def around(self) -> tuple[bytes, bytes, bytes]:
        """What stands before the head's content, between it and the article, and behind the article."""
        inner = self.article.inner
        return (
            self.data[: self.head_start],
            self.data[self.head_end : inner.start],
            self.data[inner.end :],
        )


def whole_conflict(ours: bytes, theirs: bytes) -> bytes:
    """Return both files between conflict markers."""
    end = line_end_of(ours)
    return end.join([_START, ours.removesuffix(end), _MIDDLE, theirs.removesuffix(end), _END, b""])


def lay_out(carrier: Source, items: Sequence[Kept | Clash], end: bytes, *, swapped: bool) -> Piece:
    """Return the article's content: blocks of the carrier in their places, others on lines of their own."""
    blocks = carrier.article.blocks
    followed = dict(zip(map(id, blocks[1:]), map(id, blocks), strict=False))
    indent = indent_of(carrier.data, carrier.article.inner.start + len(blocks[0].gap))
    out = bytearray()
    reasons: list[Reason] = []
    last: Block | None = None
    for number, item in enumerate(items):
        place = item.place if isinstance(item, Kept) else item.ours
        gap = end + indent
        if number == 0:
            gap = blocks[0].gap
        elif place is not None and (place.gap or followed.get(id(place)) == id(last)):
            gap = place.gap
        last = place
        if isinstance(item, Clash):
            reasons.append(_reason(item))
            ours, theirs = (item.theirs, item.ours) if swapped else (item.ours, item.theirs)
            _mark(out, gap, ours.data if ours else b"", theirs.data if theirs else b"", end)
        else:
            data = item.block.data if item.block is place else _LINE_END.sub(end, item.block.data)
            out += _behind_marker(out, gap) + data
    out += _behind_marker(out, carrier.article.tail)
    return Piece(bytes(out), tuple(reasons))


def _reason(clash: Clash) -> Reason:
    if clash.ours is None or clash.theirs is None:
        return Reason.DELETED
    claims = {key_of(found[0]) for side in clash if side and (found := _CLAIM.search(side.data))}
    return Reason.CLAIM if len(claims) > 1 else Reason.BLOCK


def _mark(out: bytearray, gap: bytes, ours: bytes, theirs: bytes, end: bytes) -> None:
    """Put two pieces between markers, which begin their lines."""
    cut = max(gap.rfind(b"\n"), gap.rfind(b"\r")) + 1
    lines, indent = gap[:cut], gap[cut:]
    out += _behind_marker(out, lines)
    if not out.endswith((b"\n", b"\r")):
        out += end
    sides = [indent + side.strip(_SPACE) + end if side.strip(_SPACE) else b"" for side in (ours, theirs)]
    out += _START + end + sides[0] + _MIDDLE + end + sides[1] + _END + end


def _behind_marker(out: bytearray, gap: bytes) -> bytes:
    """Return a gap without its first line end where a marker has ended the line already."""
    found = _LINE_END.match(gap)
    return gap[found.end() :] if found and out.endswith((_END + b"\n", _END + b"\r")) else gap


def merge_around(
    base: Source | None, carrier: Source, other: Source, end: bytes, *, swapped: bool, other_leads: bool
) -> tuple[Piece, Piece, Piece]:
    """Merge what stands around head content and article: markup, as a rule, and nothing that a memory says."""
    mine, theirs = carrier.around, other.around
    before = base.around if base is not None else (b"", b"", b"")
    keys = [tuple(map(key_of, pieces)) for pieces in (before, mine, theirs)]
    if keys[2] in (keys[0], keys[1]):
        chosen = mine
    elif keys[1] == keys[0] or (other_leads and not _has_words(mine) and not _has_words(theirs)):
        chosen = (_LINE_END.sub(end, theirs[0]), _LINE_END.sub(end, theirs[1]), _LINE_END.sub(end, theirs[2]))
    elif not _has_words(mine) and not _has_words(theirs):
        chosen = mine
    else:
        pieces = [
            _merge_piece(mine[place], theirs[place], [key[place] for key in keys], end, swapped=swapped)
            for place in range(3)
        ]
        return pieces[0], pieces[1], pieces[2]
    return Piece(chosen[0]), Piece(chosen[1]), Piece(chosen[2])


def _merge_piece(mine: bytes, theirs: bytes, keys: Sequence[bytes], end: bytes, *, swapped: bool) -> Piece:
    if keys[2] in (keys[0], keys[1]):
        return Piece(mine)
    theirs = _LINE_END.sub(end, theirs)
    if keys[1] == keys[0]:
        return Piece(theirs)
    out = bytearray()
    _mark(out, b"", *((theirs, mine) if swapped else (mine, theirs)), end)
    return Piece(bytes(out), (Reason.AROUND,))


def _has_words(pieces: Sequence[bytes]) -> bool:
    """Say whether anything but tags stands there."""
    return any(
        token.kind is Kind.COMMENT
        or (token.kind is Kind.TEXT and piece[token.start : token.end].strip(_SPACE))
        for piece in pieces
        for token in scan(piece)
    )
