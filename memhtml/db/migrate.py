"""Brings a database to the schema of this version: forward only, one transaction a step.

A database is up to date when its ledger and the packaged migrations name the same steps with the same hashes.
Everything else is either behind (steps are applied), ahead (a newer memhtml wrote it: refused) or of another history
(refused; the caller makes a rebuildable database anew).
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence

from memhtml import faults
from memhtml.db.busy import WAIT_S, transaction
from memhtml.db.storage import foreign, primary_code
from memhtml.errors import SchemaChanged, SchemaTooNew, StorageFailed
from memhtml.values import Instant, Migration, Plane

__all__ = ["migrate", "pending", "statements"]

_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  name       TEXT NOT NULL PRIMARY KEY,
  sha256     TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT
"""
_READ = {
    "main": "SELECT name, sha256 FROM main.schema_migrations ORDER BY name",
    "state": "SELECT name, sha256 FROM state.schema_migrations ORDER BY name",
}
_IS_EMPTY = {
    "main": "SELECT NOT EXISTS (SELECT 1 FROM main.sqlite_schema)",
    "state": "SELECT NOT EXISTS (SELECT 1 FROM state.sqlite_schema)",
}
_NAME = re.compile(r"[0-9]{4}_[a-z0-9_]+\.sql")


def migrate(
    connection: sqlite3.Connection,
    migrations: Sequence[Migration],
    plane: Plane,
    now: Instant,
    *,
    wait_s: float = WAIT_S,
) -> int:
    """Apply what is missing to the connection's main database and return how many steps that were.

    Effects: each step commits together with its ledger row, so a crash leaves whole steps only, and the next call goes
    on from there. Processes that start at once take turns.
    Errors: SchemaTooNew, SchemaChanged, IndexDamaged, StorageFailed, LockHeld; the database is then as it was before
    the failing step.
    """
    done = 0
    while pending(connection, migrations, plane):
        with transaction(connection, "migrating", plane, wait_s=wait_s):
            # Asked again under the lock: another process may have done it meanwhile.
            todo = pending(connection, migrations, plane)
            if todo:
                _run(connection, todo[0], now)
                faults.point("migrate.script_run")
        faults.point("migrate.committed")
        done += len(todo[:1])
    return done


def pending(
    connection: sqlite3.Connection, migrations: Sequence[Migration], plane: Plane, *, schema: str = "main"
) -> Sequence[Migration]:
    """Return the steps that the database lacks, in order; empty when it is up to date.

    Errors: SchemaTooNew, SchemaChanged, and for a database that is not ours IndexDamaged or StorageFailed;
    sqlite3.Error as it comes.
    """
    applied = _applied(connection, plane, schema)
    if applied == [(migration.name, migration.sha256) for migration in migrations]:
        return ()
    _check_numbers(migrations)
    newest = migrations[-1].name
    for name, _ in applied:
        if name[:4] > newest[:4]:
            raise SchemaTooNew(f"{plane}.db", name)
    for (name, sha256), migration in zip(applied, migrations, strict=False):
        if (name, sha256) != (migration.name, migration.sha256):
            hints = ("memhtml index rebuild",) if plane is Plane.INDEX else ()
            raise SchemaChanged(f"{plane}.db", name, hints=hints)
    return migrations[len(applied) :]


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script: `executescript` would commit the transaction that it runs in."""
    start = 0
    end = script.find(";")
    while end != -1:
        if sqlite3.complete_statement(script[start : end + 1]):
            yield script[start : end + 1].strip()
            start = end + 1
        end = script.find(";", end + 1)
    if rest := script[start:].strip():
        # A closing comment runs as nothing; half a statement is SQLite's to refuse.
        yield rest


def _applied(connection: sqlite3.Connection, plane: Plane, schema: str) -> list[tuple[str, str]]:
    try:
        return connection.execute(_READ[schema]).fetchall()
    except sqlite3.OperationalError as error:
        # No such table, no such column, or a file format that SQLite does not know.
        if primary_code(error) != sqlite3.SQLITE_ERROR:
            raise
        if _is_empty(connection, schema):
            return []
        try:
            # Another process may have made the schema since the first question.
            return connection.execute(_READ[schema]).fetchall()
        except sqlite3.OperationalError as again:
            if primary_code(again) != sqlite3.SQLITE_ERROR:
                raise
        raise foreign(plane) from error


def _is_empty(connection: sqlite3.Connection, schema: str) -> bool:
    try:
        return bool(connection.execute(_IS_EMPTY[schema]).fetchone()[0])
    except sqlite3.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_ERROR:
            raise
        return False


def _check_numbers(migrations: Sequence[Migration]) -> None:
    for number, migration in enumerate(migrations, start=1):
        if not _NAME.fullmatch(migration.name) or int(migration.name[:4]) != number:
            raise StorageFailed("migrating", f"{migration.name} is out of sequence; install memhtml anew")


def _run(connection: sqlite3.Connection, migration: Migration, now: Instant) -> None:
    connection.execute(_LEDGER)
    for statement in statements(migration.text):
        connection.execute(statement)
        if not connection.in_transaction:
            raise StorageFailed("migrating", f"{migration.name} ended the transaction that it runs in")
    connection.execute(
        "INSERT INTO schema_migrations (name, sha256, applied_at) VALUES (?, ?, ?)",
        (migration.name, migration.sha256, now),
    )
