"""Runs git as a child process: the right repository whatever the caller's environment says, and typed failures.

Readers run without optional locks, so that nothing of theirs writes. Messages carry no arguments and no output of git.
"""

import os
import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from memhtml.errors import GitFailed, StorageFailed
from memhtml.git.discover import Location

__all__ = [
    "WRITING",
    "child_environment",
    "command",
    "failure",
    "inherited",
    "run_git",
    "start",
    "unsafe_ownership",
    "write_git",
]

#: A hook sets some of these for its own repository, and they would win over the folder that git is run in.
_REDIRECTIONS = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GLOB_PATHSPECS",
        "GIT_GRAFT_FILE",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
_SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # Untranslated messages without a change of LC_CTYPE, which a clean filter may depend on.
    "LANGUAGE": "C",
}
#: How git says that it cannot go on without a filter; a name of other characters is not shown.
_FILTER_FAILED = re.compile(rb"(?:clean|smudge) filter '?([A-Za-z0-9._-]{1,64})'? failed")
_FILTER_CURES = {
    "git-crypt": "install git-crypt and run `git-crypt unlock`",
    "lfs": "install Git LFS and run `git lfs install`",
}
_INDEX_DAMAGED = re.compile(rb"index file (?:smaller|corrupt)|bad (?:index file|signature|index version)")
#: Tells hooks of ours that the commit is ours, so that they have nothing to check or to follow.
WRITING = {"MEMHTML_WRITING": "1"}
#: libgit2 knows no replacement objects; --no-replace-objects lets git see what it sees.
_WRITER_OPTIONS = ("--no-replace-objects", "--literal-pathspecs")
_OPTIONS = (*_WRITER_OPTIONS, "-c", "core.fsmonitor=false")


def child_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a git child: the caller's, less what redirects git to another repository."""
    # Handed on to the child as it is, not read as a setting of ours.
    inherited = os.environ  # noqa: TID251
    kept = {name: value for name, value in inherited.items() if name not in _REDIRECTIONS}
    return kept | _SETTINGS | dict(extra or {})


def inherited(name: str) -> str | None:
    """Return one of git's own variables, where a commit has to follow it as git would."""
    return os.environ.get(name)  # noqa: TID251 - a setting of git's, not of ours


def run_git(
    location: Location,
    operation: str,
    *arguments: str,
    stdin: bytes = b"",
    accept: Collection[int] = (0,),
    extra: Mapping[str, str] | None = None,
) -> bytes:
    """Run `git <operation> <arguments>` in a repository and return its standard output.

    Errors: GitFailed when git is not installed or ends with a status outside `accept`.
    """
    done = start(location, operation, *arguments, stdin=stdin, extra=extra)
    if done.returncode not in accept:
        raise failure(location, operation, done.returncode, done.stderr)
    return done.stdout


def write_git(
    location: Location,
    operation: str,
    *arguments: str,
    stdin: bytes = b"",
    extra: Mapping[str, str] | None = None,
) -> bytes:
    """Run a git that writes; hooks of ours that it may start see that we are the writer.

    Unlike a reader it keeps what a file system monitor told the index.
    """
    done = start(
        location,
        operation,
        *arguments,
        stdin=stdin,
        extra={**WRITING, **(extra or {})},
        options=_WRITER_OPTIONS,
    )
    if done.returncode != 0:
        if b"No space left" in done.stderr or b"Disk quota" in done.stderr:
            raise StorageFailed(f"git {operation}", "no space left on the device")
        raise failure(location, operation, done.returncode, done.stderr)
    return done.stdout


def start(
    location: Location,
    operation: str,
    *arguments: str,
    stdin: bytes = b"",
    extra: Mapping[str, str] | None = None,
    options: Sequence[str] = _OPTIONS,
    pass_fds: Collection[int] = (),
) -> subprocess.CompletedProcess[bytes]:
    """Run git to its end, whatever the status."""
    try:
        return subprocess.run(
            command(location, operation, *arguments, options=options),
            input=stdin,
            capture_output=True,
            check=False,
            env=child_environment(extra),
            pass_fds=pass_fds,
        )
    except FileNotFoundError as error:
        raise GitFailed(operation, "git is not installed, or not on PATH") from error
    except OSError as error:
        raise GitFailed(operation, "git could not be started") from error


def command(
    location: Location, operation: str, *arguments: str, options: Sequence[str] = _OPTIONS
) -> list[str]:
    """Return the argument list of one git call."""
    # A bare repository is named, since `safe.bareRepository` may forbid git to find one by itself.
    named = ["--git-dir=."] if location.work_dir is None else []
    return ["git", *options, "-C", str(location.folder), *named, operation, *arguments]


def failure(location: Location, operation: str, status: int, stderr: bytes) -> GitFailed:
    """Return the typed form of a failed call; what git said is only looked at, never passed on."""
    if b"dubious ownership" in stderr or b"unsafe repository" in stderr:
        return unsafe_ownership(operation, location.folder)
    if (filtered := _FILTER_FAILED.search(stderr)) is not None:
        return _filter_failed(operation, filtered[1].decode("ascii"))
    if _INDEX_DAMAGED.search(stderr) is not None:
        return GitFailed(
            operation,
            "git's index file is damaged; move `index` out of the git folder and run `git reset`, which makes it "
            "anew from HEAD and leaves the files alone",
        )
    if b"bad config" in stderr:
        return GitFailed(operation, "git's configuration cannot be read; `git config --list` names the line")
    return GitFailed(operation, f"exit status {status}")


def _filter_failed(operation: str, name: str) -> GitFailed:
    cure = _FILTER_CURES.get(name, f"`git config --get-regexp '^filter\\.{name}\\.'` shows its commands")
    reason = f"the filter “{name}” that .gitattributes asks for failed, and it is required; {cure}"
    if operation != "status":
        return GitFailed(operation, reason)
    hints = ("memhtml index update --committed", "memhtml doctor --committed")
    return GitFailed(operation, f"{reason}, or read what is committed alone with --committed", hints=hints)


def unsafe_ownership(operation: str, folder: Path) -> GitFailed:
    """Return the error for a repository that git refuses because another user owns it, with the cure."""
    return GitFailed(
        operation,
        "the repository belongs to another user; if you trust it, run "
        f"`git config --global --add safe.directory '{folder}'`",
    )
