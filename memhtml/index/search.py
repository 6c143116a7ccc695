"""Answering a question from the index: find, fuse, fetch, explain. Reads only.

No statement here or in the arms names a table of another plane but `state.access` and `state.access_remote`: what a
transcript holds decides nothing about what is remembered.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from memhtml.db.fts import Question, read_question
from memhtml.index.answers import Explanation, Hit, MissReason, NearMiss, SearchResult
from memhtml.index.arms import lexical, recency, salience
from memhtml.index.scope import Filter, Scope, filter_of, instant_sql
from memhtml.index.snippets import opening_texts
from memhtml.ranking.fusion import Arm, Finder, Fused, Nudge, Share, fuse
from memhtml.ranking.rrf import fuse_ranks, reciprocal
from memhtml.values import Instant, MemoryPath

__all__ = ["answer"]

#: How far a nudge may move a hit, in standard deviations of the fused score. Bench `retrieval`, "nudged" rows: ages and
#: uses that know nothing of the questions cost SciFact 0.001 NDCG@10 and the pool nothing; at 0.3 it is 0.0024 on both.
_RECENCY_NUDGE: Final = 0.1
_SALIENCE_NUDGE: Final = 0.1
#: Weights of the two where no word asks for anything, by rank (behaviour spec `index-traces` 5.1).
_LISTING_WEIGHTS: Final[Mapping[Arm, float]] = {Arm.RECENCY: 0.5, Arm.SALIENCE: 0.4}
#: Rows that each of them names then (the same).
_LISTING_DEPTH: Final = 40
#: Misses that an explanation names for each reason.
_MISSES: Final = 5

_FETCH: Final = (
    "SELECT f.id, f.path, f.title, f.gist, f.memory_type, f.confidence, f.updated_at, f.content_hash, f.archived,"
    f" f.valid_until IS NOT NULL AND ({instant_sql('f.valid_until')}) <= :now,"
    " (SELECT e.src_path FROM edges AS e WHERE e.dst_path = f.path AND e.edge_class = 'memory'"
    "  AND e.rel = 'supersedes' AND e.derived = 0 ORDER BY e.created_at DESC, e.src_path LIMIT 1)"
    " FROM files AS f WHERE f.id IN (SELECT value FROM json_each(:ids))"
)
_ENTITIES: Final = (
    "SELECT f.id, c.entity_type || ':' || c.entity_name FROM files AS f JOIN file_entities AS c ON c.path = f.path"
    " WHERE f.id IN (SELECT value FROM json_each(:ids)) ORDER BY 1, 2"
)
_AXES: Final = "SELECT f.id, {conditions} FROM files AS f WHERE f.id IN (SELECT value FROM json_each(:ids))"


class _Ranking(NamedTuple):
    fused: Sequence[Fused]
    paths: Mapping[int, str]
    arms: tuple[Arm, ...]
    finds: lexical.Finds | None


def answer(
    connection: sqlite3.Connection,
    query: str,
    *,
    scope: Scope,
    limit: int,
    now: Instant,
    has_state: bool,
    explain: bool = False,
) -> SearchResult:
    """Return the best `limit` memories for a question, inside a scope.

    Shapes: without `has_state` (no state plane attached) there is no salience. `limit` is 1 to `lexical.POOL`.
    Order: by fused score, then by path; equal input at an equal `now` gives equal output.
    """
    question = read_question(query)
    where = filter_of(scope)
    if question.asks:
        ranking = _found(connection, question, where, now, has_state, explain)
    else:
        ranking = _listed(connection, where, limit, now, has_state)
    top = ranking.fused[:limit]
    matched = {}
    if explain and ranking.finds is not None:
        matched = lexical.matched_terms(connection, ranking.finds.known, [hit.key for hit in top])
    hits = _fetch(connection, top, matched, now, explain)
    return SearchResult(
        hits=hits,
        degraded=True,  # no arm reads vectors yet
        arms=ranking.arms,
        entity_scope=scope.entity,
        scope_empty=not hits and scope.narrows,
        query_matched=ranking.finds is not None and bool(ranking.fused),
        archived_matches=ranking.finds.archived if ranking.finds is not None else 0,
        near_misses=_near_misses(connection, ranking, where, limit) if explain else (),
    )


def _found(
    connection: sqlite3.Connection,
    question: Question,
    where: Filter,
    now: Instant,
    has_state: bool,
    explain: bool,
) -> _Ranking:
    finds = lexical.find(connection, question, where)
    arms = [Arm.FTS, Arm.RECENCY]
    nudges = [Nudge(Arm.RECENCY, _RECENCY_NUDGE, recency.values(connection, finds.paths, now))]
    if has_state:
        salience.provide_functions(connection)
        arms.append(Arm.SALIENCE)
        nudges.append(Nudge(Arm.SALIENCE, _SALIENCE_NUDGE, salience.values(connection, finds.paths, now)))
    # The vector arm takes its place here as a second finder; its scores must cover the union of both.
    finders = [Finder(Arm.FTS, 1.0, finds.scores)]
    return _Ranking(fuse(finders, nudges, finds.paths, explain=explain), finds.paths, tuple(arms), finds)


def _listed(
    connection: sqlite3.Connection, where: Filter, limit: int, now: Instant, has_state: bool
) -> _Ranking:
    """Return the newest and most used memories, for a question without a word."""
    depth = max(limit, _LISTING_DEPTH)
    lists = {Arm.RECENCY: recency.newest(connection, where, depth)}
    if has_state:
        salience.provide_functions(connection)
        lists[Arm.SALIENCE] = salience.most_salient(connection, where, depth, now)
    paths = dict(row for rows in lists.values() for row in rows)
    rankings = {arm: [file_id for file_id, _ in rows] for arm, rows in lists.items()}
    scores = fuse_ranks(rankings, _LISTING_WEIGHTS)
    shares: dict[int, list[Share]] = {key: [] for key in scores}
    for arm, ids in rankings.items():
        for rank, key in enumerate(ids, start=1):
            part = reciprocal(rank, _LISTING_WEIGHTS[arm])
            shares[key].append(Share(arm, rank, part, part))
    order = sorted(scores, key=lambda key: (-scores[key], paths[key]))
    return _Ranking([Fused(key, scores[key], tuple(shares[key])) for key in order], paths, tuple(lists), None)


def _fetch(
    connection: sqlite3.Connection,
    top: Sequence[Fused],
    matched: Mapping[int, tuple[str, ...]],
    now: Instant,
    explain: bool,
) -> tuple[Hit, ...]:
    if not top:
        return ()
    bound = {"ids": json.dumps([hit.key for hit in top]), "now": now}
    rows = {row[0]: row[1:] for row in connection.execute(_FETCH, bound)}
    entities: dict[int, list[str]] = {}
    for file_id, entity in connection.execute(_ENTITIES, bound):
        entities.setdefault(file_id, []).append(entity)
    snippets = opening_texts(connection, {row[6] for row in rows.values()})
    hits = []
    for rank, fused in enumerate(top, start=1):
        path, title, gist, kind, confidence, updated, content_hash, archived, expired, successor = rows[
            fused.key
        ]
        hits.append(
            Hit(
                path=MemoryPath(path),
                title=title,
                gist=gist,
                memory_type=kind,
                rank=rank,
                score=fused.score,
                confidence=confidence,
                updated_at=updated,
                snippet=snippets.get(content_hash, ""),
                entities=tuple(dict.fromkeys(entities.get(fused.key, ()))),
                superseded_by=MemoryPath(successor) if successor is not None else None,
                archived=bool(archived),
                expired=bool(expired),
                explanation=Explanation(fused.shares, matched.get(fused.key, ())) if explain else None,
            )
        )
    return tuple(hits)


def _near_misses(
    connection: sqlite3.Connection, ranking: _Ranking, where: Filter, limit: int
) -> tuple[NearMiss, ...]:
    """Return the first memories behind the limit, and the best matches that the scope leaves out."""
    misses = [
        NearMiss(MemoryPath(ranking.paths[fused.key]), MissReason.LIMIT, (), rank, fused.score)
        for rank, fused in enumerate(ranking.fused[limit : limit + _MISSES], start=limit + 1)
    ]
    if ranking.finds is None or not ranking.finds.expression:
        return tuple(misses)
    outside = lexical.best_outside(connection, ranking.finds, where, _MISSES)
    if outside:
        conditions = ", ".join(f"({condition.sql})" for condition in where.conditions)
        bound = {**where.values, "ids": json.dumps([row.id for row in outside])}
        verdicts = {row[0]: row[1:] for row in connection.execute(_AXES.format(conditions=conditions), bound)}
        for row in outside:
            axes = [
                condition.axis
                for condition, holds in zip(where.conditions, verdicts[row.id], strict=True)
                if not holds
            ]
            misses.append(
                NearMiss(MemoryPath(row.path), MissReason.SCOPE, tuple(dict.fromkeys(axes)), None, row.score)
            )
    return tuple(misses)
