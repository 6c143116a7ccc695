"""Opens `index.db` and attaches `state.db`: pragmas, the SQL function, the schema check.

Opening imports nothing but sqlite3; numpy comes with the first vector that a statement compares.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from memhtml.db.busy import WAIT_S, patiently
from memhtml.db.migrate import migrate, pending
from memhtml.db.storage import BUSY_TIMEOUT_S, foreign, primary_code, storage
from memhtml.errors import IndexMissing, IndexStale, StorageFailed
from memhtml.values import Instant, Migration, Plane

__all__ = ["Mode", "attach_state", "open_index", "storage"]

#: `read` takes no lock, creates nothing and migrates nothing.
Mode = Literal["read", "write"]

#: STRICT tables came with it.
_OLDEST_SQLITE = (3, 37, 0)

_WRITE_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    # Overwriting freed pages with zeros protects nothing here: git holds the text.
    "PRAGMA secure_delete = OFF",
    "PRAGMA cache_size = -65536",
)
_READ_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -32768",
)


def open_index(
    path: Path, *, mode: Mode, migrations: Sequence[Migration], now: Instant
) -> sqlite3.Connection:
    """Return a connection to the index, in autocommit mode and without the state plane.

    Effects: `write` creates the file and its parents and brings the schema up to date. `read` leaves the file alone,
    and works in a read-only folder.
    Errors: IndexMissing and IndexStale (`read` only), IndexDamaged, SchemaTooNew, SchemaChanged, LockHeld,
    StorageFailed.
    """
    connection = _connect(path, mode, Plane.INDEX, migrations)
    try:
        _require_features(connection)
        connection.create_function("vector_distance_cos", 2, _vector_distance_cos, deterministic=True)
        with storage("opening index.db"):
            if mode == "write":
                migrate(connection, migrations, Plane.INDEX, now)
            elif todo := pending(connection, migrations, Plane.INDEX):
                if len(todo) == len(migrations):
                    raise IndexMissing
                raise IndexStale("an older memhtml wrote the index", hints=("memhtml index update",))
    except BaseException:
        connection.close()
        raise
    return connection


def attach_state(
    connection: sqlite3.Connection,
    path: Path,
    *,
    mode: Mode,
    migrations: Sequence[Migration],
    now: Instant,
    wait_s: float = WAIT_S,
) -> bool:
    """Attach the state plane as schema `state`, once a connection, and tell whether it is there.

    A connection that only reads the index may still attach the state for writing: counting a read is a write.

    Units: `wait_s` is how long a plane that must be made or migrated first is waited for; beside it SQLite waits as
    long as the connection's own timeout says.

    Effects: `write` creates the file and brings its schema up to date, in a connection of its own, so that the index is
    never locked for it. `read` creates nothing: a state plane that is missing or older is not attached.
    Errors: SchemaTooNew, SchemaChanged, LockHeld, StorageFailed; the connection is then without it, and usable.
    """
    if mode == "read" and _is_absent(path):
        return False
    with storage("opening state.db", Plane.STATE):
        _attach(connection, path, mode)
        try:
            if pending(connection, migrations, Plane.STATE, schema="state"):
                if mode == "read":
                    connection.execute("DETACH DATABASE state")
                    return False
                _migrate_state(path, migrations, now, wait_s)
            if mode == "write":
                to_wal = "PRAGMA state.journal_mode = WAL"
                patiently(lambda: connection.execute(to_wal), "state.db", wait_s=wait_s)
                connection.execute("PRAGMA state.synchronous = NORMAL")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("DETACH DATABASE state")
            raise
    return True


def _connect(
    path: Path, mode: Mode, plane: Plane, migrations: Sequence[Migration], wait_s: float = WAIT_S
) -> sqlite3.Connection:
    if mode == "write":
        _make_parents(path, plane)
    elif _is_absent(path):
        raise IndexMissing
    with storage(f"opening {plane}.db", plane):
        try:
            if mode == "read":
                return _connect_reading(path, plane)
            return _connect_writing(path, plane, migrations, wait_s)
        except sqlite3.OperationalError as error:
            # Of a pragma without a fault of its own: a file format that this SQLite does not know.
            if primary_code(error) == sqlite3.SQLITE_ERROR:
                raise foreign(plane) from error
            raise


def _connect_writing(
    path: Path, plane: Plane, migrations: Sequence[Migration], wait_s: float
) -> sqlite3.Connection:
    connection = _raw(path, "mode=rwc", timeout_s=min(BUSY_TIMEOUT_S, wait_s))
    try:
        # Heeded by an empty file only. A row is 2 to 4 KB: pages of 4 KB would leave a tenth of the disk unused.
        connection.execute("PRAGMA page_size = 8192")
        # Judged before anything is set: the journal mode is written into the file, which may be another program's.
        pending(connection, migrations, plane)
        # Two processes that create the file at once meet here, where SQLite does not wait by itself.
        to_wal = "PRAGMA journal_mode = WAL"
        patiently(lambda: connection.execute(to_wal), f"{plane}.db", wait_s=wait_s)
        for pragma in _WRITE_PRAGMAS:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_reading(path: Path, plane: Plane) -> sqlite3.Connection:
    connection = _raw(path, "mode=ro")
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        connection.close()
        _require_quiet(path, plane, error)
        connection = _raw(path, "mode=ro&immutable=1")
    # These touch no page, so they cannot fail on a file.
    for pragma in _READ_PRAGMAS:
        connection.execute(pragma)
    return connection


def _attach(connection: sqlite3.Connection, path: Path, mode: Mode) -> None:
    if mode == "write":
        _make_parents(path, Plane.STATE)
        connection.execute("ATTACH DATABASE ? AS state", (_uri(path, "mode=rwc"),))
        return
    try:
        # Reads the schema at once, unlike opening a file as the main database.
        connection.execute("ATTACH DATABASE ? AS state", (_uri(path, "mode=ro"),))
    except sqlite3.Error as error:
        _require_quiet(path, Plane.STATE, error)
        connection.execute("ATTACH DATABASE ? AS state", (_uri(path, "mode=ro&immutable=1"),))


def _require_quiet(path: Path, plane: Plane, error: sqlite3.Error) -> None:
    """Raise `error`, unless the file can be read as immutable because its folder admits no lock files.

    An immutable database is read without its write-ahead log. While that log holds anything, the file alone may be half
    of a checkpoint, so a log forbids it.
    """
    if primary_code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        raise error
    log = path.with_name(path.name + "-wal")
    try:
        is_quiet = not log.exists() or log.stat().st_size == 0
    except OSError:
        is_quiet = False
    if not is_quiet:
        raise StorageFailed(
            f"opening {plane}.db", "its folder is read-only and its last writer was interrupted"
        ) from error


def _migrate_state(path: Path, migrations: Sequence[Migration], now: Instant, wait_s: float) -> None:
    alone = _connect(path, "write", Plane.STATE, migrations, wait_s)
    try:
        migrate(alone, migrations, Plane.STATE, now, wait_s=wait_s)
    finally:
        alone.close()


def _raw(path: Path, query: str, timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    return sqlite3.connect(_uri(path, query), uri=True, isolation_level=None, timeout=timeout_s)


def _uri(path: Path, query: str) -> str:
    return f"{path.absolute().as_uri()}?{query}"


def _is_absent(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        # Something is there that cannot be looked at: SQLite's error says what.
        return False
    return False


def _make_parents(path: Path, plane: Plane) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageFailed(f"opening {plane}.db", "its folder cannot be made") from error


def _require_features(connection: sqlite3.Connection) -> None:
    with storage("opening index.db"):
        has_fts5 = connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone()
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE or not has_fts5:
        raise StorageFailed(
            "opening index.db",
            f"SQLite 3.37 or later with FTS5 is needed, and this Python has {sqlite3.sqlite_version}"
            + ("" if has_fts5 else " without FTS5"),
        )


def _vector_distance_cos(a: object, b: object) -> float | None:
    """Return 1 - cosine of two float32 blobs, or None where either is none."""
    if not isinstance(a, bytes) or not isinstance(b, bytes):
        return None
    from memhtml.ranking.cosine import distance  # numpy: only where vectors are compared

    return distance(a, b)
