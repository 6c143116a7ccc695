"""The store as one commit holds it, for planning a write against exactly that commit."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from memhtml.errors import InvalidMemory, PathNotFound, PathRefused
from memhtml.format.check import check, errors
from memhtml.format.document import Document
from memhtml.format.limits import refusal
from memhtml.format.parse import parse
from memhtml.format.paths import is_valid_memory_path, normalize_path
from memhtml.git.entries import EntryKind
from memhtml.git.read import GitReader
from memhtml.values import BlobSha, CommitSha, ContentHash, MemoryPath

__all__ = ["HeadFile", "HeadView", "HolderOf", "folded"]

#: Returns the active memory (tasks apart) that says these words in the commit, or None.
HolderOf = Callable[[ContentHash], MemoryPath | None]


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


class HeadView:
    """Reads one commit; asks nothing of the working tree and nothing that a later commit could change."""

    def __init__(self, reader: GitReader, commit: CommitSha | None, holder_of: HolderOf) -> None:
        self._reader = reader
        self._commit = commit
        self._names: dict[str, frozenset[str]] = {}
        self.holder_of = holder_of

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

    def get(self, path: str) -> HeadFile:
        """Return the memory that a person named. Errors: `PathNotFound`, `PathRefused`, `InvalidMemory`."""
        normal = normalize_path(path)
        if not is_valid_memory_path(normal):
            raise PathRefused(path, "it is not the path of a memory")
        file = self.find(normal)
        if file is None:
            raise PathNotFound(normal)
        return file

    def is_taken(self, path: MemoryPath) -> bool:
        """Tell whether a file of this name, or one that only differs in case or composition, stands there."""
        folder, _, name = path.rpartition("/")
        if folder not in self._names:
            names = [] if self._commit is None else self._reader.names_in(self._commit, folder)
            self._names[folder] = frozenset(folded(each) for each in names)
        return folded(name) in self._names[folder]
