"""Paths that not every file system can tell apart."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from memhtml.doctor.corpus import Corpus
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.values import MemoryPath

__all__ = ["clashing_paths"]


def clashing_paths(corpus: Corpus) -> Iterator[Finding]:
    """Yield every path after the first that differs from another only in case or Unicode form."""
    seen: defaultdict[str, list[MemoryPath]] = defaultdict(list)
    for paths in (corpus.memories, corpus.skips):
        for path in paths:
            seen[_folded(path)].append(path)
    for group in seen.values():
        if len(group) > 1:
            first, *others = sorted(group)
            for path in others:
                message = f"the path differs from {first} only in case or Unicode form"
                yield finding(FindingCode.PATH_CLASH, message, path, subject=first)


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", path).casefold()
