"""The commands that change, move, join and judge single memories: rows of the one table."""

from memhtml.app.manifest import Argument, Command, Flag
from memhtml.cli.writing_flags import ALLOW_SECRET, EMBED
from memhtml.values import EDGE_CLASS, EdgeClass, EdgeRel

__all__ = ["CHANGES", "TASKS"]

#: Rels that name people and sessions are set by what finds them.
_RELS = tuple(rel.value for rel in EdgeRel if EDGE_CLASS[rel] in (EdgeClass.MEMORY, EdgeClass.TASK))
_ENDS = (
    Argument("src", "path of the memory that the link starts from"),
    Argument("rel", "what joins the two", values=_RELS),
    Argument("dst", "path of the memory that it leads to"),
)
_PATH = Argument("path", "path of a memory, relative to the root of the store")

CHANGES: tuple[Command, ...] = (
    Command(
        "link",
        "join two memories, or two tasks",
        "memory.linked",
        _ENDS,
        (EMBED,),
        (
            "The link stands in the head of the first one, and `memhtml neighbors` shows it from both sides. A link "
            "that stands already is not made again. `blocks` and `subtask_of` join tasks, all others memories.",
        ),
    ),
    Command(
        "unlink",
        "take a link away",
        "memory.linked",
        _ENDS,
        (EMBED,),
        ("Where it leads need not exist any more.",),
    ),
    Command(
        "archive",
        "move a memory into the archive",
        "memory.archived",
        (_PATH,),
        (Flag("reason", "why, for the record", "text", required=True), ALLOW_SECRET, EMBED),
        (
            "Nothing is deleted: the file goes to `archive/<year>/`, its article byte for byte as it was, and git "
            "follows it there. Links to the old path stay as they are; `memhtml resolve` follows them.",
        ),
    ),
    Command(
        "restore",
        "bring an archived memory back to where it stood",
        "memory.restored",
        (_PATH,),
        (EMBED,),
        (
            "Takes back what the archive stamped: the status, the instant, the successor, and the end of validity "
            "where it is the beginning of the successor's. A successor stays, without its link. A task that was done "
            "is to be done again.",
            "Refused where something else stands in its place, and where an active memory says the same by now.",
        ),
    ),
)

TASKS: tuple[Command, ...] = ()
