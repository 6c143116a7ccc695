"""A memory in the place of another: one commit that writes the new one and archives the old, linked both ways.

What the correction leaves unsaid stays as it was: title, type, place, tags, entities, aliases, importance, and how a
task stands. The old memory ends where the new one begins, unless it ended before.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from memhtml.errors import SaidElsewhere
from memhtml.format.draft import Draft
from memhtml.format.instants import normalise_instant
from memhtml.format.paths import workspace_of
from memhtml.git.commit import subject_line
from memhtml.safety import SecretCode
from memhtml.store.archive import require_active
from memhtml.store.gate import admit, allowance
from memhtml.store.placing import Placing
from memhtml.store.planned import Planned, provenance
from memhtml.store.retire import retire
from memhtml.store.view import HeadFile, HeadView
from memhtml.store.words import Provenance, Words
from memhtml.values import ContentHash, EdgeRel, Instant, MemoryPath, MemoryType

__all__ = ["Corrected", "Correction", "plan_correct"]

_NOBODY = Provenance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What is said anew; None leaves it as it was."""

    title: str | None = None
    claim: str | None = None
    body: tuple[str, ...] = ()
    article_html: str | None = None
    memory_type: str | None = None
    workspace: str | None = None
    tags: tuple[str, ...] | None = None
    entities: tuple[str, ...] | None = None
    importance: int | None = None
    confidence: float | None = None
    reason: str = ""
    provenance: Provenance = _NOBODY
    #: Secrets that are none.
    allowed: Collection[SecretCode] = ()

    def draft(self, old: HeadFile, at: Instant) -> Draft:
        """Return the new memory. Errors: `InvalidMemory`."""
        document = old.document
        kind = self.memory_type or (document.memory_type or "")
        was_task = document.memory_type is MemoryType.TASK
        words = Words(
            title=self.title if self.title is not None else document.title or "",
            memory_type=kind,
            claim=self.claim,
            body=self.body,
            article_html=self.article_html,
            tags=self.tags if self.tags is not None else document.tags,
            entities=self.entities if self.entities is not None else document.entities,
            importance=self.importance if self.importance is not None else document.importance,
            confidence=self.confidence,
            task_status=document.task_status if was_task and kind == MemoryType.TASK else None,
            due=document.due if was_task and kind == MemoryType.TASK else None,
            provenance=self.provenance,
        )
        return replace(words.draft(at), aliases=document.aliases)


class Corrected(NamedTuple):
    path: MemoryPath
    #: Where the old memory stood, and where it is now.
    target_path: MemoryPath
    archived_path: MemoryPath
    content_hash: ContentHash


def plan_correct(
    view: HeadView, *, target: str, correction: Correction, at: Instant, occupied: Collection[str] = ()
) -> Planned[Corrected]:
    """Return the commit that puts a memory in the place of another.

    Errors: `PathNotFound`; `PathRefused` for an archived memory; those of `gate.admit`; `SaidElsewhere` where a third
    memory says so already.
    """
    old = view.get(target)
    require_active(old)
    draft = correction.draft(old, at)
    said = admit(draft, correction.allowed)
    if draft.memory_type is not MemoryType.TASK:
        holder = view.holder_of(said.content_hash)
        if holder is not None and holder != old.path:
            raise SaidElsewhere(holder)
    placing = Placing(view, occupied)
    path = placing.place(draft, workspace=_workspace(correction, old), folder=_folder(correction, old, draft))
    since = normalise_instant(said.document.event_at or at)
    retired = retire(placing, old, at, superseded_by=path, valid_until=since)
    links = ((EdgeRel.SUPERSEDES, f"/{retired.path}"),)
    new = admit(replace(draft, links=links, valid_from=since), correction.allowed)
    return Planned(
        Corrected(path, old.path, retired.path, new.content_hash),
        {path: new.data, old.path: None, retired.path: retired.data},
        {old.path: old.blob_sha},
        subject_line("correct", draft.title),
        (*provenance(draft.session, draft.prompt), *allowance([new])),
        correction.reason,
    )


def _workspace(correction: Correction, old: HeadFile) -> str | None:
    return correction.workspace if correction.workspace is not None else workspace_of(old.path)


def _folder(correction: Correction, old: HeadFile, draft: Draft) -> str | None:
    """Return where the old memory stands, unless the correction says that the new one is of another kind or project."""
    if correction.workspace is not None or draft.memory_type is not old.document.memory_type:
        return None
    return old.path.rpartition("/")[0]
