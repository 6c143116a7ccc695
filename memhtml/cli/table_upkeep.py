"""The commands that look into the past and keep a store in order: rows of the one table."""

from memhtml.app.manifest import Argument, Command, Flag

__all__ = ["PAST"]

_PATH = Argument("path", "path of a memory, relative to the root of the store")

PAST: tuple[Command, ...] = (
    Command(
        "history",
        "what became of a memory, commit by commit",
        "memory.history",
        (_PATH,),
        (Flag("limit", "how many commits at most", "integer", default=50, bounds=(1, 500)),),
        (
            "Reads HEAD's history, the newest commit first, and follows the fact through moves, into the archive and "
            "back, and from a memory to the one whose place it took. The memory may be gone.",
        ),
    ),
    Command(
        "blame",
        "which commit and session each line of a memory comes from",
        "memory.blame",
        (_PATH,),
        (),
        ("Reads the committed file.",),
    ),
    Command(
        "diff",
        "which claims were added, changed and retired between two commits",
        "corpus.diff",
        (Argument("commits", "the two commits, as A..B; a side that is left out is HEAD"),),
        (),
        (
            "Only what is active counts: a memory that went into the archive is retired, and one whose place was taken "
            "is changed.",
        ),
    ),
)
