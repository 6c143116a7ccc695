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
from itertools import chain, islice

from memhtml import faults
from memhtml.clock import Clock
from memhtml.db.busy import transaction
from memhtml.errors import EmbedModelMismatch, ModelUnavailable
from memhtml.index.orphans import register_text_hash, text_hash
from memhtml.models.ports import Embedder, Space
from memhtml.values import ChunkId

__all__ = [
    "PROBES",
    "EmbedOutcome",
    "change_space",
    "embed_missing",
    "guard_space",
    "holds_other_space",
    "remaining",
]

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
# Every vector has its chunk, so the gap is a difference of two counts; a join would visit every chunk of the corpus.
_REMAINING = (
    "SELECT (SELECT count(*) FROM chunks)"
    " - (SELECT count(*) FROM embeddings WHERE model = coalesce(:space, model))"
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
_OWNER = "SELECT index_id, embed_model FROM index_state WHERE id = 1"
_CACHE = (
    "INSERT INTO embedding_cache (space, text_hash, dim, vec, last_used_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (space, text_hash) DO UPDATE SET dim = excluded.dim, vec = excluded.vec,"
    " last_used_at = excluded.last_used_at"
)
_CACHE_ALL_OTHERS = (
    "INSERT INTO embedding_cache (space, text_hash, dim, vec, last_used_at)"
    " SELECT embeddings.model, memhtml_text_hash(chunks.text), embeddings.dim, embeddings.vec, :at"
    " FROM embeddings JOIN chunks USING (chunk_id) WHERE embeddings.model <> :space"
    " ON CONFLICT (space, text_hash) DO UPDATE SET vec = excluded.vec, last_used_at = excluded.last_used_at"
)
_DROP_ALL_OTHERS = "DELETE FROM embeddings WHERE model <> :space"
_TAKE_FROM_CACHE = (
    "INSERT INTO embeddings (chunk_id, model, dim, vec, created_at)"
    " SELECT chunks.chunk_id, embedding_cache.space, embedding_cache.dim, embedding_cache.vec, :at"
    " FROM chunks JOIN embedding_cache ON embedding_cache.text_hash = memhtml_text_hash(chunks.text)"
    " AND embedding_cache.space = :space WHERE true ON CONFLICT (chunk_id) DO NOTHING"
)
_PROBES_OF = "SELECT text, vec FROM probe_vectors WHERE space = ?"
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


def holds_other_space(connection: sqlite3.Connection, space: Space) -> bool:
    """Tell whether vectors of another space than this one are stored."""
    try:
        guard_space(connection, space)
    except EmbedModelMismatch:
        return True
    return False


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
    Errors: `EmbedModelMismatch` when the index holds another space or turns to one meanwhile, or when a probe shows
    another model behind the name; nothing of that request is kept. A model that does not answer is not an error but
    `EmbedOutcome.failure`.
    """
    if only is not None and not only:
        return EmbedOutcome()
    guard_space(connection, embedder.space)
    owner = connection.execute(_OWNER).fetchone()
    return _run(_Into(connection, embedder.space, clock, owner, is_cache=False), embedder, only, dry_run)


def change_space(connection: sqlite3.Connection, embedder: Embedder, clock: Clock) -> EmbedOutcome:
    """Bring an index over from the space it holds to the embedder's.

    The new vectors gather in the cache while searches go on in the old space; the switch is one transaction, made only
    when every chunk has one. A run that stops early leaves the old space in place, and the next one goes on from the
    cache.
    """
    owner = connection.execute(_OWNER).fetchone()
    into = _Into(connection, embedder.space, clock, owner, is_cache=True)
    outcome = _run(into, embedder, None, dry_run=False)
    if outcome.failure is None:
        with transaction(connection, "changing the vector space"):
            into.require_owner()
            values = {"space": embedder.space.identity, "at": clock()}
            connection.execute(_CACHE_ALL_OTHERS, values)
            connection.execute(_DROP_ALL_OTHERS, values)
            outcome.written = connection.execute(_TAKE_FROM_CACHE, values).rowcount
            connection.execute(_CLAIM_SPACE, (embedder.space.identity, embedder.space.dimension))
    return outcome


@dataclass(slots=True)
class _Into:
    """Where vectors go: to their chunks, or to the cache while another space is still in use."""

    connection: sqlite3.Connection
    space: Space
    clock: Clock
    #: The index file and the space it held when the run began.
    owner: tuple[str, str | None] | None
    is_cache: bool

    def require_owner(self) -> None:
        """Refuse to go on in an index that was replaced, or that turned to another space, since the run began."""
        now = self.connection.execute(_OWNER).fetchone()
        if now != self.owner:
            raise EmbedModelMismatch((now and now[1]) or "another index", self.space.identity)

    def claim(self) -> None:
        """Make the index name this space."""
        if not self.is_cache:
            self.connection.execute(_CLAIM_SPACE, (self.space.identity, self.space.dimension))
            self.owner = self.connection.execute(_OWNER).fetchone()

    def find(self, text: str) -> bytes | None:
        """Return the vector of a text that has been paid for."""
        key = (self.space.identity, text_hash(text), self.space.dimension)
        hit = self.connection.execute(_CACHED, key).fetchone()
        return None if hit is None else bytes(hit[0])

    def touch(self, text: str) -> None:
        self.connection.execute(_TOUCH_CACHE, (self.clock(), self.space.identity, text_hash(text)))

    def store(self, text: str, ids: Sequence[ChunkId], vector: bytes) -> int:
        """Keep one vector, inside the caller's transaction; return how many chunks it serves."""
        at = self.clock()
        if self.is_cache:
            row = (self.space.identity, text_hash(text), self.space.dimension, vector, at)
            self.connection.execute(_CACHE, row)
            return len(ids)
        others = {"ids": json.dumps(ids), "space": self.space.identity, "at": at}
        self.connection.execute(_CACHE_OTHER_SPACE, others)
        return sum(
            self.connection.execute(
                _STORE, (chunk, self.space.identity, self.space.dimension, vector, at)
            ).rowcount
            for chunk in ids
        )


def _run(into: _Into, embedder: Embedder, only: Collection[ChunkId] | None, dry_run: bool) -> EmbedOutcome:
    outcome = EmbedOutcome()
    register_text_hash(into.connection)
    texts = _uncached(into, only, outcome, dry_run=dry_run)
    first = next(texts, None)
    if first is None:  # nothing to ask, so nothing to probe for
        return outcome
    texts = chain([first], texts)
    probes = list(PROBES)
    size = max(1, embedder.batch_size)
    while True:
        lead, probes = probes[:size], probes[size:]
        batch = list(islice(texts, size - len(lead)))
        if not lead and not batch:
            return outcome
        asked = [*lead, *(text for text, _ in batch)]
        outcome.calls += 1
        if dry_run:
            continue
        try:
            vectors = embedder.embed_documents(asked)
            _check(into.space, asked, vectors)
        except ModelUnavailable as failure:
            outcome.failure = failure
            return outcome
        faults.point("embed.request_landed")
        with transaction(into.connection, "storing vectors"):
            into.require_owner()
            _check_probes(into.connection, into.space, lead, vectors[: len(lead)])
            for (text, ids), vector in zip(batch, vectors[len(lead) :], strict=True):
                outcome.written += into.store(text, ids, vector)
            into.claim()
        faults.point("embed.persisted")


def _uncached(
    into: _Into, only: Collection[ChunkId] | None, outcome: EmbedOutcome, *, dry_run: bool
) -> Iterator[tuple[str, list[ChunkId]]]:
    """Yield (text, chunks that say it) that need a call; serve the others from the cache on the way."""
    statement = (_PENDING if only is None else _PENDING_SOME) + _PAGED
    values: dict[str, str | int] = {"space": into.space.identity, "after": "", "page": _PAGE}
    if only is not None:
        values["ids"] = json.dumps(sorted(set(only)))
    while page := into.connection.execute(statement, values).fetchall():
        values["after"] = page[-1][0]
        wanted: dict[str, list[ChunkId]] = {}
        for chunk, text in page:
            wanted.setdefault(text, []).append(ChunkId(chunk))
        for text, ids in wanted.items():
            vector = into.find(text)
            if vector is None:
                yield text, ids
            elif not dry_run:
                with transaction(into.connection, "storing vectors"):
                    into.require_owner()
                    if not into.is_cache:
                        outcome.written += into.store(text, ids, vector)
                        outcome.cached += len(ids)
                    into.touch(text)
                    into.claim()


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


def _check_probes(
    connection: sqlite3.Connection, space: Space, texts: Sequence[str], vectors: Sequence[bytes]
) -> None:
    known = dict(connection.execute(_PROBES_OF, (space.identity,)))
    for text, vector in zip(texts, vectors, strict=True):
        if text in known and _cosine(known[text], vector) < _PROBE_FLOOR:
            raise EmbedModelMismatch(space.identity, f"another model under the name {space.model}")
        connection.execute(_STORE_PROBE, (space.identity, PROBES.index(text), text, vector))


def _cosine(a: bytes, b: bytes) -> float:
    from memhtml.ranking.cosine import distance  # numpy: only where a vector is compared

    return 1.0 - (distance(a, b) or 0.0)
