"""The pass that follows the repository from the commit the index had caught up with."""

import json
import sqlite3
from dataclasses import dataclass, replace

from memhtml import faults
from memhtml.db.busy import transaction
from memhtml.git.read import GitReader
from memhtml.index import orphans, tables
from memhtml.index.apply import TRIGGERS_UP_TO, apply_plan
from memhtml.index.changes import known_rows, plan_changes, unknown_candidates
from memhtml.index.derived import settle_derived_edges
from memhtml.index.expected import Found, Overlay, found_of
from memhtml.index.moves import record_moves
from memhtml.index.outcome import Pass
from memhtml.index.reports import Reconcile
from memhtml.index.reproject import reproject
from memhtml.index.skipped import known_skips
from memhtml.index.spool import ROWS_IN_MEMORY, Spool
from memhtml.index.watermark import Watermark, write_watermark
from memhtml.index.writing import Writing, checkpoint
from memhtml.values import ChunkId, CommitSha, Instant, MemoryPath, Skip

__all__ = ["DEFAULT_THRESHOLDS", "Thresholds", "follow"]

_DIRTY = "SELECT path, blob_sha FROM dirty_paths ORDER BY path"
_SAID_ALREADY = "SELECT count(*) FROM chunks WHERE content_hash IN (SELECT value FROM json_each(?))"
_CHUNKS_OF = (
    "SELECT DISTINCT chunk_id FROM chunks JOIN files USING (content_hash)"
    " WHERE files.path IN (SELECT value FROM json_each(?)) ORDER BY chunk_id"
)
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


def _skipped(connection: sqlite3.Connection) -> tuple[Skip, ...]:
    return tuple(skip for _, skip in sorted(known_skips(connection).items()))


def follow(
    opened: Writing,
    reader: GitReader,
    mark: Watermark,
    head: CommitSha,
    overlay: Overlay,
    at: Instant,
    *,
    worktree: bool,
    thresholds: Thresholds,
) -> Pass:
    """Read what differs between the watermark and `head`, and between that and the working tree, and write it.

    `worktree` says whether the overlay speaks; if not, what earlier passes took from the working tree stands.
    """
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

    candidates = unknown_candidates(connection, candidates)
    (standing,) = connection.execute(_FILE_COUNT).fetchone()
    if len(candidates) > thresholds.whole_from and 3 * len(candidates) > standing and worktree:
        done = reproject(opened, reader, head, overlay, mark, None, at, before=known_rows(connection))
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
            orphans.forget_old_cache(connection, at)
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
        checkpoint(connection)
    done.touched_chunks = tuple(ChunkId(chunk) for (chunk,) in connection.execute(_CHUNKS_OF, (touched,)))
    done.skipped = _skipped(connection)
    return done


def _compare_whole_tree(
    connection: sqlite3.Connection, reader: GitReader, head: CommitSha
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
