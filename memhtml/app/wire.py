"""The composition root: what a store is made of, bound together once per process."""

from dataclasses import dataclass
from pathlib import Path

from memhtml import clock as clocks
from memhtml.clock import Clock
from memhtml.models.ports import Embedder

__all__ = ["Store", "open_store"]


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of memories with everything an operation on it needs; holds no connection open."""

    root: Path
    clock: Clock
    embedder: Embedder | None
    #: Why there is no embedder, in the words of a report; empty when there is one.
    no_embedder_because: str = ""

    @property
    def index_path(self) -> Path:
        return self.root / ".memhtml" / "index.db"

    @property
    def state_path(self) -> Path:
        return self.root / ".memhtml" / "state.db"

    @property
    def lock_path(self) -> Path:
        return self.root / ".memhtml" / "pass.lock"


def open_store(
    root: Path, *, clock: Clock = clocks.now, embedder: Embedder | None = None, embed: bool = True
) -> Store:
    """Return the store at `root`; nothing is read or made until an operation needs it.

    `embed=False` is the person's wish to do without vectors in this process, told apart from having no embedder.
    """
    if not embed:
        return Store(root.resolve(), clock, None, "embedding is switched off")
    because = "" if embedder is not None else "no embedder is configured"
    return Store(root.resolve(), clock, embedder, because)
