from memhtml import __version__
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call


def run(_call: Call, _context: Context) -> Outcome:
    """Tell the version, as any command does when it is given `--version`."""
    return Outcome(
        "cli.version", {"name": "memhtml", "version": __version__}, lambda _: f"memhtml {__version__}"
    )
