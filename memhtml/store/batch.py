"""Many new memories in one commit: one outcome an op, in the order they were given.

Every op has passed the gate, or failed there, before the plan is made. A plan is atomic unless asked otherwise: the
first op that is refused keeps its error, and all others are skipped.

Two claims that fill one slot with different values are a conflict. It is told and never blocks: both stay. Only with
`last_wins` the last op of a slot stands in for the ones before it, at the place of the first, and an active memory
that fills the slot goes into the archive in the same commit. Slots of different workspaces are different slots then:
what one project decides archives nothing of another.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from memhtml.errors import MemhtmlError
from memhtml.format.content_hash import trim
from memhtml.format.frame import frame_key_of
from memhtml.format.instants import normalise_instant
from memhtml.format.paths import slugify, workspace_of
from memhtml.git.message import subject_line
from memhtml.safety import SecretCode
from memhtml.store.gate import Admitted, admit, allowance
from memhtml.store.placing import Placing
from memhtml.store.planned import Planned, provenance
from memhtml.store.retire import Retired, retire
from memhtml.store.view import FrameHolder, HeadFile, HeadView
from memhtml.store.write import Candidate, competes, require_same_values, twin_in
from memhtml.values import BlobSha, ContentHash, EdgeRel, Instant, MemoryPath

__all__ = ["Batch", "Conflict", "OpResult", "Options", "Summary", "plan_batch"]

#: An op that passed the gate, or why it did not.
Op = Candidate | MemhtmlError


class Options(NamedTuple):
    continue_on_error: bool = False
    detect_conflicts: bool = False
    last_wins: bool = False
    #: Secrets that are none.
    allowed: Collection[SecretCode] = ()


class Conflict(NamedTuple):
    """Who else fills the slot of a claim: an active memory, or an earlier op of the batch."""

    path: MemoryPath | None
    batch_index: int | None
    claim: str


@dataclass(frozen=True, slots=True)
class OpResult:
    index: int
    ok: bool
    path: MemoryPath | None = None
    deduped: bool = False
    existing_path: MemoryPath | None = None
    code: str | None = None
    error: str | None = None
    skipped: bool = False
    conflict: Conflict | None = None
    #: The op in whose place a later value of the slot was written.
    consolidated_into: int | None = None
    #: Where the memory stood that was archived for this one.
    superseded_path: MemoryPath | None = None


class Summary(NamedTuple):
    """How the ops came out; every op counts once."""

    total: int
    written: int
    deduped: int
    failed: int
    skipped: int
    consolidated: int


class Batch(NamedTuple):
    results: tuple[OpResult, ...]
    #: What was written, by op.
    written: Mapping[int, Candidate]
    #: What could not be told.
    warnings: tuple[str, ...] = ()

    @property
    def summary(self) -> Summary:
        rows = self.results
        consolidated = sum(1 for row in rows if row.consolidated_into is not None)
        deduped = sum(1 for row in rows if row.deduped)
        skipped = sum(1 for row in rows if row.skipped)
        failed = sum(1 for row in rows if row.code is not None)
        return Summary(len(rows), len(self.written), deduped, failed, skipped, consolidated)


@dataclass(slots=True)
class _Work:
    """What one plan gathers op by op."""

    view: HeadView
    placing: Placing
    options: Options
    holders: Mapping[str, FrameHolder] = field(default_factory=dict)
    said: dict[ContentHash, tuple[MemoryPath, Candidate]] = field(default_factory=dict)
    changes: dict[str, bytes | None] = field(default_factory=dict)
    expects: dict[str, BlobSha | None] = field(default_factory=dict)
    written: dict[int, Candidate] = field(default_factory=dict)
    admitted: list[Admitted] = field(default_factory=list)
    warnings: tuple[str, ...] = ()


def plan_batch(
    view: HeadView, *, ops: Sequence[Op], options: Options, at: Instant, occupied: Collection[str] = ()
) -> Planned[Batch]:
    """Return the one commit of a batch, and how every op came out; without changes where nothing is written.

    Shapes: `at` is the instant of the whole batch. Order: results stand as the ops do.
    Errors: those of the view; what is wrong with an op is in its result.
    """
    keys = {index: key for index, op in enumerate(ops) if (key := _frame_key(op)) is not None}
    work = _Work(view, Placing(view, occupied), options)
    if keys and (options.detect_conflicts or options.last_wins):
        _look_up(work, set(keys.values()))
    conflicts = _conflicts(ops, keys, work.holders) if options.detect_conflicts else {}
    into = _last_wins(ops, keys) if options.last_wins else {}
    winners = {first: later for later, first in into.items()}
    results: list[OpResult] = []
    for index in range(len(ops)):
        if index in into:
            result = OpResult(index, ok=True, consolidated_into=into[index])
        else:
            key = keys.get(index)
            result = _planned_op(work, index, ops[winners.get(index, index)], key, at)
        results.append(replace(result, conflict=conflicts.get(index)))
        if result.code is not None and not options.continue_on_error:
            return Planned(Batch(_aborted(results[-1], len(ops), conflicts), {}, work.warnings))
    rows = tuple(_with_its_slot(row, results) for row in results)
    batch = Batch(rows, work.written, work.warnings)
    titles = [new.draft.title for new in work.written.values()]
    return Planned(
        batch,
        work.changes,
        work.expects,
        subject_line("batch", titles[0] if len(titles) == 1 else f"{len(titles)} memories"),
        (*_provenance(work.written.values()), *allowance(work.admitted)),
    )


def _look_up(work: _Work, keys: Collection[str]) -> None:
    """Ask once who fills the slots of a batch. A hint may fail; what is to be archived by the answer may not."""
    try:
        work.holders = work.view.frame_holders(keys)
    except MemhtmlError as error:
        if work.options.last_wins:
            raise
        work.warnings = (f"conflicts with the store are not known: {error.message} ({error.code})",)


def _planned_op(work: _Work, index: int, op: Op, key: str | None, at: Instant) -> OpResult:
    if isinstance(op, MemhtmlError):
        return _refused(index, op)
    try:
        twin = _twin(work, op)
        if twin is not None:
            return OpResult(index, ok=True, path=twin, deduped=True, existing_path=twin)
        return _written(work, index, op, key, at)
    except MemhtmlError as error:
        return _refused(index, error)


def _twin(work: _Work, op: Candidate) -> MemoryPath | None:
    """Return who says the same already: an earlier op, or a memory of the commit. Errors: `DuplicateContent`."""
    if not competes(op):
        return None
    if op.content_hash in work.said:
        path, earlier = work.said[op.content_hash]
        require_same_values(op.admitted.document, earlier.admitted.document, path)
        return path
    twin = twin_in(work.view, op)
    if twin is not None:
        work.said[op.content_hash] = twin, op
    return twin


def _written(work: _Work, index: int, op: Candidate, key: str | None, at: Instant) -> OpResult:
    path = work.placing.place(op.draft, workspace=op.workspace, explicit=op.explicit)
    loser = _occupant(work, op, key) if work.options.last_wins else None
    admitted = op.admitted
    if loser is not None:
        admitted, retired = _superseding(work, op, path, loser, at)
        work.changes[loser.path] = None
        work.expects[loser.path] = loser.blob_sha
        work.changes[retired.path] = retired.data
    if competes(op):
        work.said[op.content_hash] = path, op
    work.changes[path] = admitted.data
    work.written[index] = op
    work.admitted.append(admitted)
    return OpResult(index, ok=True, path=path, superseded_path=loser.path if loser is not None else None)


def _superseding(
    work: _Work, op: Candidate, path: MemoryPath, loser: HeadFile, at: Instant
) -> tuple[Admitted, Retired]:
    """Return the winner with the link to the loser, and the loser as it is archived."""
    draft = op.draft
    since = draft.valid_from or normalise_instant(op.admitted.document.event_at or at)
    retired = retire(work.placing, loser, at, superseded_by=path, valid_until=since)
    links = (*draft.links, (EdgeRel.SUPERSEDES, f"/{retired.path}"))
    return admit(replace(draft, links=links, valid_from=since), work.options.allowed), retired


def _occupant(work: _Work, op: Candidate, key: str | None) -> HeadFile | None:
    """Return the active memory that fills the slot of an op in its workspace, or None."""
    holder = work.holders.get(key) if key is not None else None
    if holder is None or holder.path in work.changes or workspace_of(holder.path) != _workspace(op):
        return None
    file = work.view.find(holder.path)
    return file if file is not None and frame_key_of(file.document.gist) == key else None


def _frame_key(op: Op) -> str | None:
    """Return the slot of an op's claim; tasks claim nothing, and markup of the caller's own has none."""
    if isinstance(op, MemhtmlError) or not competes(op) or trim(op.draft.article_html or ""):
        return None
    return frame_key_of(op.admitted.document.gist)


def _workspace(op: Candidate) -> str | None:
    """Return the workspace that an op names, by its path where it has one."""
    if op.explicit is not None:
        return workspace_of(op.explicit)
    return slugify(op.workspace) if op.workspace else None


def _conflicts(
    ops: Sequence[Op], keys: Mapping[int, str], holders: Mapping[str, FrameHolder]
) -> dict[int, Conflict]:
    """Return who else fills each op's slot: a memory of the store before an earlier op, and of these the first."""
    found: dict[int, Conflict] = {}
    first: dict[str, int] = {}
    for index, key in keys.items():
        op = ops[index]
        assert isinstance(op, Candidate)
        holder = holders.get(key)
        if holder is not None:
            if holder.content_hash != op.content_hash:
                found[index] = Conflict(holder.path, None, holder.claim)
        elif key in first:
            earlier = ops[first[key]]
            assert isinstance(earlier, Candidate)
            if earlier.content_hash != op.content_hash:
                found[index] = Conflict(None, first[key], earlier.admitted.document.gist)
        first.setdefault(key, index)
    return found


