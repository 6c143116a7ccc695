"""Finds the repository that holds a folder, by reading files: no process and no library.

The rules are git's own (`.git` folder, `.git` file of a worktree or submodule, bare repository), less the ones
that need an environment. What libgit2 cannot read is refused here, before anything is opened.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memhtml.errors import GitFailed, RepoRequired, RepoUnsupported

__all__ = ["Location", "find_repository", "parse_config"]

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:(=)\s*)?")
_ESCAPED, _UNESCAPED = re.compile(r"\\(.)"), r"\1"
_TRUE = frozenset({"", "true", "yes", "on", "1"})


@dataclass(frozen=True, slots=True)
class Location:
    """Where a store's repository is, and where the store is in it."""

    #: The folder that holds HEAD (of a linked worktree: its own).
    git_dir: Path
    #: The folder that holds objects and refs; the same unless the worktree is a linked one.
    common_dir: Path
    #: The top of the work tree; None for a bare repository.
    work_dir: Path | None
    #: The store's folder relative to the top of the tree: `""` or `a/b`, never with a slash at the end.
    prefix: str
    #: The repository's reference storage: `files`, `reftable` or a name that is not known yet.
    ref_storage: str = "files"
    #: Objects may be missing on purpose and come from a remote.
    is_partial_clone: bool = False

    @property
    def folder(self) -> Path:
        """The folder to run git in."""
        return self.work_dir or self.git_dir


def find_repository(root: Path) -> Location:
    """Return the repository that `root` stands in.

    Errors: RepoRequired when there is none (a folder inside `.git` is none); RepoUnsupported for SHA-256 objects;
    GitFailed when a `.git` file points nowhere or something may not be read.
    """
    try:
        return _locate(root.resolve(strict=True))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise RepoRequired("this folder does not exist") from error
    except PermissionError as error:
        raise GitFailed("discovery", "a folder of the repository may not be read by this user") from error
    except (OSError, RuntimeError) as error:
        raise GitFailed("discovery", "a folder of the repository cannot be read") from error


def _locate(root: Path) -> Location:
    if not root.is_dir():
        raise RepoRequired("this is a file, not a folder")
    device = root.stat().st_dev
    for folder in (root, *root.parents):
        if folder.stat().st_dev != device:  # git does not look beyond a mount point either
            break
        marker = folder / ".git"
        if marker.is_file():
            return _describe(_follow(marker), folder, root)
        if _is_git_dir(marker):
            return _describe(marker.resolve(), folder, root)
        if _is_git_dir(folder):
            location = _describe(folder, None, root)
            if root == folder and location.work_dir is None:
                return location
            raise RepoRequired("this folder is inside a repository's own data")
    raise RepoRequired


def _follow(marker: Path) -> Path:
    """Return the git folder that a `.git` file names."""
    text = marker.read_bytes()[:8192].decode("utf-8", "surrogateescape")
    if not text.startswith("gitdir:"):
        raise GitFailed("discovery", "the .git file names no repository")
    git_dir = (marker.parent / text.removeprefix("gitdir:").strip("\r\n ")).resolve()
    if not _is_git_dir(git_dir):
        raise GitFailed(
            "discovery",
            "the .git file points to a repository that is gone; `git worktree repair` mends a moved one",
        )
    return git_dir


def _is_git_dir(folder: Path) -> bool:
    head = folder / "HEAD"
    if not (head.is_file() or head.is_symlink()):
        return False
    common = _common_dir(folder)
    return (common / "objects").is_dir() and (common / "refs").exists()


def _common_dir(git_dir: Path) -> Path:
    try:
        named = (git_dir / "commondir").read_text("utf-8", "surrogateescape").strip("\r\n")
    except (FileNotFoundError, NotADirectoryError):
        return git_dir
    return (git_dir / named).resolve()


def _describe(git_dir: Path, work_dir: Path | None, root: Path) -> Location:
    common = _common_dir(git_dir)
    config = _read_config(common / "config")
    if config.get("extensions.worktreeconfig", "false").lower() in _TRUE:
        config |= _read_config(git_dir / "config.worktree")
    if config.get("extensions.objectformat", "sha1").lower() != "sha1":
        raise RepoUnsupported(
            "this repository stores SHA-256 object names, which libgit2 cannot read; use a SHA-1 repository"
        )
    is_linked = common != git_dir
    if config.get("core.bare", "false").lower() in _TRUE and not is_linked:
        work_dir = None
    elif work_dir is not None and "core.worktree" in config and not is_linked:
        named = (git_dir / config["core.worktree"]).resolve()
        work_dir = named if root.is_relative_to(named) else work_dir
    elif work_dir is None and git_dir.name != ".git" and "core.bare" not in config:
        pass  # git guesses such a folder to be bare too
    elif work_dir is None:
        work_dir = git_dir.parent
    prefix = "" if work_dir is None or root == work_dir else root.relative_to(work_dir).as_posix()
    return Location(
        git_dir=git_dir,
        common_dir=common,
        work_dir=work_dir,
        prefix=prefix if prefix != "." else "",
        ref_storage=config.get("extensions.refstorage", "files").lower(),
        is_partial_clone="extensions.partialclone" in config
        or any(key.startswith("remote.") and key.endswith(".promisor") for key in config),
    )


def _read_config(path: Path) -> dict[str, str]:
    try:
        text = path.read_text("utf-8", "surrogateescape")
    except FileNotFoundError:
        return {}
    return dict(parse_config(text))


def parse_config(text: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of a git configuration file as `section.key` or `section.subsection.key`.

    Shapes: section and key in lower case, the subsection as written; a key without a value is `""` (git: true).
    Includes are not followed: nothing that decides a repository's format may come from one.
    Errors: none; a line that is no setting is passed over.
    """
    section = ""
    for line in re.sub(r"\\\r?\n", "", text.removeprefix("\ufeff")).splitlines():
        rest = line.strip()
        if header := _SECTION.match(rest):
            name, sub = header.group(1).lower(), header.group(2)
            section = name if sub is None else f"{name}.{_ESCAPED.sub(_UNESCAPED, sub)}"
            rest = rest[header.end() :].strip()
        if section and (key := _KEY.match(rest)):
            yield f"{section}.{key.group(1).lower()}", _value(rest[key.end() :]) if key.group(2) else ""


def _value(text: str) -> str:
    """Return a value without quotes, escapes, comment and trailing blanks."""
    parts: list[str] = []
    quoted = False
    kept = 0
    escapes = {"n": "\n", "t": "\t", "b": "\b"}
    characters = iter(text)
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            parts.append(escapes.get(following, following))
            kept = len(parts)
        elif character == '"':
            quoted = not quoted
            kept = len(parts)
        elif character in "#;" and not quoted:
            break
        else:
            parts.append(character)
            if quoted or not character.isspace():
                kept = len(parts)
    return "".join(parts[:kept])
