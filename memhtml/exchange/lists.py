"""Notes that are lists of facts: one piece for each item, and one for what stands around them.

Two shapes are told apart from ordinary notes: files of instructions for agents, by their names; and notes whose items
say their kind in brackets (`- [kind] fact #tag`), by those.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memhtml.exchange.blocks import (
    Block,
    Element,
    Inlines,
    Items,
    Paragraph,
    link_targets,
    split_at,
    words_of,
)
from memhtml.exchange.fields import as_type
from memhtml.exchange.markdown import WIKI
from memhtml.values import EdgeRel, MemoryType

__all__ = ["Piece", "pieces_of"]

_INSTRUCTIONS: Final = frozenset(
    {
        "agents.md",
        "agent.md",
        "claude.md",
        "claude.local.md",
        "gemini.md",
        "copilot-instructions.md",
        "memory.md",
    }
)
_KIND: Final = re.compile(r"\s*\[([^\W\d_][\w -]{1,40})\]\s+")
_HASH_TAG: Final = re.compile(r"(?:^|\s)#([^\W\d_][\w/-]*)")
_RELATIONS: Final = "relations"
_OBSERVATIONS: Final = "observations"
_RELS: Final = {rel.value: rel for rel in EdgeRel}
_LONGEST_TAG: Final = 40


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a note that is a fact by itself."""

    blocks: tuple[Block, ...]
    title: str = ""
    tags: tuple[str, ...] = ()
    memory_type: MemoryType | None = None
    relations: tuple[tuple[EdgeRel, str], ...] = ()
    #: Whether it stands for the note itself.
    is_note: bool = False


def pieces_of(path: str, blocks: tuple[Block, ...]) -> list[Piece] | None:
    """Return the pieces of a note that is a list of facts, in its order; None for any other note."""
    if posixpath.basename(path).lower() in _INSTRUCTIONS:
        if not any(isinstance(block, Items) for block in blocks):
            return None
        return list(_instructions(blocks))
    if any(_is_observed(block) for block in blocks):
        return _observed(path, blocks)
    return None


def _instructions(blocks: tuple[Block, ...]) -> Iterator[Piece]:
    """Each item under a heading is a fact; so is what else stands under the heading."""
    for heading, section in _sections(blocks):
        tags = (heading,) if 0 < len(heading) <= _LONGEST_TAG else ()
        beside: list[Block] = []
        for block in section:
            if not isinstance(block, Items):
                beside.append(block)
                continue
            if (
                beside
                and isinstance(beside[-1], Paragraph)
                and words_of(beside[-1].content).rstrip().endswith(":")
            ):
                beside.pop()  # it introduces the items, which stand by themselves now
            yield from (Piece(item, tags=tags, memory_type=MemoryType.PROCEDURAL) for item in block.items)
        if beside:
            yield Piece(tuple(beside), heading, tags, MemoryType.PROCEDURAL)


def _sections(blocks: tuple[Block, ...]) -> Iterator[tuple[str, list[Block]]]:
    heading, section = "", list[Block]()
    for block in blocks:
        if isinstance(block, Paragraph) and block.level:
            if section:
                yield heading, section
            heading = "" if block.level == 1 else " ".join(words_of(block.content).split())
            section = []
        else:
            section.append(block)
    if section:
        yield heading, section


def _is_observed(block: Block) -> bool:
    return isinstance(block, Items) and all(_kind_of(item) is not None for item in block.items)


def _kind_of(item: tuple[Block, ...]) -> re.Match[str] | None:
    first = item[0]
    return _KIND.match(words_of(first.content)) if isinstance(first, Paragraph) else None


def _observed(path: str, blocks: tuple[Block, ...]) -> list[Piece]:
    """Each observation is a fact that is part of the note, where something is left that stands for the note."""
    left: list[Block] = []
    observations: list[Piece] = []
    relations: list[tuple[EdgeRel, str]] = []
    heading = ""
    for block in blocks:
        if isinstance(block, Paragraph) and block.level:
            heading = words_of(block.content).strip().lower()
            if block.level > 1 and heading not in (_OBSERVATIONS, _RELATIONS):
                left.append(block)
            continue
        if isinstance(block, Items) and _is_observed(block):
            observations.extend(_observation(item) for item in block.items)
            continue
        if isinstance(block, Items) and heading == _RELATIONS:
            relations.extend(_relations(block))
        left.append(block)
    if left:
        note = Piece(tuple(left), relations=tuple(relations), is_note=True)
        part = ((EdgeRel.PART_OF, f"/{path}"),)
        return [note, *(_part_of(piece, part) for piece in observations)]
    return observations


def _part_of(piece: Piece, relations: tuple[tuple[EdgeRel, str], ...]) -> Piece:
    return Piece(piece.blocks, piece.title, piece.tags, piece.memory_type, relations)


def _observation(item: tuple[Block, ...]) -> Piece:
    found = _kind_of(item)
    first = item[0]
    assert found is not None
    assert isinstance(first, Paragraph)
    _, said = split_at(first.content, found.end())
    kind = found[1]
    tags = (kind, *_HASH_TAG.findall(words_of(said)))
    return Piece((Paragraph(_without_tags(said)), *item[1:]), tags=tags, memory_type=as_type(kind))


def _without_tags(content: Inlines) -> Inlines:
    """Return an observation without the tags at its end, which are tags of the memory now."""
    last = content[-1] if content else ""
    if isinstance(last, str):
        return (*content[:-1], re.sub(r"(?:\s+#[^\W\d_][\w/-]*)+\s*$", "", last))
    return content


def _relations(items: Items) -> Iterator[tuple[EdgeRel, str]]:
    for item in items.items:
        first = item[0]
        if not isinstance(first, Paragraph):
            continue
        targets = list(link_targets(first.content))
        words = next((part for part in first.content if isinstance(part, str)), "")
        is_first = bool(first.content) and not isinstance(first.content[0], Element)
        name = re.sub(r"[\s-]+", "_", words.strip().lower()) if is_first else ""
        if targets and targets[0].startswith(WIKI):
            yield _RELS.get(name, EdgeRel.RELATES_TO), targets[0]
