"""Use case: what is said about a memory changes."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from memhtml.app.wire import Store
from memhtml.app.writing import warnings_of, write_through
from memhtml.store.edit import Changes, plan_edit
from memhtml.store.reason import admit_reason
from memhtml.values import CommitSha, MemoryPath

__all__ = ["Changes", "MemoryEdited", "edit"]


class MemoryEdited(NamedTuple):
    path: MemoryPath
    #: Names whose values are others now.
    changed: tuple[str, ...]
    #: None: it was so before.
    commit_sha: CommitSha | None
    warnings: tuple[str, ...] = ()


def edit(store: Store, path: str, changes: Changes, *, embed: bool = True) -> MemoryEdited:
    """Change a head. Errors: those of `plan_edit`, `admit_reason` and `git.commit.commit`, nothing changed."""
    admitted = replace(changes, reason=admit_reason(changes.reason, changes.allowed))
    plan = partial(plan_edit, path=path, changes=admitted, at=store.clock())
    done = write_through(store, plan, embed=embed)
    return MemoryEdited(*done.result, done.commit_sha, warnings_of(done))
