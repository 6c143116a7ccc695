"""Two heads that grew out of one become one: names by rule, links and lists as sets. Heads never conflict.

A value that one side changed is that side's. Where both changed it, a rule of the name decides, and where there is
none, the side that leads: the one whose memory was updated last. What one side added is kept, what one side removed
goes, and nothing here depends on which side is called ours.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memhtml.format.content_hash import collapse
from memhtml.format.edit import add_link, add_meta, link_tag, meta_tag, set_meta
from memhtml.format.merge_rules import decide
from memhtml.format.scan import Kind
from memhtml.format.source_head import Part, read_source_head
from memhtml.format.splice import Place, insert_above, insert_below, remove
from memhtml.format.vocabulary import (
    EXTENSION_META_NAMES,
    META_NAMES,
    REPEATABLE_METAS,
    rel_of_token,
)

__all__ = ["HASH_META", "NO_HEAD", "Head", "apply_head", "merge_heads", "read_head_parts"]

HASH_META: Final = "memhtml-content-hash"

_SCALARS: Final = frozenset((*META_NAMES, *EXTENSION_META_NAMES)) - REPEATABLE_METAS - {HASH_META}
_PROVENANCE: Final = ("memhtml-author", "memhtml-session", "memhtml-prompt", "memhtml-turn")


@dataclass(frozen=True, slots=True)
class Head:
    """What one head says, by kind of thing said; lists in order, each value once."""

    #: The title element as it stands in the source.
    title: bytes
    scalars: dict[str, str]
    #: (name, value) of the names that repeat.
    lists: tuple[tuple[str, str], ...]
    #: (rel attribute, href) of the links of ours.
    links: tuple[tuple[str, str], ...]
    #: Everything else, as it stands there: names and links of others, comments, and what a newer writer added.
    others: Counter[bytes]


NO_HEAD: Final = Head(b"", {}, (), (), Counter())


def read_head_parts(data: bytes) -> Head:
    """Return what the head of a source says."""
    title = b""
    scalars: dict[str, str] = {}
    lists: dict[tuple[str, str], None] = {}
    links: dict[tuple[str, str], None] = {}
    others: Counter[bytes] = Counter()
    for part in read_source_head(data).parts:
        raw = data[part.token.start : part.end]
        kind, name, value = _said(part)
        if kind == "title":
            title = title or raw
        elif kind == "meta" and name in _SCALARS:
            scalars.setdefault(name, value)
        elif kind == "meta" and name in REPEATABLE_METAS:
            lists[name, value] = None
        elif kind == "link":
            links[name, value] = None
        elif kind != "hash":
            others[_key(raw)] += 1
    return Head(title, scalars, tuple(lists), tuple(links), others)


def _said(part: Part) -> tuple[str, str, str]:
    """Return what kind of thing a part says (`other` for whatever is not ours), its name and its value."""
    token = part.token
    if token.kind is Kind.START and token.name == "title":
        return "title", "", ""
    if token.kind is Kind.START and token.name == "meta":
        name, value = token.get("name"), token.get("content")
        if name == HASH_META:
            return "hash", name, value or ""
        if name is not None and value is not None and (name in _SCALARS or name in REPEATABLE_METAS):
            return "meta", name, value
    if token.kind is Kind.START and token.name == "link":
        rel, href = token.get("rel") or "", token.get("href")
        if href and rel_of_token(rel) is not None:
            return "link", rel, href
    return "other", "", ""


def _key(raw: bytes) -> bytes:
    return b" ".join(raw.split())


# What the outcome says.


def merge_heads(base: Head, ours: Head, theirs: Head, *, theirs_lead: bool) -> Head:
    """Return what the head of the outcome says, content hash apart."""
    lead = theirs if theirs_lead else ours
    scalars: dict[str, str] = {}
    for name in (*META_NAMES, *EXTENSION_META_NAMES):
        value = _value(name, base.scalars.get(name), ours.scalars.get(name), theirs.scalars.get(name), lead)
        if value is not None:
            scalars[name] = value
    _keep_together(scalars, base, ours, theirs, lead)
    return Head(
        _title(base, ours, theirs, lead),
        scalars,
        _union(base.lists, ours.lists, theirs.lists),
        _union(base.links, ours.links, theirs.links),
        Counter(
            {
                key: count
                for key in [*ours.others, *(key for key in theirs.others if key not in ours.others)]
                if (count := _count(base.others[key], ours.others[key], theirs.others[key])) > 0
            }
        ),
    )


def _value(name: str, base: str | None, ours: str | None, theirs: str | None, lead: Head) -> str | None:
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if ours is None or theirs is None:
        return ours if theirs is None else theirs  # one removed it, the other had more to say
    chosen = decide(name, ours, theirs)
    return chosen if chosen is not None else lead.scalars[name]


def _keep_together(scalars: dict[str, str], base: Head, ours: Head, theirs: Head, lead: Head) -> None:
    """Take values that mean something only with each other from one side.

    Who wrote it in which session, prompt and turn is one statement. Of two successors, the earlier to take over is the
    one that the end of the validity speaks of.
    """
    sides = (ours, theirs)
    told = [tuple(side.scalars.get(name) for name in _PROVENANCE) for side in (base, *sides)]
    if len(set(told)) == 3:
        for name, value in zip(_PROVENANCE, told[1 + (lead is theirs)], strict=True):
            if value is None:
                scalars.pop(name, None)
            else:
                scalars[name] = value
    successors = {side.scalars.get("memhtml-superseded-by") for side in (base, *sides)}
    if len(successors) == 3 and None not in {side.scalars.get("memhtml-superseded-by") for side in sides}:
        ends = [side.scalars.get("memhtml-valid-until") for side in sides]
        if ends[0] != ends[1] and scalars.get("memhtml-valid-until") in ends:
            side = sides[ends.index(scalars.get("memhtml-valid-until"))]
            scalars["memhtml-superseded-by"] = side.scalars["memhtml-superseded-by"]


def _title(base: Head, ours: Head, theirs: Head, lead: Head) -> bytes:
    mine, other, before = (collapse(head.title.decode("utf-8", "replace")) for head in (ours, theirs, base))
    if mine in (other, before):
        return theirs.title if mine != other else ours.title
    return ours.title if other == before else lead.title


def _union(
    base: Iterable[tuple[str, str]], ours: Iterable[tuple[str, str]], theirs: Iterable[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """Return what neither side removed of the base, and what either side added."""
    before, mine, other = (dict.fromkeys(said) for said in (base, ours, theirs))
    kept = [said for said in mine if said in other or said not in before]
    return (*kept, *(said for said in other if said not in mine and said not in before))


def _count(base: int, ours: int, theirs: int) -> int:
    if ours == base:
        return theirs
    return ours if theirs == base else max(ours, theirs)


# The outcome's bytes.


def apply_head(data: bytes, merged: Head, other: bytes) -> bytes:
    """Return a file whose head says what the outcome's head says, changing nothing but that.

    `other` is the other side, of which foreign parts are taken as they stand there.
    """
    data = _replaced_title(_without_removed(data, merged), merged.title)
    said = read_head_parts(data)
    for name, value in merged.scalars.items():
        if said.scalars.get(name) != value:
            data = set_meta(data, name, value)
    for name in sorted(REPEATABLE_METAS):
        missing = [value for value in merged.lists if value[0] == name and value not in said.lists]
        data = _with_more(data, missing, add_meta, meta_tag)
    links = [link for link in merged.links if link not in said.links]
    return _with_others(_with_more(data, links, _add_link, link_tag), merged, other)


def _with_more(
    data: bytes,
    missing: Sequence[tuple[str, str]],
    add: Callable[[bytes, str, str], bytes],
    spell: Callable[[str, str], bytes],
) -> bytes:
    """Add values of one kind: the first where an edit puts it, the others below it, without looking again."""
    for number, (name, value) in enumerate(missing):
        if number == 0:
            data = add(data, name, value)
            parts = [part for part in read_source_head(data).parts if _said(part)[1:] == (name, value)]
            if not parts:
                return data  # it could not be added, which is found when the outcome is read back
            place = Place(parts[-1].token.start, parts[-1].end)
        else:
            tag = spell(name, value)
            longer = insert_below(data, place, tag)
            end = place.end + len(longer) - len(data)
            data, place = longer, Place(end - len(tag), end)
    return data


def _add_link(data: bytes, rel: str, href: str) -> bytes:
    known = rel_of_token(rel)
    assert known is not None  # only such links are read as ours
    return add_link(data, known, href)


def _without_removed(data: bytes, merged: Head) -> bytes:
    said_lists, said_links = set(merged.lists), set(merged.links)
    left = Counter(merged.others)
    gone: list[Place] = []
    for part in read_source_head(data).parts:
        place = Place(part.token.start, part.end)
        kind, name, value = _said(part)
        if kind == "meta":
            is_kept = name in merged.scalars if name in _SCALARS else (name, value) in said_lists
        elif kind == "link":
            is_kept = (name, value) in said_links
        elif kind == "other":
            key = _key(data[place.start : place.end])
            is_kept = left[key] > 0
            left[key] -= 1
        else:
            is_kept = True
        if not is_kept:
            gone.append(place)
    return remove(data, gone)


def _replaced_title(data: bytes, title: bytes) -> bytes:
    for part in read_source_head(data).parts:
        if _said(part)[0] == "title":
            present = data[part.token.start : part.end]
            same = collapse(present.decode("utf-8", "replace")) == collapse(title.decode("utf-8", "replace"))
            return data if same else data[: part.token.start] + title + data[part.end :]
    return data


def _with_others(data: bytes, merged: Head, other: bytes) -> bytes:
    """Add the foreign parts that a file lacks, each behind what it stands behind on the other side."""
    missing = Counter(merged.others)
    missing.subtract(read_head_parts(data).others)
    previous: tuple[str, str, str, bytes] | None = None
    for part in read_source_head(other).parts:
        raw = other[part.token.start : part.end]
        identity = (*_said(part), _key(raw))
        if identity[0] == "other" and missing[identity[3]] > 0:
            missing[identity[3]] -= 1
            data = _insert_behind(data, previous, raw)
        previous = identity
    return data


def _insert_behind(data: bytes, previous: tuple[str, str, str, bytes] | None, raw: bytes) -> bytes:
    head = read_source_head(data)
    places = [
        Place(part.token.start, part.end)
        for part in head.parts
        if previous is not None and (*_said(part), _key(data[part.token.start : part.end])) == previous
    ]
    if places:
        return insert_below(data, places[-1], raw)
    if previous is None and head.parts:
        return insert_above(data, head.parts[0].token.start, raw, has_line=True)
    if head.parts:
        return insert_below(data, Place(head.parts[-1].token.start, head.parts[-1].end), raw)
    return insert_above(data, head.end, raw, has_line=True)
