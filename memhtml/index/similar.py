"""Memories whose claim is nearly that of another: a hint for the eye, by words alone.

The rarest words of the claim propose, the share of common words decides. No vectors, and no judgement: nearly equal
claims may repeat, refine or contradict each other.
"""

import sqlite3
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from memhtml.db.fts import any_of, quote, read_question
from memhtml.format.terms import query_terms
from memhtml.values import MemoryPath

__all__ = ["Similar", "similar_claims"]

#: Share of words that two claims must have in common, of all words of both.
_LEAST_SHARE: Final = 0.6
#: Below so many words a share says nothing.
_LEAST_WORDS: Final = 3
#: How many words propose, and how many of them although they are common.
_RAREST: Final = 6
_LEAST_TERMS: Final = 2
#: From so many rows on a word is common: every row with it would be scored.
_COMMON: Final = 300
#: How many of the proposed are looked at, before archived ones and tasks fall away.
_POOL: Final = 60
_COUNT: Final = "SELECT count(*) FROM (SELECT 1 FROM files_fts WHERE files_fts MATCH ? LIMIT ?)"
# The best of all rows first: looking up every match among the files takes ten times as long.
_PROPOSED: Final = (
    "SELECT f.path, f.gist FROM (SELECT rowid AS id, bm25(files_fts) AS cost FROM files_fts"
    " WHERE files_fts MATCH ? ORDER BY cost LIMIT ?) AS best JOIN files AS f ON f.id = best.id"
    " WHERE f.archived = 0 AND f.memory_type <> 'task'"
)


class Similar(NamedTuple):
    path: MemoryPath
    claim: str
    #: Common words of all words of both claims, 0 to 1.
    share: float


def similar_claims(
    connection: sqlite3.Connection, claim: str, *, without: Collection[MemoryPath] = (), most: int = 3
) -> tuple[Similar, ...]:
    """Return active memories, tasks apart, whose claim has most words in common with `claim`.

    Order: the largest share first, then the path.
    """
    words = _words(claim)
    rarest = _rarest(connection, read_question(claim.replace('"', " ")).terms)
    if len(words) < _LEAST_WORDS or not rarest:
        return ()
    near: list[Similar] = []
    for path, other in connection.execute(_PROPOSED, (any_of(rarest), _POOL + len(without))):
        theirs = _words(other)
        share = len(words & theirs) / len(words | theirs)
        if share >= _LEAST_SHARE and path not in without:
            near.append(Similar(MemoryPath(path), other, round(share, 2)))
    return tuple(sorted(near, key=lambda each: (-each.share, each.path))[:most])


def _rarest(connection: sqlite3.Connection, terms: Sequence[str]) -> list[str]:
    """Return the rarest of the words that occur at all."""
    counted = {term: connection.execute(_COUNT, (quote((term,)), _COMMON)).fetchone()[0] for term in terms}
    known = sorted((term for term in terms if counted[term]), key=lambda term: (counted[term], term))
    return [
        term for rank, term in enumerate(known[:_RAREST]) if rank < _LEAST_TERMS or counted[term] < _COMMON
    ]


def _words(claim: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in query_terms(claim))
