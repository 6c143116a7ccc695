"""Where HEAD stands, and moving a branch by compare-and-swap: it moves from what was read, or not at all."""

from collections.abc import Collection
from typing import NamedTuple

import pygit2
from pygit2.enums import ReferenceType

from memhtml.errors import GitFailed, StorageFailed
from memhtml.git.discover import Location
from memhtml.git.process import WRITING, start
from memhtml.values import CommitSha

__all__ = ["Tip", "branch_tip", "create_branch", "load_tip", "move", "translated"]

_MAX_STEPS = 5
_NOTHING = "0" * 40


class Tip(NamedTuple):
    """What a commit would move: the branch that HEAD names, or HEAD itself where it names none."""

    name: str
    #: None before the first commit.
    commit: CommitSha | None


def load_tip(repository: pygit2.Repository) -> Tip:
    """Return where HEAD stands now. Errors: `GitFailed`."""
    name = "HEAD"
    try:
        for _ in range(_MAX_STEPS):
            reference = repository.lookup_reference(name)
            if reference.type == ReferenceType.DIRECT:
                return Tip(name, CommitSha(str(reference.target)))
            name = str(reference.target)
    except KeyError:
        if name != "HEAD":
            return Tip(name, None)
        raise GitFailed("reading HEAD", "there is none") from None
    except (pygit2.GitError, ValueError) as error:
        raise GitFailed("reading HEAD", "the branch cannot be read") from error
    raise GitFailed("reading HEAD", "it leads from reference to reference without an end")


def move(location: Location, tip: Tip, new: str, log_message: str, in_use: Collection[int] = ()) -> bool:
    """Move a branch from `tip` to the commit `new`; False when it does not stand there any more, or is held.

    Git moves it and not libgit2: should this process be killed now, git still ends what it began, where a lock that
    libgit2 leaves behind would stop every later commit. `in_use` are descriptors that it holds open until then.
    Errors: `GitFailed`, `StorageFailed`.
    """
    done = start(
        location,
        "update-ref",
        "--no-deref",
        "-m",
        log_message,
        tip.name,
        new,
        tip.commit or _NOTHING,
        extra=WRITING,
        pass_fds=in_use,
    )
    if done.returncode == 0:
        return True
    said = done.stderr.decode("utf-8", "replace")
    error = translated("moving the branch", said)
    if isinstance(error, GitFailed) and "cannot lock ref" in said:
        return False
    raise error


def branch_tip(repository: pygit2.Repository, name: str) -> CommitSha | None:
    """Return the commit of a local branch, or None when there is no such branch."""
    try:
        return CommitSha(str(repository.lookup_reference(f"refs/heads/{name}").resolve().target))
    except (KeyError, ValueError):
        return None


def create_branch(repository: pygit2.Repository, name: str, at: CommitSha) -> None:
    """Make a local branch at a commit. Errors: `GitFailed` when there is one, or when no branch can be called so."""
    try:
        repository.create_reference(
            f"refs/heads/{name}", at, force=False, message=f"branch: Created from {at}"
        )
    except (pygit2.GitError, ValueError) as error:
        if "already exists" in str(error):
            raise GitFailed("branch", f"there is a branch {name} already") from error
        raise translated("branch", str(error)) from error


def translated(operation: str, said: str) -> StorageFailed | GitFailed:
    """Return the typed form of what git, libgit2 or the system said."""
    if "No space left" in said or "quota" in said:
        return StorageFailed(operation, "no space left on the device")
    if "Read-only file system" in said or "Permission denied" in said:
        return StorageFailed(operation, "the repository cannot be written by this user")
    return GitFailed(operation)
