"""Brings index and work tree from one state of some paths to another, for a commit and for the repair of one.

Whatever can fail is done beforehand and aside. What is neither the state before nor the one after is somebody's work
and stays: in the index together with its file, in the work tree alone.
"""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memhtml import faults
from memhtml.errors import PathRefused, StorageFailed
from memhtml.git import index_edit
from memhtml.git.checkout import (
    Seen,
    Standing,
    compare,
    look,
    make_folders,
    place,
    prune_folders,
    remove_folders,
    seen_of,
)
from memhtml.git.discover import Location
from memhtml.git.index_edit import IndexState
from memhtml.git.index_file import look_up
from memhtml.git.journal import Journal
from memhtml.git.request import Change, Holding

__all__ = ["Landing", "Survey", "survey"]


class Survey(NamedTuple):
    """One change, and what index and work tree have at its path."""

    change: Change
    standing: Standing
    #: A sparse checkout leaves the file out of the work tree.
    is_skipped: bool
    #: The index holds the old state or the new one, and nothing that a file there would push aside.
    is_index_ours: bool

    @property
    def is_file_ours(self) -> bool:
        """Whether the work tree holds the old state or the new one."""
        return self.is_absent_on_purpose or self.standing.is_old or self.standing.is_new

    @property
    def is_absent_on_purpose(self) -> bool:
        return self.is_skipped and self.standing.seen is None and self.standing.refusal is None


def survey(
    location: Location,
    state: IndexState,
    changes: Sequence[Change],
    *,
    trusts_file_mode: bool,
    placed: Mapping[str, Holding | None] | None = None,
) -> list[Survey]:
    """Return what stands at each of `changes`, in their order.

    `placed` says what the work tree may hold instead of the old state, being ahead of the index.
    Errors: `GitFailed`, `StorageFailed`.
    """
    paths = {os.fsencode(change.path): change for change in changes}
    entries = look_up(location, state.data, paths)
    blocked = {entry.path for entry in entries if entry.path not in paths}
    standings = compare(location, changes, trusts_file_mode=trusts_file_mode, placed=placed or {})
    found: list[Survey] = []
    for path, change in paths.items():
        own = [entry for entry in entries if entry.path == path]
        holding = own[0].holding if own else None
        is_ours = all(entry.stage == 0 for entry in own) and holding in {change.old, change.new}
        if change.new is not None and any(_clash(path, other) for other in blocked):
            is_ours = False
        is_skipped = any(entry.is_skipped for entry in own)
        found.append(Survey(change, standings[change.path], is_skipped, is_ours))
    return found


def _clash(path: bytes, other: bytes) -> bool:
    """Tell whether one of two paths needs a folder where the other is a file."""
    return path.startswith(other + b"/") or other.startswith(path + b"/")


