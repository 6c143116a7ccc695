"""A memory on its way into the archive: its stamps, and its new place. A part of several commits, none by itself."""

from dataclasses import dataclass

from memhtml.errors import InvalidMemory
from memhtml.format.edit import read_meta, set_meta
from memhtml.format.instants import normalise_instant
from memhtml.format.origin import ORIGIN_META
from memhtml.format.paths import archive_path
from memhtml.store.gate import admit_edit
from memhtml.store.placing import Placing
from memhtml.store.view import HeadFile
from memhtml.values import Instant, MemoryPath, MemoryStatus

__all__ = ["Retired", "retire", "stamped"]


@dataclass(frozen=True, slots=True)
class Retired:
    """What becomes of a memory: its file at `path`, `data`, in the place of `file`."""

    file: HeadFile
    path: MemoryPath
    data: bytes


def retire(
    placing: Placing,
    file: HeadFile,
    at: Instant,
    *,
    superseded_by: MemoryPath | None = None,
    valid_until: str | None = None,
) -> Retired:
    """Return an active memory as the archive keeps it, the article byte for byte.

    `valid_until` ends what the memory claims, unless an earlier end is known.
    Errors: `InvalidMemory` for a head that cannot be edited, `PathRefused`.
    """
    stamps = [("status", MemoryStatus.ARCHIVED.value), ("updated", at), ("archived", at)]
    if superseded_by is not None:
        stamps.append(("superseded-by", f"/{superseded_by}"))
    known = file.document.valid_until
    if valid_until is not None and not (known and normalise_instant(known) < normalise_instant(valid_until)):
        stamps.append(("valid-until", valid_until))
    year = int(at[:4])
    path = placing.archive(file.path, year)
    if path != archive_path(file.path, year):
        stamps.append((ORIGIN_META, f"/{file.path}"))
    return Retired(file, path, stamped(file, stamps))


def stamped(file: HeadFile, stamps: list[tuple[str, str]]) -> bytes:
    """Return a file with metas of its head set. Errors: `InvalidMemory` where the head cannot be edited."""
    data = file.data
    for name, value in stamps:
        data = set_meta(data, name, value)
        if read_meta(data, name) != value:
            raise InvalidMemory(f"{file.path}: its head cannot be edited", hints=("memhtml doctor",))
    return admit_edit(file.data, data).data
