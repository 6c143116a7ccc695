from memhtml.app.differences import CorpusDiff, diff
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, safe


def run(call: Call, context: Context) -> Outcome:
    """Show what one commit claims that another does not."""
    told = diff(context.store(call, embed=False), call.word("commits") or "")
    return Outcome("corpus.diff", told, lambda paint: _text(told, paint))


def _text(told: CorpusDiff, paint: Paint) -> str:
    lines = []
    for new in told.added:
        place = f" restored from {paint.cyan(new.restored_from)}" if new.restored_from is not None else ""
        lines += [f"{paint.green('added')} {paint.cyan(new.path)}{place}", f"  + {safe(new.claim)}"]
    for change in told.changed:
        place = f" in the place of {paint.cyan(change.from_path)}" if change.from_path != change.path else ""
        lines += [f"{paint.yellow('changed')} {paint.cyan(change.path)}{place}"]
        lines += [f"  - {safe(change.from_claim)}", f"  + {safe(change.claim)}"]
    for gone in told.retired:
        place = f" to {paint.cyan(gone.archived_to)}" if gone.archived_to is not None else ", deleted"
        lines += [f"{paint.red('retired')} {paint.cyan(gone.path)}{place}", f"  - {safe(gone.claim)}"]
    lines += [f"moved {paint.cyan(move.from_path)} to {paint.cyan(move.path)}" for move in told.moved]
    lines += [f"edited {paint.cyan(path)}" for path in told.edited]
    return "\n".join(lines) or "no claim differs"
