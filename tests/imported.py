"""Imports of notes given as literals, into a store that is given as files or empty."""

from collections.abc import Mapping
from pathlib import Path

from memhtml.exchange.facts import Defaults
from memhtml.exchange.note import Copy, Note
from memhtml.exchange.plan import ExistingCorpus, Origin, plan_import, prepare
from memhtml.exchange.report import ImportPlan, Refused
from memhtml.exchange.sources import open_source
from memhtml.format.document import Document
from memhtml.format.parse import parse
from memhtml.safety import SecretCode
from memhtml.store.placing import Placing
from memhtml.store.view import HeadView
from memhtml.values import Instant, MemoryPath

AT = Instant("2026-05-01T10:00:00Z")


def existing(files: Mapping[str, bytes]) -> ExistingCorpus:
    """What an import knows of a store with these files."""
    corpus = ExistingCorpus(document_at=lambda path: parse(files[path]) if path in files else None)
    for path, data in files.items():
        corpus.add(MemoryPath(path), data)
    return corpus


def plan_of(
    *notes: Note | Copy | Refused,
    store: Mapping[str, bytes] | None = None,
    name: str = "notes",
    allowed: frozenset[SecretCode] = frozenset(),
    **defaults: object,
) -> ImportPlan:
    files = store or {}
    placing = Placing(HeadView(None, None, lambda _: None), files)
    prepared = prepare(notes, Defaults(at=AT, **defaults))
    return plan_import(prepared, existing(files), placing, Origin(name=name, allowed_secrets=allowed))


def plan_of_path(path: Path, **choices: object) -> ImportPlan:
    return plan_of(*open_source(path), name=path.name, **choices)


def note(text: str, path: str = "note.md", **more: object) -> Note:
    return Note(source=path, path=path, text=text, **more)


def only(plan: ImportPlan) -> Document:
    """What the one memory of a plan says."""
    assert not plan.refused
    ((_, data),) = plan.files
    return parse(data)


def refusal_codes(plan: ImportPlan) -> list[str]:
    return [each.code.value for each in plan.refused]
