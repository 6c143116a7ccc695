"""Which of two values of one name holds, where both sides of a merge set it anew.

A rule sees the values alone and not whose they are, so no order of the sides matters. The rules are cautious: the
earliest end, the lowest confidence, and the word of whoever saw a need for revision.
"""

from collections.abc import Callable
from typing import Final

from memhtml.format.head import as_bool, decimal
from memhtml.format.instants import normalise_instant
from memhtml.format.vocabulary import EXTENSION_META_PREFIX

__all__ = ["RULES", "decide"]

#: Decides between two values; None where it cannot.
_Rule = Callable[[str, str], str | None]

_TASK_ORDER: Final = ("todo", "doing", "blocked", "done")


def decide(name: str, one: str, other: str) -> str | None:
    """Return the value that holds of a name, or None where the name has no rule, or its rule no opinion."""
    rule = RULES.get(name)
    return rule(*sorted((one, other))) if rule is not None else None


def _earliest(one: str, other: str) -> str:
    return min(one, other, key=lambda value: (_moment(value), value))


def _latest(one: str, other: str) -> str:
    return max(one, other, key=lambda value: (_moment(value), value))


def _moment(value: str) -> str:
    """Return an instant to compare by; a day is its first moment."""
    instant = normalise_instant(value)
    return instant if len(instant) > 10 else f"{instant}T00:00:00Z"


def _greatest(one: str, other: str) -> str | None:
    numbers = decimal(one), decimal(other)
    if numbers[0] is None or numbers[1] is None or numbers[0] == numbers[1]:
        return None
    return one if numbers[0] > numbers[1] else other


def _least(one: str, other: str) -> str | None:
    greater = _greatest(one, other)
    return None if greater is None else (other if greater is one else one)


def _archived(one: str, other: str) -> str | None:
    return "archived" if "archived" in (one, other) else None


def _true(one: str, other: str) -> str | None:
    return next((value for value in (one, other) if as_bool(value)), None)


def _furthest(one: str, other: str) -> str | None:
    if one not in _TASK_ORDER or other not in _TASK_ORDER:
        return None
    return max(one, other, key=_TASK_ORDER.index)


#: The rule of each name that has one.
RULES: Final[dict[str, _Rule]] = {
    "memhtml-status": _archived,
    "memhtml-created": _earliest,
    "memhtml-updated": _latest,
    "memhtml-confidence": _least,
    "memhtml-importance": _greatest,
    "memhtml-valid-from": _earliest,
    "memhtml-valid-until": _earliest,
    "memhtml-reprieves": _greatest,
    "memhtml-archived": _earliest,
    "memhtml-needs-revision": _true,
    "memhtml-task-status": _furthest,
    "memhtml-due": _earliest,
    EXTENSION_META_PREFIX + "expiry": _earliest,
}
