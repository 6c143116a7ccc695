from memhtml.app.sidecar import StateImport, import_state
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, plural


def run(call: Call, context: Context) -> Outcome:
    """Hear what the other clones counted."""
    report = import_state(context.store(call, embed=False))
    return Outcome("state.report", report, lambda paint: _text(report, paint))


def _text(report: StateImport, paint: Paint) -> str:
    if not report.paths:
        return "no clone has told anything yet; `memhtml state export` does"
    lines = [
        f"{paint.green('heard')} {plural(len(report.clones), 'clone')}: "
        f"{plural(report.restored, 'count')}, {plural(report.facts, 'other fact')}"
    ]
    if report.skipped:
        lines.append(paint.yellow(f"passed over {plural(report.skipped, 'line')} that cannot be read"))
    return "\n".join(lines)
