from memhtml.app.past import MemoryHistory, Moment, history
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, safe


def run(call: Call, context: Context) -> Outcome:
    """Show what became of a memory."""
    told = history(context.store(call, embed=False), call.word("path") or "", limit=call.integer("limit"))
    return Outcome("memory.history", told, lambda paint: _text(told, paint))


def _text(told: MemoryHistory, paint: Paint) -> str:
    lines: list[str] = []
    claim: str | None = None
    for moment in reversed(told.moments):
        lines = [*_lines(moment, paint, is_news=moment.claim != claim), *lines]
        claim = moment.claim
    if told.truncated:
        lines.append(paint.dim("there is more; --limit shows it"))
    return "\n".join(lines)


def _lines(moment: Moment, paint: Paint, *, is_news: bool) -> list[str]:
    place = f" from {paint.cyan(moment.from_path)}" if moment.from_path is not None else ""
    session = f" {paint.dim(f'session {moment.session_id}')}" if moment.session_id else ""
    head = f"{paint.yellow(moment.commit_sha[:10])} {moment.at} {paint.bold(moment.became)} {paint.cyan(moment.path)}"
    lines = [head + place + session]
    if is_news and moment.claim is not None:
        lines.append(f"    {safe(moment.claim)}")
    return lines
