"""What an import did or would do with every single note, as values."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from memhtml.values import MemoryPath

__all__ = ["REFUSALS", "Deduplicated", "ImportPlan", "Imported", "RefusalCode", "Refused"]


class RefusalCode(StrEnum):
    """Why a note became no memory. Append-only."""

    EMPTY = "EMPTY"
    NO_PROSE = "NO_PROSE"
    LINKS_ONLY = "LINKS_ONLY"
    TOO_LONG = "TOO_LONG"
    TOO_LARGE = "TOO_LARGE"
    TOO_COMPLEX = "TOO_COMPLEX"
    NOT_UTF8 = "NOT_UTF8"
    BINARY = "BINARY"
    SYMLINK = "SYMLINK"
    NOT_A_FILE = "NOT_A_FILE"
    BAD_NAME = "BAD_NAME"
    UNREADABLE = "UNREADABLE"
    BAD_FRONT_MATTER = "BAD_FRONT_MATTER"
    BAD_JSON = "BAD_JSON"
    NOT_A_NOTE = "NOT_A_NOTE"
    TRANSCRIPT = "TRANSCRIPT"
    RETIRED = "RETIRED"
    SECRET = "SECRET"  # noqa: S105 - a code, no secret
    INVALID = "INVALID"
    OTHER_VALUE = "OTHER_VALUE"
    PATH_TAKEN = "PATH_TAKEN"
    CHANGED = "CHANGED"


#: What each code means, for lists of them.
REFUSALS: Final[Mapping[RefusalCode, str]] = {
    RefusalCode.EMPTY: "There is nothing in it, or nothing but a title.",
    RefusalCode.NO_PROSE: "It holds code, headings or single words, and no sentence that could be a claim.",
    RefusalCode.LINKS_ONLY: "It lists links, as a table of contents does, and states no fact itself.",
    RefusalCode.TOO_LONG: "It has more than 2,000 words outside of code: more than one fact takes.",
    RefusalCode.TOO_LARGE: "It has more than 64 KiB, or stands in a line of JSON Lines of more than 1 MiB.",
    RefusalCode.TOO_COMPLEX: "Its markup nests deeper than that of any note.",
    RefusalCode.NOT_UTF8: "Its text is not UTF-8.",
    RefusalCode.BINARY: "It is no text.",
    RefusalCode.SYMLINK: "It is a symbolic link, which may lead out of the folder.",
    RefusalCode.NOT_A_FILE: "It is a pipe, a socket or a device.",
    RefusalCode.BAD_NAME: "Its name is not UTF-8, holds control characters, or is no path that a memory can have.",
    RefusalCode.UNREADABLE: "It may not be read, or the disk failed.",
    RefusalCode.BAD_FRONT_MATTER: "What stands between the `---` lines at its top is no YAML, nests too deep or"
    " holds an alias.",
    RefusalCode.BAD_JSON: "It is no JSON.",
    RefusalCode.NOT_A_NOTE: "It is JSON that holds no text where notes hold theirs.",
    RefusalCode.TRANSCRIPT: "It is a conversation. Transcripts never enter a store.",
    RefusalCode.RETIRED: "It is deleted or archived where it comes from.",
    RefusalCode.SECRET: "It holds what looks like a secret; `--allow-secret` lets a false alarm of a kind through.",
    RefusalCode.INVALID: "It breaks a rule of the format; the reason names the rule.",
    RefusalCode.OTHER_VALUE: "A memory has the same words with another date, number or source in its markup.",
    RefusalCode.PATH_TAKEN: "Another file stands where it belongs.",
    RefusalCode.CHANGED: "It was imported before and says something else now; `memhtml correct <target>` is for that.",
}


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
