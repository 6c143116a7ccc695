"""Use cases of reading: search, list, read one memory. Nothing here writes but the count of what was opened."""

import errno
import re
import shlex
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from memhtml.app.reading import reading
from memhtml.app.wire import Store
from memhtml.db.open import attach_state
from memhtml.errors import (
    GitFailed,
    InvalidFlag,
    InvalidMemory,
    MemhtmlError,
    PathNotFound,
    RepoRequired,
    RepoUnsupported,
    StorageFailed,
)
from memhtml.format.paths import is_valid_memory_path, normalize_path
from memhtml.git.head import find_repository, head_commit
from memhtml.index import listing
from memhtml.index.answers import ListPage, SearchResult
from memhtml.index.arms.lexical import POOL
from memhtml.index.scope import EVERYTHING, Scope
from memhtml.index.search import answer
from memhtml.resources import migrations
from memhtml.values import BlobSha, CommitSha, MemoryPath, Plane

__all__ = ["MAX_LIMIT", "MAX_PAGE", "MemoryDetail", "MemoryLink", "list_memories", "read", "search"]

#: Most hits of one search: the lexical arm scores no more.
MAX_LIMIT = POOL
#: Most memories of one page of a listing.
MAX_PAGE = 500

#: Words of a file name that a search for it may use.
_MAX_NEAR_WORDS = 8
#: How long SQLite waits for another writer before a reading goes uncounted, in seconds: nobody should notice it.
_COUNTING_WAIT_S = 0.005
_NO_WORD = re.compile(r"[\W_]+")
_MOVED = "SELECT path FROM files WHERE origin_path = ? ORDER BY path DESC LIMIT 1"


def search(
    store: Store, query: str, *, scope: Scope = EVERYTHING, limit: int = 10, explain: bool = False
) -> SearchResult:
    """Return the memories that answer a query, best first; a query without a word lists the newest and most used.

    Shapes: `limit` is 1 to 200. An index behind HEAD answers too, and says so.
    Errors: `InvalidFlag`, and those of `reading`.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidFlag(f"--limit takes a number from 1 to {MAX_LIMIT}")
    with reading(store, "searching", with_state=True) as (connection, has_state, described):
        found = answer(
            connection,
            query,
            scope=scope,
            limit=limit,
            now=store.clock(),
            has_state=has_state,
            explain=explain,
        )
    return found._replace(index_fresh=_is_fresh(store, described))


def list_memories(
    store: Store, *, scope: Scope = EVERYTHING, limit: int = 50, cursor: str | None = None
) -> ListPage:
    """Return a page of memories by path; `cursor` is the `next_cursor` of the page before.

    Errors: as `search`; `limit` is 1 to 500.
    """
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidFlag(f"--limit takes a number from 1 to {MAX_PAGE}")
    with reading(store, "listing") as (connection, _, _):
        return listing.page(connection, scope, limit=limit, cursor=normalize_path(cursor or ""))


class MemoryLink(NamedTuple):
    rel: str
    href: str


class MemoryDetail(NamedTuple):
    """One memory as its file says it, whatever the index knows."""

    path: MemoryPath
    title: str
    memory_type: str
    #: (name, content) of every `memhtml-` and `x-memhtml-` meta, in document order.
    metas: tuple[tuple[str, str], ...]
    #: `type:name`, those that the article defines included.
    entities: tuple[str, ...]
    tags: tuple[str, ...]
    links: tuple[MemoryLink, ...]
    gist: str
    #: The words behind the claim.
    body: tuple[str, ...]
    html: str
    archived: bool
    #: (code, sentence) of what is unusual about the file and keeps it a memory.
    warnings: tuple[tuple[str, str], ...]


def read(store: Store, path: str, *, session_id: str | None = None) -> MemoryDetail:
    """Return one memory, from the working tree, or from HEAD in a bare repository.

    Shapes: a leading slash is accepted. A link, a folder, a name outside of the four buckets is no memory.
    Effects: counts the opening in the state plane, and with a session records who opened it; neither failing nor
    waiting there keeps the memory from being read.
    Errors: `PathNotFound`, `InvalidMemory`, `GitFailed`, `StorageFailed`.
    """
    wanted = normalize_path(path)
    data = _bytes_of(store, wanted) if is_valid_memory_path(wanted) else None
    if data is None:
        raise PathNotFound(wanted, hints=_near(store, wanted))
    detail, content_hash = _detail(wanted, data)
    _count_opening(store, wanted, content_hash, session_id)
    return detail


def _detail(path: MemoryPath, data: bytes) -> tuple[MemoryDetail, str]:
    from memhtml.format.check import check  # the parser: searching never needs it
    from memhtml.format.parse import parse
    from memhtml.format.projection import project_file
    from memhtml.format.rules import Severity
    from memhtml.values import Skip, SkipCode

    rows = project_file(path, BlobSha(""), data)
    if isinstance(rows, Skip) and rows.code is not SkipCode.FORMAT:
        raise InvalidMemory(
            rows.reason, violations=((rows.code.value, rows.reason),), hints=("memhtml doctor",)
        )
    document = parse(data)
    found = check(document)
    if isinstance(rows, Skip):
        errors = tuple((v.code.value, v.message) for v in found if v.severity is Severity.ERROR)
        raise InvalidMemory(f"{path} is no valid memory", violations=errors, hints=("memhtml doctor",))
    body = rows.file.body_text.removeprefix(rows.file.gist).strip()
    detail = MemoryDetail(
        path=path,
        title=rows.file.title,
        memory_type=rows.file.memory_type,
        metas=tuple((m.name, m.content) for m in document.metas if m.name in document.head),
        entities=tuple(f"{kind}:{name}" for kind, name in rows.entities),
        tags=rows.tags,
        links=tuple(MemoryLink(edge.rel.value, f"/{edge.dst_path}") for edge in rows.edges),
        gist=rows.file.gist,
        body=(body,) if body else (),
        html=data.decode("utf-8", "replace"),
        archived=bool(rows.file.archived),
        warnings=tuple((v.code.value, v.message) for v in found),
    )
    return detail, rows.file.content_hash


def _bytes_of(store: Store, path: MemoryPath) -> bytes | None:
    location = find_repository(store.root)
    if location.work_dir is None:
        return _committed_bytes(store.root, path)
    return _file_bytes(store.root, path)


def _committed_bytes(root: Path, path: MemoryPath) -> bytes | None:
    from memhtml.git.entries import EntryKind
    from memhtml.git.read import open_reader  # libgit2: only for repositories without files

    reader = open_reader(root)
    head = reader.head()
    entry = reader.entry_at(head, path) if head is not None else None
    if entry is None or entry.kind is not EntryKind.FILE:
        return None
    return reader.blob(entry.blob_sha)


def _file_bytes(root: Path, path: MemoryPath) -> bytes | None:
    """Return a regular file's bytes; None for anything else, and for whatever a link leads to."""
    place = root
    try:
        for part in path.split("/"):
            place = place / part
            mode = place.lstat().st_mode
            if stat.S_ISLNK(mode):
                return None
        return place.read_bytes() if stat.S_ISREG(mode) else None
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return None
        raise StorageFailed("reading a memory", error.strerror or "") from error


