"""The pass that writes every row anew: a rebuild, and an update that is better off as one."""

import sqlite3

from memhtml import faults
from memhtml.db.busy import transaction
from memhtml.git.read import GitReader
from memhtml.ids import new_id
from memhtml.index import orphans, tables
from memhtml.index.changes import Known
from memhtml.index.expected import Overlay, everything
from memhtml.index.moves import record_moves
from memhtml.index.outcome import Pass
from memhtml.index.projector import fingerprint
from memhtml.index.salvage import salvage_vectors
from memhtml.index.skipped import known_skips
from memhtml.index.watermark import Watermark, write_watermark
from memhtml.index.whole import WholeOutcome, write_everything
from memhtml.index.writing import Writing, checkpoint
from memhtml.models.ports import Space
from memhtml.values import CommitSha, Instant, MemoryPath

__all__ = ["reproject"]

_COUNTS = (
    "SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM edges),"
    " (SELECT count(*) FROM edges WHERE derived = 1)"
)
_ANY_SPACE = "SELECT model, dim FROM embeddings GROUP BY model, dim ORDER BY count(*) DESC, model LIMIT 1"


def reproject(
    opened: Writing,
    reader: GitReader,
    head: CommitSha,
    overlay: Overlay,
    mark: Watermark | None,
    space: Space | None,
    at: Instant,
    *,
    before: dict[MemoryPath, Known],
) -> Pass:
    """Write a row for every file of the commit and the overlay, in one transaction, and return what that did.

    `before` holds the rows that stood, for counts and moves; it is consumed.
    """
    connection = opened.connection
    # With foreign keys on, emptying `files` would walk every child row, and `chunks` would take its vectors along.
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        with transaction(connection, "rebuilding the index"):
            faults.point("pass.begun")
            is_first = not before
            has_vectors = orphans.remember_texts(connection)
            outcome = write_everything(connection, everything(reader, head, overlay), before, at)
            kept = left = 0
            if has_vectors:
                kept, left = orphans.settle_vectors(connection, at)
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
    checkpoint(connection)
    done = _report_whole(connection, head, outcome, kept)
    done.dirty, done.unmerged = len(overlay.dirty()), overlay.unmerged
    done.moved_aside = opened.moved_aside
    done.is_first = is_first
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
    if kept:
        model, dim = connection.execute(_ANY_SPACE).fetchone()
    elif space is not None:
        model, dim = space.identity, space.dimension
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
    chunks, edges, derived = connection.execute(_COUNTS).fetchone()
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
        skipped=tuple(skip for _, skip in sorted(known_skips(connection).items())),
    )
