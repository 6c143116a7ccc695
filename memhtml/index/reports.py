"""What the passes over the index tell: plain values that the doors print as they are."""

from dataclasses import dataclass, field
from enum import StrEnum

from memhtml.values import Skip

__all__ = [
    "DifferenceKind",
    "EmbedReport",
    "IndexStatus",
    "RebuildReport",
    "Reconcile",
    "RowDifference",
    "UpdateReport",
    "VerifyReport",
]


class Reconcile(StrEnum):
    """Why an update compared the whole tree instead of following the watermark."""

    WATERMARK_GONE = "the commit the index had caught up to is not in this repository"
    PROJECTOR_CHANGED = "this version of memhtml projects files differently"
    SCOPE_CHANGED = "the last pass and this one differ in whether they read the working tree"
    DAMAGED = "the index was damaged and has been moved aside"


@dataclass(frozen=True, slots=True)
class RebuildReport:
    head_sha: str
    files_indexed: int
    chunks_indexed: int
    edges_indexed: int
    embeddings_written: int
    embeddings_preserved: int
    embeddings_remaining: int
    derived_edges_preserved: int
    derived_edges_dropped: int
    dirty: int
    unmerged: int
    skipped: tuple[Skip, ...]
    #: Where a damaged index was moved to, if one stood in the way.
    moved_aside: str | None = None
    #: Why the state plane has not heard of the moves yet; they wait, and every later pass tells it again.
    state_behind: str | None = None
    mode: str = "rebuild"


@dataclass(frozen=True, slots=True)
class UpdateReport:
    head_sha: str
    unchanged: bool
    added: int
    modified: int
    removed: int
    renamed: int
    dirty: int
    unmerged: int
    embeddings_written: int
    #: Chunks of touched files whose vector was there already, so that no call was made.
    embeddings_saved: int
    embeddings_remaining: int
    #: Every file of the tree that has no row, as it stands after the pass.
    skipped: tuple[Skip, ...]
    reconciled: bool = False
    reason: Reconcile | None = None
    moved_aside: str | None = None
    state_behind: str | None = None
    mode: str = "update"


@dataclass(frozen=True, slots=True)
class EmbedReport:
    head_sha: str | None
    chunks: int
    embeddings: int
    embeddings_written: int
    embeddings_remaining: int
    #: Requests made, or, in a dry run, requests that would be made.
    calls: int
    dry_run: bool
    mode: str = "embed"


@dataclass(frozen=True, slots=True)
class IndexStatus:
    head_sha: str | None
    repository_head: str | None
    fresh: bool
    #: One string that is equal on two machines exactly when their projected rows are.
    digest: str
    projector: str
    projector_matches: bool
    dirty: int
    embed_model: str | None
    embed_dim: int | None
    configured_embed_model: str | None
    embed_model_matches: bool
    rebuilt_at: str
    updated_at: str
    files: int
    active_files: int
    skipped: int
    chunks: int
    embeddings: int
    embeddings_remaining: int
    edges: int
    derived_edges: int
    tags: int
    entities: int
    traces: int
    has_state: bool
    mode: str = "status"


class DifferenceKind(StrEnum):
    MISSING = "missing"
    EXTRA = "extra"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class RowDifference:
    table: str
    kind: DifferenceKind
    #: The row's key, parts joined by a space.
    key: str
    #: Names of the columns that differ; never their text.
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifyReport:
    head_sha: str
    rows_compared: int
    digest: str
    expected_digest: str
    differences: tuple[RowDifference, ...] = field(default=())
    mode: str = "verify"

    @property
    def agrees(self) -> bool:
        return not self.differences and self.digest == self.expected_digest
