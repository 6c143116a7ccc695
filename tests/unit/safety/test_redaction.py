"""Redaction: nothing of a secret stays, everything else does."""

import re

from hypothesis import given
from unit.safety import fakes
from unit.safety.fakes import drawn

from memhtml.safety import SecretCode, find_secrets, redact
from memhtml.safety.redaction import marker

MARKER = re.compile("|".join(re.escape(marker(code)) for code in SecretCode))
LONGEST_MARKER = max(len(marker(code)) for code in SecretCode)
SHORTEST_SECRET = 3


def test_a_secret_becomes_its_marker_and_is_counted() -> None:
    token, other = "ghp_" + drawn(36), "ghp_" + drawn(36, seed=2)
    done = redact(f"use {token} or {other}; password=hunter2 ")
    assert done.text == (
        "use [redacted:GITHUB_TOKEN] or [redacted:GITHUB_TOKEN]; password=[redacted:PASSWORD_ASSIGNMENT] "
    )
    assert done.counts == ((SecretCode.GITHUB_TOKEN, 2), (SecretCode.PASSWORD_ASSIGNMENT, 1))


def test_a_url_keeps_its_host() -> None:
    assert redact("postgres://admin:hunter2@db/app").text == "postgres://[redacted:URL_CREDENTIALS]@db/app"


def test_a_text_without_secrets_is_the_same_object_and_counts_nothing() -> None:
    text = "Power a soil probe for ten minutes before calibrating it."
    done = redact(text)
    assert done.text is text
    assert done.counts == ()


@given(fakes.secret_like_texts())
def test_a_redacted_text_holds_no_secret_and_stays_as_it_is(text: str) -> None:
    done = redact(text)
    assert find_secrets(done.text) == ()
    assert redact(done.text).text == done.text


@given(fakes.secret_like_texts())
def test_what_is_no_secret_stays_in_order(text: str) -> None:
    place = 0
    for piece in MARKER.split(redact(text).text):
        found = text.find(piece, place)
        assert found >= 0, piece
        place = found + len(piece)


@given(fakes.secret_like_texts())
def test_a_text_grows_by_no_more_than_a_marker_for_each_secret(text: str) -> None:
    done = redact(text)
    count = sum(number for _, number in done.counts)
    assert len(done.text) <= len(text) + count * (LONGEST_MARKER - SHORTEST_SECRET)
    assert bool(count) == bool(find_secrets(text))
