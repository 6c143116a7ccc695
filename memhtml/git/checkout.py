"""Files of the work tree, compared with what a commit takes away and puts there, and replaced one by one.

A file appears whole or not at all, is never written through a link, and gives way only while it is the very file that
was compared before. What git would check out (filters, line ends, executable bits) git itself writes, into a folder
aside; from there it is moved into place.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from memhtml.errors import PathRefused, StorageFailed
from memhtml.git.discover import Location
from memhtml.git.entries import WorktreeBlob
from memhtml.git.request import Change, Holding
from memhtml.git.worktree import read_worktree
from memhtml.values import MemoryPath

__all__ = [
    "Seen",
    "Standing",
    "compare",
    "look",
    "make_folders",
    "place",
    "prune_folders",
    "remove_folders",
    "seen_of",
]

_CHUNK = 1 << 20


class Seen(NamedTuple):
    """Which file stood at a path: another one, or another state of it, differs in one of these."""

    device: int
    inode: int
    modified_ns: int
    size: int
    mode: int


class Standing(NamedTuple):
    """What stands at the path of a change."""

    is_old: bool
    is_new: bool
    #: None for nothing at all.
    seen: Seen | None
    #: Why nothing may be written there, whatever stands there.
    refusal: PathRefused | None = None


def seen_of(status: os.stat_result) -> Seen:
    """Return what tells a file and its state from every other."""
    return Seen(status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode)


def compare(
    location: Location,
    changes: Iterable[Change],
    *,
    trusts_file_mode: bool,
    placed: Mapping[str, Holding | None],
) -> dict[str, Standing]:
    """Return what stands at each changed path: the old file, the new one, both or neither.

    What `placed` names is as good as the old file: it was put there on the way to the new one.
    Errors: `GitFailed` when git cannot run its filters, `StorageFailed`.
    """
    top = os.fsencode(location.folder)
    found: dict[str, Standing] = {}
    unsure: dict[MemoryPath, _States] = {}
    try:
        for path, old, new in changes:
            states = _States({old, placed.get(path, old)}, new, trusts_file_mode)
            standing = found[path] = _raw_standing(top, path, states)
            is_neither = not (standing.is_old or standing.is_new or standing.refusal)
            if standing.seen is not None and is_neither and stat.S_ISREG(standing.seen.mode):
                unsure[MemoryPath(path)] = states
    except OSError as error:
        raise StorageFailed("reading the work tree", error.strerror or "") from error
    if unsure:
        # The bytes differ from every blob: a filter may have made them of one.
        readings = read_worktree(replace(location, prefix=""), unsure)
        for memory_path, states in unsure.items():
            reading, seen = readings[memory_path], found[memory_path].seen
            if seen is not None and isinstance(reading, WorktreeBlob):
                found[memory_path] = states.standing(seen, reading.blob_sha)
    return found


class _States(NamedTuple):
    olds: Set[Holding | None]
    new: Holding | None
    trusts_file_mode: bool

    def standing(self, seen: Seen, sha: str) -> Standing:
        """Return what a file of these bytes is."""
        is_executable = bool(seen.mode & stat.S_IXUSR)

        def is_it(holding: Holding | None) -> bool:
            if holding is None or holding.sha != sha:
                return False
            return not self.trusts_file_mode or is_executable == (holding.mode == b"100755")

        return Standing(any(map(is_it, self.olds)), is_it(self.new), seen)


def _raw_standing(top: bytes, path: str, states: _States) -> Standing:
    """Return what stands at a path if no filter applies to it."""
    try:
        status = look(top, path)
    except PathRefused as refusal:
        return Standing(False, False, None, refusal)
    if status is None:
        return Standing(None in states.olds, states.new is None, None)
    return states.standing(seen_of(status), _raw_sha(top + b"/" + os.fsencode(path), status))


def look(top: bytes, path: str) -> os.stat_result | None:
    """Return the status of what stands at a path, a link itself rather than its target; None for nothing.

    Errors: `PathRefused` where the way to it leads through a link, a file or another repository.
    """
    full = top
    *folders, name = os.fsencode(path).split(b"/")
    for folder in folders:
        full += b"/" + folder
        status = _status(full)
        if status is None:
            return None
        if stat.S_ISLNK(status.st_mode):
            raise PathRefused(path, "a folder on the way to it is a symbolic link in the work tree")
        if not stat.S_ISDIR(status.st_mode):
            raise PathRefused(path, "a file of the work tree stands where a folder is needed")
        if _status(full + b"/.git") is not None:
            raise PathRefused(path, "it lies in another repository inside this one")
    return _status(full + b"/" + name)


def _status(full: bytes) -> os.stat_result | None:
    try:
        return os.lstat(full)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _raw_sha(full: bytes, status: os.stat_result) -> str:
    """Return the id of a file as if no filter applied; of what is no file, or cannot be read, none."""
    if not stat.S_ISREG(status.st_mode):
        return ""
    digest = hashlib.sha1(b"blob %d\0" % status.st_size, usedforsecurity=False)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(full, flags), "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return ""
    return digest.hexdigest()


def make_folders(top: bytes, paths: Iterable[str]) -> list[bytes]:
    """Make the folders that files at `paths` need; return the new ones, outer before inner.

    Errors: OSError; what was made until then is taken back.
    """
    made: list[bytes] = []
    try:
        for path in paths:
            full = top
            for folder in os.fsencode(path).split(b"/")[:-1]:
                full += b"/" + folder
                try:
                    os.mkdir(full)  # noqa: PTH102 - paths of git are bytes
                except FileExistsError:
                    continue
                made.append(full)
    except OSError:
        remove_folders(made)
        raise
    return made


def remove_folders(made: Iterable[bytes]) -> None:
    """Remove folders that are empty, inner before outer."""
    for folder in sorted(made, key=len, reverse=True):
        try:
            os.rmdir(folder)  # noqa: PTH106 - paths of git are bytes
        except OSError:
            continue


def prune_folders(top: bytes, path: str, keep: str) -> None:
    """Remove the folders that a removed file leaves empty, as git does, but none from `keep` upwards."""
    folder = os.fsencode(path).rpartition(b"/")[0]
    while len(folder) > len(os.fsencode(keep)):
        try:
            os.rmdir(top + b"/" + folder)  # noqa: PTH106 - paths of git are bytes
        except OSError:
            return
        folder = folder.rpartition(b"/")[0]


def place(top: bytes, path: str, source: Path | None, seen: Seen | None) -> Seen | None:
    """Move `source` to a path of the work tree, or remove what is there; return the file that then stands there.

    Errors: FileExistsError when what stands there is not what was `seen`; any other OSError; `PathRefused`. Nothing
    is changed then.
    """
    status = look(top, path)
    if (seen_of(status) if status is not None else None) != seen:
        raise FileExistsError(path)
    target = top + b"/" + os.fsencode(path)
    if source is None:
        if seen is not None:
            os.unlink(target)  # noqa: PTH108 - paths of git are bytes
        return None
    if seen is None:
        _appear(os.fsencode(source), target)
    else:
        os.replace(source, target)  # noqa: PTH105 - paths of git are bytes
    return seen_of(os.lstat(target))


def _appear(source: bytes, target: bytes) -> None:
    """Move a file to where nothing is: a link fails where a rename would replace what appeared meanwhile."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.rename(source, target)  # noqa: PTH104 - paths of git are bytes
    else:
        os.unlink(source)  # noqa: PTH108 - paths of git are bytes
