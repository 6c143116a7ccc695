"""Reads git's index without a process where its plain form allows it, and stamps the times of files into a copy.

Only whole entries are looked up, by their names; what this module does not know for sure (version 4, split and sparse
indexes) git is asked about. Entries are never added, removed or moved here.
"""

import hashlib
import os
import re
import struct
from collections.abc import Collection, Iterator, Mapping, Set
from typing import NamedTuple

from memhtml.errors import GitFailed
from memhtml.git.discover import Location
from memhtml.git.process import run_git
from memhtml.git.request import Holding

__all__ = ["IndexEntry", "look_up", "stamp"]

_HEADER = struct.Struct(">4sLL")
#: An entry up to its name: ctime, mtime (each with nanoseconds), device, inode, mode, uid, gid, size, id, flags.
_FIXED_BYTES, _MODE_AT = 62, 24
_EXTENDED, _STAGE, _NAME_MASK, _SKIP_WORKTREE = 0x4000, 0x3000, 0x0FFF, 0x4000
#: Up to so many names are sought one by one.
_FEW = 16
_MODES = frozenset({0o100644, 0o100755, 0o120000, 0o160000})
_CHECKSUM_BYTES = 20
_SPARSE, _END_OF_ENTRIES_BYTES = b"sdir\0\0\0\0", 32
_LISTED = re.compile(rb"(.) ([0-7]{6}) ([0-9a-f]{40}) ([0-3])\t(.+)", re.DOTALL)


class IndexEntry(NamedTuple):
    path: bytes
    holding: Holding
    #: 0, or the side of an unfinished merge.
    stage: int
    #: A sparse checkout leaves the file out of the work tree.
    is_skipped: bool


def look_up(location: Location, data: bytes | None, paths: Collection[bytes]) -> list[IndexEntry]:
    """Return the entries of an index at `paths`, below them, and at any folder on the way to them.

    Shapes: `data` is the index's bytes, None where there is no index; paths are relative to the top.
    Errors: `GitFailed` where git has to be asked and cannot answer.
    """
    if data is None:
        return []
    try:
        return _look_up(location, data, frozenset(paths))
    except (struct.error, ValueError) as error:
        raise GitFailed("reading the index", "it is damaged; `git read-tree HEAD` makes it anew") from error


def _look_up(location: Location, data: bytes, tops: frozenset[bytes]) -> list[IndexEntry]:
    if len(tops) > _FEW or not _is_plain(location, data):
        exact = tops.union(*map(_parents, tops))
        return [entry for entry in _all(location, data) if _matches(entry.path, exact, tops)]
    found = [
        _entry(data, place)
        for path in sorted(tops)
        for end in (b"\0", b"/")
        for place in _places(data, path + end)
    ]
    folders: set[bytes] = set()
    for path in sorted(tops):
        for folder in _parents(path):
            if folder in folders or next(_places(data, folder + b"/"), None) is not None:
                break  # a folder, and so are those around it
            folders.add(folder)
            found += [_entry(data, place) for place in _places(data, folder + b"\0")]
    return found


def stamp(location: Location, data: bytes, files: Mapping[bytes, os.stat_result]) -> bytes | bytearray:
    """Return an index whose entries at `files` carry the times, inode and size of the files that they name.

    Without them git reads such a file again at every look. An index of another form is returned as it is.
    """
    if not files or not _is_plain(location, data):
        return data
    changed = bytearray(data)
    if len(files) > _FEW:
        places = [place for place in _walk(data) if _name(data, place) in files]
    else:
        places = [place for path in files for place in _places(data, path + b"\0")]
    for place in places:
        status = files[_name(data, place)]
        times = *_seconds(status.st_ctime_ns), *_seconds(status.st_mtime_ns)
        struct.pack_into(">6L", changed, place.start, *times, _low(status.st_dev), _low(status.st_ino))
        owner = _low(status.st_uid), _low(status.st_gid), _low(status.st_size)
        struct.pack_into(">3L", changed, place.start + _MODE_AT + 4, *owner)
    if any(data[-_CHECKSUM_BYTES:]):  # zeros: `index.skipHash`
        with memoryview(changed) as whole:
            digest = hashlib.sha1(whole[:-_CHECKSUM_BYTES], usedforsecurity=False).digest()
        changed[-_CHECKSUM_BYTES:] = digest
    return changed


