"""The one way in which a commit of memhtml comes about: from HEAD's tree, never through the person's index.

Order of effects: the store's lock; objects; the record of what is to come (on disk before anything that shows); the
index's lock; new index and new files, aside; the branch, by compare-and-swap; our files in the work tree; the index;
the record is removed. Everything that can be refused is refused before the objects, and a failure before the branch
moves undoes the rest. A process that dies leaves the record, and the next command ends the commit (`recovery`).
"""

import time
from collections.abc import Callable
from pathlib import Path

from memhtml import faults
from memhtml.errors import GitFailed, WriteConflict
from memhtml.git.attempt import Attempt
from memhtml.git.branch import load_tip
from memhtml.git.discover import Location, find_repository
from memhtml.git.history import tree_of
from memhtml.git.lock import held
from memhtml.git.message import compose, subject_line
from memhtml.git.objects import ObjectStore
from memhtml.git.plan import plan
from memhtml.git.recovery import LOCK_NAME, Outcome, Recovered, own_folder, recover, recover_held
from memhtml.git.request import CommitRequest, Committed
from memhtml.git.upkeep import pack_when_due
from memhtml.git.writer import Writer, read_writer, require_committable
from memhtml.values import CommitSha

__all__ = [
    "ATTEMPTS",
    "CommitRequest",
    "Committed",
    "Outcome",
    "Recovered",
    "commit",
    "recover",
    "require_committable",
    "subject_line",
]

#: How often a commit is tried against a HEAD that moves on: some two seconds in all.
ATTEMPTS = 12
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.4

#: Works a request out from the commit that HEAD names; None: there is nothing to do any more.
RequestFromHead = Callable[[CommitSha | None], CommitRequest | None]


def commit(
    store: Location | Path,
    request_from_head: RequestFromHead | CommitRequest,
    *,
    allow_detached: bool = False,
    attempts: int = ATTEMPTS,
) -> Committed | None:
    """Commit what `request_from_head` asks for, and nothing else; None when that changes nothing.

    Shapes: `store` is the store's root, or its location. The callable gets the commit that HEAD names (None before
    the first one), and is asked again whenever HEAD moved on meanwhile; a plain request is tried again as it is.
    Effects: see the module. Staged, dirty and untracked work of the person's stays byte for byte as it was.
    Errors: `DirtyTree`, `WriteConflict`, `PathRefused`, `LockHeld`, `GitFailed` (detached HEAD, unfinished merge, no
    identity, a hook's refusal with its words), `RepoUnsupported`, `StorageFailed`. None of them changed anything.
    """
    location = store if isinstance(store, Location) else find_repository(store)
    ask = request_from_head if callable(request_from_head) else lambda _: request_from_head
    require_committable(location, allow_detached=allow_detached)
    objects, writer = ObjectStore(location), read_writer(location)
    folder = own_folder(location)
    with held(folder / LOCK_NAME):
        faults.point("commit.locked")
        recover_held(location, objects)
        done = _tried(location, folder, objects, writer, ask, attempts)
    if done is not None and not writer.has_hooks:  # git's own `commit` has looked already
        pack_when_due(location)
    return done


def _tried(
    location: Location,
    folder: Path,
    objects: ObjectStore,
    writer: Writer,
    ask: RequestFromHead,
    attempts: int,
) -> Committed | None:
    """Ask and try until HEAD stands still for as long as it takes."""
    tip = load_tip(objects.repository)
    for attempt in range(max(attempts, 1)):
        request = ask(tip.commit)
        if request is None:
            return None
        work = plan(objects.tree, tree_of(objects, tip.commit), location.prefix, request)
        if not work.changes:
            return None
        message = compose(request.subject, request.body, request.trailers)
        done = Attempt(location, folder, objects, writer, tip, work, message).run()
        if done is not None:
            return done
        time.sleep(min(_FIRST_PAUSE_S * 2**attempt, _LONGEST_PAUSE_S))
        before, tip = tip, load_tip(objects.repository)
    if tip.commit == before.commit:
        raise GitFailed("moving the branch", "another git is at work in this repository; try again")
    raise WriteConflict(tip.name, before.commit, tip.commit)
