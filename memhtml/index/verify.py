"""Holding the live index against one built from nothing, row by row."""

import sqlite3
from collections.abc import Iterator, Sequence

from memhtml.format.rows import FILE_COLUMNS
from memhtml.index.reports import DifferenceKind, RowDifference

__all__ = ["COMPARED", "compare_planes", "rows_of"]

#: Table to (columns of its key, other projected columns). Left out: `id`, `indexed_at`, vectors, access, dirty
#: bookkeeping, and what was mined rather than projected.
COMPARED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "files": (("path",), (*FILE_COLUMNS[1:], "row_digest")),
    "file_tags": (("path", "tag"), ()),
    "file_entities": (("path", "entity_type", "entity_name"), ("entity_key",)),
    "file_facets": (("path", "name", "value"), ("numeric_value",)),
    "file_citations": (("path", "text"), ("href",)),
    "edges": (
        ("src_path", "rel", "dst_path"),
        ("edge_class", "strength", "provenance", "src_hash", "dst_hash", "created_at"),
    ),
    "chunks": (("chunk_id",), ("content_hash", "ordinal", "text", "char_count")),
    "skipped_files": (("path",), ("blob_sha", "code", "reason", "content_hash", "created")),
    "dirty_paths": (("path",), ("blob_sha",)),
}
_WHERE = {"edges": " WHERE derived = 0"}


def rows_of(connection: sqlite3.Connection, table: str) -> Iterator[tuple[object, ...]]:
    """Yield the compared columns of one table, key first, in key order."""
    key, others = COMPARED[table]
    statement = (
        f"SELECT {', '.join((*key, *others))} FROM {table}{_WHERE.get(table, '')} ORDER BY {', '.join(key)}"
    )
    yield from connection.execute(statement)


def compare_planes(
    live: sqlite3.Connection, fresh: sqlite3.Connection
) -> tuple[int, tuple[RowDifference, ...]]:
    """Return how many rows a fresh index holds, and each row in which the live one differs from it."""
    compared = 0
    differences: list[RowDifference] = []
    for table in COMPARED:
        for found in _compare_table(live, fresh, table):
            if found is None:
                compared += 1
            else:
                differences.append(found)
    return compared, tuple(differences)


def _compare_table(
    live: sqlite3.Connection, fresh: sqlite3.Connection, table: str
) -> Iterator[RowDifference | None]:
    """Merge two streams in key order; None stands for a row that agrees."""
    key, others = COMPARED[table]
    width = len(key)
    left, right = rows_of(live, table), rows_of(fresh, table)
    mine, theirs = next(left, None), next(right, None)
    while mine is not None or theirs is not None:
        if theirs is None or (mine is not None and _order(mine, width) < _order(theirs, width)):
            assert mine is not None
            yield RowDifference(table, DifferenceKind.EXTRA, _name(mine, width))
            mine = next(left, None)
        elif mine is None or _order(theirs, width) < _order(mine, width):
            yield RowDifference(table, DifferenceKind.MISSING, _name(theirs, width))
            theirs = next(right, None)
        else:
            pairs = zip(others, mine[width:], theirs[width:], strict=True)
            columns = tuple(name for name, a, b in pairs if a != b)
            yield (
                RowDifference(table, DifferenceKind.CHANGED, _name(mine, width), columns) if columns else None
            )
            mine, theirs = next(left, None), next(right, None)


def _order(row: Sequence[object], width: int) -> tuple[str, ...]:
    return tuple(str(part) for part in row[:width])


def _name(row: Sequence[object], width: int) -> str:
    return " ".join(_order(row, width))
