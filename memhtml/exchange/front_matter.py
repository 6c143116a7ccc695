"""The YAML between the `---` lines at the top of a note, as plain texts, lists and mappings.

A library parses; this module builds values from its events, so that nothing is converted, no tag constructs anything,
and an alias, which is how a few lines become gigabytes, is refused. Imported lazily: most notes have none.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

__all__ = ["BadFrontMatter", "Field", "Split", "split_front_matter", "texts_of"]

#: A scalar as its author wrote it, a list, or a mapping.
Field = str | list["Field"] | dict[str, "Field"]

_MAX_CHARACTERS: Final = 16 * 1024
_MAX_DEPTH: Final = 8
_OPENING: Final = re.compile(r"---[ \t]*\n")
#: A field on a line of its own whose value is plain words, and what those may hold that YAML would take for its own.
_PLAIN: Final = re.compile(r"([A-Za-z_][\w .-]{0,60}:[ \t]+)([^\s\"'\[\]{}|>&*!%@`#,?-][^\n]*)")
_SIGNS: Final = re.compile(r"\s#|:(?:\s|$)")
_CLOSING: Final = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)


class BadFrontMatter(Exception):
    """The front matter is not what the library reads as YAML, or not what a note needs; the message says why."""


class Split(NamedTuple):
    fields: Mapping[str, Field]
    body: str


def split_front_matter(text: str) -> Split:
    """Return the fields at the top of a note, and the rest of it.

    Shapes: lines end with line feeds. A note whose first line is no `---`, or whose `---` is never closed (it is a rule
    then), has no front matter.
    Errors: BadFrontMatter.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return Split({}, text)
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return Split({}, text)
    yaml = text[opening.end() : closing.start()]
    if len(yaml) > _MAX_CHARACTERS:
        raise BadFrontMatter(f"its front matter is longer than {_MAX_CHARACTERS} characters")
    if not yaml.strip():
        return Split({}, text[closing.end() :])
    fields = _parsed(_quoted(yaml))
    if fields == "":
        return Split({}, text[closing.end() :])
    if not isinstance(fields, dict):
        raise BadFrontMatter("its front matter is no list of fields")
    return Split(fields, text[closing.end() :])


def texts_of(field: Field | None) -> tuple[str, ...]:
    """Return a field as texts: a list's scalars, or the parts between the commas of one scalar; nothing for others."""
    if isinstance(field, str):
        return tuple(part.strip() for part in field.split(",") if part.strip())
    if isinstance(field, list):
        return tuple(part.strip() for part in field if isinstance(part, str) and part.strip())
    return ()


def _quoted(yaml: str) -> str:
    """Put quotes around plain words that hold `: ` or ` #`, as in `title: Locks: a study in #44 pages`.

    YAML refuses the one and drops what follows the other; who writes notes means neither.
    """
    lines = yaml.split("\n")
    for place, line in enumerate(lines):
        found = _PLAIN.fullmatch(line)
        if found is None or _SIGNS.search(found[2]) is None:
            continue
        goes_on = place + 1 < len(lines) and lines[place + 1][:1] in (" ", "\t")
        if not goes_on:
            value = found[2].strip().replace("'", "''")
            lines[place] = f"{found[1]}'{value}'"
    return "\n".join(lines)


def _parsed(yaml_text: str) -> Field:
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # libyaml's, where the library was built with it
    try:
        events = yaml.parse(yaml_text, Loader=loader)
        return _Builder(events).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 2})" if mark is not None else ""
        raise BadFrontMatter(f"its front matter is no YAML{where}") from error
    except ValueError as error:  # a code point that no text holds
        raise BadFrontMatter("its front matter is no YAML") from error


class _Builder:
    def __init__(self, events: Iterator[object]) -> None:
        self._events = events

    def document(self) -> Field:
        import yaml

        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent | yaml.StreamStartEvent):
                continue
            if isinstance(event, yaml.StreamEndEvent):
                return ""
            return self._value(event, 0)
        return ""

    def _value(self, event: object, depth: int) -> Field:
        import yaml

        if depth > _MAX_DEPTH:
            raise BadFrontMatter(f"its front matter nests deeper than {_MAX_DEPTH}")
        if isinstance(event, yaml.ScalarEvent):
            is_null = event.implicit[0] and event.value in ("~", "null", "Null", "NULL")
            return "" if is_null else str(event.value)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Field] = []
            while not isinstance(following := next(self._events), yaml.SequenceEndEvent):
                items.append(self._value(following, depth + 1))
            return items
        if isinstance(event, yaml.MappingStartEvent):
            fields: dict[str, Field] = {}
            while not isinstance(following := next(self._events), yaml.MappingEndEvent):
                key = self._value(following, depth + 1)
                value = self._value(next(self._events), depth + 1)
                if not isinstance(key, str):
                    raise BadFrontMatter("a field of its front matter has no name")
                fields[key.strip()] = value
            return fields
        raise BadFrontMatter("its front matter holds an alias")
