"""Whether the index is sound as a database: its pages, its schema, and its full-text tables.

All of this is SQLite's own work and needs no Python, so a run does it in a thread of its own while files are parsed.
Full-text tables can only be checked by a statement that counts as a write, so it runs on a copy of their shadow tables
in the connection's temporary database: the file that is checked is opened read-only and stays as it is.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from memhtml.db.migrate import migrate
from memhtml.db.open import open_index
from memhtml.db.storage import primary_code, storage
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.values import Instant, Migration, Plane

__all__ = ["check_integrity", "check_pages", "schema_differences"]

#: How many complaints of SQLite are counted before it stops looking.
_COMPLAINTS: Final = 100
_TEXT_TABLES: Final = ("files_fts", "traces_fts")
_SHADOWS: Final = ("data", "idx", "docsize", "config")
_OBJECTS: Final = "SELECT type, name, sql FROM {schema}.sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
_BARE: Final = re.compile(r'[\s"]+')


def check_integrity(path: Path, migrations: Sequence[Migration], at: Instant) -> list[Finding]:
    """Return what is wrong with the index at `path` as a database.

    Effects: none on the file; as much temporary space as its full-text tables take.
    Errors: those of `open_index`; IndexDamaged where not even the list of complaints can be made.
    """
    found: list[Finding] = []
    connection = open_index(path, mode="read", migrations=migrations, now=at)
    with closing(connection), storage("checking index.db"):
        found += check_pages(connection, "main", FindingCode.INDEX_DAMAGED)
        differences = schema_differences(connection, "main", migrations, Plane.INDEX, at)
        if differences:
            message = f"the schema of index.db differs from its ledger in {_listed(differences)}"
            found.append(finding(FindingCode.LEDGER_DRIFT, message, subject="index"))
        found += (complaint for table in _TEXT_TABLES for complaint in _check_text_table(connection, table))
    return found


def check_pages(connection: sqlite3.Connection, schema: str, code: FindingCode) -> Iterator[Finding]:
    """Yield a finding where SQLite's own check of a whole file complains; its words are not passed on."""
    complaints = [text for (text,) in connection.execute(f"PRAGMA {schema}.integrity_check({_COMPLAINTS})")]
    # Newer versions of SQLite look into full-text tables here too, which `_check_text_table` reports as what they are.
    count = sum(text != "ok" and "FTS5" not in text for text in complaints)
    if count:
        many = f"at least {count}" if count >= _COMPLAINTS else str(count)
        places = "1 place" if count == 1 else f"{many} places"
        file = "index.db" if schema == "main" else f"{schema}.db"
        yield finding(code, f"the pages of {file} contradict each other in {places}")


def schema_differences(
    connection: sqlite3.Connection, schema: str, migrations: Sequence[Migration], plane: Plane, at: Instant
) -> list[str]:
    """Return the names of tables, indexes and triggers that are missing, too many, or other than the migrations make
    them, sorted.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model, migrations, plane, at)
        expected = _objects(model, "main")
    actual = _objects(connection, schema)
    return sorted({name for _, name in _differing(expected, actual)})


def _differing(a: dict[tuple[str, str], str], b: dict[tuple[str, str], str]) -> Iterator[tuple[str, str]]:
    for key in a.keys() | b.keys():
        if a.get(key) != b.get(key):
            yield key


def _objects(connection: sqlite3.Connection, schema: str) -> dict[tuple[str, str], str]:
    rows = connection.execute(_OBJECTS.format(schema=schema))
    # White space and quotes are spelled differently by different versions of SQLite after a table was renamed.
    return {(kind, name): _BARE.sub("", sql or "") for kind, name, sql in rows}


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _check_text_table(connection: sqlite3.Connection, table: str) -> Iterator[Finding]:
    try:
        row = connection.execute("SELECT sql FROM main.sqlite_schema WHERE name = ?", (table,)).fetchone()
        if row is None:
            yield finding(FindingCode.FTS_DAMAGED, f"the table {table} is gone", subject=table)
            return
        _copy_and_check(connection, table, row[0])
    except sqlite3.DatabaseError as error:
        if primary_code(error) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            raise
        message = f"the full-text table {table} contradicts the rows that it indexes"
        yield finding(FindingCode.FTS_DAMAGED, message, subject=table)


def _copy_and_check(connection: sqlite3.Connection, table: str, sql: str) -> None:
    """Let a copy of a full-text table check itself against the rows; a contradiction is an error of SQLite."""
    content = table.removesuffix("_fts")
    # The copy looks its rows up in the schema it stands in, so a view there leads it to the file's own.
    connection.execute(f"CREATE TEMP VIEW {content} AS SELECT * FROM main.{content}")
    connection.execute(sql.replace(f"CREATE VIRTUAL TABLE {table}", f"CREATE VIRTUAL TABLE temp.{table}", 1))
    connection.execute("BEGIN")
    try:
        for shadow in _SHADOWS:
            connection.execute(f"DELETE FROM temp.{table}_{shadow}")
            connection.execute(f"INSERT INTO temp.{table}_{shadow} SELECT * FROM main.{table}_{shadow}")
    finally:
        connection.execute("COMMIT")
    connection.execute(f"INSERT INTO temp.{table} ({table}, rank) VALUES ('integrity-check', 1)")
