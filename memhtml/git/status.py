"""What differs from HEAD in the work tree and the index, seen by git itself.

libgit2 takes longer, never heals an index whose times are too young to trust, and cannot open a sparse one.
"""

import os
import stat

from memhtml.git.discover import Location
from memhtml.git.entries import EntryKind, WorktreeChange, WorktreeKind
from memhtml.git.process import run_git
from memhtml.git.wire import is_candidate, memory_path, parse_status
from memhtml.values import Bucket, MemoryPath

__all__ = ["worktree_changes"]


def worktree_changes(location: Location) -> list[WorktreeChange]:
    """Return the candidates whose state in the work tree differs from HEAD, in the byte order of paths.

    Ignored files are left out, and so are those that a sparse checkout does not hold; a bare repository has none.
    Every option that a user's configuration could bend is given on the command line.
    """
    if location.work_dir is None:
        return []
    below = [f"{location.prefix}/{bucket}" if location.prefix else bucket.value for bucket in Bucket]
    output = run_git(
        location,
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--ignored=no",
        "--no-renames",
        "--no-ahead-behind",
        "--ignore-submodules=dirty",
        "--",
        *below,
    )
    top = os.fsencode(location.work_dir)
    cut = len(os.fsencode(location.prefix)) + 1 if location.prefix else 0
    found: dict[bytes, tuple[WorktreeKind, EntryKind]] = {}
    for record in parse_status(output):
        path = record.path[cut:]
        if not is_candidate(path):
            continue
        kind = record.entry_kind or _look(top + b"/" + record.path)
        # `git rm --cached` is two records, deleted and untracked: git lists the untracked one last, and it is right.
        if kind is not None:
            found[path] = (record.kind, kind)
    return [_change(path, *found[path]) for path in sorted(found)]


def _change(raw: bytes, kind: WorktreeKind, entry_kind: EntryKind) -> WorktreeChange:
    path, is_usable = memory_path(raw)
    return WorktreeChange(MemoryPath(path), kind, entry_kind if is_usable else EntryKind.BAD_PATH)


def _look(path: bytes) -> EntryKind | None:
    """Return what stands at a path that git does not track; None when it is gone again."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return EntryKind.SYMLINK if stat.S_ISLNK(mode) else EntryKind.FILE
