"""The commands of exchange with other programs: rows of the one table."""

from memhtml.app.manifest import Argument, Command, Flag
from memhtml.cli.writing_flags import ALLOW_SECRET, EMBED, WRITABLE_TYPES
from memhtml.values import MemoryType

__all__ = ["EXCHANGE"]

EXCHANGE: tuple[Command, ...] = (
    Command(
        "import",
        "make memories of other people's notes, in one commit",
        "import.report",
        (Argument("source", "a folder, or a file of Markdown, HTML, JSON Lines or JSON"),),
        (
            Flag("branch", "commit to this new branch, and leave the one that is checked out alone", "text"),
            Flag("dry-run", "say what would become of each note, and change nothing", default=False),
            Flag("tag", "a tag in front of each note's own; given again, several", "text", many=True),
            Flag("workspace", "the project they belong to", "text"),
            Flag("type", "what kind of memory a note is that does not say", "text", values=WRITABLE_TYPES),
            Flag("author", "who wrote a note that does not say, as human:name or agent:name", "text"),
            Flag("name", "how the source is called from now on; without it, by its own name", "text"),
            ALLOW_SECRET,
            EMBED,
        ),
        (
            "A folder is read for Markdown and HTML, or, if it is a store, for its memories, which keep their paths "
            "and every byte. Files of instructions for agents (AGENTS.md, CLAUDE.md, MEMORY.md and the like) and notes "
            "of observations become one memory an item. JSON Lines hold a note, a memory or a work item a line, JSON "
            "an export of them.",
            "A note that cannot be one fact is refused with a reason, and so is one that holds a secret. A note whose "
            "words a memory has already, archived or not, is known: importing twice changes nothing. A note that was "
            "imported and changed since is refused as CHANGED.",
        ),
    ),
    Command(
        "export",
        "write the memories of HEAD as notes that other programs read",
        "export.report",
        (Argument("target", "a new folder for Markdown, or a new file for JSON Lines"),),
        (
            Flag(
                "format",
                "how to write them; without it, JSON Lines where the target ends in .jsonl",
                "text",
                values=("markdown", "jsonl"),
            ),
            Flag(
                "type",
                "memories of this type; given again, of any of them",
                "text",
                many=True,
                values=tuple(MemoryType),
            ),
            Flag("tag", "memories with this tag; given again, with any of them", "text", many=True),
            Flag("workspace", "memories of this workspace", "text"),
            Flag("include-archived", "archived memories too", default=False),
        ),
        (
            "Markdown keeps the head as front matter and loses what the report names; JSON Lines keep the article's "
            "markup too. `memhtml import <source>` reads both.",
        ),
    ),
)
