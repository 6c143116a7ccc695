"""Which clone of a store this is, by the state plane and by what clones have told each other."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import compile as pattern
from typing import Final

from memhtml.app.wire import Store
from memhtml.db.busy import WAIT_S
from memhtml.errors import StorageFailed
from memhtml.index.clones import own_clone
from memhtml.index.sidecar import ACCESS, FOLDER, LEGACY, SHEETS, Counts, Sheet, counts_of, parse_lines

__all__ = ["clone_of", "read_sidecar", "sidecar_path", "sidecars"]

_CLONE_FILE: Final = pattern(r"([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.jsonl")
#: No file of ours comes near; one that does is not read.
_MAX_BYTES: Final = 64 * 1024 * 1024


def clone_of(store: Store, state: sqlite3.Connection, *, wait_s: float = WAIT_S) -> str:
    """Return the id of this clone, and see to it that what is counted from now on is its own; see `own_clone`.

    Shapes: `state` is a connection with the state plane attached for writing.
    """
    return own_clone(state, store.root, _new_id, lambda clone: _told_by(store.root, clone), wait_s=wait_s)


def sidecar_path(sheet: Sheet, clone_id: str) -> str:
    """Return the path of one clone's file, relative to the root."""
    return f"{FOLDER}/{sheet.name}/{clone_id}.jsonl"


def sidecars(root: Path) -> Iterator[tuple[Sheet, str, str]]:
    """Yield sheet, clone and path of every file of the work tree that a clone wrote, in order.

    Errors: `StorageFailed` where a folder cannot be looked at.
    """
    if (root / FOLDER / "access.jsonl").is_file():
        yield ACCESS, LEGACY, f"{FOLDER}/access.jsonl"
    for sheet in SHEETS:
        for name in _names(root / FOLDER / sheet.name):
            found = _CLONE_FILE.fullmatch(name)
            if found is not None:
                yield sheet, found[1], f"{FOLDER}/{sheet.name}/{name}"


def read_sidecar(path: Path) -> bytes | None:
    """Return what a clone wrote, or None where it cannot be read."""
    try:
        return path.read_bytes() if path.stat().st_size <= _MAX_BYTES else None
    except OSError:
        return None


def _names(folder: Path) -> Iterable[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise StorageFailed("looking for what clones counted", error.strerror or "") from error


def _told_by(root: Path, clone_id: str) -> Iterable[Counts]:
    data = read_sidecar(root / sidecar_path(ACCESS, clone_id))
    return map(counts_of, parse_lines(ACCESS, data or b"").rows)


def _new_id() -> str:
    from memhtml.ids import new_id  # its import costs more than a clone needs that is bound already

    return new_id()
