"""Where in a file a finding is: a line for people to jump to, looked for only once something was found.

The parser keeps no positions, so the source's tags are read once more, in one linear pass a file, and what each tag
shows is compared with what was found. A place is a help and no judgement: where the pass and the parser disagree about
broken markup, a finding has no line, or that of an earlier tag of the same name.
"""

import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from memhtml.format.check import Violation, is_root_href
from memhtml.format.instants import is_datetime
from memhtml.format.lexis import ATTRIBUTE, MARKUP, RAW_TEXT, attributes_end, comment_end, raw_text_end
from memhtml.format.markup import Observations, observe_attributes
from memhtml.format.paths import normalize_path
from memhtml.format.rules import ViolationCode
from memhtml.format.vocabulary import rel_of_token
from memhtml.values import EdgeRel

__all__ = ["line_at", "line_of_meta", "lines_of_links", "lines_of_violations"]

#: Tags that are looked at in one file; what stands behind them is found without a line.
_MAX_TAGS: Final = 20_000

_C = ViolationCode
_OF_MARK: Final = (
    _C.MARK_EMPTY,
    _C.MARK_IN_ASIDE,
    _C.MARK_IN_DETAILS,
    _C.MARK_OUTSIDE_BLOCK,
    _C.MARK_NOT_FIRST,
)
_OF_ELEMENT: Final = (
    _C.ELEMENT_UNKNOWN,
    _C.FORBIDDEN_ELEMENT,
    _C.EMBEDDED_PAGE,
    _C.BASE_ELEMENT,
    _C.HIDDEN_CONTENT,
)
_OF_META: Final = (
    _C.META_UNKNOWN,
    _C.META_MALFORMED,
    _C.INSTANT_BAD,
    _C.TYPE_UNKNOWN,
    _C.STATUS_UNKNOWN,
    _C.DUE_BAD,
    _C.TASK_STATUS_ON_NONTASK,
    _C.TASK_STATUS_UNKNOWN,
)
#: What a head lacks, or has too much of as a whole, is found at its beginning.
_OF_HEAD: Final = frozenset({_C.META_MISSING, _C.TASK_STATUS_MISSING, _C.META_COUNT, _C.LINK_COUNT})


#: What only attributes show.
_OF_ATTRIBUTES: Final = frozenset(
    {
        _C.FORBIDDEN_ATTRIBUTE,
        _C.EVENT_HANDLER,
        _C.URL_SCRIPT,
        _C.REMOTE_RESOURCE,
        _C.META_HTTP_EQUIV,
        _C.LANG_TOKEN_BAD,
        _C.EMBEDDED_PAGE,
        _C.HIDDEN_CONTENT,
    }
)


#: Violations that one tag may be the place of.
_Shown = list[tuple[ViolationCode, str]]


class _Tag(NamedTuple):
    data: bytes
    at: int
    name: str
    is_end: bool
    #: Where the attributes stand; most tags are never asked for them.
    start: int
    end: int

    def attributes(self) -> dict[str, str | None]:
        """Return the attributes; of two with one name the first counts."""
        found: dict[str, str | None] = {}
        for match in ATTRIBUTE.finditer(self.data, self.start, self.end):
            raw = match[2]
            if raw is not None and raw[:1] in (b'"', b"'"):
                raw = raw[1:].removesuffix(raw[:1])
            found.setdefault(_text(match[1].lower()), None if raw is None else html.unescape(_text(raw)))
        return found


def line_at(data: bytes, position: int) -> int:
    """Return the line (from 1) of the byte at a position."""
    return data.count(b"\n", 0, position) + 1


def line_of_meta(data: bytes, name: str) -> int | None:
    """Return the line of the first meta of a name."""
    for tag in _tags(data):
        if tag.name == "meta" and not tag.is_end and tag.attributes().get("name") == name:
            return line_at(data, tag.at)
    return None


def lines_of_links(data: bytes, edges: Iterable[tuple[EdgeRel, str]]) -> list[int | None]:
    """Return the line of the first link of each relation and target."""
    found: dict[tuple[EdgeRel | None, str], int] = {}
    for tag in _tags(data):
        if tag.name == "link" and not tag.is_end:
            attributes = tag.attributes()
            target = normalize_path(attributes.get("href") or "")
            found.setdefault((rel_of_token(attributes.get("rel") or ""), target), tag.at)
    return [None if (at := found.get(edge)) is None else line_at(data, at) for edge in edges]


