from memhtml.app.sidecar import StateExport, export_state
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, plural


def run(call: Call, context: Context) -> Outcome:
    """Tell the other clones what this one counted."""
    report = export_state(context.store(call, embed=False))
    return Outcome("state.report", report, lambda paint: _text(report, paint))


def _text(report: StateExport, paint: Paint) -> str:
    if report.commit_sha is None:
        return "nothing was counted since the last export; nothing to commit"
    counted = plural(report.rows, "memory was used", "memories were used")
    return (
        f"{paint.green('told')} that {counted} by clone {report.clone_id[:12]}, in {report.commit_sha[:12]}"
    )
