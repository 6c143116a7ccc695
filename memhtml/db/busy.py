"""One write transaction, begun patiently.

BEGIN IMMEDIATE takes the write lock before anything is read, so that a busy answer means that nothing has happened
yet, and the whole transaction can be tried again.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from memhtml.db.storage import is_busy, storage
from memhtml.errors import LockHeld
from memhtml.values import Plane

__all__ = ["WAIT_S", "patiently", "transaction"]

#: How long a writer goes on trying, in seconds.
WAIT_S = 20.0
_FIRST_DELAY_S = 0.015
_LONGEST_DELAY_S = 1.0
_GOLDEN = 0.6180339887498949

T = TypeVar("T")


def _delay_s(attempt: int) -> float:
    """Return a doubling delay, spread by a fifth so that two processes that met once do not meet again."""
    spread = ((os.getpid() + attempt) * _GOLDEN) % 1.0
    return min(_FIRST_DELAY_S * 2.0**attempt, _LONGEST_DELAY_S) * (0.8 + 0.4 * spread)


def patiently(action: Callable[[], T], what: str, *, wait_s: float = WAIT_S) -> T:
    """Return the action's result, trying again while SQLite says busy.

    Errors: LockHeld after `wait_s`; every other sqlite3 error as it comes.
    """
    begun = time.monotonic()
    attempt = 0
    while True:
        try:
            return action()
        except sqlite3.Error as error:
            if not is_busy(error):
                raise
            waited = time.monotonic() - begun
            delay = _delay_s(attempt)
            if waited + delay > wait_s:
                raise LockHeld(what, waited) from error
        time.sleep(delay)
        attempt += 1


@contextmanager
def transaction(
    connection: sqlite3.Connection,
    operation: str,
    plane: Plane = Plane.INDEX,
    *,
    wait_s: float = WAIT_S,
) -> Iterator[None]:
    """Run the block in one write transaction.

    Effects: commits at the end of the block; any exception rolls everything back and rises. A rollback that itself
    fails is not reported: the first error is.
    Errors: LockHeld, IndexDamaged, StorageFailed.
    """
    with storage(operation, plane):
        patiently(lambda: connection.execute("BEGIN IMMEDIATE"), f"{plane}.db", wait_s=wait_s)
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
