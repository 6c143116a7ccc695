"""One string for everything projected: equal on two machines exactly when their rows are."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby

from blake3 import blake3

from memhtml.format.rows import FILE_COLUMNS, EdgeRow, FacetRow, FileRow, row_digest
from memhtml.values import EdgeClass, EdgeRel, MemoryPath

__all__ = ["digest_of", "recomputed_digest", "recomputed_digests", "stored_digest"]

_STORED = "SELECT path, row_digest FROM files ORDER BY path"
_SKIPPED = "SELECT path, blob_sha, code, reason, content_hash, created FROM skipped_files ORDER BY path"
_FILES = f"SELECT {', '.join(FILE_COLUMNS)} FROM files ORDER BY path"
_TAGS = "SELECT path, tag FROM file_tags ORDER BY path, tag"
_ENTITIES = "SELECT path, entity_type, entity_name FROM file_entities ORDER BY path, entity_type, entity_name"
_FACETS = "SELECT path, name, value, numeric_value FROM file_facets ORDER BY path, name, value"
_CITATIONS = "SELECT path, text, href FROM file_citations ORDER BY path, text"
_EDGES = (
    "SELECT src_path, rel, dst_path, edge_class FROM edges WHERE derived = 0 ORDER BY src_path, rel, dst_path"
)


def digest_of(
    digests: Iterable[tuple[str, str]], skipped: Iterable[tuple[str | None, ...]], projector: str
) -> str:
    """Return BLAKE3 (hex) over (path, row digest) in path order, the skipped files and the projector."""
    hasher = blake3(projector.encode())
    for path, digest in digests:
        hasher.update(json.dumps((path, digest)).encode())
    for skip in skipped:
        hasher.update(json.dumps(skip).encode())
    return hasher.hexdigest()


def stored_digest(connection: sqlite3.Connection, projector: str) -> str:
    """Return the digest from the digests that stand in the rows: cheap, and only as true as they are."""
    return digest_of(connection.execute(_STORED), connection.execute(_SKIPPED), projector)


def recomputed_digest(connection: sqlite3.Connection, projector: str) -> str:
    """Return the digest from the rows' own contents."""
    return digest_of(recomputed_digests(connection), connection.execute(_SKIPPED), projector)


class _Children:
    """Walks one child table in step with `files`; both are in path order."""

    def __init__(self, rows: Iterator[tuple[str, ...]]) -> None:
        self._groups = groupby(rows, key=lambda row: row[0])
        self._path: str | None = None
        self._rows: list[tuple[str, ...]] = []
        self._advance()

    def _advance(self) -> None:
        group = next(self._groups, None)
        self._path, self._rows = (None, []) if group is None else (group[0], list(group[1]))

    def of(self, path: str) -> list[tuple[str, ...]]:
        while self._path is not None and self._path < path:
            self._advance()
        return self._rows if self._path == path else []


def recomputed_digests(connection: sqlite3.Connection) -> Iterator[tuple[MemoryPath, str]]:
    """Yield (path, digest of what the tables really hold) in path order."""
    tags, entities, facets, citations, edges = (
        _Children(connection.execute(statement))
        for statement in (_TAGS, _ENTITIES, _FACETS, _CITATIONS, _EDGES)
    )
    for row in connection.execute(_FILES):
        file = FileRow(*row)
        yield (
            file.path,
            row_digest(
                file,
                tuple(tag for _, tag in tags.of(file.path)),
                tuple((kind, name) for _, kind, name in entities.of(file.path)),
                tuple(FacetRow(name, value, number) for _, name, value, number in facets.of(file.path)),  # type: ignore[arg-type]
                tuple((text, href) for _, text, href in citations.of(file.path)),
                tuple(
                    EdgeRow(EdgeRel(rel), MemoryPath(dst), EdgeClass(kind))
                    for _, rel, dst, kind in edges.of(file.path)
                ),
            ),
        )
