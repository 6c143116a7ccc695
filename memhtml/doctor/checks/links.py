"""Links that lead nowhere, judged by the tree: no index is needed to know which files are there."""

from collections.abc import Iterator
from typing import Final

from memhtml.doctor.corpus import Corpus
from memhtml.doctor.facts import DanglingLink
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.format.paths import archive_path
from memhtml.values import Instant, MemoryPath

__all__ = ["dangling_links", "finding_of", "went_to"]

#: How many years back an archived target is looked for.
_YEARS: Final = 10


def dangling_links(corpus: Corpus, at: Instant) -> Iterator[DanglingLink]:
    """Yield every link whose target is no file, with where the target went if the archive has it.

    A target that is there and is no memory is a finding of its own, and not one of every link that names it.
    """
    year = int(at[:4])
    for memory in corpus.memories.values():
        for rel, target in memory.edges:
            if not corpus.has(target):
                yield DanglingLink(memory.path, rel, target, went_to(corpus, target, year))


def went_to(corpus: Corpus, target: str, year: int) -> MemoryPath | None:
    """Return where a missing target stands now: the path without its fragment, or its newest archived form."""
    bare = target.partition("#")[0].partition("?")[0]
    if bare != target and corpus.has(bare):
        return MemoryPath(bare)
    for past in range(year, year - _YEARS - 1, -1):
        archived = archive_path(bare, past)
        if corpus.has(archived):
            return archived
    return None


def finding_of(link: DanglingLink, line: int | None) -> Finding:
    """Return the finding of a dangling link."""
    where = f"; it stands at {link.rewrite_to} now" if link.rewrite_to is not None else ""
    return finding(
        FindingCode.LINK_DANGLING,
        f"the {link.rel} link leads to {link.dst_path}, where no file is{where}",
        link.src_path,
        line,
        subject=f"{link.rel} {link.dst_path}",
    )
