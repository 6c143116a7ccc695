"""Finds a commit in a history by what it was made on and what it changed."""

from collections.abc import Set

import pygit2

from memhtml.errors import GitFailed
from memhtml.git.objects import ObjectStore
from memhtml.git.plan import differences
from memhtml.values import CommitSha

__all__ = ["made_on", "tree_of"]


def made_on(objects: ObjectStore, head: str, old: str | None, paths: Set[str]) -> CommitSha | None:
    """Return the commit in the history of `head` whose one parent is `old` and that changed all of `paths`.

    Shapes: `old` is None for the first commit of a repository. Errors: `GitFailed`.
    """
    wanted = [old] if old is not None else []
    before = tree_of(objects, old)
    try:
        walker = objects.repository.walk(head)
        if old is not None:
            walker.hide(old)
        for commit in walker:
            if [str(parent) for parent in commit.parent_ids] == wanted:
                changed = {change.path for change in differences(objects.tree, before, str(commit.tree_id))}
                if paths <= changed:
                    return CommitSha(str(commit.id))
    except (KeyError, pygit2.GitError) as error:
        raise GitFailed("reading the history", "a commit of it is not here") from error
    return None


def tree_of(objects: ObjectStore, commit: str | None) -> str | None:
    """Return the tree of a commit; None before the first one."""
    return objects.root_tree(commit) if commit is not None else None
