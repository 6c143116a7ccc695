from memhtml.app.retrieval import list_memories
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.scope_flags import scope_in
from memhtml.cli.terminal import Paint
from memhtml.index.answers import ListPage


def run(call: Call, context: Context) -> Outcome:
    """List a page of memories."""
    page = list_memories(
        context.store(call), scope=scope_in(call), limit=call.integer("limit"), cursor=call.text("cursor")
    )
    return Outcome("memory.list", page, lambda paint: _text(page, paint))


def _text(page: ListPage, paint: Paint) -> str:
    lines = [
        f"{paint.cyan(file.path)}  {paint.dim(file.memory_type)}{paint.dim(', archived') if file.archived else ''}"
        f"\n    {' '.join(paint.bold(file.title).split())}"
        for file in page.files
    ]
    if page.next_cursor is not None:
        lines.append(f"more: --cursor {page.next_cursor}")
    return "\n".join(lines) if lines else "no memories in this scope"
