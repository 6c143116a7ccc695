"""What a writer asks for, what it gets, and the values that the steps of a commit hand to each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from memhtml.values import BlobSha, CommitSha

__all__ = ["Change", "CommitRequest", "Committed", "Holding"]


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """A commit that was worked out from one HEAD. Paths are relative to the store's root, as git spells them."""

    #: The bytes of each file as git is to store them; None removes it.
    changes: Mapping[str, bytes | None]
    #: The first line, as `message.subject_line` makes it.
    subject: str
    trailers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    #: What HEAD held where the request looked; None: nothing. A changed path that is not named must not exist, so
    #: that leaving one out can never overwrite anything. Paths that were only read may be named too.
    expects: Mapping[str, BlobSha | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Committed:
    sha: CommitSha
    #: None: the first commit of the repository.
    parent: CommitSha | None
    #: The files of the store that the commit changed, what its hooks added included, in byte order.
    paths: tuple[str, ...]
    #: Files of the commit that the work tree does not show, because somebody changed them there meanwhile.
    left: tuple[str, ...] = ()


class Holding(NamedTuple):
    """What a tree or an index holds at a path."""

    #: Octal, as trees spell it: `100644`.
    mode: bytes
    sha: str


class Change(NamedTuple):
    """One path of a commit, relative to the top of the repository. `old` and `new` differ; None is nothing."""

    path: str
    old: Holding | None
    new: Holding | None
