"""One new memory: where it goes, or which one says the same already. What both doors of writing share.

Tasks stand outside of the question who says the same, in both directions: two tasks may repeat each other's words and
those of any memory. The content hash covers words alone, so a memory with equal words may still say something else in
its markup: another date of the event, another number, another source. Such a write is refused: as a duplicate it would
be lost, and as a second file it would have no row.
"""

import shlex
from collections.abc import Collection
from dataclasses import dataclass

from memhtml.errors import DuplicateContent
from memhtml.format.document import Document
from memhtml.format.draft import Draft
from memhtml.git.message import subject_line
from memhtml.safety import SecretCode
from memhtml.store.gate import Admitted, admit, allowance
from memhtml.store.placing import Placing, chosen_path
from memhtml.store.planned import Planned, provenance
from memhtml.store.view import HeadView
from memhtml.values import ContentHash, MemoryPath, MemoryType

__all__ = ["Candidate", "Written", "candidate", "competes", "plan_write", "require_same_values", "twin_in"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A new memory that passed the gate and waits for its place."""

    draft: Draft
    admitted: Admitted
    workspace: str | None = None
    #: The path that the caller chose.
    explicit: MemoryPath | None = None

    @property
    def content_hash(self) -> ContentHash:
        return self.admitted.content_hash


@dataclass(frozen=True, slots=True)
class Written:
    #: The new memory, or the one that says the same already.
    path: MemoryPath
    content_hash: ContentHash
    is_new: bool


def candidate(
    draft: Draft,
    *,
    workspace: str | None = None,
    explicit: str | None = None,
    allowed: Collection[SecretCode] = (),
) -> Candidate:
    """Return a draft with the bytes it becomes.

    Errors: those of `gate.admit`; `PathRefused` for a path that no memory can have.
    """
    path = None if explicit is None else chosen_path(explicit)
    return Candidate(draft, admit(draft, allowed), workspace, path)


def plan_write(view: HeadView, *, new: Candidate, occupied: Collection[str] = ()) -> Planned[Written]:
    """Return the commit of one new memory; without changes where another says the same.

    Errors: `DuplicateContent`, `PathRefused`.
    """
    twin = twin_in(view, new)
    if twin is not None:
        return Planned(Written(twin, new.content_hash, is_new=False))
    path = Placing(view, occupied).place(new.draft, workspace=new.workspace, explicit=new.explicit)
    return Planned(
        Written(path, new.content_hash, is_new=True),
        {path: new.admitted.data},
        subject=subject_line("write", new.draft.title),
        trailers=(*provenance(new.draft.session, new.draft.prompt), *allowance([new.admitted])),
    )


def competes(new: Candidate) -> bool:
    """Tell whether a memory must be the only one with its words."""
    return new.draft.memory_type is not MemoryType.TASK


def twin_in(view: HeadView, new: Candidate) -> MemoryPath | None:
    """Return the memory of the commit that says what `new` says, or None. Errors: `DuplicateContent`."""
    holder = view.holder_of(new.content_hash) if competes(new) else None
    if holder is None:
        return None
    file = view.find(holder)
    if file is None or file.document.content_hash != new.content_hash:
        return None
    require_same_values(new.admitted.document, file.document, holder)
    return holder


def require_same_values(new: Document, held: Document, path: MemoryPath) -> None:
    """Refuse a memory that says the words of the one at `path` with another value. Errors: `DuplicateContent`."""
    what = _other_value(new, held)
    if what is not None:
        raise DuplicateContent(path, what, hints=(f"memhtml read {shlex.quote(path)}",))


def _other_value(new: Document, held: Document) -> str | None:
    """Return what the markup of `new` says that `held`, of equal words, does not say; None where that is nothing."""
    if new.event_at is not None and new.event_at != held.event_at:
        return "date of the event"
    if any(facet.numeric_value is not None and facet not in held.facets for facet in new.facets):
        return "number"
    if any(source.href is not None and source not in held.citations for source in new.citations):
        return "source"
    return None
