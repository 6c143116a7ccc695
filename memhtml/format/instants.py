"""The datetime grammar of the format, and the one form in which instants are stored and compared."""

import calendar
import datetime
import re
from typing import Final

__all__ = ["is_datetime", "normalise_instant"]

_GRAMMAR: Final = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
    r"(?::(?P<second>[0-5][0-9]|60))?(?:\.[0-9]+)?"
    r"(?P<zone>Z|(?P<sign>[+-])(?P<zone_hour>[01][0-9]|2[0-3]):?(?P<zone_minute>[0-5][0-9]))?)?"
)
#: The stored form, or something that would be returned as it is anyway.
_STORED: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-5][0-9]Z)?")
#: What nearly every valid text looks like; the rest is for the calendar to decide.
_PLAIN: Final = re.compile(
    r"[1-9][0-9]{3}-"
    r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30))"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?"
)


def is_datetime(text: str) -> bool:
    """Say whether `text` is a day or an instant of the format: no surrounding space, years 0100 to 9999."""
    return _PLAIN.fullmatch(text) is not None or _match(text) is not None


def normalise_instant(text: str) -> str:
    """Return an instant as UTC seconds with `Z`.

    A day stays a day, a missing zone is UTC, fractions of a second are dropped, and a text that is no instant is
    returned as it is: the record is kept, and a check says that it compares as text.
    """
    if _STORED.fullmatch(text) is not None:
        return text
    match = _match(text)
    if match is None:
        return text
    try:
        moment = datetime.datetime(
            int(match["year"]),
            int(match["month"]),
            int(match["day"]),
            int(match["hour"]),
            int(match["minute"]),
            tzinfo=datetime.UTC,
        )
        moment += datetime.timedelta(seconds=int(match["second"] or "0"))  # 60 is the next minute's first
        if match["sign"] is not None:
            offset = datetime.timedelta(hours=int(match["zone_hour"]), minutes=int(match["zone_minute"]))
            moment = moment - offset if match["sign"] == "+" else moment + offset
    except OverflowError:  # beyond the year 9999
        return text
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%SZ}"


def _match(text: str) -> re.Match[str] | None:
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        return None
    year = int(match["year"])
    if year < 100 or int(match["day"]) > calendar.monthrange(year, int(match["month"]))[1]:
        return None
    return match
