"""When each entity was last heard of: a report on three clocks, and never a signal.

A contract keeps ranking from importing this module: decay is wrong for identity, and wired into a ranking this number
would bring it back. It counts writing alone; who opened what stands in another database with another life.
"""

from dataclasses import dataclass
from typing import Final

from memhtml.app.reading import reading
from memhtml.app.wire import Store
from memhtml.errors import InvalidFlag

__all__ = ["MAX_LIMIT", "EntityActivity", "EntityReport", "activity"]

MAX_LIMIT: Final = 500

#: `entity_key` is `type:name` with case folded, so its head is the folded type.
_TYPED: Final = "substr(c.entity_key, 1, length(:type_prefix)) = :type_prefix"
_GROUPS: Final = (
    "SELECT c.entity_type, c.entity_name, count(*), max(coalesce(f.event_at, f.updated_at)) AS last_activity,"
    " max(f.event_at), max(f.updated_at), count(*) OVER ()"
    " FROM file_entities AS c JOIN files AS f ON f.path = c.path WHERE {where}"
    " GROUP BY c.entity_type, c.entity_name ORDER BY last_activity DESC, c.entity_type, c.entity_name LIMIT :limit"
)


@dataclass(frozen=True, slots=True)
class EntityActivity:
    entity_type: str
    entity_name: str
    file_count: int
    #: The newest of what its memories are about; for a memory that names no event, of when it was written.
    last_activity_at: str
    #: World time alone; None where no memory names an event.
    last_event_at: str | None
    #: Write time alone.
    last_written_at: str


@dataclass(frozen=True, slots=True)
class EntityReport:
    entities: tuple[EntityActivity, ...]
    #: How many entities the question covers, whatever the limit.
    entity_count: int


def activity(
    store: Store,
    type: str | None = None,
    limit: int = 50,
    include_archived: bool = False,
    *,
    workspace: str | None = None,
) -> EntityReport:
    """Return entities by their latest activity, newest first, then by type and name.

    Shapes: `type` is compared without case; rows carry type and name as authored, so spellings stay apart. Tasks count.
    `limit` is 1 to 500.
    Errors: `InvalidFlag`, and those of `reading`.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidFlag(f"--limit takes a number from 1 to {MAX_LIMIT}")
    conditions = ["1"]
    bound: dict[str, str | int] = {"limit": limit}
    if type is not None and type.strip():
        conditions.append(_TYPED)
        bound["type_prefix"] = f"{type.strip().casefold()}:"
    if not include_archived:
        conditions.append("f.archived = 0")
    if workspace is not None and workspace.strip():
        conditions.append("f.workspace = :workspace")
        bound["workspace"] = workspace
    with reading(store, "reporting on entities") as (connection, _, _):
        rows = connection.execute(_GROUPS.format(where=" AND ".join(conditions)), bound).fetchall()
    return EntityReport(tuple(EntityActivity(*row[:-1]) for row in rows), rows[0][-1] if rows else 0)
