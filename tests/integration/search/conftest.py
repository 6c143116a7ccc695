"""A store made of files: a real repository, a real index, and a clock that stands still."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from builders import plant
from conftest import git

from memhtml.app import indexing
from memhtml.app.wire import Store, open_store
from memhtml.values import Instant

NOW = Instant("2026-05-01T12:00:00Z")

MakeStore = Callable[[Mapping[str, bytes]], Store]


@pytest.fixture
def make_store(repo: Path) -> MakeStore:
    """Commit files, index them, and return the store."""

    def make(files: Mapping[str, bytes]) -> Store:
        plant(repo, {".gitignore": b".memhtml/*.db*\n.memhtml/*.lock\n", **files})
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "memories")
        store = open_store(repo, clock=lambda: NOW)
        report = indexing.rebuild(store, embed=False)
        assert not report.skipped, report.skipped
        return store

    return make
