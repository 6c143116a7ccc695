"""Everything that memhtml reads from git about one store, behind one object.

Paths in and out are relative to the store's root, which may be the top of a work tree, a folder in a larger one, a
linked worktree, a shallow clone or a bare repository. Nothing here writes to the repository.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from memhtml.git import tree
from memhtml.git.discover import Location, find_repository
from memhtml.git.entries import (
    CommitInfo,
    Entry,
    EntryKind,
    TreeChange,
    Unreadable,
    WorktreeBlob,
    WorktreeChange,
    WorktreeKind,
)
from memhtml.git.head import head_of
from memhtml.git.log import log
from memhtml.git.objects import ObjectStore
from memhtml.git.others import Unseen, in_commit, on_disk
from memhtml.git.status import worktree_changes
from memhtml.git.wire import utf8_path
from memhtml.git.worktree import Reading, read_worktree
from memhtml.values import BlobSha, CommitSha, MemoryPath

__all__ = [
    "CommitInfo",
    "Entry",
    "EntryKind",
    "GitReader",
    "Reading",
    "TreeChange",
    "Unreadable",
    "Unseen",
    "WorktreeBlob",
    "WorktreeChange",
    "WorktreeKind",
    "open_reader",
]


def open_reader(root: Path) -> "GitReader":
    """Open the repository that holds the store at `root`.

    Errors: RepoRequired where there is none; RepoUnsupported for formats that libgit2 cannot read; GitFailed, with
    the cure, for a repository of another user and for one that cannot be opened.
    """
    location = find_repository(root)
    return GitReader(location, ObjectStore(location))


class GitReader:
    """Reads one store. Errors of every method: GitFailed, whose message names the cure where there is one."""

    __slots__ = ("_objects", "location")

    def __init__(self, location: Location, objects: ObjectStore) -> None:
        self.location = location
        self._objects = objects

    @property
    def is_bare(self) -> bool:
        """Whether there is no work tree: HEAD is all there is to read."""
        return self.location.work_dir is None

    @property
    def prefix(self) -> str:
        """The store's folder relative to the top of the repository: `""` or `a/b`."""
        return self.location.prefix

    def head(self) -> CommitSha | None:
        """Return the commit that HEAD names now, or None before the first one."""
        return head_of(self.location)

    def has_commit(self, sha: CommitSha) -> bool:
        """Tell whether `sha` names a commit that is here (not after a gc, nor beyond a shallow clone)."""
        return self._objects.commit_exists(sha)

    def walk(self, commit: CommitSha) -> Iterator[Entry]:
        """Yield every `.html` name of the four buckets that is no generated listing.

        Order: the bytes of the paths.
        """
        root = self._store_tree(commit)
        return tree.walk(self._objects.tree, root) if root is not None else iter(())

    def walk_blobs(self, commit: CommitSha) -> Iterator[tuple[Entry, bytes]]:
        """Yield what `walk` yields, each with its bytes; a submodule and a bad path come with none."""
        entries = list(self.walk(commit))
        has_bytes = [entry for entry in entries if entry.kind in {EntryKind.FILE, EntryKind.SYMLINK}]
        contents = self.blobs([entry.blob_sha for entry in has_bytes])
        for entry in entries:
            if entry.kind in {EntryKind.FILE, EntryKind.SYMLINK}:
                yield entry, next(contents)
            else:
                yield entry, b""

    def others(self, commit: CommitSha) -> Iterator[Entry]:
        """Yield everything of the store in a commit that is no candidate file; see `others.in_commit`."""
        root = self._store_tree(commit)
        return in_commit(self._objects.tree, root) if root is not None else iter(())

    def unseen(self) -> Unseen:
        """Return what the work tree holds beside what git sees; see `others.on_disk`."""
        return on_disk(self.location)

    def changes(self, old: CommitSha, new: CommitSha) -> list[TreeChange]:
        """Return how the walks of two commits differ, in the byte order of paths.

        Folders that are equal in both are never opened. A rename is one path removed and one added.
        """
        return tree.changes(self._objects.tree, self._store_tree(old), self._store_tree(new))

    def entry_at(self, commit: CommitSha, path: MemoryPath) -> Entry | None:
        """Return what a commit holds at a path of the store; None for nothing, a folder or an impossible path."""
        return self._entry_at(commit, path)

    def stands(self, commit: CommitSha, path: str) -> bool:
        """Tell whether a commit holds anything at a path of the store, be it a folder."""
        raw = utf8_path(path)
        if raw is None:
            return False
        parts = [*self._prefix_parts(), *raw.split(b"/")]
        return tree.descend(self._objects.tree, self._objects.root_tree(commit), parts) is not None

    def stands_on_disk(self, path: str) -> bool:
        """Tell whether the work tree holds anything at a path of the store; never for a bare repository."""
        if self.location.work_dir is None or utf8_path(path) is None:
            return False
        return os.path.lexists(self.location.work_dir / self.location.prefix / path)

    def names_in(self, commit: CommitSha, folder: str) -> list[str]:
        """Return the names in a folder of the store, files and folders alike; none where there is no such folder."""
        raw = utf8_path(folder)
        if raw is None:
            return []
        parts = [*self._prefix_parts(), *raw.split(b"/")] if raw else self._prefix_parts()
        item = tree.descend(self._objects.tree, self._objects.root_tree(commit), parts)
        if item is None or not tree.is_tree(item[0]):
            return []
        return [name.decode("utf-8", "surrogateescape") for _, name, _ in self._objects.tree(item[2].hex())]

    def blob(self, sha: BlobSha) -> bytes:
        """Return the bytes of one blob."""
        return self._objects.blob(sha)

    def blobs(self, shas: Sequence[BlobSha]) -> Iterator[bytes]:
        """Yield the bytes of many blobs, in the order of `shas`."""
        return self._objects.blobs(shas)

    def status(self) -> list[WorktreeChange]:
        """Return every candidate whose work tree or index differs from HEAD, untracked ones included.

        Order: the bytes of the paths. Empty for a bare repository.
        """
        return worktree_changes(self.location)

    def worktree_blob(self, path: MemoryPath) -> Reading:
        """Return what git would store for the file at `path`; None where no regular file is."""
        return self.worktree_blobs((path,))[path]

    def worktree_blobs(self, paths: Iterable[MemoryPath]) -> dict[MemoryPath, Reading]:
        """Return what git would store for each path: bytes after its filters, and their object id.

        None: no regular file is there (vanished, a link, a folder). `Unreadable`: it is, and cannot be read.
        """
        return read_worktree(self.location, paths)

    def parents(self, commit: CommitSha) -> tuple[CommitSha, ...]:
        """Return the parents of a commit that are here; none at the boundary of a shallow clone."""
        return self._objects.parents(commit)

    def log(
        self, limit: int, path: MemoryPath | None = None, start: CommitSha | None = None
    ) -> Iterator[CommitInfo]:
        """Yield at most `limit` commits of the history of `start`, else of HEAD, newest first.

        With a path, those that changed it.
        """
        head = start or self.head()
        if head is None:
            return iter(())
        if path is None:
            return log(self._objects, head, limit, None)
        memo: tree.Memo = {}
        return log(self._objects, head, limit, lambda sha: self._entry_at(sha, path, memo))

    def _entry_at(self, commit: str, path: MemoryPath, memo: tree.Memo | None = None) -> Entry | None:
        raw = utf8_path(path)
        if raw is None:
            return None
        parts = [*self._prefix_parts(), *raw.split(b"/")]
        item = tree.descend(self._objects.tree, self._objects.root_tree(commit), parts, memo)
        return tree.entry_of(raw, item) if item is not None else None

    def _prefix_parts(self) -> list[bytes]:
        return os.fsencode(self.location.prefix).split(b"/") if self.location.prefix else []

    def _store_tree(self, commit: CommitSha) -> str | None:
        """Return the tree of the store's folder in a commit, or None where the commit has no such folder."""
        root = self._objects.root_tree(commit)
        item = tree.descend(self._objects.tree, root, self._prefix_parts())
        return item[2].hex() if item is not None and tree.is_tree(item[0]) else None
