"""The rules of the format: every code a check can report, what it costs, and one sentence of meaning.

This table is the one list that the check, the doctor's reports and the documentation share. Codes are append-only,
and their order is the order of a report.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["RULES", "Rule", "Severity", "Violation", "ViolationCode"]


class Severity(StrEnum):
    """What a violation costs."""

    #: The file is no memory: it has no row, and no write makes one.
    ERROR = "error"
    #: No write makes such a file; one that is in the tree keeps its row and is a finding.
    UNSAFE = "unsafe"
    #: Worth a look; nothing is refused.
    WARNING = "warning"


class ViolationCode(StrEnum):
    TITLE_COUNT = "title-count"
    TITLE_EMPTY = "title-empty"
    META_MISSING = "meta-missing"
    META_DUPLICATE = "meta-duplicate"
    ARTICLE_COUNT = "article-count"
    MARK_MISSING = "mark-missing"
    MARK_MULTIPLE = "mark-multiple"
    MARK_EMPTY = "mark-empty"
    MARK_IN_ASIDE = "mark-in-aside"
    MARK_IN_DETAILS = "mark-in-details"
    MARK_OUTSIDE_BLOCK = "mark-outside-block"
    MARK_NOT_FIRST = "mark-not-first"
    TIME_NO_DATETIME = "time-no-datetime"
    TIME_BAD_DATETIME = "time-bad-datetime"
    FORBIDDEN_ELEMENT = "forbidden-element"
    FORBIDDEN_ATTRIBUTE = "forbidden-attribute"
    LINK_REL_UNKNOWN = "link-rel-unknown"
    LINK_HREF_MISSING = "link-href-missing"
    LINK_HREF_NOT_ROOT = "link-href-not-root"
    TYPE_UNKNOWN = "type-unknown"
    STATUS_UNKNOWN = "status-unknown"
    TASK_STATUS_ON_NONTASK = "task-status-on-nontask"
    TASK_STATUS_MISSING = "task-status-missing"
    TASK_STATUS_UNKNOWN = "task-status-unknown"
    DUE_BAD = "due-bad"
    EVENT_HANDLER = "event-handler"
    URL_SCRIPT = "url-script"
    REMOTE_RESOURCE = "remote-resource"
    BASE_ELEMENT = "base-element"
    META_HTTP_EQUIV = "meta-http-equiv"
    EMBEDDED_PAGE = "embedded-page"
    HIDDEN_CONTENT = "hidden-content"
    FILE_LARGE = "file-large"
    META_COUNT = "meta-count"
    LINK_COUNT = "link-count"
    META_UNKNOWN = "meta-unknown"
    META_MALFORMED = "meta-malformed"
    INSTANT_BAD = "instant-bad"
    ELEMENT_UNKNOWN = "element-unknown"
    SCOPED_OUTSIDE_FIGURE = "scoped-outside-figure"
    LANG_TOKEN_BAD = "lang-token-bad"  # noqa: S105 - a rule code, no password


@dataclass(frozen=True, slots=True)
class Rule:
    severity: Severity
    #: What the code means, for lists of rules.
    meaning: str
    #: What one finding says; `{subject}` is a name, never text of the memory.
    message: str


@dataclass(frozen=True, slots=True)
class Violation:
    code: ViolationCode
    severity: Severity
    message: str
    #: The element, attribute, head name or link token it is about: what a search for its line looks for.
    subject: str


_E = Severity.ERROR
_U = Severity.UNSAFE
_W = Severity.WARNING
_C = ViolationCode

RULES: Final[dict[ViolationCode, Rule]] = {
    _C.TITLE_COUNT: Rule(
        _E, "A memory has exactly one title element.", "the document does not have exactly one title element"
    ),
    _C.TITLE_EMPTY: Rule(_E, "The title holds text.", "the title is empty"),
    _C.META_MISSING: Rule(
        _E, "Type, status, created and updated stand in every head.", "the head has no {subject}"
    ),
    _C.META_DUPLICATE: Rule(
        _E,
        "Only entity, tag and alias may stand in a head more than once.",
        "{subject} stands in the head more than once",
    ),
    _C.ARTICLE_COUNT: Rule(
        _E, "A memory has exactly one article.", "the document does not have exactly one article"
    ),
    _C.MARK_MISSING: Rule(
        _E, "The article marks its claim with a mark element.", "the article has no mark element"
    ),
    _C.MARK_MULTIPLE: Rule(
        _E, "The article marks one claim only.", "the article has more than one mark element"
    ),
    _C.MARK_EMPTY: Rule(
        _E, "The claim has words of its own, outside code and pre.", "the mark element holds no prose"
    ),
    _C.MARK_IN_ASIDE: Rule(_E, "A claim is not an aside.", "the mark element stands in an aside"),
    _C.MARK_IN_DETAILS: Rule(
        _E, "A claim is not folded away.", "the mark element stands in a details element"
    ),
    _C.MARK_OUTSIDE_BLOCK: Rule(
        _E,
        "The claim stands in a paragraph or list item.",
        "the article has no paragraph or list item for its mark element",
    ),
    _C.MARK_NOT_FIRST: Rule(
        _E,
        "The claim stands in the article's first paragraph or list item.",
        "the mark element is not in the article's first paragraph or list item",
    ),
    _C.TIME_NO_DATETIME: Rule(
        _E, "A time element says its time to machines.", "a time element has no datetime"
    ),
    _C.TIME_BAD_DATETIME: Rule(
        _E, "A datetime is a day or an instant.", "a time element's datetime is no day or instant"
    ),
    _C.FORBIDDEN_ELEMENT: Rule(
        _E, "A memory holds no script and no style.", "the document holds a {subject} element"
    ),
    _C.FORBIDDEN_ATTRIBUTE: Rule(
        _E, "A memory carries no presentation.", "the document holds a {subject} attribute"
    ),
    _C.LINK_REL_UNKNOWN: Rule(
        _E,
        "A link names one of the fourteen relations.",
        "the link relation {subject} is none of the format's",
    ),
    _C.LINK_HREF_MISSING: Rule(_E, "A link names its target.", "a {subject} link has no href"),
    _C.LINK_HREF_NOT_ROOT: Rule(
        _E,
        "A link's target is a path from the root of the store.",
        "the href of a {subject} link is no path from the root",
    ),
    _C.TYPE_UNKNOWN: Rule(_E, "The type is one of the ten.", "{subject} is none of the ten types"),
    _C.STATUS_UNKNOWN: Rule(
        _E, "The status is active or archived.", "{subject} is neither active nor archived"
    ),
    _C.TASK_STATUS_ON_NONTASK: Rule(
        _E, "Only a task has a task status.", "{subject} stands in the head of a memory that is no task"
    ),
    _C.TASK_STATUS_MISSING: Rule(_E, "A task has a task status.", "a task has no {subject}"),
    _C.TASK_STATUS_UNKNOWN: Rule(
        _E, "A task status is todo, doing, blocked or done.", "{subject} is not todo, doing, blocked or done"
    ),
    _C.DUE_BAD: Rule(_E, "A due date is a day or an instant.", "{subject} is no day or instant"),
    _C.EVENT_HANDLER: Rule(
        _U,
        "An attribute of `on` and letters runs code in a browser.",
        "the event handler {subject} would run code in a browser",
    ),
    _C.URL_SCRIPT: Rule(
        _U,
        "A javascript:, vbscript: or data: address runs or hides content.",
        "{subject} is a script or data address",
    ),
    _C.REMOTE_RESOURCE: Rule(
        _U,
        "Opening a memory fetches nothing from elsewhere.",
        "{subject} would be fetched from elsewhere when the file is opened",
    ),
    _C.BASE_ELEMENT: Rule(_U, "A base element redirects every link.", "a base element redirects every link"),
    _C.META_HTTP_EQUIV: Rule(
        _U,
        "A meta http-equiv acts as a server's header.",
        "a meta element with http-equiv acts on the browser",
    ),
    _C.EMBEDDED_PAGE: Rule(
        _U, "A memory embeds no other page.", "a {subject} element would embed another document"
    ),
    _C.HIDDEN_CONTENT: Rule(
        _U,
        "Content of a template or noscript is in the file and not on the page.",
        "content is hidden in: {subject}",
    ),
    _C.FILE_LARGE: Rule(_U, "A memory is at most 64 KiB.", "the file is larger than 64 KiB"),
    _C.META_COUNT: Rule(_U, "A head has at most 200 metas.", "the head has more than 200 metas"),
    _C.LINK_COUNT: Rule(_U, "A head has at most 500 links.", "the head has more than 500 links"),
    _C.META_UNKNOWN: Rule(
        _W,
        "A head name with our prefix is one this version knows; a newer writer may know more.",
        "this version does not know the head name {subject}",
    ),
    _C.META_MALFORMED: Rule(
        _W,
        "A number of the head is a decimal number in its range; any other is read as absent.",
        "{subject} is no number in its range and is read as absent",
    ),
    _C.INSTANT_BAD: Rule(
        _W,
        "A time of the head is a day or an instant; any other text sorts as text.",
        "{subject} is no day or instant and sorts as text",
    ),
    _C.ELEMENT_UNKNOWN: Rule(
        _W,
        "An element outside the format's vocabulary keeps its text and has no meaning.",
        "the element {subject} is outside the format's vocabulary",
    ),
    _C.SCOPED_OUTSIDE_FIGURE: Rule(
        _W, "div and span belong inside a figure.", "a {subject} element stands outside a figure"
    ),
    _C.LANG_TOKEN_BAD: Rule(
        _W,
        "A data-lang is one token: a letter or digit, then letters, digits and + # . - _.",
        "the data-lang of a {subject} element is no language token",
    ),
}
