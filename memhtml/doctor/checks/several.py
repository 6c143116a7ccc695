"""Findings that may be many: the first few one by one, the others counted."""

from collections.abc import Iterable, Iterator
from typing import Final

from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.values import MemoryPath

__all__ = ["several"]

#: Findings of one kind that are listed one by one.
_LISTED: Final = 50


def several(code: FindingCode, paths: Iterable[str], message: str) -> Iterator[Finding]:
    """Yield one finding a path, and one more for all those beyond the first few."""
    more = 0
    for number, path in enumerate(paths):
        if number < _LISTED:
            yield finding(code, message, MemoryPath(path), subject=message)
        else:
            more += 1
    if more:
        yield finding(code, f"{more:,} more: {message}", subject=message)
