"""From a draft to the bytes of a file, always the same bytes for the same draft.

The head has one line a name in the order of the vocabulary, so that a later edit is a diff of one line.
"""

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from memhtml.errors import InvalidMemory
from memhtml.format import escapes
from memhtml.format.complexity import prescan
from memhtml.format.content_hash import collapse, of_inner_html, trim
from memhtml.format.draft import Draft
from memhtml.format.fences import read_fence
from memhtml.format.rules import ViolationCode
from memhtml.format.serialise import serialise_article
from memhtml.format.vocabulary import (
    EXTENSION_META_NAMES,
    EXTENSION_META_PREFIX,
    MAX_WRITTEN_BYTES,
    META_PREFIX,
    token_of_rel,
)
from memhtml.values import MemoryStatus, MemoryType, TaskStatus

__all__ = ["article_of", "confidence_text", "render"]

_CENT: Final = Decimal("0.01")
#: What formatting elements left open may add to a tree before the markup is refused unread.
_MAX_COPIES: Final = 100_000


def render(draft: Draft) -> bytes:
    """Return the file of a draft, which the check has still to judge.

    Order: equal drafts give equal bytes, ending with one newline.
    Errors: InvalidMemory for a confidence or an importance out of its range, and for article markup that is too large
    or too costly to be parsed.
    """
    inner = article_of(draft)
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f"<title>{escapes.text(trim(collapse(escapes.representable(draft.title))))}</title>",
        *(
            f'<meta name="{name}" content="{escapes.attribute_value(value)}">'
            for name, value in _metas(draft, of_inner_html(inner.encode()))
        ),
        *(
            f'<link rel="{token_of_rel(rel)}" href="{escapes.attribute_value(href)}">'
            for rel, href in draft.links
        ),
        "</head>",
        "<body>",
        "<article>",
        inner,
        "</article>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(lines).encode()


def confidence_text(confidence: float) -> str:
    """Return a confidence of 0 to 1 with two decimals, exact halves rounded up.

    Errors: InvalidMemory for any other number, which no reader would take.
    """
    if not 0 <= confidence <= 1:
        raise _refusal(ViolationCode.META_MALFORMED, "a confidence lies between 0 and 1")
    return str(Decimal(confidence).quantize(_CENT, ROUND_HALF_UP))


def _importance_text(importance: int) -> str:
    if not 1 <= importance <= 10:
        raise _refusal(ViolationCode.META_MALFORMED, "an importance is a whole number from 1 to 10")
    return str(importance)


def article_of(draft: Draft) -> str:
    """Return what stands between the article's tags, in its canonical spelling.

    Errors: InvalidMemory for article markup that is too large or too costly to be parsed.
    """
    markup = draft.article_html
    if markup is None or not trim(markup):
        return serialise_article(_prose_article(draft))
    data = escapes.representable(markup).encode()
    if len(data) > MAX_WRITTEN_BYTES:
        raise _refusal(ViolationCode.FILE_LARGE, f"the article is larger than {MAX_WRITTEN_BYTES} bytes")
    if prescan(data).copies > _MAX_COPIES:
        raise _refusal(ViolationCode.FILE_LARGE, "unclosed formatting elements would be repeated too often")
    return serialise_article(markup)


def _refusal(code: ViolationCode, sentence: str) -> InvalidMemory:
    return InvalidMemory(sentence, violations=((code, sentence),))


def _metas(draft: Draft, content_hash: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a head in the order of the vocabulary."""
    task_status = None
    if draft.memory_type is MemoryType.TASK:
        task_status = draft.task_status or TaskStatus.TODO
    scalars = (
        ("type", draft.memory_type),
        ("status", MemoryStatus.ACTIVE),
        ("created", draft.at),
        ("updated", draft.at),
        ("confidence", None if draft.confidence is None else confidence_text(draft.confidence)),
        ("importance", None if draft.importance is None else _importance_text(draft.importance)),
        ("content-hash", content_hash),
        ("author", draft.author),
        ("session", draft.session),
        ("prompt", draft.prompt),
        ("turn", draft.turn),
        ("valid-from", draft.valid_from),
        ("valid-until", draft.valid_until),
        ("task-status", task_status),
        ("due", draft.due),
    )
    yield from ((META_PREFIX + name, value) for name, value in scalars if value is not None)
    for name, values in (("entity", draft.entities), ("tag", draft.tags), ("alias", draft.aliases)):
        yield from ((META_PREFIX + name, value) for value in values)
    extensions = {EXTENSION_META_PREFIX + name: value for name, value in draft.extensions}
    yield from ((name, extensions[name]) for name in EXTENSION_META_NAMES if name in extensions)


def _prose_article(draft: Draft) -> str:
    paragraphs = [words for words in map(_one_line_end, draft.body) if trim(words)]
    claim = f"<p><mark>{escapes.text(trim(_one_line_end(draft.claim)))}</mark>"
    if paragraphs and read_fence(paragraphs[0]) is None:
        claim += f" {escapes.text(trim(paragraphs.pop(0)))}"
    return "\n".join([f"{claim}</p>", *map(_paragraph, paragraphs)])


def _paragraph(words: str) -> str:
    fence = read_fence(words)
    if fence is None:
        return f"<p>{escapes.text(trim(words))}</p>"
    language = f' data-lang="{escapes.attribute_value(fence.language)}"' if fence.language else ""
    return f"<figure><pre><code{language}>{escapes.text(fence.code)}</code></pre></figure>"


def _one_line_end(words: str) -> str:
    return words.replace("\r\n", "\n").replace("\r", "\n")
