"""Use cases of tasks: one is written down, goes on, and is found again."""

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from memhtml.app.reading import reading
from memhtml.app.wire import Store
from memhtml.app.write import Words, write
from memhtml.app.writing import warnings_of, write_around_dirt
from memhtml.errors import InvalidMemory
from memhtml.format.instants import is_datetime, normalise_instant
from memhtml.format.paths import normalize_path, slugify
from memhtml.format.rules import ViolationCode
from memhtml.index.tasks import TaskPage, TaskQuestion, TaskRow, task_page
from memhtml.safety import SecretCode
from memhtml.store.reason import admit_reason
from memhtml.store.task import plan_task_status
from memhtml.values import CommitSha, MemoryPath, MemoryType, TaskStatus

__all__ = [
    "TaskPage",
    "TaskQuestion",
    "TaskRow",
    "TaskUpdated",
    "TaskWritten",
    "add_task",
    "list_tasks",
    "set_task_status",
]


class TaskWritten(NamedTuple):
    path: MemoryPath
    #: Always: two tasks may say the same.
    created: bool
    deduped: bool
    existing_path: MemoryPath | None
    task_status: TaskStatus
    due_at: str | None
    commit_sha: CommitSha | None
    warnings: tuple[str, ...] = ()


class TaskUpdated(NamedTuple):
    #: Where the task was named; where it is now, for one that came back from the archive.
    path: MemoryPath
    task_status: TaskStatus
    archived: bool
    archive_path: MemoryPath | None
    commit_sha: CommitSha | None
    unchanged: bool
    warnings: tuple[str, ...] = ()


def add_task(
    store: Store, words: Words, *, allowed: Collection[SecretCode] = (), embed: bool = True
) -> TaskWritten:
    """Write a task down; what is to be done is its title, unless more is said.

    Errors: those of `write`; none of them changed anything.
    """
    claim = words.claim if (words.claim or "").strip() else words.title
    task = replace(words, memory_type=MemoryType.TASK.value, claim=claim)
    status = TaskStatus(task.task_status) if task.task_status in list(TaskStatus) else TaskStatus.TODO
    done = write(store, task, allowed=allowed, embed=embed)
    due = normalise_instant(task.due.strip()) if task.due and task.due.strip() else None
    return TaskWritten(
        done.path, done.created, done.deduped, done.existing_path, status, due, done.commit_sha, done.warnings
    )


def set_task_status(
    store: Store,
    path: str,
    status: TaskStatus,
    reason: str = "",
    *,
    allowed: Collection[SecretCode] = (),
    embed: bool = True,
) -> TaskUpdated:
    """Say how far a task is. Errors: those of `plan_task_status` and `git.commit.commit`, nothing changed."""
    plan = partial(
        plan_task_status, path=path, status=status, reason=admit_reason(reason, allowed), at=store.clock()
    )
    done = write_around_dirt(store, plan, embed=embed)
    moved = done.result
    return TaskUpdated(
        moved.path,
        moved.task_status,
        moved.archived,
        moved.archive_path,
        done.commit_sha,
        moved.unchanged,
        warnings_of(done),
    )


def list_tasks(
    store: Store, question: TaskQuestion, *, limit: int = 50, cursor: str | None = None
) -> TaskPage:
    """Return a page of tasks. Errors: `InvalidMemory` for a bound that is no day, and those of `reading`."""
    if question.due_before is not None and not is_datetime(question.due_before):
        sentence = "a due date is compared with an ISO date such as 2026-08-20, or an instant"
        raise InvalidMemory(sentence, violations=((ViolationCode.DUE_BAD.value, sentence),))
    if question.workspace is not None:
        question = question._replace(workspace=slugify(question.workspace))
    with reading(store, "listing tasks") as (connection, _, _):
        return task_page(connection, question, limit=limit, cursor=normalize_path(cursor or ""))