class Landing:
    """One set of changes on its way into index and work tree; `take_back` undoes all of it until `install`."""

    def __init__(self, location: Location, folder: Path, journal: Journal) -> None:
        self._location = location
        self._top = os.fsencode(location.folder)
        self._words = journal.lock_words
        self._draft = f"index.{journal.scratch}"
        self._scratch = folder / journal.scratch
        self._copy = self._scratch / "index"
        self._surveyed: Sequence[Survey] = ()
        self._made: list[bytes] = []
        self._placed: dict[str, Seen | None] = {}
        self._left: list[str] = []
        self.is_complete = True

    @property
    def scratch(self) -> Path:
        return self._scratch

    @property
    def left(self) -> tuple[str, ...]:
        """Paths whose files in the work tree are somebody's own and stayed."""
        return tuple(sorted(self._left))

    def lock(self) -> None:
        """Take the index's lock. Errors: `LockHeld`, `StorageFailed`."""
        index_edit.lock(self._location, self._words)
        faults.point("commit.index_locked")

    def prepare(self, state: IndexState, surveyed: Sequence[Survey]) -> None:
        """Make the new index and the new files aside, and the folders in place.

        Errors: `GitFailed`, `StorageFailed`; only `take_back` and `release` are left to do then.
        """
        self._surveyed = [each for each in surveyed if each.is_index_ours]
        self._left += [
            each.change.path for each in surveyed if not (each.is_index_ours and each.is_file_ours)
        ]
        try:
            (self._scratch / "files").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageFailed("making a folder for new files", error.strerror or "") from error
        puts = {each.change.path: each.change.new for each in self._surveyed}
        skipped = [
            each.change.path for each in self._surveyed if each.is_absent_on_purpose and each.change.new
        ]
        index_edit.edit(self._location, self._copy, state, puts, skipped)
        faults.point("commit.index_edited")
        coming = [each.change.path for each in self._moves() if each.change.new is not None]
        index_edit.extract(self._location, self._copy, coming, self._scratch / "files")
        faults.point("commit.files_extracted")
        try:
            self._made += make_folders(self._top, coming)
        except OSError as error:
            raise StorageFailed("making a folder of the work tree", error.strerror or "") from error

    def place(self, *, keep_old: bool = False) -> None:
        """Put the new files in place, removals first; with `keep_old` the old ones are kept for `take_back`.

        Total: a file that is no more the one that was looked at stays, and is among `left`.
        """
        for each in self._moves():
            path, seen = each.change.path, each.standing.seen
            if path in self._left:
                continue
            source = self._scratch / "files" / path if each.change.new is not None else None
            try:
                if keep_old and seen is not None:
                    self._keep(path)
                self._placed[path] = place(self._top, path, source, seen)
            except (FileExistsError, PathRefused):
                self._left.append(path)
            except OSError:
                self._left.append(path)
                self.is_complete = False
            faults.point("commit.file_placed")

    def prune(self, keep: str) -> None:
        """Remove the folders below `keep` that are empty without the files that have gone."""
        for each in self._surveyed:
            if each.change.new is None:
                prune_folders(self._top, each.change.path, keep)

    def install(self) -> None:
        """Put the new index in the place of the person's. Total: where it cannot be, `is_complete` says so."""
        placed: dict[str, os.stat_result] = {}
        for path, seen in self._placed.items():
            status = _status(self._top, path)
            if status is not None and seen_of(status) == seen:
                placed[path] = status
        try:
            index_edit.install(self._location, self._copy, placed, self._draft)
        except OSError:
            self.is_complete = False
        faults.point("commit.index_installed")

    def take_back(self) -> tuple[str, ...]:
        """Put the old files back where new ones were placed; return those that somebody changed meanwhile.

        Such a file is moved into the scratch folder, which then stays.
        """
        changed: list[str] = []
        for path, seen in reversed(self._placed.items()):
            target, kept = self._top + b"/" + os.fsencode(path), self._scratch / "old" / path
            status = _status(self._top, path)
            if (seen_of(status) if status is not None else None) != seen:
                changed.append(path)
                aside = self._scratch / "changed" / path
                aside.parent.mkdir(parents=True, exist_ok=True)
                if status is not None:
                    os.replace(target, aside)  # noqa: PTH105 - paths of git are bytes
            if kept.exists():
                os.replace(kept, target)  # noqa: PTH105 - paths of git are bytes
            elif status is not None and path not in changed:
                os.unlink(target)  # noqa: PTH108 - paths of git are bytes
        self._placed.clear()
        remove_folders(self._made)
        return tuple(sorted(changed))

    def release(self, *, keep_scratch: bool = False) -> None:
        """Give the index back to others and remove what was needed on the way."""
        index_edit.unlock(self._location, self._words, self._draft)
        faults.point("commit.index_unlocked")
        if not keep_scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _moves(self) -> Iterable[Survey]:
        """Yield what the work tree has to follow, removals first."""
        moves = [
            each
            for each in self._surveyed
            if each.is_file_ours and not each.standing.is_new and not each.is_absent_on_purpose
        ]
        return sorted(moves, key=lambda each: each.change.new is not None)

    def _keep(self, path: str) -> None:
        kept = self._scratch / "old" / path
        kept.parent.mkdir(parents=True, exist_ok=True)
        target = self._top + b"/" + os.fsencode(path)
        try:
            os.link(target, kept)
        except OSError:  # a file system without hard links
            shutil.copy2(os.fsdecode(target), kept)


def _status(top: bytes, path: str) -> os.stat_result | None:
    try:
        return look(top, path)
    except (OSError, PathRefused):
        return None
