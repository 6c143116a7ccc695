"""Findings about rows of the index: the first few one by one, the others counted."""

from collections.abc import Iterable, Iterator
from typing import Final

from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.values import MemoryPath

__all__ = ["some"]

#: Findings of one kind that are listed one by one.
_LISTED: Final = 50


def some(paths: Iterable[str], message: str) -> Iterator[Finding]:
    """Yield one finding a path, and one more for all those beyond the first few."""
    more = 0
    for number, path in enumerate(paths):
        if number < _LISTED:
            yield finding(FindingCode.INDEX_ROWS_WRONG, message, MemoryPath(path), subject=message)
        else:
            more += 1
    if more:
        yield finding(FindingCode.INDEX_ROWS_WRONG, f"{more:,} more: {message}", subject=message)
