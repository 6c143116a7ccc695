"""The JSON that programs read: one envelope an invocation, on stdout."""

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from math import isfinite
from pathlib import PurePath

from memhtml.errors import InvalidMemory, MemhtmlError

__all__ = ["API_VERSION", "camel", "failure", "jsonable", "success", "without_nulls"]

API_VERSION = "1"


def success(response: str, data: object, *, dense: bool) -> bytes:
    """Return the envelope of a result, with its line end."""
    return _encode({"apiVersion": API_VERSION, "type": response, "data": jsonable(data)}, dense=dense)


def failure(error: MemhtmlError, *, dense: bool) -> bytes:
    """Return the envelope of a refusal or failure, with its line end."""
    fields: dict[str, object] = {
        "apiVersion": API_VERSION,
        "error": error.message,
        "code": error.code,
        "suggestions": list(error.hints),
    }
    if isinstance(error, InvalidMemory) and error.violations:
        fields["violations"] = [{"code": code, "message": text} for code, text in error.violations]
    return _encode(fields, dense=dense)


def _encode(envelope: Mapping[str, object], *, dense: bool) -> bytes:
    value = without_nulls(envelope) if dense else envelope
    indent, separators = (None, (",", ":")) if dense else (2, None)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
        return text.encode() + b"\n"
    except (
        UnicodeEncodeError
    ):  # a file name that is no UTF-8 travels as lone surrogates, which JSON can escape
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, indent=indent, separators=separators)
        return text.encode() + b"\n"


def jsonable(value: object) -> object:
    """Return `value` in the types that JSON has.

    Dataclasses and named tuples become objects with camelCase names; the keys of a mapping are data and stay as they
    are. Enums become their values, paths their text, sets sorted lists; a number that JSON cannot write becomes null.
    Errors: TypeError for any other type, so that nothing is written as its `repr` by accident.
    """
    if isinstance(value, Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {camel(f.name): jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(member) for key, member in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {camel(name): jsonable(member) for name, member in zip(value._fields, value, strict=True)}
    if isinstance(value, list | tuple):
        return [jsonable(member) for member in value]
    if isinstance(value, set | frozenset):
        return sorted((jsonable(member) for member in value), key=str)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"no JSON form for a value of type {type(value).__name__}")


def camel(name: str) -> str:
    """Return a field's public name: `head_sha` is `headSha`."""
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def without_nulls(value: object) -> object:
    """Return `value` without the keys that hold null, at any depth; a null in a list keeps its place."""
    if isinstance(value, Mapping):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [without_nulls(member) for member in value]
    return value
