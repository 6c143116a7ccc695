"""Every command of memhtml: the one table behind the parser, the help, the manifest and the completions.

The command `index rebuild` is carried out by `commands/index_rebuild.py`, which is imported when it is called.
"""

from memhtml.app.manifest import Argument, Command, Flag
from memhtml.cli.table_changes import AROUND, CHANGES, TASKS
from memhtml.cli.table_exchange import EXCHANGE
from memhtml.cli.table_upkeep import HOOKS, PAST, PUBLISH
from memhtml.cli.writing_flags import ALLOW_SECRET, EMBED, PROVENANCE, WRITABLE_TYPES
from memhtml.values import Bucket, MemoryType

__all__ = ["COMMANDS", "SHELLS"]

SHELLS = ("bash", "fish", "zsh")

_TYPES = tuple(MemoryType)
_PATH = Argument("path", "path of a memory, relative to the root of the store")
_QUERY = Argument("query", "words to look for; “double quotes” force a phrase", many=True)

_SCOPE = (
    Flag("workspace", "memories of this workspace", "text"),
    Flag("tag", "memories with this tag; given again, with any of them", "text", many=True),
    Flag("entity", "memories about this entity, as type:name, in any case", "text"),
    Flag("facet", "memories with this facet, as name=value; given again, see the notes", "text", many=True),
    Flag("para", "memories of this top-level folder", "text", values=tuple(Bucket)),
    Flag("include-archived", "archived memories too", default=False),
    Flag("as-of", "what was held true at this instant, or at the end of this day", "text"),
)
_SCOPE_NOTES = (
    "Tasks are found only where --type names them.",
    "Several values of one facet are alternatives; several facets must all be there.",
)
_TYPE = Flag("type", "memories of this type; given again, of any of them", "text", many=True, values=_TYPES)
_COMMITTED = Flag("committed", "leave the working tree out: what HEAD holds and nothing else", default=False)

