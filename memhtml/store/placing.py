"""Where the new files of one plan stand: none where the commit holds a file, and no two at one place.

A name counts as taken when a file system that folds case or composes accents would take it for one that is there. A
name that we make up goes on to the next ordinal; a path that the caller chose is given as it is, or refused.
"""

from collections.abc import Callable, Collection
from typing import Final

from memhtml.errors import PathRefused
from memhtml.format.draft import Draft
from memhtml.format.paths import (
    archive_path,
    filename,
    is_valid_memory_path,
    normalize_path,
    placement,
    slugify,
    with_ordinal,
)
from memhtml.store.view import HeadView, folded
from memhtml.values import LISTING_NAMES, Bucket, MemoryPath

__all__ = ["LAST_ORDINAL", "Placing", "chosen_path"]

#: How many files may share one name; behind it, somebody writes in a circle.
LAST_ORDINAL: Final = 1000
_MAX_NAME_BYTES: Final = 255
#: Characters of a refused path in a message.
_MAX_SHOWN: Final = 200


class Placing:
    """Gives out the paths of one plan. `occupied` are paths that something outside of the commit stands at."""

    def __init__(self, view: HeadView, occupied: Collection[str] = ()) -> None:
        self._view = view
        self._files = {folded(path) for path in occupied}
        #: Every folder that the plan puts a file in or below, by its folded form.
        self._folders: dict[str, str] = {}
        #: The ordinal to try next, by folder and name: names are only ever added, so it never goes back.
        self._next: dict[tuple[str, str], int] = {}
        #: Folders of the commit that are known to be none of its files.
        self._no_files: set[str] = set()

    def place(
        self,
        draft: Draft,
        *,
        workspace: str | None = None,
        explicit: str | None = None,
        folder: str | None = None,
    ) -> MemoryPath:
        """Return the path of a new memory, which is taken from then on.

        Shapes: `folder` stands in for the one that the rules of placement would find.

        Errors: `PathRefused` for an explicit path that is no place for a memory or taken, and when a thousand files
        of one name stand in the folder.
        """
        if explicit is not None:
            return self._chosen(explicit)
        if folder is None:
            folder = placement(
                draft.memory_type, workspace=workspace, tags=draft.tags, entities=draft.entities
            )
        slug = slugify(draft.title)
        first = filename(slug, draft.memory_type, draft.at)
        return self._numbered(
            folder, first, lambda ordinal: filename(with_ordinal(slug, ordinal), draft.memory_type, draft.at)
        )

    def archive(self, path: MemoryPath, year: int) -> MemoryPath:
        """Return where a memory goes when it is archived, which is taken from then on. Errors: `PathRefused`."""
        folder, _, name = archive_path(path, year).rpartition("/")
        stem = name.removesuffix(".html")
        return self._numbered(
            folder, name, lambda ordinal: name if ordinal <= 1 else f"{stem}-{ordinal}.html"
        )

    def _chosen(self, explicit: str) -> MemoryPath:
        return self.take(chosen_path(explicit))

    def take(self, path: MemoryPath) -> MemoryPath:
        """Return a valid path, spelt as it is, which is taken from then on. Errors: `PathRefused` where it is taken."""
        folder = path.rpartition("/")[0]
        if self._spelt(folder) != folder:
            raise PathRefused(path, "a folder there differs from it only in case or composition")
        self._require_folder(path)
        if self._is_taken(path):
            raise PathRefused(path, "a file of that name stands there")
        return self._take(path)

    def _numbered(self, folder: str, first: str, name_of: Callable[[int], str]) -> MemoryPath:
        folder = self._spelt(folder)
        self._require_folder(MemoryPath(f"{folder}/{first}"))
        for ordinal in range(self._next.get((folder, first), 1), LAST_ORDINAL + 1):
            path = MemoryPath(f"{folder}/{name_of(ordinal)}")
            if not self._is_taken(path):
                self._next[folder, first] = ordinal + 1
                return self._take(path)
        raise PathRefused(f"{folder}/{first}", f"{LAST_ORDINAL} files of that name stand there")

    def _spelt(self, folder: str) -> str:
        """Return a folder as those that stand there already are spelt, as far as they do."""
        spelt = ""
        for part in folder.split("/"):
            wanted = f"{spelt}/{part}" if spelt else part
            claimed = self._folders.get(folded(wanted))
            there = self._view.name_at(spelt, part)
            spelt = claimed or (f"{spelt}/{there}" if spelt and there else there) or wanted
        return spelt

    def _require_folder(self, path: MemoryPath) -> None:
        """Refuse a path that needs a folder where a file stands."""
        for folder in _folders_of(path):
            if folded(folder) in self._files:
                raise PathRefused(path, "a file stands where a folder is needed")
            if folder not in self._no_files:
                if self._view.is_file(folder):
                    raise PathRefused(path, "a file stands where a folder is needed")
                self._no_files.add(folder)

    def _is_taken(self, path: MemoryPath) -> bool:
        key = folded(path)
        return key in self._files or key in self._folders or self._view.is_taken(path)

    def _take(self, path: MemoryPath) -> MemoryPath:
        self._files.add(folded(path))
        self._folders.update((folded(folder), folder) for folder in _folders_of(path))
        return path


def chosen_path(explicit: str) -> MemoryPath:
    """Return the path that a caller chose for a new memory. Errors: `PathRefused` where none can be."""
    path = normalize_path(explicit)
    if not is_valid_memory_path(path) or folded(path.rpartition("/")[2]) in LISTING_NAMES:
        raise PathRefused(
            _shown(explicit), "a memory is an .html file in projects/, areas/ or resources/, and no listing"
        )
    if not _fits(path):
        raise PathRefused(_shown(path), "a name of it is too long, or cannot be spelt in UTF-8")
    if path.startswith(f"{Bucket.ARCHIVE}/"):
        raise PathRefused(path, "archive/ holds what was archived, not what is written")
    return path


def _fits(path: str) -> bool:
    """Tell whether every file system can hold the names of a path."""
    try:
        return all(len(part.encode()) <= _MAX_NAME_BYTES for part in path.split("/"))
    except UnicodeEncodeError:
        return False


def _shown(path: str) -> str:
    """Return what a caller wrote as a message can carry it."""
    text = path.encode("utf-8", "replace").decode()
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def _folders_of(path: str) -> list[str]:
    """Return every folder above a path, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
