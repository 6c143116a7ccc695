"""Asks git to pack loose objects, as its own `commit` does at its end."""

import os
from contextlib import suppress

from memhtml.errors import GitFailed
from memhtml.git.discover import Location
from memhtml.git.process import WRITING, start

__all__ = ["pack_when_due"]

#: Git looks into one folder of 256 too: so many objects there stand for its usual limit of 6,700.
_FOLDER, _LIMIT = "17", 27


def pack_when_due(location: Location) -> None:
    """Start `git gc --auto` where loose objects are many; git itself decides whether, and goes on in the background.

    Errors: none; a repository that is not packed works all the same.
    """
    try:
        count = len(os.listdir(location.common_dir / "objects" / _FOLDER))  # noqa: PTH208 - only counted
    except OSError:
        return
    if count > _LIMIT:
        with suppress(GitFailed):
            start(location, "gc", "--auto", "--quiet", extra=WRITING, options=())
