"""The two passes over the index: all of it, or what changed since the commit it had caught up with.

Both take the pass lock, judge files through `expected.project`, and write rows, watermark and pending moves in one
transaction: a crash leaves the old index or the new one. Vectors come afterwards (`embed`).
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memhtml import faults
from memhtml.db.busy import transaction
from memhtml.db.open import open_index
from memhtml.db.storage import storage
from memhtml.errors import (
    GitFailed,
    IndexDamaged,
    IndexStale,
    RebuildNoEmbedRefused,
    SchemaChanged,
    StorageFailed,
)
from memhtml.ids import new_id
from memhtml.index import orphans, tables
from memhtml.index.apply import TRIGGERS_UP_TO, apply_plan, settle_derived_edges
from memhtml.index.changes import Known, known_rows, known_skips, plan_changes
from memhtml.index.embed import guard_space
from memhtml.index.expected import NO_OVERLAY, Found, Overlay, everything, found_of, read_overlay
from memhtml.index.folder import IndexFolder, held
from memhtml.index.moves import record_moves
from memhtml.index.projector import fingerprint
from memhtml.index.reports import Reconcile
from memhtml.index.salvage import move_aside, salvage_vectors
from memhtml.index.spool import ROWS_IN_MEMORY, Spool
from memhtml.index.watermark import Watermark, read_watermark, write_watermark
from memhtml.index.whole import WholeOutcome, write_everything
from memhtml.models.ports import Space
from memhtml.resources import migrations
from memhtml.values import CommitSha, Instant, MemoryPath, Plane, Skip

if TYPE_CHECKING:
    from memhtml.git.read import GitReader

__all__ = ["DEFAULT_THRESHOLDS", "Pass", "Thresholds", "rebuild", "update", "writing"]

_COUNTS = (
    "SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM edges), (SELECT count(*) FROM embeddings),"
    " (SELECT count(*) FROM edges WHERE derived = 1)"
)
_DIRTY = "SELECT path, blob_sha FROM dirty_paths ORDER BY path"
_SAID_ALREADY = "SELECT count(*) FROM chunks WHERE content_hash IN (SELECT value FROM json_each(?))"
_CHUNKS_OF = (
    "SELECT chunk_id FROM chunks JOIN files USING (content_hash)"
    " WHERE files.path IN (SELECT value FROM json_each(?)) ORDER BY chunk_id"
)
_ANY_SPACE = "SELECT model, dim FROM embeddings LIMIT 1"
_FILE_COUNT = "SELECT count(*) FROM files"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where a pass changes its way of writing; results are the same on either side."""

    #: More changed files than this step around the triggers.
    triggers_up_to: int = TRIGGERS_UP_TO
    #: More projected rows than this wait on disk.
    rows_in_memory: int = ROWS_IN_MEMORY
    #: An update of more files than this, and of more than a third of the corpus, writes everything anew.
    whole_from: int = 500


DEFAULT_THRESHOLDS = Thresholds()


@dataclass(slots=True)
class Pass:
    """What one pass did; the application turns it into a report."""

    head_sha: CommitSha
    unchanged: bool = False
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
    touched_chunks: tuple[str, ...] | None = None
    skipped: tuple[Skip, ...] = ()
    reason: Reconcile | None = None
    moved_aside: Path | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """A connection that holds the pass lock."""

    connection: sqlite3.Connection
    moved_aside: Path | None


@contextmanager
def writing(folder: IndexFolder, at: Instant, *, is_damaged: bool = False) -> Iterator[Writing]:
    """Open the index for a pass: locked, migrated, and made anew beside a damaged one.

    Effects: an index that is damaged, or whose migrations are not ours, is moved aside; only its vectors are read
    from it again. One of a newer memhtml is refused untouched.
    Errors: `IndexDamaged` when damage shows under way; calling again with `is_damaged` then helps.
    """
    with held(folder.pass_lock), storage("index pass"):
        faults.point("pass.locked")
        moved = move_aside(folder.index_path, at) if is_damaged else None
        try:
            connection = _open(folder, at)
        except (IndexDamaged, SchemaChanged):
            moved = move_aside(folder.index_path, at)
            connection = _open(folder, at)
        try:
            yield Writing(connection, moved)
        finally:
            connection.close()


def _open(folder: IndexFolder, at: Instant) -> sqlite3.Connection:
    return open_index(folder.index_path, mode="write", migrations=migrations(Plane.INDEX), now=at)


def _head(reader: "GitReader") -> CommitSha:
    head = reader.head()
    if head is None:
        raise GitFailed("rev-parse HEAD", "this repository has no commit yet")
    return head


