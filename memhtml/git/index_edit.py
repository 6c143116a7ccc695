"""Replaces the person's index by one that differs in our paths alone, under the index's own lock.

Git edits a copy, so that everything that can fail has failed before the branch moves; the copy then takes the index's
place in one step. While the lock is held no `git commit` can start from an index that lacks what HEAD already has.
"""

import os
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from memhtml.errors import LockHeld, StorageFailed
from memhtml.git.discover import Location
from memhtml.git.index_file import stamp
from memhtml.git.process import write_git
from memhtml.git.request import Holding

__all__ = [
    "IndexState",
    "copy_index",
    "edit",
    "extract",
    "install",
    "is_unchanged",
    "lock",
    "read_index",
    "unlock",
]

#: An ordinary `git add` or `git commit` holds the lock for milliseconds.
LOCK_WAIT_S = 10.0
_POLL_S = 0.005
_NOTHING = b"0" * 40


class IndexState(NamedTuple):
    """The bytes of the index and when they were written; None and 0 where there is no index."""

    data: bytes | None
    modified_ns: int
    inode: int


def read_index(location: Location) -> IndexState:
    """Return the index as it is now. Errors: `StorageFailed`."""
    try:
        with _index(location).open("rb") as file:
            status = os.fstat(file.fileno())
            return IndexState(file.read(), status.st_mtime_ns, status.st_ino)
    except FileNotFoundError:
        return IndexState(None, 0, 0)
    except OSError as error:
        raise StorageFailed("reading the index of git", error.strerror or "") from error


def is_unchanged(location: Location, state: IndexState) -> bool:
    """Tell whether the index is still the one that was read."""
    try:
        status = _index(location).stat()
    except FileNotFoundError:
        return state.data is None
    except OSError as error:
        raise StorageFailed("reading the index of git", error.strerror or "") from error
    seen = status.st_mtime_ns, status.st_ino, status.st_size
    return state.data is not None and seen == (state.modified_ns, state.inode, len(state.data))


def lock(location: Location, words: bytes, wait_s: float = LOCK_WAIT_S) -> None:
    """Take the index's lock, marked with `words`; a lock of anybody else is waited for and never removed.

    Errors: `LockHeld` after `wait_s` seconds, `StorageFailed`.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            descriptor = os.open(_lock_path(location), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            if time.monotonic() >= deadline:
                raise LockHeld("git's index (index.lock)", wait_s) from None
            time.sleep(_POLL_S)
            continue
        except OSError as error:
            raise StorageFailed("locking the index of git", error.strerror or "") from error
        try:
            os.write(descriptor, words)
        except OSError as error:
            _lock_path(location).unlink(missing_ok=True)
            raise StorageFailed("locking the index of git", error.strerror or "") from error
        finally:
            os.close(descriptor)
        return


def unlock(location: Location, words: bytes, name: str) -> None:
    """Give the index's lock back, if it is the one marked with `words`; `name` is a draft that `install` may leave."""
    path = _lock_path(location)
    path.with_name(name).unlink(missing_ok=True)
    try:
        if path.read_bytes() == words:
            path.unlink()
    except FileNotFoundError:
        pass


def copy_index(copy: Path, state: IndexState) -> None:
    """Write an index of the same bytes and age at `copy`. Errors: `StorageFailed`."""
    try:
        copy.unlink(missing_ok=True)
        if state.data is not None:
            copy.write_bytes(state.data)
            # Git trusts no entry that is as young as the index, so the copy must not look younger than it is.
            os.utime(copy, ns=(state.modified_ns, state.modified_ns))
    except OSError as error:
        raise StorageFailed("copying the index of git", error.strerror or "") from error


def edit(
    location: Location,
    copy: Path,
    state: IndexState,
    puts: Mapping[str, Holding | None],
    skipped: Iterable[str] = (),
) -> None:
    """Make at `copy` an index that is `state` but for `puts` (None removes a path); `skipped` stay out of the tree.

    Errors: `GitFailed`, `StorageFailed`.
    """
    copy_index(copy, state)
    here = {"GIT_INDEX_FILE": str(copy)}
    # Removals first: a file may stand where a folder was.
    ordered = sorted(puts.items(), key=lambda item: (item[1] is not None, os.fsencode(item[0])))
    lines = b"".join(b"%s %s\t%s\0" % (*_spelled(holding), os.fsencode(path)) for path, holding in ordered)
    write_git(location, "update-index", "-z", "--index-info", stdin=lines, extra=here)
    if names := b"".join(os.fsencode(path) + b"\0" for path in skipped):
        write_git(location, "update-index", "-z", "--skip-worktree", "--stdin", stdin=names, extra=here)


def extract(location: Location, copy: Path, paths: Iterable[str], folder: Path) -> None:
    """Write the files that the index at `copy` holds at `paths` below `folder`, as git would check them out.

    Errors: `GitFailed`, `StorageFailed`.
    """
    if names := b"".join(os.fsencode(path) + b"\0" for path in paths):
        write_git(
            location,
            "checkout-index",
            "-z",
            "--stdin",
            f"--prefix={folder}/",
            stdin=names,
            extra={"GIT_INDEX_FILE": str(copy)},
        )


def install(location: Location, copy: Path, placed: Mapping[str, os.stat_result], name: str) -> None:
    """Put the index at `copy` in the place of the person's, with the times of the files that were `placed`.

    It is written beside the index as `name` first. Errors: OSError; the index is then the one that was.
    """
    if not copy.exists():  # nothing was put into an index that was not there
        return
    index = _index(location)
    # Its age is that of git's own edit: what git then thought too young to trust stays so.
    edited_ns = copy.stat().st_mtime_ns
    draft = index.with_name(name)
    try:
        statuses = {os.fsencode(path): status for path, status in placed.items()}
        draft.write_bytes(stamp(location, copy.read_bytes(), statuses))
        if index.exists():
            shutil.copymode(index, draft)
        os.utime(draft, ns=(edited_ns, edited_ns))
        draft.replace(index)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _spelled(holding: Holding | None) -> tuple[bytes, bytes]:
    return (b"0", _NOTHING) if holding is None else (holding.mode, holding.sha.encode("ascii"))


def _index(location: Location) -> Path:
    return (location.git_dir / "index").resolve()


def _lock_path(location: Location) -> Path:
    index = _index(location)
    return index.with_name(index.name + ".lock")
