"""What the reading layer hands out: files of a tree, differences between trees, and differences of the work tree.

Paths are relative to the store's root, which may be a folder inside a larger repository.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from memhtml.values import BlobSha, CommitSha, Instant, MemoryPath

__all__ = [
    "CommitInfo",
    "Entry",
    "EntryKind",
    "TreeChange",
    "Unreadable",
    "WorktreeBlob",
    "WorktreeChange",
    "WorktreeKind",
]


class EntryKind(StrEnum):
    """What stands at a path; only a `file` can be a memory."""

    FILE = "file"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    #: The name is not UTF-8, or no work tree could hold it (`..`); `path` shows it escaped and cannot be opened.
    BAD_PATH = "bad_path"


class Entry(NamedTuple):
    """One `.html` name in a bucket of a commit; a tuple, because a walk makes one per file of the corpus."""

    path: MemoryPath
    #: The blob; the commit for a submodule.
    blob_sha: BlobSha
    kind: EntryKind


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One path that differs between two commits: added (`old` None), removed (`new` None) or both."""

    path: MemoryPath
    old: Entry | None
    new: Entry | None


class WorktreeKind(StrEnum):
    PRESENT = "present"
    ABSENT = "absent"
    #: A merge stopped here; the file on disk may hold conflict markers.
    UNMERGED = "unmerged"


@dataclass(frozen=True, slots=True)
class WorktreeChange:
    """One path whose work-tree state differs from HEAD (edited, new, deleted, staged or unmerged)."""

    path: MemoryPath
    kind: WorktreeKind
    #: What stands on disk; `FILE` where nothing does.
    entry_kind: EntryKind = EntryKind.FILE


@dataclass(frozen=True, slots=True)
class WorktreeBlob:
    """What git would store for a file of the work tree: the bytes after its filters, and their object id."""

    blob_sha: BlobSha
    #: Cut after `MAX_INDEXED_BYTES` + 1 of them: enough to see that a file is too large, however large it is.
    data: bytes


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file of the work tree that is there and cannot be read; `reason` is one plain sentence without the path."""

    reason: str


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """One commit of the log."""

    sha: CommitSha
    author_at: Instant
    subject: str
    #: In the order of the message; a key may repeat.
    trailers: tuple[tuple[str, str], ...]
