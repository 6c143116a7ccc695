"""The one writer of article markup: a parsed fragment in its canonical spelling.

Attributes stand sorted between double quotes, only what must be escaped is, and what the tree builder moves or closes
is written as it reads the second time. So writing what was written changes nothing.
"""

from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from memhtml.format import escapes
from memhtml.format.content_hash import trim
from memhtml.format.lexis import VOID
from memhtml.format.vocabulary import names

__all__ = ["serialise_article"]

_VOID: Final = frozenset(name.decode() for name in VOID)
#: Their content is written as it is; no reference is read inside them.
_RAW: Final = names("style script xmp iframe noembed noframes noscript")
#: The parser eats a newline behind their start tag.
_EATS_NEWLINE: Final = names("pre textarea listing")
_HTML_IN_SVG: Final = names("foreignObject desc title")
_HTML_IN_MATH: Final = names("mi mo mn ms mtext")
_HTML_ENCODINGS: Final = frozenset({"text/html", "application/xhtml+xml"})
#: Trees that cannot be spelled (a paragraph inside another one's link, say) settle within two or three rounds.
_MAX_ROUNDS: Final = 8


def serialise_article(inner: str) -> str:
    """Return what stands between an article's tags in its canonical spelling, without white space at its ends.

    Order: equal trees give equal text. A `plaintext` element, which no end tag can close, becomes a `pre`.
    """
    written = _write(inner)
    for _ in range(_MAX_ROUNDS):
        again = _write(written)
        if again == written:
            break
        written = again
    return written


def _write(inner: str) -> str:
    # The first node of a fragment answers for all of them in some respects, so it is one that we do not write.
    parser = LexborHTMLParser(
        b"<!---->" + escapes.representable(inner).encode(),
        is_fragment=True,
        fragment_tag="article",
        scripting=True,
        options=LexborDocumentOptions.WO_EVENTS,
    )
    parts: list[str] = []
    _write_siblings(parser.root.next if parser.root is not None else None, parts)
    return trim("".join(parts))


def _write_siblings(first: LexborNode | None, parts: list[str]) -> None:
    """Write a node, its later siblings and all below them; the stack is our own, as markup nests without limit."""
    #: End tags that are due, with the node to go on with and the kind of content around it.
    due: list[tuple[str, LexborNode | None, str]] = []
    node, around = first, ""
    while node is not None or due:
        if node is None:
            end, node, around = due.pop()
            parts.append(end)
            continue
        tag = node.tag
        if node.is_element_node and tag is not None:
            inside = _content_of(tag, node.attributes, around)
            name = "pre" if tag == "plaintext" and not around else tag
            parts.append(_start_tag(name, node.attributes))
            if name in _VOID and not around:
                node = node.next
                continue
            child = node.first_child
            if name in _EATS_NEWLINE and not around and _begins_with_newline(child):
                parts.append("\n")
            due.append((f"</{name}>", node.next, around))
            if tag == "template" and not around:
                fragments = node.template_fragments()
                child = fragments[0].first_child if fragments else None
            node, around = child, inside
            continue
        parts.append(_leaf(node, around))
        node = node.next


def _content_of(tag: str, attributes: Mapping[str, str | None], around: str) -> str:
    """Return what an element holds: `raw` text, `svg`, `math`, or HTML (nothing)."""
    if not around:
        return tag if tag in ("svg", "math") else "raw" if tag in _RAW else ""
    if around == "svg":
        return "" if tag in _HTML_IN_SVG else "svg"
    if tag in _HTML_IN_MATH or (attributes.get("encoding") or "").lower() in _HTML_ENCODINGS:
        return ""
    return "math"


def _start_tag(name: str, attributes: Mapping[str, str | None]) -> str:
    written = "".join(
        f' {attribute}="{escapes.attribute_value(attributes[attribute] or "")}"'
        for attribute in sorted(attributes)
    )
    return f"<{name}{written}>"


def _begins_with_newline(child: LexborNode | None) -> bool:
    return child is not None and (child.text_content or "").startswith("\n")


def _leaf(node: LexborNode, around: str) -> str:
    if node.is_comment_node:
        return node.html or ""  # `comment_content` leaves out the white space at the ends
    if node.tag is None:
        return f"<!--{(node.html or '')[1:-1]}-->"  # `<?...>`, which other parsers read as a comment
    text = node.text_content
    if text is not None:
        return text if around == "raw" else escapes.text(text)
    return ""
