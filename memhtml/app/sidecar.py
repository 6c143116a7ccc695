"""Telling the other clones what was counted here, and hearing what they counted, through files in the repository."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from memhtml.app import indexing
from memhtml.app.clone import clone_of, read_sidecar, sidecar_path, sidecars
from memhtml.app.wire import Store
from memhtml.db.busy import transaction
from memhtml.db.open import attach_state, open_index
from memhtml.db.storage import storage
from memhtml.errors import MemhtmlError, RepoUnsupported
from memhtml.git.commit import CommitRequest, commit, subject_line
from memhtml.git.discover import find_repository
from memhtml.git.read import open_reader
from memhtml.index.clones import Home, read_own, take_in_counts, take_in_rows
from memhtml.index.sidecar import (
    ACCESS,
    SHEETS,
    Counts,
    access_lines,
    counts_of,
    encode,
    parse_lines,
)
from memhtml.resources import migrations
from memhtml.values import BlobSha, CommitSha, MemoryPath, Plane

__all__ = ["StateExport", "StateImport", "export_state", "import_state"]

_HASH_OF_PATH: Final = "SELECT content_hash FROM files WHERE path = ?"
_PATH_OF_HASH: Final = "SELECT path FROM files WHERE content_hash = ? ORDER BY archived, path LIMIT 1"


@dataclass(frozen=True, slots=True)
class StateExport:
    """What one export told."""

    clone_id: str
    #: The file of access counts, relative to the root, and what it holds.
    path: str
    rows: int
    bytes: int
    #: Every file that was written.
    paths: tuple[str, ...]
    written: bool
    commit_sha: CommitSha | None


@dataclass(frozen=True, slots=True)
class StateImport:
    """What one import heard."""

    clone_id: str
    #: The files that were read, relative to the root.
    paths: tuple[str, ...]
    #: The clones, this one included, whose counts were read.
    clones: tuple[str, ...]
    #: Lines about access counts, and about everything else.
    restored: int
    facts: int
    #: Lines that say nothing which can be taken in.
    skipped: int
    has_state: bool


def export_state(store: Store) -> StateExport:
    """Commit what this clone counted, in files that only this clone writes.

    Effects: one commit, of the files that would change; the index follows it where there is one.
    Errors: those of `git.commit.commit`; `LockHeld`, `StorageFailed`.
    """
    with _state(store) as state:
        clone_id = clone_of(store, state)
        files = _files_of(store, state, clone_id)
    reader = open_reader(store.root)
    access_path = sidecar_path(ACCESS, clone_id)
    rows = files.get(access_path, b"").count(b"\n")

    def request_from(head: CommitSha | None) -> CommitRequest | None:
        changes: dict[str, bytes | None] = {}
        expects: dict[str, BlobSha | None] = {}
        for path, data in files.items():
            entry = reader.entry_at(head, MemoryPath(path)) if head is not None else None
            held = reader.blob(entry.blob_sha) if entry is not None else None
            if data != (held or b""):
                changes[path] = data
                expects[path] = None if entry is None else entry.blob_sha
        subject = subject_line("state", f"export {rows} access row{'s' if rows != 1 else ''}")
        return CommitRequest(changes, subject, expects=expects) if changes else None

    done = commit(store.root, request_from)
    if done is not None and store.index_path.exists():
        indexing.update(store, embed=False, worktree=False)
    return StateExport(
        clone_id=clone_id,
        path=access_path,
        rows=rows,
        bytes=len(files.get(access_path, b"")),
        paths=() if done is None else done.paths,
        written=done is not None,
        commit_sha=None if done is None else done.sha,
    )


def import_state(store: Store) -> StateImport:
    """Take in what the files of all clones say.

    Effects: one transaction on the state plane. No count goes down, and a second run changes nothing.
    Errors: `LockHeld`, `StorageFailed`; a line or a file that cannot be read is counted, not raised.
    """
    has_state = store.state_path.exists()
    paths: list[str] = []
    counts: dict[str, list[Counts]] = {}
    restored = facts = skipped = 0
    with _state(store) as state, _home(store) as home:
        clone_id = clone_of(store, state)
        with transaction(state, "taking in what clones counted", Plane.STATE):
            for sheet, clone, path in sidecars(store.root):
                data = read_sidecar(store.root / path)
                if data is None:
                    skipped += 1
                    continue
                paths.append(path)
                parsed = parse_lines(sheet, data)
                skipped += parsed.skipped
                if sheet is ACCESS:
                    restored += len(parsed.rows)
                    counts.setdefault(clone, []).extend(map(counts_of, parsed.rows))
                else:
                    facts += len(parsed.rows)
                    take_in_rows(state, sheet, parsed.rows)
            for clone, rows in sorted(counts.items()):
                take_in_counts(state, clone, rows, home, is_own=clone == clone_id)
    return StateImport(
        clone_id=clone_id,
        paths=tuple(paths),
        clones=tuple(sorted(counts)),
        restored=restored,
        facts=facts,
        skipped=skipped,
        has_state=has_state,
    )


# What this clone tells.


def _files_of(store: Store, state: sqlite3.Connection, clone_id: str) -> dict[str, bytes]:
    """Return the files that say everything this clone knows and the others do not; empty ones say nothing."""
    with _words(store) as words:
        own = [counts_of(row) for row in read_own(state, ACCESS)]
        told = [counts._replace(content_hash=words(counts.path) or counts.content_hash) for counts in own]
    files = {sidecar_path(ACCESS, clone_id): b"".join(access_lines(told))}
    for sheet in SHEETS[1:]:
        # Facts that another clone told us stay that clone's to tell.
        heard: set[bytes] = set()
        for other, clone, path in sidecars(store.root):
            if other is sheet and clone != clone_id:
                heard.update(encode(sheet, parse_lines(sheet, read_sidecar(store.root / path) or b"").rows))
        lines = [line for line in encode(sheet, read_own(state, sheet)) if line not in heard]
        files[sidecar_path(sheet, clone_id)] = b"".join(lines)
    return files


# Databases.


@contextmanager
def _state(store: Store) -> Iterator[sqlite3.Connection]:
    """Open the state plane alone, so that no transaction on it locks the index."""
    if find_repository(store.root).work_dir is None:
        raise RepoUnsupported(
            "a bare repository has no working tree in which clones could tell what they counted"
        )
    connection = sqlite3.connect(":memory:", isolation_level=None, uri=True)
    with closing(connection), storage("telling counts", Plane.STATE):
        attach_state(
            connection, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=store.clock()
        )
        yield connection


@contextmanager
def _index(store: Store) -> Iterator[sqlite3.Connection | None]:
    """Open the index where there is a sound one: counts are found again with it, and told without it too."""
    connection: sqlite3.Connection | None = None
    with suppress(MemhtmlError):
        connection = open_index(
            store.index_path, mode="read", migrations=migrations(Plane.INDEX), now=store.clock()
        )
    if connection is None:
        yield None
        return
    with closing(connection), storage("looking for counted memories"):
        yield connection


@contextmanager
def _home(store: Store) -> Iterator[Home]:
    with _index(store) as index:
        yield Home(
            lambda path: None if index is None else _first(index, _HASH_OF_PATH, path) is not None,
            lambda words: None if index is None else _first(index, _PATH_OF_HASH, words),
        )


@contextmanager
def _words(store: Store) -> Iterator[Callable[[str], str | None]]:
    with _index(store) as index:
        yield lambda path: None if index is None else _first(index, _HASH_OF_PATH, path)


def _first(index: sqlite3.Connection, statement: str, value: str) -> str | None:
    row = index.execute(statement, (value,)).fetchone()
    return None if row is None else str(row[0])
