"""Counting what was used: when it counts, how an outcome moves, and that nothing else does."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memhtml.db.open import attach_state
from memhtml.errors import StorageFailed
from memhtml.index.access import LinkKind, Reinforced, record_link, reinforce
from memhtml.ranking.decay import Signal, has_cooled
from memhtml.resources import migrations
from memhtml.values import Instant, MemoryPath, Plane

A, B = MemoryPath("areas/a.html"), MemoryPath("areas/b.html")
NOON = Instant("2026-05-01T12:00:00Z")


def at(seconds: int) -> Instant:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return Instant(f"2026-05-01T{12 + hours:02}:{minute:02}:{second:02}Z")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    attach_state(
        connection, tmp_path / "state.db", mode="write", migrations=migrations(Plane.STATE), now=NOON
    )
    yield connection
    connection.close()


def row(state: sqlite3.Connection, path: str = A) -> tuple[object, ...] | None:
    found = state.execute(
        "SELECT access_count, reinforcement_count, round(outcome_score, 9), last_accessed_at, last_reinforced_at"
        " FROM state.access WHERE path = ?",
        (path,),
    ).fetchone()
    return found if found is None else tuple(found)


def test_the_first_use_makes_a_row(state: sqlite3.Connection) -> None:
    assert reinforce(state, [A], Signal.NEUTRAL, NOON) == Reinforced((A,), (), Signal.NEUTRAL)
    assert row(state) == (1, 0, 0.0, NOON, None)


@pytest.mark.parametrize("seconds", [0, 1, 450, 899, 900, 901, 3_600])
def test_a_use_counts_exactly_where_the_pure_rule_says_so(state: sqlite3.Connection, seconds: int) -> None:
    reinforce(state, [A], Signal.NEUTRAL, NOON)
    again = reinforce(state, [A], Signal.NEUTRAL, at(seconds))
    cooled = has_cooled(NOON, at(seconds))
    assert again == Reinforced((A,) if cooled else (), () if cooled else (A,), Signal.NEUTRAL)
    assert row(state) == ((2, 0, 0.0, at(seconds), None) if cooled else (1, 0, 0.0, NOON, None))


def test_a_use_before_the_last_one_does_not_count(state: sqlite3.Connection) -> None:
    reinforce(state, [A], Signal.NEUTRAL, at(3_600))
    assert reinforce(state, [A], Signal.NEUTRAL, NOON).cooled_down == (A,)


def test_a_reading_does_not_keep_a_verdict_from_being_heard(state: sqlite3.Connection) -> None:
    reinforce(state, [A], Signal.NEUTRAL, NOON)
    assert reinforce(state, [A], Signal.POSITIVE, at(10)).bumped == (A,)
    assert row(state) == (1, 1, 0.3, NOON, at(10))


def test_a_second_verdict_within_the_time_counts_as_the_first(state: sqlite3.Connection) -> None:
    reinforce(state, [A], Signal.POSITIVE, NOON)
    assert reinforce(state, [A], Signal.NEGATIVE, at(899)).cooled_down == (A,)
    assert row(state) == (1, 1, 0.3, NOON, NOON)


def test_outcomes_are_a_running_average_that_stays_in_range(state: sqlite3.Connection) -> None:
    reinforce(state, [A], Signal.POSITIVE, NOON)
    reinforce(state, [A], Signal.NEGATIVE, at(900))
    assert row(state) == (2, 2, round(0.3 * 0.7 - 0.3, 9), at(900), at(900))
    for n in range(2, 30):
        reinforce(state, [A], Signal.NEGATIVE, at(900 * n))
    found = row(state)
    assert found is not None
    assert isinstance(found[2], float)
    assert -1.0 <= found[2] < -0.99


def test_a_neutral_use_moves_neither_outcome_nor_verdicts(state: sqlite3.Connection) -> None:
    reinforce(state, [A], Signal.POSITIVE, NOON)
    reinforce(state, [A], Signal.NEUTRAL, at(900))
    assert row(state) == (2, 1, 0.3, at(900), NOON)


def test_a_batch_is_told_apart_path_by_path_and_counts_doubles_once(state: sqlite3.Connection) -> None:
    reinforce(state, [A], Signal.NEUTRAL, NOON)
    done = reinforce(state, [B, A, MemoryPath(""), B], Signal.NEUTRAL, at(60))
    assert done == Reinforced((B,), (A,), Signal.NEUTRAL)
    assert (row(state), row(state, B)) == ((1, 0, 0.0, NOON, None), (1, 0, 0.0, at(60), None))


def test_without_a_state_plane_everything_has_been_used_too_recently() -> None:
    assert reinforce(None, [A, B], Signal.POSITIVE, NOON) == Reinforced((), (A, B), Signal.POSITIVE)


def test_nothing_asked_is_nothing_done(state: sqlite3.Connection) -> None:
    assert reinforce(state, [], Signal.POSITIVE, NOON) == Reinforced((), (), Signal.POSITIVE)
    assert not state.in_transaction


def test_a_count_remembers_what_the_memory_said(state: sqlite3.Connection) -> None:
    reinforce(state, [A], Signal.NEUTRAL, NOON, content_hashes={A: "blake3:1"})
    reinforce(state, [A], Signal.NEUTRAL, at(900))
    assert state.execute("SELECT content_hash FROM state.access").fetchall() == [("blake3:1",)]


def test_one_failing_path_leaves_no_other_counted(state: sqlite3.Connection) -> None:
    state.execute(
        "CREATE TEMP TRIGGER refuse BEFORE INSERT ON state.access WHEN new.path = 'areas/b.html'"
        " BEGIN SELECT raise(ABORT, 'no'); END"
    )
    with pytest.raises(StorageFailed):
        reinforce(state, [A, B], Signal.NEUTRAL, NOON)
    assert row(state) is None


def test_a_link_of_one_instant_is_recorded_once(state: sqlite3.Connection) -> None:
    for _ in range(2):
        record_link(state, A, "session-nobody-indexed", LinkKind.READ, NOON, prompt_id="p")
    record_link(state, A, "session-nobody-indexed", LinkKind.WROTE, NOON)
    links = state.execute(
        "SELECT path, session_id, prompt_id, link_kind, at FROM state.memory_session_links ORDER BY link_kind"
    ).fetchall()
    assert links == [
        (A, "session-nobody-indexed", "p", "read", NOON),
        (A, "session-nobody-indexed", None, "wrote", NOON),
    ]


def test_the_kinds_of_links_are_those_of_the_table(state: sqlite3.Connection) -> None:
    for kind in LinkKind:
        record_link(state, A, "s", kind, NOON)
    with pytest.raises(ValueError, match="used"):
        LinkKind("used")
