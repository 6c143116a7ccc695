from memhtml.app.tasks import TaskWritten, add_task
from memhtml.app.write import Words
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in, provenance_in
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Write a task down."""
    words = Words(
        title=call.text("title") or "",
        memory_type="task",
        claim=call.text("claim"),
        body=call.texts("body"),
        workspace=call.text("workspace"),
        tags=call.texts("tag"),
        entities=call.texts("entity"),
        task_status=call.text("status"),
        due=call.text("due"),
        provenance=provenance_in(call),
    )
    done = add_task(context.store(call), words, allowed=allowed_in(call), embed=call.switch("embed"))
    return Outcome("task.written", done, lambda paint: _text(done, paint))


def _text(done: TaskWritten, paint: Paint) -> str:
    due = f", due {done.due_at}" if done.due_at else ""
    lines = [f"{paint.green('wrote')} {paint.cyan(done.path)}: {done.task_status.value}{due}"]
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
