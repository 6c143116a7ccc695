"""Whether columns that follow from others say what they follow from.

The digest of a memory's rows leaves them out, because they add nothing to it; statements rely on them all the same.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from memhtml.doctor.checks.several import several
from memhtml.doctor.findings import Finding, FindingCode
from memhtml.index.tables import entity_key

__all__ = ["check_derived"]

_WRONG: Final = FindingCode.INDEX_ROWS_WRONG
_ENTITIES: Final = "SELECT path, entity_type, entity_name, entity_key FROM file_entities ORDER BY path"
# A link is as old as the file that asserts it, and was read from the words that the file has now.
_EDGES: Final = (
    "SELECT DISTINCT files.path FROM edges JOIN files ON files.path = edges.src_path WHERE edges.derived = 0 AND ("
    "edges.src_hash IS NOT files.content_hash OR edges.created_at IS NOT files.updated_at"
    " OR edges.strength IS NOT 1.0 OR edges.provenance IS NOT 'authored'"
    " OR edges.sleep_run IS NOT NULL OR edges.dst_hash IS NOT NULL) ORDER BY files.path"
)


def check_derived(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Yield every memory with such a column that says something else."""
    yield from several(
        _WRONG, _wrong_keys(connection), "the key of an entity is not that of its type and name"
    )
    wrong_edges = (path for (path,) in connection.execute(_EDGES))
    yield from several(_WRONG, wrong_edges, "a link of the head is not stored as the head's own")


def _wrong_keys(connection: sqlite3.Connection) -> Iterable[str]:
    rows = connection.execute(_ENTITIES)
    return dict.fromkeys(path for path, kind, name, key in rows if key != entity_key(kind, name))
