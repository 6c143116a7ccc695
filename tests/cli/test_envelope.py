"""The envelope's encoder: predictable for every value that a result may hold."""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.cli.envelope import camel, failure, jsonable, success, without_nulls
from memhtml.errors import IndexMissing, InvalidMemory


class Kind(StrEnum):
    NEW = "brand-new"


class Pair(NamedTuple):
    left_hand: int
    right: str | None


@dataclass(frozen=True, slots=True)
class Report:
    head_sha: str
    by_type: dict[str, int]
    pairs: tuple[Pair, ...]
    root: Path
    kind: Kind
    nothing: None = None


REPORT = Report("abc", {"user_preference": 2}, (Pair(1, None),), Path("/s/ö"), Kind.NEW)


def test_a_result_is_one_object_with_version_type_and_data() -> None:
    assert json.loads(success("index.report", REPORT, dense=False)) == {
        "apiVersion": "1",
        "type": "index.report",
        "data": {
            "headSha": "abc",
            "byType": {"user_preference": 2},
            "pairs": [{"leftHand": 1, "right": None}],
            "root": "/s/ö",
            "kind": "brand-new",
            "nothing": None,
        },
    }


def test_dense_is_one_line_without_nulls() -> None:
    data = success("index.report", REPORT, dense=True)
    assert data.count(b"\n") == 1
    assert b": " not in data
    assert b"nothing" not in data
    assert json.loads(data)["data"]["pairs"] == [{"leftHand": 1}]


def test_a_null_in_a_list_keeps_its_place() -> None:
    assert without_nulls({"a": [None, {"b": None}], "c": None}) == {"a": [None, {}]}


def test_a_failure_has_words_a_code_and_suggestions() -> None:
    assert json.loads(failure(IndexMissing(), dense=False)) == {
        "apiVersion": "1",
        "error": "this store has no index yet",
        "code": "ERR_INDEX_MISSING",
        "suggestions": ["memhtml index rebuild"],
    }


def test_the_violations_of_a_memory_are_told_one_by_one() -> None:
    error = InvalidMemory("no memory", violations=(("MARK_COUNT", "two marks"),))
    assert json.loads(failure(error, dense=True))["violations"] == [
        {"code": "MARK_COUNT", "message": "two marks"}
    ]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_cannot_write_becomes_null(value: float) -> None:
    assert jsonable({"score": value}) == {"score": None}


def test_a_value_without_a_json_form_is_never_written_as_its_repr() -> None:
    for value in (b"bytes", object(), Report):
        with pytest.raises(TypeError, match="no JSON form"):
            jsonable(value)


def test_a_file_name_that_is_no_utf8_still_makes_valid_json() -> None:
    name = b"areas/\xff.html".decode("utf-8", "surrogateescape")
    data = success("memory.list", [name], dense=False)
    assert json.loads(data.decode("utf-8"))["data"] == [name]


def test_sets_come_out_sorted() -> None:
    assert jsonable({"a": frozenset({"z", "b"})}) == {"a": ["b", "z"]}


@pytest.mark.parametrize(
    ("name", "public"), [("head_sha", "headSha"), ("path", "path"), ("is_at_1", "isAt1"), ("a__b", "aB")]
)
def test_field_names_are_camel_case(name: str, public: str) -> None:
    assert camel(name) == public


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_plain_data_survives_the_journey(value: object) -> None:
    assert json.loads(success("x", value, dense=False))["data"] == value
