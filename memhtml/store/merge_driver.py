"""What git calls to merge a memory that both sides changed, and how a clone is told to call it.

Git clones no configuration, so every clone is told anew, by `init`. Where it was not, or where git finds no memhtml,
memories merge as lines of text, which is never wrong about whether there was a conflict, only worse at avoiding one.
"""

from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from memhtml.errors import GitFailed, StorageFailed
from memhtml.format.merge import Conflicted, Merged, Reason, adds_violations, merge, whole_conflict
from memhtml.git.text_merge import merge_text

__all__ = ["CONFIGURATION", "DRIVER", "WHOLE_REPOSITORY", "Driven", "Manner", "drive"]

#: The driver's name in `.gitattributes`.
DRIVER: Final = "memhtml"
#: What the clone's configuration says, by key. The shell looks for memhtml first, since git would take a command that
#: is not there for a conflict without markers.
CONFIGURATION: Final[dict[str, str]] = {
    f"merge.{DRIVER}.name": "memories merge by what they say",
    f"merge.{DRIVER}.driver": "if command -v memhtml >/dev/null; then memhtml merge-driver -- %O %A %B %P; "
    "else git merge-file %A %O %B; fi",
}
#: What else is said in a repository that holds nothing but the store. Where one side archived the last memory of a
#: folder, git would move what the other side wrote there meanwhile into the archive as well.
WHOLE_REPOSITORY: Final[dict[str, str]] = {"merge.directoryRenames": "false"}


class Manner(StrEnum):
    """How two files became one."""

    MEMORY = "memory"
    TEXT = "text"


class Driven(NamedTuple):
    """The outcome of one call."""

    manner: Manner
    is_clean: bool
    #: What is left to a person, in words; empty where nothing is.
    reasons: tuple[str, ...]


def drive(base: Path, ours: Path, theirs: Path) -> Driven:
    """Merge three files and write the outcome over `ours`.

    Shapes: an empty base is none, which is how git says that both sides added the file.
    Effects: `ours` is written once, when the outcome is known, and only if it differs.
    Errors: `StorageFailed`. Whatever the files hold, the outcome is a merge or a conflict.
    """
    ancestor, mine, other = (_read(path) for path in (base, ours, theirs))
    outcome = merge(ancestor or None, mine, other)
    match outcome:
        case Merged(data):
            driven = Driven(Manner.MEMORY, is_clean=True, reasons=())
        case Conflicted(data, reasons):
            driven = Driven(Manner.MEMORY, is_clean=False, reasons=tuple(reasons))
        case _:
            data, driven = _as_text(base, ours, theirs, mine, other)
    if data != mine:
        _write(ours, data)
    return driven


def _as_text(base: Path, ours: Path, theirs: Path, mine: bytes, other: bytes) -> tuple[bytes, Driven]:
    try:
        merged = merge_text(base, ours, theirs)
    except GitFailed as error:
        return mine, Driven(Manner.TEXT, is_clean=False, reasons=(error.message,))
    if merged.conflicts:
        reason = f"{merged.conflicts} place(s) of a file that does not merge as a memory"
        return merged.data, Driven(Manner.TEXT, is_clean=False, reasons=(reason,))
    if adds_violations(merged.data, mine, other):
        return whole_conflict(mine, other), Driven(Manner.TEXT, is_clean=False, reasons=(Reason.RULES,))
    return merged.data, Driven(Manner.TEXT, is_clean=True, reasons=())


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageFailed("reading a side of the merge", error.strerror or "") from error


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise StorageFailed("writing the merge", error.strerror or "") from error
