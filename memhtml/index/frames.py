"""Who fills a claim slot: the one lookup behind the hint that two claims give one slot different values."""

import json
import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from memhtml.values import ContentHash, MemoryPath

__all__ = ["FrameRow", "rows_of_frames"]

_ROWS = (
    "SELECT frame_key, path, gist, content_hash, updated_at FROM files"
    " WHERE frame_key IN (SELECT value FROM json_each(?)) AND archived = 0 AND memory_type <> 'task'"
)


class FrameRow(NamedTuple):
    frame_key: str
    path: MemoryPath
    claim: str
    content_hash: ContentHash
    updated_at: str


def rows_of_frames(connection: sqlite3.Connection, keys: Collection[str]) -> Iterator[FrameRow]:
    """Yield every active memory, tasks apart, whose claim fills one of these slots; one statement for all of them."""
    if keys:
        for row in connection.execute(_ROWS, (json.dumps(sorted(keys)),)):
            yield FrameRow(*row)
