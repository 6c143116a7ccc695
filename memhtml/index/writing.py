"""Opening the index for one writer, and closing it without a trail."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memhtml import faults
from memhtml.db.open import open_index
from memhtml.db.storage import storage
from memhtml.errors import IndexDamaged, SchemaChanged
from memhtml.index.folder import IndexFolder, held
from memhtml.index.salvage import move_aside
from memhtml.resources import migrations
from memhtml.values import Instant, Plane

__all__ = ["Writing", "checkpoint", "writing"]


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


def checkpoint(connection: sqlite3.Connection) -> None:
    """Fold the write-ahead log back where no reader is in the way; one that is, keeps it for later."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    faults.point("pass.checkpointed")