def rebuild(
    folder: IndexFolder,
    reader: "GitReader",
    at: Instant,
    space: Space | None,
    *,
    can_embed: bool,
    because: str = "",
    force: bool = False,
    committed: bool = False,
) -> Pass:
    """Project every file anew, in one transaction, keeping the vectors of the configured space.

    Errors: `RebuildNoEmbedRefused` where vectors stand and none can be made (`because` says why), unless forced;
    `EmbedModelMismatch` likewise. A rebuild that can embed is the way from one space to another.
    """

    def run(opened: Writing) -> Pass:
        connection = opened.connection
        mark = _lenient_watermark(connection)
        if not can_embed:
            guard_space(connection, space)
            (vectors,) = connection.execute("SELECT count(*) FROM embeddings").fetchone()
            if vectors and not force:
                stored = (mark and mark.embed_model) or "an unknown space"
                raise RebuildNoEmbedRefused(vectors, stored, because)
        overlay = NO_OVERLAY if committed else read_overlay(reader)
        return _whole_pass(opened, reader, _head(reader), overlay, mark, space, at, before={})

    try:
        with writing(folder, at) as opened:
            return run(opened)
    except IndexDamaged:
        with writing(folder, at, is_damaged=True) as opened:
            return run(opened)


def update(
    folder: IndexFolder,
    reader: "GitReader",
    at: Instant,
    space: Space | None,
    *,
    worktree: bool = True,
    committed: bool = False,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Pass:
    """Bring the index from its watermark to HEAD and the working tree.

    `worktree=False` leaves the working tree unread, as after a commit of our own: what earlier passes took from it
    stands, except where the commit says otherwise. `committed` takes it back altogether.
    Errors: `IndexStale` when the index names no commit, `EmbedModelMismatch`, `GitFailed` when an object is missing.
    """

    def run(opened: Writing) -> Pass:
        connection = opened.connection
        mark = read_watermark(connection)
        guard_space(connection, space)
        head = _head(reader)
        reads_worktree = worktree or committed
        overlay = read_overlay(reader) if worktree and not committed else NO_OVERLAY
        if mark is None:
            done = _whole_pass(opened, reader, head, overlay, None, space, at, before={})
            done.reason = Reconcile.DAMAGED if opened.moved_aside is not None else None
            return done
        if mark.head_sha is None:
            raise IndexStale
        if mark.projector != fingerprint():
            before = known_rows(connection)
            done = _whole_pass(opened, reader, head, overlay, mark, None, at, before=before)
            done.reason = Reconcile.PROJECTOR_CHANGED
            return done
        return _incremental(
            opened, reader, mark, head, overlay, at, worktree=reads_worktree, thresholds=thresholds
        )

    try:
        with writing(folder, at) as opened:
            return run(opened)
    except IndexDamaged:
        with writing(folder, at, is_damaged=True) as opened:
            return run(opened)


def _lenient_watermark(connection: sqlite3.Connection) -> Watermark | None:
    """Return the watermark, or None where it cannot be decoded: a rebuild replaces it anyway."""
    try:
        return read_watermark(connection)
    except StorageFailed:
        return None


def _whole_pass(
    opened: Writing,
    reader: "GitReader",
    head: CommitSha,
    overlay: Overlay,
    mark: Watermark | None,
    space: Space | None,
    at: Instant,
    *,
    before: dict[MemoryPath, Known],
) -> Pass:
    connection = opened.connection
    # With foreign keys on, emptying `files` would walk every child row, and `chunks` would take its vectors along.
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        with transaction(connection, "rebuilding the index"):
            faults.point("pass.begun")
            has_vectors = orphans.remember_texts(connection)
            outcome = write_everything(connection, everything(reader, head, overlay), before, at)
            kept = left = 0
            if has_vectors:
                kept, left = orphans.settle_vectors(connection, space.identity if space else None, at)
            elif opened.moved_aside is not None:
                kept = salvage_vectors(connection, opened.moved_aside, space.identity if space else None)
            orphans.forget_old_cache(connection, at)
            faults.point("pass.orphans_removed")
            tables.replace_dirty(connection, overlay.dirty())
            record_moves(connection, outcome.moves)
            _write_whole_watermark(connection, mark, head, space, at, kept=kept, left=left)
            faults.point("pass.watermark_written")
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
    faults.point("pass.committed")
    _checkpoint(connection)
    done = _report_whole(connection, head, outcome, kept)
    done.dirty, done.unmerged = len(overlay.dirty()), overlay.unmerged
    done.moved_aside = opened.moved_aside
    return done


def _write_whole_watermark(
    connection: sqlite3.Connection,
    mark: Watermark | None,
    head: CommitSha,
    space: Space | None,
    at: Instant,
    *,
    kept: int,
    left: int,
) -> None:
    model, dim = (mark.embed_model, mark.embed_dim) if mark is not None else (None, None)
    if space is not None:
        model, dim = space.identity, space.dimension
    elif kept and model is None:
        model, dim = connection.execute(_ANY_SPACE).fetchone()
    write_watermark(
        connection,
        Watermark(
            head_sha=head,
            embed_model=model,
            embed_dim=dim,
            projector=fingerprint(),
            index_id=mark.index_id if mark is not None else new_id(),
            vector_seq=(mark.vector_seq if mark is not None else 0) + (1 if left or kept else 0),
            rebuilt_at=at,
            updated_at=at,
        ),
    )


def _report_whole(connection: sqlite3.Connection, head: CommitSha, outcome: WholeOutcome, kept: int) -> Pass:
    chunks, edges, _, derived = connection.execute(_COUNTS).fetchone()
    return Pass(
        head,
        files=outcome.files,
        added=outcome.added,
        modified=outcome.modified,
        removed=outcome.removed,
        renamed=len(outcome.moves),
        chunks=chunks,
        edges=edges,
        vectors_kept=kept,
        derived_edges_kept=derived,
        derived_edges_dropped=outcome.derived_edges_dropped,
        skipped=_skipped(connection),
    )


def _skipped(connection: sqlite3.Connection) -> tuple[Skip, ...]:
    return tuple(skip for _, skip in sorted(known_skips(connection).items()))


def _incremental(
    opened: Writing,
    reader: "GitReader",
    mark: Watermark,
    head: CommitSha,
    overlay: Overlay,
    at: Instant,
    *,
    worktree: bool,
    thresholds: Thresholds,
) -> Pass:
    connection = opened.connection
    assert mark.head_sha is not None
    dirty_before: dict[MemoryPath, str | None] = dict(connection.execute(_DIRTY))
    reason: Reconcile | None = None
    candidates: dict[MemoryPath, Found | None]
    if reader.has_commit(mark.head_sha):
        candidates = {change.path: found_of(change.new) for change in reader.changes(mark.head_sha, head)}
    else:
        reason = Reconcile.WATERMARK_GONE
        candidates = _compare_whole_tree(connection, reader, head)
        if not worktree:
            candidates = {path: found for path, found in candidates.items() if path not in dirty_before}
    if worktree:
        for path in dirty_before.keys() - candidates.keys():
            candidates[path] = found_of(reader.entry_at(head, path))
        candidates.update(overlay.present)
        candidates.update(dict.fromkeys(overlay.absent))
        dirty = overlay.dirty()
    else:
        dirty = sorted((path, blob) for path, blob in dirty_before.items() if path not in candidates)

    (standing,) = connection.execute(_FILE_COUNT).fetchone()
    if len(candidates) > thresholds.whole_from and 3 * len(candidates) > standing and worktree:
        done = _whole_pass(opened, reader, head, overlay, mark, None, at, before=known_rows(connection))
        done.reason = reason
        return done

    def read(found: Found) -> bytes:
        if found.data is not None:
            return found.data
        on_disk = overlay.present.get(found.path)
        if on_disk is not None and on_disk.data is not None:
            return on_disk.data
        return reader.blob(found.blob_sha)

    done = Pass(head, dirty=len(dirty), unmerged=overlay.unmerged, reason=reason)
    with Spool(thresholds.rows_in_memory) as spool:
        plan = plan_changes(connection, candidates, read, spool)
        if plan.is_empty and head == mark.head_sha and dirty == sorted(dirty_before.items()):
            done.unchanged = True
            done.skipped = _skipped(connection)
            done.touched_chunks = ()
            return done
        renamed = len(plan.moves)
        done.added, done.removed, done.renamed = len(plan.added), len(plan.removed), renamed
        done.modified = len(plan.rewritten) - renamed
        touched = json.dumps(sorted({*plan.rewritten, *plan.added}))
        said = json.dumps(sorted(plan.written_hashes))
        with transaction(connection, "updating the index"):
            faults.point("pass.begun")
            (done.chunks_known,) = connection.execute(_SAID_ALREADY, (said,)).fetchone()
            released = apply_plan(connection, plan, spool, at, triggers_up_to=thresholds.triggers_up_to)
            left = orphans.drop_orphans(connection, released, at)
            done.derived_edges_dropped = settle_derived_edges(connection)
            faults.point("pass.orphans_removed")
            tables.replace_dirty(connection, dirty)
            record_moves(connection, plan.moves)
            write_watermark(
                connection,
                replace(mark, head_sha=head, updated_at=at, vector_seq=mark.vector_seq + (1 if left else 0)),
            )
            faults.point("pass.watermark_written")
    faults.point("pass.committed")
    if len(plan.rewritten) + len(plan.added) + len(plan.removed) > thresholds.triggers_up_to:
        _checkpoint(connection)
    done.touched_chunks = tuple(chunk for (chunk,) in connection.execute(_CHUNKS_OF, (touched,)))
    done.skipped = _skipped(connection)
    return done


def _compare_whole_tree(
    connection: sqlite3.Connection, reader: "GitReader", head: CommitSha
) -> dict[MemoryPath, Found | None]:
    """Return what differs between a commit and the index, for a watermark that leads nowhere."""
    rows, skips = known_rows(connection), known_skips(connection)
    stood = {path: known.blob_sha for path, known in rows.items()}
    stood.update((path, skip.blob_sha) for path, skip in skips.items())
    candidates: dict[MemoryPath, Found | None] = {}
    for entry in reader.walk(head):
        found = found_of(entry)
        if found is not None and stood.pop(entry.path, None) != entry.blob_sha:
            candidates[entry.path] = found
    candidates.update(dict.fromkeys(stood))
    return candidates


def _checkpoint(connection: sqlite3.Connection) -> None:
    """Fold the write-ahead log back where no reader is in the way; one that is, keeps it for later."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    faults.point("pass.checkpointed")
