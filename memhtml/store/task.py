"""How far a task is. Done means archived, in the same commit; anything else means not archived."""

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from memhtml.errors import InvalidMemory
from memhtml.format.edit import set_meta
from memhtml.git.commit import subject_line
from memhtml.store.archive import restoring
from memhtml.store.placing import Placing
from memhtml.store.planned import Planned
from memhtml.store.retire import retire, stamped
from memhtml.store.view import HeadFile, HeadView
from memhtml.values import Bucket, Instant, MemoryPath, MemoryType, TaskStatus

__all__ = ["TaskMoved", "plan_task_status"]


class TaskMoved(NamedTuple):
    #: Where the task was named; where it is now, for one that came back.
    path: MemoryPath
    task_status: TaskStatus
    archived: bool
    archive_path: MemoryPath | None
    unchanged: bool = False


def plan_task_status(
    view: HeadView,
    *,
    path: str,
    status: TaskStatus,
    reason: str,
    at: Instant,
    occupied: Collection[str] = (),
) -> Planned[TaskMoved]:
    """Return the commit that says how far a task is; without changes where it says so already.

    Errors: `PathNotFound`, `PathRefused`, `InvalidMemory` for what is no task.
    """
    file = view.get(path)
    if file.document.memory_type is not MemoryType.TASK:
        raise InvalidMemory(f"{file.path} is no task", hints=("memhtml task list",))
    is_archived = file.path.startswith(f"{Bucket.ARCHIVE}/")
    is_done = status is TaskStatus.DONE
    is_said = file.document.task_status is status
    if is_said and is_archived == is_done:
        there = file.path if is_archived else None
        return Planned(TaskMoved(file.path, status, is_archived, there, unchanged=True))
    if is_archived and not is_done:
        back = restoring(view, file, at, Placing(view, occupied), task_status=status)
        moved = TaskMoved(back.result.path, status, archived=False, archive_path=None)
        subject = _subject(status, moved.path)
        return Planned(moved, back.changes, back.expects, subject, body=reason)
    if is_done and not is_archived:
        return _done(view, file, reason, at, occupied)
    data = stamped(file, [("task-status", status.value), ("updated", at)])
    there = file.path if is_archived else None
    return Planned(
        TaskMoved(file.path, status, is_archived, there),
        {file.path: data},
        {file.path: file.blob_sha},
        _subject(status, file.path),
        body=reason,
    )


def _done(
    view: HeadView, file: HeadFile, reason: str, at: Instant, occupied: Collection[str]
) -> Planned[TaskMoved]:
    said = replace(file, data=set_meta(file.data, "task-status", TaskStatus.DONE.value))
    retired = retire(Placing(view, occupied), said, at)
    return Planned(
        TaskMoved(file.path, TaskStatus.DONE, archived=True, archive_path=retired.path),
        {file.path: None, retired.path: retired.data},
        {file.path: file.blob_sha},
        subject_line("archive", f"{file.path} — {reason or 'task done'}"),
        body=reason,
    )


def _subject(status: TaskStatus, path: MemoryPath) -> str:
    return subject_line("task", f"{status.value} {path}")
