"""Opening a store's index to read from it: one snapshot, with what was used before where that is known."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import NamedTuple

from memhtml.app.wire import Store
from memhtml.db.open import attach_state, open_index
from memhtml.db.storage import storage
from memhtml.errors import IndexMissing, MemhtmlError
from memhtml.index.watermark import read_watermark
from memhtml.resources import migrations
from memhtml.values import CommitSha, Plane

__all__ = ["Reading", "reading"]


class Reading(NamedTuple):
    connection: sqlite3.Connection
    #: The state plane is attached.
    has_state: bool
    #: The commit that the index describes.
    described: CommitSha | None


@contextmanager
def reading(store: Store, operation: str, *, with_state: bool = False) -> Iterator[Reading]:
    """Open the index for one answer.

    Effects: none; every statement of the block sees the same rows, whatever a pass commits meanwhile.
    Errors: `IndexMissing`, `IndexStale` (an older schema), `IndexDamaged`, `SchemaTooNew`, `SchemaChanged`, `LockHeld`,
    `StorageFailed`.
    """
    now = store.clock()
    connection = open_index(store.index_path, mode="read", migrations=migrations(Plane.INDEX), now=now)
    with closing(connection), storage(operation):
        has_state = False
        if with_state:
            # What was used before only re-orders: a state plane that cannot be read leaves an answer without it.
            with suppress(MemhtmlError):
                has_state = attach_state(
                    connection, store.state_path, mode="read", migrations=migrations(Plane.STATE), now=now
                )
        connection.execute("BEGIN")
        mark = read_watermark(connection)
        if mark is None:
            raise IndexMissing
        yield Reading(connection, has_state, mark.head_sha)
