"""Inboxes that overflow, and tasks that time or other files have overtaken."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from memhtml.doctor.corpus import Corpus, Memory
from memhtml.doctor.facts import OverdueTask, StaleBlocker
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.format.paths import INBOX_FOLDER, TASKS_SEGMENT
from memhtml.values import EdgeRel, Instant, MemoryPath, TaskStatus

__all__ = [
    "INBOX_LIMIT",
    "TASK_INBOX_LIMIT",
    "blocker_finding",
    "crowded",
    "inbox_depth",
    "inbox_task_depth",
    "overdue_finding",
    "overdue_tasks",
    "stale_blockers",
]

#: More active files than this in the inbox, tasks included, are too many to have been looked at.
INBOX_LIMIT: Final = 20
TASK_INBOX_LIMIT: Final = 10

_INBOX: Final = f"{INBOX_FOLDER}/"
_TASK_INBOX: Final = f"{INBOX_FOLDER}/{TASKS_SEGMENT}/"


def inbox_depth(corpus: Corpus) -> int:
    """Return how many memories stand in the inbox, tasks included."""
    return sum(path.startswith(_INBOX) for path in corpus.memories)


def inbox_task_depth(corpus: Corpus) -> int:
    """Return how many tasks stand in the tasks' own inbox."""
    return sum(memory.is_task and memory.path.startswith(_TASK_INBOX) for memory in corpus.memories.values())


def crowded(depth: int, task_depth: int) -> Iterator[Finding]:
    """Yield a finding for each inbox that holds too much."""
    if depth > INBOX_LIMIT:
        yield finding(FindingCode.INBOX_CROWDED, f"{depth:,} memories wait in {INBOX_FOLDER}")
    if task_depth > TASK_INBOX_LIMIT:
        message = f"{task_depth:,} tasks wait in {INBOX_FOLDER}/{TASKS_SEGMENT}"
        yield finding(FindingCode.TASK_INBOX_CROWDED, message)


def _is_open(memory: Memory) -> bool:
    return memory.is_task and not memory.is_archived and memory.task_status is not TaskStatus.DONE


def overdue_tasks(corpus: Corpus, at: Instant) -> Iterator[OverdueTask]:
    """Yield open tasks that were due before today (UTC): the first ten characters of both, so that a day and an
    instant of that day agree.
    """
    today = at[:10]
    for memory in corpus.memories.values():
        if _is_open(memory) and memory.due is not None and memory.due[:10] < today:
            assert memory.task_status is not None  # a task without one is no memory
            yield OverdueTask(memory.path, memory.task_status.value, memory.due)


def overdue_finding(task: OverdueTask) -> Finding:
    """Return the finding of an overdue task."""
    message = f"the task was due on {task.due_at[:10]} and is {task.task_status}"
    return finding(FindingCode.TASK_OVERDUE, message, task.path)


def stale_blockers(corpus: Corpus) -> Iterator[StaleBlocker]:
    """Yield open tasks that an archived file blocks, or that the index of links says a vanished one blocked.

    A `blocks` link stands in the blocker, so a blocker that is gone took its link along; what is left to find is one
    that was archived.
    """
    blocked: defaultdict[MemoryPath, list[MemoryPath]] = defaultdict(list)
    for memory in corpus.memories.values():
        if memory.is_archived:
            for rel, target in memory.edges:
                if rel is EdgeRel.BLOCKS:
                    blocked[target].append(memory.path)
    for path, blockers in blocked.items():
        task = corpus.memories.get(path)
        if task is not None and _is_open(task):
            for blocker in blockers:
                yield StaleBlocker(path, blocker, "archived")


def blocker_finding(blocker: StaleBlocker) -> Finding:
    """Return the finding of a stale blocker."""
    return finding(
        FindingCode.TASK_STALE_BLOCKER,
        f"the task is blocked by {blocker.blocker_path}, which is {blocker.blocker_state}",
        blocker.path,
        subject=blocker.blocker_path,
    )
