"""A commit on a new branch that nobody has checked out: for what a person reviews before it is merged.

Nothing but the branch appears: neither HEAD nor the index nor the work tree is looked at or changed.
"""

from collections.abc import Callable
from pathlib import Path

from memhtml.errors import GitFailed
from memhtml.git.attempt import Attempt
from memhtml.git.branch import Tip, branch_tip, load_tip
from memhtml.git.discover import find_repository
from memhtml.git.history import tree_of
from memhtml.git.lock import held
from memhtml.git.message import compose
from memhtml.git.objects import ObjectStore
from memhtml.git.plan import plan
from memhtml.git.process import start
from memhtml.git.recovery import LOCK_NAME, own_folder
from memhtml.git.request import CommitRequest, Committed
from memhtml.git.writer import read_writer
from memhtml.values import CommitSha

__all__ = ["commit_aside"]


def commit_aside(
    root: Path, branch: str, request_from_head: Callable[[CommitSha | None], CommitRequest | None]
) -> Committed | None:
    """Make a branch at a commit whose parent is HEAD's; None, and no branch, when that would change nothing.

    Effects: objects, then the branch, which must not exist yet.
    Errors: `GitFailed` for a name that no branch can have or one has, before the first commit, without an identity,
    and where the repository has commit hooks, which could not be run; `WriteConflict`, `PathRefused`, `LockHeld`,
    `RepoUnsupported`, `StorageFailed`. None of them changed anything.
    """
    location = find_repository(root)
    checked = start(location, "check-ref-format", "--branch", branch)
    if checked.returncode != 0 or checked.stdout.decode("utf-8", "replace").rstrip("\n") != branch:
        raise GitFailed("branch", "no branch can have this name")
    objects, writer = ObjectStore(location), read_writer(location)
    if writer.has_hooks:
        raise GitFailed(
            "branch", "commit hooks run in a work tree only; check out a branch and leave the name out"
        )
    folder = own_folder(location)
    with held(folder / LOCK_NAME):
        head = load_tip(objects.repository).commit
        if head is None:
            raise GitFailed("branch", "there is no commit yet that a branch could start from")
        if branch_tip(objects.repository, branch) is not None:
            raise GitFailed("branch", "there is a branch of this name")
        request = request_from_head(head)
        if request is None:
            return None
        work = plan(objects.tree, tree_of(objects, head), location.prefix, request)
        if not work.changes:
            return None
        tip = Tip(f"refs/heads/{branch}", head)
        message = compose(request.subject, request.body, request.trailers)
        made = Attempt(location, folder, objects, writer, tip, work, message, is_aside=True).run()
        if made is None:
            raise GitFailed("branch", "somebody else makes a branch of this name; try again")
        return made
