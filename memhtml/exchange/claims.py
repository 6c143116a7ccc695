"""The sentence of a note that becomes its claim."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from memhtml.exchange.blocks import ATOMIC, Block, Element, Inlines, Paragraph, split_at, words_of

__all__ = ["Opening", "opening_of", "shortened"]

#: Shorter than this, a sentence says nothing by itself ("Use:"), and the title does.
_SHORTEST: Final = 12
#: Longer than this, it is no sentence that anybody would call a claim.
_LONGEST: Final = 600
#: A sentence that ends with a colon announces what follows; with fewer words it announces nothing by itself.
_FEWEST_BEFORE_COLON: Final = 6
_END: Final = re.compile(r"[.!?][\"'”’)\]]*(?=\s|$)|[。！？]")
_NAMES: Final = frozenset({"code", "kbd", "samp", "var"})
_VISIBLE: Final = re.compile(r"\S")
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|[0-9]{1,2}|e\.g|i\.e|etc|vs|cf|esp|approx|resp|incl|viz|Dr|Mr|Mrs|Ms|St|Fig|No|al|Jr|Sr)\.$"
)


class Opening(NamedTuple):
    """How an article begins: the marked claim, the rest of its paragraph, and all other blocks."""

    marked: Inlines
    rest: Inlines
    blocks: tuple[Block, ...]

    @property
    def claim(self) -> str:
        return " ".join(words_of(self.marked).split())


def opening_of(blocks: tuple[Block, ...], title: str, stated: str = "") -> Opening:
    """Return the claim of a note and what follows it.

    What the note states as its summary comes first, then the first sentence of a note that begins with prose, then its
    title; a note without one is a fact of its own, and then all of its first paragraph is the claim. Where the first
    paragraph begins with the words of the summary, they are marked there and not repeated.
    """
    first = blocks[0] if blocks else None
    paragraph = first if isinstance(first, Paragraph) and not first.level else None
    stated = " ".join(stated.split())
    if stated:
        end = _end_of_words(words_of(paragraph.content), stated) if paragraph is not None else 0
        if paragraph is None or not end:
            return Opening((stated,), (), blocks)
        return Opening(*split_at(paragraph.content, end), blocks[1:])
    if paragraph is not None:
        end = _first_sentence(paragraph)
        if end:
            return Opening(*split_at(paragraph.content, end), blocks[1:])
        if not title.strip():
            return Opening(paragraph.content, (), blocks[1:])
    return Opening((title,), (), blocks)


def shortened(text: str, limit: int = 80) -> str:
    """Return a text of at most `limit` characters, cut between words and marked where it was cut."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    at_word = cut.rpartition(" ")[0]
    return (at_word if len(at_word) > limit // 2 else cut).rstrip(" ,;:.-") + "…"


def _end_of_words(words: str, stated: str) -> int:
    """Where the text ends that says `stated` at the beginning of `words`, blanks apart; 0 if it does not."""
    pattern = r"\s*" + r"\s+".join(map(re.escape, stated.split()))
    found = re.match(pattern + r"(?!\w)", words)
    return found.end() if found else 0


def _first_sentence(paragraph: Paragraph) -> int:
    """Return where the first sentence of a paragraph ends, or 0 where it makes no claim."""
    words = words_of(paragraph.content)
    closed = _closed(paragraph.content)
    end = next((e for e in _sentence_ends(words, paragraph.lead) if e not in closed), len(words))
    sentence = words[:end].strip()
    shortest = _SHORTEST if words.isascii() else _SHORTEST // 2  # other scripts say more with a character
    if not shortest <= len(sentence) <= _LONGEST:
        return 0
    if sentence.endswith(":") and len(sentence.split()) < _FEWEST_BEFORE_COLON:
        return 0
    return end


def _sentence_ends(words: str, start: int) -> Iterator[int]:
    for found in _END.finditer(words, start):
        end = found.end()
        following = _VISIBLE.search(words, end)
        if found[0][0] == ".":
            if following is not None and following[0].islower():
                continue
            if _ABBREVIATION.search(words[max(0, end - 12) : found.start() + 1]):
                continue
        if _is_balanced(words[start:end]):
            yield end


def _is_balanced(words: str) -> bool:
    """Tell whether every bracket that a sentence opens is closed in it."""
    return words.count("(") <= words.count(")") and words.count("[") <= words.count("]")


def _closed(content: Inlines, start: int = 0) -> set[int]:
    """Return the positions of a run's words that lie inside elements which cannot be split."""
    closed: set[int] = set()
    for part in content:
        size = len(part) if isinstance(part, str) else len(words_of(part.children))
        if isinstance(part, Element):
            if part.tag in ATOMIC:
                # Behind a quotation a sentence may end with its words, behind code it may not: `blank?` is a name.
                closed.update(range(start + 1, start + size + (part.tag in _NAMES)))
            else:
                closed |= _closed(part.children, start)
        start += size
    return closed
