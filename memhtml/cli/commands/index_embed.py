from memhtml.app.indexing import embed
from memhtml.cli.index_text import embedded
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call


def run(call: Call, context: Context) -> Outcome:
    """Make the vectors that are missing."""
    with context.waiting("embedding"):
        report = embed(context.store(call), dry_run=call.switch("dry-run"))
    return Outcome("index.report", report, lambda paint: embedded(report, paint))
