"""Where notes are read from: a folder, a file of Markdown or HTML, JSON Lines, a JSON export, a store of memories.

Nothing outside the source is opened: symbolic links are not followed, and only regular files are read. Every file is
a note, a refusal with its reason, or counted as ignored.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memhtml.errors import PathNotFound, StorageFailed
from memhtml.exchange.note import Copy, Note, NoteKind
from memhtml.exchange.records import limited, notes_of_json, notes_of_lines
from memhtml.exchange.report import RefusalCode, Refused
from memhtml.format.paths import is_indexable_path
from memhtml.format.vocabulary import MAX_INDEXED_BYTES, MAX_WRITTEN_BYTES
from memhtml.values import Bucket

__all__ = ["Source", "open_source"]

_MARKDOWN: Final = frozenset({".md", ".markdown", ".mdown"})
_HTML: Final = frozenset({".html", ".htm"})
_LINES: Final = frozenset({".jsonl", ".ndjson"})
#: An export is one value, so all of it is in memory at once.
_MAX_JSON: Final = 64 * 1024 * 1024
#: Folders that hold no notes of the person's; so does every folder whose name begins with a dot.
_SKIPPED: Final = frozenset({"node_modules", "__pycache__", "venv"})
_CONTROL: Final = frozenset(map(chr, (*range(32), 127)))
_META: Final = b"memhtml-type"


@dataclass(slots=True)
class Source:
    """The notes of one source. `ignored` counts files of other kinds, and is right once all notes were read."""

    name: str
    _path: Path
    ignored: int = 0

    def __iter__(self) -> Iterator[Note | Copy | Refused]:
        if not self._path.is_dir():
            yield from _read_file(self._path, self._path.name)
            return
        is_store = _is_store(self._path)
        for path, name in _walk(self._path):
            if is_store and is_indexable_path(name):
                yield _copy(path, name)
            elif not is_store and path.suffix.lower() in _MARKDOWN | _HTML:
                yield from _read_file(path, name)
            else:
                self.ignored += 1


def open_source(path: Path) -> Source:
    """Return the notes at a path, which is looked at again each time they are iterated over.

    Order: the names of files and folders, as text. Errors, then or while iterating: `PathNotFound`, `StorageFailed`.
    """
    real = path.resolve()
    if not real.exists():
        raise PathNotFound(str(path))
    return Source(real.name, real)


def _walk(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield every file below a folder with its path relative to it."""

    def failed(error: OSError) -> None:
        raise StorageFailed("reading the folder of notes", error.strerror or "") from error

    for folder, folders, files in os.walk(root, onerror=failed):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if not name.startswith("."):
                path = Path(folder, name)
                yield path, path.relative_to(root).as_posix()


def _is_store(root: Path) -> bool:
    """Tell whether a folder is laid out like a store and holds a memory."""
    for bucket in Bucket:
        if (root / bucket.value).is_dir():
            for path, name in _walk(root / bucket.value):
                if is_indexable_path(f"{bucket.value}/{name}"):
                    data = _bytes_of(path, name, MAX_INDEXED_BYTES)
                    if isinstance(data, bytes) and _META in data:
                        return True
    return False


def _copy(path: Path, name: str) -> Copy | Refused:
    data = _bytes_of(path, name, MAX_INDEXED_BYTES)
    return data if isinstance(data, Refused) else Copy(name, name, data)


def _read_file(path: Path, name: str) -> Iterator[Note | Refused]:
    suffix = path.suffix.lower()
    if suffix in _LINES:
        yield from _lines(path, name)
        return
    limit = _MAX_JSON if suffix == ".json" else MAX_WRITTEN_BYTES
    data = _bytes_of(path, name, limit)
    if isinstance(data, Refused):
        yield data
        return
    if b"\x00" in data[:8192]:
        yield Refused(_shown(name), RefusalCode.BINARY, "it is no text")
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield Refused(_shown(name), RefusalCode.NOT_UTF8, "its text is not UTF-8")
        return
    if suffix == ".json":
        yield from notes_of_json(name, text)
    elif suffix in _HTML:
        yield Note(source=name, path=name, text=text, kind=NoteKind.HTML)
    else:
        yield Note(source=name, path=name, text=text)


def _bytes_of(path: Path, name: str, limit: int) -> bytes | Refused:
    """Return the bytes of a regular file that is not larger than `limit`, or why not."""
    shown = _shown(name)
    if shown != name or not _CONTROL.isdisjoint(name):
        return Refused(shown, RefusalCode.BAD_NAME, "its name is not UTF-8, or holds control characters")
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return Refused(shown, RefusalCode.SYMLINK, "it is a symbolic link")
        if not stat.S_ISREG(mode):
            return Refused(shown, RefusalCode.NOT_A_FILE, "it is no regular file")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        return Refused(shown, RefusalCode.UNREADABLE, f"it cannot be read ({error.strerror})")
    if len(data) > limit:
        return Refused(shown, RefusalCode.TOO_LARGE, f"it is larger than {limit} bytes")
    return data


def _lines(path: Path, name: str) -> Iterator[Note | Refused]:
    try:
        with path.open("rb") as file:
            yield from notes_of_lines(name, limited(file.readline))
    except OSError as error:
        yield Refused(_shown(name), RefusalCode.UNREADABLE, f"it cannot be read ({error.strerror})")


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
