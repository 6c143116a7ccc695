"""Keeping `files_fts` in step with `files` at the price each pass can afford.

Three ways, because each wins in its place (measured at 10,000 files): triggers for a handful of rows; explicit deletes
and inserts in rising rowid order for more (5 to 17 times faster, since a trigger makes FTS5 flush its segment per
row); the FTS `rebuild` command with a large hash for a whole pass (3 times faster than live triggers).
All of it is ordinary DDL and DML inside the pass's one transaction, so readers keep the old text until it commits.
"""

import json
import sqlite3
from collections.abc import Iterable

__all__ = [
    "forget_text",
    "learn_text",
    "read_triggers",
    "rebuild_text",
    "resume_triggers",
    "suspend_triggers",
]

#: Bytes of FTS5's in-memory hash: the stock value, and the one for bulk loads (stored in the index, so put back).
_HASH_DEFAULT = 1 << 20
_HASH_BULK = 16 << 20

_TRIGGERS = (
    "SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger' AND tbl_name = 'files' ORDER BY name"
)
_FORGET = (
    "INSERT INTO files_fts (files_fts, rowid, fts_text) SELECT 'delete', id, fts_text FROM files"
    " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
)
_LEARN = (
    "INSERT INTO files_fts (rowid, fts_text) SELECT id, fts_text FROM files"
    " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
)


def read_triggers(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return (name, SQL) of the triggers on `files`, as the migrations made them."""
    return list(connection.execute(_TRIGGERS))


def suspend_triggers(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Drop the triggers on `files` and return what `resume_triggers` needs."""
    triggers = read_triggers(connection)
    for name, _ in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    return triggers


def resume_triggers(connection: sqlite3.Connection, triggers: Iterable[tuple[str, str]]) -> None:
    """Make the triggers again, word for word."""
    for _, sql in triggers:
        connection.execute(sql)


def forget_text(connection: sqlite3.Connection, file_ids: Iterable[int]) -> None:
    """Take rows out of the text index; they must still hold the text it was given."""
    connection.execute(_FORGET, (json.dumps(sorted(file_ids)),))


def learn_text(connection: sqlite3.Connection, file_ids: Iterable[int]) -> None:
    """Put rows into the text index."""
    connection.execute(_LEARN, (json.dumps(sorted(file_ids)),))


def rebuild_text(connection: sqlite3.Connection) -> None:
    """Make the whole text index from `files`."""
    set_hash = "INSERT INTO files_fts (files_fts, rank) VALUES ('hashsize', ?)"
    connection.execute(set_hash, (_HASH_BULK,))
    connection.execute("INSERT INTO files_fts (files_fts) VALUES ('rebuild')")
    connection.execute(set_hash, (_HASH_DEFAULT,))
