"""Publishing: pages for people with a browser, generated from the memories of HEAD."""

from typing import NamedTuple

from memhtml.app.wire import Store
from memhtml.app.writing import write_through
from memhtml.store.publish import plan_publish
from memhtml.values import CommitSha

__all__ = ["Published", "publish"]


class Published(NamedTuple):
    root: str
    #: How many generated pages there are now.
    artifacts: int
    #: How many of them this run wrote or removed.
    written: int
    paths: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]
    commit_sha: CommitSha | None


def publish(store: Store) -> Published:
    """Bring the generated pages up to the memories; nothing is committed where they are.

    Errors: those of `git.commit.commit`, `DirtyTree` where a generated page has uncommitted changes among them.
    """
    done = write_through(store, plan_publish, embed=False)
    pages = done.result
    return Published(
        root=str(store.root),
        artifacts=pages.artifacts,
        written=len(pages.written) + len(pages.removed),
        paths=pages.written,
        removed=pages.removed,
        left=pages.left,
        commit_sha=done.commit_sha,
    )
