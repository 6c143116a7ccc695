"""The projection: one file's bytes to the rows that describe it, as one pure function.

Rebuild and update both call `project_file`, and nothing else decides what a row holds: that is why they agree.
"""

import unicodedata
from typing import Final

from memhtml.format.check import Severity, check
from memhtml.format.content_hash import WIDE_SPACES, collapse, trim
from memhtml.format.document import Document
from memhtml.format.frame import frame_key_of
from memhtml.format.instants import normalise_instant
from memhtml.format.limits import refusal
from memhtml.format.origin import origin_of
from memhtml.format.parse import parse
from memhtml.format.paths import normalize_path, para_bucket, workspace_of
from memhtml.format.rows import EdgeRow, FacetRow, FileRow, MemoryRows, row_digest
from memhtml.format.terms import derived_terms
from memhtml.format.vocabulary import rel_of_token
from memhtml.values import (
    EDGE_CLASS,
    BlobSha,
    Bucket,
    EdgeRel,
    MemoryPath,
    Skip,
    SkipCode,
)

__all__ = ["edges_of", "project_file", "unread"]

_DEFAULT_CONFIDENCE: Final = 1.0
_DEFAULT_IMPORTANCE: Final = 5
_DEFAULT_AUTHOR: Final = "agent"
_UNKNOWN_ENTITY: Final = "unknown"
_CONCEPT_ENTITY: Final = "concept"
_LANGUAGE_ENTITY: Final = "lang"
_MAX_REASON: Final = 500


def project_file(path: MemoryPath, blob_sha: BlobSha, data: bytes) -> MemoryRows | Skip:
    """Return the rows of one file, or why it has none.

    Shapes: stored instants are normalised; text is NFC in `fts_text` alone, and as authored elsewhere.
    Errors: none; total over any bytes, in bounded time.
    """
    skip = unread(path, blob_sha, data)
    if skip is not None:
        return skip
    document = parse(data)
    violations = check(document)
    if violations and violations[0].severity is Severity.ERROR:
        reason = "; ".join(v.message for v in violations if v.severity is Severity.ERROR)
        return Skip(path, blob_sha, SkipCode.FORMAT, _capped(reason))
    return _rows(normalize_path(path), blob_sha, document)


def unread(path: MemoryPath, blob_sha: BlobSha, data: bytes) -> Skip | None:
    """Return why a file is not even parsed, or None."""
    refused = refusal(data)
    return Skip(path, blob_sha, refused.code, refused.reason) if refused is not None else None


def _rows(path: MemoryPath, blob_sha: BlobSha, document: Document) -> MemoryRows:
    file = _file_row(path, blob_sha, document)
    tags = tuple(dict.fromkeys(filter(None, map(trim, document.tags)))) if document.tags else ()
    entities = _entities(document)
    facets = _facets(document) if document.facets else ()
    citations = _citations(document) if document.citations else ()
    edges = edges_of(path, document) if document.links else ()
    digest = row_digest(file, tags, entities, facets, citations, edges)
    return MemoryRows(file, tags, entities, facets, citations, edges, digest)


def _file_row(path: MemoryPath, blob_sha: BlobSha, document: Document) -> FileRow:
    memory_type, created, updated = document.memory_type, document.created, document.updated
    assert memory_type is not None  # its absence is an error, as is that of the other two
    assert created is not None
    assert updated is not None
    bucket = para_bucket(path) or Bucket.AREAS
    title, gist, body = document.title or "", document.gist, document.body_text
    return FileRow(
        path,
        blob_sha,
        document.content_hash,
        memory_type.value,
        title,
        body,
        gist,
        _fts_text(title, gist, body),
        _disclosure_text(document),
        bucket.value,
        workspace_of(path),
        document.confidence if document.confidence is not None else _DEFAULT_CONFIDENCE,
        document.importance if document.importance is not None else _DEFAULT_IMPORTANCE,
        int(bucket is Bucket.ARCHIVE),
        origin_of(path, document.head) if bucket is Bucket.ARCHIVE else None,
        _word_count(body),
        normalise_instant(created),
        normalise_instant(updated),
        _instant(document.event_at),
        _instant(document.archived),
        _instant(document.valid_from),
        _instant(document.valid_until),
        document.reprieves or 0,
        int(document.needs_revision or False),
        document.author if document.author is not None else _DEFAULT_AUTHOR,
        document.session,
        document.prompt,
        document.turn,
        document.task_status.value if document.task_status is not None else None,
        _instant(document.due),
        frame_key_of(gist),
    )


def _instant(text: str | None) -> str | None:
    return normalise_instant(text) if text is not None else None


def _fts_text(title: str, gist: str, body: str) -> str:
    text = "\n".join(filter(None, (title, gist, body)))
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    terms = derived_terms(text)
    return f"{text}\n{' '.join(terms)}" if terms else text


def _disclosure_text(document: Document) -> str:
    """Return what may be quoted without being asked for: the claim and the structure, never prose or asides."""
    parts = [
        document.gist,
        *document.summary_texts,
        *(f"{facet.name}: {facet.value}" for facet in document.facets),
        *(citation.text for citation in document.citations),
    ]
    return "\n".join(filter(None, map(trim, parts)))


def _word_count(body: str) -> int:
    """Count the words of a collapsed and trimmed text."""
    if not body:
        return 0
    if not body.isascii() or "\v" in body:
        for space in WIDE_SPACES:
            if space in body:
                body = body.replace(space, " ")
        body = collapse(body)
    return body.count(" ") + 1


def _entities(document: Document) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for text in document.entities:
        whole = trim(text)
        kind, _, name = whole.partition(":")
        if kind and name:
            found[kind, name] = None
        elif whole:
            found[_UNKNOWN_ENTITY, whole] = None
    for term in document.defined_terms:
        found[_CONCEPT_ENTITY, term] = None
    for language in document.code_langs:
        found[_LANGUAGE_ENTITY, language] = None
    return tuple(found)


def _facets(document: Document) -> tuple[FacetRow, ...]:
    found: dict[tuple[str, str], FacetRow] = {}
    for facet in document.facets:
        found.setdefault((facet.name, facet.value), FacetRow(*facet))
    return tuple(found.values())


def _citations(document: Document) -> tuple[tuple[str, str | None], ...]:
    found: dict[str, str | None] = {}
    for citation in document.citations:
        found.setdefault(citation.text, citation.href)
    return tuple(found.items())


def edges_of(path: MemoryPath, document: Document) -> tuple[EdgeRow, ...]:
    """Return the links of a file as edges, free of duplicates; a link to itself is none."""
    found: dict[tuple[EdgeRel, MemoryPath], EdgeRow] = {}
    for link in document.links:
        rel = rel_of_token(link.rel)
        if rel is None or link.href is None:
            continue
        target = normalize_path(link.href)
        if target and target != path:
            found.setdefault((rel, target), EdgeRow(rel, target, EDGE_CLASS[rel]))
    return tuple(found.values())


def _capped(reason: str) -> str:
    return reason if len(reason) <= _MAX_REASON else reason[: _MAX_REASON - 1] + "…"
