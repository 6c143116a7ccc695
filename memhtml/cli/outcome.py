"""What a command is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # `help` and `manifest` need neither
    from memhtml.app.wire import Store
    from memhtml.cli.parsing import Call
    from memhtml.cli.terminal import Paint
    from memhtml.settings import RootSource, Settings

__all__ = ["Context", "Outcome"]


class Outcome(NamedTuple):
    """A result in both its forms: data for the envelope, text for a person."""

    response: str
    data: object
    text: Callable[[Paint], str]
    status: int = 0
    #: A document of a format of its own. It stands on stdout as it is, unless --json asks for the envelope.
    document: str | None = None


class Context(NamedTuple):
    """The process around a call, asked only by commands that need it."""

    settings: Callable[[], Settings]
    root: Callable[[Call], RootSource]
    #: Shows on a terminal that something takes its time.
    waiting: Callable[[str], AbstractContextManager[None]]

    def store(self, call: Call, *, embed: bool = True) -> Store:
        """Return the store the call is about; `embed=False` does without vectors."""
        from memhtml.app.wire import open_store

        return open_store(self.root(call).root, embed=embed and self.settings().embed)
