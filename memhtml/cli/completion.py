"""Completion scripts, written from the table of commands: nothing of memhtml runs while a person types."""

from memhtml.app.manifest import GLOBAL_FLAGS, Command, Flag
from memhtml.cli.table import COMMANDS

__all__ = ["script"]


def script(shell: str) -> str:
    """Return the script for `bash`, `fish` or `zsh`."""
    if shell == "fish":
        return _fish()
    bash = _bash()
    return "autoload -U +X bashcompinit && bashcompinit\n" + bash if shell == "zsh" else bash


def _spellings(flag: Flag) -> list[str]:
    return [
        f"--{flag.name}",
        *([f"--no-{flag.name}"] if flag.kind == "switch" and flag.default is True else []),
    ]


def _flags(command: Command) -> str:
    return " ".join(word for flag in (*command.flags, *GLOBAL_FLAGS) for word in _spellings(flag))


def _first_words() -> list[str]:
    return sorted({command.name.split(" ")[0] for command in COMMANDS})


def _second_words(first: str) -> list[str]:
    return [name.split(" ")[1] for name in (c.name for c in COMMANDS) if name.startswith(first + " ")]


def _bash() -> str:
    groups = [word for word in _first_words() if _second_words(word)]
    lines = [
        "_memhtml() {",
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
        '    local first="${COMP_WORDS[1]-}" second="${COMP_WORDS[2]-}" words=""',
        '    case "$first $before" in',
    ]
    for command in COMMANDS:
        for flag in command.flags:
            if flag.values:
                pattern = f'"{command.name.split(" ")[0]} --{flag.name}"'
                lines.append(f"        {pattern}) words={_quoted(flag.values)} ;;")
    lines += ["    esac", '    if [ -n "$words" ]; then :', '    elif [ "$COMP_CWORD" -eq 1 ]; then']
    lines += [f"        words={_quoted(_first_words())}", "    else", '        case "$first" in']
    for first in groups:
        lines.append(
            f'            {first}) if [ "$COMP_CWORD" -eq 2 ]; then words={_quoted(_second_words(first))}; fi ;;'
        )
    lines += ["        esac", '        case "$first $second" in']
    for command in COMMANDS:
        values = [value for argument in command.arguments for value in argument.values]
        pattern = f'"{command.name}"' if " " in command.name else f'"{command.name} "*'
        lines.append(f'            {pattern}) words="$words {" ".join((*values, _flags(command)))}" ;;')
    lines += [
        "        esac",
        "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        "}",
        "complete -o default -F _memhtml memhtml",
    ]
    return "\n".join(lines) + "\n"


def _fish() -> str:
    lines = ["complete -c memhtml -f"]
    for first in _first_words():
        summary = next((c.summary for c in COMMANDS if c.name == first), f"{first} …")
        lines.append(f"complete -c memhtml -n __fish_use_subcommand -a {first} -d {_quoted([summary])}")
        lines += [
            f"complete -c memhtml -n '__fish_seen_subcommand_from {first}' -a {second}"
            for second in _second_words(first)
        ]
    for command in COMMANDS:
        condition = " and ".join(f"__fish_seen_subcommand_from {word}" for word in command.name.split(" "))
        condition = condition.replace(" and ", "; and ")
        for flag in command.flags:
            takes = "" if flag.kind == "switch" else " -x"
            values = f" -a {_quoted(flag.values)}" if flag.values else ""
            lines += [
                f"complete -c memhtml -n '{condition}' -l {spelling.removeprefix('--')}{takes}{values} "
                f"-d {_quoted([flag.description])}"
                for spelling in _spellings(flag)
            ]
        for argument in command.arguments:
            if argument.values:
                lines.append(f"complete -c memhtml -n '{condition}' -a {_quoted(argument.values)}")
    lines += [
        f"complete -c memhtml -l {flag.name}{'' if flag.kind == 'switch' else ' -r'} -d {_quoted([flag.description])}"
        for flag in GLOBAL_FLAGS
    ]
    return "\n".join(lines) + "\n"


def _quoted(words: list[str] | tuple[str, ...]) -> str:
    text = " ".join(words)
    for character in '\\"$`':
        text = text.replace(character, "\\" + character)
    return f'"{text}"'
