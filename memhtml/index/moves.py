"""Telling the state plane which paths moved.

The two databases share no transaction, so a pass leaves its moves in `pending_moves` beside the rows, and every later
start passes them on. `applied_moves` remembers in the state plane how far an index file has told it: telling a swap
twice would undo it.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from memhtml import faults
from memhtml.db.busy import transaction
from memhtml.db.open import attach_state
from memhtml.resources import migrations
from memhtml.values import Instant, MemoryPath, Plane

__all__ = ["pass_on_moves", "record_moves", "rehome"]

_NEXT_BATCH = "SELECT coalesce(max(batch), 0) + 1 FROM pending_moves"
_RECORD = "INSERT INTO pending_moves (batch, from_path, to_path) VALUES (?, ?, ?)"
_PENDING = "SELECT seq, batch, from_path, to_path FROM pending_moves ORDER BY seq"
_FORGET = "DELETE FROM pending_moves WHERE seq <= ?"
_INDEX_ID = "SELECT index_id FROM index_state WHERE id = 1"
_APPLIED = "SELECT seq FROM state.applied_moves WHERE index_id = ?"
_REMEMBER = (
    "INSERT INTO state.applied_moves (index_id, seq) VALUES (?, ?)"
    " ON CONFLICT (index_id) DO UPDATE SET seq = excluded.seq"
)
# (table, column): what is keyed by a memory's path and simply follows it. A row already there gives way: it speaks of
# the same event (links), or of the same path in another clone's words (remote counts).
_FOLLOWERS = (("access_remote", "path"), ("memory_session_links", "path"))
_STEP_ASIDE = "UPDATE state.access SET path = ? WHERE path = ?"
# Counts of a memory that is gone belong to nobody; those of the same words belong together.
_DROP_STRANGER = (
    "DELETE FROM state.access WHERE path = :new AND content_hash IS NOT"
    " (SELECT content_hash FROM state.access WHERE path = :parked)"
    " AND EXISTS (SELECT 1 FROM state.access WHERE path = :parked)"
)
_MERGE_ACCESS = (
    "INSERT INTO state.access (path, content_hash, access_count, reinforcement_count, outcome_score,"
    " last_accessed_at, last_reinforced_at, updated_at)"
    " SELECT :new, content_hash, access_count, reinforcement_count, outcome_score, last_accessed_at,"
    " last_reinforced_at, updated_at FROM state.access WHERE path = :parked"
    " ON CONFLICT (path) DO UPDATE SET access_count = access.access_count + excluded.access_count,"
    " reinforcement_count = access.reinforcement_count + excluded.reinforcement_count,"
    " outcome_score = CASE WHEN excluded.updated_at > access.updated_at THEN excluded.outcome_score"
    " ELSE access.outcome_score END,"
    " last_accessed_at = max(coalesce(access.last_accessed_at, excluded.last_accessed_at),"
    " coalesce(excluded.last_accessed_at, access.last_accessed_at)),"
    " last_reinforced_at = max(coalesce(access.last_reinforced_at, excluded.last_reinforced_at),"
    " coalesce(excluded.last_reinforced_at, access.last_reinforced_at)),"
    " updated_at = max(access.updated_at, excluded.updated_at)"
)
_DROP_ACCESS = "DELETE FROM state.access WHERE path = :parked"
_MERGE_CORROBORATION = (
    "INSERT INTO state.edge_corroboration (src_path, rel, dst_path, detections, confirmed, promoted, updated_at)"
    " SELECT CASE src_path WHEN :old THEN :new ELSE src_path END, rel,"
    " CASE dst_path WHEN :old THEN :new ELSE dst_path END, detections, confirmed, promoted, updated_at"
    " FROM state.edge_corroboration WHERE src_path = :old OR dst_path = :old"
    " ON CONFLICT (src_path, rel, dst_path) DO UPDATE SET detections = edge_corroboration.detections"
    " + excluded.detections, confirmed = max(edge_corroboration.confirmed, excluded.confirmed),"
    " promoted = max(edge_corroboration.promoted, excluded.promoted),"
    " updated_at = max(edge_corroboration.updated_at, excluded.updated_at)"
)
_DROP_CORROBORATION = "DELETE FROM state.edge_corroboration WHERE src_path = :old OR dst_path = :old"
_HOMELESS = "SELECT path, content_hash FROM state.access WHERE content_hash IS NOT NULL ORDER BY path"
_HAS_ROW = "SELECT EXISTS (SELECT 1 FROM files WHERE path = ?)"
_SAYS_THE_SAME = "SELECT path FROM files WHERE content_hash = ? ORDER BY archived, path LIMIT 1"


def record_moves(connection: sqlite3.Connection, moves: Sequence[tuple[MemoryPath, MemoryPath]]) -> None:
    """Leave the moves of one pass, all of which happened at once, for the state plane."""
    if moves:
        (batch,) = connection.execute(_NEXT_BATCH).fetchone()
        connection.executemany(_RECORD, ((batch, old, new) for old, new in moves))


def pass_on_moves(connection: sqlite3.Connection, state_path: Path, at: Instant) -> int:
    """Apply what waits in `pending_moves` to the state plane and forget it; return how many moves that were.

    Effects: the state plane commits first. A crash between the two commits repeats the call, which then only forgets.
    Where there is no state plane nothing can have moved in it.
    Errors: those of opening and writing the state plane; the moves then wait for the next call.
    """
    waiting = connection.execute(_PENDING).fetchall()
    if not waiting:
        return 0
    last = waiting[-1][0]
    if state_path.exists():
        (index_id,) = connection.execute(_INDEX_ID).fetchone()
        with _state(state_path, at) as state, transaction(state, "moving access counts", Plane.STATE):
            told = state.execute(_APPLIED, (index_id,)).fetchone()
            seen = told[0] if told else 0
            fresh = [row for row in waiting if row[0] > seen]
            for _, batch in groupby(fresh, key=lambda row: row[1]):
                _move(state, [(row[2], row[3]) for row in batch])
            if fresh:
                state.execute(_REMEMBER, (index_id, last))
    faults.point("moves.state_written")
    with transaction(connection, "forgetting moves"):
        connection.execute(_FORGET, (last,))
    faults.point("moves.forgotten")
    return len(waiting)


def rehome(connection: sqlite3.Connection, state_path: Path, at: Instant) -> int:
    """Give counts whose path is gone to the memory that says the same words; return how many found one.

    This is for an index that was made from nothing, which saw no moves: the files themselves are all there is to ask.
    """
    if not state_path.exists():
        return 0
    with _state(state_path, at) as state, transaction(state, "finding moved memories", Plane.STATE):
        moves: list[tuple[str, str]] = []
        for path, content_hash in state.execute(_HOMELESS):
            if connection.execute(_HAS_ROW, (path,)).fetchone()[0]:
                continue
            home = connection.execute(_SAYS_THE_SAME, (content_hash,)).fetchone()
            if home is not None:
                moves.append((path, home[0]))
        for move in moves:  # one by one: two vanished paths may have said the same
            _move(state, [move])
    return len(moves)


@contextmanager
def _state(state_path: Path, at: Instant) -> Iterator[sqlite3.Connection]:
    """Open the state plane alone: a transaction over both files would lock the index for readers of nothing."""
    alone = sqlite3.connect(":memory:", isolation_level=None)
    try:
        attach_state(alone, state_path, mode="write", migrations=migrations(Plane.STATE), now=at)
        yield alone
    finally:
        alone.close()


def _move(state: sqlite3.Connection, moves: Iterable[tuple[str, str]]) -> None:
    """Rename paths that moved at one moment: aside first, since a move may lead to where another started."""
    aside = [(old, f"//moving/{n}", new) for n, (old, new) in enumerate(moves)]
    for old, parked, _ in aside:
        state.execute(_STEP_ASIDE, (parked, old))
        state.execute(_MERGE_CORROBORATION, {"old": old, "new": parked})
        state.execute(_DROP_CORROBORATION, {"old": old})
    for _, parked, new in aside:
        ends = {"parked": parked, "new": new}
        for statement in (_DROP_STRANGER, _MERGE_ACCESS, _DROP_ACCESS):
            state.execute(statement, ends)
        state.execute(_MERGE_CORROBORATION, {"old": parked, "new": new})
        state.execute(_DROP_CORROBORATION, {"old": parked})
    for table, column in _FOLLOWERS:
        rename = f"UPDATE OR REPLACE state.{table} SET {column} = ? WHERE {column} = ?"
        state.executemany(rename, [(parked, old) for old, parked, _ in aside])
        state.executemany(rename, [(new, parked) for _, parked, new in aside])
