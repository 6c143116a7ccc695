"""Writing every row anew, streamed, inside the caller's transaction.

Rows are written as they are parsed, so memory does not grow with the text of the corpus. Secondary indexes, triggers
and the text index are made after the rows, which is three times faster than keeping them up to date; a duplicate
that turns out to have lost after it was written is deleted before the unique index comes back.
"""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from memhtml import faults
from memhtml.format.rows import MemoryRows
from memhtml.index import search_text, tables
from memhtml.index.changes import Known, settle_moves
from memhtml.index.derived import move_derived_edges, settle_derived_edges
from memhtml.index.duplicates import Contender, competes, elect, loser_reason
from memhtml.index.expected import Found, project
from memhtml.values import BlobSha, ContentHash, Instant, MemoryPath, Skip, SkipCode

__all__ = ["EMPTIED", "WholeOutcome", "write_everything"]

_BATCH = 400

#: Emptied by a whole pass, children first. Traces, vectors and their cache are never in this list.
EMPTIED = (
    "file_citations",
    "file_facets",
    "file_entities",
    "file_tags",
    "files",
    "chunks",
    "skipped_files",
)

_INDEXES = (
    "SELECT name, sql FROM main.sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    " AND tbl_name IN (SELECT value FROM json_each(?)) ORDER BY name"
)
_DELETE_LOSER_CHILDREN = tuple(
    f"DELETE FROM {table} WHERE path IN (SELECT value FROM json_each(?))"
    for table in (*tables.CHILD_TABLES, "files")
)
_DELETE_LOSER_EDGES = "DELETE FROM edges WHERE src_path IN (SELECT value FROM json_each(?)) AND derived = 0"


@dataclass(slots=True)
class WholeOutcome:
    """What a whole pass found, against the rows that stood before it."""

    files: int = 0
    added: int = 0
    modified: int = 0
    removed: int = 0
    moves: list[tuple[MemoryPath, MemoryPath]] = field(default_factory=list)
    derived_edges_dropped: int = 0


@dataclass(slots=True)
class _Group:
    winner: Contender
    blob: BlobSha
    losers: list[tuple[Contender, BlobSha]] = field(default_factory=list)


def write_everything(
    connection: sqlite3.Connection,
    founds: Iterable[Found],
    before: dict[MemoryPath, Known],
    at: Instant,
) -> WholeOutcome:
    """Empty the memory tables and write a row for every file; foreign keys must be off on this connection.

    `before` holds the rows that stood, for the counts and moves of the report; it is consumed.
    Effects: vectors stay, also those of chunks that no longer exist (`drop_orphans` sorts them out).
    """
    triggers = search_text.suspend_triggers(connection)
    indexes = list(connection.execute(_INDEXES, (json.dumps([*EMPTIED, "edges"]),)))
    for name, _ in indexes:
        connection.execute(f'DROP INDEX "{name}"')
    for table in EMPTIED:
        connection.execute(f"DELETE FROM {table}")
    connection.execute("DELETE FROM edges WHERE derived = 0")
    faults.point("pass.rows_removed")

    outcome = WholeOutcome()
    is_first = not before
    arrived: dict[MemoryPath, tuple[BlobSha, ContentHash]] = {}
    sources: dict[MemoryPath, Known] = {}
    groups: dict[ContentHash, _Group] = {}
    written_losers: list[MemoryPath] = []
    skips: list[Skip] = []
    waiting: list[MemoryRows] = []

    for found in founds:
        rows = project(found, found.data or b"")
        if isinstance(rows, Skip):
            skips.append(rows)
            continue
        file = rows.file
        if competes(file):
            contender = Contender(file.created_at, file.path)
            group = groups.get(file.content_hash)
            if group is None:
                groups[file.content_hash] = _Group(contender, file.blob_sha)
            elif elect((group.winner, contender)) is contender:
                written_losers.append(group.winner.path)
                group.losers.append((group.winner, group.blob))
                group.winner, group.blob = contender, file.blob_sha
            else:
                group.losers.append((contender, file.blob_sha))
                continue
        waiting.append(rows)
        if len(waiting) >= _BATCH:
            _write(connection, waiting, at)
            if not is_first:
                _count(waiting, before, sources, arrived, outcome)
            outcome.files += len(waiting)
            waiting.clear()
    _write(connection, waiting, at)
    if not is_first:
        _count(waiting, before, sources, arrived, outcome)
    outcome.files += len(waiting)

    for content_hash, group in groups.items():
        reason = loser_reason(group.winner.path)
        for contender, blob in group.losers:
            skips.append(
                Skip(contender.path, blob, SkipCode.DUPLICATE, reason, content_hash, contender.created)
            )
    _delete_losers(connection, written_losers)
    outcome.files -= len(written_losers)
    tables.insert_skips(connection, skips)
    faults.point("pass.rows_written")

    for _, sql in indexes:
        connection.execute(sql)
    search_text.rebuild_text(connection)
    search_text.resume_triggers(connection, triggers)
    faults.point("pass.fts_written")

    if is_first:
        outcome.added = outcome.files
    else:
        for path in written_losers:
            arrived.pop(path, None)
        _settle_counts(outcome, {**sources, **before}, arrived)
    move_derived_edges(connection, outcome.moves)
    outcome.derived_edges_dropped = settle_derived_edges(connection)
    return outcome


def _write(connection: sqlite3.Connection, memories: list[MemoryRows], at: Instant) -> None:
    tables.insert_files(connection, memories, at)
    tables.insert_children(connection, memories)
    tables.insert_chunks(connection, memories)


def _delete_losers(connection: sqlite3.Connection, paths: list[MemoryPath]) -> None:
    if paths:
        named = (json.dumps(paths),)
        connection.execute(_DELETE_LOSER_EDGES, named)
        for statement in _DELETE_LOSER_CHILDREN:
            connection.execute(statement, named)


def _count(
    memories: list[MemoryRows],
    before: dict[MemoryPath, Known],
    sources: dict[MemoryPath, Known],
    arrived: dict[MemoryPath, tuple[BlobSha, ContentHash]],
    outcome: WholeOutcome,
) -> None:
    """Note what a batch means against the rows that stood: `before` shrinks, words that moved pile up."""
    for rows in memories:
        file = rows.file
        known = before.pop(file.path, None)
        if known is not None and known.content_hash == file.content_hash:
            outcome.modified += known.blob_sha != file.blob_sha
            continue
        arrived[file.path] = (file.blob_sha, file.content_hash)
        if known is not None:
            sources[file.path] = known


def _settle_counts(
    outcome: WholeOutcome,
    sources: dict[MemoryPath, Known],
    arrived: dict[MemoryPath, tuple[BlobSha, ContentHash]],
) -> None:
    settled = settle_moves(sources, arrived)
    outcome.moves = sorted(
        (known.path, path) for path, known in settled.rewritten.items() if known.path != path
    )
    outcome.modified += len(settled.rewritten) - len(outcome.moves)
    outcome.added = len(settled.added)
    outcome.removed = len(settled.ended)
