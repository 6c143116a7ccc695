"""One run of the doctor: reads, judges, reports, and changes nothing.

Order: the index's own soundness is checked in a thread, which is SQLite's work alone, while files are parsed here;
then come the checks across files, and those of the index's rows against the files. A check that fails is a finding,
never silence: what it looks for is then unknown, and unknown is not healthy.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Final

from memhtml.db.open import open_index
from memhtml.db.storage import storage
from memhtml.doctor.checks import (
    claims,
    derived,
    index,
    integrity,
    links,
    lock,
    merging,
    overlooked,
    paths,
    secrets,
    state,
    tasks,
    tree,
    vectors,
)
from memhtml.doctor.corpus import Corpus, read_corpus
from memhtml.doctor.facts import IndexFacts, Progress, TreeFacts
from memhtml.doctor.findings import FailOn, Finding, FindingCode, finding
from memhtml.doctor.lines import line_of_meta
from memhtml.doctor.report import DoctorReport, assemble
from memhtml.errors import (
    GitFailed,
    IndexDamaged,
    IndexMissing,
    IndexStale,
    MemhtmlError,
    SchemaChanged,
    SchemaTooNew,
    StorageFailed,
)
from memhtml.git.entries import Entry
from memhtml.git.read import GitReader, Unseen
from memhtml.index.folder import IndexFolder
from memhtml.index.watermark import read_watermark
from memhtml.models.ports import Space
from memhtml.resources import migrations
from memhtml.values import Instant, MemoryPath, Plane

__all__ = ["Examination", "examine"]

#: What an error of opening the index means; every other error means that the check failed.
_OPENING: Final[dict[type[MemhtmlError], FindingCode]] = {
    IndexMissing: FindingCode.INDEX_MISSING,
    IndexStale: FindingCode.INDEX_STALE,
    IndexDamaged: FindingCode.INDEX_DAMAGED,
    SchemaTooNew: FindingCode.SCHEMA_TOO_NEW,
    SchemaChanged: FindingCode.LEDGER_DRIFT,
}


@dataclass(frozen=True, slots=True)
class Examination:
    """What is examined, and against what."""

    reader: GitReader
    folder: IndexFolder
    at: Instant
    #: The space of the embedder that answers here, or why none does.
    space: Space | None
    no_embedder_because: str
    #: The embedder that the store's configuration names; empty where it names none.
    named_embedder: str = ""
    #: Why the configuration cannot be read, if it cannot.
    config_problem: str = ""
    committed: bool = False
    fail_on: FailOn = FailOn.ERROR
    progress: Progress | None = None


@dataclass(slots=True)
class _Findings:
    """Collects findings, and makes one of every check that cannot be carried out."""

    found: list[Finding] = field(default_factory=list)

    def add(self, findings: Iterable[Finding]) -> None:
        self.found.extend(findings)

    def attempt(self, what: str, check: Callable[[], Iterable[Finding]]) -> None:
        try:
            self.found.extend(check())
        except (MemhtmlError, sqlite3.Error, OSError, ValueError, TypeError, KeyError) as error:
            # The last three are what rows of impossible values lead to.
            self.found.append(_failed(what, error))


def _failed(what: str, error: Exception) -> Finding:
    reason = f": {error.message}" if isinstance(error, MemhtmlError) else ""
    return finding(FindingCode.CHECK_FAILED, f"{what} could not be checked{reason}", subject=what)


def examine(examination: Examination) -> DoctorReport:
    """Return everything that is found.

    Effects: none on the store, its repository or its databases; temporary space for a copy of the full-text index.
    Errors: none of the checks'; a store that cannot be opened at all fails before, in `open_reader`.
    """
    findings = _Findings()
    if examination.config_problem:
        findings.add([finding(FindingCode.CONFIG_INVALID, examination.config_problem)])
    findings.add(lock.check_lock(examination.folder.pass_lock))
    with ThreadPoolExecutor(1, thread_name_prefix="memhtml-doctor") as beside:
        soundness = beside.submit(_soundness, examination)
        corpus, tree_facts = _examine_tree(examination, findings)
        index_facts = _examine_databases(examination, corpus, soundness, findings)
    return assemble(findings.found, tree_facts, index_facts, examination.fail_on)


def _soundness(examination: Examination) -> list[Finding]:
    return integrity.check_integrity(examination.folder.index_path, migrations(Plane.INDEX), examination.at)


def _examine_tree(examination: Examination, findings: _Findings) -> tuple[Corpus | None, TreeFacts]:
    reader, at = examination.reader, examination.at
    try:
        corpus = read_corpus(reader, committed=examination.committed, progress=examination.progress)
    except GitFailed as error:
        findings.add([finding(FindingCode.REPO_UNREADABLE, error.message)])
        return None, TreeFacts(prefix=reader.prefix, committed_only=examination.committed)
    findings.add(corpus.findings)
    findings.attempt("the working tree", lambda: tree.check_tree(corpus, reader))
    findings.attempt("the merge driver", lambda: merging.check_merge_driver(reader.location))
    _examine_others(examination, corpus, findings)
    stands = links.Standing(corpus, reader, is_committed_only=examination.committed)
    strays = tuple(links.stray_links(corpus, at, stands))
    findings.attempt("links", lambda: links.findings_of(strays, corpus, reader))
    findings.add(claims.duplicates(corpus))
    findings.add(claims.shared_slots(corpus))
    findings.attempt(
        "supersessions",
        lambda: _at_meta(corpus, reader, claims.supersessions(corpus, at, stands), "memhtml-superseded-by"),
    )
    findings.add(paths.clashing_paths(corpus))
    depth, task_depth = tasks.inbox_depth(corpus), tasks.inbox_task_depth(corpus)
    findings.add(tasks.crowded(depth, task_depth))
    overdue = tuple(tasks.overdue_tasks(corpus, at))
    findings.attempt(
        "due dates",
        lambda: _at_meta(corpus, reader, map(tasks.overdue_finding, overdue), "memhtml-due"),
    )
    blockers = tuple(tasks.stale_blockers(corpus))
    findings.add(tasks.blocker_finding(blocker) for blocker in blockers)
    return corpus, TreeFacts(
        head_sha=corpus.head,
        prefix=reader.prefix,
        committed_only=examination.committed or bool(corpus.worktree_problem),
        files=corpus.files,
        memories=len(corpus.memories),
        dangling=tuple(link for code, link in strays if code is not FindingCode.LINK_NO_MEMORY),
        inbox_depth=depth,
        inbox_crowded=depth > tasks.INBOX_LIMIT,
        inbox_task_depth=task_depth,
        inbox_tasks_crowded=task_depth > tasks.TASK_INBOX_LIMIT,
        overdue_tasks=overdue,
        stale_blockers=blockers,
        dirty=tuple(MemoryPath(path) for path, _ in corpus.overlay.dirty()),
    )


def _examine_others(examination: Examination, corpus: Corpus, findings: _Findings) -> None:
    """Look at what stands beside the memories, which nothing else does."""
    reader, head = examination.reader, corpus.head
    others: list[Entry] = []
    unseen = Unseen()
    try:
        others = [] if head is None else list(reader.others(head))
        unseen = Unseen() if examination.committed else reader.unseen()
    except GitFailed as error:
        findings.add([_failed("files beside the memories", error)])
    findings.add(overlooked.check_overlooked(others, unseen))
    findings.add(overlooked.check_databases(others, unseen))
    findings.attempt("other files", lambda: secrets.check_other_files(others, reader.blob))


def _at_meta(corpus: Corpus, reader: GitReader, findings: Iterable[Finding], name: str) -> Iterator[Finding]:
    """Yield findings with the line of the head's meta that each of them is about."""
    for found in findings:
        assert found.path is not None
        yield replace(found, line=line_of_meta(corpus.data(reader, found.path), name))


