"""HEAD's commit, read from the repository's files: what search and status need of git, at no start-up cost.

Neither pygit2 nor a process is involved unless the references are stored in a way this module does not know.
"""

import re
from pathlib import Path

from memhtml.errors import GitFailed
from memhtml.git.discover import Location, find_repository
from memhtml.values import CommitSha

__all__ = ["Location", "find_repository", "head_commit", "head_of"]

_SHA = re.compile(rb"[0-9a-f]{40}\s*\Z")
#: git gives up after as many steps from symbolic reference to symbolic reference.
_MAX_STEPS = 5
#: References that each worktree has for itself.
_PER_WORKTREE = (b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/")


def head_commit(root: Path) -> CommitSha | None:
    """Return the commit that HEAD of `root`'s repository names, or None before the first commit.

    Errors: RepoRequired, RepoUnsupported and GitFailed as `find_repository`.
    """
    return head_of(find_repository(root))


def head_of(location: Location) -> CommitSha | None:
    """Return the commit of HEAD in a repository that is already found."""
    if location.ref_storage != "files":
        return _ask_git(location)
    try:
        name = b"HEAD"
        for _ in range(_MAX_STEPS):
            content = _read_reference(location, name)
            if content is None:
                return None
            if _SHA.match(content):
                return CommitSha(content[:40].decode("ascii"))
            if not content.startswith(b"ref:"):
                break
            name = content.removeprefix(b"ref:").strip()
            if not name.startswith(b"refs/") or b"\0" in name or b".." in name.split(b"/"):
                break
    except PermissionError as error:
        raise GitFailed("reading HEAD", "a reference may not be read by this user") from error
    except OSError:
        return _ask_git(location)
    return _ask_git(location)


def _read_reference(location: Location, name: bytes) -> bytes | None:
    """Return what a reference holds, loose before packed (git packs first and removes the loose file after)."""
    if name == b"HEAD":
        return (location.git_dir / "HEAD").read_bytes()
    folder = location.git_dir if name.startswith(_PER_WORKTREE) else location.common_dir
    try:
        return (folder / name.decode("utf-8", "surrogateescape")).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return _packed(location.common_dir, name)


def _packed(common_dir: Path, name: bytes) -> bytes | None:
    try:
        packed = (common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return None
    found = re.search(rb"^([0-9a-f]{40}) " + re.escape(name) + rb"\r?$", packed, re.MULTILINE)
    return found.group(1) if found else None


def _ask_git(location: Location) -> CommitSha | None:
    from memhtml.git.process import run_git

    answer = run_git(location, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1)).strip()
    return CommitSha(answer.decode("ascii")) if answer else None
