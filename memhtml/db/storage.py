"""Where sqlite3's errors stop: what leaves this layer names the operation, never SQL, parameters or driver words."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from memhtml.errors import IndexDamaged, LockHeld, MemhtmlError, StorageFailed
from memhtml.values import Plane

__all__ = ["BUSY_TIMEOUT_S", "failure", "foreign", "is_busy", "primary_code", "storage"]

#: How long SQLite itself waits for a lock before it says busy.
BUSY_TIMEOUT_S = 5.0

#: Primary result codes that a person can act upon.
_REASONS = {
    sqlite3.SQLITE_PERM: "access is not permitted",
    sqlite3.SQLITE_LOCKED: "the table is in use",
    sqlite3.SQLITE_NOMEM: "out of memory",
    sqlite3.SQLITE_READONLY: "the database is read-only",
    sqlite3.SQLITE_INTERRUPT: "it was interrupted",
    sqlite3.SQLITE_IOERR: "the disk reported an error",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_TOOBIG: "a value is too large",
    sqlite3.SQLITE_CONSTRAINT: "a row breaks a rule of the schema",
}

_DAMAGE = {
    sqlite3.SQLITE_CORRUPT: "its pages contradict each other",
    sqlite3.SQLITE_NOTADB: "it is not a database",
}


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's result code without its extension; 0 where the driver, not SQLite, complained."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether another connection was in the way; nothing was done, so trying again is safe."""
    return primary_code(error) == sqlite3.SQLITE_BUSY


def failure(operation: str, error: sqlite3.Error, plane: Plane = Plane.INDEX) -> MemhtmlError:
    """Return what the driver's error means to a caller."""
    code = primary_code(error)
    if code in _DAMAGE:
        if plane is Plane.INDEX:
            return IndexDamaged(_DAMAGE[code])
        return StorageFailed(operation, f"{plane}.db is damaged: {_DAMAGE[code]}")
    if code == sqlite3.SQLITE_BUSY:
        return LockHeld(f"{plane}.db", BUSY_TIMEOUT_S)
    return StorageFailed(operation, _REASONS.get(code, ""))


def foreign(plane: Plane) -> MemhtmlError:
    """Return the refusal of a database that SQLite, but not memhtml, can have written."""
    reason = "another program wrote it"
    if plane is Plane.INDEX:
        return IndexDamaged(reason)
    return StorageFailed(f"opening {plane}.db", f"{reason}; nothing was touched")


@contextmanager
def storage(operation: str, plane: Plane = Plane.INDEX) -> Iterator[None]:
    """Let no sqlite3 error out of the block.

    Errors: IndexDamaged for unreadable pages of the index, LockHeld, StorageFailed for everything else.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise failure(operation, error, plane) from error
