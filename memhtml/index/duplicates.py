"""Who keeps its row among files that say the same words, as a pure rule.

Among active memories (tasks apart) of one content hash the smallest (created, path) wins, compared as UTF-8 bytes.
What was indexed before plays no part: that is why an update and a rebuild elect the same file.
"""

from collections.abc import Iterable
from typing import NamedTuple

from memhtml.format.rows import FileRow
from memhtml.values import MemoryPath, MemoryType

__all__ = ["Contender", "competes", "elect", "loser_reason"]


class Contender(NamedTuple):
    created: str
    path: MemoryPath


def competes(file: FileRow) -> bool:
    """Tell whether a row stands under the rule: archived files and tasks may repeat each other's words."""
    return not file.archived and file.memory_type != MemoryType.TASK


def _rank(contender: Contender) -> tuple[bytes, bytes]:
    return contender.created.encode(errors="surrogatepass"), contender.path.encode(errors="surrogatepass")


def elect(contenders: Iterable[Contender]) -> Contender:
    """Return the winner of a group that is not empty."""
    return min(contenders, key=_rank)


def loser_reason(winner: MemoryPath) -> str:
    """Return the reason that a skipped duplicate is reported with."""
    return f"says the same as {winner}"
