"""Makes a store: the only creator of a root. Runs again in every clone, and changes nothing that is there.

Order: everything that can be refused is refused; then the repository, the commit that brings the files, the
configuration, the example (each of its files appears whole or not at all). A run that is refused in between takes back
what it made; one that dies is completed by the next one.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from memhtml.errors import MemhtmlError, RepoUnsupported, StorageFailed
from memhtml.git import write
from memhtml.git.checkout import look
from memhtml.git.commit import CommitRequest, commit, recover, require_committable
from memhtml.git.head import find_repository, head_commit
from memhtml.git.recovery import LOCK_NAME
from memhtml.store.merge_driver import CONFIGURATION, WHOLE_REPOSITORY
from memhtml.values import CommitSha

__all__ = ["InitReport", "init_store", "read_template"]

SUBJECT = "memhtml(init): scaffold the memory repository"

_GITIGNORE = ".gitignore"
_OWN_FOLDER = ".memhtml/"


@dataclass(frozen=True, slots=True)
class InitReport:
    root: Path
    #: Whether this run made the repository.
    created: bool
    #: The repository that records the store: `root`, or a folder above it.
    repository: Path
    head_sha: CommitSha | None
    #: Scaffold files that this run wrote.
    wrote: tuple[str, ...]
    #: The commit of the scaffold, if there was anything to commit.
    commit_sha: CommitSha | None
    #: Example memories that this run wrote; they are left for the person to commit.
    example: tuple[str, ...]


def read_template(folder: Path) -> dict[str, bytes]:
    """Return the files below `folder` by relative path, sorted. Errors: `StorageFailed`."""
    try:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    except OSError as error:
        raise StorageFailed("reading the corpus template", error.strerror or "") from error


def init_store(
    root: Path, scaffold: Mapping[str, bytes], example: Mapping[str, bytes], *, join_above: bool
) -> InitReport:
    """Make `root` a store, or complete one.

    `join_above` lets a repository that encloses `root`, and does not ignore it, record the store; else `root` gets
    its own.
    Effects: scaffold files that neither the tree nor HEAD has are written, and committed alone. A file that exists
    is never changed, not even when it differs; one that HEAD has and the tree lacks was removed on purpose.
    Errors: `GitFailed` (no identity, detached HEAD, a merge under way, a hook's refusal), `PathRefused` for a file or
    link where a folder has to be, `DirtyTree` for other content that is staged at a path of ours, `RepoUnsupported`,
    `StorageFailed`. Nothing was made then, unless the commit had been.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100 - keeps the symlinks that the person named
    nearest = next(folder for folder in (root, *root.parents) if folder.exists())
    if not nearest.is_dir():
        raise StorageFailed("making the store", f"{nearest.name} is not a folder")
    repository = _repository(nearest)
    if repository != root and not (join_above and _would_be_recorded(root, nearest, repository)):
        repository = None
    if repository is not None and root.exists():
        recover(root)
    if repository is None or not root.exists() or _incomplete(root, _wanted(root, scaffold)):
        write.require_identity(nearest)
        if repository is not None:
            require_committable(find_repository(nearest))
    _require_places(root, [*scaffold, *example])
    made_folders = _make_folder(root)
    created = repository is None
    has_own_folder = os.path.lexists(root / _OWN_FOLDER)
    try:
        if repository is None:
            write.create_repository(root)
            repository = root
        wanted = _wanted(root, scaffold)
        ours = _incomplete(root, wanted)
        absent = [path for path in ours if not os.path.lexists(root / path)]
        made = commit(root, CommitRequest({path: wanted[path] for path in ours}, SUBJECT)) if ours else None
    except MemhtmlError:
        _take_back(root, has_own_folder=has_own_folder, created=created, folders=made_folders)
        raise
    whole = WHOLE_REPOSITORY if repository == root else {}
    for key, value in {"merge.ours.driver": "true", **CONFIGURATION, **whole}.items():
        write.configure(root, key, value)
    planted = [path for path in example if not os.path.lexists(root / path)]
    for path in planted:
        _write_whole(root, path, example[path])
    commit_sha = made.sha if made is not None else None
    return InitReport(root, created, repository, head_commit(root), tuple(absent), commit_sha, tuple(planted))


def _repository(folder: Path) -> Path | None:
    """Return the work tree that `folder` is in, if any. Errors: `RepoUnsupported`."""
    found = write.work_tree(folder)
    if found is not None and found.object_format != "sha1":
        raise RepoUnsupported(f"the repository uses {found.object_format} objects; memhtml needs SHA-1")
    return found.top if found is not None else None


def _would_be_recorded(root: Path, nearest: Path, repository: Path | None) -> bool:
    """Return whether the repository around `root` takes files in there: it may ignore the whole folder."""
    sample = (root / _OWN_FOLDER / "config.toml").relative_to(nearest).as_posix()
    return repository is not None and not write.are_ignored(nearest, [sample])


def _wanted(root: Path, scaffold: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the scaffold, with an ignore file for our own folder where the store's own lacks our lines."""
    lines = scaffold.get(_GITIGNORE, b"").decode().splitlines()
    names = [line for line in lines if line.startswith(_OWN_FOLDER)]
    if not names or not os.path.lexists(root / _GITIGNORE) or write.are_ignored(root, names):
        return dict(scaffold)
    inner = "".join(f"/{name.removeprefix(_OWN_FOLDER)}\n" for name in names)
    return {**scaffold, _OWN_FOLDER + _GITIGNORE: inner.encode()}


def _incomplete(root: Path, wanted: Mapping[str, bytes]) -> list[str]:
    """Return the files that are to be committed: HEAD lacks them, and the tree lacks them or holds our very bytes."""
    tracked = write.tracked_paths(root, wanted)
    return [
        path
        for path in wanted
        if path not in tracked and (not os.path.lexists(root / path) or _holds(root / path, wanted[path]))
    ]


def _holds(path: Path, data: bytes) -> bool:
    try:
        return not path.is_symlink() and path.read_bytes() == data
    except OSError:
        return False


def _require_places(root: Path, paths: Iterable[str]) -> None:
    """Return when no file, link or other repository stands where a folder of ours has to be. Errors: `PathRefused`."""
    for path in [_OWN_FOLDER + _GITIGNORE, *paths]:
        try:
            look(os.fsencode(root), path)
        except OSError as error:
            raise StorageFailed("making the store", error.strerror or "") from error


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder with its parents; return those that were made, the innermost first."""
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageFailed("making a folder of the store", error.strerror or "") from error
    return missing


def _take_back(root: Path, *, has_own_folder: bool, created: bool, folders: Iterable[Path]) -> None:
    """Remove what a refused run made: the commit has taken its files back, and nobody else has come here yet."""
    with suppress(OSError, MemhtmlError):
        if not has_own_folder:
            (root / _OWN_FOLDER / LOCK_NAME).unlink(missing_ok=True)
            (root / _OWN_FOLDER).rmdir()
    with suppress(OSError, MemhtmlError):
        if created and head_commit(root) is None:
            rmtree(root / ".git")
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _write_whole(root: Path, path: str, data: bytes) -> None:
    """Write a file that appears with all its bytes or not at all: half a file would pass for the person's own."""
    target = root / path
    _make_folder(target.parent)
    draft = target.with_name(target.name + ".memhtml-draft")
    try:
        draft.write_bytes(data)
        draft.replace(target)
    except OSError as error:
        raise StorageFailed(f"writing {path}", error.strerror or "") from error
