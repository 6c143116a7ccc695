from memhtml.app.neighbors import Resolved, resolve
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Tell where a memory is now."""
    found = resolve(context.store(call), call.word("path") or "")
    return Outcome("memory.resolved", found, lambda paint: _text(found, paint))


def _text(found: Resolved, paint: Paint) -> str:
    lines = [paint.cyan(found.path)]
    lines += [f"  {hop.via.value} -> {paint.cyan(hop.path)}" for hop in found.hops]
    return "\n".join([*lines, f"{found.stop.value}: {paint.cyan(found.resolved_path)}"])
