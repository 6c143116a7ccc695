"""The history of the store or of one memory, newest first."""

import datetime
from collections.abc import Callable, Iterator

import pygit2
from pygit2.enums import SortMode

from memhtml.errors import GitFailed
from memhtml.git.entries import CommitInfo
from memhtml.git.objects import ObjectStore
from memhtml.git.wire import parse_trailers
from memhtml.values import CommitSha, Instant

__all__ = ["log"]

_LAST_SECOND = 253_402_300_799  # of the year 9999


def log(
    objects: ObjectStore, head: str, limit: int, state_at: Callable[[str], object] | None
) -> Iterator[CommitInfo]:
    """Yield the commits reachable from `head`, newest first, children before parents, at most `limit`.

    `state_at` returns what a commit says about the path of interest; only commits where it differs from every parent
    are yielded. At the boundary of a shallow clone a commit counts as one without parents.
    """
    if limit <= 0:
        return
    yielded = 0
    try:
        for commit in objects.repository.walk(head, SortMode.TOPOLOGICAL | SortMode.TIME):
            sha = str(commit.id)
            if state_at is not None:
                parents = [str(parent) for parent in commit.parent_ids if objects.commit_exists(str(parent))]
                own = state_at(sha)
                if any(state_at(parent) == own for parent in parents) or (own is None and not parents):
                    continue
            yield _info(commit, sha)
            yielded += 1
            if yielded == limit:
                return
    except (KeyError, ValueError, pygit2.GitError) as error:
        raise GitFailed(
            "log", "a commit of the history cannot be read; `git fsck` shows what is lost"
        ) from error


def _info(commit: pygit2.Commit, sha: str) -> CommitInfo:
    message = _text(commit.raw_message, commit.message_encoding)
    seconds = min(max(commit.author.time, 0), _LAST_SECOND)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return CommitInfo(
        CommitSha(sha),
        Instant(moment.strftime("%Y-%m-%dT%H:%M:%SZ")),
        message.lstrip("\n").partition("\n")[0].strip(),
        parse_trailers(message),
    )


def _text(message: bytes, encoding: str | None) -> str:
    try:
        return message.decode(encoding or "utf-8", "replace")
    except LookupError:
        return message.decode("utf-8", "replace")
