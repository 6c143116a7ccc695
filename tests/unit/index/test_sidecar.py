"""Lines of counts: those of other writers of the format, and nothing that a damaged file could make of them."""

import json

from hypothesis import given
from hypothesis import strategies as st

from memhtml.index.sidecar import (
    SHEETS,
    Counts,
    access_lines,
    by_path,
    counts_of,
    encode,
    joined,
    parse_lines,
)

ACCESS, LINKS, CONSOLIDATIONS, EDGES, _ = SHEETS
HASH = "blake3:" + "0" * 64
ROW = Counts("areas/a.html", 3, 1, 0.25, "2026-03-01T00:00:00Z", None, "2026-03-02T00:00:00Z", None)
GOOD = (
    b'{"path":"areas/a.html","accessCount":3,"reinforcementCount":1,"outcomeScore":0.25,'
    b'"lastAccessedAt":"2026-03-01T00:00:00Z","lastReinforcedAt":null,"updatedAt":"2026-03-02T00:00:00Z"}\n'
)

COUNTS = st.builds(
    Counts,
    st.sampled_from(["areas/a.html", "areas/ü.html", 'areas/"b".html']),
    st.integers(0, 2**53),
    st.integers(0, 2**53),
    st.floats(-1, 1).map(lambda score: round(score, 4) + 0.0),
    st.none() | st.just("2026-03-01T00:00:00Z") | st.just("2026-04-01T00:00:00Z"),
    st.none() | st.just("2026-03-05T00:00:00Z"),
    st.sampled_from(["2026-03-05T00:00:00Z", "2026-05-05T00:00:00Z"]),
    st.none() | st.just(HASH),
)


def test_a_line_is_that_of_other_writers_with_the_hash_of_the_words_behind_it() -> None:
    assert access_lines([ROW]) == [GOOD]
    (line,) = access_lines([ROW._replace(content_hash=HASH)])
    assert line == GOOD.replace(b"}", b',"contentHash":"' + HASH.encode() + b'"}')


def test_scores_have_four_places_and_zero_no_sign() -> None:
    scores = (1 / 3, -0.00001, 1.0, -0.5)
    lines = [
        json.loads(line)["outcomeScore"]
        for s in scores
        for line in access_lines([ROW._replace(outcome_score=s)])
    ]
    assert lines == [0.3333, 0, 1, -0.5]
    assert b"-0," not in b"".join(access_lines([ROW._replace(outcome_score=-0.0)]))


def test_lines_stand_by_path_whatever_order_the_rows_come_in() -> None:
    rows = [ROW._replace(path=path) for path in ("b", "a", "ä", "Z")]
    assert [json.loads(line)["path"] for line in access_lines(rows)] == ["Z", "a", "b", "ä"]
    assert access_lines(reversed(rows)) == access_lines(rows)


def test_what_cannot_be_taken_in_is_counted_and_the_rest_is_heard() -> None:
    bad = [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b"<<<<<<< ours",
        b"[" * 100_000,
        GOOD.replace(b":3,", b":-3,"),
        GOOD.replace(b":3,", b":true,"),
        GOOD.replace(b":3,", b":3.5,"),
        GOOD.replace(b":3,", b":" + b"9" * 400 + b","),
        GOOD.replace(b":0.25,", b":1.5,"),
        GOOD.replace(b":0.25,", b":NaN,"),
        GOOD.replace(b":0.25,", b":" + b"9" * 400 + b","),
        GOOD.replace(b"2026-03-02T00:00:00Z", b"yesterday"),
        GOOD.replace(b"areas/a.html", b""),
        GOOD.replace(b"areas/a.html", b"a\\u0000b"),
        GOOD.replace(b"areas/a.html", b"\\ud800"),
    ]
    data = b"\n".join(line.rstrip(b"\n") for line in bad) + b"\n" + GOOD.replace(b"\n", b"\r\n")
    parsed = parse_lines(ACCESS, data)
    assert [counts_of(row) for row in parsed.rows] == [ROW]
    assert parsed.skipped == len(bad) - 1  # an empty line is none


def test_empty_instants_of_other_writers_are_no_instants() -> None:
    (row,) = parse_lines(ACCESS, GOOD.replace(b"null", b'""')).rows
    assert counts_of(row) == ROW


def test_facts_are_told_once_in_one_order() -> None:
    rows = [
        ("areas/a.html", "s2", None, None, "read", "2026-03-01T00:00:00Z"),
        ("areas/a.html", "s1", "p", "t", "wrote", "2026-03-01T00:00:00Z"),
        ("areas/a.html", "s2", None, None, "read", "2026-03-01T00:00:00Z"),
    ]
    lines = encode(LINKS, rows)
    assert [json.loads(line)["sessionId"] for line in lines] == ["s1", "s2"]
    assert set(parse_lines(LINKS, b"".join(lines)).rows) == set(rows)
    assert parse_lines(LINKS, b"".join(lines).replace(b'"read"', b'"stole"')).skipped == 1


@given(st.lists(COUNTS, max_size=6))
def test_what_is_told_is_what_is_heard(rows: list[Counts]) -> None:
    told = by_path(rows)
    parsed = parse_lines(ACCESS, b"".join(access_lines(told.values())))
    assert parsed.skipped == 0
    assert by_path(map(counts_of, parsed.rows)) == told


@given(COUNTS, COUNTS, COUNTS)
def test_joining_readings_is_a_matter_of_no_order_and_nothing_goes_down(
    one: Counts, two: Counts, three: Counts
) -> None:
    one, two, three = (counts._replace(path="a") for counts in (one, two, three))
    both = joined(one, two)
    assert both.access_count == joined(two, one).access_count >= one.access_count
    assert both.reinforcement_count == joined(two, one).reinforcement_count >= two.reinforcement_count
    assert joined(both, one) == both
    assert joined(joined(one, two), three)[1:3] == joined(one, joined(two, three))[1:3]


@given(st.binary(max_size=400))
def test_any_bytes_whatsoever_are_heard_or_counted(data: bytes) -> None:
    for sheet in SHEETS:
        parsed = parse_lines(sheet, data)
        assert len(parsed.rows) + parsed.skipped <= data.count(b"\n") + 1
