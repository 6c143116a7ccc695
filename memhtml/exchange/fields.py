"""What the fields of a note mean: which of them name its title, dates, tags and type, and what is left for facets."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from memhtml.exchange.blocks import Block, Inlines, Paragraph, Terms
from memhtml.exchange.front_matter import Field, texts_of
from memhtml.format.instants import is_datetime, normalise_instant
from memhtml.values import Instant, MemoryType

__all__ = ["Fields", "as_type", "author_of", "instant", "unique"]

_TITLE: Final = ("title", "name")
_STATED: Final = ("claim", "description", "summary", "tldr")
_SHORTEST_SUMMARY: Final = 12
_CREATED: Final = ("created", "created_at", "createdat", "date_created", "creation_date", "date")
_UPDATED: Final = (
    "updated", "updated_at", "updatedat", "modified", "date_modified", "last_modified", "lastmod",
    "last_updated", "last_refreshed",
)  # fmt: skip
_TAGS: Final = ("category", "categories", "tags", "tag", "keywords", "labels", "topics")
_TYPE: Final = ("memory_type", "type", "kind", "problem_type")
_AUTHOR: Final = ("author", "authors", "created_by")
_SESSION: Final = ("session", "session_id", "originsessionid")
_NAMES: Final = ("permalink", "id", "uid", "slug")
_RELATED: Final = ("links",)
#: Of use to the program that wrote the note, and to nobody who reads the memory.
_INTERNAL: Final = frozenset({"layout", "cssclass", "cssclasses", "publish", "hash", "path", "node_type"})

_TYPES: Final[Mapping[str, MemoryType]] = {value.value: value for value in MemoryType}
_KINDS: Final[Mapping[str, MemoryType]] = {
    **dict.fromkeys(("feedback", "user", "preference", "user preference"), MemoryType.USER_PREFERENCE),
    **dict.fromkeys(
        ("howto", "how to", "guide", "runbook", "recipe", "convention", "best practice", "best practices",
         "design pattern", "architecture pattern", "workflow", "rule", "instruction"),
        MemoryType.PROCEDURAL,
    ),
    **dict.fromkeys(("adr", "decision", "precedent"), MemoryType.PRECEDENT),
    **dict.fromkeys(("bug", "gotcha", "pitfall", "postmortem", "incident"), MemoryType.ERROR_PATTERN),
    **dict.fromkeys(("journal", "daily", "log", "meeting", "event"), MemoryType.EPISODIC),
    **dict.fromkeys(("insight", "lesson", "learning"), MemoryType.AGENT_INSIGHT),
    **dict.fromkeys(("project", "reference", "fact", "concept", "definition", "glossary"), MemoryType.SEMANTIC),
}  # fmt: skip
_KIND_ENDINGS: Final = (
    (" decision", MemoryType.PRECEDENT),
    (" error", MemoryType.ERROR_PATTERN),
    (" issue", MemoryType.ERROR_PATTERN),
)
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_AUTHOR_KINDS: Final = ("agent:", "human:")


class Fields:
    """The fields of one note. Each is taken once; what nobody took is left for facets."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self._left: dict[str, Field] = {}
        for name, value in fields.items():
            if name == "metadata" and isinstance(value, dict):
                for inner, field in value.items():
                    self._left.setdefault(inner.lower(), field)
            else:
                self._left[name.lower().removeprefix("memhtml-").replace("-", "_")] = value
        #: Where an export of a store says that the memory stood, or nothing.
        self.place = self._first(("memory_path",))

    def _first(self, names: Iterable[str]) -> str:
        """Take every field of these names, and return the first text among them."""
        found = ""
        for name in names:
            value = self._left.get(name)
            if isinstance(value, str):
                del self._left[name]
                found = found or " ".join(value.split())
        return found

    def _all(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(text for name in names for text in texts_of(self._left.pop(name, None)))

    def title(self) -> str:
        return self._first(_TITLE[:1]) or self._first(_TITLE[1:])

    def stated(self) -> str:
        """Return the claim, or a summary that is long enough to be one."""
        claim, summary = self._first(_STATED[:1]), self._first(_STATED[1:])
        return claim or (summary if len(summary) >= _SHORTEST_SUMMARY else "")

    def created(self) -> str:
        return self._first_instant(_CREATED)

    def updated(self) -> str:
        return self._first_instant(_UPDATED)

    def _first_instant(self, names: Iterable[str]) -> str:
        found = ""
        for name in names:
            value = self._left.get(name)
            moment = instant(value) if isinstance(value, str) else ""
            if moment:
                del self._left[name]
                found = found or moment
        return found

    def tags(self) -> tuple[str, ...]:
        """Return tags and categories; of a category that is a path, its last name."""
        return tuple(tag.rstrip("/").rpartition("/")[2].lstrip("#") for tag in self._all(_TAGS))

    def memory_type(self) -> MemoryType | None:
        for name in _TYPE:
            value = self._left.get(name)
            if isinstance(value, str) and (found := as_type(value)) is not None:
                if value in _TYPES or name == "type":
                    del self._left[name]
                return found
        return None

    def author(self) -> str:
        return author_of(self._first(_AUTHOR))

    def session(self) -> str:
        return self._first(_SESSION)

    def names(self) -> tuple[str, ...]:
        return self._all(_NAMES)

    def entities(self) -> tuple[str, ...]:
        return self._all(("entities", "entity"))

    def aliases(self) -> tuple[str, ...]:
        """Take aliases. Those of other programs are left: they name a page, and ours join entities."""
        return self._all(("aliases",))

    def confidence(self) -> float | None:
        value = self._left.get("confidence")
        number = _number(value)
        if number is None or not 0 <= number <= 1:
            return None
        del self._left["confidence"]
        return number

    def importance(self) -> int | None:
        number = _number(self._left.get("importance"))
        if number is None or number != int(number) or not 1 <= number <= 10:
            return None
        del self._left["importance"]
        return int(number)

    def moment(self, name: str) -> str | None:
        """Take a field that is a day or an instant."""
        return self._first_instant((name,)) or None

    def text(self, name: str) -> str:
        """Take a text by its name."""
        return self._first((name,))

    def related(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a relation and what it leads to, as an export spells them."""
        value = self._left.get("links")
        if not isinstance(value, list):
            return ()
        pairs = [
            (rel, target)
            for each in value
            if isinstance(each, dict)
            for rel, target in each.items()
            if isinstance(target, str)
        ]
        if pairs:
            del self._left["links"]
        return tuple(pairs)

    def facets(self) -> tuple[Block, ...]:
        """Return what nobody took as one list of terms."""
        pairs: list[tuple[Inlines, tuple[tuple[Block, ...], ...]]] = []
        for name, value in self._left.items():
            said = tuple(_said(value)) if name and name not in _INTERNAL else ()
            if said:
                pairs.append(((_SEPARATORS.sub(" ", name),), tuple((Paragraph((text,)),) for text in said)))
        return (Terms(tuple(pairs)),) if pairs else ()


def as_type(value: str) -> MemoryType | None:
    """Return the memory type that a note's own word for its kind stands for, or None."""
    if value in _TYPES:
        return _TYPES[value]
    words = _SEPARATORS.sub(" ", value.strip().lower())
    found = _KINDS.get(words)
    return found or next((kind for ending, kind in _KIND_ENDINGS if words.endswith(ending)), None)


def author_of(name: str) -> str:
    """Return an author as heads name one: whoever signs a note without saying what they are is a person."""
    return name if not name or name.startswith(_AUTHOR_KINDS) else f"human:{name}"


def instant(text: str) -> str:
    """Return a day or an instant in its stored form, or nothing for any other text."""
    text = text.strip()
    return normalise_instant(text) if is_datetime(text) else ""


def beginning(text: str) -> Instant:
    """Return the first second of a day, and an instant as it is."""
    return Instant(f"{text}T00:00:00Z" if len(text) == 10 else text)


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts on one line each, without the empty ones and without those that differ in case only."""
    seen: dict[str, str] = {}
    for text in texts:
        words = " ".join(text.split())
        if words:
            seen.setdefault(words.casefold(), words)
    return tuple(seen.values())


def _number(value: Field | None) -> float | None:
    try:
        return float(value) if isinstance(value, str) and len(value) < 32 else None
    except ValueError:
        return None


def _said(value: Field) -> Iterable[str]:
    if isinstance(value, str):
        if value.strip():
            yield " ".join(value.split())
    elif isinstance(value, list):
        for each in value:
            yield from _said(each)
    else:
        for name, each in value.items():
            for text in _said(each):
                yield f"{name}: {text}" if name else text
