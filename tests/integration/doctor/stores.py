"""Real stores for the doctor: a repository with a few good memories, and runs of the doctor over it."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from builders import memory, plant
from conftest import git

from memhtml.app import health, indexing
from memhtml.app.wire import Store
from memhtml.doctor.findings import FailOn, Finding, FindingCode
from memhtml.doctor.report import DoctorReport
from memhtml.models.ports import Embedder
from memhtml.values import Instant

AT = Instant("2026-06-01T12:00:00Z")

PROBE = "resources/sensors/probe.html"
KETTLE = "projects/kettle/kettle.html"
OLD = "archive/2025/resources/sensors/old.html"

#: A small store in which nothing is wrong: links that lead somewhere, a task, an archived memory.
GOOD: Mapping[str, bytes] = {
    PROBE: memory(
        "Power a soil probe for ten minutes before calibrating it.",
        title="Probe",
        links=[("supersedes", f"/{OLD}"), ("relates_to", f"/{KETTLE}")],
    ),
    KETTLE: memory("The kettle boils at 94 degrees.", title="Kettle", metas=[("tag", "kitchen")]),
    OLD: memory(
        "Calibrate a soil probe cold.",
        title="Old",
        status="archived",
        metas=[("archived", "2025-12-01T00:00:00Z"), ("superseded-by", f"/{PROBE}")],
    ),
    "projects/kettle/tasks/descale.html": memory(
        "The kettle is free of scale.", title="Descale", type_="task", metas=[("task-status", "todo")]
    ),
}


def commit(root: Path, files: Mapping[str, bytes | None] = {}, message: str = "more") -> None:
    """Write files (None deletes) and commit everything."""
    plant(root, {name: data for name, data in files.items() if data is not None})
    for name, data in files.items():
        if data is None:
            (root / name).unlink()
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", message)


def good_store(root: Path, extra: Mapping[str, bytes] = {}) -> Path:
    """Commit the good memories, and others, into an empty repository."""
    plant(root, {".gitignore": b".memhtml/\n"})
    commit(root, {**GOOD, **extra})
    return root


def store_of(root: Path, embedder: Embedder | None = None, *, at: Instant = AT) -> Store:
    """The store with a clock that stands."""
    because = "" if embedder is not None else "no embedder is configured"
    return Store(root, lambda: at, embedder, because)


def indexed(root: Path, embedder: Embedder | None = None) -> Path:
    """Index a store."""
    indexing.rebuild(store_of(root, embedder))
    return root


def examine(
    root: Path,
    embedder: Embedder | None = None,
    *,
    committed: bool = False,
    fail_on: FailOn = FailOn.ERROR,
    at: Instant = AT,
) -> DoctorReport:
    """Run the doctor."""
    return health.doctor(store_of(root, embedder, at=at), committed=committed, fail_on=fail_on)


def codes(report: DoctorReport) -> list[str]:
    """The codes of a report, without the note that there is no index."""
    return [str(f.code) for f in report.findings if f.code is not FindingCode.INDEX_MISSING]


def only(report: DoctorReport, code: FindingCode) -> Finding:
    """The one finding of a report apart from a missing index, which has to be of this code."""
    found = [f for f in report.findings if f.code is not FindingCode.INDEX_MISSING]
    assert [f.code for f in found] == [code], [(f.code, f.path, f.message) for f in found]
    return found[0]


def change_index(root: Path, *statements: str, database: str = "index.db") -> None:
    """Change a database behind the back of whoever keeps it."""
    with closing(sqlite3.connect(root / ".memhtml" / database, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
