"""Notes that come as JSON: one object a line, or an export that is one value.

Known shapes: notes with a path and a text or HTML; work items of an issue tracker; memories of assistants (an object
with the words of one fact); entities with observations; this program's own export. Conversations are refused.
"""

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from memhtml.clock import instant_of
from memhtml.exchange.fields import author_of, instant
from memhtml.exchange.front_matter import Field
from memhtml.exchange.markdown import WIKI
from memhtml.exchange.note import Note, NoteKind
from memhtml.exchange.report import RefusalCode, Refused
from memhtml.values import EdgeRel, MemoryType, TaskStatus

__all__ = ["MAX_LINE", "limited", "notes_of_json", "notes_of_lines"]

#: One record, with everything around its text.
MAX_LINE: Final = 1024 * 1024
_MAX_FIELD: Final = 2_000
#: Names under which an export keeps its list.
_LISTS: Final = ("memories", "results", "facts", "notes", "items", "data", "entities")
_TEXTS: Final = ("text", "markdown", "content", "memory", "fact", "body", "note", "observation")
_FACTS: Final = frozenset({"memory", "fact", "observation"})
_CREATED: Final = ("created", "created_at", "createdAt", "create_time")
_UPDATED: Final = ("updated", "updated_at", "updatedAt", "update_time")
_CONVERSATION: Final = ("mapping", "messages", "chat_messages", "turns")
_STATUSES: Final[Mapping[str, TaskStatus]] = {
    "open": TaskStatus.TODO,
    "todo": TaskStatus.TODO,
    "in_progress": TaskStatus.DOING,
    "doing": TaskStatus.DOING,
    "blocked": TaskStatus.BLOCKED,
    "closed": TaskStatus.DONE,
    "done": TaskStatus.DONE,
}
_RETIRED: Final = frozenset({"tombstone", "deleted"})
#: Parts of a work item behind its description, and what they are headed by.
_SECTIONS: Final = (
    ("design", "Design"),
    ("acceptance_criteria", "Acceptance criteria"),
    ("notes", "Notes"),
    ("close_reason", "Outcome"),
)
_NO_OUTCOME: Final = frozenset({"", "closed", "done"})
#: The year 9999.
_LAST_SECOND: Final = 253_370_764_800

_Record = Mapping[str, object]


def notes_of_lines(name: str, lines: Iterable[bytes | None]) -> Iterator[Note | Refused]:
    """Yield a note for each line; None is a line that was too long.

    Work items are read to the last one first, since what blocks what is said by the item that waits.
    """
    items: list[tuple[str, _Record]] = []
    for number, line in enumerate(lines, 1):
        source = f"{name}:{number}"
        if line is None:
            yield Refused(source, RefusalCode.TOO_LARGE, f"the line is longer than {MAX_LINE} bytes")
            continue
        if not line.strip():
            continue
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            yield Refused(source, RefusalCode.NOT_UTF8, "the line is not UTF-8")
            continue
        value = _parsed(text)
        if isinstance(value, dict) and _is_work_item(value):
            items.append((source, value))
        else:
            yield from _notes(value, name, source)
    yield from _work_items(name, items)


def limited(read_line: Callable[[int], bytes]) -> Iterator[bytes | None]:
    """Yield lines of at most `MAX_LINE` bytes, and None for each longer one, which is read in pieces."""
    while line := read_line(MAX_LINE + 1):
        if len(line) <= MAX_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (more := read_line(MAX_LINE)) and not more.endswith(b"\n"):
            pass
        yield None


def notes_of_json(name: str, text: str) -> Iterator[Note | Refused]:
    """Yield the notes of an export."""
    value = _parsed(text)
    if isinstance(value, dict):
        found = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
        if found is not None and not any(isinstance(value.get(key), str) for key in _TEXTS):
            value = found
    if not isinstance(value, list):
        yield from _notes(value, name, name)
        return
    items: list[tuple[str, _Record]] = []
    for number, each in enumerate(value, 1):
        source = f"{name}:{number}"
        if isinstance(each, dict) and _is_work_item(each):
            items.append((source, each))
        else:
            yield from _notes(each, name, source)
    yield from _work_items(name, items)


