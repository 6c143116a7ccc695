"""Processes write one title into one store at once: each memory gets a file of its own, in one line of history."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from integration.store.conftest import committed, head
from planes import assert_equals_rebuild

from memhtml.app.health import check_store
from memhtml.app.wire import Store

CHILD = Path(__file__).with_name("writer_child.py")


def race(store: Store, writers: int, each: int, shared: int) -> list[tuple[str, bool, str | None]]:
    """Let writers loose; return what became of every memory."""
    processes = [
        subprocess.Popen(
            [sys.executable, str(CHILD), str(store.root), f"writer-{n}", str(each), str(shared)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for n in range(writers)
    ]
    told: list[tuple[str, bool, str | None]] = []
    for process in processes:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, err.decode()
        told += [tuple(json.loads(line)) for line in out.splitlines()]
    return told


def assert_nothing_lost(store: Store, before: str, writers: int, each: int, shared: int) -> None:
    mine = {"areas/mine.html": memory("Mine."), "areas/staged.html": memory("Staged.")}
    plant(store.root, mine)
    git(store.root, "add", "areas/staged.html")
    told = race(store, writers, each, shared)
    assert len(told) == writers * each
    expected = {f"Fact {n} of everybody." for n in range(shared)} | {
        f"Fact {n} of writer-{w}." for n in range(shared, each) for w in range(writers)
    }
    created = [path for path, is_new, _ in told if is_new]
    assert len(created) == len(set(created)) == len(expected)
    assert {path for path, _, _ in told} == set(created)
    assert sorted(committed(store.root)) == sorted(created)
    claims = {
        git(store.root, "show", f"HEAD:{path}").decode().split("<mark>")[1].split("<")[0] for path in created
    }
    assert claims == expected
    shas = git(store.root, "rev-list", f"{before}..HEAD").decode().split()
    assert sorted(shas) == sorted(sha for _, _, sha in told if sha is not None)
    assert git(store.root, "rev-list", "--min-parents=2", "HEAD") == b""
    assert git(store.root, "status", "--porcelain").splitlines() == [
        b"A  areas/staged.html",
        b"?? areas/mine.html",
    ]
    assert {name: (store.root / name).read_bytes() for name in mine} == mine
    for name in mine:
        (store.root / name).unlink()
    git(store.root, "rm", "-q", "--cached", "areas/staged.html")
    assert [f for f in check_store(store.root).findings if f.severity == "error"] == []
    assert_equals_rebuild(store.root)


def test_writers_of_one_title_lose_nothing_and_repeat_nothing(store: Store) -> None:
    assert_nothing_lost(store, head(store.root), writers=4, each=5, shared=1)


@pytest.mark.deep
def test_many_writers_of_one_title_lose_nothing_and_repeat_nothing(store: Store) -> None:
    assert_nothing_lost(store, head(store.root), writers=8, each=50, shared=5)
