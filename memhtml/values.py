"""Closed vocabularies and small frozen values that every layer shares."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, NewType

__all__ = [
    "EDGE_CLASS",
    "LISTING_NAMES",
    "BlobSha",
    "Bucket",
    "ChunkId",
    "CommitSha",
    "ContentHash",
    "EdgeClass",
    "EdgeRel",
    "Instant",
    "MemoryPath",
    "MemoryStatus",
    "MemoryType",
    "Migration",
    "Plane",
    "Skip",
    "SkipCode",
    "TaskStatus",
]

#: Path of a memory relative to the store's root, forward slashes, no leading slash: the identity of a memory.
MemoryPath = NewType("MemoryPath", str)
#: 40 lower-case hex digits: the git object id of a file's bytes (the index's change key).
BlobSha = NewType("BlobSha", str)
#: 40 lower-case hex digits.
CommitSha = NewType("CommitSha", str)
#: `blake3:` and 64 hex digits over the canonical article text (the key of duplicates, chunks and vectors).
ContentHash = NewType("ContentHash", str)
#: 64 hex digits: SHA-256 of `<content_hash>:<ordinal>`.
ChunkId = NewType("ChunkId", str)
#: UTC, whole seconds, `YYYY-MM-DDTHH:MM:SSZ`.
Instant = NewType("Instant", str)


class MemoryType(StrEnum):
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    AGENT_INSIGHT = "agent_insight"
    USER_PREFERENCE = "user_preference"
    ERROR_PATTERN = "error_pattern"
    VERDICT = "verdict"
    PRECEDENT = "precedent"
    ARC = "arc"
    TASK = "task"


class MemoryStatus(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"


class TaskStatus(StrEnum):
    TODO = "todo"
    DOING = "doing"
    BLOCKED = "blocked"
    DONE = "done"


class Bucket(StrEnum):
    """The four top-level folders that hold memories, in their fixed order."""

    PROJECTS = "projects"
    AREAS = "areas"
    RESOURCES = "resources"
    ARCHIVE = "archive"


class EdgeClass(StrEnum):
    MEMORY = "memory"
    PERSON = "person"
    PROVENANCE = "provenance"
    TASK = "task"


class EdgeRel(StrEnum):
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    CAUSED_BY = "caused_by"
    LEADS_TO = "leads_to"
    PART_OF = "part_of"
    RELATES_TO = "relates_to"
    EXAMPLE_OF = "example_of"
    SUPPORTS = "supports"
    LATERALLY_RELATED = "laterally_related"
    ABOUT_PERSON = "about_person"
    AUTHORED_BY = "authored_by"
    FROM_SESSION = "from_session"
    BLOCKS = "blocks"
    SUBTASK_OF = "subtask_of"


#: Every rel belongs to exactly one class.
EDGE_CLASS: dict[EdgeRel, EdgeClass] = {
    **dict.fromkeys(list(EdgeRel)[:9], EdgeClass.MEMORY),
    EdgeRel.ABOUT_PERSON: EdgeClass.PERSON,
    EdgeRel.AUTHORED_BY: EdgeClass.PERSON,
    EdgeRel.FROM_SESSION: EdgeClass.PROVENANCE,
    EdgeRel.BLOCKS: EdgeClass.TASK,
    EdgeRel.SUBTASK_OF: EdgeClass.TASK,
}

#: Generated listings: files of these names are never memories.
LISTING_NAMES: frozenset[str] = frozenset({"index.html", "sitemap.xml"})


class Plane(StrEnum):
    """A database file: its name in messages and the key of its migrations."""

    INDEX = "index"
    STATE = "state"


class Migration(NamedTuple):
    """One step of a schema, as packaged: `NNNN_words.sql`, the SHA-256 of its text, the text."""

    name: str
    sha256: str
    text: str


class SkipCode(StrEnum):
    """Why a file of the tree has no row."""

    FORMAT = "FORMAT_VIOLATION"
    DUPLICATE = "DUPLICATE_CONTENT"
    CONFLICT = "CONFLICT_MARKERS"
    OVERSIZED = "FILE_OVERSIZED"
    TOO_COMPLEX = "FILE_TOO_COMPLEX"
    SYMLINK = "FILE_SYMLINK"
    BAD_PATH = "PATH_NOT_UTF8"
    UNREADABLE = "FILE_UNREADABLE"


@dataclass(frozen=True, slots=True)
class Skip:
    """A file that became no row, and why."""

    path: MemoryPath
    blob_sha: BlobSha
    code: SkipCode
    reason: str
    #: Set for duplicates only: the group they wait in.
    content_hash: ContentHash | None = None
    #: The memory's own `created`, which decides who wins a group of duplicates.
    created: str = ""
