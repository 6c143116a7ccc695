from memhtml.app.retrieval import search
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.scope_flags import scope_in
from memhtml.cli.terminal import Paint, plural, safe
from memhtml.index.answers import Explanation, Hit, SearchResult

#: Characters of a snippet that a person is shown.
SHOWN = 240


def run(call: Call, context: Context) -> Outcome:
    """Answer a query."""
    found = search(
        context.store(call),
        call.word("query") or "",
        scope=scope_in(call),
        limit=call.integer("limit"),
        explain=call.switch("explain"),
    )
    return Outcome("memory.hits", found, lambda paint: _text(found, paint))


def _text(found: SearchResult, paint: Paint) -> str:
    lines = [line for hit in found.hits for line in _hit(hit, paint)]
    if not found.hits:
        lines.append("nothing found" + (" in this scope" if found.scope_empty else ""))
    if not found.query_matched and found.hits:
        lines.append(paint.yellow("the query holds no word; these are the newest and most used memories"))
    if found.archived_matches:
        lines.append(
            paint.dim(
                f"{plural(found.archived_matches, 'archived match', 'archived matches')}: --include-archived"
            )
        )
    lines += [
        paint.dim(f"missed: {miss.path} ({', '.join((miss.reason, *miss.axes))})")
        for miss in found.near_misses
    ]
    if found.index_fresh is False:
        lines.append(paint.yellow("the index is behind HEAD; run `memhtml index update`"))
    return "\n".join(lines)


def _hit(hit: Hit, paint: Paint) -> list[str]:
    marks = [
        *(["archived"] if hit.archived else []),
        *(["expired"] if hit.expired else []),
        *([f"superseded by {hit.superseded_by}"] if hit.superseded_by else []),
    ]
    about = ", ".join((hit.memory_type, hit.updated_at[:10], *marks))
    lines = [
        f"{hit.rank:>2}. {paint.bold(hit.title)} {paint.dim(f'({about})')}",
        f"    {paint.cyan(hit.path)}",
        f"    {_line(hit.snippet or hit.gist)}",
    ]
    return lines + (_explained(hit.explanation, paint) if hit.explanation else [])


def _explained(explanation: Explanation, paint: Paint) -> list[str]:
    shares = (
        f"{share.arm} rank {share.rank}, score {share.score:.4g}, adds {share.contribution:+.4f}"
        for share in explanation.arms
    )
    words = f"matched: {', '.join(explanation.matched)}" if explanation.matched else "no word matched"
    return [paint.dim(f"    {text}") for text in (*shares, words)]


def _line(text: str) -> str:
    """Return the beginning of a text on one line; `read` shows all of it."""
    line = safe(" ".join(text.split()))
    return line if len(line) <= SHOWN else line[:SHOWN].rsplit(" ", 1)[0] + " …"
