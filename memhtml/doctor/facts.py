"""What checks measure beside their findings: the figures and lists that a report has always carried."""

from collections.abc import Callable
from dataclasses import dataclass

from memhtml.values import EdgeRel, MemoryPath

__all__ = ["DanglingLink", "IndexFacts", "OverdueTask", "Progress", "StaleBlocker", "TreeFacts"]

#: Told the number of files judged so far, now and then.
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class DanglingLink:
    src_path: MemoryPath
    rel: EdgeRel
    dst_path: str
    #: Where the target went, if it is known.
    rewrite_to: MemoryPath | None


@dataclass(frozen=True, slots=True)
class OverdueTask:
    path: MemoryPath
    task_status: str
    due_at: str


@dataclass(frozen=True, slots=True)
class StaleBlocker:
    path: MemoryPath
    blocker_path: MemoryPath
    #: `archived` or `missing`.
    blocker_state: str


@dataclass(frozen=True, slots=True)
class TreeFacts:
    """What the checks of the tree measured, apart from their findings."""

    head_sha: str | None = None
    #: The store's folder relative to the top of its repository: what reports put before a path.
    prefix: str = ""
    committed_only: bool = False
    files: int = 0
    memories: int = 0
    dangling: tuple[DanglingLink, ...] = ()
    inbox_depth: int = 0
    inbox_crowded: bool = False
    inbox_task_depth: int = 0
    inbox_tasks_crowded: bool = False
    overdue_tasks: tuple[OverdueTask, ...] = ()
    stale_blockers: tuple[StaleBlocker, ...] = ()
    dirty: tuple[MemoryPath, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """What the checks of the databases measured, apart from their findings; None where there is no index."""

    index_fresh: bool | None = None
    index_head_sha: str | None = None
    embed_model_matches: bool | None = None
    stored_embed_model: str | None = None
    configured_embed_model: str | None = None
    orphan_access_rows: tuple[str, ...] = ()
