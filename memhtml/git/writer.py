"""How this repository wants its commits made: whose name they carry, and whether hooks or signatures are asked for.

Git itself says what is configured (environment, includes, conditional sections and all), in one call.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pygit2

from memhtml.errors import GitFailed
from memhtml.git.discover import Location
from memhtml.git.process import inherited, run_git, start

__all__ = ["NO_IDENTITY", "OWN_HOOK", "Writer", "read_writer", "require_committable"]

NO_IDENTITY = (
    "git does not know who you are; run `git config --global user.name <name>` and "
    "`git config --global user.email <address>`, then try again"
)
#: A hook with this line is ours alone and does nothing for commits of ours, so that nobody needs to start it.
OWN_HOOK = b"# memhtml: this whole hook is memhtml's own"

_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction")
_TRUE = frozenset({"", "true", "yes", "on", "1"})
_IDENT = re.compile(r"(.*) <(.*)> ([0-9]+) ([+-])([0-9]{2})([0-9]{2})", re.DOTALL)
#: What git would strip from a name or an address, or refuse.
_CRUD = re.compile(r"[<>\x00-\x1f]|\A[\s.,:;\"\\']|[\s.,:;\"\\']\Z|\A\Z")

#: Files and folders that git keeps while something waits for the person, and what to call it.
_UNFINISHED = (
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase or a series of patches"),
    ("sequencer", "a series of picks"),
)


@dataclass(frozen=True, slots=True)
class Writer:
    author: pygit2.Signature
    committer: pygit2.Signature
    #: Hooks of the person's would be run by `git commit`.
    has_hooks: bool
    signs: bool
    #: Whether the executable bit of a file means anything here.
    trusts_file_mode: bool


def require_committable(location: Location, *, allow_detached: bool = False) -> None:
    """Return when a commit of ours would not end up in somebody's unfinished work.

    Errors: `GitFailed` for a merge, rebase or the like that is not concluded, and for a detached HEAD.
    """
    for name, what in _UNFINISHED:
        if os.path.lexists(location.git_dir / name):
            raise GitFailed("commit", f"{what} is not concluded; conclude or abort it first")
    if allow_detached:
        return
    head = location.git_dir / "HEAD"
    if not head.is_symlink() and not head.read_bytes().startswith(b"ref:"):
        raise GitFailed("commit", "HEAD is detached; check out a branch first")


def read_writer(location: Location) -> Writer:
    """Return how commits are made here.

    Errors: `GitFailed` when git knows no name or address, naming the two commands that tell it.
    """
    config = _config(location)
    author = _signature(location, config, "author")
    committer = _signature(location, config, "committer", author)
    return Writer(
        author,
        committer,
        has_hooks=_has_hooks(location, config),
        signs=_is_true(config, "commit.gpgsign", default=False),
        trusts_file_mode=_is_true(config, "core.filemode", default=True),
    )


def _config(location: Location) -> dict[str, str]:
    """Return every setting, the last of a name as git has it; a key without a value is `""` (git: true)."""
    output = run_git(location, "config", "-z", "--list").decode("utf-8", "surrogateescape")
    return {key: value for key, _, value in (line.partition("\n") for line in output.split("\0"))}


def _is_true(config: Mapping[str, str], key: str, *, default: bool) -> bool:
    return config[key].lower() in _TRUE if key in config else default


def _signature(
    location: Location, config: Mapping[str, str], who: str, other: pygit2.Signature | None = None
) -> pygit2.Signature:
    """Return who makes the commit: what is plainly configured, else what git makes of this machine."""
    upper = who.upper()
    name = _first(inherited(f"GIT_{upper}_NAME"), config.get(f"{who}.name"), config.get("user.name"))
    email = _first(inherited(f"GIT_{upper}_EMAIL"), config.get(f"{who}.email"), config.get("user.email"))
    is_plain = not (_CRUD.search(name) or _CRUD.search(email) or inherited(f"GIT_{upper}_DATE"))
    try:
        if is_plain:
            if other is not None:
                return pygit2.Signature(name, email, other.time, other.offset)
            return pygit2.Signature(name, email)
        return _ask_git(location, f"GIT_{upper}_IDENT")
    except (ValueError, pygit2.GitError) as error:
        raise GitFailed("commit", "git's own name for you cannot stand in a commit") from error


def _first(*values: str | None) -> str:
    return next((value for value in values if value is not None), "")


def _ask_git(location: Location, variable: str) -> pygit2.Signature:
    done = start(location, "var", variable)
    said = _IDENT.fullmatch(done.stdout.decode("utf-8", "replace").strip("\n"))
    if done.returncode != 0 or said is None:
        raise GitFailed("commit", NO_IDENTITY)
    name, email, seconds, sign, hours, minutes = said.groups()
    offset = (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1)
    return pygit2.Signature(name, email, int(seconds), offset)


def _has_hooks(location: Location, config: Mapping[str, str]) -> bool:
    if any(key.startswith("hook.") and key.endswith(".command") for key in config):
        return True
    folder = location.common_dir / "hooks"
    if named := config.get("core.hookspath"):
        folder = location.folder / Path(named).expanduser()
    return any(_is_foreign(folder / name) for name in _HOOKS)


def _is_foreign(hook: Path) -> bool:
    """Tell whether git would run this hook, and it is not one of ours."""
    try:
        if not os.access(hook, os.X_OK) or not hook.is_file():
            return False
        with hook.open("rb") as file:
            return OWN_HOOK not in file.read(4096).splitlines()
    except OSError:
        return True
