"""What memhtml offers, as data: the command table's types, and the document that describes the whole table.

The command line parses by the same table that is described here, so the description cannot be wrong about it.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

__all__ = [
    "GLOBAL_FLAGS",
    "RESPONSE_TYPES",
    "Argument",
    "Command",
    "Flag",
    "Kind",
    "build_manifest",
]

Kind = Literal["switch", "text", "integer"]


class Argument(NamedTuple):
    name: str
    description: str
    required: bool = True
    #: Takes every further word.
    many: bool = False
    #: Legal values; empty where any text will do.
    values: tuple[str, ...] = ()


class Flag(NamedTuple):
    """A long flag. A switch takes no value and is turned off by its `--no-` form."""

    name: str
    description: str
    kind: Kind = "switch"
    default: bool | int | str | None = None
    many: bool = False
    #: Legal values; empty where any text will do.
    values: tuple[str, ...] = ()
    #: The command cannot do without it.
    required: bool = False
    #: Least and greatest number.
    bounds: tuple[int, int] | None = None


class Command(NamedTuple):
    #: One or two words.
    name: str
    summary: str
    response: str
    arguments: tuple[Argument, ...] = ()
    flags: tuple[Flag, ...] = ()
    #: What the summary leaves out, one paragraph each.
    notes: tuple[str, ...] = ()

    @property
    def shape(self) -> str:
        """How the command is called, with what it requires and no more; the parser accepts it as it stands."""
        required = [argument for argument in self.arguments if argument.required]
        words = [argument.values[0] if argument.values else f"<{argument.name}>" for argument in required]
        for flag in self.flags:
            if flag.required:
                words += f"--{flag.name}", flag.values[0] if flag.values else f"<{flag.name}>"
        return " ".join(("memhtml", self.name, *words))


GLOBAL_FLAGS: tuple[Flag, ...] = (
    Flag("repo", "the store to work on; wins over MEMHTML_ROOT", "text"),
    Flag("json", "one JSON envelope on stdout, as when the output is piped", default=False),
    Flag("dense", "like --json, on one line and without null values", default=False),
    Flag("help", "describe the command and do nothing", default=False),
    Flag("version", "print the version and do nothing", default=False),
)

#: Every `type` that an envelope can carry. Append-only.
RESPONSE_TYPES: tuple[str, ...] = (
    "cli.manifest",
    "memory.detail",
    "memory.hits",
    "memory.list",
    "index.report",
    "doctor.report",
    "status.health",
    "repo.init",
    "entity.activity",
    "cli.completion",
    "cli.version",
    "memory.history",
    "memory.blame",
    "corpus.diff",
    "hooks.report",
    "publish.report",
    "memory.written",
    "batch.applied",
    "merge.report",
    "state.report",
    "memory.corrected",
    "memory.linked",
    "memory.edited",
    "memory.archived",
    "memory.restored",
    "memory.reinforced",
    "memory.neighbors",
    "memory.resolved",
    "task.written",
    "task.updated",
    "task.list",
    "import.report",
    "export.report",
)

_RESERVED_CODES = {
    "ERR_DISCRIMINATION_FAILED": "Retrieval no longer tells the probes of the evaluation apart.",
    "ERR_UNKNOWN": "Something failed that memhtml did not foresee; MEMHTML_DEBUG=on prints where.",
}

GUIDE: tuple[tuple[str, str], ...] = (
    (
        "first-call",
        "Run `memhtml status` to see which store answers and whether its index is current, then `memhtml search "
        "<query>` and `memhtml read <path>`.",
    ),
    (
        "writing",
        "`memhtml write` makes one memory of a title, a type and a claim, and `memhtml apply` many at once; each call "
        "is one commit. Words that a memory says already are not written again. Files that you edit and commit with "
        "git count as well: run `memhtml index update` after that.",
    ),
    (
        "batches",
        "`memhtml apply` reads one JSON object a line, such as "
        '{"op":"write","title":"Deploys wait for the tide table","type":"procedural","body":"Check the tide table '
        'before a deploy. The harbour office has no network at high tide.","tags":["deploys"]}. The first sentence '
        "of the body is the claim.",
    ),
    (
        "branching-on-failure",
        "Exit status 0 is done, 1 is refused or findings, 2 is a wrong call. Branch on `code`; the words of `error` "
        "may change. Each of the `suggestions` is a command that parses.",
    ),
)


def code_sentences() -> dict[str, str]:
    """Return every public error code with one sentence, in the order of the codes."""
    from memhtml import errors

    found = dict(_RESERVED_CODES)
    pending: list[type[errors.MemhtmlError]] = [errors.MemhtmlError]
    while pending:
        cls = pending.pop()
        pending.extend(cls.__subclasses__())
        if cls.code not in found:
            found[cls.code] = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
    return {code: found[code] for code in errors.CODES}


def build_manifest(commands: Iterable[Command], settings: Iterable[Mapping[str, str]]) -> dict[str, object]:
    """Return the description of `commands`, of `settings` and of everything that is common to them."""
    from memhtml import __version__

    return {
        "name": "memhtml",
        "version": __version__,
        "summary": "Long-term memory for AI agents: one fact per HTML file in git, searched through a disposable "
        "index.",
        "apiVersion": "1",
        "guide": [{"topic": topic, "text": text} for topic, text in GUIDE],
        "globalFlags": [_flag_row(flag) for flag in GLOBAL_FLAGS],
        "errorCodes": [
            {"code": code, "description": sentence} for code, sentence in code_sentences().items()
        ],
        "config": [dict(setting) for setting in settings],
        "responseTypes": list(RESPONSE_TYPES),
        "commands": [_command_row(command) for command in commands],
    }


def _command_row(command: Command) -> dict[str, object]:
    return {
        "name": command.name,
        "summary": command.summary,
        "notes": list(command.notes),
        "args": [
            {
                "name": argument.name,
                "description": argument.description,
                "required": argument.required,
                **({"repeatable": True} if argument.many else {}),
                **({"values": list(argument.values)} if argument.values else {}),
            }
            for argument in command.arguments
        ],
        "flags": [_flag_row(flag) for flag in command.flags],
        "responseTypes": [command.response],
        "supportsJson": True,
        "supportsDense": True,
    }


def _flag_row(flag: Flag) -> dict[str, object]:
    row: dict[str, object] = {
        "name": flag.name,
        "type": {"switch": "boolean", "text": "string", "integer": "integer"}[flag.kind],
        "description": flag.description,
        "default": flag.default,
    }
    if flag.many:
        row["repeatable"] = True
    if flag.required:
        row["required"] = True
    if flag.values:
        row["values"] = list(flag.values)
    if flag.bounds:
        row["minimum"], row["maximum"] = flag.bounds
    return row
