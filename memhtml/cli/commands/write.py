from memhtml.app.write import MemoryWritten, Words, write
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in, provenance_in
from memhtml.cli.terminal import Paint, safe
from memhtml.errors import InvalidFlag, MissingArgument


def run(call: Call, context: Context) -> Outcome:
    """Write one memory."""
    words = _words(call)
    allowed = allowed_in(call)
    done = write(context.store(call), words, allowed=allowed, embed=call.switch("embed"))
    return Outcome("memory.written", done, lambda paint: _text(done, paint))


def _words(call: Call) -> Words:
    """Return what the flags say. Errors: `InvalidFlag`, `MissingArgument`."""
    claim, body, article = call.text("claim"), call.texts("body"), call.text("article-html")
    is_prose = bool((claim or "").strip() or any(text.strip() for text in body))
    is_markup = bool((article or "").strip())
    if is_prose and is_markup:
        raise InvalidFlag(
            "write takes prose (--claim, --body) or --article-html, not both", hints=(call.command.shape,)
        )
    if not is_prose and not is_markup:
        hints = (
            f"{call.command.shape} --claim <claim>",
            f"{call.command.shape} --article-html <article-html>",
        )
        raise MissingArgument("write needs --claim, --body or --article-html", hints=hints)
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
        confidence=_confidence(call),
        provenance=provenance_in(call),
    )


def _confidence(call: Call) -> float | None:
    text = call.text("confidence")
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise InvalidFlag(
            "--confidence is a number from 0 to 1", hints=(f"{call.command.shape} --confidence 0.8",)
        )
    return number


def _text(done: MemoryWritten, paint: Paint) -> str:
    if done.deduped:
        lines = [f"{paint.yellow('known')} {paint.cyan(done.path)} says the same; nothing was written"]
    else:
        lines = [f"{paint.green('wrote')} {paint.cyan(done.path)}"]
    lines += [f"close to {paint.cyan(near.path)}: {safe(near.claim)}" for near in done.similar]
    lines += [paint.yellow(warning) for warning in done.warnings]
    return "\n".join(lines)
