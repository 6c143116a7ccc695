"""Use case: memories are told to have helped, or not."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from memhtml.app.clone import clone_of
from memhtml.app.neighbors import memory_path
from memhtml.app.reading import reading
from memhtml.app.wire import Store
from memhtml.db.open import attach_state
from memhtml.errors import PathNotFound
from memhtml.index.access import LinkKind, record_link
from memhtml.index.access import reinforce as count
from memhtml.ranking.decay import Signal
from memhtml.resources import migrations
from memhtml.store.words import Provenance
from memhtml.values import MemoryPath, Plane

__all__ = ["MemoryReinforced", "Signal", "reinforce"]

_HASHES = "SELECT path, content_hash FROM files WHERE path IN (SELECT value FROM json_each(?))"
_NOBODY = Provenance()


class MemoryReinforced(NamedTuple):
    bumped: tuple[MemoryPath, ...]
    #: Used less than a quarter of an hour before, so that this is the same use.
    cooled_down: tuple[MemoryPath, ...]
    signal: str


def reinforce(
    store: Store, paths: Sequence[str], signal: Signal = Signal.NEUTRAL, *, source: Provenance = _NOBODY
) -> MemoryReinforced:
    """Count one use of each memory and how it turned out; a path given twice counts once.

    Effects: one transaction in the state plane; with a session, which one it was.
    Errors: `PathRefused` and `PathNotFound` for the first path that is none, with nothing counted; those of `reading`;
    `LockHeld`, `StorageFailed`.
    """
    asked = tuple(dict.fromkeys(memory_path(path) for path in paths))
    with reading(store, "looking up memories") as (connection, _, _):
        hashes = {
            MemoryPath(path): found for path, found in connection.execute(_HASHES, (json.dumps(asked),))
        }
    for path in asked:
        if path not in hashes:
            raise PathNotFound(path)
    at = store.clock()
    opened = sqlite3.connect(":memory:", isolation_level=None)
    with closing(opened) as state:
        attach_state(state, store.state_path, mode="write", migrations=migrations(Plane.STATE), now=at)
        clone_of(store, state)
        counted = count(state, asked, signal, at, content_hashes=hashes)
        if source.session:
            for path in counted.bumped:
                record_link(
                    state,
                    path,
                    source.session,
                    LinkKind.REINFORCED,
                    at,
                    prompt_id=source.prompt,
                    turn_uuid=source.turn,
                )
    return MemoryReinforced(counted.bumped, counted.cooled_down, signal.name.lower())
