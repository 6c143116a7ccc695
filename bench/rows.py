"""The measurements: each function makes one or more rows of the budget table.

Every ratio's two sides are taken in turns in one run. A row first makes sure that the product did the work it is timed
for, and raises where it did not: a fast failure is no result.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bench.budgets import BUDGETS, RECORDED, Verdict
from bench.corpus import generate
from bench.process import Subject
from bench.repository import import_commit, read_blobs, run_git
from bench.timing import Clock, Spread, interleave, memhtml_command, process_environment, time_process

__all__ = ["ROWS", "Row", "Run"]

#: The size that the absolute budgets speak of.
JUDGED_AT = 10_000
_RECORDED_LABEL = "O, recorded"

#: As an agent asks: a name, a phrase, a question, words of a title, an identifier.
QUERIES = (
    "postgres vacuum",
    "which pallet was rejected by the inspector",
    "calibrate the probe before the reading",
    "kubelet timeout",
    "seedling irrigation humidity limit",
    "what did the team decide about the release branch",
    "oscilloscope",
    "dough hydration proofing oven temperature",
    "retry the request when the gateway is slow",
    "borrow lifetime",
    "person who prefers the nightly backup",
    "token rotation secret",
    "why was the checkpoint delayed",
    "keel mooring tide forecast",
    "invoice margin currency",
    "parser grammar symbol",
    "never merge while the worktree is locked",
    "thermostat furnace vent",
    "snapshot coverage flake",
    "embedding drift",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One measured number beside its budget."""

    name: str
    size: int
    value: Spread
    verdict: Verdict
    baseline: str = ""
    baseline_value: float | None = None
    ratio: float | None = None
    note: str = ""


