"""What the doctor can find: a closed vocabulary.

The table below is the list that reports, documentation and tests share. Codes are append-only: a baseline of a
project that uses memhtml in its CI names them. A code has one severity, so that an exit status can be argued about
without reading messages:

- *error*: a memory is lost to search, a link leads nowhere, a file would act on whoever opens it, or a promise about
  our own data is broken. Somebody has to do something.
- *warning*: the store works, and says something that is not so or not meant.
- *info*: worth knowing. A clean checkout without an index has nothing worse than this.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from memhtml.format.rules import RULES, ViolationCode
from memhtml.format.rules import Severity as RuleSeverity

__all__ = ["CODES", "Code", "FindingCode", "Severity", "code_of_rule"]


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class FindingCode(StrEnum):
    # Files of the tree.
    CONFLICT_MARKERS = "CONFLICT_MARKERS"
    UNMERGED_PATH = "UNMERGED_PATH"
    FORMAT_VIOLATION = "FORMAT_VIOLATION"
    MARKUP_UNSAFE = "MARKUP_UNSAFE"
    FILE_OVERSIZED = "FILE_OVERSIZED"
    FILE_TOO_COMPLEX = "FILE_TOO_COMPLEX"
    FILE_UNREADABLE = "FILE_UNREADABLE"
    FILE_SYMLINK = "FILE_SYMLINK"
    PATH_NOT_UTF8 = "PATH_NOT_UTF8"
    PATH_CLASH = "PATH_CLASH"
    PATH_OVERLOOKED = "PATH_OVERLOOKED"
    PATH_IGNORED = "PATH_IGNORED"
    NESTED_REPOSITORY = "NESTED_REPOSITORY"
    SECRET_FOUND = "SECRET_FOUND"
    DUPLICATE_CONTENT = "DUPLICATE_CONTENT"
    FORMAT_WARNING = "FORMAT_WARNING"
    FORMAT_HASH_STALE = "FORMAT_HASH_STALE"
    NOT_UTF8 = "NOT_UTF8"
    WRITE_LIMIT = "WRITE_LIMIT"
    STATUS_MISPLACED = "STATUS_MISPLACED"
    # What files say about each other.
    LINK_DANGLING = "LINK_DANGLING"
    LINK_NO_MEMORY = "LINK_NO_MEMORY"
    LINK_SPELLING = "LINK_SPELLING"
    SUPERSEDED_ACTIVE = "SUPERSEDED_ACTIVE"
    SUPERSEDER_MISSING = "SUPERSEDER_MISSING"
    CLAIM_SLOT_SHARED = "CLAIM_SLOT_SHARED"
    INBOX_CROWDED = "INBOX_CROWDED"
    TASK_INBOX_CROWDED = "TASK_INBOX_CROWDED"
    TASK_OVERDUE = "TASK_OVERDUE"
    TASK_STALE_BLOCKER = "TASK_STALE_BLOCKER"
    # The repository and the store's own files.
    REPO_UNREADABLE = "REPO_UNREADABLE"
    REPO_UNBORN = "REPO_UNBORN"
    TREE_DIRTY = "TREE_DIRTY"
    WORKTREE_UNREADABLE = "WORKTREE_UNREADABLE"
    MERGE_DRIVER_MISSING = "MERGE_DRIVER_MISSING"
    CONFIG_INVALID = "CONFIG_INVALID"
    DATABASE_TRACKED = "DATABASE_TRACKED"
    STATE_DAMAGED = "STATE_DAMAGED"
    STATE_ORPHAN = "STATE_ORPHAN"
    # The index.
    INDEX_MISSING = "INDEX_MISSING"
    INDEX_STALE = "INDEX_STALE"
    INDEX_BEHIND_TREE = "INDEX_BEHIND_TREE"
    INDEX_DAMAGED = "INDEX_DAMAGED"
    INDEX_ROWS_WRONG = "INDEX_ROWS_WRONG"
    CHUNKS_WRONG = "CHUNKS_WRONG"
    FTS_DAMAGED = "FTS_DAMAGED"
    LEDGER_DRIFT = "LEDGER_DRIFT"
    SCHEMA_TOO_NEW = "SCHEMA_TOO_NEW"
    LOCK_HELD = "LOCK_HELD"
    # Vectors.
    EMBED_MISMATCH = "EMBED_MISMATCH"
    VECTORS_WRONG = "VECTORS_WRONG"
    EMBED_INCOMPLETE = "EMBED_INCOMPLETE"
    EMBEDDER_ABSENT = "EMBEDDER_ABSENT"
    # The doctor itself.
    CHECK_FAILED = "CHECK_FAILED"


class Code(NamedTuple):
    """What one finding code means."""

    severity: Severity
    meaning: str
    cure: str
    #: The cure needs no judgement, so that a repair could plan it.
    fixable: bool = False
    #: What a finding without a path is about, for reports that need a file: a path below the root.
    place: str = "."


_E, _W, _I = Severity
_C = FindingCode
_INDEX: Final = ".memhtml/index.db"
_STATE: Final = ".memhtml/state.db"
_REBUILD: Final = "Run `memhtml index rebuild`; nothing but time is lost."

CODES: Final[dict[FindingCode, Code]] = {
    _C.CONFLICT_MARKERS: Code(
        _E,
        "The file holds the markers of a merge that nobody resolved, so it is no memory.",
        "Decide between the two sides, delete the marker lines and commit.",
    ),
    _C.UNMERGED_PATH: Code(
        _E,
        "A merge stopped at this file; until it is resolved, the committed version is judged and searched.",
        "Resolve the file, then `git add` it and finish the merge.",
    ),
    _C.FORMAT_VIOLATION: Code(
        _E,
        "The file breaks a rule of the format, so it is no memory and search cannot find it.",
        "Edit the file as the rule says; `docs/format.md` describes them all.",
    ),
    _C.MARKUP_UNSAFE: Code(
        _E,
        "The file holds markup that acts on whoever opens it, or hides words from them; no write makes such a file.",
        "Remove the markup. The memory stays searchable meanwhile, and is shown without it.",
    ),
    _C.FILE_OVERSIZED: Code(
        _E,
        "The file is too large to be read as a memory, so search cannot find it.",
        "Split it into memories of one fact each.",
    ),
    _C.FILE_TOO_COMPLEX: Code(
        _E,
        "Parsing the file could take unbounded time, so it is not read and search cannot find it.",
        "Flatten the nesting, close formatting elements, or split the file.",
    ),
    _C.FILE_UNREADABLE: Code(
        _E,
        "The file is there and cannot be read, so it is judged and searched no further.",
        "Mend its permissions or the disk, or restore it from git.",
    ),
    _C.FILE_SYMLINK: Code(
        _W,
        "A symbolic link stands where a memory would; it is not followed.",
        "Replace it by a memory with a link to the other one, or delete it.",
    ),
    _C.PATH_NOT_UTF8: Code(
        _E,
        "The file's name is not UTF-8, or no work tree could hold it, so it is no memory.",
        "Rename it with `git mv`.",
    ),
    _C.PATH_CLASH: Code(
        _W,
        "Two paths differ only in case or Unicode form; a clone on macOS or Windows keeps one of them.",
        "Rename one of them.",
    ),
    _C.PATH_OVERLOOKED: Code(
        _E,
        "The file looks as if it were meant to be a memory, and its path is not one that a memory can have.",
        "Rename it with `git mv` to a path that ends with `.html` below `projects`, `areas`, `resources` or `archive`.",
    ),
    _C.PATH_IGNORED: Code(
        _W,
        "git ignores a bucket, or a file that stands where memories do, so it is neither committed nor searched.",
        "Take the pattern out of `.gitignore` (`git check-ignore -v <path>` names it), or move the file elsewhere.",
    ),
    _C.NESTED_REPOSITORY: Code(
        _W,
        "A submodule or another repository stands among the memories; nothing in it is read.",
        "Move its memories into the store's own repository, or the repository out of the buckets.",
    ),
    _C.SECRET_FOUND: Code(
        _E,
        "The file holds what looks like a password, a key or a token, and everybody with a clone can read it.",
        "Replace the secret where it is valid, since the history of git keeps it, then take it out of the file.",
    ),
    _C.DUPLICATE_CONTENT: Code(
        _W,
        "Another active memory says the same words; the older of the two is indexed, and this one is not.",
        "Archive or delete one of them, or say in this one what makes it another fact.",
    ),
    _C.FORMAT_WARNING: Code(
        _W,
        "The file is a memory, and a part of it means less than its author may think.",
        "Edit the file as the rule says, or leave it: nothing is refused for it.",
    ),
    _C.FORMAT_HASH_STALE: Code(
        _W,
        "The content hash that the head states is not that of the article.",
        "Stamp the file anew, or delete the stamp; it is advice to readers, and the index does not trust it.",
        fixable=True,
    ),
    _C.NOT_UTF8: Code(
        _W,
        "The file is not UTF-8; what could not be read became replacement characters.",
        "Store the file as UTF-8.",
    ),
    _C.WRITE_LIMIT: Code(
        _W,
        "The file is larger than a write may make it; it keeps its row.",
        "Split it into memories of one fact each.",
    ),
    _C.STATUS_MISPLACED: Code(
        _W,
        "What the head says about being archived and where the file stands contradict each other.",
        "Move the file into or out of `archive/<year>/`, or mend `memhtml-status` and `memhtml-archived`.",
    ),
    _C.LINK_DANGLING: Code(
        _E,
        "A link of the head leads to no file.",
        "Point it to where the memory went (the finding says so where it is known), or delete the link.",
        fixable=True,
    ),
    _C.LINK_NO_MEMORY: Code(
        _W,
        "A link of the head leads to something that is there and is no memory, so no memory is related by it.",
        "Point it to a memory, or make it a link of the text, where a link may lead anywhere.",
    ),
    _C.LINK_SPELLING: Code(
        _W,
        "A link of the head is spelled as an address and not as a path: a browser follows it, and the index does not.",
        "Write the path as the finding gives it: no escapes, no query, no fragment.",
        fixable=True,
    ),
    _C.SUPERSEDED_ACTIVE: Code(
        _W,
        "The memory says what superseded it and is still active, so both beliefs are found.",
        "Archive it, or delete `memhtml-superseded-by`.",
    ),
    _C.SUPERSEDER_MISSING: Code(
        _I,
        "The memory names a successor that is neither there nor in the archive.",
        "Name the memory that holds the belief now.",
    ),
    _C.CLAIM_SLOT_SHARED: Code(
        _I,
        "Two active memories claim something about the same subject and property.",
        "Read both: correct one by the other, or let both stand if they are true together.",
    ),
    _C.INBOX_CROWDED: Code(
        _W,
        "More than 20 active memories wait in the inbox, where nothing says what they belong to.",
        "Move them to a project, an area or a resource folder.",
        place="areas/inbox",
    ),
    _C.TASK_INBOX_CROWDED: Code(
        _W,
        "More than 10 active tasks wait in the inbox.",
        "Move them to the projects they belong to, or archive them.",
        place="areas/inbox/tasks",
    ),
    _C.TASK_OVERDUE: Code(
        _I, "An open task was due before today.", "Do it, give it another due date, or archive it."
    ),
    _C.TASK_STALE_BLOCKER: Code(
        _I,
        "An open task is blocked by something that is archived or gone.",
        "Delete the blocking link, or restore what blocks.",
    ),
    _C.REPO_UNREADABLE: Code(
        _E,
        "git cannot give the committed files; nothing could be judged.",
        "Do what the message says: often `git fetch` of a missing object, or `git fsck`.",
    ),
    _C.REPO_UNBORN: Code(_I, "The repository has no commit yet.", "Commit the first memories."),
    _C.WORKTREE_UNREADABLE: Code(
        _E,
        "git cannot say how the working tree differs from what is committed, so the committed files alone were judged.",
        "Do what the message says: often a filter of `.gitattributes` has to be installed or unlocked.",
    ),
    _C.TREE_DIRTY: Code(
        _I,
        "Files of the store differ from what is committed.",
        "Commit them when they are meant; until then no other clone has them.",
    ),
    _C.MERGE_DRIVER_MISSING: Code(
        _I,
        "This clone does not know the merge driver that `.gitattributes` names, so git merges memories as text.",
        "Run `memhtml init` in the clone: git clones no configuration. Where nothing is merged it is not needed.",
        place=".gitattributes",
    ),
    _C.CONFIG_INVALID: Code(
        _E,
        "The store's configuration file cannot be read as meant.",
        "Mend the line that the message names.",
        place=".memhtml/config.toml",
    ),
    _C.DATABASE_TRACKED: Code(
        _E,
        "git records a database that belongs to one clone; a checkout or a merge would put it over another clone's.",
        "Run `git rm --cached <path>`, name the file in `.gitignore`, and commit.",
    ),
    _C.STATE_DAMAGED: Code(
        _E,
        "The state plane, which counts what was read and how it turned out, cannot be read.",
        "Restore `.memhtml/state.db` from a backup, or move it away: counts start at zero, memories lose nothing.",
        place=_STATE,
    ),
    _C.STATE_ORPHAN: Code(
        _W,
        "The state plane counts reads of a path that no file has.",
        "Nothing has to be done: the counts are found again by content if the memory comes back.",
        fixable=True,
        place=_STATE,
    ),
    _C.INDEX_MISSING: Code(
        _I,
        "This clone has no index. It is never committed, so a fresh clone has none.",
        "Run `memhtml index rebuild` where you want to search.",
        place=_INDEX,
    ),
    _C.INDEX_STALE: Code(
        _W,
        "The index describes another commit, or was made by another version of the projection.",
        "Run `memhtml index update`.",
        place=_INDEX,
    ),
    _C.INDEX_BEHIND_TREE: Code(
        _I,
        "The index describes HEAD, and not what the working tree holds now.",
        "Run `memhtml index update` to search uncommitted work too.",
        place=_INDEX,
    ),
    _C.INDEX_DAMAGED: Code(
        _E,
        "The index cannot be read, or its pages contradict each other.",
        _REBUILD,
        place=_INDEX,
    ),
    _C.INDEX_ROWS_WRONG: Code(
        _E,
        "A row of the index is not what its file or its own digest says.",
        _REBUILD,
        place=_INDEX,
    ),
    _C.CHUNKS_WRONG: Code(
        _E,
        "The pieces that vectors are made from are not those of the memories' words.",
        _REBUILD,
        place=_INDEX,
    ),
    _C.FTS_DAMAGED: Code(
        _E,
        "The full-text index does not match the rows that it indexes, so searches miss words.",
        _REBUILD,
        place=_INDEX,
    ),
    _C.LEDGER_DRIFT: Code(
        _E,
        "A database's schema is not the one that its ledger of migrations says it has.",
        "For index.db run `memhtml index rebuild`; state.db needs the memhtml that wrote it.",
        place=_INDEX,
    ),
    _C.SCHEMA_TOO_NEW: Code(
        _E,
        "A newer memhtml wrote this database; this one leaves it alone.",
        "Upgrade memhtml.",
        place=_INDEX,
    ),
    _C.LOCK_HELD: Code(
        _I,
        "A pass is running; what is said about the index describes the moment before it.",
        "Let it finish. The lock goes with its process, so none is ever stale.",
        place=".memhtml/pass.lock",
    ),
    _C.EMBED_MISMATCH: Code(
        _E,
        "The index holds vectors of another space than the configured embedder makes; the two are never mixed.",
        "Configure the embedder that made them, or run `memhtml index rebuild --embed`.",
        place=_INDEX,
    ),
    _C.VECTORS_WRONG: Code(
        _E,
        "A stored vector is not of the space that the index says all of them are of.",
        "Run `memhtml index rebuild --embed`.",
        place=_INDEX,
    ),
    _C.EMBED_INCOMPLETE: Code(
        _I,
        "Some pieces of text have no vector yet; search ranks their words alone.",
        "Run `memhtml index embed`.",
        place=_INDEX,
    ),
    _C.EMBEDDER_ABSENT: Code(
        _I,
        "The store is meant to have vectors, and no embedder answers here; search ranks words alone.",
        "Install or configure the embedder that the store names, if you want vectors here.",
        place=_INDEX,
    ),
    _C.CHECK_FAILED: Code(
        _E,
        "A check could not be carried out, so what it looks for is unknown.",
        "Do what the message says and run the doctor again.",
    ),
}


#: Rules that bound a size: what breaks them is harmless, and older writers of the format knew no such bound.
_SIZES: Final = frozenset({ViolationCode.FILE_LARGE, ViolationCode.META_COUNT, ViolationCode.LINK_COUNT})
_OF_SEVERITY: Final = {
    RuleSeverity.ERROR: FindingCode.FORMAT_VIOLATION,
    RuleSeverity.UNSAFE: FindingCode.MARKUP_UNSAFE,
    RuleSeverity.WARNING: FindingCode.FORMAT_WARNING,
}


def code_of_rule(rule: ViolationCode) -> FindingCode:
    """Return the code under which a violation of a rule of the format is found."""
    return FindingCode.WRITE_LIMIT if rule in _SIZES else _OF_SEVERITY[RULES[rule].severity]