def _near(store: Store, path: MemoryPath) -> tuple[str, ...]:
    """Return commands that may lead to what was meant: where it was archived to, and a search for its name."""
    if not path.isprintable():  # nothing that a person typed, nor a command could take
        return ()
    hints = []
    with suppress(MemhtmlError), reading(store, "looking up") as (connection, _, _):
        moved = connection.execute(_MOVED, (path,))
        hints = [f"memhtml read {shlex.quote(row[0])}" for row in moved]
    words = _NO_WORD.sub(" ", path.rpartition("/")[2].removesuffix(".html")).split()
    if words:
        hints.append(f"memhtml search {shlex.quote(' '.join(words[:_MAX_NEAR_WORDS]))}")
    return tuple(hints)


def _count_opening(store: Store, path: MemoryPath, content_hash: str, session_id: str | None) -> None:
    from memhtml.app.clone import clone_of  # writing: searching never does
    from memhtml.index.access import LinkKind, record_link, reinforce
    from memhtml.ranking.decay import Signal

    now = store.clock()
    opened = sqlite3.connect(":memory:", isolation_level=None, timeout=_COUNTING_WAIT_S)
    # One try: whoever is writing there goes on, and this reading is not counted.
    with suppress(MemhtmlError), closing(opened) as connection:
        attach_state(
            connection,
            store.state_path,
            mode="write",
            migrations=migrations(Plane.STATE),
            now=now,
            wait_s=0.0,
        )
        clone_of(store, connection, wait_s=0.0)
        reinforce(connection, (path,), Signal.NEUTRAL, now, content_hashes={path: content_hash}, wait_s=0.0)
        if session_id:
            record_link(connection, path, session_id, LinkKind.READ, now, wait_s=0.0)


def _is_fresh(store: Store, described: CommitSha | None) -> bool | None:
    try:
        return described is not None and head_commit(store.root) == described
    except (GitFailed, RepoRequired, RepoUnsupported):
        return None
