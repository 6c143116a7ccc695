"""The lines of a batch are judged by their shape, whole and first."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.app.op_lines import FIELDS, OpLine, op_line, read_op_lines
from memhtml.errors import InvalidFlag, MissingArgument, UsageError

GOOD = {"op": "write", "title": "A title", "type": "semantic", "body": "A claim."}


def stream(*ops: object) -> bytes:
    return b"".join(json.dumps(op).encode() + b"\n" for op in ops)


def refusal(data: bytes) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_op_lines(data)
    assert caught.value.exit_status == 2
    return caught.value


def test_a_line_gives_an_op_and_null_is_absent() -> None:
    (op,) = read_op_lines(stream({**GOOD, **dict.fromkeys(set(FIELDS) - set(GOOD))}))
    assert op == OpLine("A title", "semantic", body="A claim.")


def test_singular_and_plural_fields_are_merged() -> None:
    (op,) = read_op_lines(
        stream({**GOOD, "tag": "a", "tags": ["b", "c"], "entity": ["x:y"], "entities": "z:z"})
    )
    assert (op.tags, op.entities) == (("a", "b", "c"), ("x:y", "z:z"))


@pytest.mark.parametrize(
    ("given", "number"), [(7, 7.0), (0.5, 0.5), ("8", 8.0), (" 0.25 ", 0.25), ("", None)]
)
def test_numbers_may_be_spelt_as_text(given: object, number: float | None) -> None:
    (op,) = read_op_lines(stream({**GOOD, "importance": given, "confidence": given}))
    assert (op.importance, op.confidence) == (number, number)


@pytest.mark.parametrize("given", ["high", True, [], "1_0", "٣", "nan", "1e999", 10**400])
def test_what_is_no_number_is_refused(given: object) -> None:
    assert "importance is a number" in refusal(stream({**GOOD, "importance": given})).message


def test_blank_lines_are_skipped_and_counted() -> None:
    data = stream(GOOD) + b"\n  \n" + b"{nonsense\n"
    assert "line 4: not valid JSON" in refusal(data).message


def test_line_ends_of_windows_and_a_byte_order_mark_change_nothing() -> None:
    plain = stream(GOOD, GOOD)
    assert read_op_lines(b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")) == read_op_lines(plain)


@pytest.mark.parametrize(
    ("line", "kind", "told"),
    [
        (b"[]", InvalidFlag, "not a JSON object"),
        (b'"text"', InvalidFlag, "not a JSON object"),
        (b"7", InvalidFlag, "not a JSON object"),
        (b"\xff", InvalidFlag, "not valid JSON"),
        (b'{"op": NaN}', InvalidFlag, "not valid JSON"),
        (b"[" * 100_000, InvalidFlag, "not valid JSON"),
        (b'{"title": "a", "title": "b"}', InvalidFlag, "stands in it twice"),
        (json.dumps({**GOOD, "op": "delete"}).encode(), InvalidFlag, "the ops are write"),
        (json.dumps({**GOOD, "sesion_id": "x"}).encode(), InvalidFlag, "session_id"),
        (json.dumps({**GOOD, "claim": "x"}).encode(), InvalidFlag, "is no field"),
        (json.dumps({**GOOD, "title": 7}).encode(), InvalidFlag, "title is a text"),
        (json.dumps({**GOOD, "tags": {}}).encode(), InvalidFlag, "tags is a text or a list of texts"),
        (json.dumps({**GOOD, "tags": ["a", 1]}).encode(), InvalidFlag, "tags is a text or a list of texts"),
        (json.dumps({**GOOD, "title": " "}).encode(), MissingArgument, "title is missing or blank"),
        (json.dumps({**GOOD, "type": None}).encode(), MissingArgument, "type is missing or blank"),
        (b"{}", MissingArgument, "op is missing or blank"),
    ],
)
def test_the_first_bad_line_is_told_with_its_number(line: bytes, kind: type, told: str) -> None:
    error = refusal(stream(GOOD) + line + b"\n" + stream({**GOOD, "op": "also wrong"}))
    assert type(error) is kind
    assert error.message.startswith("line 2: ")
    assert told in error.message


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_a_stream_without_ops_is_refused(data: bytes) -> None:
    error = refusal(data)
    assert isinstance(error, MissingArgument)
    assert "no ops" in error.message


def test_a_type_that_is_none_is_the_business_of_the_op() -> None:
    assert op_line({**GOOD, "type": "folklore"}, "op 1").memory_type == "folklore"


@given(
    st.binary(max_size=200)
    | st.lists(st.recursive(st.none() | st.booleans() | st.text(), st.lists)).map(lambda v: stream(*v))
)
def test_any_bytes_are_ops_or_a_wrong_call(data: bytes) -> None:
    try:
        assert read_op_lines(data)
    except UsageError as error:
        assert error.message.isprintable()
