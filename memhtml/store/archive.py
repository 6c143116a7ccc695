"""Into the archive and back. Both are moves: the article keeps its bytes, and nothing is ever deleted.

A restored memory is current again, so whatever the archive said to the contrary goes: the status, the instant, the
successor, and the end of its validity where that is the successor's beginning. An earlier end was somebody's own and
stays. The successor stays too; in the same commit it loses its `supersedes` link, which would lead nowhere.
"""

import shlex
from collections.abc import Collection
from typing import Final, NamedTuple

from memhtml.errors import InvalidMemory, PathRefused, SaidElsewhere
from memhtml.format.edit import remove_link, remove_meta, set_meta
from memhtml.format.instants import normalise_instant
from memhtml.format.origin import ORIGIN_META, origin_of
from memhtml.format.paths import is_valid_memory_path, normalize_path
from memhtml.git.commit import subject_line
from memhtml.store.gate import admit_edit
from memhtml.store.link import hrefs_to
from memhtml.store.placing import Placing
from memhtml.store.planned import Planned
from memhtml.store.retire import retire
from memhtml.store.view import HeadFile, HeadView
from memhtml.values import (
    BlobSha,
    Bucket,
    EdgeRel,
    Instant,
    MemoryPath,
    MemoryStatus,
    MemoryType,
    TaskStatus,
)

__all__ = ["Archived", "Restored", "plan_archive", "plan_restore", "require_active", "restoring"]

#: What the archive writes into a head and a restored memory does without.
_ARCHIVE_METAS: Final = ("archived", "superseded-by", ORIGIN_META)


class Archived(NamedTuple):
    path: MemoryPath
    archive_path: MemoryPath


class Restored(NamedTuple):
    path: MemoryPath
    archive_path: MemoryPath
    #: The memory that took its place, and does not say so any more.
    successor_path: MemoryPath | None


def plan_archive(
    view: HeadView, *, path: str, reason: str, at: Instant, occupied: Collection[str] = ()
) -> Planned[Archived]:
    """Return the commit that moves a memory into the archive.

    Errors: `PathNotFound`, `PathRefused` for one that is there already, `InvalidMemory`.
    """
    file = view.get(path)
    require_active(file)
    retired = retire(Placing(view, occupied), file, at)
    return Planned(
        Archived(file.path, retired.path),
        {file.path: None, retired.path: retired.data},
        {file.path: file.blob_sha},
        subject_line("archive", f"{file.path} — {reason}" if reason else file.path),
        body=reason,
    )


def require_active(file: HeadFile) -> None:
    """Refuse a memory of the archive. Errors: `PathRefused`."""
    if file.path.startswith(f"{Bucket.ARCHIVE}/"):
        raise PathRefused(
            file.path, "it is archived", hints=(f"memhtml restore {shlex.quote(file.path)}", "memhtml list")
        )


def plan_restore(
    view: HeadView, *, path: str, at: Instant, occupied: Collection[str] = ()
) -> Planned[Restored]:
    """Return the commit that brings an archived memory back to where it stood.

    Errors: `PathNotFound`; `PathRefused` for one that is not archived, and where something else stands in its place;
    `SaidElsewhere` where an active memory says the same by now; `InvalidMemory`.
    """
    file = view.get(path)
    return restoring(view, file, at, Placing(view, occupied))


def restoring(
    view: HeadView,
    file: HeadFile,
    at: Instant,
    placing: Placing,
    *,
    task_status: TaskStatus | None = None,
) -> Planned[Restored]:
    """Return the commit that restores `file`; a task then is `task_status`, by default what it was, or todo after done.

    Errors: as `plan_restore`.
    """
    origin = origin_of(file.path, file.document.head)
    if origin is None or not is_valid_memory_path(origin):
        raise PathRefused(file.path, "it is in no year of the archive, so there is nowhere to restore it to")
    document = file.document
    if document.memory_type is not MemoryType.TASK:
        holder = view.holder_of(document.content_hash)
        if holder is not None:
            raise SaidElsewhere(holder)
    destination = placing.take(origin)
    successor = _successor(view, file)
    data = _without_stamps(file, successor, at, task_status)
    changes: dict[str, bytes | None] = {file.path: None, destination: data}
    expects: dict[str, BlobSha | None] = {file.path: file.blob_sha}
    if successor is not None:
        changes[successor.path] = _without_link(successor, file.path)
        expects[successor.path] = successor.blob_sha
    return Planned(
        Restored(destination, file.path, successor.path if successor is not None else None),
        changes,
        expects,
        subject_line("restore", str(destination)),
    )


def _successor(view: HeadView, file: HeadFile) -> HeadFile | None:
    """Return the memory that the archived one names as its successor, if that one says so as well."""
    named = normalize_path(file.document.superseded_by or "")
    if not is_valid_memory_path(named):
        return None
    try:
        successor = view.find(named)
    except InvalidMemory:  # somebody broke it since: then there is nothing in it for us to keep right
        return None
    if (
        successor is None
        or successor.path == file.path
        or not hrefs_to(successor, EdgeRel.SUPERSEDES, file.path)
    ):
        return None
    return successor


def _without_link(successor: HeadFile, path: MemoryPath) -> bytes:
    data = successor.data
    for href in hrefs_to(successor, EdgeRel.SUPERSEDES, path):
        data = remove_link(data, EdgeRel.SUPERSEDES, href)
    return admit_edit(successor.data, data).data


def _without_stamps(
    file: HeadFile, successor: HeadFile | None, at: Instant, task_status: TaskStatus | None
) -> bytes:
    data = set_meta(file.data, "status", MemoryStatus.ACTIVE.value)
    data = set_meta(data, "updated", at)
    for name in _ARCHIVE_METAS:
        data = remove_meta(data, name)
    ends = file.document.valid_until
    begins = successor.document.valid_from if successor is not None else None
    if ends and begins and normalise_instant(ends) == normalise_instant(begins):
        data = remove_meta(data, "valid-until")
    if task_status is None and file.document.task_status is TaskStatus.DONE:
        task_status = TaskStatus.TODO
    if task_status is not None:
        data = set_meta(data, "task-status", task_status.value)
    document = admit_edit(file.data, data).document
    if document.status is not MemoryStatus.ACTIVE or document.archived or document.superseded_by:
        raise InvalidMemory(f"{file.path}: its head cannot be edited", hints=("memhtml doctor",))
    return data
