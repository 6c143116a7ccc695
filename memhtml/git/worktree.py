"""Reads files of the work tree as git would store them: filters applied, links never followed, nothing written.

Git itself says what it would store. Asking it costs 1 ms and 11 microseconds a file; working out from attributes and
configuration that no filter can apply costs ten times as much, and is a guess about git's own rules.
"""

import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Sequence
from typing import BinaryIO

import pygit2

from memhtml.errors import GitFailed
from memhtml.format.vocabulary import MAX_INDEXED_BYTES
from memhtml.git.discover import Location
from memhtml.git.entries import Unreadable, WorktreeBlob
from memhtml.git.process import failure, start
from memhtml.git.wire import quote_path, utf8_path
from memhtml.values import BlobSha, MemoryPath

__all__ = ["Reading", "read_worktree"]

#: What a path of the work tree gave; None when no regular file is there.
Reading = WorktreeBlob | Unreadable | None

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EISDIR})
_FILTER_FAILED = Unreadable("git could not read it through its filters")


def read_worktree(location: Location, paths: Iterable[MemoryPath]) -> dict[MemoryPath, Reading]:
    """Return what git would store for each path of the store, in the order of `paths`.

    None stands for a path where no regular file is: vanished, a symbolic link, a folder, or one behind a link.
    Effects: none in the repository; a file whose bytes a filter changes passes through a temporary folder.
    Errors: GitFailed when git cannot run at all; one file that it cannot read is an `Unreadable`.
    """
    found: dict[MemoryPath, Reading] = dict.fromkeys(paths)
    if location.work_dir is None:
        return found
    store = os.fsencode(location.work_dir / location.prefix)
    raw: dict[MemoryPath, WorktreeBlob] = {}
    folders: dict[bytes, bool] = {b"": True}
    for path in found:
        name = utf8_path(path)
        outcome = _read(store, name, folders) if name is not None else None
        if isinstance(outcome, WorktreeBlob):
            raw[path] = outcome
        else:
            found[path] = outcome
    filtered: list[MemoryPath] = []
    for path, sha in _hash(location, list(raw)).items():
        if sha is None:
            found[path] = _FILTER_FAILED
        elif sha == raw[path].blob_sha:
            found[path] = raw[path]
        else:
            filtered.append(path)
    if filtered:
        found.update(_through_filters(location, filtered))
    return found


def _read(store: bytes, name: bytes, folders: dict[bytes, bool]) -> Reading:
    """Return a regular file below `store` that no link leads to, as git stores it where no filter applies."""
    try:
        if not _is_real_folder(store, name.rpartition(b"/")[0], folders):
            return None
        full = store + b"/" + name
        if not stat.S_ISREG(os.lstat(full).st_mode):
            return None
        # The flags hold what the look before promised, should the file be replaced in between.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(full, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            return _as_it_is(file, status.st_size) if stat.S_ISREG(status.st_mode) else None
    except OSError as error:
        if error.errno in _GONE:
            return None
        return Unreadable(os.strerror(error.errno) if error.errno else "it cannot be read")


def _is_real_folder(store: bytes, folder: bytes, known: dict[bytes, bool]) -> bool:
    if folder not in known:
        known[folder] = _is_real_folder(store, folder.rpartition(b"/")[0], known) and stat.S_ISDIR(
            os.lstat(store + b"/" + folder).st_mode
        )
    return known[folder]


def _as_it_is(file: BinaryIO, size: int) -> WorktreeBlob:
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    data = file.read(MAX_INDEXED_BYTES + 1)
    digest.update(data)
    while chunk := file.read(MAX_INDEXED_BYTES):
        digest.update(chunk)
    return WorktreeBlob(BlobSha(digest.hexdigest()), data)


def _hash(
    location: Location, paths: Sequence[MemoryPath], *options: str, objects: str | None = None
) -> dict[MemoryPath, str | None]:
    """Return the object id that git gives each file; None where it fails on the file."""
    below = os.fsencode(location.prefix) + b"/" if location.prefix else b""
    extra = {"GIT_OBJECT_DIRECTORY": objects} if objects is not None else None
    found: dict[MemoryPath, str | None] = {}
    while len(found) < len(paths):
        rest = paths[len(found) :]
        lines = b"".join([quote_path(below + path.encode("utf-8")) + b"\n" for path in rest])
        done = start(location, "hash-object", "--stdin-paths", *options, stdin=lines, extra=extra)
        answers = done.stdout.decode("ascii", "replace").split()
        found.update(zip(rest, answers, strict=False))
        if done.returncode != 0 and len(answers) < len(rest):
            # Git stops at the first file that it cannot read: all before it are answered.
            error = failure(location, "hash-object", done.returncode, done.stderr)
            if "another user" in error.message:
                raise error
            found[rest[len(answers)]] = None
        elif len(answers) != len(rest):
            raise GitFailed("hash-object", "the answer does not fit the question")
    return found


def _through_filters(location: Location, paths: Sequence[MemoryPath]) -> dict[MemoryPath, Reading]:
    """Return what git's filters make of files, from objects written to a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="memhtml-") as folder:
        shas = _hash(location, paths, "-w", objects=folder)
        objects = pygit2.Odb(folder)
        try:
            return {
                path: _FILTER_FAILED
                if sha is None
                else WorktreeBlob(BlobSha(sha), objects.read(sha)[1][: MAX_INDEXED_BYTES + 1])
                for path, sha in shas.items()
            }
        except (KeyError, pygit2.GitError) as error:
            raise GitFailed("hash-object", "a filtered file cannot be read back") from error
