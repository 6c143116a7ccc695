"""The two ways to bring an index up: rebuild reads everything, update what changed.

Both take the pass lock, judge files through `expected.project`, and write rows, watermark and pending moves in one
transaction: a crash leaves the old index or the new one. Vectors come afterwards (`embed`).
"""

import sqlite3
from collections.abc import Callable

from memhtml.errors import GitFailed, IndexDamaged, IndexStale, RebuildNoEmbedRefused, StorageFailed
from memhtml.git.read import GitReader
from memhtml.index.changes import known_rows
from memhtml.index.embed import guard_space
from memhtml.index.expected import NO_OVERLAY, read_overlay
from memhtml.index.folder import IndexFolder
from memhtml.index.follow import DEFAULT_THRESHOLDS, Thresholds, follow
from memhtml.index.outcome import Pass
from memhtml.index.projector import fingerprint
from memhtml.index.reports import Reconcile
from memhtml.index.reproject import reproject
from memhtml.index.watermark import Watermark, read_watermark
from memhtml.index.writing import Writing, writing
from memhtml.models.ports import Space
from memhtml.values import CommitSha, Instant

__all__ = ["rebuild", "update"]

_VECTORS = "SELECT count(*) FROM embeddings"


def rebuild(
    folder: IndexFolder,
    reader: GitReader,
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
            (vectors,) = connection.execute(_VECTORS).fetchone()
            if vectors and not force:
                stored = (mark and mark.embed_model) or "an unknown space"
                raise RebuildNoEmbedRefused(vectors, stored, because)
        overlay = NO_OVERLAY if committed else read_overlay(reader)
        # For the moves alone: whoever counts by path must hear of a rename from a rebuild as well.
        before = known_rows(connection)
        return reproject(opened, reader, _head(reader), overlay, mark, space, at, before=before)

    return _with_second_chance(folder, at, run)


def update(
    folder: IndexFolder,
    reader: GitReader,
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
            done = reproject(opened, reader, head, overlay, None, space, at, before={})
            done.reason = Reconcile.DAMAGED if opened.moved_aside is not None else None
            return done
        if mark.head_sha is None:
            raise IndexStale
        if mark.projector != fingerprint():
            before = known_rows(connection)
            done = reproject(opened, reader, head, overlay, mark, None, at, before=before)
            done.reason = Reconcile.PROJECTOR_CHANGED
            return done
        return follow(opened, reader, mark, head, overlay, at, worktree=reads_worktree, thresholds=thresholds)

    return _with_second_chance(folder, at, run)


def _with_second_chance(folder: IndexFolder, at: Instant, run: Callable[[Writing], Pass]) -> Pass:
    """Run a pass; where damage shows under way, move the index aside and run it once more from nothing."""
    try:
        with writing(folder, at) as opened:
            return run(opened)
    except IndexDamaged:
        with writing(folder, at, is_damaged=True) as opened:
            return run(opened)


def _head(reader: GitReader) -> CommitSha:
    head = reader.head()
    if head is None:
        raise GitFailed("rev-parse HEAD", "this repository has no commit yet")
    return head


def _lenient_watermark(connection: sqlite3.Connection) -> Watermark | None:
    """Return the watermark, or None where it cannot be decoded: a rebuild replaces it anyway."""
    try:
        return read_watermark(connection)
    except StorageFailed:
        return None
