from memhtml.cli.help import described, manifest_of, overview
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import BARE, Call, named
from memhtml.cli.table import COMMANDS


def run(call: Call, _context: Context) -> Outcome:
    """Describe the commands that the words name, or the command that `--help` stands behind."""
    if call.command.name == "help":
        commands = named(call.words.get("command", ()))
    else:
        commands = () if call.command.name == BARE else (call.command,)
    if not commands:
        return Outcome("cli.manifest", manifest_of(COMMANDS), overview)
    return Outcome(
        "cli.manifest",
        manifest_of(commands),
        lambda paint: "\n\n".join(described(command, paint) for command in commands),
    )