def _last_wins(ops: Sequence[Op], keys: Mapping[int, str]) -> dict[int, int]:
    """Return, for every op whose slot an earlier op opens, that op: the last of them is written in its place."""
    first: dict[tuple[str, str | None], int] = {}
    into: dict[int, int] = {}
    for index, key in keys.items():
        op = ops[index]
        assert isinstance(op, Candidate)
        slot = key, _workspace(op)
        if slot in first:
            into[index] = first[slot]
        else:
            first[slot] = index
    return into


def _with_its_slot(row: OpResult, results: Sequence[OpResult]) -> OpResult:
    """Return a result; one that rests on another op is skipped where that one was refused."""
    if row.consolidated_into is None or results[row.consolidated_into].ok:
        return row
    return replace(row, ok=False, consolidated_into=None, skipped=True)


def _refused(index: int, error: MemhtmlError) -> OpResult:
    return OpResult(index, ok=False, code=error.code, error=error.message)


def _aborted(refused: OpResult, count: int, conflicts: Mapping[int, Conflict]) -> tuple[OpResult, ...]:
    """Return the results of a batch of which nothing is written, because one op was refused."""
    return tuple(
        refused
        if index == refused.index
        else OpResult(index, ok=False, skipped=True, conflict=conflicts.get(index))
        for index in range(count)
    )


def _provenance(written: Collection[Candidate]) -> tuple[tuple[str, str], ...]:
    """Return the trailers of the first memory that says where it came from."""
    drafts = (new.draft for new in written)
    return next((found for draft in drafts if (found := provenance(draft.session, draft.prompt))), ())
