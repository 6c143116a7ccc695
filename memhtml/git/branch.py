"""Where HEAD stands, and moving a branch by compare-and-swap: it moves from what was read, or not at all."""

from typing import NamedTuple

import pygit2
from pygit2.enums import ReferenceType

from memhtml.errors import GitFailed, RefusedError, StorageFailed
from memhtml.values import CommitSha

__all__ = ["Tip", "branch_tip", "create_branch", "load_tip", "move", "translated"]

_MAX_STEPS = 5
#: How libgit2 says that somebody else was faster, or is at it.
_LOST = ("old reference value does not match", "failed to lock", "locked", "already exists", "current tip")


class Tip(NamedTuple):
    """What a commit would move: the branch that HEAD names, or HEAD itself where it names none."""

    name: str
    #: None before the first commit.
    commit: CommitSha | None
    #: As it was when `commit` was read; None where the branch does not exist yet.
    reference: pygit2.Reference | None


def load_tip(repository: pygit2.Repository) -> Tip:
    """Return where HEAD stands now. Errors: `GitFailed`."""
    name = "HEAD"
    try:
        for _ in range(_MAX_STEPS):
            reference = repository.lookup_reference(name)
            if reference.type == ReferenceType.DIRECT:
                return Tip(name, CommitSha(str(reference.target)), reference)
            name = str(reference.target)
    except KeyError:
        if name != "HEAD":
            return Tip(name, None, None)
        raise GitFailed("reading HEAD", "there is none") from None
    except (pygit2.GitError, ValueError) as error:
        raise GitFailed("reading HEAD", "the branch cannot be read") from error
    raise GitFailed("reading HEAD", "it leads from reference to reference without an end")


def move(repository: pygit2.Repository, tip: Tip, new: str, log_message: str) -> bool:
    """Move a branch from `tip` to the commit `new`; False when it does not stand there any more.

    Errors: `GitFailed`, `StorageFailed`.
    """
    try:
        if tip.reference is None:
            repository.create_reference(tip.name, new, force=False, message=log_message)
        else:
            tip.reference.set_target(new, log_message)
    except (pygit2.GitError, ValueError, OSError) as error:
        if any(words in str(error) for words in _LOST):
            return False
        raise translated("moving the branch", error) from error
    return True


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
        if any(words in str(error) for words in _LOST):
            raise GitFailed("branch", f"there is a branch {name} already") from error
        raise translated("branch", error) from error


def translated(operation: str, error: Exception) -> RefusedError | StorageFailed | GitFailed:
    """Return the typed form of what libgit2 or the system said."""
    said = str(error)
    if "No space left" in said or "quota" in said:
        return StorageFailed(operation, "no space left on the device")
    if "Read-only file system" in said or "Permission denied" in said:
        return StorageFailed(operation, "the repository cannot be written by this user")
    return GitFailed(operation)
