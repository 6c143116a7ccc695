"""Asking the embedder for the vectors that are missing, and for no others.

Runs after the rows are committed, in transactions of its own, one a request: a failure in the middle keeps what
landed, and the next run asks for the rest. A text that any clone of this index has paid for before is found in
`embedding_cache`; equal texts in one run are sent once.
"""

import json
import math
import sqlite3
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from memhtml import faults
from memhtml.clock import Clock
from memhtml.db.busy import transaction
from memhtml.errors import EmbedModelMismatch, ModelUnavailable
from memhtml.index.orphans import register_text_hash, text_hash
from memhtml.models.ports import Embedder, Space
from memhtml.values import ChunkId

__all__ = ["PROBES", "EmbedOutcome", "embed_missing", "guard_space", "remaining"]

#: Fixed texts whose vectors tell whether a provider still serves the model that it names.
PROBES = (
    "The user has a cat named Momo.",
    "Restart the ingest worker after rotating the database password.",
    "A meeting about the quarterly budget was moved to Thursday.",
)
#: Cosine below which a probe counts as another model's: providers differ in the last bits between machines.
_PROBE_FLOOR = 0.999
_PAGE = 960

_STORED_SPACE = "SELECT embed_model FROM index_state WHERE id = 1 AND embed_model IS NOT NULL"
_HAS_VECTORS = "SELECT EXISTS (SELECT 1 FROM embeddings)"
_PENDING = (
    "SELECT chunks.chunk_id, chunks.text FROM chunks LEFT JOIN embeddings USING (chunk_id)"
    " WHERE (embeddings.chunk_id IS NULL OR embeddings.model <> :space) AND chunks.chunk_id > :after"
)
# The parentheses above keep the OR inside: without them the restriction below would bind to one side of it.
_PENDING_SOME = f"{_PENDING} AND chunks.chunk_id IN (SELECT value FROM json_each(:ids))"
_PAGED = " ORDER BY chunks.chunk_id LIMIT :page"
_REMAINING = (
    "SELECT count(*) FROM chunks LEFT JOIN embeddings USING (chunk_id)"
    " WHERE embeddings.chunk_id IS NULL OR embeddings.model <> coalesce(:space, embeddings.model)"
)
_CACHED = "SELECT vec FROM embedding_cache WHERE space = ? AND text_hash = ? AND dim = ?"
_TOUCH_CACHE = "UPDATE embedding_cache SET last_used_at = ? WHERE space = ? AND text_hash = ?"
_CACHE_OTHER_SPACE = (
    "INSERT INTO embedding_cache (space, text_hash, dim, vec, last_used_at)"
    " SELECT embeddings.model, memhtml_text_hash(chunks.text), embeddings.dim, embeddings.vec, :at"
    " FROM embeddings JOIN chunks USING (chunk_id)"
    " WHERE chunk_id IN (SELECT value FROM json_each(:ids)) AND embeddings.model <> :space"
    " ON CONFLICT (space, text_hash) DO UPDATE SET vec = excluded.vec, last_used_at = excluded.last_used_at"
)
# The chunk may have gone while the embedder was thinking.
_STORE = (
    "INSERT INTO embeddings (chunk_id, model, dim, vec, created_at)"
    " SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM chunks WHERE chunk_id = ?1)"
    " ON CONFLICT (chunk_id) DO UPDATE SET model = excluded.model, dim = excluded.dim, vec = excluded.vec,"
    " created_at = excluded.created_at"
)
_CLAIM_SPACE = (
    "UPDATE index_state SET embed_model = ?, embed_dim = ?, vector_seq = vector_seq + 1 WHERE id = 1"
)
_PROBES_OF = "SELECT ordinal, vec FROM probe_vectors WHERE space = ? ORDER BY ordinal"
_STORE_PROBE = (
    "INSERT INTO probe_vectors (space, ordinal, text, vec) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (space, ordinal) DO NOTHING"
)


@dataclass(slots=True)
class EmbedOutcome:
    #: Vectors stored, made by the model or taken from the cache.
    written: int = 0
    #: Of these, the ones that cost no call because their text had been paid for.
    cached: int = 0
    calls: int = 0
    #: What stopped the run early; what had landed by then is kept.
    failure: ModelUnavailable | None = None


def guard_space(connection: sqlite3.Connection, space: Space | None) -> None:
    """Refuse to go on when the index holds vectors of another space than the embedder makes.

    Errors: `EmbedModelMismatch`, before anything is written. Having no embedder is no mismatch.
    """
    if space is None:
        return
    stored = connection.execute(_STORED_SPACE).fetchone()
    if stored is not None and stored[0] != space.identity and connection.execute(_HAS_VECTORS).fetchone()[0]:
        raise EmbedModelMismatch(stored[0], space.identity)


def remaining(connection: sqlite3.Connection, space: Space | None) -> int:
    """Return how many chunks lack a vector (of the space, where one is named)."""
    values = {"space": None if space is None else space.identity}
    (count,) = connection.execute(_REMAINING, values).fetchone()
    return int(count)


