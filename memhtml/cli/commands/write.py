from memhtml.app.write import MemoryWritten, Words, write
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in, confidence_in, prose_in, provenance_in
from memhtml.cli.terminal import Paint, safe


def run(call: Call, context: Context) -> Outcome:
    """Write one memory."""
    words = _words(call)
    allowed = allowed_in(call)
    done = write(context.store(call), words, allowed=allowed, embed=call.switch("embed"))
    return Outcome("memory.written", done, lambda paint: _text(done, paint))


def _words(call: Call) -> Words:
    """Return what the flags say. Errors: `InvalidFlag`, `MissingArgument`."""
    claim, body, article = prose_in(call)
    importance = call.text("importance")
    return Words(
        title=call.text("title") or "",
        memory_type=call.text("type") or "",
        claim=claim,
        body=body,
        article_html=article,
        path=call.text("path"),
        workspace=call.text("workspace"),
        tags=call.texts("tag"),
        entities=call.texts("entity"),
        importance=None if importance is None else int(importance),
        confidence=confidence_in(call),
        provenance=provenance_in(call),
    )


def _text(done: MemoryWritten, paint: Paint) -> str:
    if done.deduped:
        lines = [f"{paint.yellow('known')} {paint.cyan(done.path)} says the same; nothing was written"]
    else:
        lines = [f"{paint.green('wrote')} {paint.cyan(done.path)}"]
    lines += [f"close to {paint.cyan(near.path)}: {safe(near.claim)}" for near in done.similar]
    lines += [paint.yellow(warning) for warning in done.warnings]
    return "\n".join(lines)
