from memhtml.app.indexing import update
from memhtml.cli.index_text import updated
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call


def run(call: Call, context: Context) -> Outcome:
    """Bring the index up to the tree."""
    store = context.store(call)
    with context.waiting("updating the index"):
        report = update(store, embed=call.switch("embed"), committed=call.switch("committed"))
    return Outcome(
        "index.report", report, lambda paint: updated(report, paint, has_embedder=store.embedder is not None)
    )
