"""Whether the index says what the tree says, and whether its rows are what their own digests say.

The tree is the judge. Where the index has caught up with it, rows are compared with files; where it has not, they are
only compared with themselves, since being behind is a finding already.
"""

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from memhtml.doctor.checks.several import several
from memhtml.doctor.corpus import Corpus
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.index.chunks import Chunk, chunks_of
from memhtml.index.digest import recomputed_digests
from memhtml.index.projector import fingerprint
from memhtml.index.watermark import Watermark
from memhtml.values import ChunkId, ContentHash, SkipCode

__all__ = ["check_chunks", "check_freshness", "check_rows", "check_tree_against", "is_current", "keeps_step"]

_WRONG: Final = FindingCode.INDEX_ROWS_WRONG
_DIRTY: Final = "SELECT path, blob_sha FROM dirty_paths ORDER BY path"
_ROWS: Final = "SELECT path, blob_sha, content_hash, row_digest FROM files ORDER BY path"
_SKIPPED: Final = "SELECT path, blob_sha, code FROM skipped_files ORDER BY path"
_STRAY_EDGES: Final = (
    "SELECT DISTINCT src_path FROM edges WHERE derived = 0"
    " AND NOT EXISTS (SELECT 1 FROM files WHERE files.path = edges.src_path) ORDER BY src_path"
)
_BODIES: Final = "SELECT content_hash, body_text FROM files GROUP BY content_hash ORDER BY content_hash"
_CHUNKS: Final = (
    "SELECT content_hash, chunk_id, ordinal, text, char_count FROM chunks ORDER BY content_hash, ordinal"
)


class _Row(NamedTuple):
    blob_sha: str
    content_hash: str
    digest: str


def keeps_step(connection: sqlite3.Connection, mark: Watermark, corpus: Corpus) -> bool:
    """Say whether the index describes exactly the files that were judged."""
    return is_current(mark, corpus) and _agrees_on_worktree(connection, corpus)


def is_current(mark: Watermark, corpus: Corpus) -> bool:
    """Say whether the index describes the commit that was judged, by the projection of this version."""
    return mark.head_sha == corpus.head and mark.projector == fingerprint()


def _agrees_on_worktree(connection: sqlite3.Connection, corpus: Corpus) -> bool:
    return connection.execute(_DIRTY).fetchall() == corpus.overlay.dirty()


def check_freshness(connection: sqlite3.Connection, mark: Watermark, corpus: Corpus) -> Iterator[Finding]:
    """Yield how the index is behind the tree."""
    if mark.head_sha != corpus.head:
        described = "no commit" if mark.head_sha is None else f"commit {mark.head_sha[:12]}"
        head = "has no commit" if corpus.head is None else f"is at {corpus.head[:12]}"
        yield finding(FindingCode.INDEX_STALE, f"the index describes {described}, and the repository {head}")
    elif mark.projector != fingerprint():
        yield finding(FindingCode.INDEX_STALE, "another version of memhtml projected the rows of the index")
    elif not corpus.worktree_problem and not _agrees_on_worktree(connection, corpus):
        yield finding(
            FindingCode.INDEX_BEHIND_TREE,
            "the index took other files from the working tree than it holds now",
        )


def check_rows(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Yield every memory whose rows, read back, do not give the digest that was stored with them."""
    stored = {path: _Row(*others) for path, *others in connection.execute(_ROWS)}
    recomputed = recomputed_digests(connection)
    wrong = (path for path, digest in recomputed if stored[path].digest != digest)
    yield from several(_WRONG, wrong, "the rows are not what their own digest says")
    yield from several(
        _WRONG,
        (path for (path,) in connection.execute(_STRAY_EDGES)),
        "links stand in the index for a file without a row",
    )


def check_tree_against(connection: sqlite3.Connection, corpus: Corpus) -> Iterator[Finding]:
    """Yield every file about which the index and the tree disagree; for an index that keeps step."""
    rows = {path: _Row(*others) for path, *others in connection.execute(_ROWS)}
    skips = {path: (blob, code) for path, blob, code in connection.execute(_SKIPPED)}
    memories = {path: memory for path, memory in corpus.memories.items() if path not in corpus.duplicates}
    yield from several(_WRONG, sorted(memories.keys() - rows.keys()), "the memory has no row")
    yield from several(_WRONG, sorted(rows.keys() - memories.keys()), "a row stands for what is no memory")
    differing = (
        path
        for path in sorted(rows.keys() & memories.keys())
        if (rows[path].blob_sha, rows[path].content_hash)
        != (memories[path].blob_sha, memories[path].content_hash)
    )
    yield from several(_WRONG, differing, "the row is of other bytes than the file")
    expected = {path: (skip.blob_sha, skip.code.value) for path, skip in corpus.skips.items()}
    expected.update(
        (path, (corpus.memories[path].blob_sha, SkipCode.DUPLICATE.value)) for path in corpus.duplicates
    )
    unlike = sorted(path for path in expected.keys() | skips.keys() if expected.get(path) != skips.get(path))
    yield from several(_WRONG, unlike, "the index has another reason to leave the file out, or none")


def check_chunks(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Yield where the stored pieces of text are not those that the memories' words are cut into."""
    stored = groupby(connection.execute(_CHUNKS), key=itemgetter(0))
    group = next(stored, None)
    wrong = strays = 0
    for content_hash, body in connection.execute(_BODIES):
        while group is not None and group[0] < content_hash:
            strays, group = strays + 1, next(stored, None)
        expected = chunks_of(ContentHash(content_hash), body)
        found: list[Chunk] = []
        if group is not None and group[0] == content_hash:
            found = [_chunk(row) for row in group[1]]
            group = next(stored, None)
        wrong += found != expected
    while group is not None:
        strays, group = strays + 1, next(stored, None)
    if wrong:
        yield finding(
            FindingCode.CHUNKS_WRONG, f"{_texts(wrong)} cut otherwise than the words say", subject="cut"
        )
    if strays:
        yield finding(FindingCode.CHUNKS_WRONG, f"{_texts(strays)} kept that no memory says", subject="stray")


def _chunk(row: tuple[str, str, int, str, int]) -> Chunk:
    content_hash, chunk_id, ordinal, text, char_count = row
    return Chunk(ChunkId(chunk_id), ContentHash(content_hash), ordinal, text, char_count)


def _texts(number: int) -> str:
    return "1 text is" if number == 1 else f"{number:,} texts are"
