import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.ranking.decay import Signal, freshness, has_cooled, outcome_after, saturate


@pytest.mark.parametrize(("age_days", "fresh"), [(-3.0, 1.0), (0.0, 1.0), (90.0, 0.5), (180.0, 0.25)])
def test_freshness_halves_every_ninety_days_and_the_future_is_fresh(age_days: float, fresh: float) -> None:
    assert freshness(age_days) == fresh


@pytest.mark.parametrize(("salience", "share"), [(-1.0, 0.0), (0.0, 0.0), (2.0, 0.5), (1e12, 1.0)])
def test_salience_saturates_at_one(salience: float, share: float) -> None:
    assert saturate(salience) == pytest.approx(share)


@pytest.mark.parametrize(
    ("last", "at", "cooled"),
    [
        (None, "2026-05-01T12:00:00Z", True),
        ("2026-05-01T12:00:00Z", "2026-05-01T12:14:59Z", False),
        ("2026-05-01T12:00:00Z", "2026-05-01T12:15:00Z", True),
        ("2026-05-01T12:00:00Z", "2026-05-01T11:00:00Z", False),
        ("2026-05-01", "2026-05-01T00:15:00Z", True),
        ("no instant", "2026-05-01T12:00:00Z", False),
    ],
)
def test_a_use_counts_again_from_the_fifteenth_minute_on(last: str | None, at: str, cooled: bool) -> None:
    assert has_cooled(last, at) is cooled


def test_the_first_outcome_is_a_share_of_the_signal() -> None:
    assert outcome_after(0.0, Signal.POSITIVE) == pytest.approx(0.3)
    assert outcome_after(0.0, Signal.NEGATIVE) == pytest.approx(-0.3)


def test_a_neutral_use_leaves_the_outcome_alone() -> None:
    assert outcome_after(0.7, Signal.NEUTRAL) == 0.7


@given(st.lists(st.sampled_from(Signal)), st.floats(-1.0, 1.0))
def test_an_outcome_never_leaves_its_range(signals: list[Signal], outcome: float) -> None:
    for signal in signals:
        outcome = outcome_after(outcome, signal)
    assert -1.0 <= outcome <= 1.0
