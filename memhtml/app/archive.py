"""Use cases of the archive: a memory goes there, and comes back."""

from collections.abc import Collection
from functools import partial
from typing import NamedTuple

from memhtml.app.wire import Store
from memhtml.app.writing import warnings_of, write_around_dirt
from memhtml.safety import SecretCode
from memhtml.store.archive import plan_archive, plan_restore
from memhtml.store.reason import admit_reason
from memhtml.values import CommitSha, MemoryPath

__all__ = ["MemoryArchived", "MemoryRestored", "archive", "restore"]


class MemoryArchived(NamedTuple):
    path: MemoryPath
    archive_path: MemoryPath
    commit_sha: CommitSha | None
    warnings: tuple[str, ...] = ()


class MemoryRestored(NamedTuple):
    path: MemoryPath
    archive_path: MemoryPath
    #: The memory that had taken its place, and does not say so any more.
    successor_path: MemoryPath | None
    commit_sha: CommitSha | None
    warnings: tuple[str, ...] = ()


def archive(
    store: Store, path: str, reason: str, *, allowed: Collection[SecretCode] = (), embed: bool = True
) -> MemoryArchived:
    """Move a memory into the archive.

    Errors: those of `plan_archive`, `admit_reason` and `git.commit.commit`; none of them changed anything.
    """
    plan = partial(plan_archive, path=path, reason=admit_reason(reason, allowed), at=store.clock())
    done = write_around_dirt(store, plan, embed=embed)
    return MemoryArchived(*done.result, done.commit_sha, warnings_of(done))


def restore(store: Store, path: str, *, embed: bool = True) -> MemoryRestored:
    """Bring an archived memory back. Errors: those of `plan_restore` and `git.commit.commit`, nothing changed."""
    done = write_around_dirt(store, partial(plan_restore, path=path, at=store.clock()), embed=embed)
    return MemoryRestored(*done.result, done.commit_sha, warnings_of(done))
