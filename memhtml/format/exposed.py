"""Every text of a file in which something may stand that must not: what looks for secrets looks here.

The words of the article are looked at as they read, so that inline tags do not take a secret apart, and the whole file
as its bytes have it, because attributes and comments read as nothing.
"""

import html
from collections.abc import Iterator
from typing import Final, NamedTuple

from memhtml.format.document import Document

__all__ = ["WHOLE", "Exposed", "exposed_texts"]

#: The place of what is found in the file as a whole.
WHOLE: Final = "markup"


class Exposed(NamedTuple):
    #: `title`, `article`, the name of a meta, the rel of a link, or `WHOLE`.
    place: str
    text: str


def exposed_texts(document: Document, data: bytes) -> Iterator[Exposed]:
    """Yield the texts of a file, the narrow ones first; `document` is what its bytes `data` say. Total."""
    yield Exposed("title", document.title or "")
    yield Exposed("article", document.canonical_text)
    for name, content in document.metas:
        yield Exposed(name, content)
    for rel, href in document.links:
        yield Exposed(rel, href or "")
    whole = data.decode("utf-8", "replace")
    yield Exposed(WHOLE, whole)
    if "&" in whole:
        yield Exposed(WHOLE, html.unescape(whole))
