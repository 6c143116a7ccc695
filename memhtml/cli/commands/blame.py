from memhtml.app.past import MemoryBlame, blame
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, safe


def run(call: Call, context: Context) -> Outcome:
    """Show where each line of a memory comes from."""
    told = blame(context.store(call, embed=False), call.word("path") or "")
    return Outcome("memory.blame", told, lambda paint: _text(told, paint))


def _text(told: MemoryBlame, paint: Paint) -> str:
    lines: list[str] = []
    for group in told.lines:
        session = f" {paint.dim(f'session {group.session_id}')}" if group.session_id else ""
        lines.append(f"{paint.yellow(group.commit_sha[:10])} {group.at} {safe(group.subject)}{session}")
        lines += [
            f"{number:>5}  {safe(text)}" for number, text in enumerate(group.text, start=group.first_line)
        ]
    return "\n".join(lines)
