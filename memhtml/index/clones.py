"""The counts of each clone in the state plane: which are our own, what others told us, and what we tell them.

A memory's count is the sum over the clones, so every clone writes down its own counts alone, under an id of its own.
The id holds for the real path it was made at. A copied folder brings the original's counts along, which the original
goes on telling: in the copy they become the original's, and what is counted from then on is the copy's own.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from memhtml.db.busy import WAIT_S, transaction
from memhtml.index.sidecar import (
    ACCESS,
    CONSOLIDATIONS,
    EDGES,
    ENTITIES,
    LINKS,
    Counts,
    Sheet,
    Value,
    by_path,
    counts_of,
    joined,
)
from memhtml.values import Plane

__all__ = ["Home", "own_clone", "read_own", "take_in_counts", "take_in_rows"]

_CLONE: Final = "SELECT clone_id, bound_to FROM state.clone WHERE id = 1"
_BIND: Final = (
    "INSERT INTO state.clone (id, clone_id, bound_to) VALUES (1, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET clone_id = excluded.clone_id, bound_to = excluded.bound_to"
)
_COLUMNS: Final = ", ".join(ACCESS.columns)
_MARKS: Final = ", ".join("?" for _ in ACCESS.columns)
_OWN: Final = f"SELECT {_COLUMNS} FROM state.access ORDER BY path"
_REMOTE: Final = f"SELECT {_COLUMNS} FROM state.access_remote WHERE clone_id = ? ORDER BY path"
_DROP_OWN: Final = "DELETE FROM state.access"
_DROP_REMOTE: Final = "DELETE FROM state.access_remote WHERE clone_id = ?"
_ADD_OWN: Final = f"INSERT INTO state.access ({_COLUMNS}) VALUES ({_MARKS})"
_ADD_REMOTE: Final = f"INSERT INTO state.access_remote (clone_id, {_COLUMNS}) VALUES (?, {_MARKS})"

#: How rows of each other table are taken in: facts once, work already paid for by its latest, detections by the most.
_MOST_SEEN: Final = (
    " DO UPDATE SET detections = max(detections, excluded.detections), confirmed = max(confirmed, excluded.confirmed),"
    " promoted = max(promoted, excluded.promoted), updated_at = max(updated_at, excluded.updated_at)"
)
_ON_CONFLICT: Final[dict[str, str]] = {
    LINKS.name: " DO NOTHING",
    CONSOLIDATIONS.name: " (session_id) DO UPDATE SET run_id = excluded.run_id,"
    " consolidated_at = excluded.consolidated_at WHERE excluded.consolidated_at > consolidated_at",
    EDGES.name: " (src_path, rel, dst_path)" + _MOST_SEEN,
    ENTITIES.name: " (entity_type, alias_name, canonical_name)" + _MOST_SEEN,
}


class Home(NamedTuple):
    """Where memories stand by what is indexed; without an index every path is where it is said to be."""

    #: Whether a memory stands at a path; None where nobody knows.
    is_live: Callable[[str], bool | None]
    #: The path of the memory that says some words now.
    path_of_words: Callable[[str], str | None]

    def path(self, counts: Counts) -> str:
        """Return where the memory of some counts stands now, or where it stood."""
        if self.is_live(counts.path) is not False or counts.content_hash is None:
            return counts.path
        return self.path_of_words(counts.content_hash) or counts.path


def own_clone(
    state: sqlite3.Connection,
    root: Path,
    fresh_id: Callable[[], str],
    told_by: Callable[[str], Iterable[Counts]],
    *,
    wait_s: float = WAIT_S,
) -> str:
    """Return the id of the clone at `root`, and see to it that what `state.access` holds is this clone's own.

    To be called before anything is counted, or a copy would count on in the original's name.

    Shapes: `told_by` returns what a clone's file says.
    Effects: one transaction where the id is new. Where another store has the former id still, the counts become that
    clone's; where there is none, the folder was moved, and only what that id has told becomes its.
    Errors: LockHeld, StorageFailed.
    """
    here = str(root.resolve())
    if (known := _bound(state, here)) is not None:
        return known
    with transaction(state, "telling clones apart", Plane.STATE, wait_s=wait_s):
        if (known := _bound(state, here)) is not None:
            return known
        row = state.execute(_CLONE).fetchone()
        clone_id = fresh_id()
        state.execute(_BIND, (clone_id, here))
        if row is not None:
            former, bound_to = row
            own = by_path(map(counts_of, state.execute(_OWN)))
            lives_on = (Path(bound_to) / ".memhtml" / "state.db").exists()
            told = own if lives_on else by_path(told_by(former))
            _write_remote(state, former, told.values(), _remote(state, former))
            left = [rest for counts in own.values() if (rest := _beyond(counts, told.get(counts.path)))]
            state.execute(_DROP_OWN)
            state.executemany(_ADD_OWN, left)
    return clone_id


def _bound(state: sqlite3.Connection, here: str) -> str | None:
    row = state.execute(_CLONE).fetchone()
    return str(row[0]) if row is not None and row[1] == here else None


def _beyond(own: Counts, told: Counts | None) -> Counts | None:
    """Return what was counted beyond what was told, or None for nothing."""
    if told is None:
        return own
    accesses = own.access_count - told.access_count
    reinforcements = own.reinforcement_count - told.reinforcement_count
    if accesses <= 0 and reinforcements <= 0:
        return None
    return own._replace(access_count=max(accesses, 0), reinforcement_count=max(reinforcements, 0))


def read_own(state: sqlite3.Connection, sheet: Sheet) -> list[tuple[Value, ...]]:
    """Return the rows of one of the tables that clones tell each other, in the columns of its sheet."""
    return state.execute(f"SELECT {', '.join(sheet.columns)} FROM state.{sheet.table}").fetchall()


def take_in_counts(
    state: sqlite3.Connection, clone_id: str, rows: Iterable[Counts], home: Home, *, is_own: bool
) -> None:
    """Replace what is known of a clone's counts by what its file says, inside a transaction of the caller's.

    No count goes down: what was known and is not less stays, unless its memory is gone and the file knows it no more.
    Our own file only ever adds to what we counted: it is older.
    """
    said = by_path(counts._replace(path=home.path(counts)) for counts in rows)
    if is_own:
        known = by_path(map(counts_of, state.execute(_OWN)))
        state.execute(_DROP_OWN)
        state.executemany(_ADD_OWN, by_path([*known.values(), *said.values()]).values())
        return
    known = _remote(state, clone_id)
    kept = {path: counts for path, counts in known.items() if path in said or home.is_live(path) is not False}
    _write_remote(state, clone_id, said.values(), kept)


def take_in_rows(state: sqlite3.Connection, sheet: Sheet, rows: Iterable[tuple[Value, ...]]) -> None:
    """Take in what clones say in a sheet, inside a transaction of the caller's; twice is the same as once."""
    marks = ", ".join("?" for _ in sheet.columns)
    insert = f"INSERT INTO state.{sheet.table} ({', '.join(sheet.columns)}) VALUES ({marks})"
    state.executemany(f"{insert} ON CONFLICT{_ON_CONFLICT[sheet.name]}", rows)


def _remote(state: sqlite3.Connection, clone_id: str) -> Mapping[str, Counts]:
    return by_path(map(counts_of, state.execute(_REMOTE, (clone_id,))))


def _write_remote(
    state: sqlite3.Connection, clone_id: str, said: Iterable[Counts], kept: Mapping[str, Counts]
) -> None:
    rows = dict(kept)
    for counts in said:
        rows[counts.path] = joined(counts, kept[counts.path]) if counts.path in kept else counts
    state.execute(_DROP_REMOTE, (clone_id,))
    state.executemany(_ADD_REMOTE, ((clone_id, *counts) for counts in rows.values()))
