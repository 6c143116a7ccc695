"""What a search, a listing and their explanations tell: plain values that the doors print as they are.

Named tuples, because they are bound to rows, and because six dataclasses cost a search 4 ms of its start.
"""

from enum import StrEnum
from typing import NamedTuple

from memhtml.ranking.fusion import Arm, Share
from memhtml.values import MemoryPath

__all__ = ["Explanation", "Hit", "ListPage", "Listed", "MissReason", "NearMiss", "SearchResult"]


class MissReason(StrEnum):
    """Why a memory that matched is no hit."""

    SCOPE = "scope"
    LIMIT = "limit"


class NearMiss(NamedTuple):
    path: MemoryPath
    reason: MissReason
    #: The axes of the scope that it is outside of; empty for the limit.
    axes: tuple[str, ...]
    #: Where it would have stood; None outside of the scope.
    rank: int | None
    score: float


class Explanation(NamedTuple):
    """Why a hit stands where it does."""

    #: What each arm that scored it said, in the order in which the arms were asked.
    arms: tuple[Share, ...]
    #: The words of the question that it holds.
    matched: tuple[str, ...]


class Hit(NamedTuple):
    path: MemoryPath
    title: str
    gist: str
    memory_type: str
    #: 1-based.
    rank: int
    #: The fused score; compares only within one answer.
    score: float
    confidence: float
    updated_at: str
    snippet: str
    #: `type:name`, sorted.
    entities: tuple[str, ...]
    #: The newest memory that says it supersedes this one.
    superseded_by: MemoryPath | None
    archived: bool
    #: Its validity has ended, and nothing has archived it yet.
    expired: bool
    explanation: Explanation | None = None


class SearchResult(NamedTuple):
    hits: tuple[Hit, ...]
    #: No vector took part.
    degraded: bool
    #: The arms that took part.
    arms: tuple[Arm, ...]
    entity_scope: str | None
    #: Nothing was found, and the scope may be why.
    scope_empty: bool
    #: False where the question held no word, so that the hits are the newest and most used memories instead.
    query_matched: bool
    #: Archived memories among the 300 best matches; 0 where archived ones were asked for.
    archived_matches: int
    #: Whether the index describes HEAD; None where that could not be told.
    index_fresh: bool | None = None
    #: Only where an explanation was asked for.
    near_misses: tuple[NearMiss, ...] = ()


class Listed(NamedTuple):
    path: MemoryPath
    title: str
    memory_type: str
    gist: str
    workspace: str | None
    para: str
    confidence: float
    importance: int
    archived: bool
    updated_at: str


class ListPage(NamedTuple):
    files: tuple[Listed, ...]
    #: The last path of this page, where there is another page.
    next_cursor: MemoryPath | None
