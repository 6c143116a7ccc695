from memhtml.app.exchange import ExportFormat, ExportReport, Scope, export_notes
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, plural, safe
from memhtml.settings import expand
from memhtml.values import MemoryType


def run(call: Call, context: Context) -> Outcome:
    """Write memories as notes."""
    target = expand(call.word("target") or "")
    named = call.text("format")
    by_name = ExportFormat.JSONL if target.suffix.lower() == ".jsonl" else ExportFormat.MARKDOWN
    scope = Scope(
        types=frozenset(map(MemoryType, call.texts("type"))),
        tags=frozenset(call.texts("tag")),
        workspace=call.text("workspace") or "",
        include_archived=call.switch("include-archived"),
    )
    with context.waiting("exporting"):
        report = export_notes(
            context.store(call, embed=False), target, ExportFormat(named) if named else by_name, scope
        )
    return Outcome("export.report", report, lambda paint: _text(report, paint))


def _text(report: ExportReport, paint: Paint) -> str:
    memories = plural(report.exported, "memory", "memories")
    lines = [f"{paint.green('exported')} {memories} to {safe(report.target)}"]
    if report.losses:
        lost = ", ".join(f"{name} ({count:,})" for name, count in report.losses.items())
        lines.append(f"left out, by what it is and of how many memories: {lost}")
    if report.skipped:
        lines.append(f"passed over: {plural(report.skipped, 'file')} that are no valid memories")
    return "\n".join(lines)
