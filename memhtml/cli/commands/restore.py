from memhtml.app.archive import MemoryRestored, restore
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Bring an archived memory back."""
    done = restore(context.store(call), call.word("path") or "", embed=call.switch("embed"))
    return Outcome("memory.restored", done, lambda paint: _text(done, paint))


def _text(done: MemoryRestored, paint: Paint) -> str:
    lines = [f"{paint.green('restored')} {paint.cyan(done.path)} from {paint.cyan(done.archive_path)}"]
    if done.successor_path is not None:
        lines.append(f"{paint.cyan(done.successor_path)} does not supersede it any more")
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
