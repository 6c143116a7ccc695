"""Projected rows waiting to be written: in memory while few, in a temporary file when many."""

import pickle
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO

from memhtml.format.rows import MemoryRows

__all__ = ["ROWS_IN_MEMORY", "Spool"]

#: Some 8 KB each.
ROWS_IN_MEMORY = 2000


class Spool:
    """An ordered heap of rows that can be read several times; use it as a context manager."""

    def __init__(self, rows_in_memory: int = ROWS_IN_MEMORY) -> None:
        self._limit = rows_in_memory
        self._held: list[MemoryRows] = []
        self._file: IO[bytes] | None = None

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, rows: MemoryRows) -> None:
        """Append rows; beyond the limit those held so far go to disk together."""
        self._held.append(rows)
        if len(self._held) > self._limit:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
            pickle.dump(self._held, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._held = []

    def batches(self) -> Iterator[list[MemoryRows]]:
        """Yield the rows in the order of `add`, in batches of at most the limit and one."""
        if self._file is not None:
            self._file.seek(0)
            while True:
                try:
                    yield pickle.load(self._file)  # noqa: S301 - written by this object alone, in an unnamed file
                except EOFError:
                    break
        if self._held:
            yield self._held
