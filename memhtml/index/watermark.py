"""The single row of `index_state`: what the index describes, and whose vectors it holds."""

import sqlite3
from dataclasses import dataclass

from memhtml.errors import StorageFailed
from memhtml.values import CommitSha, Instant

__all__ = ["Watermark", "read_watermark", "write_watermark"]

_READ = (
    "SELECT head_sha, embed_model, embed_dim, projector, index_id, vector_seq, rebuilt_at, updated_at"
    " FROM main.index_state WHERE id = 1"
)
_WRITE = (
    "INSERT INTO main.index_state"
    " (id, head_sha, embed_model, embed_dim, projector, index_id, vector_seq, rebuilt_at, updated_at)"
    " VALUES (1, :head_sha, :embed_model, :embed_dim, :projector, :index_id, :vector_seq, :rebuilt_at, :updated_at)"
    " ON CONFLICT (id) DO UPDATE SET head_sha = excluded.head_sha, embed_model = excluded.embed_model,"
    " embed_dim = excluded.embed_dim, projector = excluded.projector, index_id = excluded.index_id,"
    " vector_seq = excluded.vector_seq, rebuilt_at = excluded.rebuilt_at, updated_at = excluded.updated_at"
)


@dataclass(frozen=True, slots=True)
class Watermark:
    #: The commit the rows describe; None only in an index that another program left half-made.
    head_sha: CommitSha | None
    #: Identity of the vector space; None while no vector was ever stored.
    embed_model: str | None
    embed_dim: int | None
    projector: str
    #: Random, drawn when the file was made: tells two indexes at one path apart.
    index_id: str
    #: Raised by every change of the stored vectors.
    vector_seq: int
    rebuilt_at: Instant
    updated_at: Instant


def read_watermark(connection: sqlite3.Connection) -> Watermark | None:
    """Return the row, or None where nothing was ever indexed.

    Errors: `StorageFailed("index_state.decode")` when a value is not of its type: SQLite's affinities let
    '1024px' into an INTEGER column, and guessing there would mix vector spaces.
    """
    row = connection.execute(_READ).fetchone()
    if row is None:
        return None
    head_sha, model, dim, projector, index_id, vector_seq, rebuilt_at, updated_at = row
    texts = (projector, index_id, rebuilt_at, updated_at)
    well_formed = (
        all(isinstance(text, str) for text in texts)
        and (head_sha is None or isinstance(head_sha, str))
        and (model is None or isinstance(model, str))
        and (dim is None or (isinstance(dim, int) and dim > 0))
        and (model is None) == (dim is None)
        and isinstance(vector_seq, int)
    )
    if not well_formed:
        raise StorageFailed("index_state.decode", hints=("memhtml index rebuild",))
    return Watermark(
        CommitSha(head_sha) if head_sha is not None else None,
        model,
        dim,
        projector,
        index_id,
        vector_seq,
        Instant(rebuilt_at),
        Instant(updated_at),
    )


def write_watermark(connection: sqlite3.Connection, watermark: Watermark) -> None:
    """Write the row, inside the caller's transaction."""
    connection.execute(
        _WRITE,
        {
            "head_sha": watermark.head_sha,
            "embed_model": watermark.embed_model,
            "embed_dim": watermark.embed_dim,
            "projector": watermark.projector,
            "index_id": watermark.index_id,
            "vector_seq": watermark.vector_seq,
            "rebuilt_at": watermark.rebuilt_at,
            "updated_at": watermark.updated_at,
        },
    )
