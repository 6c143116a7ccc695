"""The recency arm: when it happened, or, where no event is named, when it was last written.

It finds nothing by itself. Given a place of its own in the fusion it drags whatever is new past whatever fits: the
unconditional form at half the lexical weight costs a third of NDCG@10 on conversations (DESIGN D6).
"""

import json
import sqlite3
from collections.abc import Iterable
from typing import Final

from memhtml.index.scope import Filter
from memhtml.ranking.decay import freshness

__all__ = ["newest", "values"]

_VALUES: Final = (
    "SELECT f.id, julianday(:now) - julianday(coalesce(f.event_at, f.updated_at)) FROM files AS f"
    " WHERE f.id IN (SELECT value FROM json_each(:ids))"
)
# Two walks down two indexes, each as long as the answer; the coalesce alone would read every row.
_NEWEST: Final = (
    "SELECT id, path FROM ("
    "SELECT * FROM (SELECT f.id, f.path, f.event_at AS at FROM files AS f WHERE f.event_at IS NOT NULL AND {scope}"
    " ORDER BY f.event_at DESC, f.path LIMIT :limit)"
    " UNION ALL "
    "SELECT * FROM (SELECT f.id, f.path, f.updated_at AS at FROM files AS f WHERE f.event_at IS NULL AND {scope}"
    " ORDER BY f.updated_at DESC, f.path LIMIT :limit)"
    ") ORDER BY at DESC, path LIMIT :limit"
)


def values(connection: sqlite3.Connection, ids: Iterable[int], now: str) -> dict[int, float]:
    """Return the freshness, 0..1, of each of these memories whose date can be read."""
    rows = connection.execute(_VALUES, {"ids": json.dumps(list(ids)), "now": now})
    return {file_id: freshness(age_days) for file_id, age_days in rows if age_days is not None}


def newest(connection: sqlite3.Connection, scope: Filter, limit: int) -> list[tuple[int, str]]:
    """Return (id, path) of the newest memories of a scope, newest first, then by path."""
    return connection.execute(_NEWEST.format(scope=scope.sql), {**scope.values, "limit": limit}).fetchall()
