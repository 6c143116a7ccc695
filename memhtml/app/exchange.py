"""Use cases of exchange: notes of other programs become memories, and memories become notes.

An import is one commit, on the branch that is checked out or on a new one that waits for a review. Every note is told
of: imported, known already, or refused with a reason.
"""

import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final

from memhtml.app.wire import Store
from memhtml.app.writing import warnings_of, write_around_dirt
from memhtml.errors import InvalidMemory, PathRefused, StorageFailed
from memhtml.exchange.export import export_line, export_note
from memhtml.exchange.facts import Defaults, Fact
from memhtml.exchange.note import Copy
from memhtml.exchange.plan import ExistingCorpus, Origin, plan_import, prepare
from memhtml.exchange.report import Deduplicated, Imported, ImportPlan, RefusalCode, Refused
from memhtml.exchange.sources import open_source
from memhtml.format.check import check, errors
from memhtml.format.document import Document
from memhtml.format.limits import refusal
from memhtml.format.parse import parse
from memhtml.format.paths import is_archive_path, is_valid_memory_path, workspace_of
from memhtml.git.aside import commit_aside
from memhtml.git.message import subject_line
from memhtml.git.read import open_reader
from memhtml.git.request import CommitRequest
from memhtml.safety import SecretCode
from memhtml.store.placing import Placing
from memhtml.store.planned import Planned
from memhtml.store.view import HeadView
from memhtml.values import CommitSha, MemoryPath, MemoryType

__all__ = [
    "ExportFormat",
    "ExportReport",
    "ImportChoices",
    "ImportReport",
    "Scope",
    "export_notes",
    "import_notes",
]

