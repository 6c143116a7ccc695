"""Mined edges: no file asserts them, so a pass keeps them as long as both ends say what they were mined from."""

import sqlite3
from collections.abc import Sequence

from memhtml.values import MemoryPath

__all__ = ["move_derived_edges", "settle_derived_edges"]

_HAS_DERIVED = "SELECT EXISTS (SELECT 1 FROM edges WHERE derived = 1)"
_MOVE_DERIVED_SRC = "UPDATE OR REPLACE edges SET src_path = ? WHERE src_path = ? AND derived = 1"
_MOVE_DERIVED_DST = "UPDATE OR REPLACE edges SET dst_path = ? WHERE dst_path = ? AND derived = 1"
_DROP_STALE_DERIVED = (
    "DELETE FROM edges WHERE derived = 1 AND NOT ("
    " EXISTS (SELECT 1 FROM files WHERE path = edges.src_path AND content_hash = edges.src_hash)"
    " AND EXISTS (SELECT 1 FROM files WHERE path = edges.dst_path AND content_hash = edges.dst_hash))"
)


def move_derived_edges(
    connection: sqlite3.Connection, moves: Sequence[tuple[MemoryPath, MemoryPath]]
) -> None:
    """Let mined edges follow the files they join, aside first: a move may lead to where another started."""
    if not moves or not connection.execute(_HAS_DERIVED).fetchone()[0]:
        return
    aside = [(f"//moving/{n}", old) for n, (old, _) in enumerate(moves)]
    final = [(new, f"//moving/{n}") for n, (_, new) in enumerate(moves)]
    for renames in (aside, final):
        for statement in (_MOVE_DERIVED_SRC, _MOVE_DERIVED_DST):
            connection.executemany(statement, renames)


def settle_derived_edges(connection: sqlite3.Connection) -> int:
    """Drop mined edges whose ends no longer say what they said when the edge was mined; return how many."""
    if not connection.execute(_HAS_DERIVED).fetchone()[0]:
        return 0
    return connection.execute(_DROP_STALE_DERIVED).rowcount
