"""The claim slot: what a claim is about, without the value it gives, so that two values of one slot can be seen."""

import re
from typing import Final

from memhtml.format.content_hash import collapse, trim

__all__ = ["frame_key_of"]

_MIN_FRAME_WORDS: Final = 3
_MAX_VALUE_WORDS: Final = 6
#: Word edges are ASCII, and linking words are lower-case: other writers compute the same key.
_SLOT: Final = re.compile(r"(.*\b(?:of|is|in|to|by|as)) (.+?)\.?", re.ASCII)
_WIDE_SPACE: Final = re.compile("[\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")


def frame_key_of(gist: str) -> str | None:
    """Return the lower-cased frame of a claim, or None where the claim has no slot.

    The frame ends with the last linking word that still leaves a value; it has at least three words, and the value one
    to six. "The capital of India is New Delhi." has the frame `the capital of india is`.
    """
    text = trim(collapse(_WIDE_SPACE.sub(" ", gist)))
    match = _SLOT.fullmatch(text)
    if match is None:
        return None
    frame, value = match[1], match[2]
    if frame.count(" ") + 1 < _MIN_FRAME_WORDS or value.count(" ") + 1 > _MAX_VALUE_WORDS:
        return None
    return frame.lower()
