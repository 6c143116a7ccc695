"""From notes to files: where each memory stands, what its links lead to, what is a duplicate and what is refused.

Deterministic: equal notes over an equal store make equal files. An import of what was imported before plans no file:
its words are there already, wherever its memory was moved to, archived or not.
"""

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from memhtml.errors import InvalidMemory
from memhtml.exchange.blocks import inlines_below, link_targets, markup, paragraph_markup
from memhtml.exchange.facts import Defaults, Fact, facts_of
from memhtml.exchange.fields import unique
from memhtml.exchange.markdown import WIKI
from memhtml.exchange.note import Copy, Note
from memhtml.exchange.report import Deduplicated, Imported, ImportPlan, RefusalCode, Refused
from memhtml.format import content_hash
from memhtml.format.check import check, refusals
from memhtml.format.document import Document
from memhtml.format.draft import Draft
from memhtml.format.edit import read_meta, set_meta
from memhtml.format.limits import refusal
from memhtml.format.parse import parse
from memhtml.format.paths import (
    filename,
    is_archive_path,
    is_valid_memory_path,
    normalize_path,
    placement,
    slugify,
    with_ordinal,
)
from memhtml.format.render import render
from memhtml.format.vocabulary import MAX_WRITTEN_LINKS
from memhtml.safety import SecretCode, find_secrets
from memhtml.values import ContentHash, EdgeRel, MemoryPath, MemoryType

__all__ = ["ExistingCorpus", "Origin", "plan_import"]

_KEY: Final = "x-memhtml-key"
_MAX_ORDINAL: Final = 1_000
_TAG_LIMIT: Final = 50
_NO_MEMORY: Final[Callable[[str], str | None]] = lambda _: None  # noqa: E731 - typed by its name