def _parsed(text: str) -> object:
    """Return a JSON value; NotImplemented, which no JSON is, for a text that is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # too many digits or brackets are no JSON that anybody wrote
        return NotImplemented


def _notes(value: object, name: str, source: str) -> Iterator[Note | Refused]:
    if value is NotImplemented:
        yield Refused(source, RefusalCode.BAD_JSON, "it is no JSON")
    elif isinstance(value, str):
        yield Note(source=source, text=value, kind=NoteKind.FACT, has_key=False)
    elif not isinstance(value, dict):
        yield Refused(source, RefusalCode.NOT_A_NOTE, "it holds no text")
    elif any(isinstance(value.get(key), list | dict) for key in _CONVERSATION):
        yield Refused(source, RefusalCode.TRANSCRIPT, "it is a conversation, and transcripts enter no store")
    elif isinstance(value.get("observations"), list):
        yield from _observations(value, source)
    elif value.get("type") == "relation" and "from" in value:
        yield Refused(source, RefusalCode.NOT_A_NOTE, "it relates two entities, and states no fact")
    else:
        yield _note(value, name, source)


def _note(record: _Record, name: str, source: str) -> Note | Refused:
    path = (_text(record, "path") or _text(record, "memory_path")).lstrip("/")
    identity = _text(record, "id")
    article, html = record.get("article_html"), record.get("html")
    key = next((key for key in _TEXTS if isinstance(record.get(key), str)), None)
    if isinstance(article, str):
        text, kind = article, NoteKind.ARTICLE
    elif isinstance(html, str):
        text, kind = html, NoteKind.HTML
    elif key is not None:
        text = str(record[key])
        is_fact = key in _FACTS or not (path or _text(record, "title") or "\n" in text.strip())
        kind = NoteKind.FACT if is_fact and "\n" not in text.strip() else NoteKind.MARKDOWN
    else:
        return Refused(source, RefusalCode.NOT_A_NOTE, "it holds no text where notes hold theirs")
    if record.get("is_deleted") is True or record.get("event") == "DELETE":
        return Refused(source, RefusalCode.RETIRED, "it was deleted where it comes from")
    taken = {*_TEXTS, *_CREATED, *_UPDATED, "path", "title", "html", "article_html", "encoding", "id", "repo"}
    return Note(
        source=path or (f"{name}#{identity}" if identity else source),
        text=text,
        kind=kind,
        path=path,
        title=_text(record, "title"),
        created=_moment(record, _CREATED),
        updated=_moment(record, _UPDATED),
        names=(identity,) if identity else (),
        fields={key: field for key, value in record.items() if key not in taken and (field := _field(value))},
        has_key=bool(path or identity),
    )


def _observations(record: _Record, source: str) -> Iterator[Note | Refused]:
    """Yield one fact for each observation about an entity."""
    entity, kind = _text(record, "name"), _text(record, "entityType") or "unknown"
    observations = record.get("observations")
    if not entity or not isinstance(observations, list):
        yield Refused(source, RefusalCode.NOT_A_NOTE, "it names no entity")
        return
    for number, each in enumerate(observations, 1):
        place = f"{source}#{number}"
        if not isinstance(each, str):
            yield Refused(place, RefusalCode.NOT_A_NOTE, "it holds no text")
            continue
        entities = (f"{kind.lower()}:{entity}",)
        yield Note(source=place, text=each, kind=NoteKind.FACT, entities=entities, has_key=False)


def _is_work_item(record: _Record) -> bool:
    return all(isinstance(record.get(key), str) for key in ("id", "title", "status", "issue_type"))


def _work_items(name: str, items: list[tuple[str, _Record]]) -> Iterator[Note | Refused]:
    blocks: dict[str, list[tuple[EdgeRel, str]]] = {}
    for _, item in items:
        for kind, other in _dependencies(item):
            if kind == "blocks":
                blocks.setdefault(other, []).append((EdgeRel.BLOCKS, WIKI + _text(item, "id")))
    for _, item in items:
        yield _work_item(name, item, tuple(blocks.get(_text(item, "id"), ())))


def _work_item(name: str, item: _Record, blocked: tuple[tuple[EdgeRel, str], ...]) -> Note | Refused:
    identity, status = _text(item, "id"), _text(item, "status").lower()
    place = f"{name}#{identity}"
    if status in _RETIRED:
        return Refused(place, RefusalCode.RETIRED, "it was deleted where it comes from")
    parts = [_text(item, "description")]
    for key, heading in _SECTIONS:
        words = _text(item, key).strip()
        if words.lower() not in _NO_OUTCOME:
            parts.append(f"## {heading}\n\n{words}")
    parents = (
        (EdgeRel.SUBTASK_OF, WIKI + other) for kind, other in _dependencies(item) if kind == "parent-child"
    )
    kind = _text(item, "issue_type")
    labels = item.get("labels")
    tags = [each for each in labels if isinstance(each, str)] if isinstance(labels, list) else []
    return Note(
        source=place,
        text="\n\n".join(filter(None, parts)),
        title=_text(item, "title"),
        created=_moment(item, _CREATED),
        updated=_moment(item, _UPDATED),
        author=author_of(_text(item, "created_by")),
        workspace=identity.rpartition("-")[0],
        tags=(*((kind,) if kind != "task" else ()), *tags),
        memory_type=MemoryType.TASK,
        task_status=_STATUSES.get(status, TaskStatus.TODO),
        names=(identity,),
        relations=(*blocked, *parents),
    )


def _dependencies(item: _Record) -> Iterator[tuple[str, str]]:
    dependencies = item.get("dependencies")
    for each in dependencies if isinstance(dependencies, list) else ():
        if isinstance(each, dict):
            kind, other = each.get("type"), each.get("depends_on_id")
            if isinstance(kind, str) and isinstance(other, str):
                yield kind, other


def _text(record: _Record, key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) and key == "id" else ""


def _moment(record: _Record, keys: tuple[str, ...]) -> str:
    """Return the first of these fields that is a day, an instant or the seconds since 1970."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, bool):
            continue
        if isinstance(value, str) and (found := instant(value)):
            return found
        if isinstance(value, int | float) and 0 < value < _LAST_SECOND:
            return instant_of(datetime.datetime.fromtimestamp(value, datetime.UTC))
    return ""


def _field(value: object, depth: int = 0) -> Field:
    """Return a JSON value as a field: numbers and truth as their words, what is too long or too deep as nothing."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_FIELD else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if depth > 2:
        return ""
    if isinstance(value, list):
        return [field for each in value if (field := _field(each, depth + 1))]
    if isinstance(value, dict):
        return {key: field for key, each in value.items() if (field := _field(each, depth + 1))}
    return ""
