"""From notes to files: where each memory stands, what its links lead to, what is a duplicate and what is refused.

Deterministic: equal notes over an equal store make equal files. An import of what was imported before plans no file:
its words are there already, wherever its memory was moved to, archived or not.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from memhtml.errors import DuplicateContent, InvalidMemory, PathRefused, SecretRefused
from memhtml.exchange.blocks import inlines_below, link_targets, markup, paragraph_markup
from memhtml.exchange.facts import Defaults, Fact, facts_of
from memhtml.exchange.names import Names
from memhtml.exchange.note import Copy, Note
from memhtml.exchange.report import Deduplicated, Imported, ImportPlan, RefusalCode, Refused
from memhtml.format import content_hash
from memhtml.format.document import Document
from memhtml.format.draft import Draft
from memhtml.format.edit import read_meta, set_meta
from memhtml.format.limits import refusal
from memhtml.format.parse import parse
from memhtml.format.paths import (
    archive_year,
    is_archive_path,
    is_valid_memory_path,
    normalize_path,
    original_path,
    slugify,
)
from memhtml.format.render import render
from memhtml.format.vocabulary import MAX_WRITTEN_LINKS
from memhtml.safety import SecretCode
from memhtml.store.gate import Admitted, admit, admit_edit, allowance
from memhtml.store.placing import Placing
from memhtml.store.write import require_same_values
from memhtml.values import ContentHash, EdgeRel, Instant, MemoryPath, MemoryType

__all__ = ["ExistingCorpus", "Origin", "plan_import", "prepare"]

_KEY: Final = "x-memhtml-key"
_TAG_LIMIT: Final = 50
#: Where a path is chosen, nothing else about the memory matters.
_ANY: Final = Draft(title="", memory_type=MemoryType.SEMANTIC, at=Instant(""))
_NO_MEMORY: Final[Callable[[str], str | None]] = lambda _: None  # noqa: E731 - typed by its name


@dataclass(slots=True)
class ExistingCorpus:
    """What a store holds, as far as an import asks: its words, and what was imported from where."""

    #: By whether it is a task, and by its words; archived memories count.
    hashes: dict[tuple[bool, ContentHash], MemoryPath] = field(default_factory=dict)
    keys: dict[str, MemoryPath] = field(default_factory=dict)
    #: Reads a memory of the store again.
    document_at: Callable[[MemoryPath], Document | None] = lambda _: None

    def add(self, path: MemoryPath, data: bytes) -> None:
        """Take one more file into account."""
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
    #: Codes of secrets that are false alarms in this source.
    allowed_secrets: frozenset[SecretCode] = frozenset()


@dataclass(frozen=True, slots=True)
class _Placed:
    """A fact that becomes a memory, and its file without links to other notes."""

    fact: Fact
    path: MemoryPath
    admitted: Admitted


def prepare(notes: Iterable[Note | Copy | Refused], defaults: Defaults) -> list[Fact | Copy | Refused]:
    """Return what the notes say, which no store has a say in: the long part of an import.

    Errors: none of a note; those of reading the source.
    """
    prepared: list[Fact | Copy | Refused] = []
    for note in notes:
        prepared.extend(facts_of(note, defaults) if isinstance(note, Note) else [note])
    return prepared


def plan_import(
    prepared: Iterable[Fact | Copy | Refused],
    existing: ExistingCorpus,
    placing: Placing,
    origin: Origin,
) -> ImportPlan:
    """Return what importing these notes into a store would write, and what becomes of each.

    Shapes: `existing` is all that the store holds, and is left as it was; `placing` gives out the new paths.
    Order: by source.
    Errors: none of a note, whose refusal they are; those of reading the store.
    """
    planner = _Planner(existing, placing, origin)
    for each in prepared:
        planner.take(each)
    return planner.plan()


class _Planner:
    def __init__(self, existing: ExistingCorpus, placing: Placing, origin: Origin) -> None:
        self._existing = existing
        self._placing = placing
        self._origin = origin
        self._hashes = dict(existing.hashes)
        self._documents: dict[MemoryPath, Document] = {}
        self._placed: list[_Placed] = []
        self._copies: dict[MemoryPath, Admitted] = {}
        self._outcomes: list[Imported | Deduplicated | Refused] = []
        self._names = Names()

    def take(self, each: Fact | Copy | Refused) -> None:
        if isinstance(each, Refused):
            self._outcomes.append(each)
        else:
            self._outcomes.append(self._copied(each) if isinstance(each, Copy) else self._taken(each))

    def _taken(self, fact: Fact) -> Imported | Deduplicated | Refused:
        is_task = fact.memory_type is MemoryType.TASK
        try:
            draft = self._draft(fact, _NO_MEMORY)
            try:
                admitted = admit(draft, self._origin.allowed_secrets)
            except SecretRefused as error:
                words = (is_task, content_hash.of_file(render(draft)))
                if (present := self._hashes.get(words)) is None:
                    return _secret(fact.source, error)
                return self._known(fact, present, None)  # somebody allowed it before
            words = (is_task, admitted.content_hash)
            if (present := self._hashes.get(words)) is not None:
                return self._known(fact, present, admitted.document)
            key = self._key(fact)
            if key is not None and (before := self._existing.keys.get(key)) is not None:
                reason = f"it was imported before as {before}, and says something else now"
                return Refused(fact.source, RefusalCode.CHANGED, reason)
            path = self._place(fact, draft)
        except InvalidMemory as error:
            return _invalid(fact.source, error)
        except PathRefused as error:
            return Refused(fact.source, RefusalCode.PATH_TAKEN, error.reason)
        self._hashes[words] = path
        self._names.add(fact.called, path)
        self._placed.append(_Placed(fact, path, admitted))
        self._documents[path] = admitted.document
        return Imported(fact.source, path, fact.losses)

    def _known(self, fact: Fact, present: MemoryPath, document: Document | None) -> Deduplicated | Refused:
        self._names.add(fact.called, present)
        return self._duplicate(fact.source, present, document)

    def _duplicate(
        self, source: str, present: MemoryPath, document: Document | None
    ) -> Deduplicated | Refused:
        """Return a note as the duplicate of a memory, unless its markup says another date, number or source."""
        own = self._documents.get(present)
        held = own if own is not None else self._existing.document_at(present)
        if document is not None and held is not None:
            try:
                require_same_values(document, held, present)
            except DuplicateContent as error:
                return Refused(source, RefusalCode.OTHER_VALUE, error.message)
        return Deduplicated(source, present)

    def _place(self, fact: Fact, draft: Draft) -> MemoryPath:
        """Return where a memory goes. Errors: `PathRefused`."""
        place = fact.place
        if place is not None and is_valid_memory_path(place) and not is_archive_path(place):
            return self._placing.place(draft, explicit=normalize_path(place))
        if fact.path and slugify(fact.title) == "untitled":  # in another script; the file's name may say more
            draft = replace(draft, title=posixpath.splitext(posixpath.basename(fact.path))[0])
        return self._placing.place(draft, workspace=fact.workspace)

    def _key(self, fact: Fact) -> str | None:
        name = self._origin.name
        if fact.key is None or fact.key.startswith(f"{name}#"):  # a record of a file that is the whole source
            return fact.key
        return f"{name}:{fact.key}"

    def _draft(self, fact: Fact, resolve: Callable[[str], str | None]) -> Draft:
        opening = fact.opening
        article = fact.article
        if article is None:
            parts = [
                paragraph_markup(opening.marked, opening.rest, resolve),
                markup(opening.blocks, resolve),
            ]
            article = "\n".join(filter(None, parts))
        key = self._key(fact)
        return Draft(
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
            valid_from=fact.valid_from,
            valid_until=fact.valid_until,
            task_status=fact.task_status,
            due=fact.due,
            entities=fact.entities[:_TAG_LIMIT],
            tags=fact.tags[:_TAG_LIMIT],
            aliases=fact.aliases[:_TAG_LIMIT],
            links=self._links(fact, resolve),
            extensions=(("key", key),) if key else (),
        )

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

    def plan(self) -> ImportPlan:
        files = {path: copy.data for path, copy in self._copies.items()}
        admitted = list(self._copies.values())
        for placed in self._placed:
            linked = self._linked(placed)
            admitted.append(linked)
            updated, created = placed.fact.updated, placed.fact.created
            is_same = updated == created
            files[placed.path] = linked.data if is_same else set_meta(linked.data, "updated", updated)
        outcomes = self._outcomes
        return ImportPlan(
            files=tuple(sorted(files.items(), key=lambda item: item[0].encode("utf-8", "replace"))),
            imported=tuple(each for each in outcomes if isinstance(each, Imported)),
            deduplicated=tuple(each for each in outcomes if isinstance(each, Deduplicated)),
            refused=tuple(each for each in outcomes if isinstance(each, Refused)),
            allowances=allowance(admitted),
        )

    def _linked(self, placed: _Placed) -> Admitted:
        """Return a memory with its links, or without them where they would break a rule (its size, say)."""
        fact = placed.fact
        if not any(True for _ in _targets(fact)):
            return placed.admitted

        def resolve(target: str) -> str | None:
            found = self._names.find(target, fact.path)
            return f"/{found}" if found is not None and found != placed.path else None

        try:
            return admit(self._draft(fact, resolve), self._origin.allowed_secrets)
        except (InvalidMemory, SecretRefused):
            return placed.admitted

    def _copied(self, copy: Copy) -> Imported | Deduplicated | Refused:
        path = MemoryPath(copy.path)
        if not is_valid_memory_path(path):
            return Refused(copy.source, RefusalCode.BAD_NAME, "no memory can have this path")
        try:
            # As an edit of nothing: the rules for what is written, and the bytes as they are.
            admitted = admit_edit(b"", copy.data, self._origin.allowed_secrets)
            document = admitted.document
            words = (document.memory_type is MemoryType.TASK, document.content_hash)
            if (present := self._hashes.get(words)) is not None:
                return self._duplicate(copy.source, present, document)
            taken = self._place_copy(path)
        except InvalidMemory as error:
            return _invalid(copy.source, error)
        except SecretRefused as error:
            return _secret(copy.source, error)
        except PathRefused as error:
            return Refused(copy.source, RefusalCode.PATH_TAKEN, error.reason)
        if taken != path:
            return Refused(copy.source, RefusalCode.PATH_TAKEN, "a file stands at its path")
        self._hashes[words] = path
        self._copies[path] = admitted
        self._documents[path] = document
        return Imported(copy.source, path)

    def _place_copy(self, path: MemoryPath) -> MemoryPath:
        """Return the nearest path to one's own that is free. Errors: `PathRefused`."""
        original, year = original_path(path), archive_year(path)
        if original is not None and year is not None:
            return self._placing.archive(original, year)
        return self._placing.place(_ANY, explicit=path)


def _targets(fact: Fact) -> Iterator[tuple[EdgeRel, str]]:
    """Yield what a fact says it relates to, and then what its words link to."""
    yield from fact.relations
    opening = fact.opening
    for run in (opening.marked, opening.rest, *inlines_below(opening.blocks)):
        for target in link_targets(run):
            yield EdgeRel.RELATES_TO, target


def _invalid(source: str, error: InvalidMemory) -> Refused:
    reasons = list(dict.fromkeys(message for _, message in error.violations)) or [error.message]
    more = f", and {len(reasons) - 3} more" if len(reasons) > 3 else ""
    return Refused(source, RefusalCode.INVALID, "; ".join(reasons[:3]) + more)


def _secret(source: str, error: SecretRefused) -> Refused:
    named = ", ".join(dict.fromkeys(code for code, _ in error.found))
    return Refused(source, RefusalCode.SECRET, f"it seems to hold a secret ({named})")
