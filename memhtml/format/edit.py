"""Head edits as splices of bytes: everything else in the file, and the article above all, stays as it was.

An edit that cannot be made, or whose outcome would not read as meant, returns the bytes it was given.
"""

from collections import Counter
from typing import Final

from memhtml.errors import InvalidMemory
from memhtml.format.escapes import attribute_value, representable
from memhtml.format.rules import ViolationCode
from memhtml.format.scan import Token
from memhtml.format.source_head import SourceHead, read_source_head
from memhtml.format.splice import Place, insert_above, insert_below, remove, rest_of_line
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

__all__ = [
    "add_link",
    "add_meta",
    "link_tag",
    "meta_tag",
    "move_link",
    "read_meta",
    "remove_link",
    "remove_meta",
    "set_meta",
]

#: The place of every name we write in the order of emission; our own names stand behind the shared ones.
_RANK: Final = {name: rank for rank, name in enumerate((*META_NAMES, *EXTENSION_META_NAMES))}

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
    tag = meta_tag(full, value)
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
    edited = insert_below(data, _place(present[-1]), meta_tag(full, value))
    return _if_read(data, edited, head, gained=_key("name", full, value))


def remove_meta(data: bytes, name: str, value: str | None = None) -> bytes:
    """Return the file without any meta of a name, known or not, or without those of them that have one value.

    A line that held nothing else goes as well.
    """
    full = _full_name(name) or (name if name.startswith((META_PREFIX, EXTENSION_META_PREFIX)) else None)
    if full is None:
        return data
    head = read_source_head(data)
    named = [meta for meta in head.metas if meta.get("name") == full]
    return _remove(data, head, [meta for meta in named if value is None or meta.get("content") == value])


def add_link(data: bytes, rel: EdgeRel, href: str) -> bytes:
    """Return the file with one more link, unless it has that very link."""
    head = read_source_head(data)
    if any(_is_link(link, rel, representable(href)) for link in head.links):
        return data
    tag = link_tag(token_of_rel(rel), href)
    links = [link for link in head.links if (link.get("rel") or "").startswith(REL_PREFIX)]
    metas = [meta for meta in head.metas if meta.get("name") in _RANK]
    if links or metas:
        edited = insert_below(data, _place((links or metas)[-1]), tag)
    else:
        edited = _insert_last(data, head, tag)
    return _if_read(data, edited, head, gained=_key("rel", token_of_rel(rel), href))


def remove_link(data: bytes, rel: EdgeRel, href: str | None = None) -> bytes:
    """Return the file without the links of a rel, or without those of them that lead to one place."""
    head = read_source_head(data)
    return _remove(data, head, [link for link in head.links if _is_link(link, rel, href)])


def move_link(data: bytes, rel: EdgeRel, href: str, to: str) -> bytes:
    """Return the file with the links of a rel that lead to one place leading to another, which is said once."""
    head = read_source_head(data)
    found = [link for link in head.links if _is_link(link, rel, href)]
    if not found:
        return data
    if any(_is_link(link, rel, representable(to)) for link in head.links):
        return remove_link(data, rel, href)
    first = found[0]
    tag = link_tag(token_of_rel(rel), to)
    edited = data[: first.start] + tag + data[first.end :]
    moved = _if_read(data, edited, head, lost=_key_of(first), gained=_key("rel", token_of_rel(rel), to))
    return moved if moved == data or len(found) == 1 else remove_link(moved, rel, href)


def _full_name(name: str) -> str | None:
    return next(
        (full for full in (name, META_PREFIX + name, EXTENSION_META_PREFIX + name) if full in _RANK), None
    )


def link_tag(token: str, href: str) -> bytes:
    """Return a link as edits spell it; `token` is its whole rel attribute."""
    return f'<link rel="{token}" href="{attribute_value(href)}">'.encode()


def meta_tag(full: str, value: str) -> bytes:
    """Return a meta as edits spell it; `full` is its name with the prefix."""
    return f'<meta name="{full}" content="{attribute_value(value)}">'.encode()


def _is_link(link: Token, rel: EdgeRel, href: str | None) -> bool:
    return rel_of_token(link.get("rel") or "") is rel and href in (None, link.get("href"))


# Places.


def _insert_last(data: bytes, head: SourceHead, tag: bytes) -> bytes:
    if head.last is not None:
        return insert_below(data, _place(head.last), tag)
    if head.start is not None and head.start.end <= head.end:
        return insert_below(data, _place(head.start), tag)
    return insert_above(data, head.end, tag, has_line=b"\n" in data or b"\r" in data)


def _insert_meta(data: bytes, head: SourceHead, full: str, tag: bytes) -> bytes:
    known = [meta for meta in head.metas if meta.get("name") in _RANK]
    for meta in known:
        if _RANK[meta.get("name") or ""] > _RANK[full]:
            return insert_above(data, meta.start, tag, has_line=rest_of_line(data, meta.end) is not None)
    return insert_below(data, _place(known[-1]), tag) if known else _insert_last(data, head, tag)


def _remove(data: bytes, head: SourceHead, tokens: list[Token]) -> bytes:
    edited = remove(data, [_place(token) for token in tokens])
    return _if_read(data, edited, head, lost=Counter(key for token in tokens for key in _key_of(token)))


def _place(token: Token) -> Place:
    return Place(token.start, token.end)


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
