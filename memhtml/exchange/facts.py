"""What a note says as a memory: title, claim, type, tags, dates. Or why it cannot be one fact."""

import html
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from memhtml.exchange.blocks import Block, Code, Paragraph, words_of
from memhtml.exchange.claims import Opening, opening_of, shortened
from memhtml.exchange.fields import Fields, beginning, unique
from memhtml.exchange.front_matter import BadFrontMatter, Field, split_front_matter
from memhtml.exchange.html_blocks import Reading, TooComplex, read_html
from memhtml.exchange.lists import Piece, pieces_of
from memhtml.exchange.markdown import read_markdown
from memhtml.exchange.names import Called
from memhtml.exchange.note import Note, NoteKind
from memhtml.exchange.prose import has_prose, is_index, prose_words
from memhtml.exchange.report import RefusalCode, Refused
from memhtml.format.content_hash import trim
from memhtml.format.vocabulary import MAX_WRITTEN_BYTES
from memhtml.values import EdgeRel, Instant, MemoryStatus, MemoryType, TaskStatus

__all__ = ["MAX_WORDS", "Defaults", "Fact", "facts_of"]

#: Four pages: whatever has more words holds more than one fact.
MAX_WORDS: Final = 2_000
#: Folders that say where notes are kept, and not what they are about.
_PLACES: Final = frozenset(
    {"notes", "note", "memory", "memories", "docs", "doc", "content", "vault", "pages", "src", "inbox", "areas",
     "projects", "resources", "archive"}
)  # fmt: skip
_DAY_NAME: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})")
_FOLDER_TAG: Final = re.compile(r"(?=.*[^\W\d_])[^.].+")
_RELS: Final[Mapping[str, EdgeRel]] = {rel.value: rel for rel in EdgeRel}


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What a caller says of all notes: for what a note does not say itself, and tags in front of its own."""

    at: Instant
    memory_type: MemoryType | None = None
    workspace: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A note, or a piece of one, with everything decided but where it stands and where its links lead."""

    source: str
    #: How it is found again at the next import; None for a piece that has no place of its own.
    key: str | None
    path: str
    #: Where an export says that it stood.
    place: str | None
    called: Called
    title: str
    memory_type: MemoryType
    created: Instant
    updated: Instant
    opening: Opening
    #: The inside of an article that is taken as it is, instead of the opening.
    article: str | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    author: str | None = None
    session: str | None = None
    prompt: str | None = None
    turn: str | None = None
    aliases: tuple[str, ...] = ()
    confidence: float | None = None
    importance: int | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    task_status: TaskStatus | None = None
    due: str | None = None
    workspace: str | None = None
    relations: tuple[tuple[EdgeRel, str], ...] = ()
    losses: tuple[str, ...] = ()


def facts_of(note: Note, defaults: Defaults) -> list[Fact | Refused]:
    """Return the facts of a note, in its order, and a refusal for whatever of it is none.

    Errors: none; total over any note.
    """
    try:
        return list(_facts(note, defaults))
    except BadFrontMatter as error:
        return [Refused(note.source, RefusalCode.BAD_FRONT_MATTER, str(error))]
    except TooComplex:
        return [Refused(note.source, RefusalCode.TOO_COMPLEX, "its markup nests too deep or too often")]


def _facts(note: Note, defaults: Defaults) -> Iterator[Fact | Refused]:
    if len(note.text.encode("utf-8", "replace")) > MAX_WRITTEN_BYTES:
        yield Refused(note.source, RefusalCode.TOO_LARGE, f"it is larger than {MAX_WRITTEN_BYTES} bytes")
        return
    text = note.text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    own: Mapping[str, Field] = {}
    if note.kind is NoteKind.MARKDOWN:
        own, text = split_front_matter(text)
    if not trim(text) and not own and not note.title:
        yield Refused(note.source, RefusalCode.EMPTY, "there is nothing in it")
        return
    fields = Fields({**note.fields, **own})
    if fields.text("memory_status") == MemoryStatus.ARCHIVED:
        yield Refused(note.source, RefusalCode.RETIRED, "it is archived where it comes from")
        return
    shared = _Shared(note, fields, defaults)
    if note.kind is NoteKind.ARTICLE:
        yield shared.verbatim(text)
        return
    reading = _read(note, text)
    pieces = pieces_of(note.path, reading.blocks) if note.kind is NoteKind.MARKDOWN else None
    if pieces is None or is_index(reading.blocks):
        yield shared.whole(reading)
        return
    for number, piece in enumerate(pieces, 1):
        yield shared.piece(piece, number, reading)


