"""Use cases of the index: rebuild, update, status, verify, embed."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from memhtml.app.wire import Store
from memhtml.db.open import open_index
from memhtml.db.storage import storage
from memhtml.errors import (
    EmbedModelMismatch,
    IndexMissing,
    IndexStale,
    LockHeld,
    MemhtmlError,
    ModelUnavailable,
    StaleError,
    StorageFailed,
)
from memhtml.git.discover import find_repository
from memhtml.git.head import head_commit, head_of
from memhtml.git.status import worktree_changes
from memhtml.index.embed import (
    EmbedOutcome,
    change_space,
    embed_missing,
    guard_space,
    holds_other_space,
    remaining,
)
from memhtml.index.folder import IndexFolder, held
from memhtml.index.moves import pass_on_moves, rehome
from memhtml.index.outcome import Pass
from memhtml.index.projector import fingerprint
from memhtml.index.reports import EmbedReport, IndexStatus, RebuildReport, UpdateReport, VerifyReport
from memhtml.index.skipped import known_skips
from memhtml.index.status import index_status
from memhtml.index.watermark import read_watermark
from memhtml.models.ports import Space
from memhtml.resources import migrations
from memhtml.values import Plane

__all__ = ["embed", "rebuild", "status", "update", "verify"]


_IS_SETTLED = "SELECT NOT EXISTS (SELECT 1 FROM dirty_paths) AND NOT EXISTS (SELECT 1 FROM pending_moves)"


def _space(store: Store) -> Space | None:
    return None if store.embedder is None else store.embedder.space


def rebuild(
    store: Store, *, embed: bool = True, force: bool = False, committed: bool = False
) -> RebuildReport:
    """Make the index anew from git, and the vectors that are missing.

    Effects: readers keep the old rows until the new ones are complete. A model that does not answer narrows the
    report, it does not fail the pass.
    Errors: `RebuildNoEmbedRefused`, `GitFailed`, `LockHeld`, `StorageFailed`.
    """
    from memhtml.git.read import open_reader  # libgit2 and the parser: 100 ms that `status` does not need
    from memhtml.index import build

    can_embed = embed and store.embedder is not None
    because = store.no_embedder_because or "--no-embed was given"
    folder = IndexFolder(store.root)
    done = build.rebuild(
        folder,
        open_reader(store.root),
        store.clock(),
        _space(store) if embed else None,
        can_embed=can_embed,
        because=because,
        force=force,
        committed=committed,
    )
    after = _after_pass(store, folder, done, embed=embed)
    return RebuildReport(
        head_sha=done.head_sha,
        files_indexed=done.files,
        chunks_indexed=done.chunks,
        edges_indexed=done.edges,
        embeddings_written=after.vectors.written,
        embeddings_preserved=done.vectors_kept,
        embeddings_remaining=after.remaining,
        derived_edges_preserved=done.derived_edges_kept,
        derived_edges_dropped=done.derived_edges_dropped,
        dirty=done.dirty,
        unmerged=done.unmerged,
        skipped=done.skipped,
        moved_aside=None if done.moved_aside is None else done.moved_aside.name,
        state_behind=after.state_behind,
    )


def update(
    store: Store, *, embed: bool = True, committed: bool = False, worktree: bool = True
) -> UpdateReport:
    """Bring the index up to HEAD and the working tree, reading only what changed.

    Errors: `EmbedModelMismatch`, `IndexStale`, `GitFailed`, `LockHeld`, `StorageFailed`; the rows are then as they
    were, unless a provider turned out to serve another model when vectors were asked for, after the rows.
    """
    folder = IndexFolder(store.root)
    with ExitStack() as stack:
        looking = _look(store, folder, stack)
        if looking is not None:
            current = _current(store, looking, worktree=worktree and not committed, embed=embed)
            if current is not None:
                return current

        from memhtml.git.read import open_reader  # as above
        from memhtml.index import build

        done = build.update(
            folder,
            open_reader(store.root),
            store.clock(),
            _space(store) if embed else None,
            worktree=worktree,
            committed=committed,
        )
        # The last connection to close folds the write-ahead log back, which waits for the disk: once is enough, so
        # the one that looked stays open until the one for the rest stands.
        after = _after_pass(store, folder, done, embed=embed, when_open=stack.close)
    return UpdateReport(
        head_sha=done.head_sha,
        unchanged=done.unchanged,
        added=done.added,
        modified=done.modified,
        removed=done.removed,
        renamed=done.renamed,
        dirty=done.dirty,
        unmerged=done.unmerged,
        embeddings_written=after.vectors.written,
        embeddings_saved=done.chunks_known + after.vectors.cached,
        embeddings_remaining=after.remaining,
        skipped=done.skipped,
        reconciled=done.reason is not None,
        reason=done.reason,
        moved_aside=None if done.moved_aside is None else done.moved_aside.name,
        state_behind=after.state_behind,
    )


def _look(store: Store, folder: IndexFolder, stack: ExitStack) -> sqlite3.Connection | None:
    """Return a connection that only reads, or None where a pass has to make or mend the index first."""
    if not folder.index_path.exists():
        return None
    try:
        connection = open_index(
            folder.index_path, mode="read", migrations=migrations(Plane.INDEX), now=store.clock()
        )
    except MemhtmlError:
        return None
    return stack.enter_context(closing(connection))


def _current(
    store: Store, connection: sqlite3.Connection, *, worktree: bool, embed: bool
) -> UpdateReport | None:
    """Return the report of an update that has nothing to do, or None where a pass must look closer.

    This is what a hook runs after every command, so it takes no lock, writes nothing and does not load libgit2.
    """
    with storage("index update"):
        mark = read_watermark(connection)
        if mark is None or mark.head_sha is None or mark.projector != fingerprint():
            return None
        (is_settled,) = connection.execute(_IS_SETTLED).fetchone()
        if not is_settled:
            return None
        try:
            guard_space(connection, _space(store) if embed else None)
        except EmbedModelMismatch:
            return None
        location = find_repository(store.root)
        if head_of(location) != mark.head_sha or (worktree and worktree_changes(location)):
            return None
        return UpdateReport(
            head_sha=mark.head_sha,
            unchanged=True,
            added=0,
            modified=0,
            removed=0,
            renamed=0,
            dirty=0,
            unmerged=0,
            embeddings_written=0,
            embeddings_saved=0,
            embeddings_remaining=remaining(connection, _space(store)),
            skipped=tuple(skip for _, skip in sorted(known_skips(connection).items())),
        )


@dataclass(frozen=True, slots=True)
class _After:
    vectors: EmbedOutcome
    remaining: int
    state_behind: str | None


def _after_pass(
    store: Store,
    folder: IndexFolder,
    done: Pass,
    *,
    embed: bool,
    when_open: Callable[[], None] = lambda: None,
) -> _After:
    """Tell the state plane what moved, then ask for vectors.

    The rows are committed by now, so a state plane that cannot be written is reported, not raised: the moves wait in
    the index, and every later pass tries again.
    """
    at = store.clock()
    connection = open_index(folder.index_path, mode="write", migrations=migrations(Plane.INDEX), now=at)
    with closing(connection), storage("index pass"):
        when_open()
        state_behind: str | None = None
        try:
            pass_on_moves(connection, folder.state_path, at)
            if done.is_first:
                rehome(connection, folder.state_path, at)
        except (StorageFailed, StaleError, LockHeld) as failure:
            state_behind = failure.message
        outcome = EmbedOutcome()
        if embed and store.embedder is not None and done.touched_chunks != ():
            with held(folder.embed_lock):
                if done.touched_chunks is None and holds_other_space(connection, store.embedder.space):
                    outcome = change_space(connection, store.embedder, store.clock)
                else:
                    outcome = embed_missing(connection, store.embedder, store.clock, done.touched_chunks)
        return _After(outcome, remaining(connection, _space(store)), state_behind)


def embed(store: Store, *, dry_run: bool = False) -> EmbedReport:
    """Close every gap in the stored vectors, and write nothing else.

    Errors: `ModelUnavailable` when there is no embedder or it fails; what had landed by then is kept.
    """
    folder = IndexFolder(store.root)
    if store.embedder is None:
        raise ModelUnavailable("embedder", store.no_embedder_because or "none is configured")
    if not folder.index_path.exists():
        raise IndexMissing
    at = store.clock()
    connection = open_index(folder.index_path, mode="write", migrations=migrations(Plane.INDEX), now=at)
    with closing(connection), storage("embedding"):
        mark = read_watermark(connection)
        if mark is None:
            raise IndexMissing
        with held(folder.embed_lock):
            outcome = embed_missing(connection, store.embedder, store.clock, dry_run=dry_run)
        chunks, vectors = connection.execute(
            "SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM embeddings)"
        ).fetchone()
        left = remaining(connection, store.embedder.space)
    if outcome.failure is not None and not outcome.written:
        raise outcome.failure
    return EmbedReport(
        head_sha=mark.head_sha,
        chunks=chunks,
        embeddings=vectors,
        embeddings_written=outcome.written,
        embeddings_remaining=left,
        calls=outcome.calls,
        dry_run=dry_run,
    )


def status(store: Store) -> IndexStatus:
    """Return what the index holds; reads only. Errors: `IndexMissing`, `IndexDamaged`, `SchemaTooNew`."""
    folder = IndexFolder(store.root)
    connection = open_index(
        folder.index_path, mode="read", migrations=migrations(Plane.INDEX), now=store.clock()
    )
    with closing(connection), storage("index status"):
        found = index_status(
            connection, head_commit(store.root), _space(store), has_state=folder.state_path.exists()
        )
    if found is None:
        raise IndexMissing
    return found


def verify(store: Store, *, committed: bool = False) -> VerifyReport:
    """Build an index from nothing beside the live one and compare every projected row.

    Errors: `IndexStale` for an index that is merely behind HEAD: its rows differ, and nothing is wrong with them.

    Effects: the second index lives in a temporary folder and is gone afterwards; the live one is only read.
    """
    from memhtml.git.read import open_reader  # as above
    from memhtml.index import build
    from memhtml.index.digest import recomputed_digest
    from memhtml.index.verify import compare_planes

    reader = open_reader(store.root)
    at = store.clock()
    live_path = IndexFolder(store.root).index_path
    steps = migrations(Plane.INDEX)
    live = open_index(live_path, mode="read", migrations=steps, now=at)
    with closing(live), tempfile.TemporaryDirectory(prefix="memhtml-verify-") as scratch:
        mark = read_watermark(live)
        if mark is None:
            raise IndexMissing
        if mark.head_sha != reader.head():
            raise IndexStale("the index is behind HEAD", hints=("memhtml index update",))
        beside = IndexFolder(Path(scratch))
        done = build.rebuild(beside, reader, at, None, can_embed=True, committed=committed)
        fresh = open_index(beside.index_path, mode="read", migrations=steps, now=at)
        with closing(fresh), storage("index verify"):
            compared, differences = compare_planes(live, fresh)
            return VerifyReport(
                head_sha=done.head_sha,
                rows_compared=compared,
                digest=recomputed_digest(live, mark.projector),
                expected_digest=recomputed_digest(fresh, fingerprint()),
                differences=differences,
            )
