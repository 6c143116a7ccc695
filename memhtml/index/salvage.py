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
from memhtml.models.ports import is_unit_length
from memhtml.values import Instant

__all__ = ["move_aside", "salvage_vectors"]

_SUFFIXES = ("", "-wal", "-shm")
#: Table to its columns, the vector's space, dimension (None where only the blob tells) and bytes among them by place.
_SALVAGED = {
    "embeddings": ("chunk_id, model, dim, vec, created_at", 1, 2, 3),
    "embedding_cache": ("space, text_hash, dim, vec, last_used_at", 0, 2, 3),
    "probe_vectors": ("space, ordinal, text, vec", 0, None, 3),
}
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
    """Copy what was paid for and is readable: vectors whose chunk exists again, the cache, the probes.

    Call inside a transaction after the rows are written; returns how many chunks have their vector again. Without a
    named space the most common one is taken. A vector of the wrong size, with a value that is not finite, or far from
    unit length in a space of unit vectors, is left behind.
    """
    connection.execute(
        "CREATE TEMP TABLE salvaged (chunk_id TEXT PRIMARY KEY, model TEXT, dim INTEGER, vec BLOB, created_at TEXT)"
    )
    try:
        for table, target in (
            ("embeddings", "temp.salvaged"),
            ("embedding_cache", "embedding_cache"),
            ("probe_vectors", "probe_vectors"),
        ):
            columns = _SALVAGED[table][0]
            places = ", ".join("?" * len(columns.split(", ")))
            statement = f"INSERT OR IGNORE INTO {target} ({columns}) VALUES ({places})"
            connection.executemany(statement, _readable(damaged, table))
        if space is None:
            most = connection.execute(_MOST_COMMON).fetchone()
            if most is None:
                return 0
            space = str(most[0])
        return connection.execute(_RESTORE, (space,)).rowcount
    finally:
        connection.execute("DROP TABLE temp.salvaged")


def _readable(damaged: Path, table: str) -> Iterator[tuple[object, ...]]:
    with suppress(sqlite3.Error):
        source = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        try:
            yield from _rows(source, table)
        finally:
            source.close()


def _rows(source: sqlite3.Connection, table: str) -> Iterator[tuple[object, ...]]:
    """Walk a table by rowid; behind an unreadable page go on one rowid at a time until the next readable one."""
    columns, space, dim, vec = _SALVAGED[table]
    step = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT 1"
    one = f"SELECT rowid, {columns} FROM {table} WHERE rowid = ?"
    after, misses = 0, 0
    while misses < _MISSES:
        try:
            row = source.execute(step, (after,)).fetchone()
            if row is None:
                return
        except sqlite3.Error:
            row = None
            after, misses = after + 1, misses + 1
            with suppress(sqlite3.Error):
                row = source.execute(one, (after,)).fetchone()
            if row is None:
                continue
        misses = 0
        after = row[0]
        values = row[1:]
        if _is_sound(values[space], None if dim is None else values[dim], values[vec]):
            yield values


def _is_sound(space: object, dim: object, vec: object) -> bool:
    if not (isinstance(space, str) and isinstance(vec, bytes) and vec and len(vec) % 4 == 0):
        return False
    if dim is not None and not (isinstance(dim, int) and len(vec) == 4 * dim):
        return False
    total = math.fsum(value * value for value in array("f", vec))
    if not math.isfinite(total):
        return False
    return not is_unit_length(space) or abs(math.sqrt(total) - 1.0) <= _NORM_SLACK
