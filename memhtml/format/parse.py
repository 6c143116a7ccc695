"""From bytes to a `Document`: total on any input, one parse, one walk.

The file is read as a browser with scripting reads it, so that the content of `noscript` is one text, as other readers
of the format hash it. Nothing here decides what is allowed.
"""

from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from memhtml.format.article import read_article
from memhtml.format.content_hash import blake3_of, collapse, trim
from memhtml.format.document import Document
from memhtml.format.head import Head, as_bool, as_confidence, as_importance, as_reprieves, read_head
from memhtml.format.instants import is_datetime
from memhtml.format.lexis import BYTE_ORDER_MARK
from memhtml.format.markup import EMBEDDING_ELEMENTS, Observations, observe_attributes, observe_template
from memhtml.format.rules import ViolationCode
from memhtml.format.vocabulary import SCOPED_ELEMENTS
from memhtml.format.walk import Walk, walk
from memhtml.values import MemoryStatus, MemoryType, TaskStatus

__all__ = ["parse"]

#: Elements that a rule speaks about wherever they stand.
_OBSERVED: Final[tuple[tuple[str, ViolationCode], ...]] = (
    ("script", ViolationCode.FORBIDDEN_ELEMENT),
    ("style", ViolationCode.FORBIDDEN_ELEMENT),
    ("base", ViolationCode.BASE_ELEMENT),
    *((tag, ViolationCode.EMBEDDED_PAGE) for tag in sorted(EMBEDDING_ELEMENTS)),
)
_TYPES: Final[dict[str, MemoryType]] = {value.value: value for value in MemoryType}
_STATUSES: Final[dict[str, MemoryStatus]] = {value.value: value for value in MemoryStatus}
_TASK_STATUSES: Final[dict[str, TaskStatus]] = {value.value: value for value in TaskStatus}


def parse(data: bytes) -> Document:
    """Return what a file says, whatever its bytes are.

    Where ECMAScript's Number would read a number differently from plain decimal notation, decimal notation holds: an
    empty confidence is absent and not 0, and hexadecimal is no number.
    Errors: none; hostile markup costs at most quadratic time in nesting depth and in attributes of one tag, which is
    why large files are looked at by `scan.prescan` first.
    """
    # Without events, or the tree builder copies the words of a chosen option into `selectedcontent`.
    # A byte order mark belongs to the encoding; Lexbor would read it as the first word of the body, and end the head.
    text = data.removeprefix(BYTE_ORDER_MARK)
    root = LexborHTMLParser(text, scripting=True, options=LexborDocumentOptions.WO_EVENTS).root
    seen = Observations()
    node: LexborNode | None = None
    if root is not None:
        if root.attributes:
            observe_attributes("html", root.attributes, seen)
        node = root.first_child
        while node is not None and node.tag != "head":
            node = node.next
    head = read_head(node, seen)
    found = walk(node.next if node is not None else None)
    title = _title(head, found, seen)
    article = read_article(found, seen)
    _observe_tree(found, seen)
    first = {name: contents[0] for name, contents in head.values.items()}.get
    return Document(
        len(data),
        title,
        tuple(head.metas),
        tuple(head.links),
        head.values,
        _TYPES.get(first("memhtml-type", "")),
        _STATUSES.get(first("memhtml-status", "")),
        first("memhtml-created"),
        first("memhtml-updated"),
        as_confidence(first("memhtml-confidence")),
        as_importance(first("memhtml-importance")),
        first("memhtml-content-hash"),
        first("memhtml-author"),
        first("memhtml-session"),
        first("memhtml-prompt"),
        first("memhtml-turn"),
        first("memhtml-valid-from"),
        first("memhtml-valid-until"),
        as_reprieves(first("memhtml-reprieves")),
        first("memhtml-archived"),
        first("memhtml-superseded-by"),
        as_bool(first("memhtml-needs-revision")),
        _TASK_STATUSES.get(first("memhtml-task-status", "")),
        first("memhtml-due"),
        head.each("memhtml-entity"),
        head.each("memhtml-tag"),
        head.each("memhtml-alias"),
        article.canonical_text,
        blake3_of(article.canonical_text),
        article.body_text,
        article.gist,
        article.event_at,
        article.facets,
        article.citations,
        article.defined_terms,
        article.summary_texts,
        article.aside_texts,
        article.captions,
        article.abbreviations,
        article.code_langs,
        seen.all(),
    )


def _title(head: Head, found: Walk, seen: Observations) -> str | None:
    """Return the text of the first title; one anywhere in the document counts, even in a picture."""
    titles = head.titles
    for place in found.places.get("title", ()):
        titles.append(found.words(place))
    if len(titles) != 1:
        seen.add(ViolationCode.TITLE_COUNT, "title")
        if not titles:
            return None
    title = trim(collapse(titles[0]))
    if not title:
        seen.add(ViolationCode.TITLE_EMPTY, "title")
    return title


def _observe_tree(found: Walk, seen: Observations) -> None:
    places = found.places
    for place in places.get("time", ()):
        attributes = found.spans[place].attributes
        if "datetime" not in attributes:
            seen.add(ViolationCode.TIME_NO_DATETIME, "time")
        elif not is_datetime(attributes["datetime"] or ""):
            seen.add(ViolationCode.TIME_BAD_DATETIME, "time")
    for tag, code in _OBSERVED:
        if tag in places:
            seen.add(code, tag)
    for place in places.get("noscript", ()):
        if trim(found.words(place)):
            seen.add(ViolationCode.HIDDEN_CONTENT, "noscript")
    for tag in SCOPED_ELEMENTS:
        if tag in places and _stands_outside_figures(found, tag):
            seen.add(ViolationCode.SCOPED_OUTSIDE_FIGURE, tag)
    for tag in found.unknown:
        seen.add(ViolationCode.ELEMENT_UNKNOWN, tag)
    for tag, attributes in found.attributed:
        observe_attributes(tag, attributes, seen)
    for template in found.templates:
        observe_template(template, seen)


def _stands_outside_figures(found: Walk, tag: str) -> bool:
    figures = iter([*found.places.get("figure", ()), len(found.spans)])
    figure, end = next(figures), 0
    for place in found.places[tag]:
        while figure < place:
            end = max(end, found.spans[figure].last)
            figure = next(figures)
        if place >= end:
            return True
    return False
