"""The store as one commit holds it, for planning a write against exactly that commit."""

import shlex
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memhtml.errors import InvalidMemory, PathNotFound, PathRefused
from memhtml.format.check import check, errors
from memhtml.format.document import Document
from memhtml.format.limits import refusal
from memhtml.format.parse import parse
from memhtml.format.paths import is_valid_memory_path, normalize_path
from memhtml.git.entries import EntryKind
from memhtml.git.read import GitReader
from memhtml.values import LISTING_NAMES, BlobSha, CommitSha, ContentHash, MemoryPath

__all__ = ["FrameHolder", "FrameHolders", "HeadFile", "HeadView", "HolderOf", "RawFile", "folded"]


@dataclass(frozen=True, slots=True)
class FrameHolder:
    """An active memory (no task) whose claim fills a slot."""

    path: MemoryPath
    claim: str
    content_hash: ContentHash


#: Returns the active memory (tasks apart) that says these words in the commit, or None.
HolderOf = Callable[[ContentHash], MemoryPath | None]
#: Returns who fills each of these slots in the commit: of several the one that was updated last.
FrameHolders = Callable[[Collection[str]], Mapping[str, FrameHolder]]


def _nobody(_: Collection[str]) -> Mapping[str, FrameHolder]:
    return {}


def folded(name: str) -> str:
    """Return the form in which file systems that fold case or compose accents see a name."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


@dataclass(frozen=True, slots=True)
class HeadFile:
    """A memory of the commit: where it stands, its blob, its bytes and what they say."""

    path: MemoryPath
    blob_sha: BlobSha
    data: bytes
    document: Document


class RawFile(NamedTuple):
    """Any file of the commit."""

    blob_sha: BlobSha
    data: bytes


class HeadView:
    """Reads one commit; asks nothing of the working tree and nothing that a later commit could change."""

    def __init__(
        self,
        reader: GitReader,
        commit: CommitSha | None,
        holder_of: HolderOf,
        frame_holders: FrameHolders = _nobody,
    ) -> None:
        self._reader = reader
        self._commit = commit
        self._names: dict[str, dict[str, str]] = {}
        self.holder_of = holder_of
        self.frame_holders = frame_holders

    def find(self, path: MemoryPath) -> HeadFile | None:
        """Return the memory at a path, or None. Errors: `InvalidMemory` for a file that is none."""
        entry = None if self._commit is None else self._reader.entry_at(self._commit, path)
        if entry is None or entry.kind is not EntryKind.FILE:
            return None
        data = self._reader.blob(entry.blob_sha)
        too_much = refusal(data)
        if too_much is not None:
            raise InvalidMemory(f"{path}: {too_much.reason}")
        document = parse(data)
        if wrong := errors(check(document)):
            raise InvalidMemory(
                f"{path} is not a valid memory",
                violations=tuple((each.code.value, each.message) for each in wrong),
                hints=("memhtml doctor",),
            )
        return HeadFile(path, entry.blob_sha, data, document)

    def files(self) -> Iterator[tuple[MemoryPath, bytes]]:
        """Yield the path and bytes of every regular file that could be a memory, in the byte order of paths."""
        for entry, data in () if self._commit is None else self._reader.walk_blobs(self._commit):
            if entry.kind is EntryKind.FILE:
                yield entry.path, data

    def get(self, path: str) -> HeadFile:
        """Return the memory that a person named. Errors: `PathNotFound`, `PathRefused`, `InvalidMemory`."""
        normal = normalize_path(path)
        if not is_valid_memory_path(normal):
            raise PathRefused(path, "it is not the path of a memory")
        file = self.find(normal)
        if file is None:
            hints = (f"memhtml resolve {shlex.quote(normal)}",) if normal.isprintable() else ()
            raise PathNotFound(normal, hints=hints)
        return file

    def memories(self) -> Iterator[HeadFile]:
        """Yield every memory of the commit, in the byte order of paths; files that are none are passed over."""
        if self._commit is None:
            return
        for entry, data in self._reader.walk_blobs(self._commit):
            if entry.kind is not EntryKind.FILE or refusal(data) is not None:
                continue
            document = parse(data)
            if not errors(check(document)):
                yield HeadFile(entry.path, entry.blob_sha, data, document)

    def raw(self, path: str) -> RawFile | None:
        """Return any file of the commit, memory or not; None for a folder, a link and nothing."""
        entry = None if self._commit is None else self._reader.entry_at(self._commit, MemoryPath(path))
        if entry is None or entry.kind is not EntryKind.FILE:
            return None
        return RawFile(entry.blob_sha, self._reader.blob(entry.blob_sha))

    def listing_paths(self) -> list[str]:
        """Return where files with the name of a generated page stand in the buckets."""
        if self._commit is None:
            return []
        others = (entry.path for entry in self._reader.others(self._commit))
        return [path for path in others if "/" in path and path.rpartition("/")[2] in LISTING_NAMES]

    def is_file(self, path: str) -> bool:
        """Tell whether something that is no folder stands at a path."""
        return self._commit is not None and self._reader.entry_at(self._commit, MemoryPath(path)) is not None

    def is_taken(self, path: MemoryPath) -> bool:
        """Tell whether a file of this name, or one that only differs in case or composition, stands there."""
        folder, _, name = path.rpartition("/")
        return self.name_at(folder, name) is not None

    def name_at(self, folder: str, name: str) -> str | None:
        """Return the name of what stands in a folder under this name, or under one that is the same when folded.

        Shapes: `folder` as it is spelt in the commit, `""` for the root.
        """
        if folder not in self._names:
            names = [] if self._commit is None else self._reader.names_in(self._commit, folder)
            # Exact names last: of two that are the same when folded, each stands for itself.
            self._names[folder] = {**{folded(each): each for each in names}, **{each: each for each in names}}
        held = self._names[folder]
        return held.get(name) or held.get(folded(name))
