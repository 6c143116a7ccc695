"""Commits on a branch that nobody has checked out."""

from pathlib import Path

import pytest
from builders import memory
from conftest import git

from memhtml.app.setup import init
from memhtml.errors import GitFailed
from memhtml.git.aside import commit_aside
from memhtml.git.request import CommitRequest

REQUEST = CommitRequest({"areas/a.html": memory()}, "memhtml(import): 1 memory")


def state(root: Path) -> tuple[bytes, ...]:
    return git(root, "rev-parse", "HEAD"), git(root, "status", "--porcelain"), git(root, "ls-files", "-s")


def branches(root: Path) -> list[str]:
    return git(root, "branch", "--format=%(refname:short)").decode().split()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = Path(init(tmp_path / "store").root)
    (root / "mine.txt").write_text("staged")
    git(root, "add", "mine.txt")
    return root


def test_a_branch_appears_and_nothing_else_changes(store: Path) -> None:
    before = state(store)
    made = commit_aside(store, "review/one", lambda head: REQUEST)
    assert made is not None
    assert state(store) == before
    assert git(store, "rev-parse", "review/one").decode().strip() == made.sha
    assert git(store, "rev-parse", "review/one~").strip() == before[0].strip()
    assert git(store, "diff", "--name-only", "HEAD", "review/one").decode().split() == ["areas/a.html"]
    assert git(store, "show", "review/one:areas/a.html") == memory()


def test_what_would_change_nothing_makes_no_branch(store: Path) -> None:
    assert commit_aside(store, "review", lambda head: None) is None
    assert branches(store) == ["main"]


@pytest.mark.parametrize("name", ["main", "a..b", "a b", "-x", "@{-1}", "", "x.lock", "HEAD~1", "/x"])
def test_a_name_that_is_taken_or_none_is_refused(store: Path, name: str) -> None:
    before = state(store)
    with pytest.raises(GitFailed):
        commit_aside(store, name, lambda head: REQUEST)
    assert branches(store) == ["main"]
    assert state(store) == before


def test_commit_hooks_that_could_not_run_are_not_passed_by(store: Path) -> None:
    hook = store / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitFailed, match="hooks"):
        commit_aside(store, "review", lambda head: REQUEST)
    assert branches(store) == ["main"]


def test_a_store_in_a_folder_of_a_repository_commits_below_it(tmp_path: Path, repo: Path) -> None:
    (repo / "code.py").write_text("pass\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "code")
    root = Path(init(repo / "notes").root)
    assert commit_aside(root, "review", lambda head: REQUEST) is not None
    assert git(repo, "diff", "--name-only", "HEAD", "review").decode().split() == ["notes/areas/a.html"]
