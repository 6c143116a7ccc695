"""How a store stands: its state at a glance, and everything that is wrong with it."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memhtml import clock as clocks
from memhtml.app.wire import Store, named_embedder, open_store
from memhtml.clock import Clock
from memhtml.db.open import open_index
from memhtml.db.storage import storage
from memhtml.doctor.facts import Progress
from memhtml.doctor.findings import FailOn
from memhtml.errors import ConfigInvalid, IndexMissing, MemhtmlError
from memhtml.git.discover import find_repository
from memhtml.git.head import head_of
from memhtml.git.status import worktree_changes
from memhtml.index.folder import IndexFolder
from memhtml.index.projector import fingerprint
from memhtml.index.watermark import read_watermark
from memhtml.resources import migrations
from memhtml.values import MemoryPath, Plane

if TYPE_CHECKING:  # `status` is asked often, and needs neither the parser nor libgit2
    from memhtml.doctor.report import DoctorReport

__all__ = ["SleepRun", "StoreStatus", "check_store", "doctor", "status"]

_COUNTS = (
    "SELECT (SELECT count(*) FROM files WHERE archived = 1), (SELECT count(*) FROM edges),"
    " (SELECT count(*) FROM edges WHERE derived = 1), (SELECT count(*) FROM chunks),"
    " (SELECT count(*) FROM embeddings), (SELECT count(*) FROM traces)"
)
_BY_TYPE = (
    "SELECT memory_type, count(*) FROM files WHERE archived = 0 GROUP BY memory_type ORDER BY memory_type"
)
_LAST_SLEEP = (
    "SELECT run_id, status, started_at FROM sleep_runs ORDER BY started_at DESC, run_id DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class SleepRun:
    run_id: str
    status: str
    started_at: str


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A store at a glance; what only an index can tell is None where none can be read."""

    root: str
    head_sha: str | None
    #: Whether a file that may be a memory differs from HEAD.
    dirty: bool
    dirty_paths: tuple[MemoryPath, ...]
    counts_by_type: dict[str, int] | None
    archived_count: int | None
    edges: int | None
    derived_edges: int | None
    chunks: int | None
    embeddings: int | None
    traces: int | None
    index_fresh: bool
    index_head_sha: str | None
    embed_model: str | None
    #: Whether search compares vectors here: they are stored, and they are of the configured embedder's space.
    embedder_up: bool
    has_state: bool
    last_sleep: SleepRun | None
    #: The code of the error that reading the index ended with, if it did.
    index_problem: str | None = None
    no_embedder_because: str = ""


def doctor(
    store: Store,
    *,
    committed: bool = False,
    fail_on: FailOn = FailOn.ERROR,
    progress: Progress | None = None,
    config_problem: str = "",
) -> "DoctorReport":
    """Check everything about a store and change nothing.

    The files of HEAD overlaid by the working tree are judged, or those of HEAD alone. No index is needed; one that is
    there is held against the files.
    Errors: `RepoRequired`, `RepoUnsupported`, `GitFailed` where there is no repository to judge.
    """
    from memhtml.doctor.run import Examination, examine
    from memhtml.git.read import open_reader

    reader = open_reader(store.root)
    embedder = ""
    if not config_problem:
        try:
            embedder = named_embedder(store.root, reader, committed=committed)
        except ConfigInvalid as error:
            config_problem = error.message
    return examine(
        Examination(
            reader=reader,
            folder=IndexFolder(store.root),
            at=store.clock(),
            space=None if store.embedder is None else store.embedder.space,
            no_embedder_because=store.no_embedder_because,
            named_embedder=embedder,
            config_problem=config_problem,
            committed=committed,
            fail_on=fail_on,
            progress=progress,
        )
    )


def check_store(
    root: Path,
    *,
    clock: Clock = clocks.now,
    embed: bool = True,
    committed: bool = False,
    fail_on: FailOn = FailOn.ERROR,
    progress: Progress | None = None,
) -> "DoctorReport":
    """Check the store at `root`, also one whose configuration keeps it from being opened: that is a finding too."""
    problem = ""
    try:
        store = open_store(root, clock=clock, embed=embed)
    except ConfigInvalid as error:
        problem = error.message
        store = Store(root.resolve(), clock, None, "its configuration cannot be read")
    return doctor(store, committed=committed, fail_on=fail_on, progress=progress, config_problem=problem)


def status(store: Store) -> StoreStatus:
    """Return the store at a glance; reads only, and neither libgit2 nor numpy is loaded.

    Errors: `RepoRequired`, `RepoUnsupported`, `GitFailed`. An index that cannot be read is told, not raised.
    """
    location = find_repository(store.root)
    head = head_of(location)
    dirty = tuple(change.path for change in worktree_changes(location))
    has_state = store.state_path.exists()
    try:
        connection = open_index(
            store.index_path, mode="read", migrations=migrations(Plane.INDEX), now=store.clock()
        )
        with closing(connection), storage("status"):
            return _indexed(store, connection, head, dirty, has_state=has_state)
    except MemhtmlError as error:
        return StoreStatus(
            root=str(store.root),
            head_sha=head,
            dirty=bool(dirty),
            dirty_paths=dirty,
            counts_by_type=None,
            archived_count=None,
            edges=None,
            derived_edges=None,
            chunks=None,
            embeddings=None,
            traces=None,
            index_fresh=False,
            index_head_sha=None,
            embed_model=None,
            embedder_up=False,
            has_state=has_state,
            last_sleep=None,
            index_problem=error.code,
            no_embedder_because=store.no_embedder_because,
        )


def _indexed(
    store: Store,
    connection: sqlite3.Connection,
    head: str | None,
    dirty: tuple[MemoryPath, ...],
    *,
    has_state: bool,
) -> StoreStatus:
    mark = read_watermark(connection)
    if mark is None:
        raise IndexMissing
    archived, edges, derived, chunks, vectors, traces = connection.execute(_COUNTS).fetchone()
    sleep = connection.execute(_LAST_SLEEP).fetchone()
    space = None if store.embedder is None else store.embedder.space.identity
    return StoreStatus(
        root=str(store.root),
        head_sha=head,
        dirty=bool(dirty),
        dirty_paths=dirty,
        counts_by_type=dict(connection.execute(_BY_TYPE)),
        archived_count=archived,
        edges=edges,
        derived_edges=derived,
        chunks=chunks,
        embeddings=vectors,
        traces=traces,
        index_fresh=mark.head_sha is not None and mark.head_sha == head and mark.projector == fingerprint(),
        index_head_sha=mark.head_sha,
        embed_model=mark.embed_model,
        embedder_up=bool(vectors) and space is not None and mark.embed_model == space,
        has_state=has_state,
        last_sleep=None if sleep is None else SleepRun(*sleep),
        no_embedder_because=store.no_embedder_because,
    )
