from memhtml.app.tasks import TaskUpdated, set_task_status
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in
from memhtml.cli.terminal import Paint
from memhtml.values import TaskStatus


def run(call: Call, context: Context) -> Outcome:
    """Say how far a task is."""
    done = set_task_status(
        context.store(call),
        call.word("path") or "",
        TaskStatus(call.word("status") or ""),
        call.text("reason") or "",
        allowed=allowed_in(call),
        embed=call.switch("embed"),
    )
    return Outcome("task.updated", done, lambda paint: _text(done, paint))


def _text(done: TaskUpdated, paint: Paint) -> str:
    what = paint.yellow("already") if done.unchanged else paint.green("now")
    moved = f", as {paint.cyan(done.archive_path)}" if done.archive_path else ""
    lines = [f"{what} {done.task_status.value}: {paint.cyan(done.path)}{moved}"]
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
