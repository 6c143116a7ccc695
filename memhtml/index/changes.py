"""From candidate paths to a plan: which rows go, move, change and come, and which files get none.

Only the candidates are read and parsed. A file's rows depend on its path and bytes alone, so a path whose blob the
index knows already needs nothing, unless its words are disputed: then its whole group is decided anew.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from memhtml.format.rows import MemoryRows
from memhtml.git.entries import EntryKind
from memhtml.index.duplicates import Contender, competes, elect, loser_reason
from memhtml.index.expected import Found, project
from memhtml.index.skipped import known_skips, skips_of_words
from memhtml.index.spool import Spool
from memhtml.values import BlobSha, ContentHash, MemoryPath, MemoryType, Skip, SkipCode

__all__ = [
    "Known",
    "Plan",
    "Settled",
    "known_rows",
    "pair_moves",
    "plan_changes",
    "settle_moves",
    "unknown_candidates",
]

_KNOWN = "SELECT id, path, blob_sha, content_hash, created_at, archived, memory_type FROM files"
_KNOWN_BY_PATH = f"{_KNOWN} WHERE path IN (SELECT value FROM json_each(?))"
_KNOWN_BY_HASH = f"{_KNOWN} WHERE content_hash IN (SELECT value FROM json_each(?))"


class Known(NamedTuple):
    """What a pass keeps in memory of a row that stands."""

    file_id: int
    path: MemoryPath
    blob_sha: BlobSha
    content_hash: ContentHash
    created: str
    competes: bool


class _Fresh(NamedTuple):
    """What a pass keeps in memory of a row that comes; the row itself is in the spool."""

    blob_sha: BlobSha
    content_hash: ContentHash
    created: str
    competes: bool


@dataclass(slots=True)
class Plan:
    """What one pass will write."""

    #: Rows that end; their paths get no row in this pass.
    removed: list[Known] = field(default_factory=list)
    #: Path of a row to write, to the standing row that becomes it.
    rewritten: dict[MemoryPath, Known] = field(default_factory=dict)
    #: Paths of rows to write that stood nowhere before.
    added: set[MemoryPath] = field(default_factory=set)
    skips: list[Skip] = field(default_factory=list)
    #: Paths whose line in `skipped_files` ends or is replaced.
    forgotten_skips: set[MemoryPath] = field(default_factory=set)
    #: What the rows to write say.
    written_hashes: set[ContentHash] = field(default_factory=set)

    @property
    def is_empty(self) -> bool:
        return not (self.removed or self.rewritten or self.added or self.skips or self.forgotten_skips)

    @property
    def moves(self) -> list[tuple[MemoryPath, MemoryPath]]:
        """Return (from, to) of the rows that change their path, sorted."""
        return sorted((known.path, path) for path, known in self.rewritten.items() if known.path != path)

    def written(self, spool: Spool) -> Iterator[list[MemoryRows]]:
        """Yield the rows to write, in batches, leaving out those that lost their group."""
        for batch in spool.batches():
            yield [rows for rows in batch if rows.file.path in self.rewritten or rows.file.path in self.added]


def _known(rows: Iterable[tuple[int, str, str, str, str, int, str]]) -> Iterator[Known]:
    for file_id, path, blob, content, created, archived, kind in rows:
        yield Known(
            file_id,
            MemoryPath(path),
            BlobSha(blob),
            ContentHash(content),
            created,
            not archived and kind != MemoryType.TASK,
        )


def known_rows(
    connection: sqlite3.Connection, paths: Iterable[MemoryPath] | None = None
) -> dict[MemoryPath, Known]:
    """Return the standing rows at some paths, or all of them."""
    if paths is None:
        found = connection.execute(_KNOWN)
    else:
        found = connection.execute(_KNOWN_BY_PATH, (json.dumps(list(paths)),))
    return {known.path: known for known in _known(found)}


def pair_moves(
    sources: Mapping[MemoryPath, Known], arrived: Mapping[MemoryPath, tuple[BlobSha, ContentHash]]
) -> dict[MemoryPath, Known]:
    """Pair rows whose words left their path with paths that say them now: equal bytes first, then equal words.

    Order: by path. Never by similarity: unrelated memories share their boilerplate, so a score pairs strangers.
    """
    pairs: dict[MemoryPath, Known] = {}
    left = dict(sorted(sources.items()))
    for part in (0, 1):
        waiting: defaultdict[str, list[Known]] = defaultdict(list)
        for known in reversed(left.values()):
            waiting[(known.blob_sha, known.content_hash)[part]].append(known)
        for path in sorted(arrived.keys() - pairs.keys()):
            group = waiting.get(arrived[path][part])
            if group:
                known = group.pop()
                pairs[path] = known
                del left[known.path]
    return pairs


@dataclass(frozen=True, slots=True)
class Settled:
    """Where rows went whose words left their path, and where words came from that are new at theirs."""

    #: Path to the row that becomes it: another path's (a move) or its own (an edit).
    rewritten: dict[MemoryPath, Known]
    added: set[MemoryPath]
    ended: list[Known]


def settle_moves(
    sources: Mapping[MemoryPath, Known], arrived: Mapping[MemoryPath, tuple[BlobSha, ContentHash]]
) -> Settled:
    """Tell moves, edits, additions and removals apart; a swap is two moves, and so is each link of a chain."""
    rewritten = pair_moves(sources, arrived)
    moved = {known.path for known in rewritten.values()}
    rewritten.update(
        (path, sources[path])
        for path in arrived
        if path not in rewritten and path in sources and path not in moved
    )
    kept = {known.path for known in rewritten.values()}
    return Settled(
        rewritten,
        {path for path in arrived if path not in rewritten},
        [known for path, known in sources.items() if path not in kept],
    )


def _stands(found: Found, known: Known | None, skip: Skip | None) -> bool:
    """Tell whether the index knows this file as it is; equal bytes as a link and as a file are not the same."""
    if known is not None:
        return found.kind is EntryKind.FILE and known.blob_sha == found.blob_sha
    if skip is not None:
        was_link = skip.code is SkipCode.SYMLINK
        was_unreadable = skip.code is SkipCode.UNREADABLE
        return (
            skip.blob_sha == found.blob_sha
            and was_link == (found.kind is EntryKind.SYMLINK)
            and was_unreadable == bool(found.unreadable)
        )
    return False


def unknown_candidates(
    connection: sqlite3.Connection, candidates: Mapping[MemoryPath, Found | None]
) -> dict[MemoryPath, Found | None]:
    """Return the candidates that the index does not know as they are now."""
    rows = known_rows(connection, candidates)
    skipped = known_skips(connection, candidates)
    unknown: dict[MemoryPath, Found | None] = {}
    for path, found in candidates.items():
        known, skip = rows.get(path), skipped.get(path)
        if (known is None and skip is None) if found is None else _stands(found, known, skip):
            continue
        unknown[path] = found
    return unknown


def plan_changes(
    connection: sqlite3.Connection,
    candidates: Mapping[MemoryPath, Found | None],
    read: Callable[[Found], bytes],
    spool: Spool,
) -> Plan:
    """Judge the candidates that are not known as they are (None = gone) and leave the rows to write in the spool.

    `read` returns a file's bytes; it is also asked for skipped duplicates that win their group in this pass.
    Effects: none on the database.
    """
    rows = known_rows(connection, candidates)
    skipped = known_skips(connection, candidates)
    plan = Plan()
    fresh: dict[MemoryPath, _Fresh] = {}
    disputed: set[ContentHash] = set()
    replaced: set[MemoryPath] = set()

    def judge(found: Found) -> None:
        outcome = project(found, read(found))
        if isinstance(outcome, Skip):
            plan.skips.append(outcome)
            return
        file = outcome.file
        fresh[found.path] = _Fresh(file.blob_sha, file.content_hash, file.created_at, competes(file))
        spool.add(outcome)

    for path in sorted(candidates):
        found, known, skip = candidates[path], rows.get(path), skipped.get(path)
        if skip is not None:
            plan.forgotten_skips.add(path)
        if known is not None:
            replaced.add(path)
            if known.competes:
                disputed.add(known.content_hash)
        if found is not None:
            judge(found)

    disputed.update(new.content_hash for new in fresh.values() if new.competes)
    promoted: set[MemoryPath] = set()
    lost = _settle_groups(connection, disputed, replaced, fresh, plan, judge, promoted)

    arrived = {path: (new.blob_sha, new.content_hash) for path, new in fresh.items() if path not in promoted}
    sources = {path: rows[path] for path in replaced}
    for path in sources.keys() & arrived.keys():
        if sources[path].content_hash == arrived[path][1]:  # only the head changed
            plan.rewritten[path] = sources.pop(path)
            del arrived[path]
    settled = settle_moves(sources, arrived)
    plan.rewritten.update(settled.rewritten)
    plan.added = settled.added | promoted
    plan.removed = sorted([*settled.ended, *lost], key=lambda known: known.file_id)
    plan.written_hashes = {new.content_hash for new in fresh.values()}
    return plan


def _settle_groups(
    connection: sqlite3.Connection,
    disputed: set[ContentHash],
    replaced: set[MemoryPath],
    fresh: dict[MemoryPath, _Fresh],
    plan: Plan,
    judge: Callable[[Found], None],
    promoted: set[MemoryPath],
) -> list[Known]:
    """Decide every disputed group anew; return the standing rows that lost theirs.

    A fresh row that loses leaves `fresh` for `plan.skips`; a skipped duplicate that wins is judged, joins `fresh`
    and is noted in `promoted`: its file was there all along, so it is no move.
    """
    if not disputed:
        return []
    wanted = json.dumps(sorted(disputed))
    standing: defaultdict[ContentHash, list[Known]] = defaultdict(list)
    for known in _known(connection.execute(_KNOWN_BY_HASH, (wanted,))):
        if known.competes and known.path not in replaced:
            standing[known.content_hash].append(known)
    waiting: defaultdict[ContentHash, list[Skip]] = defaultdict(list)
    for skip in skips_of_words(connection, disputed):
        if skip.content_hash is not None and skip.path not in plan.forgotten_skips:
            waiting[skip.content_hash].append(skip)
    coming: defaultdict[ContentHash, list[MemoryPath]] = defaultdict(list)
    for path, new in fresh.items():
        if new.competes:
            coming[new.content_hash].append(path)

    lost: list[Known] = []
    for content_hash in sorted(disputed):
        rows, skips, news = standing[content_hash], waiting[content_hash], coming[content_hash]
        contenders = [Contender(known.created, known.path) for known in rows]
        contenders += [Contender(skip.created, skip.path) for skip in skips]
        contenders += [Contender(fresh[path].created, path) for path in news]
        if not contenders:
            continue
        winner = elect(contenders).path
        reason = loser_reason(winner)
        for known in rows:
            if known.path != winner:
                lost.append(known)
                plan.skips.append(_loser(known.path, known.blob_sha, content_hash, known.created, reason))
        for path in news:
            if path != winner:
                new = fresh.pop(path)
                plan.skips.append(_loser(path, new.blob_sha, content_hash, new.created, reason))
        for skip in skips:
            if skip.path == winner:
                plan.forgotten_skips.add(skip.path)
                promoted.add(skip.path)
                judge(Found(skip.path, skip.blob_sha, EntryKind.FILE, None))
            elif skip.reason != reason:
                plan.forgotten_skips.add(skip.path)
                plan.skips.append(_loser(skip.path, skip.blob_sha, content_hash, skip.created, reason))
    return lost


def _loser(path: MemoryPath, blob: BlobSha, content_hash: ContentHash, created: str, reason: str) -> Skip:
    return Skip(path, blob, SkipCode.DUPLICATE, reason, content_hash, created)
