"""The lexical arm: finds with the rare words of a question, then scores what it found with all of them.

Common words cost most and tell least: they do not find, but they may decide the order among a few hundred rows.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from memhtml.db.fts import Question, all_of, any_of, quote
from memhtml.index.scope import Filter

__all__ = ["POOL", "Finds", "Outside", "best_outside", "count_matches", "find", "matched_terms"]

#: Rows that are scored with every term. Finding by the capped terms alone scores 0.668 on the SciFact training claims,
#: with this second step 0.7025; every term on every row scores 0.701 and takes four times as long (DESIGN D5).
POOL: Final = 200
#: Share of rows above which a term is too common to find by, and how many terms find whatever their share
#: (behaviour spec `measurements` 4: 93 % of the uncapped top ten stay among the first fifty).
_COMMON_SHARE: Final = 0.05
_LEAST_TERMS: Final = 2
#: Weight of one occurrence. A claim is indexed twice, as claim and as part of the body, so an occurrence counts for
#: less than one (bench `retrieval`: between 0.5 and 0.7 both sets are flat; 1.0 costs short notes 0.01).
_OCCURRENCE: Final = 0.6

_COST = f"bm25(files_fts, {_OCCURRENCE})"
_FIND = (
    f"SELECT f.id, f.path, {_COST} AS cost FROM files_fts JOIN files AS f ON f.id = files_fts.rowid"
    " WHERE files_fts MATCH :find AND {scope} ORDER BY cost, f.path LIMIT :pool"
)
# The unary plus keeps the ids out of FTS5's own plan, which would evaluate the whole expression once an id.
_AMONG = "+files_fts.rowid IN (SELECT value FROM json_each(:ids))"
_SCORE = f"SELECT files_fts.rowid, {_COST} FROM files_fts WHERE files_fts MATCH :score AND {_AMONG}"
_MATCHED = f"SELECT files_fts.rowid FROM files_fts WHERE files_fts MATCH :term AND {_AMONG}"
_ROWS = "SELECT count(*) FROM files"
_FREQUENCY = "SELECT count(*) FROM (SELECT 1 FROM files_fts WHERE files_fts MATCH :term LIMIT :enough)"
_COUNT = (
    "SELECT count(*) FROM (SELECT 1 FROM files_fts JOIN files AS f ON f.id = files_fts.rowid"
    " WHERE files_fts MATCH :find AND {scope} LIMIT :enough)"
)


class Outside(NamedTuple):
    """A memory that the words find and the scope leaves out."""

    id: int
    path: str
    score: float


class Finds(NamedTuple):
    #: Path of every candidate by id.
    paths: Mapping[int, str]
    #: More is better; every candidate has one.
    scores: Mapping[int, float]
    #: What found them; empty when no word of the question occurs anywhere.
    expression: str
    #: The words that occur anywhere, rarest first.
    known: tuple[str, ...]


def find(connection: sqlite3.Connection, question: Question, scope: Filter, *, pool: int = POOL) -> Finds:
    """Return at most `pool` candidates of a question that asks something.

    Order: among equal scores the smaller path is a candidate first.
    """
    frequencies = _frequencies(connection, question.terms)
    common = _common(connection)
    known = tuple(sorted(frequencies, key=lambda term: (frequencies[term], term)))
    if question.phrases:
        finding = all_of(question.phrases)
    else:
        rare = [term for rank, term in enumerate(known) if rank < _LEAST_TERMS or frequencies[term] <= common]
        finding = any_of(rare)
    if not finding:
        return Finds({}, {}, "", known)
    rows = connection.execute(
        _FIND.format(scope=scope.sql), {**scope.values, "find": finding, "pool": pool}
    ).fetchall()
    paths = {row[0]: row[1] for row in rows}
    scoring = " OR ".join([*map(quote, question.phrases), *([any_of(known)] if known else [])])
    if scoring == finding:
        scores = {row[0]: -row[2] for row in rows}
    else:
        scored = connection.execute(_SCORE, {"score": scoring, "ids": json.dumps(list(paths))})
        scores = {row[0]: -row[1] for row in scored}
    return Finds(paths, scores, finding, known)


def count_matches(
    connection: sqlite3.Connection, expression: str, condition: str, values: Mapping[str, str], *, enough: int
) -> int:
    """Return how many memories an expression finds under another condition on `f`, counting up to `enough`."""
    if not expression:
        return 0
    bound = {**values, "find": expression, "enough": enough}
    (count,) = connection.execute(_COUNT.format(scope=condition), bound).fetchone()
    return int(count)


def matched_terms(
    connection: sqlite3.Connection, terms: Sequence[str], ids: Iterable[int]
) -> dict[int, tuple[str, ...]]:
    """Return the terms that each of these memories holds, in the order of `terms`."""
    among = json.dumps(list(ids))
    matched: dict[int, list[str]] = {}
    for term in terms:
        for (file_id,) in connection.execute(_MATCHED, {"term": quote((term,)), "ids": among}):
            matched.setdefault(file_id, []).append(term)
    return {file_id: tuple(held) for file_id, held in matched.items()}


def best_outside(connection: sqlite3.Connection, finds: Finds, scope: Filter, most: int) -> list[Outside]:
    """Return the best memories that the same words find outside of the scope, best first."""
    bound = {**scope.values, "find": finds.expression, "pool": most}
    # A condition on an absent value is neither true nor false, and such a memory is outside too.
    rows = connection.execute(_FIND.format(scope=f"({scope.sql}) IS NOT 1"), bound)
    return [Outside(file_id, path, -cost) for file_id, path, cost in rows]


def _common(connection: sqlite3.Connection) -> int:
    (rows,) = connection.execute(_ROWS).fetchone()
    # A term of fewer rows than the pool cannot crowd anything out.
    return max(POOL, int(rows * _COMMON_SHARE))


def _frequencies(connection: sqlite3.Connection, terms: Iterable[str]) -> dict[str, int]:
    """Return in how many rows each term occurs, counting no further than decides; absent terms are left out."""
    enough = _common(connection) + 1
    counted = {}
    for term in terms:
        (count,) = connection.execute(_FREQUENCY, {"term": quote((term,)), "enough": enough}).fetchone()
        if count:
            counted[term] = count
    return counted
