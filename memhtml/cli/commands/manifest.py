from memhtml.cli.help import manifest_of, overview
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.table import COMMANDS


def run(_call: Call, _context: Context) -> Outcome:
    """Describe everything, for programs."""
    return Outcome("cli.manifest", manifest_of(COMMANDS), overview)
