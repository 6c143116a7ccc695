from memhtml.cli.completion import script
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call


def run(call: Call, _context: Context) -> Outcome:
    """Print a script as it is, so that a shell can source it; the envelope only where it is asked for."""
    shell = call.words["shell"][0]
    text = script(shell)
    return Outcome(
        "cli.completion",
        {"shell": shell, "script": text},
        lambda _: text,
        document=None if call.switch("json") or call.switch("dense") else text,
    )