def lines_of_violations(data: bytes, violations: Sequence[Violation]) -> list[int | None]:
    """Return the line of what breaks each rule."""
    wanted = {(violation.code, violation.subject) for violation in violations}
    codes = {violation.code for violation in violations}
    of_element = codes.intersection(_OF_ELEMENT)
    asks_attributes = not codes.isdisjoint(_OF_ATTRIBUTES)
    found: dict[tuple[ViolationCode, str], int] = {}
    seen: Counter[str] = Counter()
    for tag in _tags(data):
        if tag.is_end:
            seen["/figure"] += tag.name == "figure"
            continue
        name = tag.name
        seen[name] += 1
        shown = [(code, name) for code in of_element]
        if asks_attributes:
            shown += _shown_by_attributes(tag)
        if name in _SHOWING:
            shown += _SHOWING[name](tag, seen)
        for key in shown:
            if key in wanted:
                found.setdefault(key, tag.at)
        if name == "head":
            found.update((key, tag.at) for key in wanted if key[0] in _OF_HEAD)
        if len(found) == len(wanted):
            break
    places = ((violation.code, violation.subject) for violation in violations)
    return [None if (at := found.get(place)) is None else line_at(data, at) for place in places]


def _shown_by_attributes(tag: _Tag) -> _Shown:
    attributes = tag.attributes()
    shown = Observations()
    observe_attributes(tag.name, attributes, shown)
    return [*shown.all(), *((_C.HIDDEN_CONTENT, attribute) for attribute in attributes)]


def _shown_by_mark(tag: _Tag, seen: Counter[str]) -> _Shown:
    return [(code, tag.name) for code in (_OF_MARK if seen["mark"] == 1 else (_C.MARK_MULTIPLE,))]


def _shown_by_article(tag: _Tag, seen: Counter[str]) -> _Shown:
    return [(_C.MARK_MISSING, "mark")] if seen["article"] == 1 else [(_C.ARTICLE_COUNT, tag.name)]


def _shown_by_title(tag: _Tag, seen: Counter[str]) -> _Shown:
    return [(_C.TITLE_EMPTY if seen["title"] == 1 else _C.TITLE_COUNT, tag.name)]


def _shown_by_scoped(tag: _Tag, seen: Counter[str]) -> _Shown:
    return [(_C.SCOPED_OUTSIDE_FIGURE, tag.name)] if seen["figure"] <= seen["/figure"] else []


def _shown_by_time(tag: _Tag, _: Counter[str]) -> _Shown:
    attributes = tag.attributes()
    if "datetime" not in attributes:
        return [(_C.TIME_NO_DATETIME, tag.name)]
    return [] if is_datetime(attributes["datetime"] or "") else [(_C.TIME_BAD_DATETIME, tag.name)]


def _shown_by_meta(tag: _Tag, seen: Counter[str]) -> _Shown:
    name = tag.attributes().get("name") or ""
    seen[f"meta {name}"] += 1
    return _as_subject(name, _OF_META if seen[f"meta {name}"] == 1 else (_C.META_DUPLICATE,))


def _shown_by_link(tag: _Tag, _: Counter[str]) -> _Shown:
    attributes = tag.attributes()
    rel, href = attributes.get("rel") or "", attributes.get("href")
    codes = [_C.LINK_REL_UNKNOWN]
    if not href:
        codes.append(_C.LINK_HREF_MISSING)
    elif not is_root_href(href):
        codes.append(_C.LINK_HREF_NOT_ROOT)
    return _as_subject(rel, codes)


def _as_subject(authored: str, codes: Iterable[ViolationCode]) -> _Shown:
    """Return violations about an authored name, which their subjects hold cut and cleaned."""
    shown = Observations()
    for code in codes:
        shown.add(code, authored)
    return [(observation.code, observation.subject) for observation in shown.all()]


_SHOWING: Final[dict[str, Callable[[_Tag, Counter[str]], _Shown]]] = {
    "article": _shown_by_article,
    "div": _shown_by_scoped,
    "link": _shown_by_link,
    "mark": _shown_by_mark,
    "meta": _shown_by_meta,
    "span": _shown_by_scoped,
    "time": _shown_by_time,
    "title": _shown_by_title,
}


def _tags(data: bytes) -> Iterator[_Tag]:
    """Yield the tags of the source in order, reading over comments and raw text as a tokeniser does."""
    position = 0
    for _ in range(_MAX_TAGS):
        match = MARKUP.search(data, position)
        if match is None:
            return
        position = match.end()
        slash, raw_name, _, comment, _ = match.groups()
        if comment is not None:
            position = comment_end(data, position)
            if position < 0:
                return
        elif raw_name is not None:
            position = attributes_end(data, position)
            name = raw_name.lower()
            yield _Tag(data, match.start(), _text(name), bool(slash), match.end(2), position)
            if not slash and name in RAW_TEXT:
                position = raw_text_end(data, position, name)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
