"""What the index holds and how far it has caught up, from counts alone."""

import sqlite3
from typing import NamedTuple

from memhtml.index.digest import stored_digest
from memhtml.index.embed import remaining
from memhtml.index.projector import fingerprint
from memhtml.index.reports import IndexStatus
from memhtml.index.watermark import read_watermark
from memhtml.models.ports import Space

__all__ = ["index_status"]

_COUNTS = (
    "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM files WHERE archived = 0),"
    " (SELECT count(*) FROM skipped_files), (SELECT count(*) FROM chunks), (SELECT count(*) FROM embeddings),"
    " (SELECT count(*) FROM edges), (SELECT count(*) FROM edges WHERE derived = 1),"
    " (SELECT count(DISTINCT tag) FROM file_tags),"
    " (SELECT count(*) FROM (SELECT DISTINCT entity_type, entity_name FROM file_entities)),"
    " (SELECT count(*) FROM traces), (SELECT count(*) FROM dirty_paths)"
)


class _Counts(NamedTuple):
    files: int
    active_files: int
    skipped: int
    chunks: int
    embeddings: int
    edges: int
    derived_edges: int
    tags: int
    entities: int
    traces: int
    dirty: int


def index_status(
    connection: sqlite3.Connection, repository_head: str | None, space: Space | None, *, has_state: bool
) -> IndexStatus | None:
    """Return the status, or None where nothing was ever indexed."""
    mark = read_watermark(connection)
    if mark is None:
        return None
    counts = _Counts(*connection.execute(_COUNTS).fetchone())
    configured = None if space is None else space.identity
    return IndexStatus(
        head_sha=mark.head_sha,
        repository_head=repository_head,
        fresh=mark.head_sha is not None and mark.head_sha == repository_head,
        digest=stored_digest(connection, mark.projector),
        projector=mark.projector,
        projector_matches=mark.projector == fingerprint(),
        embed_model=mark.embed_model,
        embed_dim=mark.embed_dim,
        configured_embed_model=configured,
        embed_model_matches=configured is None or mark.embed_model in (None, configured),
        embeddings_remaining=remaining(connection, space),
        rebuilt_at=mark.rebuilt_at,
        updated_at=mark.updated_at,
        has_state=has_state,
        **counts._asdict(),
    )
