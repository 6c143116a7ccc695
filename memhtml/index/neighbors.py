"""Memories that links lead to and come from, one or two links away.

Two links count where both lead the same way: what the neighbours of a neighbour lead to in turn, not everything else
that shares a neighbour. Tasks are joined with tasks and memories with memories, so a walk never leaves the kind that it
began with. A link to a place that was archived since leads to where the archive keeps it.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable
from typing import Final, Literal, NamedTuple

from memhtml.index.resolve import moved_to
from memhtml.values import EdgeClass, EdgeRel, MemoryPath, MemoryType

__all__ = ["Direction", "Neighbor", "Neighborhood", "neighbors"]

Direction = Literal["out", "in"]

_CENTER: Final = "SELECT memory_type FROM files WHERE path = ?"
_FILES: Final = (
    "SELECT path, title, archived, origin_path FROM files WHERE path IN (SELECT value FROM json_each(?))"
)
_OUT: Final = (
    "SELECT src_path, rel, dst_path FROM edges WHERE src_path IN (SELECT value FROM json_each(:places))"
    " AND edge_class = :class AND rel IN (SELECT value FROM json_each(:rels))"
)
_IN: Final = (
    "SELECT dst_path, rel, src_path FROM edges WHERE dst_path IN (SELECT value FROM json_each(:places))"
    " AND edge_class = :class AND rel IN (SELECT value FROM json_each(:rels))"
)


class Neighbor(NamedTuple):
    path: MemoryPath
    title: str
    #: Links from the centre.
    hop: int
    rel: EdgeRel
    #: Whether the link starts nearer to the centre, or leads there.
    direction: Direction
    archived: bool


class Neighborhood(NamedTuple):
    center: MemoryPath
    depth: int
    nodes: tuple[Neighbor, ...]
    #: Links that were followed.
    edges: int


class _File(NamedTuple):
    path: MemoryPath
    title: str
    archived: bool
    #: Where it stood, if nothing stands there now.
    origin: MemoryPath | None


def neighbors(
    connection: sqlite3.Connection, center: MemoryPath, *, depth: int = 1, rels: Collection[EdgeRel] = ()
) -> Neighborhood:
    """Return what is linked with a memory, in either direction; no rels means all of them.

    Shapes: an unknown centre has no neighbours; a memory that several links join stands once a rel and direction.
    Order: by distance, then by path.
    """
    row = connection.execute(_CENTER, (center,)).fetchone()
    kind = EdgeClass.TASK if row is not None and row[0] == MemoryType.TASK else EdgeClass.MEMORY
    asked = json.dumps([rel.value for rel in rels or EdgeRel])
    known = _files(connection, [center])
    nodes: list[Neighbor] = []
    followed: set[tuple[str, str, str]] = set()
    for direction, statement in (("out", _OUT), ("in", _IN)):
        nearer, seen = dict(known), {center}
        for hop in range(1, depth + 1):
            places = {place for file in nearer.values() for place in _places(file, direction)}
            bound = {"places": json.dumps(sorted(places)), "class": kind.value, "rels": asked}
            found = connection.execute(statement, bound).fetchall()
            followed.update((a, rel, b) if direction == "out" else (b, rel, a) for a, rel, b in found)
            reached = _reached(connection, {far for _, _, far in found})
            said = {(reached[far], rel) for _, rel, far in found if far in reached}
            fresh = sorted((file, rel) for file, rel in said if file.path not in seen)
            side: Direction = "out" if direction == "out" else "in"
            nodes += (
                Neighbor(file.path, file.title, hop, EdgeRel(rel), side, file.archived) for file, rel in fresh
            )
            nearer = {file.path: file for file, _ in fresh}
            seen.update(file.path for file, _ in fresh)
    nodes.sort(key=lambda node: (node.hop, node.path, node.rel, node.direction))
    return Neighborhood(center, depth, tuple(nodes), len(followed))


def _places(file: _File, direction: str) -> tuple[MemoryPath, ...]:
    """Return the paths by which links name a memory: its own links move with it, those of others may be behind."""
    return (file.path, file.origin) if direction == "in" and file.origin is not None else (file.path,)


def _reached(connection: sqlite3.Connection, paths: Iterable[str]) -> dict[str, _File]:
    """Return the memory that each path leads to, by way of the archive where nothing stands there any more."""
    wanted = list(paths)
    there = _files(connection, wanted)
    moved = {path: moved_to(connection, path) for path in wanted if path not in there}
    files = _files(connection, [path for path in moved.values() if path is not None])
    there.update({path: files[to] for path, to in moved.items() if to is not None and to in files})
    return there


def _files(connection: sqlite3.Connection, paths: Iterable[str]) -> dict[str, _File]:
    rows = connection.execute(_FILES, (json.dumps(list(paths)),)).fetchall()
    origins = [origin for _, _, _, origin in rows if origin is not None]
    taken = {row[0] for row in connection.execute(_FILES, (json.dumps(origins),))} if origins else set()
    return {
        path: _File(
            MemoryPath(path),
            title,
            bool(archived),
            origin if origin is not None and origin not in taken else None,
        )
        for path, title, archived, origin in rows
    }
