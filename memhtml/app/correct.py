"""Use case: a memory takes the place of another."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from memhtml.app.session_links import remember
from memhtml.app.wire import Store
from memhtml.app.writing import warnings_of, write_around_dirt
from memhtml.index.access import LinkKind
from memhtml.store.correct import Correction, plan_correct
from memhtml.store.reason import admit_reason
from memhtml.values import CommitSha, ContentHash, MemoryPath

__all__ = ["Correction", "MemoryCorrected", "correct"]


class MemoryCorrected(NamedTuple):
    path: MemoryPath
    #: Where the old memory stood, and where it is now.
    target_path: MemoryPath
    archived_path: MemoryPath
    content_hash: ContentHash
    commit_sha: CommitSha | None
    warnings: tuple[str, ...] = ()


def correct(store: Store, target: str, correction: Correction, *, embed: bool = True) -> MemoryCorrected:
    """Put a memory in the place of another.

    Errors: those of `plan_correct`, `admit_reason` and `git.commit.commit`; none of them changed anything.
    """
    at = store.clock()
    admitted = replace(correction, reason=admit_reason(correction.reason, correction.allowed))
    plan = partial(plan_correct, target=target, correction=admitted, at=at)
    done = write_around_dirt(store, plan, embed=embed)
    remember(store, done.result.path, LinkKind.CORRECTED, correction.provenance, at)
    return MemoryCorrected(*done.result, done.commit_sha, warnings_of(done))
