"""One reading of the store's files: every file judged once, and what the checks across files need to know of each.

The files are those that an index of the same store would project: HEAD overlaid by the working tree, or HEAD alone.
In a clean checkout the two are the same, so that CI judges what is committed, without any index; on a desk the file
that is being edited is judged before it is committed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memhtml.doctor.checks.files import check_document, check_skip
from memhtml.doctor.checks.secrets import check_secrets
from memhtml.doctor.facts import Progress
from memhtml.doctor.findings import Finding
from memhtml.errors import GitFailed
from memhtml.format.check import check, errors
from memhtml.format.document import Document
from memhtml.format.frame import frame_key_of
from memhtml.format.instants import normalise_instant
from memhtml.format.parse import parse
from memhtml.format.paths import normalize_path, para_bucket
from memhtml.format.projection import edges_of, unread
from memhtml.git.entries import EntryKind
from memhtml.index.duplicates import Contender, elect
from memhtml.index.expected import NO_OVERLAY, Found, Overlay, everything, project, read_overlay
from memhtml.values import (
    BlobSha,
    Bucket,
    CommitSha,
    ContentHash,
    EdgeRel,
    MemoryPath,
    MemoryType,
    Skip,
    SkipCode,
    TaskStatus,
)

if TYPE_CHECKING:
    from memhtml.git.read import GitReader

__all__ = ["Corpus", "Memory", "judge_files", "read_corpus"]

_TELL_EVERY = 256


class Memory(NamedTuple):
    """What is kept of a valid memory: no text, so that a large store fits."""

    path: MemoryPath
    blob_sha: BlobSha
    content_hash: ContentHash
    memory_type: MemoryType
    created: str
    #: Whether it stands in the archive; where a file stands decides, not what its head says.
    is_archived: bool
    edges: tuple[tuple[EdgeRel, MemoryPath], ...]
    task_status: TaskStatus | None
    due: str | None
    superseded_by: MemoryPath | None
    frame_key: str | None

    @property
    def is_task(self) -> bool:
        return self.memory_type is MemoryType.TASK


@dataclass(slots=True)
class Corpus:
    """Everything that was read."""

    head: CommitSha | None
    overlay: Overlay
    memories: dict[MemoryPath, Memory] = field(default_factory=dict)
    #: Files that are no memories, with their reason, duplicates among them not yet counted.
    skips: dict[MemoryPath, Skip] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    #: Why git could not say how the working tree differs; the commit alone was judged then.
    worktree_problem: str = ""
    #: Path of a duplicate to the path of the memory that is indexed for both.
    duplicates: dict[MemoryPath, MemoryPath] = field(default_factory=dict)

    @property
    def files(self) -> int:
        return len(self.memories) + len(self.skips)

    def has(self, path: str) -> bool:
        """Say whether a file stands at a path, memory or not."""
        return path in self.memories or path in self.skips

    def data(self, reader: "GitReader", path: MemoryPath) -> bytes:
        """Return a memory's bytes again: findings across files look for their lines afterwards, and they are few."""
        found = self.overlay.present.get(path)
        if found is not None and found.data is not None:
            return found.data
        return reader.blob(self.memories[path].blob_sha)


def read_corpus(reader: "GitReader", *, committed: bool = False, progress: Progress | None = None) -> Corpus:
    """Read and judge every file.

    Where git cannot say how the working tree differs from the commit, the commit is judged, and the corpus says why.
    Errors: GitFailed where git cannot give a file; what was read until then is of no use for checks across files.
    """
    head = reader.head()
    overlay, problem = NO_OVERLAY, ""
    if not committed:
        try:
            overlay = read_overlay(reader)
        except GitFailed as error:
            if head is None:
                raise
            problem = error.message
    corpus = Corpus(head, overlay, worktree_problem=problem)
    found_files: Iterable[Found] = (
        everything(reader, head, overlay)
        if head is not None
        else (overlay.present[path] for path in sorted(overlay.present))
    )
    for number, found in enumerate(found_files):
        if progress is not None and number % _TELL_EVERY == 0:
            progress(number)
        _judge(corpus, reader, found)
    corpus.duplicates = dict(_duplicates(corpus.memories.values()))
    return corpus


def judge_files(reader: "GitReader", head: CommitSha | None, files: Iterable[Found]) -> Corpus:
    """Judge some files, each by itself. Errors: GitFailed where git cannot give one."""
    corpus = Corpus(head, NO_OVERLAY)
    for found in files:
        _judge(corpus, reader, found)
    return corpus


def _judge(corpus: Corpus, reader: "GitReader", found: Found) -> None:
    data = found.data
    if data is None:
        data = reader.blob(found.blob_sha)
    corpus.findings.extend(check_secrets(found.path, data))
    skip: Skip | None
    if found.kind is EntryKind.FILE and not found.unreadable:
        skip = unread(found.path, found.blob_sha, data)
    else:
        outcome = project(found, data)
        assert isinstance(outcome, Skip)
        skip = outcome
    if skip is not None:
        corpus.skips[found.path] = skip
        corpus.findings.append(check_skip(skip, data))
        return
    document = parse(data)
    violations = check(document)
    corpus.findings.extend(check_document(found.path, data, document, violations))
    if violations and errors(violations):
        corpus.skips[found.path] = Skip(found.path, found.blob_sha, SkipCode.FORMAT, "")
        return
    corpus.memories[found.path] = _memory(found, document)


def _memory(found: Found, document: Document) -> Memory:
    memory_type, created = document.memory_type, document.created
    assert memory_type is not None and created is not None  # checked as errors
    path = found.path
    return Memory(
        path,
        found.blob_sha,
        document.content_hash,
        memory_type,
        normalise_instant(created),
        para_bucket(path) is Bucket.ARCHIVE,
        tuple((edge.rel, edge.dst_path) for edge in edges_of(path, document)),
        document.task_status,
        document.due,
        normalize_path(document.superseded_by) if document.superseded_by else None,
        frame_key_of(document.gist),
    )


def _duplicates(memories: Iterable[Memory]) -> Iterator[tuple[MemoryPath, MemoryPath]]:
    """Yield (loser, winner) of every group of active memories, tasks apart, that say the same words."""
    groups: dict[ContentHash, list[Memory]] = {}
    for memory in memories:
        if not memory.is_archived and not memory.is_task:
            groups.setdefault(memory.content_hash, []).append(memory)
    for group in groups.values():
        if len(group) > 1:
            winner = elect(Contender(memory.created, memory.path) for memory in group).path
            for memory in group:
                if memory.path != winner:
                    yield memory.path, winner
