"""What a commit is about to do, on disk before its branch moves, so that the next command can end what this one began.

`.memhtml/pending.json` appears whole or not at all. The system lock on it is handed to git's own `commit`, which may
outlive the process that started it: while that runs, nobody takes the commit for dead.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memhtml.errors import LockHeld, StorageFailed
from memhtml.git.request import Change, Holding

__all__ = ["Journal", "clear", "is_pending", "load", "recorded", "wait_until_free"]

_NAME, _DRAFT = "pending.json", "pending.json.tmp"
_VERSION = 1
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Journal:
    #: Names the scratch folder and the index lock of this commit.
    token: str
    #: HEAD before; None before the first commit.
    old: str | None
    #: None where git makes the commit, whose id is not known before.
    new: str | None
    changes: tuple[Change, ...]
    #: Paths where the work tree held the new state before: those files are the person's own.
    adopted: tuple[str, ...] = ()

    @property
    def scratch(self) -> str:
        """The folder below `.memhtml` for files on their way."""
        return f"commit-{self.token}.tmp"

    @property
    def lock_words(self) -> bytes:
        """What the index's lock file holds while it is ours."""
        return f"memhtml {self.token}\n".encode("ascii")


def is_pending(folder: Path) -> bool:
    """Tell whether a commit of the store whose own folder is `folder` was begun and not ended."""
    return os.path.lexists(folder / _NAME)


@contextmanager
def recorded(folder: Path, journal: Journal) -> Iterator[int]:
    """Record `journal` durably; yield a descriptor that keeps it in use while any process has it open.

    The record outlasts the block; `clear` ends it. Errors: `StorageFailed`, and then there is none.
    """
    draft = folder / _DRAFT
    try:
        file = draft.open("wb")
    except OSError as error:
        raise StorageFailed("recording the commit", error.strerror or "") from error
    with file:
        try:
            _lock(file.fileno())
            file.write(_dump(journal))
            file.flush()
            os.fsync(file.fileno())
            draft.replace(folder / _NAME)
            _sync(folder)
        except OSError as error:
            for path in (draft, folder / _NAME):
                path.unlink(missing_ok=True)
            raise StorageFailed("recording the commit", error.strerror or "") from error
        yield file.fileno()


def load(folder: Path) -> Journal | None:
    """Return the record that is there; None when it cannot be read as one."""
    try:
        return _parse((folder / _NAME).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageFailed("reading the record of a commit", error.strerror or "") from error


def clear(folder: Path) -> None:
    """Forget the record: what it announced is done, or undone."""
    (folder / _NAME).unlink(missing_ok=True)


def wait_until_free(folder: Path, wait_s: float) -> None:
    """Return when no process has the record in use any more. Errors: `LockHeld` after `wait_s` seconds."""
    try:
        file = (folder / _NAME).open("rb")
    except OSError:
        return
    with file:
        deadline = time.monotonic() + wait_s
        while not _try_lock(file.fileno()):
            if time.monotonic() >= deadline:
                raise LockHeld("the commit that a stopped process began", wait_s)
            time.sleep(_POLL_S)


if sys.platform == "win32":

    def _lock(_: int) -> None:
        """Do nothing: the system there lets nobody read a file that is held."""

    def _try_lock(_: int) -> bool:
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _sync(folder: Path) -> None:
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _dump(journal: Journal) -> bytes:
    record = {
        "version": _VERSION,
        "token": journal.token,
        "old": journal.old,
        "new": journal.new,
        "adopted": list(journal.adopted),
        "changes": [[path, _plain(old), _plain(new)] for path, old, new in journal.changes],
    }
    return json.dumps(record).encode("ascii")


def _plain(holding: Holding | None) -> list[str] | None:
    return [holding.mode.decode("ascii"), holding.sha] if holding is not None else None


def _parse(data: bytes) -> Journal | None:
    try:
        match json.loads(data):
            case {
                "version": 1,
                "token": str(token),
                "old": old,
                "new": new,
                "changes": list(changes),
                "adopted": list(adopted),
            }:
                listed = tuple(Change(str(path), _holding(was), _holding(now)) for path, was, now in changes)
                return Journal(token, _sha(old), _sha(new), listed, tuple(map(str, adopted)))
    except (ValueError, TypeError):
        pass
    return None


def _holding(plain: object) -> Holding | None:
    match plain:
        case None:
            return None
        case [str(mode), str(sha)]:
            return Holding(mode.encode("ascii"), sha)
    raise ValueError


def _sha(plain: object) -> str | None:
    if plain is None or isinstance(plain, str):
        return plain
    raise ValueError
