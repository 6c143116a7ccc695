from memhtml.app.tasks import TaskPage, TaskQuestion, TaskRow, list_tasks
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """List a page of tasks."""
    question = TaskQuestion(
        status=call.text("status"),
        workspace=call.text("workspace"),
        due_before=call.text("due-before"),
        detected=call.switch("detected"),
        include_archived=call.switch("include-archived"),
    )
    page = list_tasks(context.store(call), question, limit=call.integer("limit"), cursor=call.text("cursor"))
    return Outcome("task.list", page, lambda paint: _text(page, paint))


def _text(page: TaskPage, paint: Paint) -> str:
    lines = [line for task in page.tasks for line in _lines(task, paint)]
    if page.next_cursor is not None:
        lines.append(f"more: --cursor {page.next_cursor}")
    return "\n".join(lines) if lines else "no such tasks"


def _lines(task: TaskRow, paint: Paint) -> list[str]:
    due = f", due {task.due_at}" if task.due_at else ""
    archived = ", archived" if task.archived else ""
    lines = [
        f"{paint.cyan(task.path)}  {task.task_status}{paint.dim(due + archived)}",
        f"    {' '.join(paint.bold(task.title).split())}",
    ]
    return lines + [f"    blocked by {paint.cyan(path)}" for path in task.blocked_by]
