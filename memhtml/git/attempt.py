"""One attempt at one commit: on the HEAD that it was computed from, or not at all.

Where the repository has hooks, git's `commit` makes the commit and moves the branch, on an index of its own. Hooks read
and rewrite files, so ours are put in place for them first, and taken back when they say no. What a hook adds to the
commit is part of it: the commit that git made is what index and work tree follow.
"""

import os
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType

from memhtml import faults
from memhtml.errors import DirtyTree, GitFailed, MemhtmlError, StorageFailed
from memhtml.git.branch import Tip, load_tip, move, translated
from memhtml.git.discover import Location
from memhtml.git.history import tree_of
from memhtml.git.hooked import HookedCommit
from memhtml.git.index_edit import IndexState, is_unchanged, read_index
from memhtml.git.journal import Journal, clear, recorded
from memhtml.git.landing import Landing, Survey, survey
from memhtml.git.objects import ObjectStore
from memhtml.git.plan import Plan, differences
from memhtml.git.request import Change, Committed
from memhtml.git.sign import signed_commit
from memhtml.git.writer import Writer
from memhtml.values import CommitSha

__all__ = ["Attempt"]


@dataclass(frozen=True, slots=True)
class Attempt:
    location: Location
    #: The store's `.memhtml`.
    folder: Path
    objects: ObjectStore
    writer: Writer
    tip: Tip
    work: Plan
    message: str
    #: The tip is a branch that does not exist yet: neither index nor work tree follow it.
    is_aside: bool = False

    def run(self) -> Committed | None:
        """Make the commit; None when HEAD or the index moved on meanwhile, and nothing was changed.

        Errors: as `commit`; nothing was changed then either.
        """
        if self.is_aside or self.location.work_dir is None:
            self._write_objects()
            bare = self._commit_object()
            return self._done(bare, self.work.changes, ()) if self._move(bare) else None
        state = read_index(self.location)
        surveyed = self._survey(state)
        self._write_objects()
        faults.point("commit.objects_written")
        new = None if self.writer.has_hooks else self._commit_object()
        adopted = tuple(each.change.path for each in surveyed if each.standing.is_new)
        journal = Journal(_token(), self.tip.commit, new, self.work.changes, adopted)
        with recorded(self.folder, journal) as in_use:
            faults.point("commit.journal_written")
            landing = Landing(self.location, self.folder, journal)
            made = self._make(landing, new, state, surveyed, in_use)
            return self._land(landing, made, state) if made is not None else None

    def _make(
        self, landing: Landing, new: CommitSha | None, state: IndexState, surveyed: list[Survey], in_use: int
    ) -> CommitSha | None:
        """Move the branch, with everything ready that has to follow; None, and nothing done, where it cannot."""
        made: CommitSha | None = None
        try:
            landing.lock()
            if is_unchanged(self.location, state) and self._is_still():
                landing.prepare(state, surveyed)
                if new is None:
                    landing.place(keep_old=True)
                    made = HookedCommit(self.location, self.objects, landing.scratch, in_use).run(
                        self.tip, self.work, self.message, state
                    )
                elif self._move(new, (in_use,)):
                    made = new
        except MemhtmlError as error:
            if self._is_still():
                self._undo(landing, error)
            else:
                landing.release()
            raise
        except BaseException:
            # An interrupt says nothing about how far things are: the record stays, and the next command looks.
            landing.release()
            raise
        if made is None:
            self._undo(landing, None)
        return made

    def _land(self, landing: Landing, made: CommitSha, state: IndexState) -> Committed:
        """Let work tree and index follow the branch, which has moved."""
        faults.point("commit.ref_moved")
        changes = self.work.changes
        try:
            if self.writer.has_hooks:
                old, new = tree_of(self.objects, self.tip.commit), self.objects.root_tree(made)
                changes = tuple(differences(self.objects.tree, old, new))
            if changes != self.work.changes:
                placed = {change.path: change.new for change in self.work.changes}
                trusts = self.writer.trusts_file_mode
                landing.prepare(
                    state, survey(self.location, state, changes, trusts_file_mode=trusts, placed=placed)
                )
            landing.place()
            faults.point("commit.files_placed")
            landing.install()
            landing.prune(self.location.prefix)
        except MemhtmlError:
            landing.is_complete = False  # the record stays, and the next command goes on from there
        finally:
            landing.release()
        if landing.is_complete:
            clear(self.folder)
            faults.point("commit.journal_cleared")
        return self._done(made, changes, landing.left)

    def _undo(self, landing: Landing, error: MemhtmlError | None) -> None:
        """Take everything back that showed; the record goes last, so that a death in between is repaired too."""
        try:
            changed = landing.take_back()
        except OSError as failure:
            landing.release()
            raise StorageFailed(
                "taking back the files of a refused commit", failure.strerror or ""
            ) from error
        landing.release(keep_scratch=bool(changed))
        clear(self.folder)
        if changed and isinstance(error, GitFailed):
            where = f".memhtml/{landing.scratch.name}/changed"
            raise GitFailed(
                "commit", f"{error.reason}; what became of our files meanwhile is in {where}"
            ) from error

    def _survey(self, state: IndexState) -> list[Survey]:
        """Return what stands at our paths. Errors: `DirtyTree` when work of the person's does; `PathRefused`."""
        trusts = self.writer.trusts_file_mode
        surveyed = survey(self.location, state, self.work.changes, trusts_file_mode=trusts)
        for each in surveyed:
            if each.standing.refusal is not None:
                raise each.standing.refusal
        dirty = [each.change.path for each in surveyed if not (each.is_index_ours and each.is_file_ours)]
        if dirty:
            raise DirtyTree(self._in_store(dirty))
        return surveyed

    def _write_objects(self) -> None:
        repository = self.objects.repository
        try:
            for data in self.work.blobs.values():
                repository.create_blob(data)
            for data in self.work.trees.values():
                repository.odb.write(ObjectType.TREE, data)
        except (pygit2.GitError, OSError) as error:
            raise translated("writing objects", str(error)) from error

    def _commit_object(self) -> CommitSha:
        parents = [self.tip.commit] if self.tip.commit is not None else []
        if self.writer.signs:
            return signed_commit(self.location, self.work.tree, parents, self.message)
        author, committer = self.writer.author, self.writer.committer
        try:
            # Without a reference: the branch moves later.
            made = self.objects.repository.create_commit(
                None, author, committer, self.message, self.work.tree, list(parents)
            )
        except (pygit2.GitError, OSError) as error:
            raise translated("writing objects", str(error)) from error
        return CommitSha(str(made))

    def _move(self, new: CommitSha, in_use: Collection[int] = ()) -> bool:
        what = "commit" if self.tip.commit is not None else "commit (initial)"
        subject = self.message.partition("\n")[0]
        tip = Tip(self.tip.name, None) if self.is_aside else self.tip
        return move(self.location, tip, new, f"{what}: {subject}", in_use)

    def _is_still(self) -> bool:
        return load_tip(self.objects.repository) == self.tip

    def _done(self, made: CommitSha, changes: Iterable[Change], left: Iterable[str]) -> Committed:
        paths = self._in_store(change.path for change in changes)
        return Committed(made, self.tip.commit, paths, self._in_store(left))

    def _in_store(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return those paths of the repository that lie in the store, relative to it."""
        below = self.location.prefix + "/" if self.location.prefix else ""
        return tuple(path.removeprefix(below) for path in paths if path.startswith(below))


def _token() -> str:
    """Return a name that no other commit of this store has while it lasts."""
    return f"{os.getpid()}-{time.monotonic_ns()}"
