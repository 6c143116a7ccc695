"""What git remembers of one memory: what became of it, commit by commit, and where each of its lines comes from.

A fact keeps its history when its file moves, and when another memory takes its place: a move is known by equal words,
a correction by the `supersedes` link that the new memory begins with.
"""

from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from memhtml.app.wire import Store
from memhtml.errors import PathNotFound
from memhtml.format.document import Document
from memhtml.format.limits import refusal
from memhtml.format.parse import parse
from memhtml.format.paths import is_indexable_path, normalize_path, original_path
from memhtml.format.vocabulary import rel_of_token
from memhtml.git.entries import CommitInfo, Entry, EntryKind
from memhtml.git.read import GitReader, open_reader
from memhtml.git.revisions import blame as blamed_lines
from memhtml.values import CommitSha, EdgeRel, Instant, MemoryPath

__all__ = [
    "Became",
    "BlamedLines",
    "MemoryBlame",
    "MemoryHistory",
    "Moment",
    "blame",
    "document_at",
    "history",
]


class Became(StrEnum):
    """What a commit made of a memory."""

    WRITTEN = "written"
    #: Its claim is another one.
    CLAIMED = "claimed"
    #: Something beside the claim changed, in the text or in the head.
    EDITED = "edited"
    MOVED = "moved"
    #: It took the place of the memory at `from_path`.
    CORRECTED = "corrected"
    REMOVED = "removed"


class Moment(NamedTuple):
    """One commit of a fact's history."""

    commit_sha: CommitSha
    at: Instant
    subject: str
    became: Became
    path: MemoryPath
    #: What it claims since then; None where it is gone, or no memory.
    claim: str | None
    #: Where it stood before, or the memory whose place it took.
    from_path: MemoryPath | None = None
    session_id: str | None = None
    prompt_id: str | None = None


class MemoryHistory(NamedTuple):
    path: MemoryPath
    #: The newest first.
    moments: tuple[Moment, ...]
    #: There may be older ones, beyond the limit.
    truncated: bool


class BlamedLines(NamedTuple):
    """Neighbouring lines of a file that come from one commit; lines are counted from 1."""

    first_line: int
    last_line: int
    commit_sha: CommitSha
    at: Instant
    subject: str
    session_id: str | None
    prompt_id: str | None
    text: tuple[str, ...]


class MemoryBlame(NamedTuple):
    path: MemoryPath
    lines: tuple[BlamedLines, ...]


def history(store: Store, path: str, *, limit: int = 50) -> MemoryHistory:
    """Return what became of a memory, the newest first, as far as HEAD's history tells.

    Shapes: the memory may be gone. Errors: `PathNotFound` where no commit has a file there, `GitFailed`.
    """
    wanted = _wanted(path)
    reader = open_reader(store.root)
    found: list[Moment] = []
    for moment in _moments(reader, wanted, limit + 1):
        found.append(moment)
        if len(found) > limit:
            break
    if not found:
        raise PathNotFound(wanted)
    return MemoryHistory(wanted, tuple(found[:limit]), len(found) > limit)


def blame(store: Store, path: str) -> MemoryBlame:
    """Return the lines of a committed memory, each with the commit and the session that it comes from.

    Errors: `PathNotFound`, `GitFailed`.
    """
    wanted = _wanted(path)
    reader = open_reader(store.root)
    head = reader.head()
    entry = reader.entry_at(head, wanted) if head is not None else None
    if head is None or entry is None or entry.kind is not EntryKind.FILE:
        raise PathNotFound(wanted)
    groups: list[BlamedLines] = []
    known: dict[CommitSha, CommitInfo] = {}
    first = 1
    for sha, group in groupby(blamed_lines(reader.location, head, wanted), key=lambda line: line.commit_sha):
        text = tuple(line.text for line in group)
        if sha not in known:
            known[sha] = next(iter(reader.log(1, start=sha)))
        info = known[sha]
        session, prompt = _provenance(info)
        last = first + len(text) - 1
        groups.append(BlamedLines(first, last, sha, info.author_at, info.subject, session, prompt, text))
        first = last + 1
    return MemoryBlame(wanted, tuple(groups))


def document_at(reader: GitReader, entry: Entry | None) -> Document | None:
    """Return what a committed file says; None where none is, or one that is too much to read."""
    if entry is None or entry.kind is not EntryKind.FILE:
        return None
    data = reader.blob(entry.blob_sha)
    return None if refusal(data) is not None else parse(data)


def _wanted(path: str) -> MemoryPath:
    wanted = normalize_path(path)
    if not is_indexable_path(wanted):
        raise PathNotFound(wanted)
    return wanted


def _moments(reader: GitReader, path: MemoryPath, limit: int) -> Iterator[Moment]:
    """Yield a fact's moments along its moves and corrections; each place is walked once."""
    start = reader.head()
    walked: set[MemoryPath] = set()
    while start is not None and path not in walked:
        walked.add(path)
        origin: tuple[CommitSha, MemoryPath] | None = None
        for info in reader.log(limit, path, start):
            moment = _moment(reader, info, path)
            yield moment
            if moment.became in (Became.MOVED, Became.CORRECTED) and moment.from_path is not None:
                origin = reader.parents(info.sha)[0], moment.from_path
                break
        if origin is None:
            return
        start, path = origin


def _moment(reader: GitReader, info: CommitInfo, path: MemoryPath) -> Moment:
    parents = reader.parents(info.sha)
    parent = parents[0] if parents else None
    now = document_at(reader, reader.entry_at(info.sha, path))
    before = document_at(reader, reader.entry_at(parent, path)) if parent is not None else None
    became, source = Became.EDITED, None
    if now is None:
        became = Became.REMOVED
    elif before is None:
        became, source = _origin(reader, info.sha, parent, path, now)
    elif before.gist != now.gist:
        became = Became.CLAIMED
    session, prompt = _provenance(info)
    claim = None if now is None else now.gist
    return Moment(info.sha, info.author_at, info.subject, became, path, claim, source, session, prompt)


def _origin(
    reader: GitReader, commit: CommitSha, parent: CommitSha | None, path: MemoryPath, now: Document
) -> tuple[Became, MemoryPath | None]:
    """Tell where a file that a commit put at a path comes from."""
    if parent is None:
        return Became.WRITTEN, None
    gone = [change.path for change in reader.changes(parent, commit) if change.new is None]
    likely = original_path(path)
    for candidate in sorted(gone, key=lambda each: each != likely):
        left = document_at(reader, reader.entry_at(parent, candidate))
        if left is not None and left.content_hash == now.content_hash:
            return Became.MOVED, candidate
    for link in now.links:
        if rel_of_token(link.rel) is EdgeRel.SUPERSEDES and link.href:
            target = normalize_path(link.href)
            for place in (original_path(target), target):
                if place is not None and reader.entry_at(parent, place) is not None:
                    return Became.CORRECTED, place
    return Became.WRITTEN, None


def _provenance(info: CommitInfo) -> tuple[str | None, str | None]:
    trailers = dict(info.trailers)
    return trailers.get("Memhtml-Session"), trailers.get("Memhtml-Prompt")
