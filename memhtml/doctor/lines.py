"""Where in a file a finding is: a line for people to jump to, looked for only once something was found.

The parser keeps no positions, so the source's tags are read once more, in one linear pass a file, and what each tag
shows is compared with what was found. A place is a help and no judgement: where broken markup makes the pass and the
parser disagree, a finding has no line, or that of an earlier tag of the same name.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from memhtml.format.check import Violation, is_root_href
from memhtml.format.instants import is_datetime
from memhtml.format.markup import Observations, observe_attributes
from memhtml.format.paths import normalize_path
from memhtml.format.rules import ViolationCode
from memhtml.format.scan import Kind, Token, line_of, scan
from memhtml.format.vocabulary import rel_of_token
from memhtml.values import EdgeRel

__all__ = ["line_of", "line_of_meta", "lines_of_links", "lines_of_violations"]

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


def line_of_meta(data: bytes, name: str) -> int | None:
    """Return the line of the first meta of a name."""
    for tag in _tags(data):
        if tag.name == "meta" and tag.kind is Kind.START and tag.get("name") == name:
            return line_of(data, tag.start)
    return None


def lines_of_links(data: bytes, edges: Iterable[tuple[EdgeRel, str]]) -> list[int | None]:
    """Return the line of the first link of each relation and target."""
    found: dict[tuple[EdgeRel | None, str], int] = {}
    for tag in _tags(data):
        if tag.name == "link" and tag.kind is Kind.START:
            target = normalize_path(tag.get("href") or "")
            found.setdefault((rel_of_token(tag.get("rel") or ""), target), tag.start)
    return [None if (at := found.get(edge)) is None else line_of(data, at) for edge in edges]


def lines_of_violations(data: bytes, violations: Sequence[Violation]) -> list[int | None]:
    """Return the line of what breaks each rule."""
    places = [(violation.code, violation.subject.lower()) for violation in violations]
    wanted = set(places)
    codes = {violation.code for violation in violations}
    of_element = codes.intersection(_OF_ELEMENT)
    asks_attributes = not codes.isdisjoint(_OF_ATTRIBUTES)
    found: dict[tuple[ViolationCode, str], int] = {}
    seen: Counter[str] = Counter()
    for tag in _tags(data):
        if tag.kind is Kind.END:
            seen["/figure"] += tag.name == "figure"
            continue
        name = tag.name
        seen[name] += 1
        shown = [(code, name) for code in of_element] if name.isalnum() else _as_subject(name, of_element)
        if asks_attributes:
            shown += _shown_by_attributes(tag)
        if name in _SHOWING:
            shown += _SHOWING[name](tag, seen)
        for code, subject in shown:
            # The parser gives some names of pictures and formulas their capitals back.
            key = code, subject.lower()
            if key in wanted:
                found.setdefault(key, tag.start)
        if name == "head":
            found.update((key, tag.start) for key in wanted if key[0] in _OF_HEAD)
        if len(found) == len(wanted):
            break
    return [None if (at := found.get(place)) is None else line_of(data, at) for place in places]


def _shown_by_attributes(tag: Token) -> _Shown:
    attributes = {attribute.name: attribute.value for attribute in tag.attributes}
    shown = Observations()
    observe_attributes(tag.name, attributes, shown)
    return [*shown.all(), *((_C.HIDDEN_CONTENT, attribute) for attribute in attributes)]


def _shown_by_mark(tag: Token, seen: Counter[str]) -> _Shown:
    return [(code, tag.name) for code in (_OF_MARK if seen["mark"] == 1 else (_C.MARK_MULTIPLE,))]


def _shown_by_article(tag: Token, seen: Counter[str]) -> _Shown:
    return [(_C.MARK_MISSING, "mark")] if seen["article"] == 1 else [(_C.ARTICLE_COUNT, tag.name)]


def _shown_by_title(tag: Token, seen: Counter[str]) -> _Shown:
    return [(_C.TITLE_EMPTY if seen["title"] == 1 else _C.TITLE_COUNT, tag.name)]


def _shown_by_scoped(tag: Token, seen: Counter[str]) -> _Shown:
    return [(_C.SCOPED_OUTSIDE_FIGURE, tag.name)] if seen["figure"] <= seen["/figure"] else []


def _shown_by_time(tag: Token, _: Counter[str]) -> _Shown:
    stamp = tag.get("datetime")
    if stamp is None:
        return [(_C.TIME_NO_DATETIME, tag.name)]
    return [] if is_datetime(stamp) else [(_C.TIME_BAD_DATETIME, tag.name)]


def _shown_by_meta(tag: Token, seen: Counter[str]) -> _Shown:
    name = tag.get("name") or ""
    seen[f"meta {name}"] += 1
    return _as_subject(name, _OF_META if seen[f"meta {name}"] == 1 else (_C.META_DUPLICATE,))


def _shown_by_link(tag: Token, _: Counter[str]) -> _Shown:
    rel, href = tag.get("rel") or "", tag.get("href")
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


_SHOWING: Final[dict[str, Callable[[Token, Counter[str]], _Shown]]] = {
    "article": _shown_by_article,
    "div": _shown_by_scoped,
    "link": _shown_by_link,
    "mark": _shown_by_mark,
    "meta": _shown_by_meta,
    "span": _shown_by_scoped,
    "time": _shown_by_time,
    "title": _shown_by_title,
}


def _tags(data: bytes) -> Iterator[Token]:
    """Yield the first tags of the source, in order."""
    tags = (token for token in scan(data) if token.kind in (Kind.START, Kind.END))
    return islice(tags, _MAX_TAGS)
