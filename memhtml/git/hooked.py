"""Lets git itself commit a finished tree, so that the hooks of the repository run as they do for any other commit."""

import subprocess
from pathlib import Path

import pygit2

from memhtml import faults
from memhtml.errors import GitFailed, StorageFailed
from memhtml.git.branch import Tip, load_tip, move
from memhtml.git.discover import Location
from memhtml.git.history import made_on
from memhtml.git.index_edit import IndexState, copy_index
from memhtml.git.objects import ObjectStore
from memhtml.git.plan import Plan
from memhtml.git.process import WRITING, child_environment, command, write_git
from memhtml.values import CommitSha

__all__ = ["HookedCommit"]

#: How much of what a hook said is passed on.
_SAID_CHARACTERS = 500


class HookedCommit:
    """One run of `git commit` on an index of its own, in the folder `scratch`."""

    def __init__(self, location: Location, objects: ObjectStore, scratch: Path, in_use: int) -> None:
        self._location = location
        self._objects = objects
        self._scratch = scratch
        self._in_use = in_use
        self._index = scratch / "commit-index"

    def run(self, tip: Tip, work: Plan, message: str, state: IndexState) -> CommitSha | None:
        """Commit what was planned on `tip`, and return where HEAD then stands.

        None: the branch was moved by others, and nothing of ours is on it.
        Errors: `GitFailed` with what the hook said; HEAD is then where it was.
        """
        copy_index(self._index, state)  # for the times in it: git need not read every file again
        here = {"GIT_INDEX_FILE": str(self._index)}
        write_git(self._location, "read-tree", "-i", "--reset", work.tree, extra=here)
        status, said = self._commit(message, here)
        faults.point("commit.hooks_run")
        now = load_tip(self._objects.repository)
        if now.commit == tip.commit:
            raise GitFailed("commit", said or f"exit status {status}")
        paths = {change.path for change in work.changes}
        made = made_on(self._objects, now.commit, tip.commit, paths) if now.commit is not None else None
        if made is not None and (status == 0 or self._objects.root_tree(made) == work.tree):
            return now.commit
        if status == 0:
            self._withdraw(tip, now, work.tree)
        return None

    def _commit(self, message: str, extra: dict[str, str]) -> tuple[int, str]:
        """Run git to its end, and return its status and what it and its hooks said."""
        words = self._scratch / "message"
        arguments = ("--quiet", "--cleanup=whitespace", "--no-edit", "-F", str(words))
        options = ("-c", "i18n.commitEncoding=UTF-8")
        output = self._scratch / "output"
        # A file, not a pipe: a hook may leave a process behind that never closes it.
        try:
            words.write_bytes(message.encode("utf-8"))
            with output.open("wb") as file:
                done = subprocess.run(
                    command(self._location, "commit", *arguments, options=options),
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    check=False,
                    env=child_environment({**WRITING, "GIT_NO_LAZY_FETCH": "0", **extra}),
                    pass_fds=(self._in_use,),
                )
            said = output.read_text("utf-8", "replace")
        except OSError as error:
            raise StorageFailed("starting git commit", error.strerror or "") from error
        return done.returncode, " ".join(said.split())[:_SAID_CHARACTERS]

    def _withdraw(self, tip: Tip, now: Tip, tree: str) -> None:
        """Take a commit of git's back that is not the one we asked for; return when HEAD had moved on before it.

        Then it has our tree, which lacks what came between.
        Errors: `GitFailed` when hooks took our files out of it, or somebody has built on it already.
        """
        repository = self._objects.repository
        commit = repository[now.commit].peel(pygit2.Commit) if now.commit is not None else None
        parents = [str(parent) for parent in commit.parent_ids] if commit is not None else []
        is_dropped = parents == [tip.commit]
        is_late = commit is not None and len(parents) == 1 and str(commit.tree_id) == tree
        if (is_dropped or is_late) and move(self._location, now, parents[0], "reset: taken back"):
            if is_dropped:
                raise GitFailed("commit", "a hook took our files out of the commit")
            return
        raise GitFailed("commit", f"{tip.name} was moved while hooks ran; {now.commit} has to be looked at")
