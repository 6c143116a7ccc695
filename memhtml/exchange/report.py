"""What an import did or would do with every single note, as values."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memhtml.values import MemoryPath

__all__ = ["Deduplicated", "ImportPlan", "Imported", "RefusalCode", "Refused"]


class RefusalCode(StrEnum):
    """Why a note became no memory. Append-only."""

    #: There is nothing in it.
    EMPTY = "EMPTY"
    #: Code, headings or single words, and no sentence.
    NO_PROSE = "NO_PROSE"
    #: A table of contents: its links lead to notes that are imported themselves.
    LINKS_ONLY = "LINKS_ONLY"
    #: More words than one fact takes.
    TOO_LONG = "TOO_LONG"
    #: More bytes than a memory may have.
    TOO_LARGE = "TOO_LARGE"
    #: Markup that nests deeper than any note's.
    TOO_COMPLEX = "TOO_COMPLEX"
    NOT_UTF8 = "NOT_UTF8"
    BINARY = "BINARY"
    #: A symbolic link; what it leads to may lie outside the folder.
    SYMLINK = "SYMLINK"
    #: A device, a pipe or a socket.
    NOT_A_FILE = "NOT_A_FILE"
    #: A file name that is no UTF-8 or holds control characters.
    BAD_NAME = "BAD_NAME"
    UNREADABLE = "UNREADABLE"
    BAD_FRONT_MATTER = "BAD_FRONT_MATTER"
    BAD_JSON = "BAD_JSON"
    #: A JSON value that holds no text where notes hold theirs.
    NOT_A_NOTE = "NOT_A_NOTE"
    #: A conversation. Transcripts never enter a store.
    TRANSCRIPT = "TRANSCRIPT"
    #: Deleted or archived where it comes from.
    RETIRED = "RETIRED"
    SECRET = "SECRET"  # noqa: S105 - a code, no secret
    #: It broke a rule of the format.
    INVALID = "INVALID"
    #: A memory has the same words with another date, number or source in its markup.
    OTHER_VALUE = "OTHER_VALUE"
    #: Another memory stands where this one belongs.
    PATH_TAKEN = "PATH_TAKEN"
    #: It was imported before and says something else now.
    CHANGED = "CHANGED"


@dataclass(frozen=True, slots=True)
class Imported:
    """A note that becomes a memory. `losses` name what the format could not take over."""

    source: str
    path: MemoryPath
    losses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """A note whose words a memory has already; `path` is that memory, in the store or among the imported ones."""

    source: str
    path: MemoryPath


@dataclass(frozen=True, slots=True)
class Refused:
    source: str
    code: RefusalCode
    reason: str


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """Everything an import would write, and what became of each note, in the order of the source."""

    #: Path and bytes of every new file, in the byte order of paths.
    files: tuple[tuple[MemoryPath, bytes], ...] = field(repr=False)
    imported: tuple[Imported, ...]
    deduplicated: tuple[Deduplicated, ...]
    refused: tuple[Refused, ...]
    #: Trailers of the commit: what looked like secrets and was allowed.
    allowances: tuple[tuple[str, str], ...] = ()

    @property
    def refused_by_code(self) -> Mapping[RefusalCode, int]:
        counts = Counter(each.code for each in self.refused)
        return {code: counts[code] for code in RefusalCode if counts[code]}