_NO_CODES: Final[frozenset[SecretCode]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChoices:
    """What a person says of all notes of a source."""

    #: Stands in front of each note's own tags, so that it decides the folder.
    tags: tuple[str, ...] = ()
    workspace: str = ""
    #: For notes that do not say it themselves.
    author: str = ""
    memory_type: MemoryType | None = None
    #: How the source is called; without it, as its folder or file is.
    name: str = ""
    allowed_secrets: frozenset[SecretCode] = _NO_CODES


@dataclass(frozen=True, slots=True)
class ImportReport:
    source: str
    imported: tuple[Imported, ...]
    deduplicated: tuple[Deduplicated, ...]
    refused: tuple[Refused, ...]
    refused_by_code: Mapping[RefusalCode, int]
    #: Files of the folder that hold no notes by their kind.
    ignored: int
    is_dry_run: bool
    #: None: nothing was committed.
    commit_sha: CommitSha | None
    #: The new branch that holds the commit; None: the branch that is checked out.
    branch: str | None
    warnings: tuple[str, ...] = ()


def import_notes(
    store: Store,
    path: Path,
    *,
    choices: ImportChoices | None = None,
    branch: str | None = None,
    dry_run: bool = False,
    embed: bool = True,
) -> ImportReport:
    """Import the notes at a path in one commit; a second import of the same notes commits nothing.

    `branch` names a new branch for the commit, and then neither HEAD nor the index changes; `dry_run` only reports.
    Errors: `PathNotFound` for the source; `StorageFailed`; those of `git.commit.commit`, and with a branch of
    `git.aside.commit_aside`. None of them changed anything; what is wrong with a note is in the report.
    """
    chosen = choices if choices is not None else ImportChoices()
    source = open_source(path)
    defaults = Defaults(
        at=store.clock(),
        memory_type=chosen.memory_type,
        workspace=chosen.workspace,
        author=chosen.author,
        tags=chosen.tags,
    )
    prepared = prepare(source, defaults)
    origin = Origin(name=chosen.name or source.name, allowed_secrets=chosen.allowed_secrets)
    planned = partial(_planned, prepared=prepared, origin=origin)
    warnings: tuple[str, ...] = ()
    sha: CommitSha | None = None
    if dry_run:
        reader = open_reader(store.root)
        view = HeadView(reader, reader.head(), lambda _: None)
        plan = planned(view, occupied=[change.path for change in reader.status()]).result
    elif branch is not None:
        plan, sha = _import_aside(store, branch, planned)
    else:
        done = write_around_dirt(store, planned, embed=embed)
        plan, sha, warnings = done.result, done.commit_sha, warnings_of(done)
    return ImportReport(
        source=origin.name,
        imported=plan.imported,
        deduplicated=plan.deduplicated,
        refused=plan.refused,
        refused_by_code=plan.refused_by_code,
        ignored=source.ignored,
        is_dry_run=dry_run,
        commit_sha=sha,
        branch=branch if sha is not None else None,
        warnings=warnings,
    )


def _import_aside(
    store: Store, branch: str, planned: "partial[Planned[ImportPlan]]"
) -> tuple[ImportPlan, CommitSha | None]:
    reader = open_reader(store.root)
    made: list[Planned[ImportPlan]] = []

    def request_from(head: CommitSha | None) -> CommitRequest | None:
        made[:] = [planned(HeadView(reader, head, lambda _: None), occupied=())]
        return made[0].request()

    committed = commit_aside(store.root, branch, request_from)
    return made[0].result, None if committed is None else committed.sha


def _planned(
    view: HeadView,
    *,
    occupied: Collection[str],
    prepared: list[Fact | Copy | Refused],
    origin: Origin,
) -> Planned[ImportPlan]:
    existing = ExistingCorpus(document_at=partial(_document_at, view))
    for path, data in view.files():
        existing.add(path, data)
    plan = plan_import(prepared, existing, Placing(view, occupied), origin)
    count = len(plan.files)
    what = f"{count} {'memory' if count == 1 else 'memories'} from {origin.name}"
    return Planned(
        plan,
        dict(plan.files),
        subject=subject_line("import", what),
        trailers=plan.allowances,
        body=_body(plan),
    )


def _document_at(view: HeadView, path: MemoryPath) -> Document | None:
    try:
        file = view.find(path)
    except InvalidMemory:
        return None
    return None if file is None else file.document


def _body(plan: ImportPlan) -> str:
    """Return the part of a commit's message that tells of the notes which it leaves out."""
    lines = [f"known already: {len(plan.deduplicated)}"] if plan.deduplicated else []
    lines += [f"refused, {code}: {count}" for code, count in plan.refused_by_code.items()]
    return "\n".join(lines)


class ExportFormat(StrEnum):
    MARKDOWN = "markdown"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which memories of HEAD are exported; empty means any."""

    types: frozenset[MemoryType] = frozenset()
    tags: frozenset[str] = frozenset()
    workspace: str = ""
    include_archived: bool = False

    def holds(self, path: MemoryPath, document: Document) -> bool:
        """Tell whether a memory is in the scope."""
        if not self.include_archived and is_archive_path(path):
            return False
        if self.types and document.memory_type not in self.types:
            return False
        if self.tags and self.tags.isdisjoint(document.tags):
            return False
        return not self.workspace or workspace_of(path) == self.workspace


@dataclass(frozen=True, slots=True)
class ExportReport:
    target: str
    format: ExportFormat
    exported: int
    #: How many memories lost what the format has no words for, by what it is.
    losses: Mapping[str, int]
    #: Files that are no valid memories.
    skipped: int


def export_notes(store: Store, target: Path, form: ExportFormat, scope: Scope) -> ExportReport:
    """Write HEAD's memories as notes: a new folder of Markdown, or a new file of JSON Lines.

    Effects: everything is written beside the target first, and takes its name when it is whole.
    Errors: `PathRefused` for a target that exists; `RepoRequired`, `GitFailed`, `StorageFailed`.
    """
    reader = open_reader(store.root)
    view = HeadView(reader, reader.head(), lambda _: None)
    if target.exists() or target.is_symlink():
        raise PathRefused(str(target), "it exists")
    selected = _Selected(view, scope)
    partial_target = target.with_name(f".{target.name}.memhtml-partial")
    losses: dict[str, int] = {}
    try:
        _remove(partial_target)
        if form is ExportFormat.JSONL:
            target.parent.mkdir(parents=True, exist_ok=True)
            with partial_target.open("x", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{export_line(path, data)}\n" for path, data in selected)
        else:
            partial_target.mkdir(parents=True)
            for path, data in selected:
                note = export_note(path, data)
                place = partial_target / note.name
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("x", encoding="utf-8", errors="replace", newline="\n") as file:
                    file.write(note.text)
                for loss in note.losses:
                    name = loss.partition(" × ")[2] or loss
                    losses[name] = losses.get(name, 0) + 1
        partial_target.rename(target)
    except OSError as error:
        raise StorageFailed("writing the export", error.strerror or "") from error
    return ExportReport(str(target), form, selected.count, dict(sorted(losses.items())), selected.skipped)


@dataclass(slots=True)
class _Selected:
    """The memories of a scope, counted while they are read."""

    view: HeadView
    scope: Scope
    count: int = 0
    skipped: int = 0

    def __iter__(self) -> Iterator[tuple[MemoryPath, bytes]]:
        for path, data in self.view.files():
            if refusal(data) is not None or not is_valid_memory_path(path):
                self.skipped += 1
                continue
            document = parse(data)
            if errors(check(document)):
                self.skipped += 1
            elif self.scope.holds(path, document):
                self.count += 1
                yield path, data


def _remove(path: Path) -> None:
    """Remove what an export that was stopped has left."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
