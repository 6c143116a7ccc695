"""What `init` needs of git, by git itself: hooks, signing, identity and configuration are then git's own.

A commit holds exactly the paths it is given. What the person has staged or edited elsewhere stays as it is.
"""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from memhtml.errors import GitFailed, RepoUnsupported
from memhtml.git.process import child_environment, unsafe_ownership
from memhtml.values import CommitSha

__all__ = [
    "WorkTree",
    "are_ignored",
    "commit_paths",
    "configure",
    "create_repository",
    "head",
    "require_committable",
    "require_identity",
    "tracked_paths",
    "work_tree",
]

_NO_IDENTITY = (
    "git does not know who you are; run `git config --global user.name <name>` and "
    "`git config --global user.email <address>`, then try again"
)


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


def head(root: Path) -> CommitSha | None:
    """Return the commit that HEAD names, if there is one."""
    done = _run(root, ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])
    return CommitSha(done.stdout.decode().strip()) if done.returncode == 0 else None


def tracked_paths(root: Path, paths: Iterable[str]) -> frozenset[str]:
    """Return those of `paths` that HEAD holds."""
    if head(root) is None:
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
            raise GitFailed("commit", _NO_IDENTITY)


def require_committable(root: Path) -> None:
    """Return when a commit of ours would not end up in somebody's unfinished work.

    Errors: `GitFailed` for a detached HEAD, and for a merge or cherry-pick that is not concluded.
    """
    if _run(root, ["symbolic-ref", "--quiet", "HEAD"]).returncode != 0:
        raise GitFailed("commit", "HEAD is detached; check out a branch first")
    for ref, what in (("MERGE_HEAD", "a merge"), ("CHERRY_PICK_HEAD", "a cherry-pick")):
        if _run(root, ["rev-parse", "--quiet", "--verify", ref]).returncode == 0:
            raise GitFailed("commit", f"{what} is not concluded; conclude or abort it first")


def commit_paths(root: Path, paths: Sequence[str], subject: str) -> CommitSha:
    """Commit the files at `paths` (relative to `root`) as they stand, and nothing else; return the commit.

    Effects: the paths are made known to git, then committed by `git commit --only`, which builds the commit beside
    the person's index and refreshes exactly these paths in it. After a failure they are unknown to git again.
    Errors: `GitFailed`, with what git or a hook said first.
    """
    names = _nul_joined(paths)
    listed = ["--pathspec-from-file=-", "--pathspec-file-nul"]
    _git(root, "add", ["--literal-pathspecs", "add", "--intent-to-add", "--force", *listed], stdin=names)
    commit = ["--literal-pathspecs", "commit", "--quiet", f"--message={subject}", "--only", *listed]
    try:
        _git(root, "commit", commit, stdin=names)
    except BaseException:
        _run(root, ["--literal-pathspecs", "reset", "--quiet", *listed], stdin=names)
        raise
    made = head(root)
    assert made is not None  # the commit has just succeeded
    return made


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
