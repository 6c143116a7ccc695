"""What the bytes of every write must pass before a commit is thought of: size, the format's rules, no secret.

Pure: nothing here looks at a store. A new memory is held to every rule that a write is refused for. A memory that is
edited is held to what the edit made worse, or the unsafe file that a person put there could never be archived.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from memhtml.errors import InvalidMemory, SecretRefused
from memhtml.format.check import Violation, check, errors, refusals
from memhtml.format.document import Document
from memhtml.format.draft import Draft
from memhtml.format.exposed import WHOLE, exposed_texts
from memhtml.format.limits import refusal
from memhtml.format.parse import parse
from memhtml.format.render import render
from memhtml.format.rules import RULES, ViolationCode
from memhtml.format.vocabulary import MAX_WRITTEN_BYTES
from memhtml.safety import SecretCode, find_secrets
from memhtml.values import ContentHash

__all__ = ["ALLOW_SECRET_TRAILER", "Admitted", "admit", "admit_edit", "allowance"]

#: Names, in a commit's message, the kinds of secret that somebody said were none.
ALLOW_SECRET_TRAILER: Final = "Memhtml-Allow-Secret"  # noqa: S105 - a name, no password
#: Warnings about a file that somebody else wrote; nothing that we write gives cause for them.
_NEVER_WRITTEN: Final = frozenset({ViolationCode.META_MALFORMED, ViolationCode.INSTANT_BAD})


@dataclass(frozen=True, slots=True)
class Admitted:
    """Bytes that may be committed, and what they say."""

    data: bytes
    document: Document
    #: What looked like secrets and was allowed.
    allowed: tuple[SecretCode, ...] = ()

    @property
    def content_hash(self) -> ContentHash:
        return self.document.content_hash


def admit(draft: Draft, allowed: Collection[SecretCode] = ()) -> Admitted:
    """Return the file of a new memory.

    Errors: `InvalidMemory` with every violation, `SecretRefused` for what looks like a secret and is not in `allowed`.
    """
    _require_size(sum(map(len, (draft.title, draft.claim, *draft.body))))
    data = render(draft)
    document = _read(data)
    found = check(document)
    _require_none((*refusals(found), *(each for each in found if each.code in _NEVER_WRITTEN)))
    return Admitted(data, document, _judge(_secrets_in(document, data), allowed))


def admit_edit(before: bytes, after: bytes, allowed: Collection[SecretCode] = ()) -> Admitted:
    """Return an edited file, if it is a memory and nothing about it is worse than it was.

    Shapes: what stood in the file before, a secret or a violation that only keeps new files out, is no reason.
    Errors: as `admit`.
    """
    document = _read(after)
    found = check(document)
    stood = check(_read(before))
    _require_none((*errors(found), *(each for each in refusals(found) if each not in stood)))
    known = {(secret.code, secret.words) for secret in _secrets_in(parse(before), before)}
    fresh = [each for each in _secrets_in(document, after) if (each.code, each.words) not in known]
    return Admitted(after, document, _judge(fresh, allowed))


def allowance(admitted: Iterable[Admitted]) -> tuple[tuple[str, str], ...]:
    """Return the trailers that record which false alarms a commit's files were let through with."""
    codes = {code for each in admitted for code in each.allowed}
    return tuple((ALLOW_SECRET_TRAILER, code.value) for code in SecretCode if code in codes)


def _read(data: bytes) -> Document:
    too_much = refusal(data)
    if too_much is not None:
        raise InvalidMemory(too_much.reason, violations=((too_much.code.value, too_much.reason),))
    return parse(data)


def _require_size(characters: int) -> None:
    """Refuse what cannot fit before any work is done on it."""
    if characters > MAX_WRITTEN_BYTES:
        rule = RULES[ViolationCode.FILE_LARGE]
        raise InvalidMemory(rule.message, violations=((ViolationCode.FILE_LARGE.value, rule.message),))


def _require_none(violations: tuple[Violation, ...]) -> None:
    if violations:
        raise InvalidMemory(
            "; ".join(each.message for each in violations),
            violations=tuple((each.code.value, each.message) for each in violations),
        )


class _Found(NamedTuple):
    """What looks like a secret; its words never leave this module."""

    code: SecretCode
    place: str
    words: str


def _secrets_in(document: Document, data: bytes) -> list[_Found]:
    return [
        _Found(secret.code, place, text[secret.start : secret.end])
        for place, text in exposed_texts(document, data)
        for secret in find_secrets(text)
    ]


def _judge(secrets: Iterable[_Found], allowed: Collection[SecretCode]) -> tuple[SecretCode, ...]:
    """Return the kinds that are let through. Errors: `SecretRefused` for any other."""
    places: dict[SecretCode, dict[str, None]] = {}
    for secret in secrets:
        places.setdefault(secret.code, {})[secret.place] = None
    refused = {code: where for code, where in places.items() if code not in allowed}
    if refused:
        raise SecretRefused(
            tuple((code.value, place) for code, where in refused.items() for place in _narrowest(where))
        )
    return tuple(code for code in SecretCode if code in places)


def _narrowest(places: Collection[str]) -> tuple[str, ...]:
    return tuple(place for place in places if place != WHOLE) or (WHOLE,)
