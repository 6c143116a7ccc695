"""How every write of the corpus runs: planned against HEAD, committed, indexed.

The plan is made again whenever HEAD moved on before the commit, so it must be a function of the view alone. The index
follows after the commit; should that fail, the commit stands and the next update brings the index up.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Generic, TypeVar

from memhtml.app import indexing
from memhtml.app.wire import Store
from memhtml.db.open import open_index
from memhtml.db.storage import storage
from memhtml.git.commit import CommitRequest, Committed, commit
from memhtml.git.entries import EntryKind
from memhtml.git.read import GitReader, open_reader
from memhtml.index.duplicates import competes
from memhtml.index.expected import found_of, project
from memhtml.index.folder import IndexFolder
from memhtml.index.watermark import read_watermark
from memhtml.resources import migrations
from memhtml.store.planned import Planned
from memhtml.store.view import HeadView
from memhtml.values import CommitSha, ContentHash, MemoryPath, Plane, Skip

__all__ = ["Done", "write_through"]

T = TypeVar("T")

_HOLDER = "SELECT path FROM files WHERE content_hash = ? AND archived = 0 AND memory_type <> 'task'"


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    result: T
    #: None: nothing had to be changed.
    committed: Committed | None

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
        planned = plan(HeadView(reader, head, _Holders(store, reader, head)))
        made[:] = [planned]
        return planned.request()

    committed = commit(store.root, request_from)
    if committed is not None:
        indexing.update(store, embed=embed, worktree=False)
    return Done(made[0].result, committed)


class _Holders:
    """Who says which words in a commit: the index, corrected by what was committed since it caught up."""

    def __init__(self, store: Store, reader: GitReader, head: CommitSha | None) -> None:
        self._index = IndexFolder(store.root).index_path
        self._at = store.clock()
        self._reader = reader
        self._head = head
        self._changed: set[MemoryPath] | None = None
        self._arrived: dict[ContentHash, MemoryPath] = {}

    def __call__(self, content_hash: ContentHash) -> MemoryPath | None:
        if self._head is None:
            return None
        connection = open_index(self._index, mode="read", migrations=migrations(Plane.INDEX), now=self._at)
        with closing(connection), storage("looking for equal words"):
            if self._changed is None:
                self._changed = self._follow(connection, self._head)
            if content_hash in self._arrived:
                return self._arrived[content_hash]
            row = connection.execute(_HOLDER, (content_hash,)).fetchone()
        return MemoryPath(row[0]) if row is not None and row[0] not in self._changed else None

    def _follow(self, connection: sqlite3.Connection, head: CommitSha) -> set[MemoryPath]:
        """Read what was committed after the index's watermark; return the paths it changed."""
        mark = read_watermark(connection)
        if mark is None or mark.head_sha is None or mark.head_sha == head:
            return set()
        changed: set[MemoryPath] = set()
        for change in self._reader.changes(mark.head_sha, head):
            changed.add(change.path)
            found = found_of(change.new)
            if found is None or found.kind is not EntryKind.FILE:
                continue
            rows = project(found, self._reader.blob(found.blob_sha))
            if not isinstance(rows, Skip) and competes(rows.file):
                self._arrived.setdefault(rows.file.content_hash, rows.file.path)
        return changed
