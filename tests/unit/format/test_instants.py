"""Days and instants: what the grammar accepts, and the one form in which they are compared."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.format.instants import is_datetime, normalise_instant


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-08",
        "2024-02-29",
        "2026-11-30",
        "2026-03-08T08:15",
        "2026-03-08 08:15",
        "2026-03-08T08:15:00",
        "2026-03-08T08:15:00Z",
        "2026-03-08T08:15Z",
        "2026-03-08T23:59:60Z",
        "2026-03-08T08:15:00.123456789Z",
        "2026-03-08T08:15.5Z",
        "2026-03-08T08:15:00+0200",
        "2026-03-08T08:15:00-02:00",
        "0100-01-01",
    ],
)
def test_these_are_days_or_instants(text: str) -> None:
    assert is_datetime(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026",
        "2026-07",
        "2026-W31",
        "14:03",
        "P3D",
        "2026-07-28T14",
        "2026-07-28T24:00",
        "2026-07-28T25:00",
        "2026-07-28T12:60",
        "2026-07-28T12:00:99",
        "2026-07-28T12:00+25:00",
        "2026-7-28",
        "08/09/2026",
        "2026-02-30",
        "2026-02-29",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "0000-01-01",
        "0099-12-31",
        " 2026-03-08",
        "2026-03-08\n",
        "2026-03-08T",
        "2026-03-08t08:15z",
        "2026-03-08T08:15:00z",
        "2026-03-08  08:15",
        "२०२६-०३-०८",
        "yesterday",
    ],
)
def test_these_are_none(text: str) -> None:
    assert not is_datetime(text)
    assert normalise_instant(text) == text


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2026-03-08", "2026-03-08"),
        ("2026-03-08T08:15:00Z", "2026-03-08T08:15:00Z"),
        ("2026-03-08 08:15", "2026-03-08T08:15:00Z"),
        ("2026-03-08T08:15:09.999Z", "2026-03-08T08:15:09Z"),
        ("2026-03-08T08:15:00", "2026-03-08T08:15:00Z"),
        ("2026-03-08T01:15:00+02:00", "2026-03-07T23:15:00Z"),
        ("2026-12-31T23:30:00-0130", "2027-01-01T01:00:00Z"),
        ("2026-06-30T23:59:60Z", "2026-07-01T00:00:00Z"),
        ("0100-01-01T00:00:00+05:00", "0099-12-31T19:00:00Z"),
        ("9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59-01:00"),
        ("9999-12-31T23:59:60Z", "9999-12-31T23:59:60Z"),
    ],
)
def test_an_instant_is_stored_as_utc_seconds(text: str, stored: str) -> None:
    assert normalise_instant(text) == stored


@given(st.datetimes(timezones=st.timezones()).filter(lambda moment: moment.year > 101))
def test_every_moment_is_stored_as_the_same_moment(moment: datetime.datetime) -> None:
    offset = moment.utcoffset() or datetime.timedelta()
    if offset % datetime.timedelta(minutes=1):
        return
    text = moment.isoformat()
    assert is_datetime(text)
    try:
        expected = moment.astimezone(datetime.UTC)
    except OverflowError:
        return
    assert normalise_instant(text) == f"{expected.year:04d}-{expected:%m-%dT%H:%M:%SZ}"


@given(st.dates(min_value=datetime.date(100, 1, 1)))
def test_every_day_is_a_day_and_stays_it(day: datetime.date) -> None:
    assert is_datetime(day.isoformat())
    assert normalise_instant(day.isoformat()) == day.isoformat()


@given(st.text(alphabet="0123456789-:TZ+. ", max_size=30))
def test_the_stored_form_is_final(text: str) -> None:
    once = normalise_instant(text)
    assert normalise_instant(once) == once
