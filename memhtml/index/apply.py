"""Writing a plan of changes, inside the caller's transaction.

Two rows may swap their words or their paths, and a chain A to B to C may close on itself, while both columns are
unique. So rows that are rewritten step aside first (`pending:<id>`, `//moving/<id>`: neither can be a real value)
and take their final form afterwards.
"""

import json
import sqlite3
from enum import Enum

from memhtml import faults
from memhtml.index import search_text, tables
from memhtml.index.changes import Plan
from memhtml.index.derived import move_derived_edges
from memhtml.index.spool import Spool
from memhtml.values import ContentHash, Instant

__all__ = ["TRIGGERS_UP_TO", "apply_plan"]

#: Up to this many rewritten files the triggers are cheaper than stepping around them.
TRIGGERS_UP_TO = 20

_STEP_ASIDE = (
    "UPDATE files SET content_hash = 'pending:' || id, path = '//moving/' || id"
    " WHERE id IN (SELECT value FROM json_each(?))"
)
_DELETE_FILE = "DELETE FROM files WHERE id = ?"
_DELETE_EDGES_FROM = "DELETE FROM edges WHERE src_path = ?"
_FORGET_SKIPS = "DELETE FROM skipped_files WHERE path IN (SELECT value FROM json_each(?))"
_ID_OF = "SELECT id FROM files WHERE path IN (SELECT value FROM json_each(?))"


class _TextMode(Enum):
    TRIGGERS = 1
    SORTED = 2


def apply_plan(
    connection: sqlite3.Connection,
    plan: Plan,
    spool: Spool,
    at: Instant,
    *,
    triggers_up_to: int = TRIGGERS_UP_TO,
) -> frozenset[ContentHash]:
    """Write the rows of a plan; return the content hashes that lost a file, whose chunks may now be orphans."""
    ending = [known.file_id for known in plan.removed]
    rewritten = {path: known.file_id for path, known in plan.rewritten.items()}
    touched = len(ending) + len(rewritten) + len(plan.added)
    mode = _TextMode.TRIGGERS if touched <= triggers_up_to else _TextMode.SORTED
    triggers: list[tuple[str, str]] = []
    if mode is _TextMode.SORTED:
        triggers = search_text.suspend_triggers(connection)
        search_text.forget_text(connection, [*ending, *rewritten.values()])

    for known in plan.removed:
        tables.delete_children(connection, known.path)
        connection.execute(_DELETE_EDGES_FROM, (known.path,))
        connection.execute(_DELETE_FILE, (known.file_id,))
    for known in plan.rewritten.values():
        tables.delete_children(connection, known.path)
    if len(rewritten) > 1:
        connection.execute(_STEP_ASIDE, (json.dumps(list(rewritten.values())),))
    move_derived_edges(connection, plan.moves)
    faults.point("pass.rows_removed")

    added: list[int] = []
    for batch in plan.written(spool):
        for rows in batch:
            if rows.file.path in rewritten:
                tables.update_file(connection, rewritten[rows.file.path], rows, at)
        arriving = [rows for rows in batch if rows.file.path in plan.added]
        tables.insert_files(connection, arriving, at)
        tables.insert_children(connection, batch)
        tables.insert_chunks(connection, batch)
        if mode is _TextMode.SORTED and arriving:
            paths = json.dumps([rows.file.path for rows in arriving])
            added.extend(file_id for (file_id,) in connection.execute(_ID_OF, (paths,)))
    faults.point("pass.rows_written")

    if mode is _TextMode.SORTED:
        search_text.learn_text(connection, [*rewritten.values(), *added])
        search_text.resume_triggers(connection, triggers)
    faults.point("pass.fts_written")

    if plan.forgotten_skips or plan.skips:
        ended = plan.forgotten_skips | {skip.path for skip in plan.skips}
        connection.execute(_FORGET_SKIPS, (json.dumps(sorted(ended)),))
        tables.insert_skips(connection, plan.skips)
    return frozenset(known.content_hash for known in (*plan.removed, *plan.rewritten.values()))
