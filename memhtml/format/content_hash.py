"""The content hash: what makes two memories the same fact.

The hash covers the article's words alone, in one canonical text, so that a stamp in the head, an indented list or a
renamed file is never new content. Head names, attributes and comments are outside of it. Two algorithms over the same
text: BLAKE3 is ours; SHA-256 is what other writers of the format stamp, and a file may carry either.

Canonical text: text nodes in document order, verbatim inside `pre`; every element that is not inline is a space
before and after itself; outside `pre`, runs of ASCII white space are one space; one space is dropped at each end.
No Unicode normalisation, and no other character is white space.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Final

import blake3
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from memhtml.format.lexis import BYTE_ORDER_MARK
from memhtml.format.walk import walk
from memhtml.values import ContentHash

__all__ = [
    "WIDE_SPACES",
    "blake3_of",
    "canonical_of_file",
    "canonical_of_inner_html",
    "canonical_text",
    "collapse",
    "is_well_formed",
    "of_file",
    "of_inner_html",
    "sha256_of",
    "stamp_matches",
    "trim",
]

#: With ASCII's, what the format trims from the ends of a text: the white space of ECMAScript, which is not Python's.
WIDE_SPACES: Final = (
    "\v\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_SPACE: Final = "\t\n\f\r " + WIDE_SPACES
#: The parser drops or replaces it wherever it stands, and a reference to it is another character.
_STAND_IN: Final = "\0"
_RUN: Final = re.compile("  +")
_WELL_FORMED: Final = re.compile(r"(blake3|sha256):[0-9a-f]{64}")
_ARTICLE_TAG: Final = re.compile(rb"<article[ \t\n\f\r/>]", re.IGNORECASE)


def trim(text: str) -> str:
    """Return `text` without white space at its ends, no-break space and byte order mark included."""
    return text.strip(_SPACE)


def collapse(text: str) -> str:
    """Return `text` with every run of ASCII white space as one space, in linear time."""
    # Whole-string replacements run at memory speed; one expression for all would stop at each single space.
    for character in "\n\t\r\f":
        if character in text:
            text = text.replace(character, " ")
    return _RUN.sub(" ", text) if "  " in text else text


def canonical_text(pieces: Sequence[str], verbatim: Sequence[int]) -> str:
    """Return the canonical text of one article.

    Shapes: `pieces` are text nodes and the single spaces of block edges, in document order; `verbatim` are the
    positions of the text nodes inside `pre`, ascending.
    """
    if not verbatim:
        return _without_end_spaces(collapse("".join(pieces)))
    # A character that no text node can hold stands in for each verbatim piece, so that all prose is collapsed at once.
    prose = list(pieces)
    for position in verbatim:
        prose[position] = _STAND_IN
    cut = _without_end_spaces(collapse("".join(prose))).split(_STAND_IN)
    out = [cut[0]]
    for position, text in zip(verbatim, cut[1:], strict=True):
        out.append(pieces[position])
        out.append(text)
    return "".join(out)


def _without_end_spaces(prose: str) -> str:
    return prose.removeprefix(" ").removesuffix(" ")


def blake3_of(canonical: str) -> ContentHash:
    """Return `blake3:` and 64 hex digits over a canonical text."""
    return ContentHash("blake3:" + blake3.blake3(canonical.encode()).hexdigest())


def sha256_of(canonical: str) -> ContentHash:
    """Return `sha256:` and 64 hex digits over a canonical text: the stamp of other writers of the format."""
    return ContentHash("sha256:" + hashlib.sha256(canonical.encode()).hexdigest())


def is_well_formed(stamp: str) -> bool:
    """Say whether a stamp has the shape of either algorithm."""
    return _WELL_FORMED.fullmatch(stamp) is not None


def stamp_matches(stamp: str, canonical: str) -> bool | None:
    """Say whether a stamp is that of a canonical text, by the algorithm it names; None where it names none."""
    if not is_well_formed(stamp):
        return None
    return stamp == (blake3_of(canonical) if stamp.startswith("blake3:") else sha256_of(canonical))


def of_file(data: bytes) -> ContentHash:
    """Return the BLAKE3 content hash of a whole file's first article; a text without one is inner HTML itself."""
    return blake3_of(canonical_of_file(data))


def of_inner_html(inner: bytes) -> ContentHash:
    """Return the BLAKE3 content hash of what stands between an article's tags."""
    return blake3_of(canonical_of_inner_html(inner))


def canonical_of_file(data: bytes) -> str:
    """Return the canonical text of a whole file's first article; a text without one is inner HTML itself."""
    if _ARTICLE_TAG.search(data) is not None:
        text = data.removeprefix(BYTE_ORDER_MARK)
        parser = LexborHTMLParser(text, scripting=True, options=LexborDocumentOptions.WO_EVENTS)
        article = parser.css_first("article")
        if article is not None:
            return _canonical_of_siblings(article.first_child)
    return canonical_of_inner_html(data)


def canonical_of_inner_html(inner: bytes) -> str:
    """Return the canonical text of what stands between an article's tags.

    The context element matters: a fragment parsed without it loses the text of stray table parts.
    """
    parser = LexborHTMLParser(
        inner,
        is_fragment=True,
        fragment_tag="article",
        scripting=True,
        options=LexborDocumentOptions.WO_EVENTS,
    )
    return _canonical_of_siblings(parser.root)


def _canonical_of_siblings(first: LexborNode | None) -> str:
    found = walk(first)
    return canonical_text(found.pieces, found.verbatim)
