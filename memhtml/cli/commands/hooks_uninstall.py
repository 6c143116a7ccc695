from memhtml.app.hooking import Uninstalled, uninstall_hooks
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Take our hooks out of the repository."""
    done = uninstall_hooks(context.store(call, embed=False))
    return Outcome("hooks.report", done, lambda paint: _text(done, paint))


def _text(done: Uninstalled, paint: Paint) -> str:
    lines = [
        f"{paint.green('removed')} {name}"
        + (", and put the hook that was there before back" if name in done.restored else "")
        for name in done.removed
    ]
    return "\n".join(lines) or "no hook of memhtml is installed"
