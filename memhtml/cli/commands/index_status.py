from memhtml.app.indexing import status
from memhtml.cli.index_text import standing
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call


def run(call: Call, context: Context) -> Outcome:
    """Tell what the index holds."""
    report = status(context.store(call))
    return Outcome("index.report", report, lambda paint: standing(report, paint))
