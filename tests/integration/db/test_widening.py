"""Widening a CHECK of a populated table: the recipe that migrations 0008 and 0009 follow keeps every byte."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from databases import NOW, Opener, content, count, found, populate, schema

from memhtml import resources
from memhtml.db.migrate import migrate, statements
from memhtml.values import Plane

ALL = resources.migrations(Plane.INDEX)
STATE = resources.migrations(Plane.STATE)
NARROW = 7
CHILDREN = ("file_tags", "file_entities", "file_facets", "file_citations")


@pytest.fixture
def narrow(opened: Opener) -> sqlite3.Connection:
    connection = opened(upto=NARROW)
    populate(connection)
    return connection


def test_the_populated_database_has_rows_in_every_table(narrow: sqlite3.Connection) -> None:
    empty = [table for table, rows in content(narrow).items() if not rows]
    assert empty == []
    assert len(content(narrow)["files"]) > 300
    assert all(len(content(narrow)[child]) > 300 for child in CHILDREN)


def test_widening_keeps_every_row_every_id_and_every_full_text_answer(narrow: sqlite3.Connection) -> None:
    rows, answers = content(narrow), found(narrow)
    assert sum(len(answer) for answer in answers) > 1000

    assert migrate(narrow, ALL, Plane.INDEX, NOW) == len(ALL) - NARROW

    after = content(narrow)
    assert after.keys() == rows.keys()
    for table in rows:
        assert after[table] == rows[table], table
    assert found(narrow) == answers
    assert narrow.execute(
        "SELECT count(*) FROM files WHERE task_status IS NOT NULL OR due_at IS NOT NULL"
    ).fetchone() == (0,)


def test_widening_leaves_foreign_keys_on_and_whole(narrow: sqlite3.Connection) -> None:
    migrate(narrow, ALL, Plane.INDEX, NOW)

    assert narrow.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert narrow.execute("PRAGMA foreign_key_check").fetchall() == []
    assert narrow.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    # Rank 1 compares the lexical index with the rows that it is an index of.
    narrow.execute("INSERT INTO files_fts (files_fts, rank) VALUES ('integrity-check', 1)")
    path = narrow.execute("SELECT path FROM file_tags LIMIT 1").fetchone()[0]
    narrow.execute("DELETE FROM files WHERE path = ?", (path,))
    for child in CHILDREN:
        assert narrow.execute(f"SELECT count(*) FROM {child} WHERE path = ?", (path,)).fetchone() == (0,)


def test_a_migrated_database_has_the_schema_of_a_fresh_one(
    narrow: sqlite3.Connection, opened: Opener, tmp_path: Path
) -> None:
    migrate(narrow, ALL, Plane.INDEX, NOW)

    assert schema(narrow) == schema(opened(tmp_path / "fresh.db"))
    assert narrow.execute("SELECT count(*) FROM temp.sqlite_schema").fetchone() == (0,)


def test_widening_changes_two_checks_two_indexes_and_adds_one(opened: Opener, tmp_path: Path) -> None:
    before = {name: sql for _, name, _, sql in schema(opened(tmp_path / "narrow.db", upto=NARROW))}
    after = {name: sql for _, name, _, sql in schema(opened(tmp_path / "wide.db"))}

    assert after.keys() - before.keys() == {"ix_files_task_status"}
    assert before.keys() - after.keys() == set()
    assert {name for name in before if before[name] != after[name]} == {
        "files",
        "edges",
        "ix_files_content_hash_active",
        "ix_files_frame_key",
    }


def test_triggers_keep_the_full_text_index_in_step_after_widening(narrow: sqlite3.Connection) -> None:
    migrate(narrow, ALL, Plane.INDEX, NOW)
    one = narrow.execute("SELECT id FROM files WHERE archived = 0 LIMIT 1").fetchone()[0]

    narrow.execute("UPDATE files SET fts_text = 'unheardofword' WHERE id = ?", (one,))
    assert narrow.execute("SELECT rowid FROM files_fts WHERE files_fts MATCH 'unheardofword'").fetchall() == [
        (one,)
    ]
    narrow.execute("DELETE FROM files WHERE id = ?", (one,))
    assert (
        narrow.execute("SELECT rowid FROM files_fts WHERE files_fts MATCH 'unheardofword'").fetchall() == []
    )
    narrow.execute("INSERT INTO files_fts (files_fts, rank) VALUES ('integrity-check', 1)")


def test_the_same_recipe_without_snapshots_would_lose_every_child(narrow: sqlite3.Connection) -> None:
    """The danger is real: were it not, the tests above could not fail."""
    careless = [s for s in statements(ALL[NARROW].text) if "kept_" not in s]
    narrow.execute("BEGIN IMMEDIATE")
    for statement in careless:
        narrow.execute(statement)
    narrow.execute("COMMIT")

    assert narrow.execute("SELECT count(*) FROM files").fetchone()[0] > 300
    for child in CHILDREN:
        assert narrow.execute(f"SELECT count(*) FROM {child}").fetchone() == (0,)


KILLED_AT = """
import os, pathlib, signal, sys
from memhtml import faults, resources
from memhtml.db.open import attach_state, open_index
from memhtml.values import Instant, Plane

