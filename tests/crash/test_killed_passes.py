"""A pass killed at any point leaves the old index or the new one, and the next command works."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from embedders import HashingEmbedder
from planes import AT, assert_equals_rebuild, reading

from memhtml import faults
from memhtml.app import indexing
from memhtml.app.wire import Store, open_store
from memhtml.db.open import attach_state
from memhtml.index.digest import recomputed_digest
from memhtml.index.projector import fingerprint
from memhtml.resources import migrations
from memhtml.values import Plane

CHILD = Path(__file__).with_name("child.py")
PASS_POINTS = [point for point in faults.POINTS if point.startswith("pass.")]
#: Where each point lies on the way of each operation.
ON_THE_WAY = [
    *(("rebuild", point) for point in PASS_POINTS),
    *(("update", point) for point in PASS_POINTS),
    *(("update", point) for point in faults.POINTS if point.startswith(("moves.", "embed."))),
    *(("rebuild", point) for point in faults.POINTS if point.startswith("embed.")),
    ("damaged", "damage.moved_aside"),
    *(("first", point) for point in faults.POINTS if point.startswith("migrate.")),
    ("first", "pass.watermark_written"),
]
#: What this module arms; `test_points` holds the union of all modules against the list.
ARMED = {point for _, point in ON_THE_WAY}
FILES = {f"areas/{n}.html": memory(f"Fact number {n} about the probe.") for n in range(30)}


def _store(root: Path) -> Store:
    return open_store(root, clock=lambda: AT, embedder=HashingEmbedder(batch_size=4))


def _digest(root: Path) -> str | None:
    store = _store(root)
    if not store.index_path.exists():
        return None
    with reading(store.index_path) as connection:
        return recomputed_digest(connection, fingerprint())


def _count_accesses(store: Store, path: str, count: int) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        attach_state(connection, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=AT)
        connection.execute(
            "INSERT INTO state.access (path, access_count, updated_at) VALUES (?, ?, ?)", (path, count, AT)
        )


def _accesses(store: Store) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(store.state_path)) as connection:
        return connection.execute("SELECT path, access_count FROM access ORDER BY path").fetchall()


def _prepare(root: Path, operation: str) -> None:
    """Commit a corpus, index it, and commit more work than triggers handle: edits, a swap of paths, a removal."""
    plant(root, {".gitignore": b".memhtml/\n", **FILES})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    store = _store(root)
    if operation == "first":
        return
    indexing.rebuild(store)
    _count_accesses(store, "areas/0.html", 7)
    _count_accesses(store, "areas/1.html", 3)
    (root / "areas/0.html").rename(root / "areas/parked.html")
    (root / "areas/1.html").rename(root / "areas/0.html")
    (root / "areas/parked.html").rename(root / "areas/1.html")
    (root / "areas/2.html").rename(root / "areas/moved.html")
    (root / "areas/3.html").unlink()
    plant(root, {f"areas/{n}.html": memory(f"A new kettle fact {n}.") for n in range(4, 28)})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    if operation == "damaged":
        store.index_path.write_bytes(b"SQLite format 3\x00 and then nothing of the kind" * 200)


@pytest.mark.parametrize(("operation", "point"), ON_THE_WAY, ids=lambda value: str(value))
def test_a_kill_leaves_the_old_index_or_the_new_one(repo: Path, operation: str, point: str) -> None:
    _prepare(repo, operation)
    before = None if operation in ("first", "damaged") else _digest(repo)
    command = "rebuild" if operation in ("rebuild", "first") else "update"
    done = subprocess.run(
        [sys.executable, str(CHILD), str(repo), command, point], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, (done.stdout, done.stderr)

    store = _store(repo)
    if operation in ("rebuild", "update"):
        after_kill = _digest(repo)
    indexing.update(store)
    after = _digest(repo)
    if operation in ("rebuild", "update"):
        assert after_kill in (before, after)
        expected_old = (
            PASS_POINTS.index(point) < PASS_POINTS.index("pass.committed") if point in PASS_POINTS else False
        )
        assert (after_kill == before) == expected_old
    assert_equals_rebuild(repo)
    indexing.embed(store)
    status = indexing.status(store)
    assert status.embeddings == status.chunks
    assert status.embeddings_remaining == 0
    if operation == "update":
        assert _accesses(store) == [("areas/0.html", 3), ("areas/1.html", 7)]
    with reading(store.index_path) as connection:
        assert connection.execute("SELECT count(*) FROM pending_moves").fetchone() == (0,)


def test_a_second_pass_waits_for_the_first(repo: Path) -> None:
    """Two processes at once: both finish, and the index is that of a rebuild."""
    _prepare(repo, "update")
    children = [
        subprocess.Popen(
            [sys.executable, str(CHILD), str(repo), operation, "pass.locked", "9"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for operation in ("update", "rebuild", "update")
    ]
    assert [child.communicate(timeout=120)[0].strip() for child in children] == ["survived"] * 3
    assert_equals_rebuild(repo)
