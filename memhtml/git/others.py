"""What stands in a store beside the files that may be memories: what no index describes, and nobody would miss.

Looked for in the buckets, in folders that are a bucket's name in another case, in the store's own folder and at its
top. The rest of a repository is not the store's.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from memhtml.git.discover import Location
from memhtml.git.entries import Entry, EntryKind
from memhtml.git.process import failure, run_git, start
from memhtml.git.tree import TreeReader, entry_of, is_tree
from memhtml.git.wire import is_candidate, memory_path
from memhtml.values import Bucket, MemoryPath

__all__ = ["OWN_FOLDER", "Unseen", "bucket_of_name", "in_commit", "on_disk"]

#: The store's own folder: its configuration, what it exports, and the databases of this clone.
OWN_FOLDER = ".memhtml"

_BUCKETS = {bucket.value: bucket for bucket in Bucket}
#: A name that no memory has, for asking what git would do with one.
_SAMPLE = "-memhtml-.html"


class Unseen(NamedTuple):
    """What a work tree holds that no commit of it would take to the index; sorted by path."""

    #: Untracked files that are no candidates.
    untracked: tuple[MemoryPath, ...] = ()
    #: Untracked folders that are repositories of their own.
    repositories: tuple[MemoryPath, ...] = ()
    #: Buckets in which git ignores a new memory.
    ignored_buckets: tuple[Bucket, ...] = ()
    #: Candidates that git ignores.
    ignored: tuple[MemoryPath, ...] = ()
    #: Names in the store's own folder that git's index holds, committed or not yet.
    tracked_own: tuple[str, ...] = ()


def bucket_of_name(name: str) -> Bucket | None:
    """Return the bucket that a folder's name is, in whatever case."""
    return _BUCKETS.get(name.casefold())


def in_commit(read: TreeReader, root: str) -> Iterator[Entry]:
    """Yield everything of a commit that is no candidate file, below the store's tree `root`; submodules included.

    Order: none that means anything.
    """
    pending: list[tuple[bytes, str]] = [(b"", root)]
    while pending:
        prefix, sha = pending.pop()
        for item in read(sha):
            mode, name, oid = item
            path = prefix + name
            if is_tree(mode):
                if prefix or _is_ours(name):
                    pending.append((path + b"/", oid.hex()))
                continue
            entry = entry_of(path, item)
            assert entry is not None  # no folder
            if entry.kind is EntryKind.SUBMODULE or not is_candidate(path):
                yield entry


def on_disk(location: Location) -> Unseen:
    """Return what the work tree of a store holds beside what git sees; nothing for a bare repository.

    Errors: GitFailed.
    """
    if location.work_dir is None:
        return Unseen()
    before = f"{location.prefix}/" if location.prefix else ""
    store = location.work_dir / location.prefix
    names = {bucket.value for bucket in Bucket}
    try:
        names.update(entry.name for entry in store.iterdir() if bucket_of_name(entry.name))
    except OSError:
        pass  # what cannot be listed has no other names to offer
    folders = sorted(before + name for name in names)
    untracked = list(_listed(location, before, "--others", "--exclude-standard", "--", *folders))
    ignored = list(_listed(location, before, "--others", "--ignored", "--exclude-standard", "--", *folders))
    own = _listed(location, before, "--cached", "--", f"{before}{OWN_FOLDER}")
    return Unseen(
        _paths(path for path in untracked if not path.endswith(b"/") and not is_candidate(path)),
        _paths(path[:-1] for path in (*untracked, *ignored) if path.endswith(b"/")),
        tuple(_ignored_buckets(location, store, before)),
        _paths(filter(is_candidate, ignored)),
        tuple(sorted({memory_path(path)[0].partition("/")[2] for path in own})),
    )


def _is_ours(name: bytes) -> bool:
    text = name.decode("utf-8", "surrogateescape")
    return text == OWN_FOLDER or bucket_of_name(text) is not None


def _paths(raw: Iterable[bytes]) -> tuple[MemoryPath, ...]:
    return tuple(sorted({memory_path(path)[0] for path in raw}))


def _listed(location: Location, before: str, *arguments: str) -> Iterator[bytes]:
    """Yield paths relative to the store; a folder that is a repository of its own ends with a slash."""
    cut = len(os.fsencode(before))
    for path in run_git(location, "ls-files", "-z", *arguments).split(b"\0"):
        if path:
            yield path[cut:]


def _ignored_buckets(location: Location, store: Path, before: str) -> Iterator[Bucket]:
    samples = {
        os.fsencode(f"{before}{bucket}/{_SAMPLE}"): bucket
        for bucket in Bucket
        if not (store / bucket).is_symlink()  # beyond one git answers nothing at all
    }
    arguments = ("-z", "--stdin", "--no-index")
    # It knows no literal pathspecs, and takes its standard input literally anyway.
    done = start(location, "check-ignore", *arguments, stdin=b"\0".join([*samples, b""]), options=())
    if done.returncode not in (0, 1):  # 1: none of them
        raise failure(location, "check-ignore", done.returncode, done.stderr)
    found = set(done.stdout.split(b"\0"))
    yield from (bucket for path, bucket in samples.items() if path in found)
