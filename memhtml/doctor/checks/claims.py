"""Memories that say the same, or speak about each other and disagree about which of them holds."""

from collections import defaultdict
from collections.abc import Iterator

from memhtml.doctor.checks.links import Stands, went_to
from memhtml.doctor.corpus import Corpus
from memhtml.doctor.findings import Finding, FindingCode, finding
from memhtml.index.duplicates import loser_reason
from memhtml.values import Instant, MemoryPath

__all__ = ["duplicates", "shared_slots", "supersessions"]


def duplicates(corpus: Corpus) -> Iterator[Finding]:
    """Yield each memory that has no row because another one says the same words."""
    for path, winner in corpus.duplicates.items():
        yield finding(FindingCode.DUPLICATE_CONTENT, loser_reason(winner), path, subject=winner)


def shared_slots(corpus: Corpus) -> Iterator[Finding]:
    """Yield, once for each of them, active memories whose claims are about one subject and property."""
    slots: defaultdict[str, list[MemoryPath]] = defaultdict(list)
    for memory in corpus.memories.values():
        has_slot = not memory.is_archived and not memory.is_task and memory.path not in corpus.duplicates
        if memory.frame_key is not None and has_slot:
            slots[memory.frame_key].append(memory.path)
    for paths in slots.values():
        if len(paths) > 1:
            first, *others = sorted(paths)
            for path in others:
                message = f"the claim is about the same thing as that of {first}"
                yield finding(FindingCode.CLAIM_SLOT_SHARED, message, path, subject=first)


def supersessions(corpus: Corpus, at: Instant, stands: Stands) -> Iterator[Finding]:
    """Yield memories that name a successor and are still active, or whose successor is nowhere."""
    year = int(at[:4])
    for memory in corpus.memories.values():
        successor = memory.superseded_by
        if successor is None:
            continue
        if not memory.is_archived:
            message = f"the memory is active, and its head says that {successor} superseded it"
            yield finding(FindingCode.SUPERSEDED_ACTIVE, message, memory.path, subject=successor)
        if not corpus.has(successor) and went_to(corpus, successor, year) is None:
            what = "which is no memory" if stands(successor) else "where no file is"
            message = f"memhtml-superseded-by names {successor}, {what}"
            yield finding(FindingCode.SUPERSEDER_MISSING, message, memory.path, subject=successor)
