"""Head edits as splices of bytes: everything else in the file, and the article above all, stays as it was.

An edit that cannot be made, or whose outcome would not read as meant, returns the bytes it was given.
"""

import re
from collections import Counter
from typing import Final

from memhtml.errors import InvalidMemory
from memhtml.format.escapes import attribute_value, representable
from memhtml.format.lexis import BYTE_ORDER_MARK
from memhtml.format.rules import ViolationCode
from memhtml.format.scan import Token
from memhtml.format.source_head import SourceHead, read_source_head
from memhtml.format.vocabulary import (
    EXTENSION_META_NAMES,
    EXTENSION_META_PREFIX,
    META_NAMES,
    META_PREFIX,
    REL_PREFIX,
    REPEATABLE_METAS,
    rel_of_token,
    token_of_rel,
)
from memhtml.values import EdgeRel

__all__ = ["add_link", "add_meta", "read_meta", "remove_link", "remove_meta", "set_meta"]

#: The place of every name we write in the order of emission; our own names stand behind the shared ones.
_RANK: Final = {name: rank for rank, name in enumerate((*META_NAMES, *EXTENSION_META_NAMES))}
_BLANK: Final = b"\t "
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BLANK_REST: Final = re.compile(rb"[\t ]*(?:\r\n|\n|\r|\Z)")

#: What a meta or a link says: which attribute names it, the name, and the value.
_Said = tuple[str, str | None, str | None]


def read_meta(data: bytes, name: str) -> str | None:
    """Return the first value of a name in the head, or None; a meta without content is absent."""
    full = _full_name(name)
    found = read_source_head(data).metas_of(full) if full else []
    return found[0].get("content") if found else None


def set_meta(data: bytes, name: str, value: str) -> bytes:
    """Return the file with a name's first value replaced, or with the name put where the order wants it.

    Shapes: `name` with or without its prefix; a name outside the vocabulary and its extensions changes nothing.
    """
    full = _full_name(name)
    if full is None:
        return data
    head = read_source_head(data)
    tag = _meta(full, value)
    present = head.metas_of(full) or [meta for meta in head.metas if meta.get("name") == full]
    if not present:
        return _if_read(data, _insert_meta(data, head, full, tag), head, gained=_key("name", full, value))
    first = present[0]
    edited = data[: first.start] + tag + data[first.end :]
    return _if_read(data, edited, head, lost=_key_of(first), gained=_key("name", full, value))


def add_meta(data: bytes, name: str, value: str) -> bytes:
    """Return the file with one more value of a name, unless it has that very value.

    Errors: InvalidMemory when the name takes one value and has another one already.
    """
    full = _full_name(name)
    if full is None:
        return data
    head = read_source_head(data)
    present = head.metas_of(full)
    if any(meta.get("content") == representable(value) for meta in present):
        return data
    if not present:
        return set_meta(data, full, value)
    if full not in REPEATABLE_METAS:
        sentence = f"{full} takes one value and has one already"
        raise InvalidMemory(sentence, violations=((ViolationCode.META_DUPLICATE, sentence),))
    edited = _insert_after(data, present[-1], _meta(full, value))
    return _if_read(data, edited, head, gained=_key("name", full, value))


def remove_meta(data: bytes, name: str) -> bytes:
    """Return the file without any meta of a name, known or not; a line that held nothing else goes as well."""
    full = _full_name(name) or (name if name.startswith((META_PREFIX, EXTENSION_META_PREFIX)) else None)
    if full is None:
        return data
    head = read_source_head(data)
    return _remove(data, head, [meta for meta in head.metas if meta.get("name") == full])


def add_link(data: bytes, rel: EdgeRel, href: str) -> bytes:
    """Return the file with one more link, unless it has that very link."""
    head = read_source_head(data)
    if any(_is_link(link, rel, representable(href)) for link in head.links):
        return data
    tag = f'<link rel="{token_of_rel(rel)}" href="{attribute_value(href)}">'.encode()
    links = [link for link in head.links if (link.get("rel") or "").startswith(REL_PREFIX)]
    metas = [meta for meta in head.metas if meta.get("name") in _RANK]
    if links or metas:
        edited = _insert_after(data, (links or metas)[-1], tag)
    else:
        edited = _insert_last(data, head, tag)
    return _if_read(data, edited, head, gained=_key("rel", token_of_rel(rel), href))


