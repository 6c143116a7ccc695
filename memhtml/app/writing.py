"""How every write of the corpus runs: planned against HEAD, committed, indexed.

The plan is made again whenever HEAD moved on before the commit, so it must be a function of the view alone. The index
follows after the commit; should that fail, the commit stands, and the next update brings the index up.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, Protocol, TypeVar

from memhtml.app import indexing
from memhtml.app.standing import standing_in
from memhtml.app.wire import Store
from memhtml.errors import DirtyTree, EmbedModelMismatch, MemhtmlError
from memhtml.git.commit import CommitRequest, Committed, commit
from memhtml.git.read import open_reader
from memhtml.store.planned import Planned
from memhtml.store.view import HeadView
from memhtml.values import CommitSha

__all__ = ["Done", "warnings_of", "write_around_dirt", "write_through"]

T = TypeVar("T")

#: How often a plan is made anew around files that nobody committed.
_DETOURS: Final = 8


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    result: T
    #: None: nothing had to be changed.
    committed: Committed | None
    #: Why the index, or its vectors, could not follow the commit, which stands.
    behind: MemhtmlError | None = None

    @property
    def commit_sha(self) -> CommitSha | None:
        return None if self.committed is None else self.committed.sha


def write_through(store: Store, plan: Callable[[HeadView], Planned[T]], *, embed: bool = True) -> Done[T]:
    """Plan against HEAD, commit what the plan changes, and bring the index up to that commit.

    Errors: those of the plan and of `git.commit.commit`, in which case nothing was changed.
    """
    reader = open_reader(store.root)
    if reader.head() is not None:
        indexing.update(store, embed=False, worktree=False)
    made: list[Planned[T]] = []

    def request_from(head: CommitSha | None) -> CommitRequest | None:
        if head is None:
            planned = plan(HeadView(reader, None, lambda _: None))
        else:
            with standing_in(store, reader, head) as standing:
                planned = plan(HeadView(reader, head, standing.holder_of, standing.frame_holders))
        made[:] = [planned]
        return planned.request()

    committed = commit(store.root, request_from)
    behind = _catch_up(store, embed=embed) if committed is not None else None
    return Done(made[0].result, committed, behind)


def _catch_up(store: Store, *, embed: bool) -> MemhtmlError | None:
    """Bring the index up to our commit, without vectors where those of another space stand; return what failed."""
    try:
        indexing.update(store, embed=embed, worktree=False)
    except EmbedModelMismatch as error:
        return _catch_up(store, embed=False) or error
    except MemhtmlError as error:
        return error
    return None


class _Plan(Protocol[T]):
    def __call__(self, view: HeadView, *, occupied: Collection[str]) -> Planned[T]: ...


def write_around_dirt(store: Store, plan: _Plan[T], *, embed: bool) -> Done[T]:
    """Write, taking names at which uncommitted files stand for taken. Errors: `DirtyTree` where that does not help."""
    occupied: frozenset[str] = frozenset()
    for _ in range(_DETOURS):
        try:
            return write_through(store, partial(plan, occupied=occupied), embed=embed)
        except DirtyTree as error:
            if occupied.issuperset(error.paths):
                raise
            occupied = occupied.union(error.paths)
    return write_through(store, partial(plan, occupied=occupied), embed=embed)


def warnings_of(done: Done[T]) -> tuple[str, ...]:
    """Return what did not follow a commit that stands."""
    found = []
    if done.committed is not None and done.committed.left:
        found.append(
            f"{len(done.committed.left)} file(s) changed meanwhile in the folder, and stayed as they were"
        )
    if done.behind is not None:
        found.append(f"the index did not follow: {done.behind.message} ({done.behind.code})")
    return tuple(found)
