"""The lexical arm: finds with the rare words of a question, then scores what it found with all of them.

Common words cost most and tell least: they do not find, but they may decide the order among a few hundred rows.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from memhtml.db.fts import Question, all_of, any_of, quote
from memhtml.index.scope import ALIVE, Filter

__all__ = ["POOL", "Finds", "Outside", "best_outside", "find", "matched_terms"]

#: Rows that are scored with every term. Finding by the capped terms alone scores 0.668 on the SciFact training claims,
#: with this second step 0.7025; every term on every row scores 0.701 and takes four times as long (DESIGN D5).
POOL: Final = 200
#: Share of rows above which a term is too common to find by, and how many terms find whatever their share
#: (behaviour spec `measurements` 4: 93 % of the uncapped top ten stay among the first fifty).
_COMMON_SHARE: Final = 0.05
_LEAST_TERMS: Final = 2
#: Rows looked at beyond the pool before a scope is known to be narrow.
_SPARE: Final = 100
#: Weight of one occurrence. A claim is indexed twice, as claim and as part of the body, so an occurrence counts for
#: less than one (bench `retrieval`: between 0.5 and 0.7 both sets are flat; 1.0 costs short notes 0.01).
_OCCURRENCE: Final = 0.6

_COST = f"bm25(files_fts, {_OCCURRENCE})"
_FIND = (
    f"SELECT f.id, f.path, {_COST} AS cost FROM files_fts JOIN files AS f ON f.id = files_fts.rowid"
    " WHERE files_fts MATCH :find AND {scope} ORDER BY cost, f.path LIMIT :pool"
)
# The best rows of any scope, and whether they are in this one: a third of the time of looking up every match.
_FIND_FIRST = (
    "SELECT f.id, f.path, best.cost, ({scope}), f.archived = 1 AND ({rest}) FROM ("
    f"SELECT rowid AS id, {_COST} AS cost FROM files_fts"
    " WHERE files_fts MATCH :find ORDER BY cost LIMIT :most) AS best JOIN files AS f ON f.id = best.id"
    " ORDER BY best.cost, f.path"
)
# The unary plus keeps the ids out of FTS5's own plan, which would evaluate the whole expression once an id.
_AMONG = "+files_fts.rowid IN (SELECT value FROM json_each(:ids))"
_SCORE = f"SELECT files_fts.rowid, {_COST} FROM files_fts WHERE files_fts MATCH :score AND {_AMONG}"
_MATCHED = f"SELECT files_fts.rowid FROM files_fts WHERE files_fts MATCH :term AND {_AMONG}"
_ROWS = "SELECT count(*) FROM files"
_FREQUENCY = "SELECT count(*) FROM (SELECT 1 FROM files_fts WHERE files_fts MATCH :term LIMIT :enough)"


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
    #: How many of the best rows of any scope only their being archived keeps out.
    archived: int = 0


def find(connection: sqlite3.Connection, question: Question, scope: Filter, *, pool: int = POOL) -> Finds:
    """Return at most `pool` candidates of a question that asks something.

    Order: among equal scores the smaller path is a candidate first.
    """
    common = _common(connection)
    frequencies = _frequencies(connection, question.terms, common + 1)
    known = tuple(sorted(frequencies, key=lambda term: (frequencies[term], term)))
    if question.phrases:
        finding = all_of(question.phrases)
    else:
        rare = [term for rank, term in enumerate(known) if rank < _LEAST_TERMS or frequencies[term] <= common]
        finding = any_of(rare)
    if not finding:
        return Finds({}, {}, "", known)
    rows, archived = _best(connection, finding, scope, pool)
    paths = {row[0]: row[1] for row in rows}
    scoring = " OR ".join([*map(quote, question.phrases), *([any_of(known)] if known else [])])
    if scoring == finding:
        scores = {row[0]: -row[2] for row in rows}
    else:
        scored = connection.execute(_SCORE, {"score": scoring, "ids": json.dumps(list(paths))})
        scores = {row[0]: -row[1] for row in scored}
    return Finds(paths, scores, finding, known, archived)


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


def _best(
    connection: sqlite3.Connection, finding: str, scope: Filter, pool: int
) -> tuple[list[tuple[int, str, float]], int]:
    """Return (id, path, cost) of the best rows of a scope, and how many archived ones were seen on the way.

    First the best of all rows are looked at. Where too many of them are outside of the scope, every match is.
    """
    most = pool + _SPARE
    bound = {**scope.values, "find": finding, "most": most, "pool": pool}
    first = _FIND_FIRST.format(scope=scope.sql, rest=scope.without(ALIVE))
    seen = connection.execute(first, bound).fetchall()
    archived = sum(1 for row in seen if row[4] and not row[3])
    inside = [row[:3] for row in seen if row[3]]
    if len(seen) < most:
        return inside[:pool], archived
    # Which of several equal rows made it under the limit is chance: none of them counts.
    last = seen[-1][2]
    inside = [row for row in inside if row[2] < last]
    if len(inside) >= pool:
        return inside[:pool], archived
    return connection.execute(_FIND.format(scope=scope.sql), bound).fetchall(), archived


def _common(connection: sqlite3.Connection) -> int:
    """Return the number of rows from which on a term is too common to find by."""
    (rows,) = connection.execute(_ROWS).fetchone()
    # A term of fewer rows than the pool cannot crowd anything out.
    return max(POOL, int(rows * _COMMON_SHARE))


def _frequencies(connection: sqlite3.Connection, terms: Iterable[str], enough: int) -> dict[str, int]:
    """Return in how many rows each term occurs, counting up to `enough`; absent terms are left out."""
    counted = {}
    for term in terms:
        (count,) = connection.execute(_FREQUENCY, {"term": quote((term,)), "enough": enough}).fetchone()
        if count:
            counted[term] = count
    return counted
