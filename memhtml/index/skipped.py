"""Reading `skipped_files`: what of the tree became no row, and why."""

import json
import sqlite3
from collections.abc import Iterable, Iterator

from memhtml.values import BlobSha, ContentHash, MemoryPath, Skip, SkipCode

__all__ = ["known_skips", "skips_of_words"]

_SKIPS = "SELECT path, blob_sha, code, reason, content_hash, created FROM skipped_files"
_SKIPS_BY_PATH = f"{_SKIPS} WHERE path IN (SELECT value FROM json_each(?))"
_SKIPS_BY_HASH = f"{_SKIPS} WHERE content_hash IN (SELECT value FROM json_each(?))"


def _skips(rows: Iterable[tuple[str, str, str, str, str | None, str]]) -> Iterator[Skip]:
    for path, blob, code, reason, content, created in rows:
        yield Skip(
            MemoryPath(path),
            BlobSha(blob),
            SkipCode(code),
            reason,
            None if content is None else ContentHash(content),
            created,
        )


def known_skips(
    connection: sqlite3.Connection, paths: Iterable[MemoryPath] | None = None
) -> dict[MemoryPath, Skip]:
    """Return what stands in `skipped_files` at some paths, or all of it."""
    if paths is None:
        found = connection.execute(_SKIPS)
    else:
        found = connection.execute(_SKIPS_BY_PATH, (json.dumps(list(paths)),))
    return {skip.path: skip for skip in _skips(found)}


def skips_of_words(connection: sqlite3.Connection, hashes: Iterable[ContentHash]) -> Iterator[Skip]:
    """Yield the duplicates that wait for a place in the groups of these content hashes."""
    return _skips(connection.execute(_SKIPS_BY_HASH, (json.dumps(sorted(hashes)),)))
