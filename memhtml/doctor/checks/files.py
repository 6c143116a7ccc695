"""What is wrong with one file, judged by its bytes alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from memhtml.doctor.findings import Finding, FindingCode, code_of_rule, finding
from memhtml.doctor.lines import line_of, line_of_meta, lines_of_violations
from memhtml.format.check import Violation
from memhtml.format.content_hash import stamp_matches
from memhtml.format.document import Document
from memhtml.format.paths import archive_year, para_bucket
from memhtml.values import Bucket, MemoryPath, MemoryStatus, Skip, SkipCode

__all__ = ["check_document", "check_skip"]

_MARKER: Final = b"<<<<<<< "


def check_skip(skip: Skip, data: bytes) -> Finding:
    """Return the finding of a file that is not even parsed."""
    line = None
    if skip.code is SkipCode.CONFLICT:
        at = 0 if data.startswith(_MARKER) else data.find(b"\n" + _MARKER) + 1
        line = line_of(data, at)
    return finding(FindingCode(skip.code.value), skip.reason, skip.path, line)


def check_document(
    path: MemoryPath, data: bytes, document: Document, violations: Sequence[Violation]
) -> Iterator[Finding]:
    """Yield everything that one parsed file is found for."""
    if violations:
        yield from _violations(path, data, violations)
    if not data.isascii():
        yield from _encoding(path, data)
    if document.stamped_hash is not None:
        yield from _stamp(path, data, document, document.stamped_hash)
    yield from _status(path, data, document)


def _violations(path: MemoryPath, data: bytes, violations: Sequence[Violation]) -> Iterator[Finding]:
    for violation, line in zip(violations, lines_of_violations(data, violations), strict=True):
        yield finding(
            code_of_rule(violation.code),
            violation.message,
            path,
            line,
            subject=violation.subject,
            rule=violation.code,
        )


def _encoding(path: MemoryPath, data: bytes) -> Iterator[Finding]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        yield finding(
            FindingCode.NOT_UTF8,
            "the file holds bytes that are not UTF-8",
            path,
            line_of(data, error.start),
        )


def _stamp(path: MemoryPath, data: bytes, document: Document, stamp: str) -> Iterator[Finding]:
    matches = stamp_matches(stamp, document.canonical_text)
    if matches:
        return
    name = "memhtml-content-hash"
    message = f"{name} names no hash" if matches is None else f"{name} is not the hash of this article"
    yield finding(FindingCode.FORMAT_HASH_STALE, message, path, line_of_meta(data, name))


def _status(path: MemoryPath, data: bytes, document: Document) -> Iterator[Finding]:
    """Where a file stands decides whether search offers it, so a head that says otherwise misleads its readers."""
    in_archive = para_bucket(path) is Bucket.ARCHIVE
    says_archived = document.status is MemoryStatus.ARCHIVED
    message = name = ""
    is_plain = False
    if document.status is None:
        return  # a violation of its own
    if in_archive and not says_archived:
        message, name = "the file stands in the archive and its memhtml-status is active", "memhtml-status"
        is_plain = archive_year(path) is not None
    elif says_archived and not in_archive:
        message, name = "memhtml-status is archived and the file stands outside the archive", "memhtml-status"
    elif document.archived is not None and not says_archived:
        message, name = "memhtml-archived gives a time and memhtml-status is active", "memhtml-archived"
        is_plain = True
    elif in_archive and archive_year(path) is None:
        message = "the file stands in the archive under no year, so nothing says where it came from"
    if message:
        line = line_of_meta(data, name) if name else None
        found = finding(FindingCode.STATUS_MISPLACED, message, path, line, subject=name)
        yield replace(found, fixable=is_plain)
