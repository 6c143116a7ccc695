from memhtml.app.entities import EntityReport, activity
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, plural


def run(call: Call, context: Context) -> Outcome:
    """Tell when each entity was last heard of."""
    report = activity(
        context.store(call),
        call.text("type"),
        call.integer("limit"),
        call.switch("include-archived"),
        workspace=call.text("workspace"),
    )
    return Outcome("entity.activity", report, lambda paint: _text(report, paint))


def _text(report: EntityReport, paint: Paint) -> str:
    lines = [
        f"{entity.last_activity_at[:10]}  {paint.bold(f'{entity.entity_type}:{entity.entity_name}')}  "
        f"{plural(entity.file_count, 'memory', 'memories')}"
        for entity in report.entities
    ]
    left = report.entity_count - len(report.entities)
    if left:
        lines.append(paint.dim(f"{left:,} more; --limit shows them"))
    return "\n".join(lines) if lines else "no entities in this scope"
