"""Two versions of one memory that grew out of a third become one, as a memory and not as lines of text.

Heads merge by `merge_head` and never conflict. Articles merge by their blocks; the outcome has a conflict only where
both sides made something else of one block, the claim's above all. Bytes that nobody changed stay as they are.

What comes out as merged is a memory that breaks no rule which neither side broke, says what both heads said, and
carries the blocks that were chosen: it is read back before it is returned.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from memhtml.format.blocks import Block, key_of, read_article_blocks
from memhtml.format.check import check, errors, refusals
from memhtml.format.content_hash import blake3_of, is_well_formed, sha256_of
from memhtml.format.document import Document
from memhtml.format.edit import read_meta, remove_meta, set_meta
from memhtml.format.instants import normalise_instant
from memhtml.format.limits import refusal
from memhtml.format.merge_head import (
    HASH_META,
    NO_HEAD,
    Head,
    apply_head,
    merge_heads,
    read_head_parts,
)
from memhtml.format.merge_layout import Reason, Source, lay_out, merge_around, whole_conflict
from memhtml.format.parse import parse
from memhtml.format.rules import ViolationCode
from memhtml.format.source_head import read_source_head
from memhtml.format.splice import line_end_of
from memhtml.format.three_way import Clash, Kept, merge_blocks
from memhtml.format.vocabulary import MAX_INDEXED_BYTES, MAX_WRITTEN_BYTES

__all__ = ["Conflicted", "Merged", "NotMergeable", "Reason", "adds_violations", "merge", "whole_conflict"]

#: Lines that begin and end a conflict, of any size: merges of ancestors leave larger ones.
_CONFLICT_START: Final = re.compile(rb"^<{7,} ", re.MULTILINE)
_CONFLICT_END: Final = re.compile(rb"^>{7,} [^\r\n]*(?:\r\n?|\n|\Z)", re.MULTILINE)


class Merged(NamedTuple):
    data: bytes


class Conflicted(NamedTuple):
    #: The outcome with conflict markers around what is open, and without a content hash: nobody knows it yet.
    data: bytes
    reasons: tuple[Reason, ...]


class NotMergeable(NamedTuple):
    """One of the files is no memory, or none that can be told apart into blocks; it merges as text does."""

    why: str


def merge(base: bytes | None, ours: bytes, theirs: bytes) -> Merged | Conflicted | NotMergeable:
    """Return what two versions of a memory become; None for the base where both sides added the file.

    Order: which rows the outcome projects does not depend on which side is ours; the bytes follow ours where it is a
    matter of layout alone.
    Errors: none; total over any bytes.
    """
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    for data in (ours, theirs):
        if len(data) > MAX_WRITTEN_BYTES or refusal(data) is not None:
            return NotMergeable("a side is too large, too complex or in conflict already")
    documents = parse(ours), parse(theirs)
    if any(errors(check(document)) for document in documents):
        return NotMergeable("a side is no memory")
    sources = _take_apart(ours), _take_apart(theirs)
    ancestor = _ancestor(base)
    if sources[0] is None or sources[1] is None or isinstance(ancestor, NotMergeable):
        return NotMergeable("the article's tags are not where they can be found")
    if sources[0].article.claim is None or sources[1].article.claim is None:
        return NotMergeable("the claim is not where it can be found")
    if any(ancestor is not None and _is_stranger(ancestor, source) for source in (sources[0], sources[1])):
        return Conflicted(whole_conflict(ours, theirs), (Reason.STRANGERS,))
    theirs_lead = _freshness(documents[1], theirs) > _freshness(documents[0], ours)
    return _assemble(ancestor, sources[0], sources[1], theirs_lead=theirs_lead)


def adds_violations(outcome: bytes, ours: bytes, theirs: bytes) -> bool:
    """Say whether an outcome breaks a rule of the format that neither side breaks, or breaks it at another thing."""
    return bool(_refused(outcome) - _refused(ours) - _refused(theirs))


def _refused(data: bytes) -> set[tuple[ViolationCode, str]]:
    if refusal(data) is not None:
        return {(ViolationCode.FILE_LARGE, "refused")}
    return {(violation.code, violation.subject) for violation in refusals(check(parse(data)))}


def _freshness(document: Document, data: bytes) -> tuple[str, bytes]:
    """What decides which side leads: when the memory was updated last, then, to be certain, its bytes."""
    return normalise_instant(document.updated or ""), data


# Taking apart.


def _ancestor(base: bytes | None) -> Source | NotMergeable | None:
    """Return the base taken apart, None for none; what earlier merges left open in it is as good as absent."""
    if base is None or len(base) > MAX_INDEXED_BYTES:
        return None
    base = _without_conflicts(base)
    if not base.strip() or refusal(base) is not None:
        return None
    source = _take_apart(base)
    return source if source is not None else NotMergeable("the base is no memory")


def _without_conflicts(data: bytes) -> bytes:
    """Return a source without its conflicts, in linear time."""
    kept: list[bytes] = []
    at = 0
    while (start := _CONFLICT_START.search(data, at)) and (end := _CONFLICT_END.search(data, start.end())):
        kept.append(data[at : start.start()])
        at = end.end()
    return b"".join([*kept, data[at:]])


def _take_apart(data: bytes) -> Source | None:
    head = read_source_head(data)
    if not head.parts or any(part.end > head.end for part in head.parts):
        return None
    article = read_article_blocks(data, head.end)
    if article is None:
        return None
    first = head.parts[0].token.start
    start = min(head.start.end, first) if head.start is not None else first
    return Source(data, read_head_parts(data), article, start, head.end)


def _is_stranger(base: Source, side: Source) -> bool:
    """Say whether a side cannot have grown out of the base: it was created at another time and claims something else.

    Git pairs files that were renamed by their likeness, and small memories are much alike.
    """
    created = base.head.scalars.get("memhtml-created"), side.head.scalars.get("memhtml-created")
    claims = base.article.claim, side.article.claim
    if None in created or created[0] == created[1] or claims[0] is None or claims[1] is None:
        return False
    return base.article.blocks[claims[0]].key != side.article.blocks[claims[1]].key


# Putting together.


def _assemble(base: Source | None, ours: Source, theirs: Source, *, theirs_lead: bool) -> Merged | Conflicted:
    # Where only they changed the line ends of the whole file, their bytes are the ones to change least.
    swapped = base is not None and _ends(base) == _ends(ours) != _ends(theirs)
    carrier, other = (theirs, ours) if swapped else (ours, theirs)
    end = line_end_of(carrier.data)
    head = merge_heads(base.head if base else NO_HEAD, ours.head, theirs.head, theirs_lead=theirs_lead)
    items = _merge_articles(base, carrier, other, other_leads=theirs_lead != swapped)
    inner = lay_out(carrier, items, end, swapped=swapped)
    before, between, behind = merge_around(
        base, carrier, other, end, swapped=swapped, other_leads=theirs_lead != swapped
    )
    content = carrier.data[carrier.head_start : carrier.head_end]
    # The head is edited inside its own file, where the edits can find it.
    intact = carrier.around
    edited = apply_head(intact[0] + content + intact[1] + intact[2], head, other.data)
    content = edited[len(intact[0]) : len(edited) - len(intact[1]) - len(intact[2])]
    data = before.data + content + between.data + inner.data + behind.data
    reasons = tuple(dict.fromkeys((*inner.reasons, *before.reasons, *between.reasons, *behind.reasons)))
    if reasons:
        return Conflicted(remove_meta(data, HASH_META), reasons)
    data = _stamped(data, ours.data, theirs.data)
    if _is_as_meant(data, head, items) and not adds_violations(data, ours.data, theirs.data):
        return Merged(data)
    return Conflicted(whole_conflict(ours.data, theirs.data), (Reason.RULES,))


def _ends(source: Source) -> bytes:
    return line_end_of(source.data)


def _merge_articles(
    base: Source | None, carrier: Source, other: Source, *, other_leads: bool
) -> list[Kept | Clash]:
    """Merge what stands before the claim, the claim's own block, and what stands behind it."""
    before, claim, behind = _around_claim(base)
    mine, theirs = _around_claim(carrier), _around_claim(other)
    own, their = mine[1][0], theirs[1][0]
    if not claim and own.key != their.key:
        middle: list[Kept | Clash] = [Clash(own, their)]
    else:
        middle = merge_blocks(claim or [own], [own], [their], theirs_lead=other_leads)
    return [
        *merge_blocks(before, mine[0], theirs[0], theirs_lead=other_leads),
        *middle,
        *merge_blocks(behind, mine[2], theirs[2], theirs_lead=other_leads),
    ]


