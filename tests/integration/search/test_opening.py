"""What a search needs to start, and what it says where there is nothing to search."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import memory
from conftest import git

from memhtml.app import indexing
from memhtml.app.entities import activity
from memhtml.app.retrieval import list_memories, search
from memhtml.app.wire import Store, open_store
from memhtml.db.open import open_index
from memhtml.errors import IndexDamaged, IndexMissing, MemhtmlError
from memhtml.resources import migrations
from memhtml.values import Plane

from .conftest import NOW, MakeStore

READS: dict[str, Callable[[Store], object]] = {
    "search": lambda store: search(store, "probe"),
    "list": list_memories,
    "activity": activity,
}

_STARTED = """
import sys
from pathlib import Path
from memhtml.app.retrieval import search
from memhtml.app.wire import open_store
found = search(open_store(Path(sys.argv[1])), "probe", explain=True)
assert len(found.hits) == 1 and found.index_fresh is True
print("\\n".join(sys.modules))
"""


def test_a_search_imports_neither_numpy_nor_libgit2_nor_a_parser_nor_processes(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": memory()})
    done = subprocess.run(
        [sys.executable, "-c", _STARTED, str(store.root)], capture_output=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    heavy = {
        *(
            "numpy",
            "pygit2",
            "subprocess",
            "selectolax",
            "blake3",
            "typer",
            "filelock",
            "platformdirs",
            "asyncio",
        ),
        *("memhtml.index.access", "memhtml.index.build", "memhtml.format.parse", "memhtml.git.read"),
    }
    assert loaded & heavy == set()


@pytest.mark.parametrize("name", READS)
def test_a_store_without_an_index_says_so_and_makes_none(repo: Path, name: str) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "nothing")
    with pytest.raises(IndexMissing):
        READS[name](open_store(repo))
    assert not (repo / ".memhtml").exists()


@pytest.mark.parametrize("name", READS)
def test_an_index_that_no_pass_has_filled_is_missing(repo: Path, name: str) -> None:
    store = open_store(repo, clock=lambda: NOW)
    open_index(store.index_path, mode="write", migrations=migrations(Plane.INDEX), now=NOW).close()
    with pytest.raises(IndexMissing):
        READS[name](store)


@pytest.mark.parametrize("name", READS)
def test_an_index_that_is_no_database_is_damaged(make_store: MakeStore, name: str) -> None:
    store = make_store({"areas/a.html": memory()})
    for side in ("-wal", "-shm"):
        store.index_path.with_name(f"index.db{side}").unlink(missing_ok=True)
    store.index_path.write_bytes(b"this is no database" * 500)
    with pytest.raises(IndexDamaged):
        READS[name](store)


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9])
def test_a_truncated_index_is_an_error_of_ours_or_an_answer(make_store: MakeStore, keep: float) -> None:
    store = make_store({f"areas/{n}.html": memory(f"Probe {n}.") for n in range(50)})
    for side in ("-wal", "-shm"):
        store.index_path.with_name(f"index.db{side}").unlink(missing_ok=True)
    data = store.index_path.read_bytes()
    store.index_path.write_bytes(data[: int(len(data) * keep)])
    for call in READS.values():
        try:
            call(store)
        except MemhtmlError as error:
            assert error.code in {"ERR_INDEX_DAMAGED", "ERR_STORAGE", "ERR_INDEX_MISSING"}


def test_an_index_that_was_replaced_is_the_one_that_answers(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": memory("Probe.")})
    assert search(store, "zeppelin").hits == ()
    (store.root / "areas/a.html").write_bytes(memory("Zeppelin."))
    store.index_path.unlink()
    for side in ("-wal", "-shm"):
        store.index_path.with_name(f"index.db{side}").unlink(missing_ok=True)
    indexing.rebuild(store, embed=False)
    assert [hit.path for hit in search(store, "zeppelin").hits] == ["areas/a.html"]


def test_a_folder_that_admits_no_writing_is_searched_all_the_same(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": memory("Probe.")})
    folder = store.index_path.parent
    folder.chmod(0o500)
    try:
        assert [hit.path for hit in search(store, "probe").hits] == ["areas/a.html"]
    finally:
        folder.chmod(0o700)


def test_searching_leaves_the_index_byte_for_byte(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": memory("Probe.")})
    before = store.index_path.read_bytes()
    for query in ("probe", "", '"probe"'):
        search(store, query, explain=True)
    assert store.index_path.read_bytes() == before


def test_a_store_outside_of_a_repository_cannot_tell_whether_it_is_fresh(make_store: MakeStore) -> None:
    store = make_store({"areas/a.html": memory("Probe.")})
    (store.root / ".git").rename(store.root / "moved-git")
    found = search(open_store(store.root, clock=lambda: NOW), "probe")
    assert (len(found.hits), found.index_fresh) == (1, None)
