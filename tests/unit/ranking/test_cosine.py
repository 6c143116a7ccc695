"""Cosine: one arithmetic for SQL, for the vector arm and for diversification."""

import math
import sqlite3
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memhtml.ranking.cosine import decode, distance, gram, similarities, similarity, unit

Matrix = NDArray[np.float32]

singles = st.floats(width=32, allow_nan=True, allow_infinity=True, allow_subnormal=True)
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=True)


def blob(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


@st.composite
def matrices(draw: st.DrawFn, elements: st.SearchStrategy[float] = numbers) -> Matrix:
    width = draw(st.integers(1, 9))
    rows = draw(st.lists(st.lists(elements, min_size=width, max_size=width), min_size=1, max_size=6))
    return np.array(rows, np.float32)


def by_hand(a: Matrix, b: Matrix) -> float:
    """The definition, summed without rounding."""
    length = min(len(a), len(b))
    xs, ys = [float(x) for x in a[:length]], [float(y) for y in b[:length]]
    if not all(map(math.isfinite, xs + ys)):
        return 0.0
    norms = math.sqrt(math.fsum(x * x for x in xs)) * math.sqrt(math.fsum(y * y for y in ys))
    return math.fsum(x * y for x, y in zip(xs, ys, strict=True)) / norms if norms else 0.0


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((1, 0), (1, 0), 1.0),
        ((1, 0), (0, 1), 0.0),
        ((1, 2), (-2, -4), -1.0),
        ((3, 4), (4, 3), 24 / 25),
        ((0, 0), (1, 1), 0.0),
        ((0, 0), (0, 0), 0.0),
        ((1, 1, 5), (1, 1), 1.0),
        ((1e38, 1e38), (1e38, 1e38), 1.0),
        ((1e-45, 0), (1e-45, 0), 1.0),
        ((1e-45, 0), (1e38, 0), 1.0),
        ((math.nan, 1), (1, 1), 0.0),
        ((math.inf, 1), (1, 1), 0.0),
        ((math.inf, 0), (math.inf, 0), 0.0),
    ],
)
def test_similarity_of_two_blobs(a: tuple[float, ...], b: tuple[float, ...], expected: float) -> None:
    assert similarity(blob(*a), blob(*b)) == pytest.approx(expected, abs=1e-15)
    assert distance(blob(*a), blob(*b)) == pytest.approx(1 - expected, abs=1e-15)


@pytest.mark.parametrize("ragged", [b"", b"a", b"abc", b"abcde", b"x" * 4095])
def test_a_blob_that_ends_within_a_number_has_no_similarity(ragged: bytes) -> None:
    assert decode(ragged) is None
    assert similarity(ragged, blob(1)) is None
    assert similarity(blob(1), ragged) is None
    assert distance(ragged, ragged) is None


def test_a_blob_is_decoded_as_little_endian() -> None:
    decoded = decode(b"\x00\x00\x80\x3f\x00\x00\x00\xc0")
    assert decoded is not None
    assert decoded.tolist() == [1.0, -2.0]


@given(st.binary(max_size=64), st.binary(max_size=64))
def test_any_two_blobs_have_a_similarity_in_bounds_or_none(a: bytes, b: bytes) -> None:
    found = similarity(a, b)
    if not a or not b or len(a) % 4 or len(b) % 4:
        assert found is None
    else:
        assert found is not None
        assert -1.0 <= found <= 1.0
        assert similarity(b, a) == found


@given(matrices(singles))
def test_every_form_agrees_with_the_definition(rows: Matrix) -> None:
    blobs = [row.astype("<f4").tobytes() for row in rows]
    connection = sqlite3.connect(":memory:")
    connection.create_function("vector_distance_cos", 2, distance, deterministic=True)
    square = gram(rows)
    for i, query in enumerate(rows):
        column = similarities(query, rows)
        for j, row in enumerate(rows):
            expected = by_hand(query, row)
            answered = connection.execute(
                "SELECT vector_distance_cos(?, ?)", (blobs[i], blobs[j])
            ).fetchone()[0]
            assert similarity(blobs[i], blobs[j]) == pytest.approx(expected, abs=1e-12)
            assert 1.0 - answered == pytest.approx(expected, abs=1e-12)
            assert column[j] == pytest.approx(expected, abs=1e-12)
            assert square[i, j] == pytest.approx(expected, abs=1e-12)
    connection.close()


@given(matrices(singles), matrices(singles))
def test_unequal_widths_meet_in_the_common_one(rows: Matrix, others: Matrix) -> None:
    found = similarities(others[0], rows)
    assert found.shape == (len(rows),)
    for row, cosine in zip(rows, found, strict=True):
        assert cosine == pytest.approx(similarity(others[0].tobytes(), row.tobytes()), abs=1e-12)


@given(matrices(singles))
def test_products_of_unit_rows_are_cosines(rows: Matrix) -> None:
    units = unit(rows)
    assert units.dtype == np.float32
    for row, scaled in zip(rows, units, strict=True):
        length = math.sqrt(math.fsum(float(x) ** 2 for x in scaled))
        has_direction = bool(np.isfinite(row).all() and row.any())
        assert length == pytest.approx(1.0 if has_direction else 0.0, abs=1e-6)
    np.testing.assert_allclose(units @ units.T, gram(rows), atol=1e-6)


def test_no_rows_give_no_cosines() -> None:
    none = np.empty((0, 3), np.float32)
    assert similarities(np.ones(3, np.float32), none).shape == (0,)
    assert gram(none).shape == (0, 0)
    assert unit(none).shape == (0, 3)


def test_more_rows_than_one_block_come_out_in_order() -> None:
    rows = np.random.default_rng(7).standard_normal((2500, 16)).astype(np.float32)
    found = similarities(rows[1700], rows)
    assert int(found.argmax()) == 1700
    for n in (0, 1023, 1024, 2047, 2048, 2499):
        assert found[n] == pytest.approx(similarity(rows[1700].tobytes(), rows[n].tobytes()), abs=1e-12)


def test_the_input_is_left_as_it_was() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)
    rows.setflags(write=False)
    similarities(rows[0], rows)
    gram(rows)
    unit(rows)
    assert rows.tolist() == [[3.0, 4.0], [0.0, 0.0]]
