"""Where a tag goes in the bytes of a file, and what goes with it: lines, their indentation and their ends.

Everything here is arithmetic on places. What a head says, and whether an edit is read as meant, is for callers.
"""

import re
from typing import Final, NamedTuple

from memhtml.format.lexis import BYTE_ORDER_MARK

__all__ = [
    "Place",
    "indent_of",
    "insert_above",
    "insert_below",
    "is_first_on_line",
    "line_end_of",
    "line_start",
    "remove",
    "rest_of_line",
]

_BLANK: Final = b"\t "
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BLANK_REST: Final = re.compile(rb"[\t ]*(?:\r\n|\n|\r|\Z)")


class Place(NamedTuple):
    """A piece of a source: `data[start:end]`."""

    start: int
    end: int


def line_start(data: bytes, position: int) -> int:
    """Return where the line of a position starts; a byte order mark belongs to no line."""
    start = max(data.rfind(b"\n", 0, position), data.rfind(b"\r", 0, position)) + 1
    return len(BYTE_ORDER_MARK) if start == 0 and data.startswith(BYTE_ORDER_MARK) else start


def indent_of(data: bytes, position: int) -> bytes:
    """Return the white space that the line of a position begins with."""
    line = data[line_start(data, position) : position]
    return line[: len(line) - len(line.lstrip(_BLANK))]


def is_first_on_line(data: bytes, position: int) -> bool:
    """Say whether nothing but white space stands before a position in its line."""
    return not data[line_start(data, position) : position].strip(_BLANK)


def rest_of_line(data: bytes, position: int) -> re.Match[bytes] | None:
    """Return the end of a line, if nothing but white space stands between it and a position."""
    return _BLANK_REST.match(data, position)


def line_end_of(data: bytes) -> bytes:
    """Return what ends the first line of a file, or a line feed where it has only one."""
    found = _LINE_END.search(data)
    return found[0] if found else b"\n"


def insert_below(data: bytes, place: Place, tag: bytes) -> bytes:
    """Put a tag on a line of its own below a place, or right behind it where more follows on its line."""
    if rest_of_line(data, place.end) is not None:
        tag = line_end_of(data) + indent_of(data, place.start) + tag
    return data[: place.end] + tag + data[place.end :]


def insert_above(data: bytes, position: int, tag: bytes, *, has_line: bool) -> bytes:
    """Put a tag on a line of its own above a position, or right there where a line holds several things."""
    if has_line and is_first_on_line(data, position):
        tag += line_end_of(data) + indent_of(data, position)
    return data[:position] + tag + data[position:]


def remove(data: bytes, places: list[Place]) -> bytes:
    """Return a source without places that stand in order; a line that held nothing else goes as well."""
    for start, end in reversed(places):
        rest = rest_of_line(data, end)
        if rest is not None and is_first_on_line(data, start):
            start, end = line_start(data, start), rest.end()
        data = data[:start] + data[end:]
    return data
