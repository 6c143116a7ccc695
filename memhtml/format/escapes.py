"""How text becomes markup: the one place that knows what has to be escaped where."""

import re
from typing import Final

__all__ = ["attribute_value", "representable", "text"]

_TEXT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&nbsp;", "\r": "&#13;"})
_ATTRIBUTE: Final = str.maketrans({"&": "&amp;", '"': "&quot;", "\xa0": "&nbsp;", "\r": "&#13;"})
_UNREPRESENTABLE: Final = re.compile(r"[\0\ud800-\udfff]")


def representable(words: str) -> str:
    """Return words as a parser will give them back: NUL and lone surrogates stand in no file."""
    return _UNREPRESENTABLE.sub("\N{REPLACEMENT CHARACTER}", words)


def text(words: str) -> str:
    """Return words as the text of an element."""
    return representable(words).translate(_TEXT)


def attribute_value(words: str) -> str:
    """Return words as an attribute's value between double quotes."""
    return representable(words).translate(_ATTRIBUTE)
