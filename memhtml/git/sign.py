"""Commit objects with a signature, made by git: it knows the person's keys, programs and formats."""

from collections.abc import Sequence

from memhtml.errors import GitFailed
from memhtml.git.discover import Location
from memhtml.git.process import start
from memhtml.values import CommitSha

__all__ = ["signed_commit"]


def signed_commit(location: Location, tree: str, parents: Sequence[str], message: str) -> CommitSha:
    """Return a signed commit of `tree`; no branch moves. Errors: `GitFailed` when it cannot be signed."""
    over = [argument for parent in parents for argument in ("-p", parent)]
    done = start(
        location,
        "commit-tree",
        "-S",
        *over,
        "-F",
        "-",
        tree,
        stdin=message.encode("utf-8"),
        options=("-c", "i18n.commitEncoding=UTF-8"),
    )
    if done.returncode != 0:
        raise GitFailed("commit", "it could not be signed, and `commit.gpgsign` asks for that")
    return CommitSha(done.stdout.decode("ascii").strip())
