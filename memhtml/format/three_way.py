"""Three versions of a row of blocks become one: which block of the base each side kept, changed, deleted or added.

Only what both sides did to one block can clash. Blocks added side by side clash with nothing: both stay.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from memhtml.format.blocks import Block

__all__ = ["Clash", "Kept", "merge_blocks"]

#: Below this share of common words a block of the same element is another block, not a changed one.
_SIMILAR: Final = 0.5
#: Pairs of changed blocks are looked for in stretches up to this length.
_MAX_STRETCH: Final = 40
_WORD: Final = re.compile(rb"[^\s<>]+")


class Kept(NamedTuple):
    """A block of the outcome."""

    block: Block
    #: The first side's block in whose place it stands, itself perhaps; None where it has no place there.
    place: Block | None


class Clash(NamedTuple):
    """A block of which the sides made two things; None where a side deleted it."""

    ours: Block | None
    theirs: Block | None


@dataclass(frozen=True, slots=True)
class _Side:
    """What one side did to the base."""

    #: For each block of the base, what became of it; None where it was deleted.
    fates: list[Block | None]
    #: Blocks added before the first block of the base, and behind each.
    added: list[list[Block]]


def merge_blocks(
    base: Sequence[Block], ours: Sequence[Block], theirs: Sequence[Block], *, theirs_lead: bool
) -> list[Kept | Clash]:
    """Return the blocks of the outcome in order.

    Order: of blocks that both sides added at one place, those of the side that does not lead come first; a block that
    both added is there once, at the leading side's place.
    """
    mine, other = _compare(base, ours), _compare(base, theirs)
    _drop_common(mine, other, theirs_lead=theirs_lead)
    out: list[Kept | Clash] = []
    for place in range(len(base) + 1):
        if place:
            settled = _settle(base[place - 1], mine.fates[place - 1], other.fates[place - 1])
            if settled is not None:
                out.append(settled)
        first = [Kept(block, block) for block in mine.added[place]]
        second = [Kept(block, None) for block in other.added[place]]
        out += first + second if theirs_lead else second + first
    return out


def _settle(base: Block, ours: Block | None, theirs: Block | None) -> Kept | Clash | None:
    if ours is None or theirs is None:
        survivor = ours or theirs
        if survivor is None or survivor.key == base.key:
            return None
        return Clash(ours, theirs)
    if ours.key == theirs.key:
        # The same words: a side that laid them out anew is heard.
        is_theirs = ours.data == base.data and theirs.data != base.data
        return Kept(theirs if is_theirs else ours, ours)
    if ours.key == base.key:
        return Kept(theirs, ours)
    if theirs.key == base.key:
        return Kept(ours, ours)
    return Clash(ours, theirs)


def _drop_common(mine: _Side, other: _Side, *, theirs_lead: bool) -> None:
    """Take blocks that both sides added out of the side that does not lead, as often as both have them."""
    leading, following = (other, mine) if theirs_lead else (mine, other)
    common = Counter(block.key for blocks in leading.added for block in blocks)
    for place, blocks in enumerate(following.added):
        left = []
        for block in blocks:
            if common[block.key] > 0:
                common[block.key] -= 1
            else:
                left.append(block)
        following.added[place] = left


def _compare(base: Sequence[Block], side: Sequence[Block]) -> _Side:
    pairs = _pairs(base, side)
    fates: list[Block | None] = [None] * len(base)
    added: list[list[Block]] = [[] for _ in range(len(base) + 1)]
    matched = {there: here for here, there in pairs}
    place = 0
    for there, block in enumerate(side):
        if there in matched:
            fates[matched[there]] = block
            place = matched[there] + 1
        else:
            added[place].append(block)
    return _Side(fates, added)


def _pairs(base: Sequence[Block], side: Sequence[Block]) -> list[tuple[int, int]]:
    """Return which block of the base became which block of a side, in order."""
    start = 0
    while start < min(len(base), len(side)) and base[start].key == side[start].key:
        start += 1
    end = 0
    while end < min(len(base), len(side)) - start and base[-1 - end].key == side[-1 - end].key:
        end += 1
    pairs = [(place, place) for place in range(start)]
    here, there = len(base) - end, len(side) - end
    matcher = SequenceMatcher(
        None,
        [block.key for block in base[start:here]],
        [block.key for block in side[start:there]],
        autojunk=False,
    )
    for kind, a, b, c, d in matcher.get_opcodes():
        a, b, c, d = a + start, b + start, c + start, d + start
        if kind == "equal":
            pairs += zip(range(a, b), range(c, d), strict=True)
        elif kind == "replace":
            pairs += ((a + i, c + j) for i, j in _changed(base[a:b], side[c:d]))
    return pairs + [(here + place, there + place) for place in range(end)]


def _changed(base: Sequence[Block], side: Sequence[Block]) -> list[tuple[int, int]]:
    """Pair the blocks of a stretch of which none stayed as it was: by their words, then by their places."""
    if max(len(base), len(side)) > _MAX_STRETCH:
        return _in_step(base, side, 0, 0)
    words, other_words = [_words(block) for block in base], [_words(block) for block in side]
    # best[i][j]: the best sum of likenesses of base[i:] and side[j:].
    likeness = [
        [_likeness(words[i], other_words[j]) if base[i].tag == side[j].tag else 0.0 for j in range(len(side))]
        for i in range(len(base))
    ]
    best = [[0.0] * (len(side) + 1) for _ in range(len(base) + 1)]
    for i in reversed(range(len(base))):
        for j in reversed(range(len(side))):
            paired = likeness[i][j] + best[i + 1][j + 1] if likeness[i][j] >= _SIMILAR else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = last_i = last_j = 0
    while i < len(base) and j < len(side):
        if likeness[i][j] >= _SIMILAR and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            pairs += _in_step(base[last_i:i], side[last_j:j], last_i, last_j)
            pairs.append((i, j))
            i, j = i + 1, j + 1
            last_i, last_j = i, j
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs + _in_step(base[last_i:], side[last_j:], last_i, last_j)


def _in_step(base: Sequence[Block], side: Sequence[Block], here: int, there: int) -> list[tuple[int, int]]:
    """Pair blocks by their places where there are as many of the same elements."""
    if [block.tag for block in base] != [block.tag for block in side]:
        return []
    return [(here + place, there + place) for place in range(len(base))]


def _words(block: Block) -> Counter[bytes]:
    return Counter(_WORD.findall(block.data))


def _likeness(one: Counter[bytes], other: Counter[bytes]) -> float:
    total = one.total() + other.total()
    return 2.0 * (one & other).total() / total if total else 1.0
