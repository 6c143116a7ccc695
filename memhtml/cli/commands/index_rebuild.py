from memhtml.app.indexing import rebuild
from memhtml.cli.index_text import rebuilt
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call


def run(call: Call, context: Context) -> Outcome:
    """Make the index anew."""
    store = context.store(call)
    with context.waiting("rebuilding the index"):
        report = rebuild(
            store,
            embed=call.switch("embed"),
            force=call.switch("force"),
            committed=call.switch("committed"),
        )
    return Outcome(
        "index.report", report, lambda paint: rebuilt(report, paint, has_embedder=store.embedder is not None)
    )
