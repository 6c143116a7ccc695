"""What the index asks of an embedder, and nothing about any provider."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Embedder", "Space", "is_unit_length"]


@dataclass(frozen=True, slots=True)
class Space:
    """What makes two vectors comparable; any difference is another space."""

    provider: str
    model: str
    dimension: int
    revision: str = ""
    pooling: str = ""
    prefix: str = ""
    normalisation: str = "l2"
    windowing: str = ""

    @property
    def identity(self) -> str:
        """One string that is equal exactly when every part is; `<model>@<dimension>` leads it."""
        parts = (self.provider, self.revision, self.pooling, self.prefix, self.normalisation, self.windowing)
        return f"{self.model}@{self.dimension};" + ";".join(parts)


def is_unit_length(identity: str) -> bool:
    """Tell whether the vectors of the space with this identity have length one."""
    parts = identity.split(";")
    return len(parts) > 5 and parts[5] == "l2"


class Embedder(Protocol):
    """Makes vectors of one space.

    Vectors travel as little-endian float32 bytes, `4 * space.dimension` long, so that neither side needs numpy.
    """

    @property
    def space(self) -> Space: ...

    @property
    def batch_size(self) -> int:
        """How many texts one request may hold."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector a text, in order. Errors: `ModelUnavailable`."""
        ...

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query. Errors: `ModelUnavailable`."""
        ...
