"""What a caller says of a new memory, in plain values, and the draft that it means. Every door decodes here."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, NoReturn, TypeVar

from memhtml.errors import InvalidMemory
from memhtml.format.content_hash import collapse, trim
from memhtml.format.draft import Draft
from memhtml.format.escapes import representable
from memhtml.format.fences import split_paragraphs, split_prose
from memhtml.format.instants import is_datetime
from memhtml.format.rules import ViolationCode
from memhtml.values import Instant, MemoryType, TaskStatus

__all__ = ["WRITABLE_TYPES", "Provenance", "Words"]

#: Arcs are made by consolidation.
WRITABLE_TYPES: Final = tuple(kind for kind in MemoryType if kind is not MemoryType.ARC)

E = TypeVar("E", bound=StrEnum)


class Provenance(NamedTuple):
    """Which session, which prompt and which turn something came from; blank is absent."""

    session: str | None = None
    prompt: str | None = None
    turn: str | None = None

    def or_else(self, other: "Provenance") -> "Provenance":
        """Return this, with what is absent taken from another."""
        return Provenance(*(own if _given(own) else theirs for own, theirs in zip(self, other, strict=True)))


_NOBODY: Final = Provenance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One memory as its author puts it.

    Shapes: either `article_html`, or prose: a `claim`, or the first sentence of `body`, then the rest of `body`, each
    text of which may hold several paragraphs. Blank texts count as absent.
    """

    title: str
    memory_type: str
    claim: str | None = None
    body: tuple[str, ...] = ()
    article_html: str | None = None
    path: str | None = None
    workspace: str | None = None
    tags: tuple[str, ...] = ()
    #: `type:name`.
    entities: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float | None = None
    task_status: str | None = None
    due: str | None = None
    provenance: Provenance = _NOBODY

    def draft(self, at: Instant) -> Draft:
        """Return what is to be written. Errors: `InvalidMemory`."""
        kind = _member(MemoryType, self.memory_type, "type-unknown", WRITABLE_TYPES)
        claim, paragraphs = self._prose()
        status = _given(self.task_status)
        due = _given(self.due)
        if due is not None and not is_datetime(due):
            _refuse(ViolationCode.DUE_BAD, "a due date is an ISO date such as 2026-08-20, or an instant")
        return Draft(
            title=self.title,
            memory_type=kind,
            at=at,
            claim=claim,
            body=paragraphs,
            article_html=_given(self.article_html),
            confidence=self.confidence,
            importance=_whole(self.importance),
            session=_name(self.provenance.session),
            prompt=_name(self.provenance.prompt),
            turn=_name(self.provenance.turn),
            task_status=_member(TaskStatus, status, "task-status-unknown", tuple(TaskStatus))
            if status
            else None,
            due=due,
            entities=_labels(self.entities),
            tags=_labels(self.tags),
        )

    def _prose(self) -> tuple[str, tuple[str, ...]]:
        claim, body = _given(self.claim), tuple(text for text in self.body if _given(text))
        if _given(self.article_html):
            if claim or body:
                _refuse(ViolationCode.MARK_MULTIPLE, "a memory is either prose or article markup, not both")
            return "", ()
        if claim is not None:
            return claim, tuple(words for text in body for words in split_paragraphs(text))
        if not body:
            _refuse(ViolationCode.MARK_MISSING, "a memory needs a claim, a body or article markup")
        return split_prose("\n\n".join(body))


def _given(text: str | None) -> str | None:
    """Return a text without blanks at its ends; None where nothing is left."""
    return (trim(text) or None) if text is not None else None


def _name(text: str | None) -> str | None:
    """Return a name as every file and database can hold it, on one line; None where nothing is left."""
    return trim(collapse(representable(text))) or None if text is not None else None


def _labels(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags or entities, blank ones and repetitions left out."""
    return tuple(dict.fromkeys(filter(None, map(_name, texts))))


def _whole(number: float | None) -> int | None:
    if number is None:
        return None
    if not float(number).is_integer():
        _refuse(ViolationCode.META_MALFORMED, "an importance is a whole number from 1 to 10")
    return int(number)


def _member(kind: type[E], text: str, code: str, legal: tuple[E, ...]) -> E:
    try:
        member = kind(text)
    except ValueError:
        member = None
    if member is None or member not in legal:
        names = ", ".join(each.value for each in legal)
        _refuse(
            ViolationCode(code), f"the {code.removesuffix('-unknown').replace('-', ' ')} is one of {names}"
        )
    return member


def _refuse(code: ViolationCode, sentence: str) -> NoReturn:
    raise InvalidMemory(sentence, violations=((code.value, sentence),))
