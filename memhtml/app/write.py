"""Use cases of writing: one memory, or a batch of them. Each is one commit and one pass of the index.

The clock is read once, and everything that can be judged without the store is judged before the store is looked at. A
name at which an uncommitted file stands is as taken as one of HEAD: another is found, or the path that was asked for is
refused.
"""

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from memhtml.app.op_lines import OpLine
from memhtml.app.reading import reading
from memhtml.app.wire import Store
from memhtml.app.writing import warnings_of, write_around_dirt, write_through
from memhtml.db.open import attach_state
from memhtml.errors import MemhtmlError
from memhtml.index.access import LinkKind, record_link
from memhtml.index.similar import Similar, similar_claims
from memhtml.resources import migrations
from memhtml.safety import SecretCode
from memhtml.store.batch import OpResult, Options, Summary, plan_batch
from memhtml.store.words import Provenance, Words
from memhtml.store.write import Candidate, candidate, plan_write
from memhtml.values import CommitSha, ContentHash, Instant, MemoryPath, Plane

__all__ = ["BatchApplied", "MemoryWritten", "NearOp", "Provenance", "Words", "apply", "write"]

_STRICT: Final = Options()
_NOBODY: Final = Provenance()


class MemoryWritten(NamedTuple):
    path: MemoryPath
    created: bool
    #: Another memory says the same: nothing was written.
    deduped: bool
    existing_path: MemoryPath | None
    commit_sha: CommitSha | None
    content_hash: ContentHash
    #: Active memories whose claim has most words in common with the new one.
    similar: tuple[Similar, ...] = ()
    #: What did not follow the commit, which stands.
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NearOp:
    """A written op, and a memory whose claim is nearly the same."""

    index: int
    near: Similar


@dataclass(frozen=True, slots=True)
class BatchApplied:
    results: tuple[OpResult, ...]
    summary: Summary
    commit_sha: CommitSha | None
    #: Asked for together with conflicts.
    similar: tuple[NearOp, ...] = ()
    warnings: tuple[str, ...] = ()


def write(
    store: Store, words: Words, *, allowed: Collection[SecretCode] = (), embed: bool = True
) -> MemoryWritten:
    """Write one memory, unless an active one says the same.

    Errors: `InvalidMemory`, `SecretRefused`, `PathRefused`, `DuplicateContent`, and those of `git.commit.commit`; none
    of them changed anything.
    """
    at = store.clock()
    new = candidate(words.draft(at), workspace=words.workspace, explicit=words.path, allowed=allowed)
    # A chosen path is that one or none: there is nothing to go around.
    put = write_through if new.explicit is not None else write_around_dirt
    done = put(store, partial(plan_write, new=new), embed=embed)
    path, is_new = done.result.path, done.result.is_new
    placed = [_Placed(0, path, new)] if is_new else []
    _record_links(store, placed, at)
    return MemoryWritten(
        path=path,
        created=is_new,
        deduped=not is_new,
        existing_path=None if is_new else path,
        commit_sha=done.commit_sha,
        content_hash=done.result.content_hash,
        similar=tuple(each.near for each in _near(store, placed)),
        warnings=warnings_of(done),
    )


def apply(
    store: Store,
    ops: Sequence[OpLine],
    options: Options = _STRICT,
    *,
    provenance: Provenance = _NOBODY,
    embed: bool = True,
) -> BatchApplied:
    """Write a batch, in one commit; all of it or nothing, unless `options` say to go on.

    Shapes: results stand in the order of the ops. `provenance` counts for the ops that name none of their own.
    Errors: those of `git.commit.commit`; what is wrong with an op is in its result.
    """
    at = store.clock()
    judged = [_judged(op, provenance, at, options.allowed) for op in ops]
    done = write_around_dirt(store, partial(plan_batch, ops=judged, options=options, at=at), embed=embed)
    batch = done.result
    placed = [
        _Placed(index, path, new)
        for index, new in batch.written.items()
        if (path := batch.results[index].path) is not None
    ]
    _record_links(store, placed, at)
    near = _near(store, placed) if options.detect_conflicts else ()
    warnings = (*batch.warnings, *warnings_of(done))
    return BatchApplied(batch.results, batch.summary, done.commit_sha, near, warnings)


def _judged(
    op: OpLine, provenance: Provenance, at: Instant, allowed: Collection[SecretCode]
) -> Candidate | MemhtmlError:
    words = Words(
        title=op.title,
        memory_type=op.memory_type,
        body=() if op.body is None else (op.body,),
        article_html=op.article_html,
        path=op.path,
        workspace=op.workspace,
        tags=op.tags,
        entities=op.entities,
        importance=op.importance,
        confidence=op.confidence,
        task_status=op.status,
        due=op.due,
        provenance=Provenance(op.session_id, op.prompt_id, op.turn_uuid).or_else(provenance),
    )
    try:
        return candidate(words.draft(at), workspace=words.workspace, explicit=words.path, allowed=allowed)
    except MemhtmlError as error:
        return error


class _Placed(NamedTuple):
    """A memory that was written, and the op it comes from."""

    op: int
    path: MemoryPath
    new: Candidate


def _record_links(store: Store, written: Sequence[_Placed], at: Instant) -> None:
    """Record which session wrote what; that this fails is no reason for the commit to have failed."""
    sourced = [each for each in written if each.new.draft.session]
    if not sourced:
        return
    opened = sqlite3.connect(":memory:", isolation_level=None)
    with suppress(MemhtmlError), closing(opened) as connection:
        attach_state(connection, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=at)
        for _, path, new in sourced:
            draft = new.draft
            record_link(
                connection,
                path,
                draft.session or "",
                LinkKind.WROTE,
                at,
                prompt_id=draft.prompt,
                turn_uuid=draft.turn,
            )


def _near(store: Store, written: Sequence[_Placed]) -> tuple[NearOp, ...]:
    """Return memories that nearly say what was written; none where the index cannot be asked."""
    found: list[NearOp] = []
    if written:
        with suppress(MemhtmlError), reading(store, "looking for similar claims") as (connection, _, _):
            for index, path, new in written:
                claim = new.admitted.document.gist
                found += (NearOp(index, near) for near in similar_claims(connection, claim, without=(path,)))
    return tuple(found)
