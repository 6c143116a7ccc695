"""Waiting for a lock that another process holds, and what leaves the layer when things fail."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from databases import Opener

from memhtml.db.busy import patiently, transaction
from memhtml.db.storage import is_busy, storage
from memhtml.errors import IndexDamaged, LockHeld, MemhtmlError, StorageFailed
from memhtml.values import Plane

HOLDER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("INSERT INTO dirty_paths VALUES (?, NULL)", (sys.argv[2],))
print("held", flush=True)
time.sleep(float(sys.argv[3]))
connection.execute("COMMIT")
connection.close()
"""


@contextmanager
def lock_held(path: Path, seconds: float) -> Iterator[None]:
    """Another process writes and keeps its transaction open for a while."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), "theirs", str(seconds)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield
    finally:
        if seconds > 60:
            holder.kill()
        holder.communicate()


def paths(connection: sqlite3.Connection) -> list[str]:
    return [path for (path,) in connection.execute("SELECT path FROM dirty_paths ORDER BY path")]


def test_a_contended_write_is_recognised_as_busy(opened: Opener, tmp_path: Path) -> None:
    connection = opened()
    connection.execute("PRAGMA busy_timeout = 0")
    with lock_held(tmp_path / "index.db", 0.2), pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("BEGIN IMMEDIATE")
    assert is_busy(caught.value)


def test_a_snapshot_that_fell_behind_is_busy_too(opened: Opener) -> None:
    reader, writer = opened(), opened()
    reader.execute("BEGIN")
    paths(reader)
    writer.execute("INSERT INTO dirty_paths VALUES ('a', NULL)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        reader.execute("INSERT INTO dirty_paths VALUES ('b', NULL)")
    assert caught.value.sqlite_errorcode == sqlite3.SQLITE_BUSY_SNAPSHOT
    assert is_busy(caught.value)


def test_a_write_waits_for_another_process_and_loses_neither_row(opened: Opener, tmp_path: Path) -> None:
    connection = opened()
    # Without SQLite's own waiting, so that ours is what is tested.
    connection.execute("PRAGMA busy_timeout = 0")
    with lock_held(tmp_path / "index.db", 0.4), transaction(connection, "writing"):
        connection.execute("INSERT INTO dirty_paths VALUES ('ours', NULL)")
    assert paths(connection) == ["ours", "theirs"]


def test_waiting_ends_with_a_typed_refusal(opened: Opener, tmp_path: Path) -> None:
    connection = opened()
    connection.execute("PRAGMA busy_timeout = 0")
    ran = False
    begun = time.monotonic()
    with (
        lock_held(tmp_path / "index.db", 100),
        pytest.raises(LockHeld),
        transaction(connection, "writing", wait_s=0.2),
    ):
        ran = True
    assert not ran
    assert 0.05 < time.monotonic() - begun < 5
    assert not connection.in_transaction


def test_two_processes_that_write_in_turns_both_finish(opened: Opener, tmp_path: Path) -> None:
    opened()
    writer = (
        "import sqlite3, sys\n"
        "from memhtml.db.busy import transaction\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)\n"
        "for n in range(100):\n"
        "    with transaction(connection, 'writing'):\n"
        "        seen = connection.execute('SELECT count(*) FROM dirty_paths').fetchone()[0]\n"
        "        connection.execute('INSERT INTO dirty_paths VALUES (?, ?)', (f'{sys.argv[2]}{n}', seen))\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", writer, str(tmp_path / "index.db"), name]) for name in "ab"
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    seen = [int(n) for (n,) in opened().execute("SELECT blob_sha FROM dirty_paths")]
    # Each transaction saw exactly what was there before it.
    assert sorted(seen) == list(range(200))


def test_readers_do_not_wait_for_a_writer(opened: Opener, tmp_path: Path) -> None:
    opened().execute("INSERT INTO dirty_paths VALUES ('old', NULL)")
    with lock_held(tmp_path / "index.db", 0.5):
        begun = time.monotonic()
        assert paths(opened(mode="read")) == ["old"]
        assert time.monotonic() - begun < 0.4


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_transaction_that_fails_leaves_nothing(opened: Opener, error: type[BaseException]) -> None:
    connection = opened()
    with pytest.raises(error), transaction(connection, "writing"):
        connection.execute("INSERT INTO dirty_paths VALUES ('a', NULL)")
        raise error
    assert paths(connection) == []
    assert not connection.in_transaction


def test_a_failed_rollback_does_not_hide_the_first_error(opened: Opener) -> None:
    connection = opened()
    with pytest.raises(ValueError, match="first"), transaction(connection, "writing"):
        connection.execute("ROLLBACK")
        raise ValueError("first")


def test_a_transaction_within_a_transaction_is_refused_and_the_outer_one_lives(opened: Opener) -> None:
    connection = opened()
    with transaction(connection, "outer"):
        connection.execute("INSERT INTO dirty_paths VALUES ('a', NULL)")
        with pytest.raises(StorageFailed), transaction(connection, "inner"):
            pass
    assert paths(connection) == ["a"]


def test_an_error_that_is_not_busy_is_not_tried_again() -> None:
    calls = 0

    def action() -> None:
        nonlocal calls
        calls += 1
        raise sqlite3.OperationalError("no")

    with pytest.raises(sqlite3.OperationalError):
        patiently(action, "x")
    assert calls == 1


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT secret_column FROM files", ()),
        ("SELECT secret syntax", ()),
        ("INSERT INTO dirty_paths VALUES (?, ?)", ("secret",)),
        ("INSERT INTO dirty_paths VALUES (?, ?)", ("secret", object())),
        ("INSERT INTO file_tags VALUES (?, ?)", ("secret", "secret")),
        ("SELECT * FROM files_fts WHERE files_fts MATCH ?", ('"secret',)),
    ],
)
def test_no_statement_and_no_value_leaves_in_an_error(
    opened: Opener, sql: str, values: tuple[object, ...]
) -> None:
    connection = opened()
    with pytest.raises(StorageFailed) as caught, storage("looking"):
        connection.execute(sql, values)
    assert caught.value.operation == "looking"
    assert "secret" not in str(caught.value)


def test_a_full_disk_is_named(opened: Opener) -> None:
    connection = opened()
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageFailed, match="disk is full"), transaction(connection, "writing"):
        for n in range(10_000):
            connection.execute("INSERT INTO dirty_paths VALUES (?, ?)", (f"{n}" * 100, "x" * 1000))
    assert paths(connection) == []


@pytest.mark.parametrize(("plane", "error"), [(Plane.INDEX, IndexDamaged), (Plane.STATE, StorageFailed)])
def test_damage_is_told_by_plane(tmp_path: Path, plane: Plane, error: type[MemhtmlError]) -> None:
    (tmp_path / "x.db").write_bytes(b"no database at all, but long enough to be read as a header of one" * 20)
    connection = sqlite3.connect(tmp_path / "x.db")
    with pytest.raises(error), storage("looking", plane):
        connection.execute("SELECT 1 FROM sqlite_schema")
    connection.close()
