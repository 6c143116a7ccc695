"""The salience arm: what was opened, how often, how it turned out. The one statement that crosses into the state plane.

Tasks and people have no salience: decay over open work rewards staleness, and nobody is less themselves for not having
been mentioned. Nothing here reads a clock; `now` is given.
"""

import json
import math
import sqlite3
from collections.abc import Iterable
from typing import Final

from memhtml.format.paths import PEOPLE_FOLDER
from memhtml.index.scope import Filter
from memhtml.ranking.decay import saturate

__all__ = ["most_salient", "provide_functions", "values"]

# Other clones' counts are summed, their latest reading counts, and an outcome of our own outranks theirs.
_LAST: Final = "max(coalesce(a.last_accessed_at, ''), coalesce(max(r.last_accessed_at), ''))"
_HOURS: Final = f"(julianday(:now) - julianday(coalesce(nullif({_LAST}, ''), f.updated_at))) * 24.0"
_SALIENCE: Final = (
    f"coalesce(exp(-0.01 * max(0.0, {_HOURS})), 0.0)"
    " + ln(1.0 + coalesce(a.access_count, 0) + coalesce(sum(r.access_count), 0))"
    " + max(coalesce(a.outcome_score, max(r.outcome_score), 0.0), 0.0)"
)
_APPLIES: Final = (
    f"f.memory_type <> 'task' AND substr(f.path, 1, {len(PEOPLE_FOLDER) + 1}) <> '{PEOPLE_FOLDER}/'"
)
_SELECT: Final = (
    f"SELECT f.id, f.path, {_SALIENCE} AS salience FROM files AS f"
    " LEFT JOIN state.access AS a ON a.path = f.path LEFT JOIN state.access_remote AS r ON r.path = f.path"
)
_VALUES: Final = f"{_SELECT} WHERE f.id IN (SELECT value FROM json_each(:ids)) AND {_APPLIES} GROUP BY f.id"
# What nobody opened has the salience of its age, so the newest of that are enough.
_MOST: Final = (
    f"{_SELECT} WHERE f.id IN ("
    f"SELECT f.id FROM files AS f WHERE {_APPLIES} AND {{scope}}"
    " AND f.path IN (SELECT path FROM state.access UNION SELECT path FROM state.access_remote)"
    " UNION ALL "
    f"SELECT id FROM (SELECT f.id FROM files AS f WHERE {_APPLIES} AND {{scope}}"
    " AND NOT EXISTS (SELECT 1 FROM state.access AS x WHERE x.path = f.path)"
    " AND NOT EXISTS (SELECT 1 FROM state.access_remote AS x WHERE x.path = f.path)"
    " ORDER BY f.updated_at DESC, f.path LIMIT :limit)"
    ") GROUP BY f.id ORDER BY salience DESC, f.path LIMIT :limit"
)


def values(connection: sqlite3.Connection, ids: Iterable[int], now: str) -> dict[int, float]:
    """Return the salience, mapped into 0..1, of each of these memories that has one; the state plane is attached."""
    rows = connection.execute(_VALUES, {"ids": json.dumps(list(ids)), "now": now})
    return {file_id: saturate(salience) for file_id, _, salience in rows}


def most_salient(
    connection: sqlite3.Connection, scope: Filter, limit: int, now: str
) -> list[tuple[int, str]]:
    """Return (id, path) of the most salient memories of a scope, then by path; the state plane is attached."""
    rows = connection.execute(_MOST.format(scope=scope.sql), {**scope.values, "limit": limit, "now": now})
    return [(file_id, path) for file_id, path, _ in rows]


def provide_functions(connection: sqlite3.Connection) -> None:
    """Give the connection exp and ln where this SQLite was built without them."""
    try:
        connection.execute("SELECT exp(0.0), ln(1.0)")
    except sqlite3.OperationalError:
        connection.create_function("exp", 1, _exp, deterministic=True)
        connection.create_function("ln", 1, _ln, deterministic=True)


def _exp(value: float | None) -> float | None:
    return None if value is None else math.exp(min(value, 700.0))


def _ln(value: float | None) -> float | None:
    return None if value is None or value <= 0.0 else math.log(value)
