"""Memories whose claim is nearly that of another: a hint for the eye, by words alone.

The lexical index proposes, the share of common words decides. No vectors, and no judgement: nearly equal claims may
repeat, refine or contradict each other.
"""

import json
import sqlite3
from collections.abc import Collection
from typing import Final, NamedTuple

from memhtml.db.fts import read_question
from memhtml.format.terms import query_terms
from memhtml.index.arms.lexical import find
from memhtml.index.scope import EVERYTHING, filter_of
from memhtml.values import MemoryPath

__all__ = ["Similar", "similar_claims"]

#: Share of words that two claims must have in common, of all words of both.
_LEAST_SHARE: Final = 0.6
#: Below so many words a share says nothing.
_LEAST_WORDS: Final = 3
#: How many of the index's best are looked at.
_POOL: Final = 20
_CLAIMS: Final = "SELECT path, gist FROM files WHERE path IN (SELECT value FROM json_each(?))"


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
    question = read_question(claim.replace('"', " "))
    if len(words) < _LEAST_WORDS or not question.asks:
        return ()
    found = find(connection, question, filter_of(EVERYTHING), pool=_POOL).paths.values()
    near: list[Similar] = []
    for path, other in connection.execute(_CLAIMS, (json.dumps([p for p in found if p not in without]),)):
        theirs = _words(other)
        share = len(words & theirs) / len(words | theirs)
        if share >= _LEAST_SHARE:
            near.append(Similar(MemoryPath(path), other, round(share, 2)))
    return tuple(sorted(near, key=lambda each: (-each.share, each.path))[:most])


def _words(claim: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in query_terms(claim))
