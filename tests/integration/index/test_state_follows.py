"""What is counted by path follows the memory, whatever way the index learns of its move."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from planes import AT, reading

from memhtml.app import indexing, retrieval
from memhtml.app.wire import Store, open_store
from memhtml.errors import IndexStale

FILES = {
    "areas/a.html": memory("The kettle trips the breaker."),
    "areas/b.html": memory("The ledger hangs behind the door."),
}


@pytest.fixture
def store(repo: Path) -> Store:
    """A store whose memory `areas/a.html` was opened once, in a session."""
    plant(repo, {".gitignore": b".memhtml/\n", **FILES})
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "first")
    opened = open_store(repo, clock=lambda: AT)
    indexing.rebuild(opened)
    retrieval.read(opened, "areas/a.html", session_id="s1")
    return opened


def _state(store: Store) -> tuple[list[tuple[str, int]], list[tuple[str, str]]]:
    with closing(sqlite3.connect(store.state_path)) as connection:
        return (
            connection.execute("SELECT path, access_count FROM access ORDER BY path").fetchall(),
            connection.execute("SELECT path, session_id FROM memory_session_links ORDER BY path").fetchall(),
        )


def _move(store: Store, old: str, new: str) -> None:
    git(store.root, "mv", "-f", old, new)
    git(store.root, "commit", "-q", "-m", "move")


@pytest.mark.parametrize("operation", [indexing.update, indexing.rebuild])
def test_counts_and_links_follow_a_rename(store: Store, operation: object) -> None:
    _move(store, "areas/a.html", "areas/moved.html")
    operation(store)  # type: ignore[operator]
    assert _state(store) == ([("areas/moved.html", 1)], [("areas/moved.html", "s1")])


def test_counts_find_their_memory_again_by_its_words_when_the_index_was_lost(store: Store) -> None:
    store.index_path.unlink()
    _move(store, "areas/a.html", "areas/moved.html")
    indexing.update(store)
    assert _state(store)[0] == [("areas/moved.html", 1)]


def test_a_memory_does_not_inherit_the_counts_of_a_dead_one(store: Store) -> None:
    with closing(sqlite3.connect(store.state_path)) as connection, connection:
        connection.execute(
            "INSERT INTO access (path, content_hash, access_count, updated_at) VALUES ('areas/b.html', 'dead', 50, ?)",
            (AT,),
        )
    _move(store, "areas/a.html", "areas/b.html")
    indexing.update(store)
    assert _state(store)[0] == [("areas/b.html", 1)]


@pytest.mark.parametrize("damage", [b"no database at all" * 300, None], ids=["damaged", "of a newer version"])
def test_a_state_plane_that_cannot_be_written_is_reported_and_told_later(
    store: Store, damage: bytes | None
) -> None:
    kept = store.state_path.read_bytes()
    with closing(sqlite3.connect(store.state_path)) as connection, connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        kept = store.state_path.read_bytes()
        if damage is None:
            connection.execute("INSERT INTO schema_migrations VALUES ('9999_later.sql', 'x', ?)", (AT,))
    if damage is not None:
        store.state_path.write_bytes(damage)
    _move(store, "areas/a.html", "areas/moved.html")
    report = indexing.update(store)
    assert report.renamed == 1
    assert report.state_behind is not None
    assert indexing.verify(store).agrees
    for suffix in ("", "-wal", "-shm"):
        store.state_path.with_name(store.state_path.name + suffix).unlink(missing_ok=True)
    store.state_path.write_bytes(kept)
    assert indexing.update(store).state_behind is None
    assert _state(store)[0] == [("areas/moved.html", 1)]


def test_verify_tells_an_index_that_is_behind_from_one_that_is_wrong(store: Store) -> None:
    plant(store.root, {"areas/c.html": memory("The probe reads low.")})
    git(store.root, "add", "-A")
    git(store.root, "commit", "-q", "-m", "more")
    with pytest.raises(IndexStale) as refusal:
        indexing.verify(store)
    assert refusal.value.hints == ("memhtml index update",)
    indexing.update(store)
    with closing(sqlite3.connect(store.index_path)) as connection, connection:
        connection.execute("UPDATE file_entities SET entity_key = 'wrong'")
        connection.execute("UPDATE files SET gist = 'wrong' WHERE path = 'areas/c.html'")
    found = indexing.verify(store)
    assert [(each.table, each.key, each.columns) for each in found.differences] == [
        ("files", "areas/c.html", ("gist",))
    ]
    with reading(store.index_path) as connection:
        assert connection.execute("SELECT count(*) FROM files").fetchone() == (3,)
