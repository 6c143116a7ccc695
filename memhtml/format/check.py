"""What is wrong with a document: every violation, in the order of the rules.

Pure, and total on any document. Whether a severity refuses something is the caller's business: the projection refuses
a row for errors, a write is refused for errors and for what is unsafe, and nothing is refused for a warning.
"""

from collections.abc import Iterable
from typing import Final

from memhtml.format.document import Document, Link
from memhtml.format.instants import is_datetime
from memhtml.format.markup import Observations
from memhtml.format.rules import RULES, Rule, Severity, Violation, ViolationCode
from memhtml.format.vocabulary import (
    EXTENSION_META_NAMES,
    MAX_WRITTEN_BYTES,
    MAX_WRITTEN_LINKS,
    MAX_WRITTEN_METAS,
    META_RANK,
    REL_PREFIX,
    REPEATABLE_METAS,
    REQUIRED_METAS,
    rel_of_token,
)
from memhtml.values import MemoryType

__all__ = [
    "RULES",
    "Rule",
    "Severity",
    "Violation",
    "ViolationCode",
    "check",
    "errors",
    "is_root_href",
    "refusals",
]

_RANK: Final[dict[ViolationCode, int]] = {code: rank for rank, code in enumerate(ViolationCode)}
_NO_NAMES: Final = frozenset({"", ".", ".."})
_EXTENSIONS: Final = frozenset(EXTENSION_META_NAMES)
_INSTANTS: Final[tuple[str, ...]] = (
    "memhtml-created",
    "memhtml-updated",
    "memhtml-valid-from",
    "memhtml-valid-until",
    "memhtml-archived",
)


def check(document: Document) -> tuple[Violation, ...]:
    """Return every violation of a document, errors first, in the order of `ViolationCode`."""
    seen = Observations()
    _check_head(document, seen)
    if document.links:
        _check_links(document.links, seen)
    _check_task(document, seen)
    _check_sizes(document, seen)
    observations = (*document.observations, *seen.all())
    if not observations:
        return ()
    return tuple(
        Violation(code, RULES[code].severity, RULES[code].message.format(subject=subject), subject)
        for code, subject in sorted(observations, key=lambda observation: _RANK[observation.code])
    )


def errors(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """Return the violations that keep a file from being a memory."""
    return tuple(v for v in violations if v.severity is Severity.ERROR)


def refusals(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """Return the violations that keep a write from making such a file."""
    return tuple(v for v in violations if v.severity is not Severity.WARNING)


def is_root_href(href: str) -> bool:
    """Say whether an href is a path from the store's root: one leading slash, no empty, `.` or `..` segment."""
    if not href.startswith("/"):
        return False
    path = href.partition("#")[0].partition("?")[0]
    return _NO_NAMES.isdisjoint(path[1:].split("/"))


def _check_head(document: Document, seen: Observations) -> None:
    head = document.head
    for name in REQUIRED_METAS:
        if name not in head:
            seen.add(ViolationCode.META_MISSING, name)
    for name, contents in head.items():
        if name in META_RANK:
            if len(contents) > 1 and name not in REPEATABLE_METAS:
                seen.add(ViolationCode.META_DUPLICATE, name)
        elif name not in _EXTENSIONS:
            seen.add(ViolationCode.META_UNKNOWN, name)
    if document.memory_type is None and "memhtml-type" in head:
        seen.add(ViolationCode.TYPE_UNKNOWN, "memhtml-type")
    if document.status is None and "memhtml-status" in head:
        seen.add(ViolationCode.STATUS_UNKNOWN, "memhtml-status")
    for name, value in (
        ("memhtml-confidence", document.confidence),
        ("memhtml-importance", document.importance),
        ("memhtml-reprieves", document.reprieves),
    ):
        if value is None and name in head:
            seen.add(ViolationCode.META_MALFORMED, name)
    for name in _INSTANTS:
        given = head.get(name)
        if given is not None and not is_datetime(given[0]):
            seen.add(ViolationCode.INSTANT_BAD, name)
    if document.due is not None and not is_datetime(document.due):
        seen.add(ViolationCode.DUE_BAD, "memhtml-due")


def _check_links(links: Iterable[Link], seen: Observations) -> None:
    for rel, href in links:
        if not rel.startswith(REL_PREFIX):
            continue
        if rel_of_token(rel) is None:
            seen.add(ViolationCode.LINK_REL_UNKNOWN, rel)
        if not href:
            seen.add(ViolationCode.LINK_HREF_MISSING, rel)
        elif not is_root_href(href):
            seen.add(ViolationCode.LINK_HREF_NOT_ROOT, rel)


def _check_task(document: Document, seen: Observations) -> None:
    given = "memhtml-task-status" in document.head
    if document.memory_type is MemoryType.TASK:
        if not given:
            seen.add(ViolationCode.TASK_STATUS_MISSING, "memhtml-task-status")
    elif given and document.memory_type is not None:
        seen.add(ViolationCode.TASK_STATUS_ON_NONTASK, "memhtml-task-status")
    if given and document.task_status is None:
        seen.add(ViolationCode.TASK_STATUS_UNKNOWN, "memhtml-task-status")


def _check_sizes(document: Document, seen: Observations) -> None:
    if document.size_bytes > MAX_WRITTEN_BYTES:
        seen.add(ViolationCode.FILE_LARGE, "file")
    if len(document.metas) > MAX_WRITTEN_METAS:
        seen.add(ViolationCode.META_COUNT, "meta")
    if len(document.links) > MAX_WRITTEN_LINKS:
        seen.add(ViolationCode.LINK_COUNT, "link")
