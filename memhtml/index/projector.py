"""The fingerprint of everything that decides what a file's rows are, apart from its bytes."""

import unicodedata

from memhtml.format.rows import PROJECTION_VERSION
from memhtml.index.chunks import CHUNK_CHARS, CHUNKER_VERSION

__all__ = ["fingerprint"]


def fingerprint() -> str:
    """Return one string; an index that names another one reprojects every file.

    The Unicode version is part of it because slugs, search terms and case folding read its tables.
    """
    return (
        f"rows {PROJECTION_VERSION}, chunks {CHUNKER_VERSION} of {CHUNK_CHARS},"
        f" unicode {unicodedata.unidata_version}"
    )
