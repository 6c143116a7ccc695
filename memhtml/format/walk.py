"""One walk over a parsed tree: its words as a list of pieces, and where in that list each element of interest lies.

Everything that the format extracts is then a slice of the pieces, and everything it asks about ancestors is a
comparison of positions, so no element is visited twice. The walk keeps its own stack: hostile input nests deeper than
Python recurses.
"""

from typing import Final

from selectolax.lexbor import LexborNode

from memhtml.format.vocabulary import FORBIDDEN_ELEMENTS, INLINE_ELEMENTS, KNOWN_ELEMENTS, names

__all__ = ["Span", "Walk", "walk"]

_SPACES: Final = " \n\t\r\f"
#: Elements that something is asked about. All others only leave their words and their edges.
_SPANNED: Final = names(
    "abbr applet article aside base cite code data dd details dfn div dl dt embed figcaption figure frame iframe "
    "li mark meta noscript object p pre q script span style summary time title"
)

#: What an element's name asks of the walk.
_INLINE, _SPAN, _UNKNOWN, _PRE, _TEMPLATE = 1, 2, 4, 8, 16
_KINDS: Final[dict[str, int]] = {
    name: (_INLINE if name in INLINE_ELEMENTS else 0)
    | (_SPAN if name in _SPANNED else 0)
    | (0 if name in KNOWN_ELEMENTS | FORBIDDEN_ELEMENTS else _UNKNOWN)
    for name in INLINE_ELEMENTS | KNOWN_ELEMENTS | _SPANNED
}
_KINDS["pre"] |= _PRE
_KINDS["template"] = _UNKNOWN | _TEMPLATE


class Span:
    """One element: its words are `pieces[start:end]`, and the spans inside it stand before place `last`."""

    __slots__ = ("attributes", "end", "last", "parent", "start", "tag")

    def __init__(self, tag: str, attributes: dict[str, str | None], start: int, parent: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.start = start
        self.end = start
        self.last = 0
        #: The place of the element directly around it, where that has a span too, or -1.
        self.parent = parent


class Walk:
    """What one walk found, in document order."""

    __slots__ = ("attributed", "pieces", "places", "spans", "templates", "unknown", "verbatim")

    def __init__(self) -> None:
        #: Text nodes, and a space for each edge of a block; after a space, neither begins with another one.
        self.pieces: list[str] = []
        #: The positions in `pieces` of the text nodes inside `pre`.
        self.verbatim: list[int] = []
        self.spans: list[Span] = []
        #: Where in `spans` the elements of each name are.
        self.places: dict[str, list[int]] = {}
        #: Every element that has attributes.
        self.attributed: list[tuple[str, dict[str, str | None]]] = []
        #: The names of elements outside the vocabulary, each as often as it stands there.
        self.unknown: list[str] = []
        #: Their content is not part of the tree.
        self.templates: list[LexborNode] = []

    def words(self, place: int) -> str:
        """Return the words of one span as they stand there."""
        span = self.spans[place]
        return "".join(self.pieces[span.start : span.end])


def walk(first: LexborNode | None) -> Walk:
    """Walk a node, its later siblings and all that is below them."""
    found = Walk()
    pieces, verbatim, spans, places = found.pieces, found.verbatim, found.spans, found.places
    open_elements: list[tuple[LexborNode, int, int]] = []
    pre_depth = 0
    # Whether the words so far end with a space: nothing adds another one then, which leaves few runs to collapse.
    spaced = False
    node = first
    while True:
        if node is None:
            if not open_elements:
                return found
            node, kind, place = open_elements.pop()
            if place >= 0:
                span = spans[place]
                span.end = len(pieces)
                span.last = len(spans)
            if not kind & _INLINE:
                if not spaced:
                    pieces.append(" ")
                    spaced = True
                if kind & _PRE:
                    pre_depth -= 1
            node = node.next
            continue
        text = node.text_content
        if text is not None:
            if pre_depth:
                verbatim.append(len(pieces))
                pieces.append(text)
                spaced = False
            else:
                if spaced:
                    text = text.lstrip(_SPACES)
                if text:
                    pieces.append(text)
                    spaced = text[-1] in _SPACES
            node = node.next
            continue
        name = node.tag
        if name is None or name.startswith("-"):  # a comment, or anything else that has no name
            node = node.next
            continue
        kind = _KINDS.get(name, _UNKNOWN)
        attributes = node.attributes
        if attributes:
            found.attributed.append((name, attributes))
        if not kind & _INLINE and not spaced:
            pieces.append(" ")
            spaced = True
        place = -1
        if kind:
            if kind & _SPAN:
                place = len(spans)
                spans.append(
                    Span(name, attributes, len(pieces), open_elements[-1][2] if open_elements else -1)
                )
                if name in places:
                    places[name].append(place)
                else:
                    places[name] = [place]
                if kind & _PRE:
                    pre_depth += 1
            if kind & _UNKNOWN:
                found.unknown.append(name)
                if kind & _TEMPLATE:
                    found.templates.append(node)
        open_elements.append((node, kind, place))
        node = node.first_child
