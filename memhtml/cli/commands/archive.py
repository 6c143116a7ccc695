from memhtml.app.archive import MemoryArchived, archive
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Move a memory into the archive."""
    done = archive(
        context.store(call),
        call.word("path") or "",
        call.text("reason") or "",
        allowed=allowed_in(call),
        embed=call.switch("embed"),
    )
    return Outcome("memory.archived", done, lambda paint: _text(done, paint))


def _text(done: MemoryArchived, paint: Paint) -> str:
    lines = [f"{paint.green('archived')} {paint.cyan(done.path)} as {paint.cyan(done.archive_path)}"]
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
