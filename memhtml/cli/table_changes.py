"""The commands that change, move, join and judge single memories: rows of the one table."""

from memhtml.app.manifest import Argument, Command, Flag
from memhtml.cli.writing_flags import ALLOW_SECRET, EMBED, PROVENANCE, WRITABLE_TYPES
from memhtml.values import EDGE_CLASS, EdgeClass, EdgeRel, TaskStatus

__all__ = ["AROUND", "CHANGES", "TASKS"]

#: Rels that name people and sessions are set by what finds them.
_RELS = tuple(rel.value for rel in EdgeRel if EDGE_CLASS[rel] in (EdgeClass.MEMORY, EdgeClass.TASK))
_ENDS = (
    Argument("src", "path of the memory that the link starts from"),
    Argument("rel", "what joins the two", values=_RELS),
    Argument("dst", "path of the memory that it leads to"),
)
CLEARABLE = ("importance", "confidence", "valid-from", "valid-until", "due")
_PATH = Argument("path", "path of a memory, relative to the root of the store")

CHANGES: tuple[Command, ...] = (
    Command(
        "correct",
        "write a memory that takes the place of another",
        "memory.corrected",
        (Argument("target", "path of the memory that is wrong, or not right any more"),),
        (
            Flag("title", "what the new one is called; without it, as the old one", "text"),
            Flag("claim", "the fact in one sentence; without it, the first sentence of the body", "text"),
            Flag(
                "body",
                "what else there is to say, as prose; given again, further paragraphs",
                "text",
                many=True,
            ),
            Flag("article-html", "the article as markup, in the place of claim and body", "text"),
            Flag(
                "type", "what kind of memory it is; without it, the old one's", "text", values=WRITABLE_TYPES
            ),
            Flag(
                "workspace",
                "the project it belongs to; without it, it stands where the old one stood",
                "text",
            ),
            Flag(
                "tag",
                "a tag, in the place of all that the old one has; given again, several",
                "text",
                many=True,
            ),
            Flag(
                "entity",
                "what it is about, as type:name, in the place of all that the old one has; given again, several",
                "text",
                many=True,
            ),
            Flag(
                "importance", "how much depends on it; without it, the old one's", "integer", bounds=(1, 10)
            ),
            Flag("confidence", "how sure it is, from 0 to 1", "text"),
            Flag("reason", "why, for the record", "text"),
            *PROVENANCE,
            ALLOW_SECRET,
            EMBED,
        ),
        (
            "One commit: the new memory, and the old one in the archive, linked both ways. Where the article names an "
            "instant, the new one is valid from then on, else from now on; the old one until then, unless it ended "
            "before.",
            "Tags, entities, aliases, a task's status and due date are those of the old one.",
        ),
    ),
    Command(
        "link",
        "join two memories, or two tasks",
        "memory.linked",
        _ENDS,
        (EMBED,),
        (
            "The link stands in the head of the first one, and `memhtml neighbors <path>` shows it from both sides. A "
            "link that stands already is not made again. `blocks` and `subtask_of` join tasks, all others memories.",
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
        "edit",
        "change what is said about a memory, and not what it says",
        "memory.edited",
        (_PATH,),
        (
            Flag("add-tag", "one more tag; given again, several", "text", many=True),
            Flag("remove-tag", "a tag that goes; given again, several", "text", many=True),
            Flag(
                "add-entity",
                "one more thing it is about, as type:name; given again, several",
                "text",
                many=True,
            ),
            Flag("remove-entity", "a thing it is not about; given again, several", "text", many=True),
            Flag("add-alias", "one more name for it; given again, several", "text", many=True),
            Flag("remove-alias", "a name that goes; given again, several", "text", many=True),
            Flag("importance", "how much depends on it", "integer", bounds=(1, 10)),
            Flag("confidence", "how sure it is, from 0 to 1", "text"),
            Flag("valid-from", "the day or instant from which on it holds", "text"),
            Flag("valid-until", "the day or instant from which on it does not hold any more", "text"),
            Flag("due", "the day or instant by which a task is to be done", "text"),
            Flag("clear", "leave this unsaid; given again, several", "text", many=True, values=CLEARABLE),
            Flag("reason", "why, for the record", "text"),
            ALLOW_SECRET,
            EMBED,
        ),
        (
            "Changes lines of the head and no byte of the article. What is so already is not changed, and where "
            "nothing is to be changed, nothing is committed. For another claim there is `memhtml correct <target>`.",
        ),
    ),
    Command(
        "archive",
        "move a memory into the archive",
        "memory.archived",
        (_PATH,),
        (Flag("reason", "why, for the record", "text", required=True), ALLOW_SECRET, EMBED),
        (
            "Nothing is deleted: the file goes to `archive/<year>/`, its article byte for byte as it was, and git "
            "follows it there. Links to the old path stay as they are; `memhtml resolve <path>` follows them.",
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

AROUND: tuple[Command, ...] = (
    Command(
        "reinforce",
        "tell that memories were used, and how it turned out",
        "memory.reinforced",
        (Argument("path", "path of a memory, relative to the root of the store", many=True),),
        (
            Flag(
                "signal", "how it turned out", "text", "neutral", values=("neutral", "positive", "negative")
            ),
            *PROVENANCE,
        ),
        (
            "Counted in this clone's state, never in the file. A use within a quarter of an hour of the last one is "
            "the same use. A path at which no memory stands is refused, and then nothing is counted.",
        ),
    ),
    Command(
        "neighbors",
        "what is linked with a memory, in either direction",
        "memory.neighbors",
        (_PATH,),
        (
            Flag("depth", "how many links away", "integer", default=1, bounds=(1, 2)),
            Flag("rel", "links of this kind; given again, of any of them", "text", many=True, values=_RELS),
        ),
        (
            "Memories with memories, tasks with tasks. Two links away is what a neighbour leads to in turn, or what "
            "leads to it in turn. A link to what was archived since leads there.",
        ),
    ),
    Command(
        "resolve",
        "where a memory is now that once stood at a path",
        "memory.resolved",
        (_PATH,),
        (),
        (
            "Follows moves into the archive and back, and corrections, through 16 of them at most. It stops `live`, "
            "`archived` (nothing took its place), `unindexed` (nothing known stands or stood there), at a `cycle`, or "
            "at the `hop_limit`.",
        ),
    ),
)

_STATUSES = tuple(status.value for status in TaskStatus)

TASKS: tuple[Command, ...] = (
    Command(
        "task add",
        "write down something to be done",
        "task.written",
        (),
        (
            Flag("title", "what it is called", "text", required=True),
            Flag("claim", "what is to be done, in one sentence; without it, the title", "text"),
            Flag(
                "body",
                "what else there is to say, as prose; given again, further paragraphs",
                "text",
                many=True,
            ),
            Flag("status", "how far it is", "text", TaskStatus.TODO.value, values=_STATUSES[:-1]),
            Flag("due", "the day or instant by which it is to be done", "text"),
            Flag("workspace", "the project it belongs to", "text"),
            Flag("tag", "a tag; given again, several", "text", many=True),
            Flag("entity", "what it is about, as type:name; given again, several", "text", many=True),
            *PROVENANCE,
            ALLOW_SECRET,
            EMBED,
        ),
        ("Two tasks may say the same: each is written.",),
    ),
    Command(
        "task status",
        "say how far a task is",
        "task.updated",
        (Argument("path", "path of the task"), Argument("status", "how far it is", values=_STATUSES)),
        (Flag("reason", "why, for the record", "text"), ALLOW_SECRET, EMBED),
        (
            "A task that is done goes into the archive in the same commit, and one of the archive that is not done "
            "comes back to where it stood. Every status may follow every other.",
        ),
    ),
    Command(
        "task list",
        "tasks by path",
        "task.list",
        (),
        (
            Flag("status", "tasks that are this far", "text", values=_STATUSES),
            Flag("workspace", "tasks of this workspace", "text"),
            Flag("due-before", "tasks that are due before this day", "text"),
            Flag("detected", "tasks that were found in what happened, and not written down", default=False),
            Flag("include-archived", "archived tasks too", default=False),
            Flag("limit", "how many tasks at most", "integer", default=50, bounds=(1, 500)),
            Flag("cursor", "go on behind this path: the `nextCursor` of the page before", "text"),
        ),
        ("A task is told to be blocked by the tasks that say so and are not in the archive.",),
    ),
)
