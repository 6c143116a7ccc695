"""A deterministic embedder for tests: real arithmetic, no model, and every call on record."""

import hashlib
import math
import re
from array import array
from collections.abc import Callable, Sequence

from memhtml.errors import ModelUnavailable
from memhtml.models.ports import Space

_WORD = re.compile(r"[a-z0-9]+")


class HashingEmbedder:
    """Hashes words into a unit vector; equal texts give equal vectors, shared words give similar ones."""

    def __init__(
        self,
        model: str = "hashing-test",
        dimension: int = 32,
        batch_size: int = 8,
        fails_from: int | None = None,
    ) -> None:
        self.space = Space("test", model, dimension)
        self.batch_size = batch_size
        #: The texts of every request so far.
        self.requests: list[list[str]] = []
        #: Requests from this number on (0-based) fail.
        self.fails_from = fails_from
        #: Changes an answer on its way out.
        self.distort: Callable[[list[bytes]], list[bytes]] = lambda vectors: vectors

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request]

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        if self.fails_from is not None and len(self.requests) >= self.fails_from:
            raise ModelUnavailable(self.space.model, "refused by the test")
        self.requests.append(list(texts))
        return self.distort([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> bytes:
        return self._vector(text)

    def _vector(self, text: str) -> bytes:
        values = [0.0] * self.space.dimension
        for word in _WORD.findall(text.lower()) or [text]:
            digest = hashlib.sha256(f"{self.space.model}:{word}".encode()).digest()
            values[int.from_bytes(digest[:4], "big") % len(values)] += 1.0
            values[int.from_bytes(digest[4:8], "big") % len(values)] += 0.5
        norm = math.sqrt(sum(value * value for value in values)) or 1.0
        return array("f", (value / norm for value in values)).tobytes()
