"""The process that holds the product while it is measured: it reads one request a line and answers with one line.

It is a process of its own so that the harness's memory and imports weigh on no number. Run by `bench.process`.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.timing import Clock, children_ms

__all__: list[str] = []

_BARE_SQL = """
CREATE TABLE memories (id INTEGER PRIMARY KEY, path TEXT, text TEXT);
CREATE VIRTUAL TABLE memories_fts USING fts5(text);
"""
#: Bodies of the bare baseline, read once so that only the inserts are timed.
_texts: list[tuple[int, str, str]] = []


def _peak_mb() -> float:
    """The most memory this process has held, in MB (10^6 bytes)."""
    status = Path("/proc/self/status")
    if status.is_file():
        # ru_maxrss begins with what the parent held when it forked; the kernel's own mark of this image does not.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _timed(call: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """Run a call; return its milliseconds by either clock, the work of its children included, and what it returned."""
    helped, worked, start = children_ms(), time.process_time(), time.perf_counter()
    result = call()
    elapsed, used = time.perf_counter() - start, time.process_time() - worked
    return {Clock.WALL: elapsed * 1000, Clock.PROCESSOR: used * 1000 + children_ms() - helped}, result


def _rebuild(request: dict[str, Any]) -> dict[str, Any]:
    from memhtml.app import indexing, wire

    store = wire.open_store(Path(request["root"]))
    took, report = _timed(lambda: indexing.rebuild(store, embed=False))
    return {
        **took,
        "files": report.files_indexed,
        "skipped": len(report.skipped),
        "chunks": report.chunks_indexed,
    }


def _update(request: dict[str, Any]) -> dict[str, Any]:
    from memhtml.app import indexing, wire

    worktree = bool(request["worktree"])
    store = wire.open_store(Path(request["root"]))
    took, report = _timed(lambda: indexing.update(store, embed=False, worktree=worktree))
    changed = report.added + report.modified + report.removed + report.renamed
    return {**took, "changed": changed, "reconciled": report.reconciled}


def _search(request: dict[str, Any]) -> dict[str, Any]:
    from memhtml.app import retrieval, wire

    store = wire.open_store(Path(request["root"]))
    taken: dict[str, list[float]] = {clock: [] for clock in Clock}
    found = 0
    for query in request["queries"]:
        took, answer = _timed(lambda asked=query: retrieval.search(store, asked))  # type: ignore[misc]  # a lambda's default has no type
        for clock, samples in taken.items():
            samples.append(took[clock])
        found += bool(answer.hits)
    return {**taken, "answered": found}


def _bare(request: dict[str, Any]) -> dict[str, Any]:
    """The same words into one bare table and one FTS5 table with defaults, one transaction, by the standard library."""
    import html
    import re
    import sqlite3

    from bench.corpus import memories

    if not _texts:
        for number, (path, data) in enumerate(memories(int(request["count"])), 1):
            words = re.sub("<[^>]*>", " ", data.decode().partition("<title>")[2])
            _texts.append((number, path, html.unescape(words)))
    database = Path(request["database"])
    database.unlink(missing_ok=True)

    def load() -> None:
        connection = sqlite3.connect(database)
        with connection:
            connection.executescript(_BARE_SQL)
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO memories VALUES (?, ?, ?)", _texts)
            connection.executemany(
                "INSERT INTO memories_fts (rowid, text) VALUES (?, ?)", ((n, t) for n, _, t in _texts)
            )
        connection.close()

    took, _ = _timed(load)
    return {**took, "bytes": database.stat().st_size}


_OPERATIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "rebuild": _rebuild,
    "update": _update,
    "search": _search,
    "bare": _bare,
}


def _serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        answer = _OPERATIONS[request["operation"]](request)
        print(json.dumps(answer | {"peak_mb": _peak_mb()}), flush=True)


if __name__ == "__main__":
    _serve()
