"""One walk over a parsed tree: its words as a list of pieces, and where in that list each element of interest lies.

Everything that the format extracts is then a slice of the pieces, and everything it asks about ancestors is a
comparison of positions, so no element is visited twice. The walk keeps its own stack: hostile input nests deeper than
Python recurses.
"""

from typing import Final

from selectolax.lexbor import LexborNode

from memhtml.format.vocabulary import INLINE_ELEMENTS, KNOWN_ELEMENTS, names

__all__ = ["Span", "Walk", "walk"]

#: Elements that something is asked about. All others only leave their words and their edges.
_SPANNED: Final = names(
    "abbr applet article aside base cite code data dd details dfn div dl dt embed figcaption figure frame iframe "
    "li mark meta noscript object p pre q script span style summary time title"
)


class Span:
    """One element: its words are `pieces[start:end]`, and the spans inside it stand before place `last`."""

    __slots__ = ("attributes", "end", "last", "parent", "start", "tag")

    def __init__(
        self, tag: str, attributes: dict[str, str | None], start: int, parent: "Span | None"
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.start = start
        self.end = start
        self.last = 0
        #: The element directly around it, where that has a span too.
        self.parent = parent


class Walk:
    """What one walk found, in document order."""

    __slots__ = ("attributed", "pieces", "spans", "templates", "unknown", "verbatim")

    def __init__(self) -> None:
        #: Text nodes, and one space for each edge of a block.
        self.pieces: list[str] = []
        #: The positions in `pieces` of the text nodes inside `pre`.
        self.verbatim: list[int] = []
        self.spans: list[Span] = []
        #: Every element that has attributes.
        self.attributed: list[tuple[str, dict[str, str | None]]] = []
        #: The names of elements outside the vocabulary, each as often as it stands there.
        self.unknown: list[str] = []
        #: Their content is not part of the tree.
        self.templates: list[LexborNode] = []


def walk(first: LexborNode | None) -> Walk:
    """Walk a node, its later siblings and all that is below them."""
    found = Walk()
    pieces, verbatim, spans = found.pieces, found.verbatim, found.spans
    inline, known, spanned = INLINE_ELEMENTS, KNOWN_ELEMENTS, _SPANNED
    open_elements: list[tuple[LexborNode, str, Span | None]] = []
    pre_depth = 0
    node = first
    while True:
        if node is None:
            if not open_elements:
                return found
            node, tag, span = open_elements.pop()
            if span is not None:
                span.end = len(pieces)
                span.last = len(spans)
            if tag not in inline:
                pieces.append(" ")
                if tag == "pre":
                    pre_depth -= 1
            node = node.next
            continue
        text = node.text_content
        if text is not None:
            if pre_depth:
                verbatim.append(len(pieces))
            pieces.append(text)
            node = node.next
            continue
        name = node.tag
        if name is None or name.startswith("-"):  # a comment, or anything else that has no name
            node = node.next
            continue
        attributes = node.attributes
        if attributes:
            found.attributed.append((name, attributes))
        if name not in inline:
            pieces.append(" ")
            if name == "pre":
                pre_depth += 1
            elif name not in known:
                found.unknown.append(name)
                if name == "template":
                    found.templates.append(node)
        span = None
        if name in spanned:
            span = Span(name, attributes, len(pieces), open_elements[-1][2] if open_elements else None)
            spans.append(span)
        open_elements.append((node, name, span))
        node = node.first_child
