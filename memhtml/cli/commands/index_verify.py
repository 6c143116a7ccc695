from memhtml.app.indexing import verify
from memhtml.cli.index_text import verified
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call


def run(call: Call, context: Context) -> Outcome:
    """Compare the index with one that is made from nothing."""
    with context.waiting("rebuilding beside the index"):
        report = verify(context.store(call), committed=call.switch("committed"))
    return Outcome(
        "index.report", report, lambda paint: verified(report, paint), status=0 if report.agrees else 1
    )