folder, point, nth, plane = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
hits = 0

def die():
    global hits
    hits += 1
    if hits == nth:
        os.kill(os.getpid(), signal.SIGKILL)

now = Instant("2026-03-10T00:00:00Z")
if plane == "index":
    faults.arm(point, die)
connection = open_index(folder / "index.db", mode="write", migrations=resources.migrations(Plane.INDEX), now=now)
faults.arm(point, die)
attach_state(connection, folder / "state.db", mode="write", migrations=resources.migrations(Plane.STATE), now=now)
"""


def killed(folder: Path, point: str, nth: int, plane: str = "index") -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_AT, str(folder), point, str(nth), plane], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("point", "steps"), [("migrate.script_run", NARROW), ("migrate.committed", NARROW + 1)]
)
def test_a_crash_while_widening_leaves_whole_steps_and_every_row(
    narrow: sqlite3.Connection, opened: Opener, tmp_path: Path, point: str, steps: int
) -> None:
    rows, answers = content(narrow), found(narrow)
    narrow.close()

    killed(tmp_path, point, 1)

    assert count(tmp_path / "index.db", "SELECT count(*) FROM schema_migrations") == steps
    between = opened(upto=steps)
    assert content(between) == rows
    assert found(between) == answers
    between.close()
    whole = opened()
    assert content(whole) == rows
    assert found(whole) == answers
    assert schema(whole) == schema(opened(tmp_path / "fresh.db"))


@pytest.mark.parametrize("point", ["migrate.script_run", "migrate.committed"])
def test_a_crash_in_any_step_of_a_new_database_is_continued(
    opened: Opener, tmp_path: Path, point: str
) -> None:
    expected = schema(opened(tmp_path / "fresh.db"))
    for nth in range(1, len(ALL) + 1):
        folder = tmp_path / str(nth)
        folder.mkdir()
        killed(folder, point, nth)
        assert schema(opened(folder / "index.db")) == expected


@pytest.mark.parametrize("point", ["migrate.script_run", "migrate.committed"])
def test_a_crash_while_the_state_plane_is_made_is_continued(tmp_path: Path, point: str) -> None:
    steps = len(resources.migrations(Plane.STATE))
    for nth in range(1, steps + 1):
        folder = tmp_path / str(nth)
        folder.mkdir()
        killed(folder, point, nth, "state")
        done = subprocess.run(
            [sys.executable, "-c", KILLED_AT, str(folder), point, "-1", "state"], check=False
        )
        assert done.returncode == 0
        assert count(folder / "state.db", "SELECT count(*) FROM schema_migrations") == steps


def test_processes_that_start_at_once_all_find_the_schema_ready(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", KILLED_AT, str(tmp_path), "migrate.committed", "-1", "index"],
            env=os.environ,
        )
        for _ in range(4)
    ]
    assert [racer.wait(60) for racer in racers] == [0, 0, 0, 0]
    assert count(tmp_path / "index.db", "SELECT count(*) FROM schema_migrations") == len(ALL)
    assert count(tmp_path / "state.db", "SELECT count(*) FROM schema_migrations") == len(STATE)
