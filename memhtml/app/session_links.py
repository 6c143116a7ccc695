"""Recording which session did what with a memory: after the fact, and never a reason for the fact to fail."""

import sqlite3
from contextlib import closing, suppress

from memhtml.app.clone import clone_of
from memhtml.app.wire import Store
from memhtml.db.open import attach_state
from memhtml.errors import MemhtmlError
from memhtml.index.access import LinkKind, record_link
from memhtml.resources import migrations
from memhtml.store.words import Provenance
from memhtml.values import Instant, MemoryPath, Plane

__all__ = ["remember"]


def remember(store: Store, path: MemoryPath, kind: LinkKind, source: Provenance, at: Instant) -> None:
    """Record what a session did with a memory; without a session, or where it cannot be recorded, nothing happens."""
    if not source.session:
        return
    opened = sqlite3.connect(":memory:", isolation_level=None)
    with suppress(MemhtmlError), closing(opened) as connection:
        attach_state(connection, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=at)
        clone_of(store, connection)
        record_link(
            connection, path, source.session, kind, at, prompt_id=source.prompt, turn_uuid=source.turn
        )