def _around_claim(source: Source | None) -> tuple[Sequence[Block], Sequence[Block], Sequence[Block]]:
    place = source.article.claim if source is not None else None
    if source is None or place is None:
        return (), (), ()
    blocks = source.article.blocks
    return blocks[:place], blocks[place : place + 1], blocks[place + 1 :]


# The stamp, and reading back.


def _stamped(data: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Stamp the content hash anew where a side had one, by the algorithm that is in use there."""
    stamps = [stamp for side in (ours, theirs) if (stamp := read_meta(side, HASH_META)) is not None]
    if not stamps:
        return data
    canonical = parse(data).canonical_text
    is_foreign = all(is_well_formed(stamp) and stamp.startswith("sha256:") for stamp in stamps)
    return set_meta(data, HASH_META, sha256_of(canonical) if is_foreign else blake3_of(canonical))


def _is_as_meant(data: bytes, head: Head, items: Sequence[Kept | Clash]) -> bool:
    """Say whether the outcome says what was merged: each name, each link, and each block."""
    source = _take_apart(data)
    if source is None:
        return False
    said = source.head
    if (
        key_of(said.title) != key_of(head.title)
        or said.scalars != head.scalars
        or set(said.lists) != set(head.lists)
        or set(said.links) != set(head.links)
        or said.others != head.others
    ):
        return False
    meant = [item.block for item in items if isinstance(item, Kept)]
    return _prose_joined(source.article.blocks) == _prose_joined(meant)


def _prose_joined(blocks: Sequence[Block]) -> list[bytes]:
    """Return the keys of blocks, with runs of prose that follow each other as one."""
    keys: list[bytes] = []
    was_prose = False
    for block in blocks:
        if was_prose and not block.tag:
            keys[-1] += b" " + block.key
        else:
            keys.append(block.key)
        was_prose = not block.tag
    return keys
