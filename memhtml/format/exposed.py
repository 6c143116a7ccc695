"""Every text of a file in which something may stand that must not: what looks for secrets looks here.

The words of the article come twice: as they read, so that inline tags do not take a secret apart, and as the markup
has them, because attributes and comments read as nothing.
"""

import html
from collections.abc import Iterator
from typing import Final, NamedTuple

from memhtml.format.document import Document
from memhtml.format.vocabulary import META_PREFIX

__all__ = ["Exposed", "exposed_texts"]

#: A hash of our own making.
_STAMP: Final = META_PREFIX + "content-hash"
_IDS: Final = frozenset(META_PREFIX + name for name in ("session", "prompt", "turn"))


class Exposed(NamedTuple):
    #: `title`, `article`, or the name of a meta or link.
    place: str
    text: str
    #: The text names a session, a prompt or a turn: such names are random by nature.
    is_id: bool = False


def exposed_texts(document: Document, data: bytes) -> Iterator[Exposed]:
    """Yield the texts of a file; `document` is what its bytes `data` say. Total over any file."""
    yield Exposed("title", document.title or "")
    yield Exposed("article", document.canonical_text)
    body = data.find(b"<article")
    yield Exposed("article", html.unescape(data[max(body, 0) :].decode("utf-8", "replace")))
    for name, content in document.metas:
        if name != _STAMP:
            yield Exposed(name, content, name in _IDS)
    for rel, href in document.links:
        yield Exposed(rel, href or "")
