"""The claim slot: what a claim is about, without the value it gives, so that two values of one slot can be seen."""

import re
from typing import Final

from memhtml.format.content_hash import WIDE_SPACES, collapse, trim

__all__ = ["frame_key_of"]

_MIN_FRAME_WORDS: Final = 3
_MAX_VALUE_WORDS: Final = 6
#: Lower-case only.
_LINKS: Final = frozenset({"of", "is", "in", "to", "by", "as"})
#: A link word behind a hyphen or any other character that is no ASCII word character: other writers see its edge there.
_HIDDEN_LINK: Final = re.compile(r".*[^A-Za-z0-9_](?:of|is|in|to|by|as)")
_WIDE_SPACE: Final = re.compile(f"[{WIDE_SPACES}]")


def frame_key_of(gist: str) -> str | None:
    """Return the lower-cased frame of a claim, or None where the claim has no slot.

    The frame ends with the last linking word that still leaves a value; it has at least three words, and the value one
    to six. "The capital of India is New Delhi." has the frame `the capital of india is`.
    """
    if not gist.isascii() or "\v" in gist:
        gist = _WIDE_SPACE.sub(" ", gist)
    text = trim(collapse(gist))
    # A link further left would leave too long a value, so only the last words are looked at.
    words = text.rsplit(" ", _MAX_VALUE_WORDS + 1)
    for at in range(len(words) - 2, 0 if len(words) > _MAX_VALUE_WORDS + 1 else -1, -1):
        word = words[at]
        if word in _LINKS or (len(word) > 2 and word[-2:] in _LINKS and _HIDDEN_LINK.fullmatch(word)):
            frame = " ".join(words[: at + 1])
            return frame.lower() if frame.count(" ") >= _MIN_FRAME_WORDS - 1 else None
    return None
