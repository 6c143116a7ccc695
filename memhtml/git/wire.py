"""Parsers of what git writes: bytes in, values out, no disk and no process.

Names stay bytes until `memory_path` decodes them; everything here is total over its input except where it says so.
"""

import re
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from memhtml.git.entries import EntryKind, WorktreeKind
from memhtml.values import LISTING_NAMES, Bucket, MemoryPath

__all__ = [
    "LISTINGS",
    "StatusRecord",
    "TreeItem",
    "is_candidate",
    "is_candidate_name",
    "memory_path",
    "parse_status",
    "parse_trailers",
    "parse_tree",
    "quote_path",
    "utf8_path",
]

_BUCKETS = frozenset(bucket.value.encode("ascii") for bucket in Bucket)
#: Names of generated files, as git spells them.
LISTINGS = frozenset(name.encode("ascii") for name in LISTING_NAMES)
#: Names that a tree object can hold and a work tree cannot.
_UNUSABLE = frozenset({b".", b"..", b""})

_TREE_ITEM = re.compile(rb"([0-7]{5,6}) ([^\0/]+)\0(.{20})", re.DOTALL)
_HOSTILE_TREE_ITEM = re.compile(rb"([0-7]{5,6}) ([^\0]+)\0(.{20})", re.DOTALL)
_TRAILER = re.compile(r"([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)")

#: A tree item as `(octal mode, name, 20 bytes of object id)`.
TreeItem = tuple[bytes, bytes, bytes]


class StatusRecord(NamedTuple):
    """One path of `git status`, relative to the top of the work tree."""

    path: bytes
    kind: WorktreeKind
    #: What stands in the work tree; None when only a look at the file can tell.
    entry_kind: EntryKind | None


def is_candidate_name(name: bytes) -> bool:
    """Tell whether a file name may be a memory's."""
    return name.endswith(b".html") and name not in LISTINGS


def is_candidate(path: bytes) -> bool:
    """Tell whether a path relative to the store may be a memory's: in a bucket, `.html`, no generated listing."""
    bucket, slash, rest = path.partition(b"/")
    return bool(slash) and bucket in _BUCKETS and is_candidate_name(rest.rpartition(b"/")[2])


def memory_path(path: bytes) -> tuple[MemoryPath, bool]:
    """Return a path as text, and whether it is one a memory can have.

    A bad one is shown with escapes and with two slashes behind its bucket, which no other path has: two files never
    share one text, and a bad path never hides a good one.
    """
    if _UNUSABLE.isdisjoint(path.split(b"/")):
        try:
            return MemoryPath(path.decode("utf-8")), True
        except UnicodeDecodeError:
            pass
    shown = path.replace(b"\\", rb"\\").decode("utf-8", "backslashreplace")
    return MemoryPath(shown.replace("/", "//", 1)), False


def utf8_path(path: str) -> bytes | None:
    """Return a store path as bytes, or None when it is absolute, climbs, or no file name can spell it."""
    try:
        raw = path.encode("utf-8")
    except UnicodeEncodeError:
        return None
    return raw if b"\0" not in raw and _UNUSABLE.isdisjoint(raw.split(b"/")) else None


def parse_tree(data: bytes) -> list[TreeItem]:
    """Return the items of a raw tree object, in its order.

    Only a forged tree has a name twice, which is kept once, or a slash in one, which becomes a byte that is not UTF-8,
    so that no path hides behind it.
    Errors: ValueError for bytes that are no tree.
    """
    items: list[TreeItem] = _TREE_ITEM.findall(data)
    if not _adds_up(items, data):
        items = _HOSTILE_TREE_ITEM.findall(data)
        if not _adds_up(items, data):
            raise ValueError("not a tree object")
        items = [(mode, name.replace(b"/", b"\xff"), oid) for mode, name, oid in items]
    if len(set(map(itemgetter(1), items))) == len(items):
        return items
    return [*reversed({item[1]: item for item in reversed(items)}.values())]


def _adds_up(items: list[TreeItem], data: bytes) -> bool:
    """Tell whether no byte was passed over: between mode, name and object id stand a blank and a NUL."""
    return sum(map(len, chain.from_iterable(items))) + 2 * len(items) == len(data)


def parse_status(output: bytes) -> Iterator[StatusRecord]:
    """Yield the records of `git status --porcelain=v2 -z`; headers and ignored files are left out.

    A staged rename is two records: its source absent, its destination present. Order: git's.
    """
    fields = iter(output.split(b"\0"))
    for field in fields:
        match field[:2]:
            case b"1 ":
                parts = field.split(b" ", 8)
                if len(parts) == 9:
                    yield _record(parts[8], parts[5])
            case b"2 ":
                source = next(fields, b"")
                parts = field.split(b" ", 9)
                if len(parts) == 10:
                    if parts[8].startswith(b"R"):
                        yield StatusRecord(source, WorktreeKind.ABSENT, EntryKind.FILE)
                    yield _record(parts[9], parts[5])
            case b"u ":
                parts = field.split(b" ", 10)
                if len(parts) == 11:
                    yield StatusRecord(parts[10], WorktreeKind.UNMERGED, _kind_of(parts[6]))
            case b"? ":
                yield StatusRecord(field[2:], WorktreeKind.PRESENT, None)


def _record(path: bytes, mode: bytes) -> StatusRecord:
    kind = WorktreeKind.ABSENT if mode == b"000000" else WorktreeKind.PRESENT
    return StatusRecord(path, kind, _kind_of(mode))


def _kind_of(mode: bytes) -> EntryKind:
    match mode:
        case b"120000":
            return EntryKind.SYMLINK
        case b"160000":
            return EntryKind.SUBMODULE
        case _:
            return EntryKind.FILE


def quote_path(path: bytes) -> bytes:
    """Return a path as one line of git's standard input: as it is, or quoted like a C string where it must be."""
    if not path.startswith(b'"') and not any(byte < 32 for byte in path):
        return path
    quoted = bytearray(b'"')
    for byte in path:
        if byte < 32 or byte in b'"\\':
            quoted += b"\\%03o" % byte
        else:
            quoted.append(byte)
    return bytes(quoted + b'"')


def parse_trailers(message: str) -> tuple[tuple[str, str], ...]:
    """Return the trailers of a commit message in its order, repeated keys kept, folded lines joined.

    The last paragraph holds trailers when it is not the subject and every line of it is one or continues one.
    """
    paragraphs = re.split(r"\n[ \t]*\n", message.replace("\r\n", "\n").strip("\n"))
    found: list[tuple[str, str]] = []
    for line in paragraphs[-1].rstrip().split("\n") if len(paragraphs) > 1 else ():
        if line[:1] in {" ", "\t"} and found:
            key, value = found[-1]
            found[-1] = (key, f"{value} {line.strip()}")
        elif trailer := _TRAILER.fullmatch(line):
            found.append((trailer.group(1), trailer.group(2).strip()))
        else:
            return ()
    return tuple(found)
