"""Where a memory is now: a path that once led to it is followed through the archive and through corrections."""

import sqlite3
from enum import StrEnum
from typing import Final, NamedTuple

from memhtml.format.paths import original_path
from memhtml.values import MemoryPath

__all__ = ["MAX_HOPS", "Hop", "Resolved", "Stop", "Via", "moved_to", "resolve"]

MAX_HOPS: Final = 16

_FILE: Final = "SELECT archived, origin_path FROM files WHERE path = ?"
#: Of several that were archived from one place, the last one.
_ARCHIVED: Final = (
    "SELECT path FROM files WHERE origin_path = ? AND archived = 1"
    " ORDER BY coalesce(archived_at, updated_at) DESC, path DESC LIMIT 1"
)
#: Of several that say they took its place, an active one, and of these the last one.
_SUCCESSOR: Final = (
    "SELECT e.src_path FROM edges AS e JOIN files AS f ON f.path = e.src_path"
    " WHERE e.dst_path = ? AND e.edge_class = 'memory' AND e.rel = 'supersedes'"
    " ORDER BY f.archived, f.updated_at DESC, e.src_path LIMIT 1"
)


class Stop(StrEnum):
    """Why a path was not followed any further."""

    LIVE = "live"
    #: In the archive, and nothing took its place.
    ARCHIVED = "archived"
    #: Nothing the index knows stands or stood there.
    UNINDEXED = "unindexed"
    CYCLE = "cycle"
    HOP_LIMIT = "hop_limit"


class Via(StrEnum):
    """What leads from one path to the next."""

    ARCHIVED = "archived"
    RESTORED = "restored"
    SUPERSEDED = "superseded"


class Hop(NamedTuple):
    path: MemoryPath
    via: Via


class Resolved(NamedTuple):
    path: MemoryPath
    #: The last path that was reached; where it stops `unindexed`, nothing stands there.
    resolved_path: MemoryPath
    stop: Stop
    hops: tuple[Hop, ...]


def resolve(connection: sqlite3.Connection, path: MemoryPath) -> Resolved:
    """Follow a path to the memory that stands for it now. Total: every walk ends after `MAX_HOPS`."""
    hops: list[Hop] = []
    seen = {path}
    at = path
    while True:
        step = _step(connection, at)
        if isinstance(step, Stop):
            return Resolved(path, at, step, tuple(hops))
        if step.path in seen:
            return Resolved(path, at, Stop.CYCLE, tuple(hops))
        if len(hops) == MAX_HOPS:
            return Resolved(path, at, Stop.HOP_LIMIT, tuple(hops))
        hops.append(step)
        seen.add(step.path)
        at = step.path


def moved_to(connection: sqlite3.Connection, path: str) -> MemoryPath | None:
    """Return where the last memory that was archived from a path is, or None."""
    row = connection.execute(_ARCHIVED, (path,)).fetchone()
    return MemoryPath(row[0]) if row is not None else None


def _step(connection: sqlite3.Connection, path: MemoryPath) -> Hop | Stop:
    file = connection.execute(_FILE, (path,)).fetchone()
    if file is None:
        return _step_from_nothing(connection, path)
    archived, origin = file
    if not archived:
        return Stop.LIVE
    successor = _successor(connection, path)
    if successor is None and origin is not None and _is_vacant(connection, origin):
        successor = _successor(connection, origin)  # the link was made before the move
    return Hop(successor, Via.SUPERSEDED) if successor is not None else Stop.ARCHIVED


def _step_from_nothing(connection: sqlite3.Connection, path: MemoryPath) -> Hop | Stop:
    archived = moved_to(connection, path)
    if archived is not None:
        return Hop(archived, Via.ARCHIVED)
    origin = original_path(path)
    if origin is not None and not _is_vacant(connection, origin):
        return Hop(origin, Via.RESTORED)
    successor = _successor(connection, path)
    return Hop(successor, Via.SUPERSEDED) if successor is not None else Stop.UNINDEXED


def _successor(connection: sqlite3.Connection, path: str) -> MemoryPath | None:
    row = connection.execute(_SUCCESSOR, (path,)).fetchone()
    return MemoryPath(row[0]) if row is not None else None


def _is_vacant(connection: sqlite3.Connection, path: str) -> bool:
    return connection.execute(_FILE, (path,)).fetchone() is None
