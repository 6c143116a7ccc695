"""Making a store."""

from pathlib import Path

from memhtml import resources
from memhtml.store.init import InitReport, init_store, read_template

__all__ = ["InitReport", "init"]


def init(root: Path, *, example: bool = False, join_above: bool = True) -> InitReport:
    """Make `root` a store, or complete one; `example` lays the example corpus down too, uncommitted.

    `join_above` lets a repository that encloses `root` record the store; without it, `root` gets its own.
    Errors: `GitFailed`, `RepoUnsupported`, `StorageFailed`; see `store.init`.
    """
    template = resources.corpus_template()
    return init_store(
        root,
        read_template(template / "scaffold"),
        read_template(template / "example") if example else {},
        join_above=join_above,
    )
