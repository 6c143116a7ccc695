"""Tasks by path, a page at a time, and what blocks them."""

import json
import sqlite3
from collections import defaultdict
from typing import Final, NamedTuple

from memhtml.values import MemoryPath

__all__ = ["TaskPage", "TaskQuestion", "TaskRow", "task_page"]

#: The file names of tasks that were found and not written down: `det-` and twelve hex digits.
_DETECTED: Final = "*/det-" + "[0-9a-f]" * 12 + "-*.html"
#: A day and an instant of that day agree: the first ten characters decide.
_PAGE: Final = (
    "SELECT path, title, task_status, due_at, coalesce(workspace, CASE WHEN origin_path GLOB 'projects/*/*'"
    " THEN substr(origin_path, 10, instr(substr(origin_path, 10), '/') - 1) END) AS project, archived, updated_at,"
    " origin_path FROM files"
    " WHERE memory_type = 'task' AND path > :cursor AND (:archived OR archived = 0)"
    " AND (:status IS NULL OR task_status = :status) AND (:workspace IS NULL OR project = :workspace)"
    " AND (:due_before IS NULL OR substr(due_at, 1, 10) < substr(:due_before, 1, 10))"
    " AND (NOT :detected OR (path GLOB :pattern AND path NOT GLOB :pattern_below))"
    " ORDER BY path LIMIT :limit"
)
#: A link to where a task stood before it was archived still means that task.
_BLOCKERS: Final = (
    "SELECT e.dst_path, e.src_path FROM edges AS e JOIN files AS f ON f.path = e.src_path AND f.archived = 0"
    " WHERE e.rel = 'blocks' AND e.edge_class = 'task' AND e.dst_path IN (SELECT value FROM json_each(?))"
    " ORDER BY e.dst_path, e.src_path"
)


class TaskQuestion(NamedTuple):
    """Which tasks are asked for; None leaves a field open."""

    status: str | None = None
    #: As a path spells it.
    workspace: str | None = None
    due_before: str | None = None
    detected: bool = False
    include_archived: bool = False


class TaskRow(NamedTuple):
    path: MemoryPath
    title: str
    task_status: str
    due_at: str | None
    workspace: str | None
    archived: bool
    updated_at: str
    #: Tasks that are not archived and say that they block this one.
    blocked_by: tuple[MemoryPath, ...]


class TaskPage(NamedTuple):
    tasks: tuple[TaskRow, ...]
    #: None: there are no more.
    next_cursor: MemoryPath | None


def task_page(
    connection: sqlite3.Connection, question: TaskQuestion, *, limit: int, cursor: str = ""
) -> TaskPage:
    """Return the tasks whose path comes after `cursor`, at most `limit`. Order: by path, compared as bytes."""
    bound = {
        "cursor": cursor,
        "archived": question.include_archived,
        "status": question.status,
        "workspace": question.workspace,
        "due_before": question.due_before,
        "detected": question.detected,
        "pattern": _DETECTED,
        "pattern_below": _DETECTED.removesuffix(".html") + "/*",
        "limit": limit + 1,
    }
    rows = connection.execute(_PAGE, bound).fetchall()
    shown = rows[:limit]
    blockers: defaultdict[str, list[MemoryPath]] = defaultdict(list)
    places = [place for row in shown for place in (row[0], row[7]) if place is not None]
    for blocked, blocker in connection.execute(_BLOCKERS, (json.dumps(places),)):
        blockers[blocked].append(MemoryPath(blocker))
    tasks = tuple(
        TaskRow(
            MemoryPath(path),
            title,
            status,
            due,
            workspace,
            bool(archived),
            updated,
            tuple(dict.fromkeys([*blockers[path], *(blockers[origin] if origin is not None else ())])),
        )
        for path, title, status, due, workspace, archived, updated, origin in shown
    )
    return TaskPage(tasks, tasks[-1].path if len(rows) > limit else None)