def _examine_databases(
    examination: Examination, corpus: Corpus | None, soundness: Future[list[Finding]], findings: _Findings
) -> IndexFacts:
    facts = IndexFacts(
        configured_embed_model=None if examination.space is None else examination.space.identity
    )
    moved: dict[str, str] = {}
    try:
        findings.add(soundness.result())
        facts, moved = _examine_index(examination, corpus, findings)
    except (IndexMissing, IndexStale, IndexDamaged, SchemaTooNew, SchemaChanged) as error:
        findings.add([finding(_OPENING[type(error)], error.message, subject="index")])
    except (MemhtmlError, OSError) as error:
        findings.add([_failed("the index", error)])
    findings.add(
        vectors.check_embedder(
            examination.space,
            examination.named_embedder,
            facts.stored_embed_model,
            examination.no_embedder_because,
        )
    )
    return replace(facts, orphan_access_rows=_examine_state(examination, corpus, moved, findings))


def _examine_index(
    examination: Examination, corpus: Corpus | None, findings: _Findings
) -> tuple[IndexFacts, dict[str, str]]:
    """Check the rows of an index that can be opened; return what was measured, and the moves not yet passed on."""
    space = examination.space
    configured = None if space is None else space.identity
    connection = open_index(
        examination.folder.index_path, mode="read", migrations=migrations(Plane.INDEX), now=examination.at
    )
    with closing(connection), storage("checking index.db"):
        connection.execute("BEGIN")  # one moment for every check, whatever a pass commits meanwhile
        try:
            mark = read_watermark(connection)
        except StorageFailed as error:
            raise IndexDamaged("its watermark cannot be read") from error
        if mark is None:
            raise IndexMissing
        moved: dict[str, str] = {}
        findings.attempt("pending moves", lambda: _noted(moved, state.pending_moves(connection)))
        findings.attempt("the index's rows", lambda: index.check_rows(connection))
        findings.attempt("derived columns", lambda: derived.check_derived(connection))
        findings.attempt("chunks", lambda: index.check_chunks(connection))
        findings.attempt("vectors", lambda: vectors.check_vectors(connection, mark, space))
        is_fresh = False
        if corpus is not None:
            findings.attempt("the index's age", lambda: index.check_freshness(connection, mark, corpus))
            is_fresh = index.is_current(mark, corpus)
            if index.keeps_step(connection, mark, corpus):
                findings.attempt(
                    "the index against the tree", lambda: index.check_tree_against(connection, corpus)
                )
        facts = IndexFacts(
            index_fresh=is_fresh,
            index_head_sha=mark.head_sha,
            embed_model_matches=configured is None or mark.embed_model in (None, configured),
            stored_embed_model=mark.embed_model,
            configured_embed_model=configured,
        )
        return facts, moved


def _noted(moved: dict[str, str], pending: dict[str, str]) -> tuple[Finding, ...]:
    moved.update(pending)
    return ()


def _examine_state(
    examination: Examination, corpus: Corpus | None, moved: dict[str, str], findings: _Findings
) -> tuple[str, ...]:
    """Check the state plane; return the paths that it counts and that no file has."""
    outcome = state.StateOutcome()
    try:
        outcome = state.check_state(examination.folder.state_path, migrations(Plane.STATE), examination.at)
    except (MemhtmlError, sqlite3.Error, OSError) as error:
        findings.add([_failed("the state plane", error)])
    findings.add(outcome.findings)
    if corpus is None or outcome.accessed is None:
        return ()
    orphans = tuple(state.orphans_of(outcome.accessed, corpus.has, moved))
    findings.add(state.orphan_finding(path) for path in orphans)
    return orphans
