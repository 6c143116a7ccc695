"""The only source of time. Everything else takes an instant, or a `Clock`, as an argument."""

import datetime
from collections.abc import Callable

from memhtml.values import Instant

__all__ = ["Clock", "instant_of", "now"]

Clock = Callable[[], Instant]


def instant_of(moment: datetime.datetime) -> Instant:
    """Return an aware datetime as UTC seconds with `Z`."""
    return Instant(moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def now() -> Instant:
    """Return the current instant."""
    return instant_of(datetime.datetime.now(datetime.UTC))
