"""The runner: which databases it brings forward, and which it leaves alone."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from databases import NOW, Opener, schema

from memhtml import resources
from memhtml.db.migrate import migrate, pending, statements
from memhtml.errors import IndexDamaged, LockHeld, MemhtmlError, SchemaChanged, SchemaTooNew, StorageFailed
from memhtml.values import Instant, Migration, Plane

ALL = resources.migrations(Plane.INDEX)


def step(name: str, text: str) -> Migration:
    return Migration(name, hashlib.sha256(text.encode()).hexdigest(), text)


ONE = step("0001_one.sql", "CREATE TABLE one (x INTEGER) STRICT;\nINSERT INTO one VALUES (1);")
TWO = step("0002_two.sql", "CREATE TABLE two (x INTEGER) STRICT;")


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "bare.db", isolation_level=None)) as connection:
        yield connection


def tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_the_shipped_steps_are_numbered_without_gaps() -> None:
    for plane in Plane:
        names = [migration.name for migration in resources.migrations(plane)]
        assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


def test_opening_again_applies_nothing(bare: sqlite3.Connection) -> None:
    assert migrate(bare, [ONE, TWO], Plane.INDEX, NOW) == 2
    before = bare.execute("SELECT * FROM schema_migrations").fetchall()
    assert migrate(bare, [ONE, TWO], Plane.INDEX, Instant("2027-01-01T00:00:00Z")) == 0
    assert bare.execute("SELECT * FROM schema_migrations").fetchall() == before
    assert before == [(ONE.name, ONE.sha256, NOW), (TWO.name, TWO.sha256, NOW)]


def test_only_missing_steps_run(bare: sqlite3.Connection) -> None:
    migrate(bare, [ONE], Plane.INDEX, NOW)
    assert list(pending(bare, [ONE, TWO], Plane.INDEX)) == [TWO]
    assert migrate(bare, [ONE, TWO], Plane.INDEX, NOW) == 1
    assert bare.execute("SELECT x FROM one").fetchall() == [(1,)]


def test_a_failing_step_leaves_nothing_and_the_steps_before_it(bare: sqlite3.Connection) -> None:
    broken = step("0002_broken.sql", "CREATE TABLE half (x INTEGER); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(StorageFailed) as caught:
        migrate(bare, [ONE, broken], Plane.INDEX, NOW)
    assert tables(bare) == {"one", "schema_migrations"}
    assert not bare.in_transaction
    assert "nowhere" not in str(caught.value)


def test_a_step_cannot_end_the_transaction_that_it_runs_in(bare: sqlite3.Connection) -> None:
    with pytest.raises(StorageFailed):
        migrate(bare, [step("0001_sly.sql", "CREATE TABLE sly (x); COMMIT;")], Plane.INDEX, NOW)


def test_half_a_statement_is_refused(bare: sqlite3.Connection) -> None:
    with pytest.raises(StorageFailed):
        migrate(bare, [step("0001_cut.sql", "CREATE TABLE a (x); CREATE TABLE b (")], Plane.INDEX, NOW)
    assert tables(bare) == set()


@pytest.mark.parametrize("plane", list(Plane))
def test_a_changed_step_is_told_and_nothing_is_touched(bare: sqlite3.Connection, plane: Plane) -> None:
    migrate(bare, [ONE], plane, NOW)
    before = schema(bare)
    with pytest.raises(SchemaChanged) as caught:
        migrate(bare, [ONE._replace(sha256="0" * 64), TWO], plane, NOW)
    assert schema(bare) == before
    # A rebuildable database is made anew; a precious one is nobody's to throw away.
    assert bool(caught.value.hints) is (plane is Plane.INDEX)


@pytest.mark.parametrize("plane", list(Plane))
def test_a_newer_database_is_refused(bare: sqlite3.Connection, plane: Plane) -> None:
    migrate(bare, [ONE, TWO], plane, NOW)
    with pytest.raises(SchemaTooNew):
        migrate(bare, [ONE], plane, NOW)
    # Also where an older step differs: its owner is the newer program.
    with pytest.raises(SchemaTooNew):
        migrate(bare, [ONE._replace(sha256="0" * 64)], plane, NOW)


def test_a_step_of_the_same_number_and_another_name_is_another_history(bare: sqlite3.Connection) -> None:
    migrate(bare, [ONE, TWO], Plane.INDEX, NOW)
    with pytest.raises(SchemaChanged):
        migrate(bare, [ONE, step("0002_other.sql", TWO.text)], Plane.INDEX, NOW)
    bare.execute("DELETE FROM schema_migrations WHERE name = ?", (ONE.name,))
    with pytest.raises(SchemaChanged):
        migrate(bare, [ONE, TWO], Plane.INDEX, NOW)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE bookmarks (id INTEGER)",
        "CREATE TABLE schema_migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)",
    ],
)
@pytest.mark.parametrize(("plane", "error"), [(Plane.INDEX, IndexDamaged), (Plane.STATE, StorageFailed)])
def test_a_database_of_another_program_is_left_alone(
    bare: sqlite3.Connection, script: str, plane: Plane, error: type[MemhtmlError]
) -> None:
    bare.execute(script)
    before = schema(bare)
    with pytest.raises(error):
        migrate(bare, [ONE], plane, NOW)
    assert schema(bare) == before


@pytest.mark.parametrize("names", [("0002_two.sql",), ("0001_one.sql", "0003_three.sql"), ("one.sql",)])
def test_steps_out_of_sequence_are_a_broken_installation(
    bare: sqlite3.Connection, names: tuple[str, ...]
) -> None:
    with pytest.raises(StorageFailed):
        migrate(bare, [step(name, "SELECT 1;") for name in names], Plane.INDEX, NOW)
    assert tables(bare) == set()


def test_a_step_waits_for_another_writer_and_then_says_so(tmp_path: Path, bare: sqlite3.Connection) -> None:
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(tmp_path / "bare.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.MonkeyPatch.context() as patch:
            # The wait itself is tested with the lock; here it is only shortened.
            patch.setattr("memhtml.db.busy._FIRST_DELAY_S", 30.0)
            patch.setattr("memhtml.db.busy._LONGEST_DELAY_S", 30.0)
            with pytest.raises(LockHeld):
                migrate(bare, [ONE], Plane.INDEX, NOW)
    finally:
        other.close()


def test_statements_run_one_by_one_make_what_the_whole_scripts_make(opened: Opener, tmp_path: Path) -> None:
    whole = sqlite3.connect(":memory:", isolation_level=None)
    for migration in ALL:
        whole.executescript(migration.text)
    made = [row for row in schema(opened()) if "schema_migrations" not in row[2]]
    assert made == schema(whole)
    whole.close()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1; SELECT 2;", ["SELECT 1;", "SELECT 2;"]),
        ("SELECT ';'; -- a; b\nSELECT 2;", ["SELECT ';';", "-- a; b\nSELECT 2;"]),
        ("/* ; */ SELECT 1;\n-- the end", ["/* ; */ SELECT 1;", "-- the end"]),
        (
            "CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; SELECT 2; END; SELECT 3;",
            ["CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; SELECT 2; END;", "SELECT 3;"],
        ),
    ],
)
def test_a_script_falls_into_its_statements(script: str, expected: list[str]) -> None:
    assert list(statements(script)) == expected
