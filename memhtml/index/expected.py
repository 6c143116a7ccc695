"""The set of files an index should describe: a commit, overlaid by the working tree.

Rebuild and update ask this one module, so that both project the same bytes for the same path.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memhtml.format.projection import project_file
from memhtml.format.rows import MemoryRows
from memhtml.git.entries import Entry, EntryKind, Unreadable, WorktreeKind
from memhtml.git.read import GitReader
from memhtml.values import BlobSha, CommitSha, MemoryPath, Skip, SkipCode

__all__ = ["NO_OVERLAY", "Found", "Overlay", "everything", "found_of", "project", "read_overlay"]

#: Stands in `skipped_files` and `dirty_paths` for a link on disk, and for bytes that could not be read.
NO_BLOB = BlobSha("0" * 40)


class Found(NamedTuple):
    """One file that should be judged, with its bytes if somebody has read them already."""

    path: MemoryPath
    blob_sha: BlobSha
    kind: EntryKind
    data: bytes | None
    #: Why the bytes could not be read, if so.
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class Overlay:
    """What the working tree says differently from the commit; an unmerged path says nothing yet."""

    present: Mapping[MemoryPath, Found]
    absent: frozenset[MemoryPath]
    unmerged: int

    def dirty(self) -> list[tuple[MemoryPath, str | None]]:
        """Return (path, blob or None for a deletion), sorted."""
        blobs: dict[MemoryPath, str | None] = dict.fromkeys(self.absent)
        blobs.update((path, found.blob_sha) for path, found in self.present.items())
        return sorted(blobs.items())


NO_OVERLAY = Overlay({}, frozenset(), 0)


def read_overlay(reader: GitReader) -> Overlay:
    """Read the working tree's differences, with the bytes that git would store for them."""
    if reader.is_bare:
        return NO_OVERLAY
    present: dict[MemoryPath, Found] = {}
    absent: set[MemoryPath] = set()
    on_disk: list[MemoryPath] = []
    unmerged = 0
    for change in reader.status():
        if change.kind is WorktreeKind.UNMERGED:
            unmerged += 1
        elif change.kind is WorktreeKind.ABSENT or change.entry_kind is EntryKind.SUBMODULE:
            absent.add(change.path)
        elif change.entry_kind is EntryKind.FILE:
            on_disk.append(change.path)
        else:
            present[change.path] = Found(change.path, NO_BLOB, change.entry_kind, b"")
    blobs = reader.worktree_blobs(on_disk)
    for path in on_disk:
        blob = blobs.get(path)
        if blob is None:  # gone between the two looks
            absent.add(path)
        elif isinstance(blob, Unreadable):
            present[path] = Found(path, NO_BLOB, EntryKind.FILE, b"", blob.reason)
        else:
            present[path] = Found(path, blob.blob_sha, EntryKind.FILE, blob.data)
    return Overlay(present, frozenset(absent - present.keys()), unmerged)


def found_of(entry: Entry | None) -> Found | None:
    """Return a committed entry as something to judge; a submodule is no file."""
    if entry is None or entry.kind is EntryKind.SUBMODULE:
        return None
    return Found(entry.path, entry.blob_sha, entry.kind, None)


def everything(reader: GitReader, head: CommitSha, overlay: Overlay) -> Iterator[Found]:
    """Yield every file of the commit that the working tree does not contradict, then the working tree's own."""
    hidden = overlay.present.keys() | overlay.absent
    for entry, data in reader.walk_blobs(head):
        if entry.path not in hidden and entry.kind is not EntryKind.SUBMODULE:
            yield Found(entry.path, entry.blob_sha, entry.kind, data)
    for path in sorted(overlay.present):
        yield overlay.present[path]


def project(found: Found, data: bytes) -> MemoryRows | Skip:
    """Return the rows of one file, or why it gets none."""
    if found.kind is EntryKind.SYMLINK:
        return Skip(found.path, found.blob_sha, SkipCode.SYMLINK, "a symbolic link is not a memory")
    if found.kind is EntryKind.BAD_PATH:
        return Skip(found.path, found.blob_sha, SkipCode.BAD_PATH, "the file's name is not UTF-8")
    if found.unreadable:
        return Skip(found.path, found.blob_sha, SkipCode.UNREADABLE, found.unreadable)
    return project_file(found.path, found.blob_sha, data)
