"""A write that has been worked out and not been done: what one commit is to change, and what to tell of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from memhtml.git.request import CommitRequest
from memhtml.values import BlobSha

__all__ = ["Planned", "provenance"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Planned(Generic[T]):
    """The outcome of planning against one HEAD; without changes there is nothing to commit."""

    #: What the caller is told; it must hold on any HEAD that the plan was made from.
    result: T
    changes: Mapping[str, bytes | None] = field(default_factory=dict)
    #: What HEAD held where the plan looked (see `CommitRequest.expects`).
    expects: Mapping[str, BlobSha | None] = field(default_factory=dict)
    subject: str = ""
    trailers: tuple[tuple[str, str], ...] = ()
    body: str = ""

    def request(self) -> CommitRequest | None:
        """Return the commit to make, or None."""
        if not self.changes:
            return None
        return CommitRequest(self.changes, self.subject, self.trailers, self.body, self.expects)


def provenance(session: str | None, prompt: str | None) -> tuple[tuple[str, str], ...]:
    """Return the trailers that name the session and prompt a write came from; empty ones are left out."""
    pairs = (("Memhtml-Session", session), ("Memhtml-Prompt", prompt))
    return tuple((key, value) for key, value in pairs if value)
