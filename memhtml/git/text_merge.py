"""Git's own merge of three files as lines of text."""

import subprocess
from pathlib import Path
from typing import NamedTuple

from memhtml.errors import GitFailed
from memhtml.git.process import child_environment

__all__ = ["TextMerge", "merge_text"]

#: Above this, the status of `git merge-file` is no number of conflicts.
_MOST_CONFLICTS = 127


class TextMerge(NamedTuple):
    data: bytes
    #: How many places are left open, each between markers; as many as git can count.
    conflicts: int


def merge_text(base: Path, ours: Path, theirs: Path) -> TextMerge:
    """Return what git makes of three files, which are only read.

    Errors: `GitFailed`, as for files that git takes for binary.
    """
    labels = ["-L", "ours", "-L", "base", "-L", "theirs"]
    arguments = ["git", "merge-file", "--stdout", *labels, str(ours), str(base), str(theirs)]
    try:
        done = subprocess.run(arguments, capture_output=True, check=False, env=child_environment())
    except OSError as error:
        raise GitFailed("merge-file", error.strerror or "git could not be started") from error
    if not 0 <= done.returncode <= _MOST_CONFLICTS:
        raise GitFailed("merge-file", "the files do not merge as text")
    return TextMerge(done.stdout, done.returncode)
