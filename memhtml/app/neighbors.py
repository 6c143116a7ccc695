"""Use cases of looking around: what is linked with a memory, and where a memory is now."""

from collections.abc import Collection

from memhtml.app.reading import reading
from memhtml.app.wire import Store
from memhtml.errors import PathRefused
from memhtml.format.paths import is_valid_memory_path, normalize_path
from memhtml.index.neighbors import Neighborhood
from memhtml.index.neighbors import neighbors as neighbors_in
from memhtml.index.resolve import Resolved
from memhtml.index.resolve import resolve as resolve_in
from memhtml.values import EdgeRel, MemoryPath

__all__ = ["Neighborhood", "Resolved", "memory_path", "neighbors", "resolve"]


def neighbors(store: Store, path: str, *, depth: int = 1, rels: Collection[EdgeRel] = ()) -> Neighborhood:
    """Return what is linked with a memory. Errors: `PathRefused`, and those of `reading`."""
    center = memory_path(path)
    with reading(store, "looking for neighbours") as (connection, _, _):
        return neighbors_in(connection, center, depth=depth, rels=rels)


def resolve(store: Store, path: str) -> Resolved:
    """Return where the memory is that a path led to once. Errors: `PathRefused`, and those of `reading`."""
    asked = memory_path(path)
    with reading(store, "following a path") as (connection, _, _):
        return resolve_in(connection, asked)


def memory_path(path: str) -> MemoryPath:
    """Return the path that a person named, of a memory that need not exist. Errors: `PathRefused`."""
    normal = normalize_path(path)
    if not is_valid_memory_path(normal):
        raise PathRefused(path, "it is not the path of a memory")
    return normal
