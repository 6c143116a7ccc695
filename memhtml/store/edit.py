"""What is said about a memory changes, line by line of its head; what it says does not."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from memhtml.errors import InvalidMemory
from memhtml.format.check import check
from memhtml.format.content_hash import collapse, trim
from memhtml.format.document import Document
from memhtml.format.edit import add_meta, remove_meta, set_meta
from memhtml.format.escapes import representable
from memhtml.format.instants import is_datetime, normalise_instant
from memhtml.format.parse import parse
from memhtml.format.render import confidence_text
from memhtml.format.rules import ViolationCode
from memhtml.format.vocabulary import META_PREFIX
from memhtml.git.commit import subject_line
from memhtml.safety import SecretCode
from memhtml.store.gate import admit_edit, allowance
from memhtml.store.planned import Planned
from memhtml.store.view import HeadView
from memhtml.values import Instant, MemoryPath, MemoryType

__all__ = ["Changes", "Edited", "plan_edit"]

#: Warnings about a file that somebody else wrote; nothing that we set gives cause for them.
_NEVER_SET: Final = frozenset({ViolationCode.META_MALFORMED, ViolationCode.INSTANT_BAD})


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What becomes of a head. A name that is set and cleared is set."""

    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    add_entities: tuple[str, ...] = ()
    remove_entities: tuple[str, ...] = ()
    add_aliases: tuple[str, ...] = ()
    remove_aliases: tuple[str, ...] = ()
    importance: int | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    due: str | None = None
    #: Of importance, confidence, valid-from, valid-until and due.
    clear: tuple[str, ...] = ()
    reason: str = ""
    #: Secrets that are none.
    allowed: Collection[SecretCode] = ()

    def applied(self, data: bytes) -> bytes:
        """Return a file with the changes made. Errors: `InvalidMemory` for a value that no head can have."""
        set_now = dict(self._set())
        for entity in _labels(self.add_entities):
            kind, _, name = entity.partition(":")
            if not kind.strip() or not name.strip():
                raise _refusal(ViolationCode.META_MALFORMED, "an entity is type:name, such as person:ada")
        for name in self.clear:
            data = remove_meta(data, name) if name not in set_now else data
        for name, gone, come in (
            ("tag", self.remove_tags, self.add_tags),
            ("entity", self.remove_entities, self.add_entities),
            ("alias", self.remove_aliases, self.add_aliases),
        ):
            for value in _labels(gone):
                data = _without(data, name, value)
            for value in _labels(come):
                data = add_meta(data, name, value)
        for name, value in set_now.items():
            data = set_meta(data, name, value)
        return data

    def _set(self) -> Iterator[tuple[str, str]]:
        if self.importance is not None:
            if not 1 <= self.importance <= 10:
                raise _refusal(ViolationCode.META_MALFORMED, "an importance is a whole number from 1 to 10")
            yield "importance", str(self.importance)
        if self.confidence is not None:
            yield "confidence", confidence_text(self.confidence)
        for name, text in (
            ("valid-from", self.valid_from),
            ("valid-until", self.valid_until),
            ("due", self.due),
        ):
            if text is not None:
                if not is_datetime(text):
                    raise _refusal(
                        ViolationCode.INSTANT_BAD,
                        f"{name} is an ISO date such as 2026-08-20, or an instant",
                    )
                yield name, normalise_instant(text)


class Edited(NamedTuple):
    path: MemoryPath
    #: Names whose values are others now.
    changed: tuple[str, ...]


def plan_edit(view: HeadView, *, path: str, changes: Changes, at: Instant) -> Planned[Edited]:
    """Return the commit that changes a head; without changes where it says all that already.

    Errors: `PathNotFound`, `PathRefused`, `InvalidMemory`, `SecretRefused`.
    """
    file = view.get(path)
    if changes.due is not None and file.document.memory_type is not MemoryType.TASK:
        raise InvalidMemory(f"{file.path} is no task, so it is not due", hints=("memhtml help edit",))
    data = changes.applied(file.data)
    if data == file.data:
        return Planned(Edited(file.path, ()))
    data = set_meta(data, "updated", at)
    admitted = admit_edit(file.data, data, changes.allowed)
    _require_sense(file.document, admitted.document)
    return Planned(
        Edited(file.path, _changed(file.document, admitted.document)),
        {file.path: data},
        {file.path: file.blob_sha},
        subject_line("edit", file.path),
        allowance([admitted]),
        changes.reason,
    )


def _require_sense(before: Document, after: Document) -> None:
    """Refuse values that would read as nothing, and a validity that ends before it begins."""
    stood = check(before)
    for each in check(after):
        if each.code in _NEVER_SET and each not in stood:
            raise _refusal(each.code, each.message)
    begins, ends = (normalise_instant(text or "") for text in (after.valid_from, after.valid_until))
    moved = (before.valid_from, before.valid_until) != (after.valid_from, after.valid_until)
    # Two days, or two instants: across the forms the first ten characters decide.
    if moved and begins and ends and (ends < begins if len(begins) == len(ends) else ends[:10] < begins[:10]):
        raise _refusal(ViolationCode.INSTANT_BAD, "it would hold until a time before the one it holds from")


def _changed(before: Document, after: Document) -> tuple[str, ...]:
    names = dict.fromkeys((*after.head, *before.head))
    return tuple(
        name.removeprefix(META_PREFIX)
        for name in names
        if name != f"{META_PREFIX}updated"
        and list(before.head.get(name, ())) != list(after.head.get(name, ()))
    )


def _without(data: bytes, name: str, value: str) -> bytes:
    """Return a file without a label, however its blanks are written."""
    for content in parse(data).head.get(META_PREFIX + name, ()):
        if _labels((content,)) == (value,):
            data = remove_meta(data, name, content)
    return data


def _labels(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return labels on one line each; blank ones are none."""
    return tuple(filter(None, (trim(collapse(representable(text))) for text in texts)))


def _refusal(code: ViolationCode, sentence: str) -> InvalidMemory:
    return InvalidMemory(sentence, violations=((code.value, sentence),))