COMMANDS: tuple[Command, ...] = (
    Command(
        "init",
        "make a store, or mend the scaffold of one",
        "repo.init",
        (Argument("folder", "where the store is or shall be; the same as --repo", required=False),),
        (Flag("example", "lay down a small example corpus too, for you to commit", default=False),),
        (
            "Converges: a file that exists is never changed, and a second run changes and commits nothing. Run it "
            "once in every clone, since git clones no configuration.",
            "Commits the scaffold and nothing else, by git's own `git commit`. The files of --example are left "
            "uncommitted.",
        ),
    ),
    Command("status", "which store this is, and how it stands", "status.health"),
    Command(
        "search",
        "memories that answer a query, the best first",
        "memory.hits",
        (_QUERY,),
        (
            _TYPE,
            *_SCOPE,
            Flag("limit", "how many hits at most", "integer", default=10, bounds=(1, 200)),
            Flag("explain", "what each arm contributed to each hit", default=False),
        ),
        _SCOPE_NOTES,
    ),
    Command(
        "read",
        "one memory as text",
        "memory.detail",
        (_PATH,),
        (Flag("session-id", "the session that reads it, for the record", "text"),),
    ),
    Command(
        "list",
        "memories by path",
        "memory.list",
        (),
        (
            _TYPE,
            *_SCOPE,
            Flag("limit", "how many memories at most", "integer", default=50, bounds=(1, 500)),
            Flag("cursor", "go on behind this path: the `nextCursor` of the page before", "text"),
        ),
        _SCOPE_NOTES,
    ),
    Command(
        "write",
        "write one memory, unless one says the same",
        "memory.written",
        (),
        (
            Flag("title", "what it is called", "text", required=True),
            Flag("type", "what kind of memory it is", "text", required=True, values=WRITABLE_TYPES),
            Flag("claim", "the fact in one sentence; without it, the first sentence of the body", "text"),
            Flag(
                "body",
                "what else there is to say, as prose; given again, further paragraphs",
                "text",
                many=True,
            ),
            Flag("article-html", "the article as markup, in the place of claim and body", "text"),
            Flag("workspace", "the project it belongs to", "text"),
            Flag("tag", "a tag; given again, several", "text", many=True),
            Flag("entity", "what it is about, as type:name; given again, several", "text", many=True),
            Flag("path", "where to put it; without it, a place is found by type, workspace and tags", "text"),
            Flag("importance", "how much depends on it", "integer", bounds=(1, 10)),
            Flag("confidence", "how sure it is, from 0 to 1", "text"),
            *PROVENANCE,
            ALLOW_SECRET,
            EMBED,
        ),
        (
            "Prose is escaped; code between ``` lines is kept as code. Markup has to keep to the file format.",
            "A memory with the same words makes it answer with that one, and nothing is written. Tasks may repeat any "
            "words.",
        ),
    ),
    Command(
        "apply",
        "write many memories in one commit; exit status 1 if one is refused",
        "batch.applied",
        (Argument("input", "standard input, as without any word", required=False, values=("-",)),),
        (
            Flag("file", "read the ops from this file", "text"),
            Flag(
                "continue-on-error",
                "write the ops that can be, whatever is wrong with the others",
                default=False,
            ),
            Flag(
                "detect-conflicts",
                "tell which claims fill a slot that is filled, or nearly repeat one",
                default=False,
            ),
            Flag("consolidate", "what becomes of several claims for one slot", "text", values=("last-wins",)),
            *PROVENANCE,
            ALLOW_SECRET,
            EMBED,
        ),
        (
            "One JSON object a line, and every line is judged by its shape before anything is done. Fields: op "
            "(“write”), title and type, which are required; body or article_html; path, workspace, tags, entities, "
            "importance, confidence, status, due, session_id, prompt_id, turn_uuid.",
            "Results stand in the order of the lines. One refused op means that nothing is written, unless "
            "--continue-on-error is given.",
            "With --consolidate last-wins the last claim of a slot is written in the place of the first, and an active "
            "memory that fills the slot goes into the archive, linked both ways.",
        ),
    ),
    *CHANGES,
    *AROUND,
    *TASKS,
    *EXCHANGE,
    *PAST,
    Command(
        "entity activity",
        "when each entity was last written about",
        "entity.activity",
        (),
        (
            Flag("type", "entities of this type, in any case", "text"),
            Flag("workspace", "activity in this workspace", "text"),
            Flag("include-archived", "archived memories too", default=False),
            Flag("limit", "how many entities at most", "integer", default=50, bounds=(1, 500)),
        ),
        ("A report. No ranking reads it.",),
    ),
    Command(
        "index rebuild",
        "make the index anew from the tree",
        "index.report",
        (),
        (
            EMBED,
            Flag(
                "force",
                "with --no-embed: go on although vectors are stored; those whose texts are still there are kept",
                default=False,
            ),
            _COMMITTED,
        ),
    ),
    Command(
        "index update",
        "bring the index up to the tree, reading what changed",
        "index.report",
        (),
        (EMBED, _COMMITTED),
    ),
    Command("index status", "what the index holds, and of which commit", "index.report"),
    Command(
        "index verify",
        "rebuild beside the index and compare every row; exit status 1 if one differs",
        "index.report",
        (),
        (_COMMITTED,),
    ),
    Command(
        "index embed",
        "make the vectors that are missing, and nothing else",
        "index.report",
        (),
        (Flag("dry-run", "say how many requests it would take", default=False),),
    ),
    Command(
        "doctor",
        "check the store; exit status 1 on findings that count",
        "doctor.report",
        (),
        (
            _COMMITTED,
            Flag(
                "fail-on",
                "the least severity that makes the exit status 1",
                "text",
                "error",
                values=("error", "warning", "info", "never"),
            ),
            Flag("format", "how to report", "text", values=("text", "json", "sarif", "github")),
            Flag("staged", "judge what is staged and nothing else, each file by itself", default=False),
            Flag("fix", "mend what needs no decision, in one commit, and check again", default=False),
            Flag("dry-run", "with --fix: say what would be mended, and write nothing", default=False),
        ),
        (
            "Without --fix it reads and never repairs. Every finding has a code, a place and a sentence.",
            "--fix edits heads and nothing else: dangling links are led to where the memory went, or dropped; wrong "
            "content hashes and statuses are stated anew; counts of paths that no file has are deleted. Files with "
            "uncommitted changes are left alone. The report and the exit status are of the check behind it.",
        ),
    ),
    Command(
        "state export",
        "commit what this clone has counted, for the other clones",
        "state.report",
        (),
        (),
        (
            "Writes files below `.memhtml/state/` that are this clone's alone, so that two clones never write the same "
            "one, and commits them and nothing else. Where nothing was counted since, nothing is committed.",
        ),
    ),
    Command(
        "state import",
        "take in what the other clones have counted",
        "state.report",
        (),
        (),
        (
            "Reads the files below `.memhtml/state/` in the working tree. No count goes down, and a second run changes "
            "nothing. Lines that cannot be read are counted and passed over.",
        ),
    ),
    Command(
        "merge-driver",
        "merge three versions of a memory, as git asks for it",
        "merge.report",
        (
            Argument("base", "file with the common ancestor; empty where there is none"),
            Argument("ours", "file with our version; the outcome is written over it"),
            Argument("theirs", "file with their version"),
            Argument("path", "where the memory stands in the repository", required=False),
        ),
        (),
        (
            "Git calls this in clones where `memhtml init` was run. It prints nothing on stdout. Exit status 1 means "
            "that conflict markers were left, around what both sides changed in two ways.",
        ),
    ),
    *PUBLISH,
    *HOOKS,
    Command("manifest", "commands, flags, error codes and settings, for programs", "cli.manifest"),
    Command(
        "help",
        "describe a command, or all of them",
        "cli.manifest",
        (Argument("command", "the command to describe", required=False, many=True),),
    ),
    Command(
        "completion",
        "print a completion script for a shell",
        "cli.completion",
        (Argument("shell", "which shell", values=SHELLS),),
        (),
        ("For bash: `source <(memhtml completion bash)`.",),
    ),
)
