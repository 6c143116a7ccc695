"""The statements that write and remove one memory's rows, for whole passes and single files alike."""

import sqlite3
from collections.abc import Iterable, Sequence

from memhtml.format.rows import FILE_COLUMNS, MemoryRows
from memhtml.index.chunks import chunks_of
from memhtml.values import Instant, MemoryPath, Skip

__all__ = [
    "CHILD_TABLES",
    "delete_children",
    "entity_key",
    "insert_children",
    "insert_chunks",
    "insert_files",
    "insert_skips",
    "replace_dirty",
    "update_file",
]

#: Tables keyed by `path` that hang on `files`.
CHILD_TABLES = ("file_tags", "file_entities", "file_facets", "file_citations")

_WRITTEN = (*FILE_COLUMNS, "row_digest", "indexed_at")
_INSERT_FILE = f"INSERT INTO files ({', '.join(_WRITTEN)}) VALUES ({', '.join('?' * len(_WRITTEN))})"
_UPDATE_FILE = f"UPDATE files SET {', '.join(f'{name} = ?' for name in _WRITTEN)} WHERE id = ?"
_INSERT_TAG = "INSERT INTO file_tags (path, tag) VALUES (?, ?)"
_INSERT_ENTITY = "INSERT INTO file_entities (path, entity_type, entity_name, entity_key) VALUES (?, ?, ?, ?)"
_INSERT_FACET = "INSERT INTO file_facets (path, name, value, numeric_value) VALUES (?, ?, ?, ?)"
_INSERT_CITATION = "INSERT INTO file_citations (path, text, href) VALUES (?, ?, ?)"
# A derived edge of the same triple gives way: what a person asserts outranks what was mined.
_INSERT_EDGE = (
    "INSERT INTO edges (src_path, rel, dst_path, edge_class, derived, strength, provenance, src_hash, created_at)"
    " VALUES (?, ?, ?, ?, 0, 1.0, 'authored', ?, ?)"
    " ON CONFLICT (src_path, rel, dst_path) DO UPDATE SET edge_class = excluded.edge_class, derived = 0,"
    " strength = 1.0, provenance = 'authored', sleep_run = NULL, src_hash = excluded.src_hash, dst_hash = NULL,"
    " created_at = excluded.created_at"
)
_INSERT_CHUNK = (
    "INSERT INTO chunks (chunk_id, content_hash, ordinal, text, char_count) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (chunk_id) DO NOTHING"
)
_INSERT_SKIP = (
    "INSERT INTO skipped_files (path, blob_sha, code, reason, content_hash, created)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
_INSERT_DIRTY = "INSERT INTO dirty_paths (path, blob_sha) VALUES (?, ?)"
_DELETE_CHILDREN = tuple(f"DELETE FROM {table} WHERE path = ?" for table in CHILD_TABLES)
_DELETE_AUTHORED_EDGES = "DELETE FROM edges WHERE src_path = ? AND derived = 0"


def insert_files(connection: sqlite3.Connection, memories: Iterable[MemoryRows], at: Instant) -> None:
    """Insert `files` rows; their ids rise in the given order."""
    connection.executemany(_INSERT_FILE, ((*rows.file, rows.row_digest, at) for rows in memories))


def update_file(connection: sqlite3.Connection, file_id: int, rows: MemoryRows, at: Instant) -> None:
    """Overwrite every projected column of one row, its path included, keeping its id."""
    connection.execute(_UPDATE_FILE, (*rows.file, rows.row_digest, at, file_id))


def entity_key(kind: str, name: str) -> str:
    """Return what an entity is found by, however its type and name are spelled."""
    return f"{kind}:{name}".casefold()


def insert_children(connection: sqlite3.Connection, memories: Sequence[MemoryRows]) -> None:
    """Insert tags, entities, facets, citations and authored edges of memories whose `files` rows stand."""
    connection.executemany(_INSERT_TAG, [(rows.file.path, tag) for rows in memories for tag in rows.tags])
    connection.executemany(
        _INSERT_ENTITY,
        [
            (rows.file.path, kind, name, entity_key(kind, name))
            for rows in memories
            for kind, name in rows.entities
        ],
    )
    connection.executemany(
        _INSERT_FACET, [(rows.file.path, *facet) for rows in memories for facet in rows.facets]
    )
    connection.executemany(
        _INSERT_CITATION, [(rows.file.path, *citation) for rows in memories for citation in rows.citations]
    )
    connection.executemany(
        _INSERT_EDGE,
        [
            (
                rows.file.path,
                edge.rel.value,  # sqlite3 takes a detour of its own for a subclass of str
                edge.dst_path,
                edge.edge_class.value,
                rows.file.content_hash,
                rows.file.updated_at,
            )
            for rows in memories
            for edge in rows.edges
        ],
    )


def delete_children(connection: sqlite3.Connection, path: MemoryPath) -> None:
    """Delete one memory's children and the edges it asserts itself; inbound and derived edges stay."""
    for statement in _DELETE_CHILDREN:
        connection.execute(statement, (path,))
    connection.execute(_DELETE_AUTHORED_EDGES, (path,))


def insert_chunks(connection: sqlite3.Connection, memories: Iterable[MemoryRows]) -> None:
    """Insert the chunks of memories, where equal words have not put them there already."""
    connection.executemany(
        _INSERT_CHUNK,
        (chunk for rows in memories for chunk in chunks_of(rows.file.content_hash, rows.file.body_text)),
    )


def insert_skips(connection: sqlite3.Connection, skips: Iterable[Skip]) -> None:
    """Insert what did not become a row."""
    connection.executemany(
        _INSERT_SKIP,
        (
            (skip.path, skip.blob_sha, skip.code, skip.reason, skip.content_hash, skip.created)
            for skip in skips
        ),
    )


def replace_dirty(connection: sqlite3.Connection, dirty: Iterable[tuple[MemoryPath, str | None]]) -> None:
    """Make `dirty_paths` hold exactly these (path, blob or None for a deletion)."""
    connection.execute("DELETE FROM dirty_paths")
    connection.executemany(_INSERT_DIRTY, dirty)
