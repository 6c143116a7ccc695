"""How age and use count: the arithmetic of recency, salience and reinforcement. No clock is read here."""

import datetime
from enum import IntEnum

__all__ = ["COOLDOWN_S", "OUTCOME_ALPHA", "Signal", "freshness", "has_cooled", "outcome_after", "saturate"]

#: Seconds in which a second use of one memory counts as the same use (behaviour spec `index-traces` 5.1).
COOLDOWN_S = 900
#: Share of the newest outcome in the running average (the same).
OUTCOME_ALPHA = 0.3
#: Days in which freshness halves. Notes stay true for months: a shorter life would only tell today from yesterday.
_HALF_LIFE_DAYS = 90.0


class Signal(IntEnum):
    """How the use of a memory turned out."""

    NEGATIVE = -1
    NEUTRAL = 0
    POSITIVE = 1


def _moment(text: str) -> datetime.datetime | None:
    """Read a stored day or instant; a day is its first second."""
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)


def freshness(age_days: float) -> float:
    """Return 1 for what is of now or later, halving every 90 days."""
    return 1.0 if age_days <= 0.0 else 0.5 ** (age_days / _HALF_LIFE_DAYS)


def saturate(salience: float) -> float:
    """Map a salience, which grows without bound, into 0..1: fresh and never read gives 1/3, ten reads about 0.6."""
    return salience / (salience + 2.0) if salience > 0.0 else 0.0


def has_cooled(last: str | None, at: str, cooldown_s: int = COOLDOWN_S) -> bool:
    """Say whether a use at `at` counts after one at `last`; exactly `cooldown_s` later it does, before `last` never."""
    if last is None:
        return True
    then, present = _moment(last), _moment(at)
    if then is None or present is None:
        return False
    return (present - then).total_seconds() >= cooldown_s


def outcome_after(outcome: float, signal: Signal) -> float:
    """Return the running average of outcomes, -1..1, after one more; a neutral one leaves it alone."""
    if signal is Signal.NEUTRAL:
        return outcome
    moved = outcome * (1.0 - OUTCOME_ALPHA) + signal * OUTCOME_ALPHA
    return max(-1.0, min(1.0, moved))
