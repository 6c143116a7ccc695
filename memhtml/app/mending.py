"""Mending what the doctor found and what needs no decision: one commit of head edits, and counts that count nothing.

The plan is judged twice, by the doctor's report and by the commit that it changes: a file or a target that the working
tree has and HEAD has not, or the other way round, is left for the person whose work it is.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memhtml.app.wire import Store
from memhtml.app.writing import write_through
from memhtml.db.open import attach_state
from memhtml.doctor.repair import FileRepair, Step, StepKind, mended, repairs_of
from memhtml.errors import InvalidMemory
from memhtml.git.message import subject_line
from memhtml.git.read import GitReader, open_reader
from memhtml.index.access import forget_counts
from memhtml.resources import migrations
from memhtml.store.gate import admit_edit
from memhtml.store.planned import Planned
from memhtml.store.view import HeadView
from memhtml.values import BlobSha, CommitSha, Instant, MemoryPath, Plane

if TYPE_CHECKING:
    from memhtml.doctor.report import DoctorReport

__all__ = ["Repaired", "mend"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did, or would do."""

    dry_run: bool
    rewritten: int
    dropped: int
    stamped: int
    restated: int
    pruned_access_rows: int
    steps: tuple[Step, ...]
    #: Files with findings that could be mended, and were not: uncommitted work is in the way.
    left: tuple[MemoryPath, ...]
    commit_sha: CommitSha | None = None


def mend(store: Store, report: "DoctorReport", *, dry_run: bool = False) -> Repaired:
    """Mend what `report` says can be mended without a decision.

    Effects: at most one commit, one pass of the index, and one transaction of the state plane, in this order; none of
    them with `dry_run`. Errors: those of `git.commit.commit` and of opening the state plane.
    """
    reader, at = open_reader(store.root), store.clock()
    repairs = repairs_of(report)

    def plan(view: HeadView) -> Planned[Repaired]:
        return _plan(view, repairs, frozenset(report.dirty), reader, at)

    head = reader.head()
    orphans = [path for path in report.orphan_access_rows if not _is_held(reader, head, path)]
    prunes = tuple(Step(path, StepKind.PRUNE, "what this clone counted of it") for path in orphans)
    if dry_run or not repairs:
        outcome = replace(plan(HeadView(reader, head, lambda _: None)).result, dry_run=dry_run)
    else:
        done = write_through(store, plan)
        outcome = replace(done.result, commit_sha=done.commit_sha)
    count = len(orphans) if dry_run else _prune(store, orphans, at)
    return replace(outcome, pruned_access_rows=count, steps=(*outcome.steps, *prunes))


def _plan(
    view: HeadView,
    repairs: tuple[FileRepair, ...],
    dirty: frozenset[MemoryPath],
    reader: GitReader,
    at: Instant,
) -> Planned[Repaired]:
    changes: dict[str, bytes | None] = {}
    expects: dict[str, BlobSha | None] = {}
    steps: list[Step] = []
    left: list[MemoryPath] = []
    for repair in repairs:
        if repair.path in dirty:
            left.append(repair.path)
            continue
        try:
            file = view.find(repair.path)
            if file is None:
                continue
            # A target may have been put on disk since the doctor looked.
            links = tuple(link for link in repair.links if not reader.stands_on_disk(link.dst_path))
            outcome = mended(file.data, repair._replace(links=links), view.is_file, at)
            if outcome.steps:
                changes[repair.path] = admit_edit(file.data, outcome.data).data
                expects[repair.path] = file.blob_sha
                steps += outcome.steps
            else:
                left.append(repair.path)
        except InvalidMemory:
            left.append(repair.path)
    kinds = [step.kind for step in steps]
    rewritten, dropped = kinds.count(StepKind.REWRITE), kinds.count(StepKind.DROP)
    result = Repaired(
        dry_run=False,
        rewritten=rewritten,
        dropped=dropped,
        stamped=kinds.count(StepKind.STAMP),
        restated=kinds.count(StepKind.STATUS),
        pruned_access_rows=0,
        steps=tuple(steps),
        left=tuple(left),
    )
    subject = _subject(rewritten + dropped, len(changes))
    body = "\n".join(f"{step.kind} {step.path}" for step in steps)
    return Planned(result, changes, expects, subject, body=body)


def _subject(links: int, files: int) -> str:
    if links:
        return subject_line("link", f"repair {links} dangling link{'' if links == 1 else 's'}")
    return subject_line("doctor", f"mend {files} head{'' if files == 1 else 's'}")


def _is_held(reader: GitReader, head: CommitSha | None, path: str) -> bool:
    """Tell whether HEAD has a path: the working tree lacks it then, and a checkout brings it back."""
    return head is not None and reader.entry_at(head, MemoryPath(path)) is not None


def _prune(store: Store, paths: list[str], at: Instant) -> int:
    if not paths:
        return 0
    with closing(sqlite3.connect(":memory:", isolation_level=None, uri=True)) as connection:
        attach_state(connection, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=at)
        return forget_counts(connection, paths)
