"""A new store with a clock that moves one second a look."""

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import git

from memhtml.app.setup import init
from memhtml.app.wire import Store, open_store
from memhtml.app.write import Words
from memhtml.values import Instant


def ticking() -> Iterator[Instant]:
    for second in itertools.count():
        yield Instant(f"2026-03-09T{8 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    root = init(tmp_path / "store").root
    git(root, "config", "gc.auto", "0")
    moments = ticking()
    return open_store(root, clock=lambda: next(moments))


def words(claim: str = "A probe reads low when it is cold.", **said: object) -> Words:
    """The words of one memory, by default of a semantic one in the inbox."""
    fields: dict[str, object] = {"title": "A title", "memory_type": "semantic", "claim": claim}
    return Words(**{**fields, **said})  # type: ignore[arg-type]  # a test's own words


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").decode().strip()


def committed(root: Path) -> list[str]:
    """Every memory of HEAD."""
    names = git(root, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")
    return [name for name in names if name.endswith(".html") and name != "README.html"]


def subjects(root: Path) -> list[str]:
    return git(root, "log", "--format=%s").decode().splitlines()


def everything_in(root: Path) -> dict[str, str]:
    """The digest of every file of a store, git's own included; locks, which hold nothing, and SQLite's maps apart."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith((".lock", "-shm", "-wal"))
    }