class _Place(NamedTuple):
    #: Where an entry begins, and where its name does.
    start: int
    name_at: int


def _low(number: int) -> int:
    return number & 0xFFFFFFFF


def _seconds(nanoseconds: int) -> tuple[int, int]:
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return seconds & 0xFFFFFFFF, rest


def _is_plain(location: Location, data: bytes) -> bool:
    """Tell whether every entry is written out whole: version 2 or 3, neither split nor sparse."""
    if len(data) < _HEADER.size + _CHECKSUM_BYTES:
        return False
    signature, version, _ = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in {2, 3}:
        return False
    # A split index has the greater part of it in a file beside it. A sparse one says so at its end, in front of the
    # checksum or of the one extension that may follow. Searching all of it for either would take longer than git.
    end = len(data) - _CHECKSUM_BYTES
    is_sparse = any(
        data[at : at + len(_SPARSE)] == _SPARSE for at in (end - 8, end - 8 - _END_OF_ENTRIES_BYTES)
    )
    return not is_sparse and not any(location.git_dir.glob("sharedindex.*"))


def _all(location: Location, data: bytes) -> Iterator[IndexEntry]:
    if _is_plain(location, data):
        return (_entry(data, place) for place in _walk(data))
    return _ask_git(location)


def _entry(data: bytes, place: _Place) -> IndexEntry:
    start, name_at = place
    mode, sha, flags = struct.unpack_from(">L12x20sH", data, start + _MODE_AT)
    extended = struct.unpack_from(">H", data, name_at - 2)[0] if flags & _EXTENDED else 0
    holding = Holding(b"%o" % mode, sha.hex())
    return IndexEntry(_name(data, place), holding, (flags & _STAGE) >> 12, bool(extended & _SKIP_WORKTREE))


def _name(data: bytes, place: _Place) -> bytes:
    return data[place.name_at : data.index(b"\0", place.name_at)]


def _places(data: bytes, sought: bytes) -> Iterator[_Place]:
    """Yield the entries whose names, with the NUL behind them, start with `sought`.

    A hit counts only where everything in front of it is what stands in front of a name: entries begin at multiples
    of eight behind the header, with a known mode and the length of the name.
    """
    name_at = data.find(sought, _HEADER.size + _FIXED_BYTES)
    while name_at >= 0:
        length = data.find(b"\0", name_at) - name_at
        for gap in (0, 2):
            start = name_at - gap - _FIXED_BYTES
            if start < _HEADER.size or (start - _HEADER.size) % 8:
                continue
            mode, flags = struct.unpack_from(">L32xH", data, start + _MODE_AT)
            fits = flags & _NAME_MASK == min(length, _NAME_MASK) and bool(flags & _EXTENDED) == bool(gap)
            if mode in _MODES and fits:
                yield _Place(start, name_at)
        name_at = data.find(sought, name_at + 1)


def _walk(data: bytes) -> Iterator[_Place]:
    """Yield every entry in turn: from some names on, that is faster than seeking each."""
    start = _HEADER.size
    for _ in range(_HEADER.unpack_from(data)[2]):
        if start + _FIXED_BYTES > len(data):
            raise ValueError("the index ends early")
        flags = int.from_bytes(data[start + _FIXED_BYTES - 2 : start + _FIXED_BYTES])
        name_at = start + _FIXED_BYTES + (2 if flags & _EXTENDED else 0)
        length = flags & _NAME_MASK
        if length == _NAME_MASK:
            length = data.index(b"\0", name_at) - name_at
        yield _Place(start, name_at)
        start += (name_at - start + length + 8) // 8 * 8


def _matches(name: bytes, exact: Set[bytes], tops: Set[bytes]) -> bool:
    return name in exact or any(folder in tops for folder in _parents(name))


def _ask_git(location: Location) -> Iterator[IndexEntry]:
    """Yield every entry; git writes out what a split or sparse index leaves away."""
    output = run_git(location, "ls-files", "-z", "--full-name", "--stage", "-t")
    for line in output.split(b"\0"):
        if listed := _LISTED.fullmatch(line):
            tag, mode, sha, stage, path = listed.groups()
            yield IndexEntry(path, Holding(mode, sha.decode("ascii")), int(stage), tag == b"S")


def _parents(path: bytes) -> Iterator[bytes]:
    while path := path.rpartition(b"/")[0]:
        yield path
