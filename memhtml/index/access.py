"""What using a memory leaves in the state plane: a count, how it turned out, and which session it was.

A use within 15 minutes of the last one is the same use. Opening a memory and judging it are told apart: each has its
own clock, so that reading a memory never keeps the verdict on it from being heard.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memhtml.db.busy import WAIT_S, transaction
from memhtml.ranking.decay import COOLDOWN_S, OUTCOME_ALPHA, Signal
from memhtml.values import Instant, MemoryPath, Plane

__all__ = ["LinkKind", "Reinforced", "forget_counts", "record_link", "reinforce"]

_HAS_COOLED: Final = "({last} IS NULL OR julianday(:at) - julianday({last}) >= :cooldown_days)"
_OPENED: Final = _HAS_COOLED.format(last="last_accessed_at")
_JUDGED: Final = ":signal <> 0 AND " + _HAS_COOLED.format(last="last_reinforced_at")
_OUTCOME: Final = f"max(-1.0, min(1.0, outcome_score * {1.0 - OUTCOME_ALPHA} + {OUTCOME_ALPHA} * :signal))"
_BUMP: Final = (
    "INSERT INTO state.access (path, content_hash, access_count, reinforcement_count, outcome_score,"
    " last_accessed_at, last_reinforced_at, updated_at)"
    f" VALUES (:path, :content_hash, 1, :signal <> 0, {OUTCOME_ALPHA} * :signal, :at,"
    " CASE WHEN :signal <> 0 THEN :at END, :at)"
    " ON CONFLICT (path) DO UPDATE SET"
    f" access_count = access_count + ({_OPENED}),"
    f" last_accessed_at = CASE WHEN {_OPENED} THEN :at ELSE last_accessed_at END,"
    f" reinforcement_count = reinforcement_count + ({_JUDGED}),"
    f" outcome_score = CASE WHEN {_JUDGED} THEN {_OUTCOME} ELSE outcome_score END,"
    f" last_reinforced_at = CASE WHEN {_JUDGED} THEN :at ELSE last_reinforced_at END,"
    " content_hash = coalesce(:content_hash, content_hash),"
    " updated_at = :at"
    f" WHERE {_OPENED} OR ({_JUDGED})"
    " RETURNING path"
)


_LINK: Final = (
    "INSERT OR IGNORE INTO state.memory_session_links (path, session_id, prompt_id, turn_uuid, link_kind, at)"
    " VALUES (:path, :session_id, :prompt_id, :turn_uuid, :kind, :at)"
)


class LinkKind(StrEnum):
    """What a session did with a memory."""

    WROTE = "wrote"
    READ = "read"
    CORRECTED = "corrected"
    REINFORCED = "reinforced"


@dataclass(frozen=True, slots=True)
class Reinforced:
    """Which paths counted, and which were used too recently; both in the order asked."""

    bumped: tuple[MemoryPath, ...]
    cooled_down: tuple[MemoryPath, ...]
    signal: Signal


def reinforce(
    connection: sqlite3.Connection | None,
    paths: Iterable[MemoryPath],
    signal: Signal,
    at: Instant,
    *,
    cooldown_s: int = COOLDOWN_S,
    content_hashes: Mapping[MemoryPath, str] | None = None,
    wait_s: float = WAIT_S,
) -> Reinforced:
    """Count one use of each path, and how it turned out.

    Shapes: a path given twice counts once, an empty one not at all; None for the connection, or one without a state
    plane attached for writing, cools everything down. `content_hashes` let a count be found again after its path went.
    Effects: one transaction over all paths.
    Errors: LockHeld, StorageFailed.
    """
    asked = tuple(dict.fromkeys(path for path in paths if path))
    if connection is None or not asked:
        return Reinforced((), asked, signal)
    hashes = content_hashes or {}
    # Half a second of slack: julianday counts in days, and its last bits must not turn 900 s into 899.99997.
    bound = {"signal": int(signal), "at": at, "cooldown_days": (cooldown_s - 0.5) / 86_400.0}
    bumped = set()
    with transaction(connection, "counting a use", Plane.STATE, wait_s=wait_s):
        for path in asked:
            row = {**bound, "path": path, "content_hash": hashes.get(path)}
            if connection.execute(_BUMP, row).fetchone() is not None:
                bumped.add(path)
    return Reinforced(
        tuple(path for path in asked if path in bumped),
        tuple(path for path in asked if path not in bumped),
        signal,
    )


def record_link(
    connection: sqlite3.Connection,
    path: MemoryPath,
    session_id: str,
    kind: LinkKind,
    at: Instant,
    *,
    prompt_id: str | None = None,
    turn_uuid: str | None = None,
    wait_s: float = WAIT_S,
) -> None:
    """Record what a session did with a memory; the same thing at the same instant is recorded once.

    Shapes: the session need not have been indexed, and the memory need not have a row.
    Effects: one transaction. Errors: LockHeld, StorageFailed.
    """
    row = {
        "path": path,
        "session_id": session_id,
        "prompt_id": prompt_id,
        "turn_uuid": turn_uuid,
        "kind": kind.value,
        "at": at,
    }
    with transaction(connection, "recording a link", Plane.STATE, wait_s=wait_s):
        connection.execute(_LINK, row)


def forget_counts(connection: sqlite3.Connection, paths: Iterable[str], *, wait_s: float = WAIT_S) -> int:
    """Delete what this clone counted of paths, and return how many rows that were; its session links stay.

    Effects: one transaction. Errors: LockHeld, StorageFailed.
    """
    rows = [(path,) for path in paths]
    with transaction(connection, "forgetting counts", Plane.STATE, wait_s=wait_s):
        return connection.executemany("DELETE FROM state.access WHERE path = ?", rows).rowcount if rows else 0
