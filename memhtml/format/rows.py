"""The shape of what one file becomes, and the digest of it. What fills the shape is `projection`."""

import json
from typing import Final, NamedTuple

import blake3

from memhtml.values import BlobSha, ContentHash, EdgeClass, EdgeRel, MemoryPath

__all__ = [
    "FILE_COLUMNS",
    "PROJECTION_VERSION",
    "EdgeRow",
    "FacetRow",
    "FileRow",
    "MemoryRows",
    "row_digest",
]

#: Raised whenever the same bytes would give other rows; an index of another version reprojects everything.
PROJECTION_VERSION = 2


class FileRow(NamedTuple):
    """One row of `files`, in column order, without `id`, `indexed_at` and `row_digest`."""

    path: MemoryPath
    blob_sha: BlobSha
    content_hash: ContentHash
    memory_type: str
    title: str
    body_text: str
    gist: str
    fts_text: str
    disclosure_text: str
    para: str
    workspace: str | None
    confidence: float
    importance: int
    archived: int
    origin_path: str | None
    word_count: int
    created_at: str
    updated_at: str
    event_at: str | None
    archived_at: str | None
    valid_from: str | None
    valid_until: str | None
    reprieves: int
    needs_revision: int
    author: str
    session_id: str | None
    prompt_id: str | None
    turn_uuid: str | None
    task_status: str | None
    due_at: str | None
    frame_key: str | None


class FacetRow(NamedTuple):
    name: str
    value: str
    numeric_value: float | None


class EdgeRow(NamedTuple):
    rel: EdgeRel
    dst_path: MemoryPath
    edge_class: EdgeClass


class MemoryRows(NamedTuple):
    """Everything one file becomes; child rows are free of duplicates and in document order."""

    file: FileRow
    tags: tuple[str, ...]
    #: (entity_type, entity_name)
    entities: tuple[tuple[str, str], ...]
    facets: tuple[FacetRow, ...]
    #: (text, href or None)
    citations: tuple[tuple[str, str | None], ...]
    edges: tuple[EdgeRow, ...]
    row_digest: str


#: The columns of `FileRow`, in order.
FILE_COLUMNS: Final[tuple[str, ...]] = FileRow._fields

_canonical_json: Final = json.JSONEncoder(separators=(",", ":")).encode


def row_digest(
    file: FileRow,
    tags: tuple[str, ...],
    entities: tuple[tuple[str, str], ...],
    facets: tuple[FacetRow, ...],
    citations: tuple[tuple[str, str | None], ...],
    edges: tuple[EdgeRow, ...],
) -> str:
    """Return BLAKE3 (hex) over the canonical JSON of one file's rows, children sorted."""
    text = _canonical_json(
        [
            file,
            sorted(tags),
            sorted(entities),
            sorted(facets, key=_name_and_value),
            sorted(citations, key=_text),
            sorted(edges),
        ]
    )
    return blake3.blake3(text.encode()).hexdigest()


def _name_and_value(facet: FacetRow) -> tuple[str, str]:
    return facet.name, facet.value


def _text(citation: tuple[str, str | None]) -> str:
    return citation[0]
