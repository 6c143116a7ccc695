"""What git itself is asked about the past: which commit a name means, and which commit a line of a file comes from."""

from typing import NamedTuple

from memhtml.errors import GitFailed
from memhtml.git.discover import Location
from memhtml.git.process import run_git, start
from memhtml.values import CommitSha, MemoryPath

__all__ = ["SourceLine", "blame", "resolve"]


class SourceLine(NamedTuple):
    """One line of a committed file, and the commit that it has stood in this form since."""

    commit_sha: CommitSha
    text: str


def resolve(location: Location, revision: str) -> CommitSha:
    """Return the commit that a revision names. Errors: `GitFailed` where none is called so."""
    unknown = GitFailed("reading a revision", "no commit of this repository is called so")
    if "\0" in revision or not revision:
        raise unknown
    done = start(location, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if done.returncode != 0:
        raise unknown
    return CommitSha(done.stdout.decode("ascii").strip())


def blame(location: Location, commit: CommitSha, path: MemoryPath) -> list[SourceLine]:
    """Return the lines of a file of a commit, each with where it comes from; moves of the whole file are followed.

    Errors: `GitFailed`.
    """
    full = f"{location.prefix}/{path}" if location.prefix else path
    said = run_git(location, "blame", "--porcelain", commit, "--", full)
    found: list[SourceLine] = []
    sha = ""
    is_header = True
    for line in said.split(b"\n"):
        if line.startswith(b"\t"):
            text = line[1:].decode("utf-8", "replace").rstrip("\r")
            found.append(SourceLine(CommitSha(sha), text))
            is_header = True
        elif is_header and line:
            sha = line.split(b" ", 1)[0].decode("ascii")
            is_header = False
    return found