def remove_link(data: bytes, rel: EdgeRel, href: str | None = None) -> bytes:
    """Return the file without the links of a rel, or without those of them that lead to one place."""
    head = read_source_head(data)
    return _remove(data, head, [link for link in head.links if _is_link(link, rel, href)])


def _full_name(name: str) -> str | None:
    return next(
        (full for full in (name, META_PREFIX + name, EXTENSION_META_PREFIX + name) if full in _RANK), None
    )


def _meta(full: str, value: str) -> bytes:
    return f'<meta name="{full}" content="{attribute_value(value)}">'.encode()


def _is_link(link: Token, rel: EdgeRel, href: str | None) -> bool:
    return rel_of_token(link.get("rel") or "") is rel and href in (None, link.get("href"))


# Places.


def _line_start(data: bytes, position: int) -> int:
    start = max(data.rfind(b"\n", 0, position), data.rfind(b"\r", 0, position)) + 1
    return len(BYTE_ORDER_MARK) if start == 0 and data.startswith(BYTE_ORDER_MARK) else start


def _indent(data: bytes, position: int) -> bytes:
    """The white space that the line of a position begins with."""
    line = data[_line_start(data, position) : position]
    return line[: len(line) - len(line.lstrip(_BLANK))]


def _is_first_on_line(data: bytes, position: int) -> bool:
    return not data[_line_start(data, position) : position].strip(_BLANK)


def _rest_of_line(data: bytes, position: int) -> re.Match[bytes] | None:
    """The end of a line, if nothing but white space stands between it and a position."""
    return _BLANK_REST.match(data, position)


def _line_end(data: bytes) -> bytes:
    found = _LINE_END.search(data)
    return found[0] if found else b"\n"


def _insert_after(data: bytes, token: Token, tag: bytes) -> bytes:
    """Put a tag on a line of its own below another one, or right behind it where more follows on its line."""
    if _rest_of_line(data, token.end) is not None:
        tag = _line_end(data) + _indent(data, token.start) + tag
    return data[: token.end] + tag + data[token.end :]


def _insert_at(data: bytes, position: int, tag: bytes, *, has_line: bool) -> bytes:
    """Put a tag on a line of its own above a position, or right there where a line holds several things."""
    if has_line and _is_first_on_line(data, position):
        tag += _line_end(data) + _indent(data, position)
    return data[:position] + tag + data[position:]


def _insert_last(data: bytes, head: SourceHead, tag: bytes) -> bytes:
    if head.last is not None:
        return _insert_after(data, head.last, tag)
    if head.start is not None and head.start.end <= head.end:
        return _insert_after(data, head.start, tag)
    return _insert_at(data, head.end, tag, has_line=_LINE_END.search(data) is not None)


def _insert_meta(data: bytes, head: SourceHead, full: str, tag: bytes) -> bytes:
    known = [meta for meta in head.metas if meta.get("name") in _RANK]
    for meta in known:
        if _RANK[meta.get("name") or ""] > _RANK[full]:
            return _insert_at(data, meta.start, tag, has_line=_rest_of_line(data, meta.end) is not None)
    return _insert_after(data, known[-1], tag) if known else _insert_last(data, head, tag)


def _remove(data: bytes, head: SourceHead, tokens: list[Token]) -> bytes:
    edited = data
    for token in reversed(tokens):
        start, end = token.start, token.end
        rest = _rest_of_line(edited, end)
        if rest is not None and _is_first_on_line(edited, start):
            start, end = _line_start(edited, start), rest.end()
        edited = edited[:start] + edited[end:]
    return _if_read(data, edited, head, lost=Counter(key for token in tokens for key in _key_of(token)))


# What a head says.


def _key(attribute: str, name: str, value: str) -> Counter[_Said]:
    return Counter([(attribute, representable(name), representable(value))])


def _key_of(token: Token) -> Counter[_Said]:
    attribute, value = ("name", "content") if token.name == "meta" else ("rel", "href")
    return Counter([(attribute, token.get(attribute), token.get(value))])


def _said(head: SourceHead) -> Counter[_Said]:
    return Counter(key for token in (*head.metas, *head.links) for key in _key_of(token))


def _if_read(
    data: bytes,
    edited: bytes,
    head: SourceHead,
    *,
    lost: Counter[_Said] | None = None,
    gained: Counter[_Said] | None = None,
) -> bytes:
    """Return the edited bytes if their head says what it said, less what was lost, and what was gained."""
    expected = _said(head)
    expected.subtract(lost or Counter())
    expected.update(gained or Counter())
    return edited if _said(read_source_head(edited)) == +expected else data
