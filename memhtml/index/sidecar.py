"""The lines in which clones tell each other what they counted: pure, one JSON object a line, in a fixed order.

Lines of access counts are those of other writers of the format, with one more key at the end where it is known: the
hash of the words, by which counts find their memory again when its path is gone.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from memhtml.format.content_hash import is_well_formed
from memhtml.format.instants import is_datetime, normalise_instant

__all__ = [
    "ACCESS",
    "FOLDER",
    "LEGACY",
    "SHEETS",
    "Counts",
    "Parsed",
    "Sheet",
    "Value",
    "access_lines",
    "by_path",
    "counts_of",
    "encode",
    "joined",
    "parse_lines",
]

#: Where the files stand, relative to the root of the store.
FOLDER: Final = ".memhtml/state"
#: The clone that stands for the one file of a writer that knows no clones.
LEGACY: Final = "legacy"

Value = str | int | float | None
#: More than a count ever is; beyond it JSON numbers are no longer exact.
_MOST: Final = 2**53


class Kind(Enum):
    """What a key may hold."""

    TEXT = "a text that is not empty"
    OPTIONAL_TEXT = "a text, or nothing"
    HASH = "a content hash, or nothing"
    INSTANT = "an instant"
    OPTIONAL_INSTANT = "an instant, or nothing"
    COUNT = "a whole number from 0 on"
    DETECTIONS = "a whole number from 1 on"
    FLAG = "0 or 1"
    SCORE = "a number from -1 to 1"
    LINK = "what a session did with a memory"


class Field(NamedTuple):
    key: str
    column: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Sheet:
    """One kind of line: the table it is about and its keys, in order."""

    #: The folder below `FOLDER`, with one file a clone.
    name: str
    table: str
    fields: tuple[Field, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.column for field in self.fields)


_LINK_KINDS: Final = frozenset({"wrote", "read", "corrected", "reinforced"})

ACCESS: Final = Sheet(
    "access",
    "access",
    (
        Field("path", "path", Kind.TEXT),
        Field("accessCount", "access_count", Kind.COUNT),
        Field("reinforcementCount", "reinforcement_count", Kind.COUNT),
        Field("outcomeScore", "outcome_score", Kind.SCORE),
        Field("lastAccessedAt", "last_accessed_at", Kind.OPTIONAL_INSTANT),
        Field("lastReinforcedAt", "last_reinforced_at", Kind.OPTIONAL_INSTANT),
        Field("updatedAt", "updated_at", Kind.INSTANT),
        Field("contentHash", "content_hash", Kind.HASH),
    ),
)
LINKS: Final = Sheet(
    "links",
    "memory_session_links",
    (
        Field("path", "path", Kind.TEXT),
        Field("sessionId", "session_id", Kind.TEXT),
        Field("promptId", "prompt_id", Kind.OPTIONAL_TEXT),
        Field("turnUuid", "turn_uuid", Kind.OPTIONAL_TEXT),
        Field("linkKind", "link_kind", Kind.LINK),
        Field("at", "at", Kind.INSTANT),
    ),
)
CONSOLIDATIONS: Final = Sheet(
    "consolidations",
    "trace_consolidations",
    (
        Field("sessionId", "session_id", Kind.TEXT),
        Field("runId", "run_id", Kind.TEXT),
        Field("consolidatedAt", "consolidated_at", Kind.INSTANT),
    ),
)
_SEEN: Final = (
    Field("detections", "detections", Kind.DETECTIONS),
    Field("confirmed", "confirmed", Kind.FLAG),
    Field("promoted", "promoted", Kind.FLAG),
    Field("updatedAt", "updated_at", Kind.INSTANT),
)
EDGES: Final = Sheet(
    "edges",
    "edge_corroboration",
    (
        Field("srcPath", "src_path", Kind.TEXT),
        Field("rel", "rel", Kind.TEXT),
        Field("dstPath", "dst_path", Kind.TEXT),
        *_SEEN,
    ),
)
ENTITIES: Final = Sheet(
    "entities",
    "entity_corroboration",
    (
        Field("entityType", "entity_type", Kind.TEXT),
        Field("aliasName", "alias_name", Kind.TEXT),
        Field("canonicalName", "canonical_name", Kind.TEXT),
        *_SEEN,
    ),
)
#: Every kind of line.
SHEETS: Final = (ACCESS, LINKS, CONSOLIDATIONS, EDGES, ENTITIES)


class Counts(NamedTuple):
    """What one clone counted of one memory, in the columns of `ACCESS`."""

    path: str
    access_count: int
    reinforcement_count: int
    outcome_score: float
    last_accessed_at: str | None
    last_reinforced_at: str | None
    updated_at: str
    content_hash: str | None


class Parsed(NamedTuple):
    #: Values in the order of the sheet's columns.
    rows: tuple[tuple[Value, ...], ...]
    #: Lines that say nothing which can be taken in.
    skipped: int


def encode(sheet: Sheet, rows: Iterable[tuple[Value, ...]]) -> list[bytes]:
    """Return the lines of rows in one order, each once, with their line ends."""
    lines = {_line(sheet, row) for row in rows}
    return sorted(lines)


def access_lines(rows: Iterable[Counts]) -> list[bytes]:
    """Return the lines of counts, by path."""
    return [_line(ACCESS, row) for row in sorted(rows, key=lambda row: row.path)]


def _line(sheet: Sheet, row: tuple[Value, ...]) -> bytes:
    said: dict[str, Value] = {}
    for field, value in zip(sheet.fields, row, strict=True):
        if field.kind is Kind.SCORE:
            assert isinstance(value, int | float)
            said[field.key] = _rounded(value)
        elif field.kind is not Kind.HASH or value is not None:
            said[field.key] = value
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _rounded(score: float) -> float | int:
    """Return a score to four places, whole ones as whole numbers: as ECMAScript writes it."""
    rounded = round(score, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def parse_lines(sheet: Sheet, data: bytes) -> Parsed:
    """Return what the lines of a file say. Total: what cannot be taken in is counted."""
    rows: list[tuple[Value, ...]] = []
    skipped = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        row = _row(sheet, line)
        if row is None:
            skipped += 1
        else:
            rows.append(row)
    return Parsed(tuple(rows), skipped)


def _row(sheet: Sheet, line: bytes) -> tuple[Value, ...] | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):  # also what is not UTF-8
        return None
    if not isinstance(said, dict):
        return None
    row: list[Value] = []
    for field in sheet.fields:
        is_legal, value = _read(field.kind, said.get(field.key))
        if not is_legal:
            return None
        row.append(value)
    return tuple(row)


def _read(kind: Kind, value: object) -> tuple[bool, Value]:
    """Return whether a value is legal, and the value as it is stored."""
    match kind:
        case Kind.COUNT | Kind.DETECTIONS | Kind.FLAG:
            least, most = {Kind.COUNT: (0, _MOST), Kind.DETECTIONS: (1, _MOST), Kind.FLAG: (0, 1)}[kind]
            number = int(value) if isinstance(value, bool) and kind is Kind.FLAG else value
            if isinstance(number, bool) or not isinstance(number, int):
                return False, None
            return least <= number <= most, number
        case Kind.SCORE:
            if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
                return False, None  # also NaN, which is in no order
            return True, float(value)
    if value is None or value == "":
        return kind in (Kind.OPTIONAL_TEXT, Kind.OPTIONAL_INSTANT, Kind.HASH), None
    if not isinstance(value, str) or not _is_storable(value):
        return False, None
    if kind in (Kind.INSTANT, Kind.OPTIONAL_INSTANT):
        return is_datetime(value), normalise_instant(value)
    if kind is Kind.HASH:
        return True, value if is_well_formed(value) else None
    return kind is not Kind.LINK or value in _LINK_KINDS, value


def _is_storable(text: str) -> bool:
    """Say whether SQLite takes a text and gives it back; lone surrogates are none."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def counts_of(row: tuple[Value, ...]) -> Counts:
    """Return a parsed line of `ACCESS` by its names."""
    path, accesses, reinforcements, score, accessed, reinforced, updated, content_hash = row
    assert isinstance(path, str)
    assert isinstance(accesses, int)
    assert isinstance(reinforcements, int)
    assert isinstance(score, float)
    assert isinstance(updated, str)
    return Counts(
        path,
        accesses,
        reinforcements,
        score,
        _text(accessed),
        _text(reinforced),
        updated,
        _text(content_hash),
    )


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def joined(one: Counts, other: Counts) -> Counts:
    """Return what two readings of one clone's counts come to: the greater of each, the outcome of the later.

    Counters only grow, so of two readings the greater is the later one, and no reading makes a count go down.
    """
    later = max(one, other, key=lambda counts: (counts.updated_at, counts.outcome_score))
    return Counts(
        one.path,
        max(one.access_count, other.access_count),
        max(one.reinforcement_count, other.reinforcement_count),
        later.outcome_score,
        max(filter(None, (one.last_accessed_at, other.last_accessed_at)), default=None),
        max(filter(None, (one.last_reinforced_at, other.last_reinforced_at)), default=None),
        later.updated_at,
        later.content_hash or one.content_hash or other.content_hash,
    )


def by_path(rows: Iterable[Counts]) -> Mapping[str, Counts]:
    """Return counts by path; of two lines about one path both are heard."""
    found: dict[str, Counts] = {}
    for row in rows:
        found[row.path] = joined(found[row.path], row) if row.path in found else row
    return found
