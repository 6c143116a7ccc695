"""What stands in one commit: who says which words, and who fills which claim slot.

The index answers, for all files that the commit and the index agree on. The others are read from the commit itself:
what was committed since the index caught up, and what the index took from the working tree.
"""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from memhtml.app.wire import Store
from memhtml.db.open import open_index
from memhtml.db.storage import storage
from memhtml.format.rows import FileRow
from memhtml.git.entries import EntryKind
from memhtml.git.read import GitReader
from memhtml.index.duplicates import competes
from memhtml.index.expected import Found, found_of, project
from memhtml.index.frames import FrameRow, rows_of_frames
from memhtml.index.skipped import skips_of_words
from memhtml.index.watermark import read_watermark
from memhtml.resources import migrations
from memhtml.store.view import FrameHolder
from memhtml.values import CommitSha, ContentHash, MemoryPath, Plane, Skip, SkipCode

__all__ = ["Standing", "standing_in"]

_HOLDER = "SELECT path FROM files WHERE content_hash = ? AND archived = 0 AND memory_type <> 'task'"
_DIRTY = "SELECT path FROM dirty_paths"


class Standing:
    """Answers about one commit, on one open connection to the index."""

    def __init__(self, connection: sqlite3.Connection, reader: GitReader, head: CommitSha) -> None:
        self._connection = connection
        self._reader = reader
        #: Files that the index knows otherwise than the commit does.
        self._elsewhere: set[MemoryPath] = set()
        self._arrived: dict[ContentHash, MemoryPath] = {}
        self._arrived_frames: list[FrameRow] = []
        for path, found in self._differences(head):
            self._elsewhere.add(path)
            if found is not None and found.kind is EntryKind.FILE:
                rows = project(found, reader.blob(found.blob_sha))
                if not isinstance(rows, Skip) and competes(rows.file):
                    self._arrive(rows.file)

    def holder_of(self, content_hash: ContentHash) -> MemoryPath | None:
        """Return an active memory of the commit, no task, that says these words, or None."""
        if content_hash in self._arrived:
            return self._arrived[content_hash]
        with storage("looking for equal words"):
            row = self._connection.execute(_HOLDER, (content_hash,)).fetchone()
            if row is None or row[0] not in self._elsewhere:
                return MemoryPath(row[0]) if row is not None else None
            waiting = skips_of_words(self._connection, [content_hash])
            paths = (skip.path for skip in waiting if skip.code is SkipCode.DUPLICATE)
            return next((path for path in paths if path not in self._elsewhere), None)

    def frame_holders(self, keys: Collection[str]) -> dict[str, FrameHolder]:
        """Return who fills each of these slots in the commit: of several the one that was updated last."""
        with storage("looking for claims of one slot"):
            indexed = rows_of_frames(self._connection, keys)
            rows = [row for row in indexed if row.path not in self._elsewhere]
        rows += (row for row in self._arrived_frames if row.frame_key in keys)
        rows.sort(key=lambda row: row.path)
        rows.sort(key=lambda row: row.updated_at, reverse=True)
        holders: dict[str, FrameHolder] = {}
        for row in rows:
            holders.setdefault(row.frame_key, FrameHolder(row.path, row.claim, row.content_hash))
        return holders

    def _differences(self, head: CommitSha) -> Iterator[tuple[MemoryPath, Found | None]]:
        """Yield what the commit holds wherever the index may know something else."""
        with storage("following the index"):
            mark = read_watermark(self._connection)
            dirty = {MemoryPath(path) for (path,) in self._connection.execute(_DIRTY)}
        if mark is not None and mark.head_sha is not None and mark.head_sha != head:
            for change in self._reader.changes(mark.head_sha, head):
                dirty.discard(change.path)
                yield change.path, found_of(change.new)
        for path in sorted(dirty):
            yield path, found_of(self._reader.entry_at(head, path))

    def _arrive(self, file: FileRow) -> None:
        self._arrived.setdefault(file.content_hash, file.path)
        if file.frame_key is not None:
            self._arrived_frames.append(
                FrameRow(file.frame_key, file.path, file.gist, file.content_hash, file.updated_at)
            )


@contextmanager
def standing_in(store: Store, reader: GitReader, head: CommitSha) -> Iterator[Standing]:
    """Open the index for questions about one commit. Errors: those of `open_index`, `GitFailed`."""
    connection = open_index(
        store.index_path, mode="read", migrations=migrations(Plane.INDEX), now=store.clock()
    )
    try:
        yield Standing(connection, reader, head)
    finally:
        connection.close()
