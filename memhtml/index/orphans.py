"""Chunks that no file says any more, and the vectors that were paid for them.

A vector leaves with its chunk but not for good: it waits in `embedding_cache` under the hash of the chunk's text, so
that a revert, or the same paragraph in an edited file, costs no call.
"""

import json
import sqlite3
from collections.abc import Collection

from blake3 import blake3

from memhtml.values import ContentHash, Instant

__all__ = [
    "CACHE_DAYS",
    "drop_orphans",
    "forget_old_cache",
    "register_text_hash",
    "remember_texts",
    "settle_vectors",
    "text_hash",
]

#: How long an unused vector is kept.
CACHE_DAYS = 30

_NO_FILE = "NOT EXISTS (SELECT 1 FROM files WHERE files.content_hash = chunks.content_hash)"
_ORPHANS = (
    f"SELECT chunk_id FROM chunks WHERE content_hash IN (SELECT value FROM json_each(:hashes)) AND {_NO_FILE}"
)
_CACHE_ORPHANS = (
    "INSERT INTO embedding_cache (space, text_hash, dim, vec, last_used_at)"
    " SELECT embeddings.model, memhtml_text_hash(chunks.text), embeddings.dim, embeddings.vec, :at"
    f" FROM chunks JOIN embeddings USING (chunk_id) WHERE chunk_id IN ({_ORPHANS})"
    " ON CONFLICT (space, text_hash) DO UPDATE SET vec = excluded.vec, dim = excluded.dim,"
    " last_used_at = excluded.last_used_at"
)
_DELETE_ORPHAN_VECTORS = f"DELETE FROM embeddings WHERE chunk_id IN ({_ORPHANS})"
_DELETE_ORPHANS = f"DELETE FROM chunks WHERE chunk_id IN ({_ORPHANS})"

_REMEMBER_TEXTS = (
    "CREATE TEMP TABLE remembered_texts AS"
    " SELECT chunk_id, text FROM main.chunks JOIN main.embeddings USING (chunk_id)"
)
_STRAYS = (
    "SELECT embeddings.chunk_id FROM embeddings LEFT JOIN temp.remembered_texts AS old USING (chunk_id)"
    " LEFT JOIN chunks USING (chunk_id)"
    " WHERE chunks.text IS NULL OR chunks.text IS NOT old.text"
)
_CACHE_STRAYS = (
    "INSERT INTO embedding_cache (space, text_hash, dim, vec, last_used_at)"
    " SELECT embeddings.model, memhtml_text_hash(old.text), embeddings.dim, embeddings.vec, :at"
    " FROM embeddings JOIN temp.remembered_texts AS old USING (chunk_id)"
    f" WHERE embeddings.chunk_id IN ({_STRAYS})"
    " ON CONFLICT (space, text_hash) DO UPDATE SET vec = excluded.vec, dim = excluded.dim,"
    " last_used_at = excluded.last_used_at"
)
_DELETE_STRAYS = f"DELETE FROM embeddings WHERE chunk_id IN ({_STRAYS})"
_FORGET_CACHE = "DELETE FROM embedding_cache WHERE last_used_at < strftime('%Y-%m-%dT%H:%M:%SZ', :at, :back)"


def text_hash(text: str) -> str:
    """Return the cache key of a chunk: BLAKE3 (hex) of its text."""
    return blake3(text.encode("utf-8", "surrogatepass")).hexdigest()


def register_text_hash(connection: sqlite3.Connection) -> None:
    """Let SQL compute `memhtml_text_hash(text)`."""
    connection.create_function("memhtml_text_hash", 1, text_hash, deterministic=True)


def drop_orphans(connection: sqlite3.Connection, hashes: Collection[ContentHash], at: Instant) -> int:
    """Drop the chunks of these content hashes where no file holds them; return how many vectors left."""
    if not hashes:
        return 0
    values = {"hashes": json.dumps(sorted(hashes)), "at": at}
    register_text_hash(connection)
    connection.execute(_CACHE_ORPHANS, values)
    vectors = connection.execute(_DELETE_ORPHAN_VECTORS, values).rowcount
    connection.execute(_DELETE_ORPHANS, values)
    return vectors


def remember_texts(connection: sqlite3.Connection) -> bool:
    """Note what every stored vector was made from, before a whole pass empties `chunks`; False if there is none."""
    if connection.execute("SELECT 1 FROM embeddings LIMIT 1").fetchone() is None:
        return False
    connection.execute(_REMEMBER_TEXTS)
    return True


def settle_vectors(connection: sqlite3.Connection, at: Instant) -> tuple[int, int]:
    """Sort the vectors out after a whole pass; return (kept, left for the cache).

    A vector stays if its chunk is there again with the same text, whatever space it is of: changing the space is
    another step, taken when the new vectors are complete.
    """
    values = {"at": at}
    register_text_hash(connection)
    connection.execute(_CACHE_STRAYS, values)
    left = connection.execute(_DELETE_STRAYS, values).rowcount
    connection.execute("DROP TABLE temp.remembered_texts")
    (kept,) = connection.execute("SELECT count(*) FROM embeddings").fetchone()
    return kept, left


def forget_old_cache(connection: sqlite3.Connection, at: Instant) -> int:
    """Delete cached vectors that nothing asked for in 30 days; return how many."""
    return connection.execute(_FORGET_CACHE, {"at": at, "back": f"-{CACHE_DAYS} days"}).rowcount
