"""The budgets, as data: one line for each number that a change may not make worse."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["BUDGETS", "RECORDED", "Budget", "Verdict"]


class Verdict(StrEnum):
    STRETCH = "met, stretch"
    MET = "met"
    MISSED = "missed"
    #: A run at another size than the budget speaks of.
    UNJUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Budget:
    """`limit` and `stretch` bound the ratio where there is a baseline, and else the value in its unit."""

    name: str
    what: str
    unit: str
    #: How a reader says the limit.
    wording: str
    limit: float
    stretch: float | None = None

    def judge(self, measured: float) -> Verdict:
        if self.stretch is not None and measured <= self.stretch:
            return Verdict.STRETCH
        return Verdict.MET if measured <= self.limit else Verdict.MISSED


_ALL = (
    Budget("rebuild", "rebuild, no embedding", "ms", "≤ 3.0 × (A + C)", 3.0, 2.0),
    Budget("rebuild-peer", "rebuild, no embedding, against O", "ms", "≤ 0.25 × O", 0.25),
    Budget("memory", "rebuild, peak memory", "MB", "≤ 200 MB", 200.0, 120.0),
    Budget("memory-growth", "rebuild, peak memory, ten times the size", "MB", "≤ 2 × the smaller", 2.0),
    Budget("rebuild-growth", "rebuild, time, ten times the size", "ms", "≤ 12 × the smaller", 12.0, 10.5),
    Budget("update-commit", "update in process, one committed file", "ms", "≤ 10 ms", 10.0, 3.0),
    Budget("update-growth", "the same, at a hundred times the size", "ms", "≤ 4 × the smaller", 4.0),
    Budget(
        "update-dirty", "update with the working tree, one dirty file", "ms", "≤ 1.5 × git status", 1.5, 1.2
    ),
    Budget("update-dirty-large", "the same, ten times the size", "ms", "≤ 1.5 × git status", 1.5, 1.2),
    Budget("update-noop", "`index update`, whole process, nothing to do", "ms", "≤ 0.35 × O", 0.35, 0.25),
    Budget("update-process", "`index update`, whole process, one commit", "ms", "≤ 0.35 × O", 0.35, 0.25),
    Budget("update-batch", "update of one file in ten, one commit", "ms", "≤ 0.4 × rebuild", 0.4, 0.25),
    Budget("help", "`memhtml --help`", "ms", "≤ 8 × E", 8.0, 6.0),
    Budget("version", "`memhtml --version`", "ms", "≤ 8 × E", 8.0, 6.0),
    Budget("search", "`search`, whole process, no vectors", "ms", "≤ 12 × E", 12.0, 8.0),
    Budget("search-call", "search in process, no vectors", "ms", "≤ 10 ms", 10.0, 5.0),
    Budget("search-call-large", "the same, ten times the size", "ms", "≤ 40 ms", 40.0, 20.0),
    Budget("doctor", "`doctor`, whole process", "ms", "≤ 0.35 × O", 0.35, 0.2),
    Budget("disk", "index.db, no vectors", "MB", "≤ 0.6 × O", 0.6, 0.4),
)
BUDGETS: dict[str, Budget] = {budget.name: budget for budget in _ALL}

#: What the TypeScript memhtml 0.15 needed for the same work at 10,000 memories on a two-core machine of this kind: the
#: baseline O of a run that has no such program beside it.
RECORDED: dict[str, float] = {
    "rebuild-peer": 9_600.0,
    "update-noop": 600.0,
    "update-process": 670.0,
    "doctor": 6_800.0,
    "disk": 99.0,
}
