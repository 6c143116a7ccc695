"""How notes call each other, and which memory is meant."""

import posixpath
import re
import unicodedata
from typing import Final, NamedTuple

from memhtml.exchange.markdown import WIKI
from memhtml.values import MemoryPath

__all__ = ["Called", "Names"]

_EXTENSION: Final = re.compile(r"\.(?:md|markdown|html?)$", re.IGNORECASE)


class Called(NamedTuple):
    """What leads to a note: the paths it stands at, and its names, which others may have too."""

    places: tuple[str, ...]
    names: tuple[str, ...]


class Names:
    """How notes call each other: by path, by title, by file name, by the id of a record."""

    def __init__(self) -> None:
        self._paths: dict[str, MemoryPath] = {}
        #: None: two notes are called so, and nobody can say which one is meant.
        self._called: dict[str, MemoryPath | None] = {}

    def add(self, called: Called, path: MemoryPath) -> None:
        """Take in how the note of a memory is called."""
        for place in called.places:
            self._paths.setdefault(_bare(place), path)
        for name in sorted({_bare(each) for each in (*called.names, *called.places)}):
            present = self._called.setdefault(name, path)
            if present != path:
                self._called[name] = None

    def find(self, target: str, source: str) -> MemoryPath | None:
        """Return the memory of the note that a link in the note at `source` leads to."""
        if target.startswith(WIKI):
            name = _bare(target.removeprefix(WIKI))
            return self._called.get(name) or self._called.get(posixpath.basename(name))
        if target.startswith("/"):
            return self._paths.get(_bare(target[1:]))
        folder = posixpath.dirname(source)
        for base in (folder, ""):
            found = self._paths.get(_bare(posixpath.normpath(posixpath.join(base, target))))
            if found is not None:
                return found
        return None


def _bare(name: str) -> str:
    """Return a name without fragment, query and extension, in one case."""
    name = name.partition("#")[0].partition("?")[0].strip()
    name = _EXTENSION.sub("", name)
    return unicodedata.normalize("NFC", name).casefold().strip("/")
