"""Opening the index and attaching the state: in every state that the files and their folder can be in."""

import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from databases import NOW, Opener, count, populate

from memhtml import resources
from memhtml.db import open as opening
from memhtml.db.busy import transaction
from memhtml.db.open import Mode, attach_state, open_index, storage
from memhtml.errors import (
    IndexDamaged,
    IndexMissing,
    IndexStale,
    MemhtmlError,
    SchemaChanged,
    SchemaTooNew,
    StorageFailed,
)
from memhtml.values import Plane

INDEX = resources.migrations(Plane.INDEX)
STATE = resources.migrations(Plane.STATE)
MODES: tuple[Mode, ...] = ("read", "write")
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + bytes(range(256)) * 40


def attach(connection: sqlite3.Connection, path: Path, mode: Mode = "write") -> bool:
    return attach_state(connection, path, mode=mode, migrations=STATE, now=NOW)


def pragma(connection: sqlite3.Connection, name: str) -> object:
    value: object = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def same_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@contextmanager
def other_user() -> Iterator[None]:
    """Permissions bind this process, also where it is root."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """The folder and its files admit no write by this process."""
    for path in [*folder.iterdir(), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with other_user():
            yield
    finally:
        folder.chmod(0o755)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that other users can reach; pytest's own are private."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_new_store_gets_both_planes_with_a_ledger_each(opened: Opener, tmp_path: Path) -> None:
    connection = opened(tmp_path / "deep" / "er" / "index.db")
    assert attach(connection, tmp_path / "deep" / "er" / "state.db")
    for database, migrations in (("main", INDEX), ("state", STATE)):
        names = connection.execute(f"SELECT name FROM {database}.schema_migrations ORDER BY name").fetchall()
        assert names == [(migration.name,) for migration in migrations]


def test_losing_the_index_leaves_the_state_plane_applied(opened: Opener, tmp_path: Path) -> None:
    first = opened()
    attach(first, tmp_path / "state.db")
    first.execute("INSERT INTO state.access (path, access_count, updated_at) VALUES ('areas/a.html', 3, '')")
    first.close()
    (tmp_path / "index.db").unlink()

    again = opened()
    assert attach(again, tmp_path / "state.db")
    joined = again.execute(
        "SELECT a.access_count FROM state.access a LEFT JOIN main.files f ON f.path = a.path"
    )
    assert joined.fetchall() == [(3,)]


@pytest.mark.parametrize("mode", MODES)
def test_a_connection_has_the_settings_that_the_index_relies_on(
    opened: Opener, tmp_path: Path, mode: Mode
) -> None:
    opened().close()
    connection = opened(mode=mode)
    attach(connection, tmp_path / "state.db")
    assert pragma(connection, "journal_mode") == "wal"
    assert pragma(connection, "state.journal_mode") == "wal"
    assert pragma(connection, "foreign_keys") == 1
    assert pragma(connection, "busy_timeout") == 5000
    assert pragma(connection, "state.synchronous") == 1
    if mode == "write":
        assert pragma(connection, "synchronous") == 1
        assert pragma(connection, "secure_delete") == 0
    assert connection.isolation_level is None


def test_without_the_state_plane_its_tables_cannot_be_reached(opened: Opener, tmp_path: Path) -> None:
    connection = opened()
    with pytest.raises(sqlite3.OperationalError):
        connection.execute("SELECT 1 FROM state.access")
    assert not attach(connection, tmp_path / "state.db", "read")
    assert not (tmp_path / "state.db").exists()


def test_the_state_plane_is_attached_once(opened: Opener, tmp_path: Path) -> None:
    connection = opened()
    attach(connection, tmp_path / "state.db")
    with pytest.raises(StorageFailed):
        attach(connection, tmp_path / "state.db")


@pytest.mark.parametrize(
    "name", ["a b", "q?mode=memory", "h#ash", "100%", "ünï", "quote'", "semi;colon", "-dash"]
)
def test_any_folder_name_will_do(opened: Opener, tmp_path: Path, name: str) -> None:
    for mode in ("write", "read"):
        connection = opened(tmp_path / name / "index.db", mode=mode)
        assert attach(connection, tmp_path / name / "state.db", mode)
        connection.close()
    assert count(tmp_path / name / "index.db", "SELECT count(*) FROM schema_migrations") == len(INDEX)


def test_a_folder_name_that_is_no_text_will_do(opened: Opener, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    opened(folder / "index.db").close()
    assert attach(opened(folder / "index.db", mode="read"), folder / "state.db")
    assert {path.name for path in folder.iterdir()} >= {"index.db", "state.db"}


def test_a_reader_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing):
        open_index(tmp_path / "none" / "index.db", mode="read", migrations=INDEX, now=NOW)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_a_missing_index_to_a_reader_and_a_new_one_to_a_writer(
    opened: Opener, tmp_path: Path
) -> None:
    (tmp_path / "index.db").touch()
    with pytest.raises(IndexMissing):
        opened(mode="read")
    assert opened().execute("SELECT count(*) FROM files").fetchone() == (0,)


def test_a_reader_cannot_write_the_index(opened: Opener) -> None:
    opened().close()
    connection = opened(mode="read")
    with pytest.raises(StorageFailed, match="read-only"), transaction(connection, "writing"):
        connection.execute("INSERT INTO dirty_paths VALUES ('a', NULL)")


def test_a_reader_of_the_index_may_count_its_reads_without_locking_the_index(
    opened: Opener, tmp_path: Path
) -> None:
    writer = opened()
    writer.execute("BEGIN IMMEDIATE")
    reader = opened(mode="read")
    assert attach(reader, tmp_path / "state.db", "write")
    with transaction(reader, "counting", Plane.STATE, wait_s=0.1):
        reader.execute("INSERT INTO state.access (path, updated_at) VALUES ('a', '')")
    writer.execute("COMMIT")
    assert count(tmp_path / "state.db", "SELECT count(*) FROM access") == 1


def test_making_the_state_plane_does_not_wait_for_a_writer_of_the_index(
    opened: Opener, tmp_path: Path
) -> None:
    opened().execute("BEGIN IMMEDIATE")
    assert attach(opened(mode="read"), tmp_path / "state.db")
    assert count(tmp_path / "state.db", "SELECT count(*) FROM schema_migrations") == len(STATE)


def test_an_older_index_is_stale_to_a_reader_and_brought_forward_by_a_writer(
    opened: Opener, tmp_path: Path
) -> None:
    old = opened(upto=7)
    populate(old, 20)
    old.close()
    with pytest.raises(IndexStale) as caught:
        opened(mode="read")
    assert caught.value.hints == ("memhtml index update",)
    assert count(tmp_path / "index.db", "SELECT count(*) FROM schema_migrations") == 7
    rows = opened().execute("SELECT count(*) FROM files").fetchone()
    assert rows == (19,)
    assert opened(mode="read").execute("SELECT count(*) FROM files").fetchone() == rows


def test_an_older_state_plane_is_left_out_by_a_reader_and_brought_forward_by_a_writer(
    opened: Opener, tmp_path: Path
) -> None:
    connection = opened()
    attach_state(connection, tmp_path / "state.db", mode="write", migrations=STATE[:1], now=NOW)
    connection.execute("INSERT INTO state.access (path, updated_at) VALUES ('a', '')")
    connection.close()
    reader = opened(mode="read")
    assert not attach(reader, tmp_path / "state.db", "read")
    assert attach(reader, tmp_path / "state.db", "write")
    assert reader.execute("SELECT path FROM state.access").fetchall() == [("a",)]
    assert reader.execute("SELECT count(*) FROM state.memory_session_links").fetchone() == (0,)


@pytest.mark.parametrize("mode", MODES)
def test_a_newer_database_is_refused_and_left_as_it_is(opened: Opener, tmp_path: Path, mode: Mode) -> None:
    connection = opened()
    attach(connection, tmp_path / "state.db")
    for database in ("main", "state"):
        connection.execute(f"INSERT INTO {database}.schema_migrations VALUES ('0099_later.sql', 'x', '2030')")
    connection.close()
    before = count(tmp_path / "index.db", "SELECT count(*) FROM schema_migrations")
    with pytest.raises(SchemaTooNew):
        opened(mode=mode)
    other = opened(tmp_path / "other.db")
    with pytest.raises(SchemaTooNew):
        attach(other, tmp_path / "state.db", mode)
    assert count(tmp_path / "index.db", "SELECT count(*) FROM schema_migrations") == before
    # The connection is as good as before without the state.
    assert other.execute("SELECT count(*) FROM files").fetchone() == (0,)
    assert attach(other, tmp_path / "another-state.db")


@pytest.mark.parametrize("mode", MODES)
def test_a_changed_step_is_told(opened: Opener, tmp_path: Path, mode: Mode) -> None:
    connection = opened()
    attach(connection, tmp_path / "state.db")
    for database in ("main", "state"):
        connection.execute(
            f"UPDATE {database}.schema_migrations SET sha256 = 'other' WHERE name LIKE '0002%'"
        )
    connection.close()
    with pytest.raises(SchemaChanged) as caught:
        opened(mode=mode)
    assert caught.value.hints == ("memhtml index rebuild",)
    with pytest.raises(SchemaChanged) as caught:
        attach(opened(tmp_path / "other.db"), tmp_path / "state.db", mode)
    assert caught.value.hints == ()


def header(page_count: int) -> bytes:
    return (
        b"SQLite format 3\0"
        + struct.pack(">HBBBBBB", 4096, 2, 2, 0, 64, 32, 32)
        + struct.pack(">II", 1, page_count)
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "data",
    [
        PNG,
        b"\0" * 5000,
        "Ωμέγα\n".encode() * 400,
        header(9),
        header(9).ljust(4096, b"\xff"),
        b"SQLite format 3\0",
    ],
    ids=["png", "zeros", "text", "header", "page of noise", "magic"],
)
def test_a_file_that_is_no_database_is_damage_and_stays_as_it_is(
    opened: Opener, tmp_path: Path, mode: Mode, data: bytes
) -> None:
    (tmp_path / "index.db").write_bytes(data)
    (tmp_path / "state.db").write_bytes(data)
    with pytest.raises(IndexDamaged):
        opened(mode=mode)
    with pytest.raises(StorageFailed):
        attach(opened(tmp_path / "good.db"), tmp_path / "state.db", mode)
    assert (tmp_path / "index.db").read_bytes() == data
    assert (tmp_path / "state.db").read_bytes() == data


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kept", [0.9, 0.5, 0.1])
def test_a_truncated_index_is_damage(opened: Opener, tmp_path: Path, mode: Mode, kept: float) -> None:
    connection = opened()
    connection.execute("CREATE TABLE filler AS SELECT zeroblob(500000) AS x")
    connection.close()
    path = tmp_path / "index.db"
    size = path.stat().st_size
    os.truncate(path, int(size * kept))
    with pytest.raises(IndexDamaged):
        opened(mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_noise_anywhere_in_an_index_is_a_typed_error_or_harmless(
    opened: Opener, tmp_path: Path, mode: Mode
) -> None:
    connection = opened()
    connection.execute("INSERT INTO dirty_paths VALUES ('a', NULL)")
    connection.close()
    path = tmp_path / "index.db"
    good = path.read_bytes()
    for at in range(0, len(good), 4096):
        path.write_bytes(good[:at] + b"\xa5" * 600 + good[at + 600 :])
        try:
            broken = open_index(path, mode=mode, migrations=INDEX, now=NOW)
        except MemhtmlError:
            continue
        try:
            with storage("looking"):
                broken.execute("SELECT * FROM dirty_paths").fetchall()
        except MemhtmlError:
            pass
        broken.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE bookmarks (id INTEGER)",
        "CREATE TABLE schema_migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)",
    ],
)
def test_a_database_of_another_program_stays_as_it_is(
    opened: Opener, tmp_path: Path, mode: Mode, script: str
) -> None:
    for name in ("index.db", "state.db"):
        foreign = sqlite3.connect(tmp_path / name)
        foreign.execute(script)
        foreign.close()
    before = same_files(tmp_path)
    with pytest.raises(IndexDamaged, match="another program"):
        opened(mode=mode)
    elsewhere = opened(tmp_path / "good" / "index.db")
    with pytest.raises(StorageFailed, match="another program"):
        attach(elsewhere, tmp_path / "state.db", mode)
    (tmp_path / "good").rename(tmp_path.with_name(tmp_path.name + "-good"))
    assert same_files(tmp_path) == before


def test_opening_an_index_that_is_up_to_date_waits_for_no_writer(opened: Opener, tmp_path: Path) -> None:
    writer = opened()
    attach(writer, tmp_path / "state.db")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO state.access (path, updated_at) VALUES ('a', '')")
    begun = time.monotonic()
    other = opened()
    assert attach(other, tmp_path / "state.db")
    assert time.monotonic() - begun < 1
    writer.execute("ROLLBACK")


def test_a_folder_in_the_place_of_the_index_is_a_typed_error(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    for mode in MODES:
        with pytest.raises(StorageFailed):
            opened(mode=mode)


def test_a_file_in_the_place_of_a_parent_is_a_typed_error(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageFailed):
        opened(tmp_path / "file" / "index.db")
    with pytest.raises(IndexMissing):
        opened(tmp_path / "file" / "index.db", mode="read")


def test_a_read_only_folder_can_be_read(opened: Opener, public: Path) -> None:
    connection = opened(public / "index.db")
    connection.execute("INSERT INTO dirty_paths VALUES ('a', NULL)")
    attach(connection, public / "state.db")
    connection.close()
    before = same_files(public)
    assert before.keys() == {"index.db", "state.db"}
    with unprivileged(public):
        reader = opened(public / "index.db", mode="read")
        assert attach(reader, public / "state.db", "read")
        assert reader.execute("SELECT path FROM dirty_paths").fetchall() == [("a",)]
        assert reader.execute("SELECT count(*) FROM state.access").fetchone() == (0,)
        with pytest.raises(StorageFailed):
            opened(public / "index.db", mode="write")
        with pytest.raises(StorageFailed):
            open_index(public / "new" / "index.db", mode="write", migrations=INDEX, now=NOW)
        reader.close()
    assert same_files(public) == before


KILLED_WRITER = """
import os, pathlib, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("INSERT INTO dirty_paths VALUES ('in the log', NULL)")
os.kill(os.getpid(), 9)
"""


def test_a_read_only_folder_with_an_interrupted_writer_is_never_read_without_its_log(
    opened: Opener, public: Path
) -> None:
    opened(public / "index.db").close()
    subprocess.run([sys.executable, "-c", KILLED_WRITER, str(public / "index.db")], check=False)
    assert (public / "index.db-wal").stat().st_size > 0
    with unprivileged(public):
        # With the shared memory that the writer left, the log is readable.
        reader = opened(public / "index.db", mode="read")
        assert reader.execute("SELECT path FROM dirty_paths").fetchall() == [("in the log",)]
        reader.close()
    (public / "index.db-shm").unlink()
    with unprivileged(public), pytest.raises(StorageFailed, match="interrupted"):
        opened(public / "index.db", mode="read")
    # Where the folder is writable again, the log is found.
    reader = opened(public / "index.db", mode="read")
    assert reader.execute("SELECT path FROM dirty_paths").fetchall() == [("in the log",)]


def test_an_unreadable_folder_is_a_typed_error(opened: Opener, public: Path) -> None:
    inner = public / "closed"
    opened(inner / "index.db").close()
    inner.chmod(0o000)
    try:
        with other_user():
            for mode in MODES:
                with pytest.raises(StorageFailed):
                    opened(inner / "index.db", mode=mode)
    finally:
        inner.chmod(0o755)


def vector(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


@pytest.mark.parametrize("mode", MODES)
def test_sql_knows_the_distance_of_vectors(opened: Opener, mode: Mode) -> None:
    opened().close()
    connection = opened(mode=mode)

    def distance(a: object, b: object) -> object:
        return connection.execute("SELECT vector_distance_cos(?, ?)", (a, b)).fetchone()[0]

    assert distance(vector(1, 0), vector(2, 0)) == 0.0
    assert distance(vector(1, 0), vector(0, 3)) == 1.0
    assert distance(vector(1, 0), vector(-4, 0)) == 2.0
    assert distance(vector(1, 0), vector(0, 0)) == 1.0
    for ragged in (b"", b"abc", None, "text", 1, 1.5):
        assert distance(vector(1, 0), ragged) is None
        assert distance(ragged, vector(1, 0)) is None


def test_opening_imports_no_numpy_and_comparing_does(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from memhtml import resources\n"
        "from memhtml.db.open import attach_state, open_index\n"
        "from memhtml.values import Instant, Plane\n"
        "folder, now = pathlib.Path(sys.argv[1]), Instant('2026-03-09T08:15:00Z')\n"
        "index = open_index(folder / 'index.db', mode='write', migrations=resources.migrations(Plane.INDEX), now=now)\n"
        "attach_state(index, folder / 'state.db', mode='write', migrations=resources.migrations(Plane.STATE), "
        "now=now)\n"
        "assert not {'numpy', 'pygit2', 'subprocess', 'logging', 'importlib.resources'} & set(sys.modules)\n"
        "index.execute(\"SELECT vector_distance_cos(x'0000803f', x'0000803f')\").fetchone()\n"
        "assert 'numpy' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)


def test_an_sqlite_that_is_too_old_is_told(
    opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(StorageFailed, match=r"SQLite 3\.37 or later"):
        opened()
