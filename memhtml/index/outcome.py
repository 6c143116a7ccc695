"""What one pass over the index did, before the application makes a report of it."""

from dataclasses import dataclass
from pathlib import Path

from memhtml.index.reports import Reconcile
from memhtml.values import ChunkId, CommitSha, Skip

__all__ = ["Pass"]


@dataclass(slots=True)
class Pass:
    head_sha: CommitSha
    unchanged: bool = False
    #: Nothing stood in the index before, so nothing could be seen to move.
    is_first: bool = False
    files: int = 0
    added: int = 0
    modified: int = 0
    removed: int = 0
    renamed: int = 0
    dirty: int = 0
    unmerged: int = 0
    chunks: int = 0
    edges: int = 0
    vectors_kept: int = 0
    #: Chunks of touched files that were indexed already, so that no vector has to be made for them.
    chunks_known: int = 0
    derived_edges_kept: int = 0
    derived_edges_dropped: int = 0
    #: Chunks of the touched files, which an embedding step may restrict itself to; None = look at all.
    touched_chunks: tuple[ChunkId, ...] | None = None
    skipped: tuple[Skip, ...] = ()
    reason: Reconcile | None = None
    moved_aside: Path | None = None
