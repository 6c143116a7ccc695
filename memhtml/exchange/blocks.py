"""An article as a small tree of blocks and inline runs: what other people's markup is reduced to, and written from.

Only what the format's vocabulary can say has a node here, so whatever is written from the tree is legal markup.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memhtml.format import escapes

__all__ = [
    "Block",
    "Code",
    "Element",
    "Folded",
    "Inline",
    "Inlines",
    "Items",
    "Paragraph",
    "Quote",
    "Resolve",
    "Table",
    "Terms",
    "inlines_below",
    "link_targets",
    "markup",
    "paragraph_markup",
    "split_at",
    "word_count",
    "words_of",
]

#: Returns the address of a memory that a link of a note leads to, or None.
Resolve = Callable[[str], str | None]

#: An element whose words are one thing, so that no claim ends inside it.
ATOMIC: Final = frozenset({"a", "abbr", "code", "kbd", "samp", "var", "time", "q", "cite", "link"})
#: What HTML takes for white space; a no-break space is a word's.
_BLANKS: Final = " \t\n\r\f"
_IDEOGRAPH: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Element:
    """An inline element. The tag `link` is an `a` whose `href` is a note's own spelling of another note."""

    tag: str
    children: "Inlines"
    attributes: tuple[tuple[str, str], ...] = ()


Inline = str | Element
Inlines = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    content: Inlines
    #: 1 to 6 for a heading.
    level: int = 0
    #: How many characters of its words come before its first sentence: the term that it defines.
    lead: int = 0


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[tuple["Block", ...], ...]
    is_ordered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    #: Each row is the cells' content; a cell that heads its column or row is told by the flag.
    rows: tuple[tuple[tuple[bool, Inlines], ...], ...]
    caption: Inlines = ()


