"""The store at a glance."""

import sqlite3
import subprocess
import sys
from pathlib import Path

from builders import memory, plant
from embedders import HashingEmbedder
from integration.doctor.stores import AT, change_index, commit, good_store, indexed, store_of

from memhtml.app import health


def test_an_indexed_store_tells_its_counts_and_is_fresh(repo: Path) -> None:
    embedder = HashingEmbedder()
    status = health.status(store_of(indexed(good_store(repo), embedder), embedder))
    assert status.counts_by_type == {"semantic": 2, "task": 1}
    assert status.archived_count == 1
    assert (status.edges, status.derived_edges, status.traces) == (2, 0, 0)
    assert status.chunks == status.embeddings == 4
    assert status.index_fresh
    assert status.index_head_sha == status.head_sha
    assert status.embedder_up
    assert not status.dirty
    assert status.index_problem is None


def test_a_store_without_an_index_says_so_and_still_tells_its_head(repo: Path) -> None:
    status = health.status(store_of(good_store(repo)))
    assert status.index_problem == "ERR_INDEX_MISSING"
    assert status.head_sha is not None
    assert status.counts_by_type is None
    assert not status.index_fresh


def test_uncommitted_files_are_listed(repo: Path) -> None:
    root = indexed(good_store(repo))
    plant(root, {"areas/new/x.html": memory("New.")})
    status = health.status(store_of(root))
    assert status.dirty
    assert status.dirty_paths == ("areas/new/x.html",)
    assert status.index_fresh


def test_a_later_commit_makes_the_index_stale(repo: Path) -> None:
    root = indexed(good_store(repo))
    commit(root, {"areas/x.html": memory("New.")})
    status = health.status(store_of(root))
    assert not status.index_fresh
    assert status.index_head_sha != status.head_sha


def test_vectors_of_another_space_are_no_embedder_that_is_up(repo: Path) -> None:
    root = indexed(good_store(repo), HashingEmbedder())
    assert not health.status(store_of(root, HashingEmbedder("other-test"))).embedder_up
    absent = health.status(store_of(root))
    assert not absent.embedder_up
    assert absent.no_embedder_because == "no embedder is configured"
    assert absent.embed_model == HashingEmbedder().space.identity


def test_a_damaged_index_is_told_by_its_code(repo: Path) -> None:
    root = indexed(good_store(repo))
    for name in ("index.db-wal", "index.db-shm"):
        (root / ".memhtml" / name).unlink(missing_ok=True)
    (root / ".memhtml/index.db").write_bytes(b"no database")
    assert health.status(store_of(root)).index_problem == "ERR_INDEX_DAMAGED"


def test_the_last_consolidation_is_told(repo: Path) -> None:
    root = indexed(good_store(repo))
    assert health.status(store_of(root)).last_sleep is None
    change_index(
        root,
        *(
            "INSERT INTO sleep_runs (run_id, branch, base_sha, status, started_at)"
            f" VALUES ('{run}', 'sleep/{run}', 'x', 'review', '2026-05-{run[-2:]}T03:00:00Z')"
            for run in ("r-30", "r-31", "r-29")
        ),
    )
    sleep = health.status(store_of(root)).last_sleep
    assert sleep is not None
    assert (sleep.run_id, sleep.status) == ("r-31", "review")


def test_a_state_plane_is_told(repo: Path) -> None:
    root = indexed(good_store(repo))
    assert not health.status(store_of(root)).has_state
    sqlite3.connect(root / ".memhtml/state.db").close()
    (root / ".memhtml/state.db").touch()
    assert health.status(store_of(root)).has_state


def test_status_loads_neither_libgit2_nor_numpy(repo: Path) -> None:
    root = indexed(good_store(repo))
    program = (
        "import sys; from pathlib import Path; from memhtml.app import health; from memhtml.app.wire import Store;"
        f"health.status(Store(Path({str(root)!r}), lambda: {str(AT)!r}, None));"
        "print([name for name in ('pygit2', 'numpy', 'filelock') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
