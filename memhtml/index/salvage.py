"""What a damaged index still gives: its vectors. Everything else is read from git again.

The damaged file is moved aside, never mended: an index that is wrong in one page may be wrong in others.
"""

import math
import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memhtml import faults
from memhtml.errors import StorageFailed
from memhtml.values import Instant

__all__ = ["move_aside", "salvage_vectors"]

_SUFFIXES = ("", "-wal", "-shm")
_ROW_IDS = "SELECT max(rowid) FROM embeddings"
_ONE = "SELECT chunk_id, model, dim, vec, created_at FROM embeddings WHERE rowid = ?"
_STEP = "SELECT rowid, chunk_id, model, dim, vec, created_at FROM embeddings WHERE rowid > ? ORDER BY rowid LIMIT 1"
_MOST_COMMON = "SELECT model FROM temp.salvaged GROUP BY model ORDER BY count(*) DESC, model LIMIT 1"
_RESTORE = (
    "INSERT INTO embeddings (chunk_id, model, dim, vec, created_at)"
    " SELECT chunk_id, model, dim, vec, created_at FROM temp.salvaged JOIN chunks USING (chunk_id) WHERE model = ?"
    " ON CONFLICT (chunk_id) DO NOTHING"
)
#: How far the length of a normalised vector may stray; a page of rubbish strays further.
_NORM_SLACK = 1e-2
#: Gives up on a table whose every page is unreadable.
_MISSES = 10_000


def move_aside(index_path: Path, at: Instant) -> Path:
    """Rename a damaged index and its journals to a name of their own beside them; return the new path."""
    stamp = at.replace(":", "").replace("-", "")
    target = index_path.with_name(f"{index_path.name}.damaged-{stamp}")
    count = 1
    while target.exists():
        count += 1
        target = index_path.with_name(f"{index_path.name}.damaged-{stamp}-{count}")
    try:
        for suffix in reversed(_SUFFIXES):
            part = index_path.with_name(index_path.name + suffix)
            if part.exists():
                part.rename(target.with_name(target.name + suffix))
    except OSError as error:
        raise StorageFailed("moving the damaged index aside", error.strerror or "") from error
    faults.point("damage.moved_aside")
    return target


def salvage_vectors(connection: sqlite3.Connection, damaged: Path, space: str | None) -> int:
    """Copy every readable vector whose chunk exists again; return how many.

    Call inside a transaction after the rows are written. Without a named space the most common one is taken.
    A vector of the wrong size, with a value that is not finite, or far from unit length, is left behind.
    """
    connection.execute(
        "CREATE TEMP TABLE salvaged (chunk_id TEXT PRIMARY KEY, model TEXT, dim INTEGER, vec BLOB, created_at TEXT)"
    )
    try:
        connection.executemany(
            "INSERT OR IGNORE INTO temp.salvaged (chunk_id, model, dim, vec, created_at) VALUES (?, ?, ?, ?, ?)",
            _readable(damaged),
        )
        if space is None:
            most = connection.execute(_MOST_COMMON).fetchone()
            if most is None:
                return 0
            space = str(most[0])
        return connection.execute(_RESTORE, (space,)).rowcount
    finally:
        connection.execute("DROP TABLE temp.salvaged")


def _readable(damaged: Path) -> Iterator[tuple[str, str, int, bytes, str]]:
    with suppress(sqlite3.Error):
        source = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        try:
            yield from _rows(source)
        finally:
            source.close()


def _rows(source: sqlite3.Connection) -> Iterator[tuple[str, str, int, bytes, str]]:
    """Walk the table by rowid; behind an unreadable page go on one rowid at a time until the next readable one."""
    after, misses = 0, 0
    while misses < _MISSES:
        try:
            row = source.execute(_STEP, (after,)).fetchone()
        except sqlite3.Error:
            row = None
            after, misses = after + 1, misses + 1
            with suppress(sqlite3.Error):
                one = source.execute(_ONE, (after,)).fetchone()
                row = None if one is None else (after, *one)
            if row is None:
                continue
        if row is None:
            return
        misses = 0
        after = row[0]
        if _is_sound(row[1], row[2], row[3], row[4], row[5]):
            yield row[1:]


def _is_sound(chunk_id: object, model: object, dim: object, vec: object, created_at: object) -> bool:
    if not (isinstance(chunk_id, str) and isinstance(model, str) and isinstance(created_at, str)):
        return False
    if not (isinstance(dim, int) and isinstance(vec, bytes) and dim > 0 and len(vec) == 4 * dim):
        return False
    total = math.fsum(value * value for value in array("f", vec))
    return math.isfinite(total) and abs(math.sqrt(total) - 1.0) <= _NORM_SLACK
