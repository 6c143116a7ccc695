"""Prose as people and agents type it: paragraphs, fenced code, and the sentence that becomes the claim."""

import re
from typing import Final, NamedTuple

__all__ = ["Fence", "Prose", "read_fence", "split_paragraphs", "split_prose"]

_OPENER: Final = re.compile(r"[ \t]*(`{3,})([^`]*)")
_CLOSER: Final = re.compile(r"[ \t]*(`{3,})[ \t]*")
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#.-]*")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|\Z)")
_LINE_END: Final = re.compile(r"\r\n?")


class Fence(NamedTuple):
    """A block of code between backtick lines; `language` is what its author called it, or nothing."""

    code: str
    language: str | None


class Prose(NamedTuple):
    claim: str
    paragraphs: tuple[str, ...]


def read_fence(paragraph: str) -> Fence | None:
    """Return the code of a paragraph that is one fence from its first line to its last, or None.

    Shapes: three or more backticks and a label that holds none, closed by at least as many; the code is kept
    verbatim, fences inside it as well. Only the label's first word counts, in lower case.
    """
    lines = _LINE_END.sub("\n", paragraph).strip("\n").split("\n")
    opener, closer = _OPENER.fullmatch(lines[0]), _CLOSER.fullmatch(lines[-1])
    if opener is None or closer is None or len(lines) < 2 or len(closer[1]) < len(opener[1]):
        return None
    label = opener[2].split()
    language = label[0].lower() if label and _LANGUAGE.fullmatch(label[0]) else None
    return Fence("\n".join(lines[1:-1]), language)


def split_paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs of a text, which blank lines part.

    A fence is a paragraph of its own, with the blank lines inside it; one that is never closed runs to the end.
    """
    paragraphs: list[list[str]] = [[]]
    fence = 0
    for line in _LINE_END.sub("\n", text).split("\n"):
        if fence:
            paragraphs[-1].append(line)
            closer = _CLOSER.fullmatch(line)
            if closer is not None and len(closer[1]) >= fence:
                fence = 0
                paragraphs.append([])
        elif opener := _OPENER.fullmatch(line):
            fence = len(opener[1])
            paragraphs.append([line])
        elif line.strip():
            paragraphs[-1].append(line)
        else:
            paragraphs.append([])
    return tuple("\n".join(lines) for lines in paragraphs if any(line.strip() for line in lines))


def split_prose(text: str) -> Prose:
    """Return a text's first sentence as the claim, and the rest in paragraphs.

    A sentence ends with `.`, `!` or `?` before white space or the end, and may span lines; where none ends, all of the
    text is the claim. A claim never reaches into a fence: one that stands before all words becomes a paragraph behind
    the claim, and only where there is nothing else is a fence the claim.
    """
    text = _LINE_END.sub("\n", text).strip()
    paragraphs = split_paragraphs(text)
    leading = next(
        (at for at, words in enumerate(paragraphs) if _OPENER.fullmatch(words.split("\n")[0]) is None), 0
    )
    text = "\n\n".join(paragraphs[leading:]) if leading else text
    limit = _fence_start(text)
    if limit == 0:
        return Prose(text, ())
    found = _SENTENCE_END.search(text, 0, limit)
    end = found.end() if found else limit
    return Prose(text[:end].strip(), paragraphs[:leading] + split_paragraphs(text[end:].strip()))


def _fence_start(text: str) -> int:
    """Where the first fence begins, or the end of the text."""
    position = 0
    for line in text.split("\n"):
        if _OPENER.fullmatch(line):
            return position
        position += len(line) + 1
    return len(text)
