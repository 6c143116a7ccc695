"""Links that lead nowhere, judged by the tree: no index is needed to know which files are there."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from memhtml.doctor.corpus import Corpus
from memhtml.doctor.facts import DanglingLink
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.doctor.lines import lines_of_links
from memhtml.format.paths import archive_path, normalize_path
from memhtml.values import Instant, MemoryPath

if TYPE_CHECKING:
    from memhtml.git.read import GitReader

__all__ = ["Standing", "Stands", "StrayLink", "findings_of", "stray_links", "went_to"]

#: How many years back an archived target is looked for.
_YEARS: Final = 10

#: Whether anything at all stands at a path of the store, memory or not.
Stands = Callable[[str], bool]


class Standing:
    """Tells whether anything stands at a path, in the commit that was judged or, where it counts, on disk."""

    def __init__(self, corpus: Corpus, reader: "GitReader", *, is_committed_only: bool) -> None:
        self._corpus, self._reader = corpus, reader
        self._is_committed_only = is_committed_only

    def __call__(self, path: str) -> bool:
        head, overlay = self._corpus.head, self._corpus.overlay
        if not self._is_committed_only and self._reader.stands_on_disk(path):
            return True
        return head is not None and path not in overlay.absent and self._reader.stands(head, path)


class StrayLink(NamedTuple):
    """A link that leads to no memory, or to one by a spelling that is not its path."""

    code: FindingCode
    link: DanglingLink


def stray_links(corpus: Corpus, at: Instant, stands: Stands) -> Iterator[StrayLink]:
    """Yield every link whose target is none of the files that were judged, with where the target went if it is known.

    A target that was judged and is no memory is a finding of its own, and not one of every link that names it.
    """
    year = int(at[:4])
    for memory in corpus.memories.values():
        for rel, target in memory.edges:
            if corpus.has(target):
                continue
            code, rewrite_to = _judge(corpus, target, year, stands)
            yield StrayLink(code, DanglingLink(memory.path, rel, target, rewrite_to))


def _judge(corpus: Corpus, target: str, year: int, stands: Stands) -> tuple[FindingCode, MemoryPath | None]:
    if stands(target):
        return FindingCode.LINK_NO_MEMORY, None
    for spelling in _spellings(target):
        if corpus.has(spelling):
            return FindingCode.LINK_SPELLING, MemoryPath(spelling)
        if stands(spelling):
            return FindingCode.LINK_NO_MEMORY, None
    return FindingCode.LINK_DANGLING, went_to(corpus, target, year)


def went_to(corpus: Corpus, target: str, year: int) -> MemoryPath | None:
    """Return what a missing target names: the file that a browser would look for, or its newest archived form."""
    spellings = [target, *_spellings(target)]
    for spelling in spellings[1:]:
        if corpus.has(spelling):
            return MemoryPath(spelling)
    for past in range(year, year - _YEARS - 1, -1):
        for spelling in spellings:
            archived = archive_path(spelling, past)
            if corpus.has(archived):
                return archived
    return None


def _spellings(target: str) -> list[str]:
    """Return what else a target may be meant to name: without its fragment and query, and with its escapes undone."""
    bare = target.partition("#")[0].partition("?")[0]
    found = [bare]
    for text in (bare, target):
        try:
            found.append(unquote_to_bytes(text).decode())
        except UnicodeError:  # escapes of other bytes, or a lone surrogate
            continue
    paths = dict.fromkeys(normalize_path(text) for text in found)
    return [path for path in paths if path and path != target]


def findings_of(strays: Iterable[StrayLink], corpus: Corpus, reader: "GitReader") -> Iterator[Finding]:
    """Yield the finding of each such link at its line; the links of one file stand together."""
    for path, group in groupby(strays, key=lambda stray: stray.link.src_path):
        of_file = list(group)
        targets = ((link.rel, link.dst_path) for _, link in of_file)
        yield from map(_finding_of, of_file, lines_of_links(corpus.data(reader, path), targets))


def _finding_of(stray: StrayLink, line: int | None) -> Finding:
    code, link = stray
    leads = f"the {link.rel} link leads to {link.dst_path}"
    match code:
        case FindingCode.LINK_NO_MEMORY:
            message = f"{leads}, which is no memory"
        case FindingCode.LINK_SPELLING:
            message = f"{leads}, and the path of the file is {link.rewrite_to}"
        case _:
            where = f"; it stands at {link.rewrite_to} now" if link.rewrite_to is not None else ""
            message = f"{leads}, where no file is{where}"
    return finding(code, message, link.src_path, line, subject=f"{link.rel} {link.dst_path}")
