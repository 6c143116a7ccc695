"""Use cases of links between memories."""

from functools import partial
from typing import NamedTuple

from memhtml.app.wire import Store
from memhtml.app.writing import Done, warnings_of, write_through
from memhtml.store.link import Linked, plan_link, plan_unlink
from memhtml.values import CommitSha, EdgeRel, MemoryPath

__all__ = ["MemoryLinked", "link", "unlink"]


class MemoryLinked(NamedTuple):
    src_path: MemoryPath
    rel: EdgeRel
    dst_path: MemoryPath
    #: Whether the link stands now.
    linked: bool
    #: None: it was so before.
    commit_sha: CommitSha | None
    warnings: tuple[str, ...] = ()


def link(store: Store, src: str, rel: EdgeRel, dst: str, *, embed: bool = True) -> MemoryLinked:
    """Join two memories. Errors: those of `plan_link` and `git.commit.commit`; none of them changed anything."""
    return _told(write_through(store, partial(plan_link, src=src, rel=rel, dst=dst), embed=embed))


def unlink(store: Store, src: str, rel: EdgeRel, dst: str, *, embed: bool = True) -> MemoryLinked:
    """Take a link away. Errors: those of `plan_unlink` and `git.commit.commit`; none of them changed anything."""
    return _told(write_through(store, partial(plan_unlink, src=src, rel=rel, dst=dst), embed=embed))


def _told(done: Done[Linked]) -> MemoryLinked:
    return MemoryLinked(*done.result, done.commit_sha, warnings_of(done))
