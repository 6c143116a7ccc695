from memhtml.app.hooking import Installed, install_hooks
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import Paint


def run(call: Call, context: Context) -> Outcome:
    """Put our hooks into the repository."""
    done = install_hooks(context.store(call, embed=False))
    return Outcome("hooks.report", done, lambda paint: _text(done, paint))


def _text(done: Installed, paint: Paint) -> str:
    return "\n".join(
        f"{paint.green('installed')} {name}"
        + (", which runs the hook that was there first" if name in done.chained else "")
        for name in done.hooks
    )
