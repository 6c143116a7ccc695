"""Writes the generated parts of these pages from the tables that the program itself uses.

python docs/reference.py          rewrites them
python docs/reference.py --check  exits 1 if a page says something else
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from memhtml.app.manifest import GLOBAL_FLAGS, RESPONSE_TYPES, Argument, Command, Flag, code_sentences
from memhtml.cli.help import usage
from memhtml.cli.table import COMMANDS
from memhtml.doctor.findings import CODES as FINDINGS
from memhtml.exchange.report import REFUSALS
from memhtml.format.rules import RULES
from memhtml.settings import VARIABLES

DOCS = Path(__file__).resolve().parent

_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main(arguments: list[str]) -> int:
    """Rewrite or check every page that has a generated part."""
    stale = []
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        fresh = regenerated(text)
        if fresh != text:
            stale.append(page.name)
            if "--check" not in arguments:
                page.write_text(fresh, encoding="utf-8")
    if stale:
        print("stale:" if "--check" in arguments else "rewritten:", ", ".join(stale))
    return 1 if stale and "--check" in arguments else 0


def regenerated(text: str) -> str:
    """Return a page with its generated parts as the tables have them now."""
    return _PART.sub(lambda part: part[1] + "\n" + PARTS[part[2]]() + "\n" + part[3], text)


def _commands() -> str:
    return "\n".join(_command(command) for command in COMMANDS)


def _command(command: Command) -> str:
    lines = [f"### `{command.name}`", "", f"    {usage(command)}", ""]
    lines += [f"{command.summary[:1].upper()}{command.summary[1:]}. Answers with `{command.response}`.", ""]
    for note in command.notes:
        lines += [note, ""]
    rows = [_argument(argument) for argument in command.arguments] + [_flag(flag) for flag in command.flags]
    return "\n".join(lines + (_table(("", "what"), rows) if rows else []))


def _argument(argument: Argument) -> tuple[str, str]:
    text = argument.description + (f": {_alternatives(argument.values)}" if argument.values else "")
    return f"`<{argument.name}>`", text if argument.required else f"{text}; may be left out"


def _flag(flag: Flag) -> tuple[str, str]:
    text = flag.description + (f": {_alternatives(flag.values)}" if flag.values else "")
    if flag.kind == "switch":
        return (
            (f"`--no-{flag.name}`", f"do not {text}") if flag.default is True else (f"`--{flag.name}`", text)
        )
    if flag.bounds:
        text += f"; {flag.bounds[0]} to {flag.bounds[1]}"
    if flag.default is not None:
        text += f"; without it {flag.default}"
    return f"`--{flag.name} <{'number' if flag.kind == 'integer' else 'text'}>`", text


def _alternatives(values: tuple[str, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    def line(cells: tuple[str, ...]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(heads), "|" + "---|" * len(heads), *(line(row) for row in rows), ""]


def _globals() -> str:
    return "\n".join(_table(("", "what"), [_flag(flag) for flag in GLOBAL_FLAGS]))


def _types() -> str:
    rows = [
        (f"`{kind}`", ", ".join(f"`{c.name}`" for c in COMMANDS if c.response == kind) or "`--version`")
        for kind in RESPONSE_TYPES
    ]
    return "\n".join(_table(("`type`", "answered by"), rows))


def _errors() -> str:
    return "\n".join(_table(("code", "meaning"), [(f"`{c}`", text) for c, text in code_sentences().items()]))


def _variables() -> str:
    rows = [(f"`{variable.name}`", variable.default, variable.effect) for variable in VARIABLES]
    return "\n".join(_table(("variable", "without it", "effect"), rows))


def _rules() -> str:
    rows = [(f"`{code.value}`", rule.severity.value, rule.meaning) for code, rule in RULES.items()]
    return "\n".join(_table(("code", "severity", "rule"), rows))


def _findings() -> str:
    rows = [
        (f"`{code.value}`", entry.severity.value, entry.meaning, entry.cure)
        for code, entry in FINDINGS.items()
    ]
    return "\n".join(_table(("code", "severity", "meaning", "cure"), rows))


def _refusals() -> str:
    return "\n".join(
        _table(("code", "meaning"), [(f"`{code.value}`", text) for code, text in REFUSALS.items()])
    )


PARTS: dict[str, Callable[[], str]] = {
    "commands": _commands,
    "errors": _errors,
    "findings": _findings,
    "globals": _globals,
    "refusals": _refusals,
    "rules": _rules,
    "types": _types,
    "variables": _variables,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
