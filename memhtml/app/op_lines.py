"""The lines of a batch: JSON objects, one op each, every one judged by its shape before anything is done.

What a field may mean is not judged here: a type that is none is the op's own refusal, and its neighbours may stand.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from memhtml.errors import InvalidFlag, MissingArgument

__all__ = ["FIELDS", "OPS", "OpLine", "op_line", "read_op_lines"]

OPS: Final = ("write",)
#: Every field that a line may have; the plural forms are other spellings.
FIELDS: Final = (
    "op",
    "title",
    "type",
    "body",
    "article_html",
    "path",
    "workspace",
    "importance",
    "confidence",
    "session_id",
    "prompt_id",
    "turn_uuid",
    "status",
    "due",
    "tag",
    "tags",
    "entity",
    "entities",
)
_REQUIRED: Final = ("op", "title", "type")
_HINTS: Final = ("memhtml help apply",)
_MAX_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class OpLine:
    """One op of the right shape. Blank texts are None."""

    title: str
    memory_type: str
    body: str | None = None
    article_html: str | None = None
    path: str | None = None
    workspace: str | None = None
    importance: float | None = None
    confidence: float | None = None
    session_id: str | None = None
    prompt_id: str | None = None
    turn_uuid: str | None = None
    status: str | None = None
    due: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


def read_op_lines(data: bytes) -> tuple[OpLine, ...]:
    """Return the ops of a JSONL stream, in its order; blank lines are skipped and count as lines.

    Errors: `InvalidFlag` and `MissingArgument`, with the number of the first line that is wrong; the latter also for
    a stream without an op.
    """
    ops: list[OpLine] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            ops.append(op_line(_decoded(line, number), f"line {number}"))
    if not ops:
        raise MissingArgument("there are no ops: apply reads one JSON object a line", hints=_HINTS)
    return tuple(ops)


def op_line(given: object, where: str) -> OpLine:
    """Return one decoded op; `where` names it in a refusal. Errors: `InvalidFlag`, `MissingArgument`."""
    if not isinstance(given, Mapping):
        _refuse(where, "not a JSON object")
    fields = {str(name): value for name, value in given.items() if value is not None}
    for name in fields:
        if name not in FIELDS:
            _refuse(where, f"“{_shown(name)}” is no field; the fields are {', '.join(FIELDS)}")
    texts = {name: _text(fields, name, where) for name in FIELDS if name not in _OTHERWISE}
    for name in _REQUIRED:
        if texts[name] is None:
            raise MissingArgument(f"{where}: {name} is missing or blank", hints=_HINTS)
    if texts["op"] not in OPS:
        _refuse(where, f"“{_shown(texts['op'] or '')}” is no op; the ops are {', '.join(OPS)}")
    return OpLine(
        title=texts["title"] or "",
        memory_type=(texts["type"] or "").strip(),
        body=texts["body"],
        article_html=texts["article_html"],
        path=texts["path"],
        workspace=texts["workspace"],
        importance=_number(fields, "importance", where),
        confidence=_number(fields, "confidence", where),
        session_id=texts["session_id"],
        prompt_id=texts["prompt_id"],
        turn_uuid=texts["turn_uuid"],
        status=texts["status"],
        due=texts["due"],
        tags=(*_list(fields, "tag", where), *_list(fields, "tags", where)),
        entities=(*_list(fields, "entity", where), *_list(fields, "entities", where)),
    )


#: Fields that are no plain text.
_OTHERWISE: Final = frozenset({"importance", "confidence", "tag", "tags", "entity", "entities"})


def _decoded(line: bytes, number: int) -> object:
    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_constant)
    except _Twice as error:
        _refuse(f"line {number}", f"“{_shown(error.args[0])}” stands in it twice")
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        _refuse(f"line {number}", "not valid JSON")


class _Twice(Exception):
    pass


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in pairs:
        if name in fields:
            raise _Twice(name)
        fields[name] = value
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _text(fields: Mapping[str, object], name: str, where: str) -> str | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        _refuse(where, f"{name} is a text")
    return value if value.strip() else None


def _number(fields: Mapping[str, object], name: str, where: str) -> float | None:
    value = fields.get(name)
    if isinstance(value, str):
        if not value.strip():
            return None
        try:
            value = float(value) if value.isascii() and "_" not in value else math.nan
        except ValueError:
            value = math.nan
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(where, f"{name} is a number")
    return _finite(value, name, where)


def _finite(value: float, name: str, where: str) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        _refuse(where, f"{name} is a number")
    return number


def _list(fields: Mapping[str, object], name: str, where: str) -> tuple[str, ...]:
    value = fields.get(name)
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        _refuse(where, f"{name} is a text or a list of texts")
    return tuple(listed)


def _refuse(where: str, what: str) -> NoReturn:
    raise InvalidFlag(f"{where}: {what}", hints=_HINTS)


def _shown(text: str) -> str:
    """Return what was written, cut short and without anything a terminal would act on."""
    return "".join(c if c.isprintable() else "?" for c in text[:_MAX_SHOWN])