def embed_missing(
    connection: sqlite3.Connection,
    embedder: Embedder,
    clock: Clock,
    only: Collection[ChunkId] | None = None,
    *,
    dry_run: bool = False,
) -> EmbedOutcome:
    """Store a vector for every chunk that has none of the embedder's space, or for those of `only`.

    Effects: one transaction a request. A dry run counts the requests and writes nothing.
    Errors: `EmbedModelMismatch` when a probe shows another model behind the name; nothing of that request is kept.
    A model that does not answer is not an error but `EmbedOutcome.failure`.
    """
    outcome = EmbedOutcome()
    if only is not None and not only:
        return outcome
    register_text_hash(connection)
    space = embedder.space
    texts = _uncached(connection, space, only, clock, outcome, dry_run=dry_run)
    probes = list(PROBES)
    while True:
        batch = dict(islice(texts, max(1, embedder.batch_size - len(probes))))
        if not batch:
            return outcome
        outcome.calls += 1
        asked = [*probes, *batch]
        probes = []
        if dry_run:
            continue
        try:
            vectors = embedder.embed_documents(asked)
            _check(space, asked, vectors)
        except ModelUnavailable as failure:
            outcome.failure = failure
            return outcome
        faults.point("embed.request_landed")
        lead = len(asked) - len(batch)
        with transaction(connection, "storing vectors"):
            _check_probes(connection, space, vectors[:lead])
            for ids, vector in zip(batch.values(), vectors[lead:], strict=True):
                outcome.written += _store(connection, space, ids, vector, clock)
        faults.point("embed.persisted")


def _uncached(
    connection: sqlite3.Connection,
    space: Space,
    only: Collection[ChunkId] | None,
    clock: Clock,
    outcome: EmbedOutcome,
    *,
    dry_run: bool,
) -> Iterator[tuple[str, list[ChunkId]]]:
    """Yield (text, chunks that say it) that need a call; serve the others from the cache on the way."""
    statement = (_PENDING if only is None else _PENDING_SOME) + _PAGED
    values: dict[str, str | int] = {"space": space.identity, "after": "", "page": _PAGE}
    if only is not None:
        values["ids"] = json.dumps(sorted(set(only)))
    while page := connection.execute(statement, values).fetchall():
        values["after"] = page[-1][0]
        wanted: dict[str, list[ChunkId]] = {}
        for chunk, text in page:
            wanted.setdefault(text, []).append(ChunkId(chunk))
        for text, ids in wanted.items():
            key = (space.identity, text_hash(text))
            hit = connection.execute(_CACHED, (*key, space.dimension)).fetchone()
            if hit is None:
                yield text, ids
            elif not dry_run:
                with transaction(connection, "storing vectors"):
                    stored = _store(connection, space, ids, hit[0], clock)
                    connection.execute(_TOUCH_CACHE, (clock(), *key))
                outcome.written += stored
                outcome.cached += stored


def _store(
    connection: sqlite3.Connection, space: Space, ids: Sequence[ChunkId], vector: bytes, clock: Clock
) -> int:
    at = clock()
    connection.execute(_CACHE_OTHER_SPACE, {"ids": json.dumps(ids), "space": space.identity, "at": at})
    stored = 0
    for chunk in ids:
        row = (chunk, space.identity, space.dimension, vector, at)
        stored += connection.execute(_STORE, row).rowcount
    connection.execute(_CLAIM_SPACE, (space.identity, space.dimension))
    return stored


def _check(space: Space, texts: Sequence[str], vectors: Sequence[bytes]) -> None:
    """Hold an answer against what was asked: one short vector would shift every later one to a wrong text."""
    if len(vectors) != len(texts):
        raise ModelUnavailable(space.model, f"answered {len(vectors)} vectors for {len(texts)} texts")
    for position, vector in enumerate(vectors):
        if len(vector) != 4 * space.dimension:
            raise ModelUnavailable(
                space.model, f"vector {position} has {len(vector)} bytes, not {4 * space.dimension}"
            )
        if not all(map(math.isfinite, array("f", vector))):
            raise ModelUnavailable(space.model, f"vector {position} is not finite")


def _check_probes(connection: sqlite3.Connection, space: Space, vectors: Sequence[bytes]) -> None:
    if not vectors:
        return
    known = dict(connection.execute(_PROBES_OF, (space.identity,)))
    for ordinal, vector in enumerate(vectors):
        if ordinal in known and _cosine(known[ordinal], vector) < _PROBE_FLOOR:
            raise EmbedModelMismatch(space.identity, f"another model under the name {space.model}")
        connection.execute(_STORE_PROBE, (space.identity, ordinal, PROBES[ordinal], vector))


def _cosine(a: bytes, b: bytes) -> float:
    from memhtml.ranking.cosine import distance  # numpy: only where a vector is compared

    return 1.0 - (distance(a, b) or 0.0)
