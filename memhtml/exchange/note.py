"""A note as its source holds it, before anything is decided about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memhtml.exchange.front_matter import Field
from memhtml.values import EdgeRel, MemoryType, TaskStatus

__all__ = ["Copy", "Note", "NoteKind"]


class NoteKind(StrEnum):
    MARKDOWN = "markdown"
    HTML = "html"
    #: One fact in a few words, without a title.
    FACT = "fact"
    #: The inside of a memory's article, from an export.
    ARTICLE = "article"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    #: What the report calls it: its path below the source, or the file with its place or name in it.
    source: str
    text: str
    kind: NoteKind = NoteKind.MARKDOWN
    #: Its path below the source, where links between notes start from; empty for a record without one.
    path: str = ""
    title: str = ""
    created: str = ""
    updated: str = ""
    author: str = ""
    workspace: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    memory_type: MemoryType | None = None
    task_status: TaskStatus | None = None
    #: How other notes may call it, beside its path and title.
    names: tuple[str, ...] = ()
    #: A relation, and how the note at its other end is called.
    relations: tuple[tuple[EdgeRel, str], ...] = ()
    #: What else is said about it: it joins the front matter, which wins.
    fields: Mapping[str, Field] = field(default_factory=dict)
    #: Whether the note is found at the same place the next time, so that a change can be told from a new note.
    has_key: bool = True


@dataclass(frozen=True, slots=True)
class Copy:
    """A file of another store: it keeps its path and every byte."""

    source: str
    path: str
    data: bytes = field(repr=False)