@dataclass(slots=True)
class Run:
    """One run's stores and settings; stores are made when a row first needs one of their size."""

    work: Path
    size: int
    rounds: int
    clock: Clock = Clock.WALL
    #: The executable of the TypeScript memhtml, when it is to run beside ours.
    peer: str | None = None
    _stores: dict[int, Path] = field(default_factory=dict)
    _edits: int = 0
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.environment = process_environment(self.work / "state")

    def store(self, size: int) -> Path:
        """A checked-out store of `size` memories; rows leave HEAD and working tree equal."""
        if size not in self._stores:
            root = self.work / f"store-{size}"
            generate(root, size)
            self._stores[size] = root
        return self._stores[size]

    def indexed(self, size: int) -> Path:
        """The same store with an index that has caught up."""
        root = self.store(size)
        if not (root / ".memhtml" / "index.db").exists():
            with self.subject() as subject:
                _rebuild(self, subject, root, size)
        return root

    def subject(self) -> Subject:
        """A fresh measured process that has imported what the product imports lazily."""
        subject = Subject(self.environment)
        subject.ask("rebuild", root=str(self.store(3)))
        return subject

    def command(self, root: Path, *words: str, ok: tuple[int, ...] = (0,)) -> float:
        return self.process([*memhtml_command(), "--repo", str(root), *words], ok=ok)

    def process(self, argv: Sequence[str], *, ok: tuple[int, ...] = (0,)) -> float:
        return time_process(argv, self.environment, ok=ok, clock=self.clock)

    def edits(self, size: int, count: int) -> dict[str, bytes]:
        """New bytes for `count` files of a store, other files and other words at every call."""
        root = self.store(size)
        self._edits += 1
        listed = run_git(root, "ls-files", "-z", "--", "*.html").decode().split("\0")[:-1]
        step = max(1, len(listed) // count)
        start = (self._edits * 7919) % step
        chosen = listed[start::step][:count]
        addition = f"<p>Looked at again in pass {self._edits}.</p>\n</article>".encode()
        blobs = read_blobs(root, chosen)
        return {path: data.replace(b"</article>", addition) for path, data in blobs.items()}

    def row(
        self,
        name: str,
        value: Spread,
        *,
        size: int | None = None,
        baseline: tuple[str, float] | None = None,
        note: str = "",
    ) -> Row:
        """Judge one value, by its ratio where there is a baseline."""
        size = size or self.size
        ratio = value.median / baseline[1] if baseline else None
        verdict = BUDGETS[name].judge(value.median if ratio is None else ratio)
        if self.size != JUDGED_AT or not self._is_comparable(name, baseline):
            verdict = Verdict.UNJUDGED
        label, against = baseline or ("", None)
        return Row(name, size, value, verdict, label, against, ratio, note)

    def _is_comparable(self, name: str, baseline: tuple[str, float] | None) -> bool:
        """Whether a number may be held against its budget: limits in milliseconds and recorded times are wall time."""
        of_this_run = baseline is not None and baseline[0] != _RECORDED_LABEL
        return self.clock is Clock.WALL or of_this_run or BUDGETS[name].unit != "ms"

    def against_peer(self, name: str, value: Spread, peer_words: tuple[str, ...] = (), note: str = "") -> Row:
        """Judge against O: run beside ours where it is given and the row has a command for it, else as recorded."""
        if self.peer and peer_words:
            root = self.store(self.size)
            (other,) = interleave(self.rounds, lambda: self._peer_time(root, peer_words))
            return self.row(name, value, baseline=("O", other.median), note=note)
        return self.row(name, value, baseline=(_RECORDED_LABEL, RECORDED[name]), note=note)

    def _peer_time(self, root: Path, words: tuple[str, ...]) -> float:
        assert self.peer is not None
        return self.process([self.peer, "--repo", str(root), *words])


class Pass(NamedTuple):
    """One timed pass: milliseconds, and the most memory its process held."""

    ms: float
    peak_mb: float


def _rebuild(run: Run, subject: Subject, root: Path, size: int) -> Pass:
    """Rebuild from nothing."""
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (root / ".memhtml" / name).unlink(missing_ok=True)
    answer = subject.ask("rebuild", root=str(root))
    if answer["files"] != size or answer["skipped"]:
        raise RuntimeError(f"{answer['files']} of {size} memories indexed, {answer['skipped']} skipped")
    return Pass(answer[run.clock], answer["peak_mb"])


def _update(run: Run, subject: Subject, root: Path, *, worktree: bool, expected: int) -> float:
    answer = subject.ask("update", root=str(root), worktree=worktree)
    if answer["changed"] != expected or answer["reconciled"]:
        raise RuntimeError(f"an update of {expected} changes reports {answer['changed']}")
    milliseconds: float = answer[run.clock]
    return milliseconds


def _fresh_rebuild(run: Run, size: int) -> Pass:
    root = run.store(size)
    with run.subject() as subject:
        return _rebuild(run, subject, root, size)


def _settle(run: Run, root: Path) -> None:
    """Leave the work tree equal to HEAD, and the index caught up."""
    run_git(root, "reset", "-q", "--hard")
    run.command(root, "index", "update")


def rebuild(run: Run) -> Iterator[Row]:
    root = run.store(run.size)
    passes: list[Pass] = []

    def read_objects() -> float:
        argv = ["git", "-C", str(root), "cat-file", "--batch-all-objects", "--batch"]
        return run.process(argv)

    def product() -> float:
        passes.append(_fresh_rebuild(run, run.size))
        return passes[-1].ms

    with Subject(run.environment) as bare:

        def insert() -> float:
            answer = bare.ask("bare", count=run.size, database=str(run.work / "bare.db"))
            milliseconds: float = answer[run.clock]
            return milliseconds

        a, c, ours = interleave(run.rounds, read_objects, insert, product)
    note = f"A {a.median:.0f} ms, C {c.median:.0f} ms"
    yield run.row("rebuild", ours, baseline=("A + C", a.median + c.median), note=note)
    yield run.against_peer("rebuild-peer", ours, ("index", "rebuild", "--no-embed"))
    yield run.row("memory", Spread.of([each.peak_mb for each in passes[1:]]))
    database = root / ".memhtml" / "index.db"
    held = sum(
        Path(f"{database}{tail}").stat().st_size
        for tail in ("", "-wal")
        if Path(f"{database}{tail}").exists()
    )
    yield run.against_peer("disk", Spread.of([held / 1e6]))


def _commit_update(run: Run, size: int) -> Spread:
    root = run.indexed(size)

    def once() -> float:
        head = run_git(root, "rev-parse", "HEAD").decode().strip()
        import_commit(root, run.edits(size, 1).items(), "one edit", parent=head, pack=False)
        return _update(run, subject, root, worktree=False, expected=1)

    with run.subject() as subject:
        # Whatever the last pass read, this one starts from the commit alone.
        subject.ask("update", root=str(root), worktree=False)
        (taken,) = interleave(3 * run.rounds, once)
    _settle(run, root)
    return taken


def update_commit(run: Run) -> Iterator[Row]:
    yield run.row("update-commit", _commit_update(run, run.size))


def _dirty_update(run: Run, name: str, size: int) -> Row:
    root = run.indexed(size)

    def git_status() -> float:
        argv = ["git", "-C", str(root), "--no-optional-locks", "status", "--porcelain=v2", "-uall"]
        return run.process(argv)

    ((path, _),) = run.edits(size, 1).items()
    original = (root / path).read_bytes()

    def product() -> float:
        run._edits += 1
        addition = f"<p>Draft {run._edits}.</p>\n</article>".encode()
        (root / path).write_bytes(original.replace(b"</article>", addition))
        return _update(run, subject, root, worktree=True, expected=1)

    with run.subject() as subject:
        subject.ask("update", root=str(root), worktree=True)
        baseline, ours = interleave(2 * run.rounds, git_status, product)
    _settle(run, root)
    return run.row(name, ours, size=size, baseline=("git status", baseline.median))


def update_dirty(run: Run) -> Iterator[Row]:
    yield _dirty_update(run, "update-dirty", run.size)


def update_process(run: Run) -> Iterator[Row]:
    root = run.indexed(run.size)

    def nothing() -> float:
        return run.command(root, "index", "update")

    def one_commit() -> float:
        for path, data in run.edits(run.size, 1).items():
            (root / path).write_bytes(data)
            run_git(root, "commit", "-q", "-m", "one edit", "--", path)
        return run.command(root, "index", "update")

    noop, commit = interleave(2 * run.rounds, nothing, one_commit)
    yield run.against_peer("update-noop", noop, ("index", "update", "--no-embed"))
    yield run.against_peer("update-process", commit)


def update_batch(run: Run) -> Iterator[Row]:
    root = run.indexed(run.size)
    count = max(1, run.size // 10)

    def product() -> float:
        with run.subject() as subject:
            subject.ask("update", root=str(root), worktree=False)
            head = run_git(root, "rev-parse", "HEAD").decode().strip()
            import_commit(root, run.edits(run.size, count).items(), "many edits", parent=head)
            return _update(run, subject, root, worktree=False, expected=count)

    def whole() -> float:
        run_git(root, "reset", "-q", "--hard")
        return _fresh_rebuild(run, run.size).ms

    baseline, ours = interleave(run.rounds, whole, product)
    _settle(run, root)
    yield run.row("update-batch", ours, baseline=("rebuild", baseline.median), note=f"{count} files")


def start_up(run: Run) -> Iterator[Row]:
    def program(flag: str) -> Callable[[], float]:
        return lambda: run.process([*memhtml_command(), flag])

    base, helped, versioned = interleave(3 * run.rounds, _empty(run), program("--help"), program("--version"))
    yield run.row("help", helped, baseline=("E", base.median))
    yield run.row("version", versioned, baseline=("E", base.median))


def _empty(run: Run) -> Callable[[], float]:
    """E: this interpreter, started to do nothing."""
    return lambda: run.process([sys.executable, "-c", "pass"])


def search(run: Run) -> Iterator[Row]:
    root = run.indexed(run.size)
    asked = iter(QUERIES * (3 * run.rounds))
    base, ours = interleave(3 * run.rounds, _empty(run), lambda: run.command(root, "search", next(asked)))
    yield run.row("search", ours, baseline=("E", base.median))


def _search_calls(run: Run, size: int) -> Spread:
    root = run.indexed(size)
    with run.subject() as subject:
        first = subject.ask("search", root=str(root), queries=list(QUERIES))
        if first["answered"] < len(QUERIES) // 2:
            raise RuntimeError(f"only {first['answered']} of {len(QUERIES)} queries found anything")
        answer = subject.ask("search", root=str(root), queries=list(QUERIES) * run.rounds)
    return Spread.of(answer[run.clock])


def search_call(run: Run) -> Iterator[Row]:
    yield run.row("search-call", _search_calls(run, run.size))


def doctor(run: Run) -> Iterator[Row]:
    root = run.indexed(run.size)
    (ours,) = interleave(run.rounds, lambda: run.command(root, "doctor"))
    yield run.against_peer("doctor", ours, ("doctor",))


def scale(run: Run) -> Iterator[Row]:
    """The rows that compare sizes: a tenth of the size and ten times the size beside the size itself."""
    small, large = max(1, run.size // 10), run.size * 10
    passes: dict[int, list[Pass]] = {run.size: [], large: []}
    for _ in range(min(run.rounds, 3)):
        for size, samples in passes.items():
            samples.append(_fresh_rebuild(run, size))
    times = {size: Spread.of([each.ms for each in samples]) for size, samples in passes.items()}
    peaks = {size: Spread.of([each.peak_mb for each in samples]) for size, samples in passes.items()}
    at = f"at {run.size:,}"
    yield run.row("rebuild-growth", times[large], size=large, baseline=(at, times[run.size].median))
    yield run.row("memory-growth", peaks[large], size=large, baseline=(at, peaks[run.size].median))
    low, high = _commit_update(run, small), _commit_update(run, large)
    yield run.row("update-growth", high, size=large, baseline=(f"at {small:,}", low.median))
    yield _dirty_update(run, "update-dirty-large", large)
    yield run.row("search-call-large", _search_calls(run, large), size=large)


ROWS: dict[str, Callable[[Run], Iterator[Row]]] = {
    "rebuild": rebuild,
    "update-commit": update_commit,
    "update-dirty": update_dirty,
    "update-process": update_process,
    "update-batch": update_batch,
    "start-up": start_up,
    "search": search,
    "search-call": search_call,
    "doctor": doctor,
    "scale": scale,
}
