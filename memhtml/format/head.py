"""Reading a head: its names and links as authored, and the values the format gives a type."""

import math
import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from memhtml.format.content_hash import trim
from memhtml.format.document import Link, Meta
from memhtml.format.markup import Observations, observe_attributes, observe_element
from memhtml.format.vocabulary import EXTENSION_META_PREFIX, META_PREFIX, REL_PREFIX

__all__ = ["Head", "as_bool", "as_confidence", "as_importance", "as_reprieves", "decimal", "read_head"]

_MAX_REPRIEVES: Final = 2**53 - 1
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TRUE: Final = frozenset({"true", "1", "yes"})
#: Makes a named tuple without its Python-level constructor, which costs as much as reading the element.
_new: Final = tuple.__new__
_PREFIXES: Final = (META_PREFIX, EXTENSION_META_PREFIX)


class Head(NamedTuple):
    """A head as authored."""

    #: The text of each title element, as it stands there.
    titles: list[str]
    metas: list[Meta]
    links: list[Link]
    #: The contents of each name of ours, in document order.
    values: dict[str, list[str]]

    def each(self, name: str) -> tuple[str, ...]:
        """Return the contents of a repeatable name, empty ones dropped."""
        contents = self.values.get(name)
        return tuple(filter(None, contents)) if contents is not None else ()


def read_head(head: LexborNode | None, seen: Observations) -> Head:
    """Read the children of a head element; a meta without content is as good as absent."""
    titles: list[str] = []
    metas: list[Meta] = []
    links: list[Link] = []
    values: dict[str, list[str]] = {}
    if head is not None:
        attributes = head.attributes
        if attributes:
            observe_attributes("head", attributes, seen)
        for node in head.iter():
            tag = node.tag
            attributes = node.attributes
            if tag == "meta":
                is_named = "name" in attributes and "content" in attributes
                if len(attributes) > 2 or not is_named:
                    observe_attributes(tag, attributes, seen)
                    if not is_named:
                        continue
                name, content = attributes["name"] or "", attributes["content"] or ""
                metas.append(_new(Meta, (name, content)))
                if name in values:
                    values[name].append(content)
                elif name.startswith(_PREFIXES):
                    values[name] = [content]
            elif tag == "link":
                rel, href = attributes.get("rel") or "", attributes.get("href")
                links.append(Link(rel, href))
                if len(attributes) > 2 or not rel.startswith(REL_PREFIX):
                    observe_attributes(tag, attributes, seen)
            elif tag == "title":
                titles.append(node.text())
                if attributes:
                    observe_attributes(tag, attributes, seen)
            elif tag is not None and not tag.startswith("-"):
                observe_element(node, tag, attributes, seen)
    return Head(titles, metas, links, values)


def decimal(text: str) -> float | None:
    """Return a finite decimal number, white space around it allowed, or None.

    Stricter than ECMAScript's Number, which other readers use: an empty text is no zero, hexadecimal is no number.
    """
    text = trim(text)
    if _DECIMAL.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def as_confidence(text: str | None) -> float | None:
    """Return a number of 0 to 1, or None."""
    number = decimal(text) if text is not None else None
    return number if number is not None and 0.0 <= number <= 1.0 else None


def as_importance(text: str | None) -> int | None:
    """Return a whole number of 1 to 10, or None."""
    number = decimal(text) if text is not None else None
    return int(number) if number is not None and number.is_integer() and 1 <= number <= 10 else None


def as_reprieves(text: str | None) -> int | None:
    """Return a whole number from 0 on, or None."""
    number = decimal(text) if text is not None else None
    return (
        int(number) if number is not None and number.is_integer() and 0 <= number <= _MAX_REPRIEVES else None
    )


def as_bool(text: str | None) -> bool | None:
    """Return true for `true`, `1` and `yes` in any case, false for any other text."""
    return text.lower() in _TRUE if text is not None else None
