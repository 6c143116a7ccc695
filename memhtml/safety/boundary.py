"""Where a literal stands, and whether a word begins there."""

from collections.abc import Iterator
from typing import Final

__all__ = ["hits", "is_inside_word"]

_PART_OF_WORD: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@$#-")


def hits(text: bytes, literal: bytes) -> Iterator[int]:
    """Yield every place of a literal, first to last, without overlaps."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def is_inside_word(text: bytes, at: int) -> bool:
    """Say whether what stands at `at` continues a word, a path's last part, an option or a variable."""
    return at > 0 and text[at - 1] in _PART_OF_WORD
