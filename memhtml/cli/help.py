"""The table of commands as text for a person."""

from collections.abc import Iterable

from memhtml.app.manifest import GLOBAL_FLAGS, Argument, Command, Flag, build_manifest
from memhtml.cli.table import COMMANDS
from memhtml.cli.terminal import Paint
from memhtml.settings import VARIABLES

__all__ = ["described", "manifest_of", "overview", "usage"]


def manifest_of(commands: Iterable[Command]) -> dict[str, object]:
    """Return the table of commands as data for a program, with the settings that they obey."""
    return build_manifest(commands, (variable._asdict() for variable in VARIABLES))


def overview(paint: Paint) -> str:
    """Return every command in a line, and the flags they share."""
    width = max(len(command.name) for command in COMMANDS)
    lines = ["memhtml: long-term memory for AI agents, one fact per HTML file in git", ""]
    lines += [f"  {paint.bold(f'{command.name:<{width}}')}  {command.summary}" for command in COMMANDS]
    lines += ["", "Flags that every command takes:", *_flag_lines(GLOBAL_FLAGS, paint)]
    lines += ["", "`memhtml help <command>` describes one of them."]
    return "\n".join(lines)


def described(command: Command, paint: Paint) -> str:
    """Return everything the table knows about one command."""
    lines = [f"{paint.bold(usage(command))}", "", _sentence(command.summary)]
    for note in command.notes:
        lines += ["", note]
    if command.arguments:
        lines += ["", "Arguments:"]
        lines += [f"  <{argument.name}>  {_argument(argument)}" for argument in command.arguments]
    if command.flags:
        lines += ["", "Flags:", *_flag_lines(command.flags, paint)]
    return "\n".join(lines)


def usage(command: Command) -> str:
    """Return the call in the usual shorthand, optional parts in brackets."""
    words = [
        f"<{argument.name}>{'…' if argument.many else ''}"
        if argument.required
        else f"[<{argument.name}>{'…' if argument.many else ''}]"
        for argument in command.arguments
    ]
    words += [_flag_name(flag) for flag in command.flags if flag.required]
    optional = ("[flags]",) if any(not flag.required for flag in command.flags) else ()
    return " ".join(("memhtml", command.name, *words, *optional))


def _argument(argument: Argument) -> str:
    return argument.description + (f": {', '.join(argument.values)}" if argument.values else "")


def _flag_lines(flags: tuple[Flag, ...], paint: Paint) -> list[str]:
    shown = [(_flag_name(flag), _flag_text(flag)) for flag in flags]
    width = max(len(name) for name, _ in shown)
    return [f"  {paint.bold(f'{name:<{width}}')}  {text}" for name, text in shown]


def _flag_name(flag: Flag) -> str:
    if flag.kind == "switch":
        return f"--[no-]{flag.name}" if flag.default is True else f"--{flag.name}"
    return f"--{flag.name} <{'number' if flag.kind == 'integer' else 'text'}>"


def _flag_text(flag: Flag) -> str:
    text = flag.description
    if flag.values:
        text += f": {', '.join(flag.values)}"
    if flag.default is not None and flag.default is not False:
        text += f" ({'on' if flag.default is True else flag.default})"
    return text


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
