"""Cutting an article's text into the pieces that get vectors, and naming them by content."""

import hashlib
import re
from typing import NamedTuple

from memhtml.values import ChunkId, ContentHash

__all__ = ["CHUNKER_VERSION", "CHUNK_CHARS", "Chunk", "chunk_id", "chunks_of", "cut_text"]

#: Most code points in one chunk. The format asks for one fact a file, so nearly every file is one chunk.
CHUNK_CHARS = 1800
#: Raised whenever the same text would be cut elsewhere.
CHUNKER_VERSION = 1

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class Chunk(NamedTuple):
    """One row of `chunks`, in column order."""

    chunk_id: ChunkId
    content_hash: ContentHash
    ordinal: int
    text: str
    char_count: int


def cut_text(text: str) -> list[str]:
    """Return the pieces of a text, each of 1 to 1,800 code points, in order; nothing but white space is lost.

    Up to 1,800 characters stay whole. Longer text is cut after `.`, `!` or `?` before white space and packed
    greedily with one space between sentences; a sentence over the limit is cut hard.
    """
    text = text.strip()
    if not text:
        return []
    if len(text) <= CHUNK_CHARS:
        return [text]
    pieces: list[str] = []
    open_piece = ""
    for sentence in _SENTENCE_END.split(text):
        for start in range(0, len(sentence), CHUNK_CHARS):
            unit = sentence[start : start + CHUNK_CHARS].strip()
            if not unit:
                continue
            if open_piece and len(open_piece) + 1 + len(unit) <= CHUNK_CHARS:
                open_piece += " " + unit
                continue
            if open_piece:
                pieces.append(open_piece)
            open_piece = unit
    if open_piece:
        pieces.append(open_piece)
    return pieces


def chunk_id(content_hash: ContentHash, ordinal: int) -> ChunkId:
    """Return the SHA-256, in hex, of `<content_hash>:<ordinal>`."""
    return ChunkId(hashlib.sha256(f"{content_hash}:{ordinal}".encode()).hexdigest())


def chunks_of(content_hash: ContentHash, body_text: str) -> list[Chunk]:
    """Return the chunks of one article; equal words give equal chunks wherever the file stands."""
    return [
        Chunk(chunk_id(content_hash, ordinal), content_hash, ordinal, text, len(text))
        for ordinal, text in enumerate(cut_text(body_text))
    ]