@dataclass(frozen=True, slots=True)
class Quote:
    blocks: tuple["Block", ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms and what is said of them: facets."""

    pairs: tuple[tuple[Inlines, tuple[tuple["Block", ...], ...]], ...]


@dataclass(frozen=True, slots=True)
class Folded:
    summary: Inlines
    blocks: tuple["Block", ...]


Block = Paragraph | Code | Items | Table | Quote | Terms | Folded


def words_of(content: Iterable[Inline]) -> str:
    """Return the plain words of an inline run, white space as it stands."""
    return "".join(part if isinstance(part, str) else words_of(part.children) for part in content)


def word_count(text: str) -> int:
    """Count words; two characters of a script without blanks count as one word."""
    return len(text.split()) + len(_IDEOGRAPH.findall(text)) // 2


def inlines_below(blocks: Iterable[Block]) -> Iterator[Inlines]:
    """Yield every inline run of the blocks, in document order."""
    for block in blocks:
        match block:
            case Paragraph():
                yield block.content
            case Code():
                yield (block.text,)
            case Items():
                for item in block.items:
                    yield from inlines_below(item)
            case Table():
                yield block.caption
                for row in block.rows:
                    for _, cell in row:
                        yield cell
            case Quote():
                yield from inlines_below(block.blocks)
            case Terms():
                for term, definitions in block.pairs:
                    yield term
                    for definition in definitions:
                        yield from inlines_below(definition)
            case Folded():
                yield block.summary
                yield from inlines_below(block.blocks)


def link_targets(content: Iterable[Inline]) -> Iterator[str]:
    """Yield what the links of an inline run to other notes say, in order."""
    for part in content:
        if isinstance(part, Element):
            if part.tag == "link":
                yield part.attributes[0][1]
            yield from link_targets(part.children)


def split_at(content: Inlines, position: int) -> tuple[Inlines, Inlines]:
    """Split an inline run before the character at `position` of its words; an element there is split in two."""
    before: list[Inline] = []
    for index, part in enumerate(content):
        if position <= 0:
            return tuple(before), content[index:]
        size = len(part) if isinstance(part, str) else len(words_of(part.children))
        if size <= position:
            before.append(part)
            position -= size
        elif isinstance(part, str):
            return (*before, part[:position]), (part[position:], *content[index + 1 :])
        else:
            left, right = split_at(part.children, position)
            head, tail = Element(part.tag, left, part.attributes), Element(part.tag, right, part.attributes)
            return (*before, head), (tail, *content[index + 1 :])
    return tuple(before), ()


def paragraph_markup(marked: Inlines, rest: Inlines, resolve: Resolve) -> str:
    """Return the paragraph of a claim. Code in a claim is plain words, since a claim's code is not quoted with it."""
    claim = _inline(marked, resolve, has_code=False)
    more = _inline(rest, resolve).rstrip(_BLANKS)
    is_apart = claim[-1:] in _BLANKS or more[:1] in _BLANKS
    gap = " " if more and is_apart else ""
    return f"<p><mark>{claim.strip(_BLANKS)}</mark>{gap}{more.lstrip(_BLANKS)}</p>"


def markup(blocks: Iterable[Block], resolve: Resolve) -> str:
    """Return the blocks as article markup; a link that leads to no memory is its words."""
    return "\n".join(_block(block, resolve) for block in blocks)


def _block(block: Block, resolve: Resolve) -> str:
    match block:
        case Paragraph():
            inner = _inline(block.content, resolve).strip(_BLANKS)
            return f"<p><strong>{inner}</strong></p>" if block.level else f"<p>{inner}</p>"
        case Code():
            language = f' data-lang="{escapes.attribute_value(block.language)}"' if block.language else ""
            return f"<figure><pre><code{language}>{escapes.text(block.text)}</code></pre></figure>"
        case Items():
            tag = "ol" if block.is_ordered else "ul"
            items = "\n".join(f"<li>{_tight(item, resolve)}</li>" for item in block.items)
            return f"<{tag}>\n{items}\n</{tag}>"
        case Table():
            caption = f"<caption>{_inline(block.caption, resolve)}</caption>\n" if block.caption else ""
            rows = "\n".join(
                f"<tr>{''.join(_cell(*cell, resolve) for cell in row)}</tr>" for row in block.rows
            )
            return f"<table>\n{caption}<tbody>\n{rows}\n</tbody>\n</table>"
        case Quote():
            return "\n".join(_quoted(inner, resolve) for inner in block.blocks)
        case Terms():
            return f"<dl>\n{''.join(_term(*pair, resolve) for pair in block.pairs)}</dl>"
        case Folded():
            summary = _inline(block.summary, resolve).strip(_BLANKS)
            inner = markup(block.blocks, resolve)
            return f"<details><summary>{summary}</summary>\n{inner}\n</details>"


def _tight(blocks: tuple[Block, ...], resolve: Resolve) -> str:
    """A paragraph at the beginning of an item needs no tag of its own, unless another one follows."""
    if not blocks:
        return ""
    first, *rest = blocks
    if not isinstance(first, Paragraph) or first.level or any(isinstance(b, Paragraph) for b in rest):
        return markup(blocks, resolve)
    inner = _inline(first.content, resolve).strip(_BLANKS)
    return f"{inner}\n{markup(rest, resolve)}" if rest else inner


def _cell(is_head: bool, content: Inlines, resolve: Resolve) -> str:
    tag = "th" if is_head else "td"
    return f"<{tag}>{_inline(content, resolve).strip(_BLANKS)}</{tag}>"


def _quoted(block: Block, resolve: Resolve) -> str:
    if isinstance(block, Paragraph) and not block.level:
        return f"<p><q>{_inline(block.content, resolve).strip(_BLANKS)}</q></p>"
    return _block(block, resolve)


def _term(term: Inlines, definitions: tuple[tuple[Block, ...], ...], resolve: Resolve) -> str:
    said = "".join(f"<dd>{_tight(definition, resolve)}</dd>" for definition in definitions)
    return f"<dt>{_inline(term, resolve).strip(_BLANKS)}</dt>{said}\n"


def _inline(content: Inlines, resolve: Resolve, *, has_code: bool = True) -> str:
    parts: list[str] = []
    for part in content:
        if isinstance(part, str):
            parts.append(escapes.text(part))
            continue
        inner = _inline(part.children, resolve, has_code=has_code)
        tag, attributes = part.tag, part.attributes
        if tag == "link":
            found = resolve(attributes[0][1])
            tag, attributes = ("a", (("href", found),)) if found is not None else ("", ())
        if not tag or not inner or (tag == "code" and not has_code):
            parts.append(inner)
            continue
        written = "".join(f' {name}="{escapes.attribute_value(value)}"' for name, value in attributes)
        parts.append(f"<{tag}{written}>{inner}</{tag}>")
    return "".join(parts)
