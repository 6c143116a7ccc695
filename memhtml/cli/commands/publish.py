from memhtml.app.publishing import Published, publish
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint, plural


def run(call: Call, context: Context) -> Outcome:
    """Generate the pages of the store."""
    with context.waiting("publishing"):
        done = publish(context.store(call, embed=False))
    return Outcome("publish.report", done, lambda paint: _text(done, paint))


def _text(done: Published, paint: Paint) -> str:
    lines = [f"{paint.green('wrote')} {paint.cyan(path)}" for path in done.paths]
    lines += [f"{paint.yellow('removed')} {paint.cyan(path)}" for path in done.removed]
    lines += [
        f"{paint.yellow('left')} {paint.cyan(path)}, which memhtml did not generate" for path in done.left
    ]
    lines.append(f"{plural(done.artifacts, 'generated page')}, {done.written:,} changed")
    return "\n".join(lines)
