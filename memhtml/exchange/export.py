"""Memories as Markdown notes with front matter, and as JSON Lines: what other programs read, and an import here too.

Markdown says less than a memory: what it leaves out is named for every memory. JSON Lines carry the article's own
markup beside the Markdown, so that nothing but the extension names of the head is lost.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from memhtml.exchange.blocks import Block, Paragraph
from memhtml.exchange.html_blocks import TooComplex, read_html
from memhtml.exchange.markdown_text import markdown_of
from memhtml.format.document import Document
from memhtml.format.parse import parse
from memhtml.format.serialise import serialise_article
from memhtml.format.vocabulary import EXTENSION_META_PREFIX, rel_of_token
from memhtml.values import MemoryPath

__all__ = ["ExportedNote", "export_line", "export_note"]

#: Elements whose machine-readable half Markdown has no place for, and the attribute that holds it.
_UNSAID: Mapping[str, str] = {"time": "datetime", "data": "value", "q": "cite"}
_FLATTENED = ("dfn", "cite", "abbr", "aside", "kbd", "samp", "var", "figcaption")

_Value = str | float | int | list[str] | list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class ExportedNote:
    """A memory in the form of a note. `losses` name what the form has no words for."""

    path: MemoryPath
    #: Where the note stands below the folder of the export.
    name: str
    text: str = field(repr=False)
    losses: tuple[str, ...] = ()


def export_note(path: MemoryPath, data: bytes) -> ExportedNote:
    """Return a memory as a Markdown note whose front matter holds the head.

    Total over any bytes; an article that nests deeper than any note's is left out, and the losses say so.
    """
    import yaml

    document = parse(data)
    article, inner, mark = _article(data)
    fields = {"memory_path": str(path), **_head(document), "claim": mark}
    front = yaml.safe_dump(
        fields, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=False
    )
    body = markdown_of(article)
    heading = markdown_of((Paragraph((document.title or "",), level=1),))
    text = f"---\n{front}---\n\n{heading}\n\n{body}\n"
    losses = _losses(document, inner) if article or not inner.strip() else ("the article",)
    return ExportedNote(path, f"{str(path).removesuffix('.html')}.md", text, losses)


def export_line(path: MemoryPath, data: bytes) -> str:
    """Return a memory as one line of JSON, without the line feed."""
    document = parse(data)
    article, inner, mark = _article(data)
    record = {
        "memory_path": str(path),
        **_head(document),
        "claim": mark,
        "text": markdown_of(article),
        "article_html": serialise_article(inner),
    }
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace").decode()


def _article(data: bytes) -> tuple[tuple[Block, ...], str, str]:
    """Return an article's blocks, its markup and the words of its claim."""
    tree = LexborHTMLParser(data).css_first("article")
    if tree is None:
        return (), "", ""
    inner = tree.inner_html or ""
    mark = tree.css_first("mark")
    try:
        blocks = read_html(inner, is_page=False).blocks
    except TooComplex:
        blocks = ()
    return blocks, inner, _one_line(mark.text()) if mark is not None else ""


def _head(document: Document) -> dict[str, _Value]:
    """Return what the head says under the names that an import reads, in a fixed order, without what is absent."""
    links = [
        {rel.value: link.href} for link in document.links if (rel := rel_of_token(link.rel)) and link.href
    ]
    said: tuple[tuple[str, _Value | None], ...] = (
        ("title", document.title),
        ("memory_type", document.memory_type and document.memory_type.value),
        ("memory_status", document.status and document.status.value),
        ("created", document.created),
        ("updated", document.updated),
        ("confidence", document.confidence),
        ("importance", document.importance),
        ("author", document.author),
        ("session", document.session),
        ("prompt", document.prompt),
        ("turn", document.turn),
        ("valid_from", document.valid_from),
        ("valid_until", document.valid_until),
        ("task_status", document.task_status and document.task_status.value),
        ("due", document.due),
        ("entities", list(document.entities) or None),
        ("tags", list(document.tags) or None),
        ("aliases", list(document.aliases) or None),
        ("links", links or None),
    )
    return {name: value for name, value in said if value is not None}


def _losses(document: Document, inner: str) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    tree = LexborHTMLParser(inner)
    for tag, attribute in _UNSAID.items():
        counts[f"{tag} {attribute}"] += len(tree.css(f"{tag}[{attribute}]"))
    for tag in _FLATTENED:
        counts[tag] += len(tree.css(tag))
    for name in document.head:
        counts[name] += name.startswith(EXTENSION_META_PREFIX)
    return tuple(f"{count} × {name}" for name, count in sorted(counts.items()) if count)


def _one_line(text: str) -> str:
    return " ".join(text.split())
