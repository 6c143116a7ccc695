"""The few lines of a memory that an answer shows."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Final

__all__ = ["SNIPPET_CHARS", "cut", "opening_texts"]

#: Behaviour spec `index-traces` 5.1.
SNIPPET_CHARS: Final = 700

_OPENING: Final = (
    "SELECT content_hash, substr(text, 1, :most) FROM chunks"
    " WHERE content_hash IN (SELECT value FROM json_each(:hashes)) AND ordinal = 0"
)


def cut(text: str) -> str:
    """Return a text of at most 700 characters; a cut one ends in an ellipsis without a blank before it."""
    return text if len(text) <= SNIPPET_CHARS else text[: SNIPPET_CHARS - 1].rstrip() + "…"


def opening_texts(connection: sqlite3.Connection, content_hashes: Iterable[str]) -> dict[str, str]:
    """Return the snippet of each article's first chunk by content hash; an article without words has none."""
    bound = {"hashes": json.dumps(list(content_hashes)), "most": SNIPPET_CHARS + 1}
    return {content_hash: cut(text) for content_hash, text in connection.execute(_OPENING, bound)}
