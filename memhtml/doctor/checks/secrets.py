"""Secrets in what git records. A finding says where one stands and of what kind it looks, and never a part of it."""

import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.doctor.lines import line_of
from memhtml.format.vocabulary import MAX_INDEXED_BYTES
from memhtml.git.entries import Entry, EntryKind
from memhtml.safety.secrets import Secret, find_secrets
from memhtml.values import BlobSha, MemoryPath

__all__ = ["check_other_files", "check_secrets"]

#: As far into a file as git looks to tell whether it is text.
_LOOK_FOR_BINARY: Final = 8_000


def check_secrets(path: MemoryPath, data: bytes) -> Iterator[Finding]:
    """Yield every line of a file in which a secret stands, as it is written or as a reader sees it.

    Of a file larger than any memory only the beginning is read; that it is too large is a finding of its own.
    """
    text = data[:MAX_INDEXED_BYTES].decode("utf-8", "replace")
    places = {(_line(text, secret), secret.code) for secret in find_secrets(text)}
    if "&" in text:
        shown = "\n".join(_one_line(html.unescape(line)) for line in text.split("\n"))
        if shown != text:
            places.update((_line(shown, secret), secret.code) for secret in find_secrets(shown))
    seen: Counter[str] = Counter()
    for line, code in sorted(places):
        seen[code] += 1
        # Told apart by their order: neither a secret nor its hash may stand in a report.
        subject = f"{code} {seen[code]}"
        yield finding(
            FindingCode.SECRET_FOUND,
            f"what looks like a secret stands here ({code})",
            path,
            line,
            subject=subject,
        )


def check_other_files(others: Iterable[Entry], blob: Callable[[BlobSha], bytes]) -> Iterator[Finding]:
    """Yield the secrets of committed files that are no candidates: texts of any kind."""
    for entry in others:
        if entry.kind is EntryKind.FILE:
            data = blob(entry.blob_sha)
            if b"\0" not in data[:_LOOK_FOR_BINARY]:
                yield from check_secrets(entry.path, data)


def _line(text: str, secret: Secret) -> int:
    before = text[: secret.start].encode("utf-8", "replace")
    return line_of(before, len(before))


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")