@dataclass(slots=True)
class ExistingCorpus:
    """What a store holds, as far as an import asks: its paths, its words, and what was imported from where."""

    paths: set[str] = field(default_factory=set)
    hashes: dict[tuple[bool, ContentHash], MemoryPath] = field(default_factory=dict)
    keys: dict[str, MemoryPath] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Iterable[tuple[str, bytes]]) -> "ExistingCorpus":
        """Return what an import needs to know of these files; total over any bytes."""
        found = cls()
        for path, data in files:
            found.add(MemoryPath(path), data)
        return found

    def add(self, path: MemoryPath, data: bytes) -> None:
        """Take one more file into account."""
        self.paths.add(_folded(path))
        if refusal(data) is not None:
            return
        is_task = b'content="task"' in data and parse(data).memory_type is MemoryType.TASK
        words = (is_task, content_hash.of_file(data))
        present = self.hashes.get(words)
        if present is None or (is_archive_path(present) and not is_archive_path(path)):
            self.hashes[words] = path
        if _KEY.encode() in data and (key := read_meta(data, _KEY)):
            self.keys.setdefault(key, path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the notes come from, and what holds for all of them."""

    #: Names the source in the memories' keys, so that two sources may each have a `README.md`.
    name: str
    defaults: Defaults
    #: Codes of secrets that are false alarms in this source.
    allowed_secrets: frozenset[SecretCode] = frozenset()


@dataclass(slots=True)
class _Placed:
    """A fact that becomes a memory, unless its final form breaks a rule."""

    fact: Fact
    path: MemoryPath
    #: Its file without links to other notes.
    data: bytes


def plan_import(
    notes: Iterable[Note | Copy | Refused], existing: ExistingCorpus, origin: Origin, *, ignored: int = 0
) -> ImportPlan:
    """Return what importing these notes over a store would write, and what becomes of each.

    Order: by source; `existing` is left as it was.
    Errors: none; whatever is wrong with a note is its refusal.
    """
    planner = _Planner(existing, origin)
    for note in notes:
        planner.take(note)
    return planner.plan(ignored)


class _Planner:
    def __init__(self, existing: ExistingCorpus, origin: Origin) -> None:
        self._existing = existing
        self._origin = origin
        self._paths = set(existing.paths)
        self._hashes = dict(existing.hashes)
        self._placed: list[_Placed] = []
        self._files: dict[MemoryPath, bytes] = {}
        self._outcomes: list[Imported | Deduplicated | Refused] = []
        self._names = _Names()

    def take(self, note: Note | Copy | Refused) -> None:
        if isinstance(note, Refused):
            self._outcomes.append(note)
        elif isinstance(note, Copy):
            self._outcomes.append(self._copied(note))
        else:
            for fact in facts_of(note, self._origin.defaults):
                if isinstance(fact, Refused):
                    self._outcomes.append(fact)
                else:
                    self._take_fact(fact)

    def _take_fact(self, fact: Fact) -> None:
        try:
            data = self._render(fact, _NO_MEMORY)
        except InvalidMemory as error:
            self._outcomes.append(_invalid(fact.source, error.violations))
            return
        document = parse(data)
        is_task = fact.memory_type is MemoryType.TASK
        if (present := self._hashes.get((is_task, document.content_hash))) is not None:
            self._names.add(fact, present)
            self._outcomes.append(Deduplicated(fact.source, present))
            return
        if (refused := self._judged(fact, data, document)) is not None:
            self._outcomes.append(refused)
            return
        path = self._place(fact)
        if path is None:
            reason = "other memories stand where it belongs"
            self._outcomes.append(Refused(fact.source, RefusalCode.PATH_TAKEN, reason))
            return
        self._paths.add(_folded(path))
        self._hashes[is_task, document.content_hash] = path
        self._names.add(fact, path)
        self._placed.append(_Placed(fact, path, data))
        self._outcomes.append(Imported(fact.source, path, fact.losses))

    def _judged(self, fact: Fact, data: bytes, document: Document) -> Refused | None:
        """Return why a fact is refused that is no duplicate, or None."""
        key = self._key(fact)
        known = self._existing.keys.get(key) if key else None
        if known is not None:
            reason = f"it was imported before as {known}, and says something else now"
            return Refused(fact.source, RefusalCode.CHANGED, reason)
        if (refused := self._secret(fact.source, data)) is not None:
            return refused
        if wrong := refusals(check(document)):
            return _invalid(fact.source, tuple((each.code, each.message) for each in wrong))
        return None

    def _secret(self, source: str, data: bytes) -> Refused | None:
        # The stamp of the content hash is random by nature.
        words = re.sub(rb'<meta name="memhtml-content-hash"[^>]*>', b"", data).decode("utf-8", "replace")
        codes = {each.code for each in find_secrets(words)} - self._origin.allowed_secrets
        if not codes:
            return None
        named = ", ".join(sorted(codes))
        return Refused(source, RefusalCode.SECRET, f"it seems to hold a secret ({named})")

    def _place(self, fact: Fact) -> MemoryPath | None:
        if fact.place is not None and is_valid_memory_path(fact.place) and not is_archive_path(fact.place):
            path = normalize_path(fact.place)
            return path if _folded(path) not in self._paths else None
        folder = placement(fact.memory_type, workspace=fact.workspace, tags=fact.tags, entities=fact.entities)
        slug = slugify(fact.title)
        if slug == "untitled" and fact.path:  # a title in another script: the file's name may say more
            slug = slugify(posixpath.splitext(posixpath.basename(fact.path))[0])
        for ordinal in range(1, _MAX_ORDINAL + 1):
            name = filename(with_ordinal(slug, ordinal), fact.memory_type, fact.created)
            path = MemoryPath(f"{folder}/{name}")
            if _folded(path) not in self._paths:
                return path
        return None

    def _key(self, fact: Fact) -> str | None:
        name = self._origin.name
        if fact.key is None or fact.key.startswith(f"{name}#"):  # a record of a file that is the whole source
            return fact.key
        return f"{name}:{fact.key}"

    def _render(self, fact: Fact, resolve: Callable[[str], str | None]) -> bytes:
        opening = fact.opening
        article = fact.article
        if article is None:
            parts = [paragraph_markup(opening.marked, opening.rest, resolve), markup(opening.blocks, resolve)]
            article = "\n".join(filter(None, parts))
        key = self._key(fact)
        data = render(
            Draft(
                title=fact.title,
                memory_type=fact.memory_type,
                at=fact.created,
                article_html=article,
                confidence=fact.confidence,
                importance=fact.importance,
                author=fact.author,
                session=fact.session,
                prompt=fact.prompt,
                turn=fact.turn,
                aliases=fact.aliases,
                valid_from=fact.valid_from,
                valid_until=fact.valid_until,
                task_status=fact.task_status,
                due=fact.due,
                entities=fact.entities[:_TAG_LIMIT],
                tags=fact.tags[:_TAG_LIMIT],
                links=self._links(fact, resolve),
                extensions=(("key", key),) if key else (),
            )
        )
        return data if fact.updated == fact.created else set_meta(data, "updated", fact.updated)

    def _links(self, fact: Fact, resolve: Callable[[str], str | None]) -> tuple[tuple[EdgeRel, str], ...]:
        links: dict[tuple[EdgeRel, str], None] = {}
        stated: set[str] = set()
        for rel, target in _targets(fact):
            address = resolve(target)
            if address is None or (rel is EdgeRel.RELATES_TO and address in stated):
                continue
            stated.add(address)
            links[rel, address] = None
        return tuple(links)[:MAX_WRITTEN_LINKS]

    def plan(self, ignored: int) -> ImportPlan:
        for placed in self._placed:
            self._files[placed.path] = self._linked(placed)
        kinds = self._outcomes
        return ImportPlan(
            files=tuple(
                sorted(self._files.items(), key=lambda item: item[0].encode("utf-8", "surrogateescape"))
            ),
            imported=tuple(each for each in kinds if isinstance(each, Imported)),
            deduplicated=tuple(each for each in kinds if isinstance(each, Deduplicated)),
            refused=tuple(each for each in kinds if isinstance(each, Refused)),
            ignored=ignored,
        )

    def _linked(self, placed: _Placed) -> bytes:
        """Return a memory with its links, or without them where they would break a rule (its size, say)."""
        fact = placed.fact
        if not any(True for _ in _targets(fact)):
            return placed.data

        def resolve(target: str) -> str | None:
            found = self._names.find(target, fact.path)
            return f"/{found}" if found is not None and found != placed.path else None

        try:
            data = self._render(fact, resolve)
        except InvalidMemory:
            return placed.data
        return placed.data if data == placed.data or refusals(check(parse(data))) else data

    def _copied(self, copy: Copy) -> Imported | Deduplicated | Refused:
        path = MemoryPath(copy.path)
        if not is_valid_memory_path(path):
            return Refused(copy.source, RefusalCode.BAD_NAME, "no memory can have this path")
        if (too_much := refusal(copy.data)) is not None:
            return Refused(copy.source, RefusalCode.TOO_LARGE, too_much.reason)
        document = parse(copy.data)
        if wrong := refusals(check(document)):
            return _invalid(copy.source, tuple((each.code, each.message) for each in wrong))
        words = (document.memory_type is MemoryType.TASK, document.content_hash)
        if (present := self._hashes.get(words)) is not None:
            return Deduplicated(copy.source, present)
        if _folded(path) in self._paths:
            return Refused(copy.source, RefusalCode.PATH_TAKEN, "another memory stands at its path")
        if (refused := self._secret(copy.source, copy.data)) is not None:
            return refused
        self._paths.add(_folded(path))
        self._hashes[words] = path
        self._files[path] = copy.data
        return Imported(copy.source, path)


def _targets(fact: Fact) -> Iterator[tuple[EdgeRel, str]]:
    """Yield what a fact says it relates to, and then what its words link to."""
    yield from fact.relations
    opening = fact.opening
    for run in (opening.marked, opening.rest, *inlines_below(opening.blocks)):
        for target in link_targets(run):
            yield EdgeRel.RELATES_TO, target


class _Names:
    """How notes call each other: by path, by title, by file name, by the id of a record."""

    def __init__(self) -> None:
        self._paths: dict[str, MemoryPath] = {}
        #: None: two notes are called so, and nobody can say which one is meant.
        self._called: dict[str, MemoryPath | None] = {}

    def add(self, fact: Fact, path: MemoryPath) -> None:
        for known in (fact.path if fact.key is not None else "", fact.place):
            if known:
                self._paths.setdefault(_bare(known), path)
        for name in unique((*fact.names, *((fact.path,) if fact.path else ()))):
            name = _bare(name)
            present = self._called.setdefault(name, path)
            if present != path:
                self._called[name] = None

    def find(self, target: str, source: str) -> MemoryPath | None:
        """Return the memory of the note that a link in the note at `source` leads to."""
        if target.startswith(WIKI):
            name = _bare(target.removeprefix(WIKI))
            return self._called.get(name) or self._called.get(posixpath.basename(name))
        if target.startswith("/"):
            return self._paths.get(_bare(target[1:]))
        folder = posixpath.dirname(source)
        for base in (folder, ""):
            found = self._paths.get(_bare(posixpath.normpath(posixpath.join(base, target))))
            if found is not None:
                return found
        return None


def _bare(name: str) -> str:
    """Return a name without fragment, query and extension, in one case."""
    name = name.partition("#")[0].partition("?")[0].strip()
    name = re.sub(r"\.(?:md|markdown|html?)$", "", name, flags=re.IGNORECASE)
    return unicodedata.normalize("NFC", name).casefold().strip("/")


def _folded(path: str) -> str:
    """Return the form in which file systems that fold case or compose accents see a path."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _invalid(source: str, violations: Iterable[tuple[str, str]]) -> Refused:
    reasons = list(dict.fromkeys(message for _, message in violations))
    more = f", and {len(reasons) - 3} more" if len(reasons) > 3 else ""
    return Refused(source, RefusalCode.INVALID, "; ".join(reasons[:3]) + more)
