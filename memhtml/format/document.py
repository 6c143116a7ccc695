"""What one file says: the value that `parse` makes of any bytes, valid memory or not."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memhtml.format import content_hash
from memhtml.format.rules import ViolationCode
from memhtml.values import ContentHash, MemoryStatus, MemoryType, TaskStatus

__all__ = ["Abbreviation", "Citation", "Document", "Facet", "Link", "Meta", "Observation"]


class Meta(NamedTuple):
    """A named meta of the head, as authored."""

    name: str
    content: str


class Link(NamedTuple):
    """A link of the head, as authored: the whole `rel` attribute, and the href where there is one."""

    rel: str
    href: str | None


class Facet(NamedTuple):
    name: str
    value: str
    numeric_value: float | None


class Citation(NamedTuple):
    text: str
    href: str | None


class Abbreviation(NamedTuple):
    text: str
    expansion: str


class Observation(NamedTuple):
    """Something in the markup that a rule speaks about, seen once per subject."""

    code: ViolationCode
    subject: str


# A tuple, because building a frozen dataclass of so many fields would cost as much as reading the head.
class Document(NamedTuple):
    """One parsed file. Absent stays absent: the projection owns the defaults, not the parser.

    A head value that is malformed is None; one that the format does not validate (instants, author, session, prompt,
    turn) is verbatim, even empty. Texts are collapsed and trimmed. Everything from `canonical_text` on is of the first
    article.
    """

    size_bytes: int
    title: str | None
    #: Every named meta and every link of the head, in document order, foreign ones included.
    metas: tuple[Meta, ...]
    links: tuple[Link, ...]
    #: The contents of each `memhtml-` and `x-memhtml-` name, in document order.
    head: Mapping[str, Sequence[str]]

    memory_type: MemoryType | None
    status: MemoryStatus | None
    created: str | None
    updated: str | None
    confidence: float | None
    importance: int | None
    stamped_hash: str | None
    author: str | None
    session: str | None
    prompt: str | None
    turn: str | None
    valid_from: str | None
    valid_until: str | None
    reprieves: int | None
    archived: str | None
    superseded_by: str | None
    needs_revision: bool | None
    task_status: TaskStatus | None
    due: str | None
    entities: tuple[str, ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]

    canonical_text: str
    content_hash: ContentHash
    body_text: str
    gist: str
    #: The first time element's datetime, as authored.
    event_at: str | None
    facets: tuple[Facet, ...]
    citations: tuple[Citation, ...]
    defined_terms: tuple[str, ...]
    summary_texts: tuple[str, ...]
    aside_texts: tuple[str, ...]
    captions: tuple[str, ...]
    abbreviations: tuple[Abbreviation, ...]
    code_langs: tuple[str, ...]

    #: What the markup shows of the rules, in document order; `check` turns it into violations.
    observations: tuple[Observation, ...]

    @property
    def sha256(self) -> ContentHash:
        """The content hash as other writers of the format stamp it."""
        return content_hash.sha256_of(self.canonical_text)
