"""What is not even parsed, because parsing it could take unbounded time or memory.

Both sides ask here first: the projection before it reads a file, a write before it reads what it was given.
"""

import re
from typing import Final, NamedTuple

from memhtml.format.complexity import prescan
from memhtml.format.vocabulary import MAX_ATTRIBUTES, MAX_DEPTH, MAX_INDEXED_BYTES, MAX_WRITTEN_BYTES
from memhtml.values import SkipCode

__all__ = ["Refusal", "refusal"]

#: Up to 64 KiB, depth and attributes cost a fraction of a second whatever they are; copies are what does not.
_MAX_COPIES: Final = 100_000
#: Beyond this depth the copies are not counted any more.
_MAX_SMALL_DEPTH: Final = 1000
_FEW_TAGS: Final = 1000
#: The lines of an unresolved merge, in their order.
_CONFLICT_MARKERS: Final = tuple(
    re.compile(line, re.MULTILINE) for line in (rb"^<<<<<<< ", rb"^=======\r?$", rb"^>>>>>>> ")
)
#: Ends whatever tag or attribute value is open where the data ends, so that its attributes are counted.
_TAG_END: Final = b"a\"'>"


class Refusal(NamedTuple):
    code: SkipCode
    reason: str


def refusal(data: bytes) -> Refusal | None:
    """Return why a file is not even parsed, or None; in linear time."""
    if len(data) > MAX_INDEXED_BYTES:
        return Refusal(SkipCode.OVERSIZED, "the file is larger than 1 MiB")
    if b"<<<<<<< " in data and _has_conflict(data):
        return Refusal(SkipCode.CONFLICT, "the file holds the markers of an unresolved merge")
    is_large = len(data) > MAX_WRITTEN_BYTES
    # The parser adds at most one element for each pair of tags, so a file of few tags needs no second look.
    if not is_large and (len(data) <= 3 * _FEW_TAGS or data.count(b"<") <= _FEW_TAGS):
        return None
    complexity = prescan(data + _TAG_END)
    if complexity.copies > _MAX_COPIES:
        return Refusal(SkipCode.TOO_COMPLEX, "its unclosed formatting elements would be repeated too often")
    limit = MAX_DEPTH if is_large else _MAX_SMALL_DEPTH
    if complexity.depth > limit:
        return Refusal(SkipCode.TOO_COMPLEX, f"its elements nest deeper than {limit}")
    if is_large and complexity.attributes > MAX_ATTRIBUTES:
        return Refusal(SkipCode.TOO_COMPLEX, f"one of its tags has more than {MAX_ATTRIBUTES} attributes")
    return None


def _has_conflict(data: bytes) -> bool:
    """Say whether the marker lines stand in the file in their order; each is searched behind the one before."""
    at = 0
    for marker in _CONFLICT_MARKERS:
        match = marker.search(data, at)
        if match is None:
            return False
        at = match.end()
    return True
