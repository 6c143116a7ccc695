"""From any HTML to the blocks of an article: what can be said in the format is kept, what acts or hides is left out.

Scripts, styles, frames, hidden content and addresses that act never pass; whatever text stands in other elements does.
What was left out is counted by name, for the report.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from memhtml.exchange.blocks import (
    Block,
    Code,
    Element,
    Folded,
    Inline,
    Inlines,
    Items,
    Paragraph,
    Quote,
    Table,
    Terms,
    words_of,
)
from memhtml.format.complexity import prescan
from memhtml.format.instants import is_datetime
from memhtml.format.vocabulary import names

__all__ = ["MAX_DEPTH", "Reading", "TooComplex", "read_html"]

#: Elements nested deeper than this are nobody's note; below it, recursion is safe.
MAX_DEPTH: Final = 100
_MAX_COPIES: Final = 10_000

_DROPPED: Final = names(
    "script style template noscript iframe frame frameset object embed applet svg math head title base link meta "
    "select textarea button datalist canvas audio video map"
)
_BLOCKS: Final = names(
    "p div section article main header footer aside h1 h2 h3 h4 h5 h6 ul ol menu li dl dt dd table pre listing "
    "blockquote figure figcaption details summary hr form fieldset address center nav body hgroup caption tr"
)
_RENAMED: Final = {"b": "strong", "i": "em", "tt": "code", "blink": "em"}
_KEPT: Final = names("em strong code kbd samp var cite q dfn abbr time")
#: Raised and lowered text, in the notation that survives without markup.
_SHIFTED: Final = {"sup": "^", "sub": "_"}
_STRUCK: Final = names("s del strike")
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#.-]*")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]{2}")
_KEPT_SCHEMES: Final = ("http://", "https://", "mailto:")
_BLANK: Final = re.compile(r"[ \t\r\n\f]+")
_BLANKS: Final = re.compile(" {2,}")
_BREAK: Final = re.compile(" ?\n ?")
#: Parts of a page that lead elsewhere, by the names that pages give them.
_NAVIGATION: Final = re.compile(
    r"(?:^|\s)(?:nav\w*|breadcrumbs?|sidebar|page-?footer|site-?(?:header|footer))(?:\s|$)"
)


class TooComplex(Exception):
    """The markup nests too deep to be a note; nothing was read."""


class Reading(NamedTuple):
    title: str
    blocks: tuple[Block, ...]
    #: What was left out, by the names of elements and attributes.
    dropped: Counter[str]


def read_html(text: str, *, is_page: bool) -> Reading:
    """Return the title and blocks of a page, or of a fragment.

    Of a page, navigation is left out, and of one with a single `main` or `article` everything around it.
    Errors: TooComplex; linear in the text otherwise.
    """
    data = text.replace("\x00", "\ufffd").encode("utf-8", "replace")
    cost = prescan(data)
    if cost.depth > MAX_DEPTH or cost.copies > _MAX_COPIES:
        raise TooComplex
    # A fragment is all body, or what it begins with might end up in the head.
    tree = LexborHTMLParser(data if is_page else b"<body>" + data)
    body = tree.body
    title = tree.css_first("title") if is_page else None
    reader = _Reader(is_page=is_page)
    if body is None:
        return Reading("", (), reader.dropped)
    if is_page:
        for name in ("main", "article"):
            found = body.css(name)
            if len(found) == 1:
                body = found[0]
                break
    blocks = tuple(reader.blocks(body))
    return Reading(_collapsed(title.text()) if title is not None else "", blocks, reader.dropped)


def _collapsed(text: str) -> str:
    return _BLANK.sub(" ", text).strip()


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _is_blank(content: Inlines) -> bool:
    return not words_of(content).strip()


class _Reader:
    def __init__(self, *, is_page: bool) -> None:
        self.dropped: Counter[str] = Counter()
        self._is_page = is_page

    def blocks(self, node: LexborNode) -> list[Block]:
        """Return what stands below a node; text between blocks becomes paragraphs."""
        found: list[Block] = []
        run: list[Inline] = []
        term: Inlines = ()

        def flush() -> None:
            if not _is_blank(tuple(run)):
                found.append(Paragraph(_joined(run)))
            run.clear()

        for child in _children(node):
            if not self._is_block(child):
                run.extend(self.inline(child))
                continue
            flush()
            tag = child.tag or ""
            if tag == "dt":  # outside a list of terms: what follows is said of it
                term = (*term, *((" ",) if term else ()), *self._content(child))
                continue
            below = self._block(child)
            if term and below:
                found.extend(_led(term, below))
                term = ()
            else:
                found.extend(below)
        flush()
        if not _is_blank(term):
            found.append(Paragraph(term))
        return found

    def _is_block(self, node: LexborNode) -> bool:
        if node.tag in _BLOCKS:
            return True
        if not node.is_element_node or node.tag in _DROPPED:
            return False
        return any(self._is_block(child) for child in _children(node))

    def _block(self, node: LexborNode) -> list[Block]:
        tag = node.tag or ""
        if self._is_navigation(node):
            self.dropped["navigation"] += 1
            return []
        if tag in ("p", "address", "figcaption", "caption", "summary", "hgroup") or tag in _HEADINGS:
            if any(self._is_block(child) for child in _children(node)):
                return self.blocks(node)
            content = self._content(node)
            return [] if _is_blank(content) else [Paragraph(content, _HEADINGS.get(tag, 0))]
        if tag in ("pre", "listing"):
            return [Code(_code_text(node), _language(node))]
        if tag in ("ul", "ol", "menu"):
            return self._items(node)
        if tag == "dl":
            return self._terms(node)
        if tag == "table":
            return self._table(node)
        if tag == "blockquote":
            inner = self.blocks(node)
            return [Quote(tuple(inner))] if inner else []
        if tag == "details":
            return self._folded(node)
        return self.blocks(node)

    def _is_navigation(self, node: LexborNode) -> bool:
        if node.tag == "nav":
            return True
        if not self._is_page:
            return False
        attributes = node.attributes
        return (attributes.get("role") or "") == "navigation" or bool(
            _NAVIGATION.search(attributes.get("class") or "")
        )

    def _items(self, node: LexborNode) -> list[Block]:
        items = []
        for child in _children(node):
            if child.tag == "li":
                blocks = self.blocks(child)
            elif child.is_element_node:
                blocks = self._block(child)
            else:
                continue
            if blocks:
                items.append(tuple(blocks))
        return [Items(tuple(items), node.tag == "ol")] if items else []

    def _terms(self, node: LexborNode) -> list[Block]:
        pairs: list[tuple[Inlines, list[tuple[Block, ...]]]] = []
        pending = list(_children(node))
        while pending:
            child = pending.pop(0)
            if child.tag == "div":
                pending[:0] = _children(child)
            elif child.tag == "dt":
                pairs.append((self._content(child), []))
            elif child.is_element_node and child.tag not in _DROPPED:
                if not pairs:
                    pairs.append(((), []))
                if blocks := self.blocks(child):
                    pairs[-1][1].append(tuple(blocks))
        kept = tuple((term, tuple(said)) for term, said in pairs if said or not _is_blank(term))
        return [Terms(kept)] if kept else []

    def _table(self, node: LexborNode) -> list[Block]:
        rows = []
        caption: Inlines = ()
        for part in node.traverse():
            if part.tag == "caption" and not caption:
                caption = self._content(part)
            if part.tag == "tr":
                cells = tuple(
                    (cell.tag == "th", self._content(cell))
                    for cell in _children(part)
                    if cell.tag in ("td", "th")
                )
                if any(not _is_blank(content) for _, content in cells):
                    rows.append(cells)
        return [Table(tuple(rows), caption)] if rows else []

    def _folded(self, node: LexborNode) -> list[Block]:
        summary: Inlines = ()
        below: list[Block] = []
        for block in self.blocks(node):
            if not summary and not below and isinstance(block, Paragraph):
                summary = block.content
            else:
                below.append(block)
        return [Folded(summary or ("…",), tuple(below))] if below else [Paragraph(summary)] if summary else []

    def _content(self, node: LexborNode) -> Inlines:
        """Return what stands below a node as one run, blocks parted by blanks."""
        return _joined([part for child in _children(node) for part in self.inline(child)])

    def inline(self, node: LexborNode) -> list[Inline]:
        """Return a node as inline content."""
        if node.is_text_node:
            return [_BLANK.sub(" ", node.text_content or "")]
        tag = node.tag or ""
        if not node.is_element_node:
            return []
        if tag in _DROPPED:
            self.dropped[tag] += 1
            return []
        if tag in ("br", "hr", "wbr"):
            return ["\n" if tag == "br" else " "]
        attributes = node.attributes
        for name in attributes:
            if name.startswith("on") and len(name) > 4:
                self.dropped["event handler"] += 1
        if tag in ("img", "input"):
            return self._replaced(tag, (attributes.get("alt") or "").strip())
        children = self._content(node)
        if self._is_block(node):
            return [" ", *children, " "]
        return self._element(_RENAMED.get(tag, tag), attributes, children)

    def _replaced(self, tag: str, alt: str) -> list[Inline]:
        if tag == "img":
            self.dropped["img"] += 1
        return [alt] if alt else []

    def _element(self, tag: str, attributes: dict[str, str | None], children: Inlines) -> list[Inline]:
        if not words_of(children):
            return []
        if tag in _SHIFTED:
            return [_SHIFTED[tag], *children]
        if tag in _STRUCK:
            return ["~~", *children, "~~"]
        if tag == "a":
            return self._link(attributes.get("href"), children)
        if tag == "time":
            moment = attributes.get("datetime") or ""
            return [Element(tag, children, (("datetime", moment),))] if is_datetime(moment) else [*children]
        if tag == "abbr":
            expansion = attributes.get("title") or ""
            return [Element(tag, children, (("title", expansion),))] if expansion else [*children]
        return [Element(tag, children)] if tag in _KEPT else [*children]

    def _link(self, href: str | None, children: Inlines) -> list[Inline]:
        address = "".join(c for c in href or "" if c > " " or c == " ").strip()
        if not address or address.startswith("#"):
            return [*children]
        if address.lower().startswith(_KEPT_SCHEMES):
            return [Element("a", children, (("href", address),))]
        if _SCHEME.match(address):
            self.dropped["address"] += 1
            return [*children]
        return [Element("link", children, (("href", unquote(address)),))]


def _joined(parts: list[Inline]) -> Inlines:
    """Join neighbouring strings, and collapse the blanks between them."""
    joined: list[Inline] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] = _BREAK.sub("\n", _BLANKS.sub(" ", joined[-1] + part))
        elif part:
            joined.append(part)
    return tuple(joined)


def _led(term: Inlines, blocks: list[Block]) -> list[Block]:
    """Put a term before what is said of it."""
    first, *rest = blocks
    lead = (*_defined(_stripped(term)), " ")
    if isinstance(first, Paragraph) and not first.level:
        content = first.content
        if content and isinstance(content[0], str):
            content = (content[0].lstrip(), *content[1:])
        return [Paragraph((*lead, *content), lead=len(words_of(lead))), *rest]
    return [Paragraph(_stripped(term)), *blocks]


def _defined(term: Inlines) -> Inlines:
    """Say that what stands out at the beginning of a term is the term."""
    first = term[0] if term else ""
    if isinstance(first, Element) and first.tag == "strong":
        return (Element("dfn", first.children), *term[1:])
    return term


def _stripped(content: Inlines) -> Inlines:
    parts = list(content)
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return tuple(part for part in parts if part)


def _code_text(node: LexborNode) -> str:
    return (node.text() or "").strip("\n").replace("\r\n", "\n")


def _language(node: LexborNode) -> str | None:
    """Return what the classes of code say about its language."""
    for part in (node, node.css_first("code")):
        if part is None:
            continue
        named = part.attributes.get("data-lang") or ""
        for word in ([f"language-{named}"] if named else []) + (part.attributes.get("class") or "").split():
            for prefix in ("language-", "lang-"):
                token = word.removeprefix(prefix).lower()
                if word.startswith(prefix) and _LANGUAGE.fullmatch(token):
                    return token
    return None
