"""Ends what a stopped commit began: its branch moved, and the rest follows; or it did not, and nothing stays.

Never writes over a file, or an index entry, that is neither the old state nor the new one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memhtml import faults
from memhtml.errors import GitFailed, LockHeld, PathRefused
from memhtml.git.branch import load_tip
from memhtml.git.discover import Location, find_repository
from memhtml.git.history import made_on, tree_of
from memhtml.git.index_edit import read_index
from memhtml.git.journal import Journal, clear, is_pending, load, wait_until_free
from memhtml.git.landing import Landing, survey
from memhtml.git.lock import LOCK_WAIT_S, held
from memhtml.git.objects import ObjectStore
from memhtml.git.plan import differences, holding_at
from memhtml.git.request import Change, Holding
from memhtml.values import CommitSha

__all__ = ["Outcome", "Recovered", "own_folder", "recover", "recover_held"]

LOCK_NAME = "write.lock"


class Outcome(StrEnum):
    COMPLETED = "completed"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What became of a commit that was stopped half-way."""

    outcome: Outcome
    #: The commit, where it was made.
    sha: CommitSha | None
    #: The paths that it was about, relative to the top of the repository.
    paths: tuple[str, ...]
    #: Those that somebody changed since, which were left as they are.
    left: tuple[str, ...]


def own_folder(location: Location) -> Path:
    """Return the `.memhtml` folder of the store at `location`. Errors: `PathRefused` when it leads elsewhere."""
    folder = location.folder / location.prefix / ".memhtml"
    if folder.is_symlink():
        raise PathRefused(folder.name, "it is a symbolic link")
    return folder


def recover(root: Path) -> Recovered | None:
    """End what a stopped commit of the store at `root` began; None when there is nothing to end.

    Costs one look at a file where there is nothing. A commit that is under way is left alone.
    Errors: `GitFailed`, `StorageFailed`; calling again is safe.
    """
    if not is_pending(root / ".memhtml"):
        return None
    location = find_repository(root)
    folder = own_folder(location)
    try:
        with held(folder / LOCK_NAME, wait_s=0):
            return recover_held(location, ObjectStore(location), wait_s=0)
    except LockHeld:
        return None


def recover_held(
    location: Location, objects: ObjectStore, *, wait_s: float = LOCK_WAIT_S
) -> Recovered | None:
    """Do what `recover` does, for one who holds the store's lock.

    Errors: `LockHeld` while git still runs on behalf of the stopped process.
    """
    folder = own_folder(location)
    if not is_pending(folder):
        return None
    wait_until_free(folder, wait_s)
    journal = load(folder)
    if journal is None:
        clear(folder)
        return Recovered(Outcome.DISCARDED, None, (), ())
    landing = Landing(location, folder, journal)
    landing.release()
    head = load_tip(objects.repository).commit
    landed = _landed(objects, journal, head)
    changes = _announced(objects, journal, landed)
    ahead, back = _steps(objects, changes, head, journal, has_landed=landed is not None)
    placed = {change.path: change.new for change in journal.changes} if landed is not None else {}
    left = {change.path for change in changes} - {step.path for step in (*ahead, *back)}
    left |= _settle(location, landing, ahead, placed)
    left |= _settle(location, landing, back, {}, has_index=False)
    faults.point("commit.recovered")
    clear(folder)
    outcome = Outcome.COMPLETED if landed is not None else Outcome.DISCARDED
    return Recovered(outcome, landed, tuple(change.path for change in changes), tuple(sorted(left)))


def _landed(objects: ObjectStore, journal: Journal, head: CommitSha | None) -> CommitSha | None:
    """Return the commit that the journal announced, if HEAD has it in its history."""
    if head is None:
        return None
    if journal.new is None:
        return made_on(objects, head, journal.old, {change.path for change in journal.changes})
    if not objects.commit_exists(journal.new):
        return None
    is_there = head == journal.new or objects.repository.descendant_of(head, journal.new)
    return CommitSha(journal.new) if is_there else None


def _announced(objects: ObjectStore, journal: Journal, landed: CommitSha | None) -> Sequence[Change]:
    """Return what the commit changed, or was to change: its hooks may have added to it."""
    if landed is None:
        return journal.changes
    return differences(objects.tree, tree_of(objects, journal.old), tree_of(objects, landed))


def _steps(
    objects: ObjectStore,
    changes: Sequence[Change],
    head: CommitSha | None,
    journal: Journal,
    *,
    has_landed: bool,
) -> tuple[list[Change], list[Change]]:
    """Return how index and work tree follow HEAD: ahead where it holds the new state, back where the old one.

    Only for hooks are files put in place before the branch moves, and so is all there can be to take back.
    """
    tree = tree_of(objects, head)
    ahead: list[Change] = []
    back: list[Change] = []
    for change in changes:
        held = holding_at(objects.tree, tree, change.path)
        if held == change.new:
            ahead.append(change)
        elif held == change.old and not has_landed:
            is_ours = journal.new is None and change.path not in journal.adopted
            back.append(Change(change.path, change.new if is_ours else change.old, change.old))
    return ahead, back


def _settle(
    location: Location,
    landing: Landing,
    changes: Sequence[Change],
    placed: dict[str, Holding | None],
    *,
    has_index: bool = True,
) -> frozenset[str]:
    """Bring index and work tree to the new side of `changes`; return the paths that stayed as they are."""
    if location.work_dir is None or not changes:
        return frozenset()
    landing.lock()
    try:
        state = read_index(location)
        # Whether executable bits count here is not known: a file is judged by its bytes.
        surveyed = survey(location, state, changes, trusts_file_mode=False, placed=placed)
        landing.prepare(state, surveyed)
        landing.place()
        faults.point("commit.files_placed")
        if has_index:
            landing.install()
        landing.prune(location.prefix)
    finally:
        landing.release()
    if not landing.is_complete:
        raise GitFailed("recovery", "a file of the work tree or the index cannot be written")
    return frozenset(landing.left)
