from memhtml.app.health import StoreStatus, status
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, listing, plural


def run(call: Call, context: Context) -> Outcome:
    """Tell at a glance how the store stands."""
    found = status(context.store(call))
    return Outcome("status.health", found, lambda paint: _text(found, paint))


def _text(found: StoreStatus, paint: Paint) -> str:
    rows: list[tuple[str, object]] = [("store", found.root), ("HEAD", found.head_sha or "no commit yet")]
    if found.dirty:
        rows.append(("uncommitted", plural(len(found.dirty_paths), "path")))
    if found.counts_by_type is not None:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.counts_by_type.items())
        rows.append(("memories", kinds or "none"))
        rows.append(("archived", f"{found.archived_count or 0:,}"))
        rows.append(("edges", f"{found.edges or 0:,}"))
        vectors = (
            "in use" if found.embedder_up else f"not in use: {found.no_embedder_because or 'none stored'}"
        )
        rows.append(("vectors", f"{found.embeddings or 0:,}, {vectors}"))
    return "\n".join([_index(found, paint), listing(rows)])


def _index(found: StoreStatus, paint: Paint) -> str:
    if found.index_fresh:
        return f"index {paint.green('current')}"
    if found.index_problem == "ERR_INDEX_MISSING":
        return f"index {paint.yellow('missing')}; run `memhtml index rebuild`"
    if found.index_problem is not None:
        return f"index {paint.red('unreadable')} ({found.index_problem}); run `memhtml doctor`"
    return f"index {paint.yellow('behind')}; run `memhtml index update`"
