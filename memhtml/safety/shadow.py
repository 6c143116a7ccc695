"""The form of a text that all rules read: one ASCII byte for each character.

What has no ASCII counterpart becomes `?`, so a place in the shadow is the place in the text, and the patterns are
those of bytes: a class of letters means the ASCII ones, and case is folded without changing a length.
"""

from typing import Final

__all__ = ["shadow_of"]

#: Signs that other scripts and word processors write for the ones that the rules know.
_COUNTERPARTS: Final = (
    *(("：", ":"), ("＝", "="), ("；", ";"), ("｜", "|"), ("\u00a0", " "), ("\u3000", " ")),
    *(("“", '"'), ("”", '"'), ("„", '"'), ("‘", "'"), ("’", "'")),
)


def shadow_of(text: str) -> bytes:
    """Return the shadow of any text, lone surrogates included; it has as many bytes as the text has code points."""
    if not text.isascii():
        for sign, counterpart in _COUNTERPARTS:
            text = text.replace(sign, counterpart)
    return text.encode("ascii", "replace")
