"""What among the blocks of a note is prose, and whether there is enough of it."""

from collections.abc import Iterable, Iterator
from typing import Final

from memhtml.exchange.blocks import (
    Block,
    Code,
    Element,
    Items,
    Paragraph,
    Table,
    inlines_below,
    word_count,
    words_of,
)

__all__ = ["has_prose", "is_index", "prose_words"]

#: Fewer words make no sentence.
_FEWEST_WORDS: Final = 3
_LINKS: Final = frozenset({"a", "link"})


def _prose(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the words of paragraphs and items, without headings, code and tables."""
    for block in blocks:
        match block:
            case Paragraph():
                if not block.level:
                    yield words_of(_without_code(block.content))
            case Items():
                for item in block.items:
                    yield from _prose(item)
            case Code() | Table():
                pass
            case _:
                yield from map(words_of, inlines_below((block,)))


def _without_code(content: Iterable[object]) -> Iterator[str | Element]:
    for part in content:
        if isinstance(part, str) or (isinstance(part, Element) and part.tag != "code"):
            yield part


def has_prose(blocks: Iterable[Block]) -> bool:
    """Tell whether there is a sentence among the blocks."""
    return any(word_count(words) >= _FEWEST_WORDS for words in _prose(blocks))


def prose_words(blocks: Iterable[Block]) -> int:
    """Count the words outside of code."""
    without_code = (block for block in blocks if not isinstance(block, Code))
    return sum(word_count(words_of(run)) for run in inlines_below(without_code))


def is_index(blocks: tuple[Block, ...]) -> bool:
    """Tell whether the blocks are links, or lists most of whose items begin with one, under headings."""
    begins = [
        isinstance(item[0], Paragraph) and _begins_with_link(item[0])
        for block in blocks
        if isinstance(block, Items)
        for item in block.items
    ]
    if blocks and all(isinstance(block, Paragraph) and _is_link(block) for block in blocks):
        return True
    if any(not isinstance(b, Items) and not (isinstance(b, Paragraph) and b.level) for b in blocks):
        return False
    return bool(begins) and sum(begins) * 2 > len(begins)


def _is_link(paragraph: Paragraph) -> bool:
    """Tell whether all words of a paragraph are those of links."""
    parts = [part for part in paragraph.content if not isinstance(part, str) or part.strip()]
    return bool(parts) and all(isinstance(part, Element) and part.tag in _LINKS for part in parts)


def _begins_with_link(paragraph: Paragraph) -> bool:
    first = next((part for part in paragraph.content if not isinstance(part, str) or part.strip()), None)
    return isinstance(first, Element) and first.tag in _LINKS
