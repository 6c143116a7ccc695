"""Which memories a question is about: one predicate that every arm, the listing and the counts share.

Every axis is a condition on the alias `f` of `files`; children are asked by EXISTS, because a join would give a memory
with two matching tags two votes. Values are always bound.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from memhtml.errors import InvalidFlag
from memhtml.format.instants import is_datetime, normalise_instant
from memhtml.values import Bucket, Instant, MemoryType

__all__ = ["ALIVE", "EVERYTHING", "Condition", "Filter", "Scope", "filter_of", "instant_sql", "scope_of"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What narrows a search or a listing; all axes together, blank ones ignored."""

    #: Empty means every type but tasks; a task is found only by asking for tasks.
    types: tuple[MemoryType, ...] = ()
    workspace: str | None = None
    #: Any of them.
    tags: tuple[str, ...] = ()
    #: `type:name`, compared without case.
    entity: str | None = None
    #: (name, value): values of one name are alternatives, names add up; exact case.
    facets: tuple[tuple[str, str], ...] = ()
    para: Bucket | None = None
    include_archived: bool = False
    #: Ask what was held true then, archived or not.
    as_of: Instant | None = None

    @property
    def narrows(self) -> bool:
        """Whether an axis that can come out empty is set; archived and as-of never count."""
        return bool(
            self.types or self.workspace or self.tags or self.entity or self.facets or self.para is not None
        )


#: Every active memory but tasks.
EVERYTHING = Scope()


class Condition(NamedTuple):
    """One axis of a scope as SQL on `f`; `axis` is its name for people."""

    axis: str
    sql: str


class Filter(NamedTuple):
    """A scope as SQL: the conditions, and every value they bind."""

    conditions: tuple[Condition, ...]
    values: Mapping[str, str]

    @property
    def sql(self) -> str:
        return " AND ".join(condition.sql for condition in self.conditions)

    def without(self, axis: str) -> str:
        """Return the SQL of every other axis."""
        return " AND ".join(c.sql for c in self.conditions if c.axis != axis) or "1"


E = TypeVar("E", bound=StrEnum)

#: The axis that hides archived memories.
ALIVE = "archived"


def instant_sql(column: str) -> str:
    """Return SQL that reads a stored day as its first second, so that no comparison mixes days and instants."""
    return f"CASE length({column}) WHEN 10 THEN {column} || 'T00:00:00Z' ELSE {column} END"


def scope_of(
    *,
    types: Iterable[str] = (),
    workspace: str | None = None,
    tags: Iterable[str] = (),
    entity: str | None = None,
    facets: Iterable[str] = (),
    para: str | None = None,
    include_archived: bool = False,
    as_of: str | None = None,
) -> Scope:
    """Return the scope that a caller's words mean.

    Shapes: `facets` are `name=value`; `as_of` is a day, meaning its last second, or an instant of any zone.
    Errors: `InvalidFlag` for an unknown type or bucket, a facet without `=` or a malformed instant: none is ignored,
    because a scope that silently widens answers another question.
    """
    return Scope(
        types=tuple(dict.fromkeys(_member(MemoryType, "type", name) for name in types)),
        workspace=workspace if workspace and workspace.strip() else None,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag.strip())),
        entity=entity.strip() if entity and entity.strip() else None,
        facets=tuple(dict.fromkeys(map(_facet, facets))),
        para=_member(Bucket, "para", para) if para else None,
        include_archived=include_archived,
        as_of=_as_of(as_of.strip()) if as_of and as_of.strip() else None,
    )


def filter_of(scope: Scope) -> Filter:
    """Return a scope as conditions on `f`."""
    values: dict[str, str] = {}

    def bind(name: str, items: Iterable[str]) -> str:
        names = []
        for item in items:
            values[key := f"scope_{name}_{len(values)}"] = item
            names.append(f":{key}")
        return ", ".join(names)

    conditions: list[Condition] = []
    if scope.as_of is not None:
        at = bind("as_of", [scope.as_of])
        begun = instant_sql("coalesce(f.valid_from, f.event_at, f.created_at)")
        ended = instant_sql("f.valid_until")
        conditions.append(
            Condition("as-of", f"({begun}) <= {at} AND (f.valid_until IS NULL OR ({ended}) > {at})")
        )
    elif not scope.include_archived:
        conditions.append(Condition(ALIVE, "f.archived = 0"))
    if scope.types:
        conditions.append(Condition("type", f"f.memory_type IN ({bind('type', scope.types)})"))
    else:
        conditions.append(Condition("type", "f.memory_type <> 'task'"))
    if scope.workspace:
        conditions.append(Condition("workspace", f"f.workspace = {bind('workspace', [scope.workspace])}"))
    if scope.para is not None:
        conditions.append(Condition("para", f"f.para = {bind('para', [scope.para])}"))
    if scope.tags:
        conditions.append(Condition("tag", _child("file_tags", f"c.tag IN ({bind('tag', scope.tags)})")))
    if scope.entity:
        key = bind("entity", [scope.entity.casefold()])
        conditions.append(Condition("entity", _child("file_entities", f"c.entity_key = {key}")))
    by_name: dict[str, list[str]] = {}
    for name, value in scope.facets:
        by_name.setdefault(name, []).append(value)
    for name, alternatives in by_name.items():
        named = f"c.name = {bind('facet', [name])} AND c.value IN ({bind('facet', alternatives)})"
        conditions.append(Condition("facet", _child("file_facets", named)))
    return Filter(tuple(conditions), values)


def _child(table: str, condition: str) -> str:
    return f"EXISTS (SELECT 1 FROM {table} AS c WHERE c.path = f.path AND {condition})"


def _member(kind: type[E], flag: str, name: str) -> E:
    try:
        return kind(name.strip())
    except ValueError:
        legal = tuple(member.value for member in kind)
        raise InvalidFlag(f"--{flag} is none of its values", hints=legal) from None


def _facet(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InvalidFlag("a facet is given as name=value")
    return name.strip(), value.strip()


def _as_of(text: str) -> Instant:
    if not is_datetime(text):
        raise InvalidFlag("as-of takes a day (2026-08-20) or an instant (2026-08-20T10:00:00Z)")
    normal = normalise_instant(text)
    return Instant(f"{normal}T23:59:59Z" if len(normal) == 10 else normal)
