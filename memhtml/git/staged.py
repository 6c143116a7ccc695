"""What is staged for the next commit of the person's, read the way git itself reads it in a hook."""

import os
import re
from collections.abc import Iterator

from memhtml.git.discover import Location
from memhtml.git.entries import Entry, EntryKind
from memhtml.git.process import inherited, run_git
from memhtml.values import BlobSha, MemoryPath

__all__ = ["staged"]

_RAW = re.compile(rb":[0-7]{6} ([0-7]{6}) [0-9a-f]+ ([0-9a-f]+) [A-Z][0-9]*")
_KINDS = {b"120000": EntryKind.SYMLINK, b"160000": EntryKind.SUBMODULE}


def staged(location: Location) -> Iterator[Entry]:
    """Yield the files of the store that the next commit adds or changes, in the byte order of their paths.

    The index is the one that git names to its hooks: a commit of some paths alone is made from another one than the
    repository's. Errors: `GitFailed`.
    """
    index = inherited("GIT_INDEX_FILE")
    said = run_git(
        location,
        "diff",
        *("--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--diff-filter=AMT"),
        extra={"GIT_INDEX_FILE": index} if index else {},
    )
    prefix = os.fsencode(f"{location.prefix}/" if location.prefix else "")
    fields = iter(said.split(b"\0"))
    for head, name in zip(fields, fields, strict=False):
        found = _RAW.fullmatch(head)
        if found is None or not name.startswith(prefix):
            continue
        raw = name[len(prefix) :]
        try:
            path, kind = raw.decode("utf-8"), _KINDS.get(found[1], EntryKind.FILE)
        except UnicodeDecodeError:
            path, kind = raw.decode("utf-8", "backslashreplace"), EntryKind.BAD_PATH
        yield Entry(MemoryPath(path), BlobSha(found[2].decode("ascii")), kind)
