"""What `init` needs of git before there is a store, by git itself. Commits are made by `commit`."""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from memhtml.errors import GitFailed, RepoUnsupported
from memhtml.git.head import head_commit
from memhtml.git.process import child_environment, unsafe_ownership
from memhtml.git.writer import NO_IDENTITY

__all__ = [
    "WorkTree",
    "are_ignored",
    "configure",
    "create_repository",
    "require_identity",
    "tracked_paths",
    "work_tree",
]


class WorkTree(NamedTuple):
    top: Path
    #: `sha1` or `sha256`.
    object_format: str


def work_tree(folder: Path) -> WorkTree | None:
    """Return the work tree that `folder` is in, if it is in one.

    Errors: `RepoUnsupported` in a bare repository, which has no place for files; `GitFailed` where git refuses to
    look, as it does in a repository that belongs to somebody else.
    """
    done = _run(folder, ["rev-parse", "--is-inside-work-tree", "--show-cdup", "--show-object-format"])
    if done.returncode != 0:
        if b"not a git repository" in done.stderr:
            return None
        if b"dubious ownership" in done.stderr:
            raise unsafe_ownership("rev-parse", folder)
        raise GitFailed("rev-parse", _first_complaint(done.stderr))
    inside, up, object_format = done.stdout.decode("utf-8", "surrogateescape").split("\n")[:3]
    if inside != "true":
        raise RepoUnsupported("a bare repository has no working tree to lay a scaffold down in")
    top = folder
    for _ in range(
        up.count("../")
    ):  # not git's absolute path: it resolves the symlinks that the person named
        top = top.parent
    return WorkTree(top, object_format)


def create_repository(root: Path) -> None:
    """Make a repository at `root`, its first branch named `main`."""
    _git(root, "init", ["init", "--quiet", "--initial-branch=main"])


def configure(root: Path, key: str, value: str) -> None:
    """Set a key in the configuration of this clone."""
    _git(root, "config", ["config", "--local", key, value])


def tracked_paths(root: Path, paths: Iterable[str]) -> frozenset[str]:
    """Return those of `paths` that HEAD holds."""
    if head_commit(root) is None:
        return frozenset()
    listed = _git(root, "ls-tree", ["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *paths])
    return frozenset(listed.decode("utf-8", "surrogateescape").split("\0")[:-1])


def are_ignored(root: Path, paths: Iterable[str]) -> bool:
    """Return whether git ignores every one of `paths`."""
    asked = list(paths)
    done = _run(root, ["check-ignore", "-z", "--stdin"], stdin=_nul_joined(asked))
    return done.stdout.count(b"\0") == len(asked)


def require_identity(folder: Path) -> None:
    """Return when git can tell author and committer of a commit made in `folder`.

    Errors: `GitFailed` that names the two commands to run.
    """
    for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if _run(folder, ["var", name]).returncode != 0:
            raise GitFailed("commit", NO_IDENTITY)


def _nul_joined(paths: Iterable[str]) -> bytes:
    return b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)


def _git(root: Path, operation: str, arguments: Sequence[str], *, stdin: bytes = b"") -> bytes:
    done = _run(root, arguments, stdin=stdin)
    if done.returncode != 0:
        raise GitFailed(operation, _first_complaint(done.stderr))
    return done.stdout


def _run(root: Path, arguments: Sequence[str], *, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", "-C", str(root), *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=child_environment(),
        )
    except OSError as error:
        raise GitFailed("start", error.strerror or "git cannot be run") from error


def _first_complaint(stderr: bytes) -> str:
    """Return the line in which git names the fault, or the first line there is."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    faults = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    return (faults or lines or ["no reason given"])[0].removeprefix("fatal: ").removeprefix("error: ")[:200]
