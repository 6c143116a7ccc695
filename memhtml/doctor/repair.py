"""From findings that need no judgement to edited bytes. Pure: what is read and what is written is the caller's.

Only heads are edited, as splices, so that no article, content hash or vector changes. A repair is worked out again
from the file that it is applied to: what no longer holds there is left alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from memhtml.doctor.facts import DanglingLink
from memhtml.doctor.findings import FindingCode
from memhtml.doctor.report import DoctorReport
from memhtml.format.content_hash import stamp_matches
from memhtml.format.document import Document
from memhtml.format.edit import move_link, remove_link, remove_meta, set_meta
from memhtml.format.parse import parse
from memhtml.format.paths import archive_year, normalize_path, para_bucket
from memhtml.format.source_head import read_source_head
from memhtml.format.vocabulary import rel_of_token
from memhtml.values import Bucket, Instant, MemoryPath, MemoryStatus

__all__ = ["FileRepair", "Mended", "Step", "StepKind", "mended", "repairs_of"]

#: Codes that a file's own bytes show, so that the path is all there is to remember.
_OF_FILE = frozenset({FindingCode.FORMAT_HASH_STALE, FindingCode.STATUS_MISPLACED})


class StepKind(StrEnum):
    """What a step does."""

    REWRITE = "rewrite"
    DROP = "drop"
    STAMP = "stamp"
    STATUS = "status"
    PRUNE = "prune"


class Step(NamedTuple):
    """One thing that a repair does to a file, or to the counts of a path."""

    path: str
    kind: StepKind
    what: str


class FileRepair(NamedTuple):
    """What was found in one file."""

    path: MemoryPath
    links: tuple[DanglingLink, ...]


class Mended(NamedTuple):
    """A file with what could be mended; the bytes it had where nothing could."""

    data: bytes
    steps: tuple[Step, ...]


def repairs_of(report: DoctorReport) -> tuple[FileRepair, ...]:
    """Return what a report lets be mended without a decision, by path."""
    found: dict[MemoryPath, list[DanglingLink]] = {
        finding.path: []
        for finding in report.findings
        if finding.fixable and finding.path is not None and finding.code in _OF_FILE
    }
    for link in report.dangling:
        found.setdefault(link.src_path, []).append(link)
    return tuple(FileRepair(path, tuple(found[path])) for path in sorted(found))


def mended(data: bytes, repair: FileRepair, is_file: Callable[[str], bool], at: Instant) -> Mended:
    """Return a file as `repair` leaves it.

    `is_file` tells what stands where the file stands: a target that is there is not dropped, and a place that a link
    would be led to has to be one.
    """
    work = _Work(data, repair.path, at)
    for link in repair.links:
        work.mend_link(link, is_file)
    work.mend_status(parse(work.data))
    work.mend_stamp(parse(work.data))
    return Mended(work.data, tuple(work.steps))


@dataclass(slots=True)
class _Work:
    data: bytes
    path: MemoryPath
    at: Instant
    steps: list[Step] = field(default_factory=list)

    def mend_link(self, link: DanglingLink, is_file: Callable[[str], bool]) -> None:
        if is_file(link.dst_path) or (link.rewrite_to is not None and not is_file(link.rewrite_to)):
            return
        edited = self.data
        for href in self._spellings(link):
            if link.rewrite_to is None:
                edited = remove_link(edited, link.rel, href)
            else:
                edited = move_link(edited, link.rel, href, f"/{link.rewrite_to}")
        if link.rewrite_to is None:
            self._do(edited, StepKind.DROP, f"the {link.rel} link to {link.dst_path}, where no file is")
        else:
            self._do(edited, StepKind.REWRITE, f"the {link.rel} link to {link.dst_path} as {link.rewrite_to}")

    def mend_status(self, document: Document) -> None:
        """Let the head say what the place says, where no two readings of the place are possible."""
        in_archive = para_bucket(self.path) is Bucket.ARCHIVE
        if document.status is not MemoryStatus.ACTIVE:
            return
        if in_archive and archive_year(self.path) is not None:
            edited = set_meta(self.data, "status", MemoryStatus.ARCHIVED)
            self._do(edited, StepKind.STATUS, "memhtml-status as archived, where the file stands")
        elif not in_archive and document.archived is not None:
            edited = remove_meta(self.data, "archived")
            self._do(edited, StepKind.STATUS, "no memhtml-archived, since the memory is active")

    def mend_stamp(self, document: Document) -> None:
        """State the hash of the article, where another one, or none, is stated. It is advice, so it changes no date."""
        stamp = document.stamped_hash
        if stamp is None or stamp_matches(stamp, document.canonical_text):
            return
        fresh = document.sha256 if stamp.startswith("sha256:") else document.content_hash
        edited = set_meta(self.data, "content-hash", fresh)
        self._do(edited, StepKind.STAMP, "memhtml-content-hash as the hash of the article", is_news=False)

    def _spellings(self, link: DanglingLink) -> list[str]:
        """Return how the head spells a link: with or without a slash in front, once or more often."""
        hrefs = [
            token.get("href") or ""
            for token in read_source_head(self.data).links
            if rel_of_token(token.get("rel") or "") is link.rel
        ]
        return list(dict.fromkeys(href for href in hrefs if normalize_path(href) == link.dst_path))

    def _do(self, edited: bytes, kind: StepKind, what: str, *, is_news: bool = True) -> None:
        if edited == self.data:
            return
        self.data = set_meta(edited, "updated", self.at) if is_news else edited
        self.steps.append(Step(self.path, kind, what))
