from memhtml.app.correct import Correction, MemoryCorrected, correct
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in, confidence_in, prose_in, provenance_in
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Put a memory in the place of another."""
    correction = _correction(call)
    done = correct(context.store(call), call.word("target") or "", correction, embed=call.switch("embed"))
    return Outcome("memory.corrected", done, lambda paint: _text(done, paint))


def _correction(call: Call) -> Correction:
    claim, body, article = prose_in(call)
    importance = call.text("importance")
    return Correction(
        title=call.text("title"),
        claim=claim,
        body=body,
        article_html=article,
        memory_type=call.text("type"),
        workspace=call.text("workspace"),
        tags=call.texts("tag") or None,
        entities=call.texts("entity") or None,
        importance=None if importance is None else int(importance),
        confidence=confidence_in(call),
        reason=call.text("reason") or "",
        provenance=provenance_in(call),
        allowed=allowed_in(call),
    )


def _text(done: MemoryCorrected, paint: Paint) -> str:
    lines = [
        f"{paint.green('wrote')} {paint.cyan(done.path)}",
        f"in the place of {paint.cyan(done.target_path)}, now {paint.cyan(done.archived_path)}",
    ]
    return "\n".join(lines + [paint.yellow(warning) for warning in done.warnings])
