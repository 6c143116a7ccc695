"""From words to a call: the one parser, driven by the table that the manifest and the help describe.

Ours and not a library's, for three reasons. A query may hold words that start with one dash, and a command's flags
may stand before, between and behind its words: argparse and typer read both as flags or refuse them. Every refusal
carries commands that parse, so the parser must be able to judge its own suggestions. And importing typer costs nearly
six times an empty interpreter, before it has done anything, where a whole search may cost twelve.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memhtml.app.manifest import GLOBAL_FLAGS, Argument, Command, Flag
from memhtml.cli.table import COMMANDS
from memhtml.errors import InvalidFlag, MissingArgument, UnexpectedArgument, UnknownCommand

__all__ = ["BARE", "Call", "distance", "named", "nearest", "nearest_commands", "parse"]

#: What no word at all means.
BARE = "manifest"

_BY_NAME = {command.name: command for command in COMMANDS}
_GROUPS = {name.split(" ")[0] for name in _BY_NAME if " " in name}
_ANY_FLAG: dict[str, Flag] = {
    flag.name: flag for flags in (*(c.flags for c in COMMANDS), GLOBAL_FLAGS) for flag in flags
}
#: Flags and arguments that name files or folders of the system, which may be any bytes.
_FILE_FLAGS = frozenset({"repo", "file"})
_FILE_WORDS = frozenset({"folder", "base", "ours", "theirs", "path"})
_FALSE = frozenset({"false", "0", "no", "off"})
_TRUE = frozenset({"true", "1", "yes", "on"})
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")


class Call(NamedTuple):
    """A command with its words and flags, every one of them legal."""

    command: Command
    words: dict[str, tuple[str, ...]]
    #: Values as written, last one last; switches are "true" or "false". Flags that were not given are absent.
    flags: dict[str, tuple[str, ...]]

    def word(self, name: str) -> str | None:
        """Return an argument's word, or None where an optional one is absent."""
        return " ".join(self.words[name]) if name in self.words else None

    def switch(self, name: str) -> bool:
        """Return whether a switch is on, by the call or by its default."""
        if name in self.flags:
            return self.flags[name][-1] == "true"
        return bool(_ANY_FLAG[name].default)

    def text(self, name: str) -> str | None:
        """Return the last value of a flag, or its default."""
        if name in self.flags:
            return self.flags[name][-1]
        default = self._flag(name).default
        return default if isinstance(default, str) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return every value of a repeatable flag."""
        return self.flags.get(name, ())

    def integer(self, name: str) -> int:
        """Return the last value of a number, or its default."""
        if name in self.flags:
            return int(self.flags[name][-1])
        default = self._flag(name).default
        assert isinstance(default, int), name
        return default

    def _flag(self, name: str) -> Flag:
        return next(flag for flag in (*self.command.flags, *GLOBAL_FLAGS) if flag.name == name)


def parse(argv: Sequence[str]) -> Call:
    """Return the call that `argv` (without the program's name) makes.

    Errors: `UsageError` of the first thing that is wrong, in this order: a flag that no command knows, the command,
    a flag of another command, values, missing words, words too many, missing flags. With `--help` or `--version` the
    last three are not judged.
    """
    positionals, given = _split(argv)
    command, rest = _command(positionals)
    own = {flag.name: flag for flag in (*command.flags, *GLOBAL_FLAGS)}
    for name, _ in given:
        if name not in own:
            raise _unknown_flag(f"--{name} is no flag of {command.name}", name, command)
    flags: dict[str, tuple[str, ...]] = {}
    for name, value in given:
        if value:  # an empty value counts as none at all, so that a script may pass an unset variable
            _judge(own[name], value, command)
            flags[name] = (*flags.get(name, ()), value)
    if flags.get("help") == ("true",) or flags.get("version") == ("true",):
        return Call(command, {}, flags)
    words = _words(command, rest)
    for flag in command.flags:
        if flag.required and flag.name not in flags:
            raise MissingArgument(f"{command.name} needs --{flag.name}", hints=(command.shape,))
    return Call(command, words, flags)


def _split(argv: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Tell words and flags apart. One dash makes no flag, and no flag takes a word with two dashes as its value."""
    positionals: list[str] = []
    flags: list[tuple[str, str]] = []
    position = 0
    while position < len(argv):
        word = argv[position]
        position += 1
        if word == "--":
            positionals.extend(argv[position:])
            break
        if not word.startswith("--"):
            positionals.append(word)
            continue
        name, has_value, value = word[2:].partition("=")
        base = name.removeprefix("no-")
        if name not in _ANY_FLAG and base in _ANY_FLAG and _ANY_FLAG[base].kind == "switch":
            if has_value:
                raise InvalidFlag(f"--{name} takes no value")
            flags.append((base, "false"))
            continue
        flag = _ANY_FLAG.get(name)
        if flag is None and base != name and base in _ANY_FLAG:
            raise InvalidFlag(f"--{base} takes a value, so there is no --{name}; leave it out to do without")
        if flag is None:
            known = _BY_NAME.get(" ".join(positionals[:2])) or _BY_NAME.get(" ".join(positionals[:1]))
            raise _unknown_flag("there is no such flag", name, known)
        if flag.kind == "switch":
            flags.append((name, _truth(name, value) if has_value else "true"))
        elif has_value:
            flags.append((name, value))
        elif position < len(argv) and not argv[position].startswith("--"):
            flags.append((name, argv[position]))
            position += 1
        else:
            raise MissingArgument(f"--{name} needs a value")
    return positionals, flags


def _truth(name: str, value: str) -> str:
    folded = value.lower()
    if folded in _FALSE:
        return "false"
    if folded in _TRUE:
        return "true"
    raise InvalidFlag(f"--{name} is true or false")


def _command(positionals: list[str]) -> tuple[Command, list[str]]:
    if not positionals:
        return _BY_NAME[BARE], []
    for count in (2, 1):
        command = _BY_NAME.get(" ".join(positionals[:count])) if len(positionals) >= count else None
        if command is not None:
            return command, positionals[count:]
    typed = positionals[:2]
    if typed[0] in _GROUPS:
        members = tuple(name for name in _BY_NAME if name.startswith(typed[0] + " "))
        follow = f"{typed[0]} is followed by one of {', '.join(name.split(' ')[1] for name in members)}"
        if len(typed) == 1:
            raise UnknownCommand(follow, hints=tuple(_BY_NAME[name].shape for name in members))
        near = sorted(members, key=lambda name: distance(" ".join(typed), name))
        raise UnknownCommand(
            f"there is no command “{_shown(' '.join(typed))}”; {follow}",
            hints=tuple(_BY_NAME[name].shape for name in near),
        )
    near = nearest_commands(typed)
    raise UnknownCommand(
        f"there is no command “{_shown(' '.join(typed))}”",
        hints=tuple(_BY_NAME[name].shape for name in near),
    )


def named(words: Sequence[str]) -> tuple[Command, ...]:
    """Return the command of that name, or every command of that group; none for no words.

    Errors: `UnknownCommand`.
    """
    if not words:
        return ()
    group = tuple(c for c in COMMANDS if c.name.startswith(words[0] + " ")) if len(words) == 1 else ()
    if group:
        return group
    command, _ = _command(list(words))
    return (command,)


def nearest_commands(typed: Sequence[str]) -> list[str]:
    """Return up to three names near what was typed: pairs are held against both words, others against the first."""
    ranked: list[tuple[int, str]] = []
    for name in _BY_NAME:
        text = " ".join(typed[: name.count(" ") + 1])
        far = distance(text, name)
        if far <= _tolerance(text):
            ranked.append((far, name))
    return [name for _, name in sorted(ranked)[:3]]


def nearest(text: str, names: Iterable[str]) -> list[str]:
    """Return up to three names near `text`, the nearest first."""
    ranked = sorted((distance(text, name), name) for name in names)
    return [name for far, name in ranked if far <= _tolerance(text)][:3]


def _tolerance(text: str) -> int:
    return max(2, (min(len(text), 64) + 1) // 2)


def distance(a: str, b: str) -> int:
    """Return the Levenshtein distance; texts beyond 64 characters are compared by their beginnings."""
    a, b = a[:64], b[:64]
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            cost = diagonal + (left != right)
            diagonal = row[j]
            row[j] = min(cost, row[j] + 1, row[j - 1] + 1)
    return row[-1]


def _unknown_flag(what: str, name: str, command: Command | None) -> InvalidFlag:
    flags = {flag.name: flag for flag in (*command.flags, *GLOBAL_FLAGS)} if command else _ANY_FLAG
    near = nearest(name, flags)
    shape = command.shape if command else f"memhtml {BARE}"
    if command is None:
        near = [flag for flag in near if any(flag == known.name for known in GLOBAL_FLAGS)]
    meant = f"; did you mean {' or '.join('--' + flag for flag in near)}?" if near else ""
    return InvalidFlag(
        f"--{_shown(name)}: {what}{meant}" if what.startswith("there") else f"{what}{meant}",
        hints=tuple(f"{shape} --{flag}{_example(flags[flag])}" for flag in near) or (f"{shape} --help",),
    )


def _example(flag: Flag) -> str:
    if flag.kind == "switch":
        return ""
    if flag.kind == "integer":
        return f" {_number(flag)}"
    return f" {flag.values[0]}" if flag.values else " <value>"


def _number(flag: Flag) -> object:
    """Return a number that a flag takes."""
    return flag.bounds[0] if flag.default is None and flag.bounds else flag.default


def _judge(flag: Flag, value: str, command: Command) -> None:
    if flag.name not in _FILE_FLAGS and not _is_utf8(value):
        raise InvalidFlag(f"the value of --{flag.name} is not UTF-8")
    if flag.kind == "integer":
        low, high = flag.bounds or (0, 10**18)
        if not _INTEGER.match(value) or not low <= int(value) <= high:
            raise InvalidFlag(
                f"--{flag.name} is a whole number from {low} to {high}",
                hints=(f"{command.shape} --{flag.name} {_number(flag)}",),
            )
    if flag.values and value not in flag.values:
        near = nearest(value, flag.values)
        raise InvalidFlag(
            f"--{flag.name} is one of {', '.join(flag.values)}",
            hints=tuple(f"{command.shape} --{flag.name} {legal}" for legal in near or flag.values),
        )


def _words(command: Command, rest: list[str]) -> dict[str, tuple[str, ...]]:
    words: dict[str, tuple[str, ...]] = {}
    for argument in command.arguments:
        taken = rest if argument.many else rest[:1]
        if not taken:
            if argument.required:
                raise MissingArgument(f"{command.name} needs <{argument.name}>", hints=(command.shape,))
            continue
        if argument.name not in _FILE_WORDS and not all(map(_is_utf8, taken)):
            raise InvalidFlag(f"<{argument.name}> is not UTF-8", hints=(command.shape,))
        words[argument.name] = tuple(taken)
        rest = rest[len(taken) :]
        if argument.values and taken[0] not in argument.values:
            near = nearest(taken[0], argument.values)
            raise InvalidFlag(
                f"<{argument.name}> is one of {', '.join(argument.values)}",
                hints=tuple(_with_word(command, argument, legal) for legal in near or argument.values),
            )
    if rest:
        raise UnexpectedArgument(
            f"{command.name} takes {len(command.arguments)} argument(s); “{_shown(rest[0])}” is one too many",
            hints=(command.shape,),
        )
    return words


def _with_word(command: Command, argument: Argument, legal: str) -> str:
    """Return the call with a legal word in one argument's place, and the other required ones named."""
    words = [
        legal if each is argument else f"<{each.name}>"
        for each in command.arguments
        if each.required or each is argument
    ]
    return " ".join(["memhtml", command.name, *words])


def _is_utf8(text: str) -> bool:
    """Say whether a word was UTF-8: other bytes of a command line arrive as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(text: str) -> str:
    """Return what was typed, cut short and without anything a terminal would act on."""
    return "".join(c if c.isprintable() else "?" for c in text[:60])