def _read(note: Note, text: str) -> Reading:
    if note.kind is NoteKind.HTML:
        return read_html(text, is_page=True)
    if note.kind is NoteKind.FACT:
        return Reading("", (Paragraph((" ".join(text.split()),)),), Counter())
    return read_markdown(text)


class _Shared:
    """What the pieces of one note have in common."""

    def __init__(self, note: Note, fields: Fields, defaults: Defaults) -> None:
        self._note = note
        self._defaults = defaults
        self._field_title = fields.title()
        self._stated = fields.stated()
        created = note.created or fields.created()
        updated = note.updated or fields.updated()
        fields.created(), fields.updated()
        stem = posixpath.splitext(posixpath.basename(note.path))[0]
        self._stem = stem
        day = _DAY_NAME.fullmatch(stem)
        self._is_day = day is not None
        self._created = beginning(created or (f"{day[1]}T00:00:00Z" if day else "") or updated or defaults.at)
        self._updated = max(self._created, beginning(updated or self._created))
        self._type = note.memory_type or fields.memory_type() or defaults.memory_type
        self._tags = unique(
            (*defaults.tags, *note.tags, *(() if fields.place else _folder_tags(note.path)), *fields.tags())
        )
        self._author = note.author or fields.author() or defaults.author or None
        self._session = fields.session() or None
        self._names = (*note.names, *fields.names(), stem)
        self._entities = unique((*note.entities, *fields.entities()))
        self._confidence = fields.confidence()
        self._importance = fields.importance()
        self._valid_from = fields.moment("valid_from")
        self._valid_until = fields.moment("valid_until")
        self._due = fields.moment("due")
        status = note.task_status
        if status is None and self._type is MemoryType.TASK:
            said = fields.text("task_status")
            status = TaskStatus(said) if said in set(TaskStatus) else None
        self._task_status = status
        self._workspace = note.workspace or fields.text("workspace") or defaults.workspace or None
        self._relations = (
            *note.relations,
            *((_RELS[rel], target) for rel, target in fields.related() if rel in _RELS),
        )
        self._prompt = fields.text("prompt") or None
        self._turn = fields.text("turn") or None
        self._aliases = unique(fields.aliases()) if fields.place else ()
        self._place = fields.place or None
        self._facets = fields.facets()

    def _fact(
        self,
        opening: Opening,
        title: str,
        *,
        guess: MemoryType,
        losses: tuple[str, ...] = (),
        article: str | None = None,
        piece: Piece | None = None,
        number: int = 0,
    ) -> Fact:
        note = self._note
        tags, relations, memory_type = self._tags, self._relations, self._type or guess
        if piece is not None:
            tags = unique((*tags, *piece.tags))
            relations = (*relations, *piece.relations)
            memory_type = piece.memory_type or memory_type
        is_own = piece is None or piece.is_note
        return Fact(
            source=note.source if is_own else f"{note.source}#{number}",
            key=note.source if is_own and note.has_key else None,
            path=note.path,
            called=self._called(title) if is_own else Called((), (title,)),
            title=title,
            memory_type=memory_type,
            created=self._created,
            updated=self._updated,
            opening=opening,
            article=article,
            tags=tags,
            entities=self._entities,
            author=self._author,
            session=self._session,
            prompt=self._prompt,
            turn=self._turn,
            aliases=self._aliases,
            place=self._place if is_own else None,
            confidence=self._confidence,
            importance=self._importance,
            valid_from=self._valid_from,
            valid_until=self._valid_until,
            task_status=self._task_status,
            due=self._due,
            workspace=self._workspace,
            relations=relations,
            losses=losses,
        )

    def _called(self, title: str) -> Called:
        places = (self._note.path, self._place or "")
        return Called(tuple(filter(None, places)), (*self._names, title))

    def verbatim(self, article: str) -> Fact:
        title = self._note.title or self._field_title or self._named()
        return self._fact(Opening((), (), ()), title, guess=MemoryType.SEMANTIC, article=article)

    def whole(self, reading: Reading) -> Fact | Refused:
        """Return a note as one fact."""
        heading = _heading(reading.blocks)
        title = self._title(heading, reading)
        blocks = reading.blocks
        if heading and _is_same(heading, title):
            blocks = blocks[1:]
        guess = MemoryType.SEMANTIC
        if self._is_day:
            guess = MemoryType.EPISODIC
        elif self._note.kind is NoteKind.MARKDOWN and any(isinstance(block, Code) for block in blocks):
            guess = MemoryType.PROCEDURAL
        is_task = (self._type or guess) is MemoryType.TASK
        if not is_task and (refused := self._refusal(blocks)):
            return refused
        words = prose_words(blocks)
        if words > MAX_WORDS and self._place is None:  # an export was one fact before
            reason = f"its {words} words are more than one fact takes ({MAX_WORDS} at most)"
            return Refused(self._note.source, RefusalCode.TOO_LONG, reason)
        stated = title if is_task else self._stated
        if self._stated and not is_task and not title:
            title = shortened(self._stated)
        opening = opening_of(blocks, title, stated)
        title = title or shortened(opening.claim)
        opening = opening._replace(blocks=(*opening.blocks, *self._facets))
        return self._fact(opening, title, guess=guess, losses=_losses(reading))

    def _refusal(self, blocks: tuple[Block, ...]) -> Refused | None:
        source = self._note.source
        if not blocks and not self._stated:
            return Refused(source, RefusalCode.EMPTY, "there is nothing in it but a title")
        if is_index(blocks):
            return Refused(source, RefusalCode.LINKS_ONLY, "it only lists links to other notes")
        if not self._stated and not has_prose(blocks):
            return Refused(source, RefusalCode.NO_PROSE, "it holds no sentence that could be the claim")
        return None

    def piece(self, piece: Piece, number: int, reading: Reading) -> Fact | Refused:
        """Return a piece of a note: a fact of its list, or what is left of the note."""
        source = self._note.source if piece.is_note else f"{self._note.source}#{number}"
        if is_index(piece.blocks):
            return Refused(source, RefusalCode.LINKS_ONLY, "it is a link to another note")
        if not piece.relations and not has_prose(piece.blocks):
            return Refused(source, RefusalCode.NO_PROSE, "it holds no sentence that could be the claim")
        if (words := prose_words(piece.blocks)) > MAX_WORDS:
            return Refused(source, RefusalCode.TOO_LONG, f"its {words} words are more than one fact takes")
        title = piece.title or ("" if not piece.is_note else self._title("", reading))
        opening = opening_of(piece.blocks, title, self._stated if piece.is_note else "")
        if piece.is_note:
            opening = opening._replace(blocks=(*opening.blocks, *self._facets))
        return self._fact(
            opening,
            title or shortened(opening.claim),
            guess=MemoryType.SEMANTIC,
            losses=_losses(reading) if piece.is_note else (),
            piece=piece,
            number=number,
        )

    def _title(self, heading: str, reading: Reading) -> str:
        if self._note.kind is NoteKind.FACT:
            return ""
        given = self._field_title or self._note.title
        if given and given == self._stem:  # a file name that was written into a field
            given = heading or self._named()
        if (
            reading.title and html.unescape(given) == reading.title
        ):  # taken from a page's source as it stood there
            given = reading.title
        return " ".join((given or heading or reading.title or self._named()).split())

    def _named(self) -> str:
        """Return the file name as words."""
        stem = self._stem
        if " " in stem or self._is_day:
            return stem
        return re.sub(r"[_-]+", " ", stem).strip() or stem


def _folder_tags(path: str) -> tuple[str, ...]:
    folder = posixpath.basename(posixpath.dirname(path))
    is_subject = folder.lower() not in _PLACES and _FOLDER_TAG.fullmatch(folder)
    return (folder,) if is_subject else ()


def _heading(blocks: tuple[Block, ...]) -> str:
    first = blocks[0] if blocks else None
    return (
        " ".join(words_of(first.content).split()) if isinstance(first, Paragraph) and first.level == 1 else ""
    )


def _is_same(heading: str, title: str) -> bool:
    """Tell whether a heading repeats the title, signs and case apart."""
    one, other = (re.sub(r"[\W_]+", " ", text.casefold()).strip() for text in (heading, title))
    return one == other or heading == title


def _losses(reading: Reading) -> tuple[str, ...]:
    return tuple(f"{count} × {name}" for name, count in sorted(reading.dropped.items()))
