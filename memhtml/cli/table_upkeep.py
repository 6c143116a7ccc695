"""The commands that look into the past and keep a store in order: rows of the one table."""

from memhtml.app.manifest import Argument, Command, Flag

__all__ = ["HOOKS", "PAST", "PUBLISH"]

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

HOOKS: tuple[Command, ...] = (
    Command(
        "hooks install",
        "let git check memories before a commit, and update the index when HEAD moved",
        "hooks.report",
        (),
        (),
        (
            "pre-commit runs `memhtml doctor --staged`; post-merge, post-checkout and post-rewrite run `memhtml index "
            "update` where there is an index. A hook that is there already moves aside and is run first. Where "
            "core.hooksPath names another folder, nothing is installed.",
        ),
    ),
    Command(
        "hooks uninstall",
        "take the hooks of memhtml away, and put those that were there back",
        "hooks.report",
    ),
)

PUBLISH: tuple[Command, ...] = (
    Command(
        "publish",
        "generate a page for every folder, and a map of the store",
        "publish.report",
        (),
        (),
        (
            "Writes `index.html` into every folder that holds memories, and those above it, and `sitemap.xml` at the "
            "root, in one commit; archived memories are listed too. Where nothing changed, nothing is committed. A "
            "page of your own that stands in such a place is left alone. Generated pages are no memories.",
        ),
    ),
)
