"""How costly a file would be to parse, found in one linear pass before it is parsed.

A tree builder is quadratic in the depth of open elements, in the attributes of one tag, and in formatting elements
that are left open: each later paragraph gets a copy of every one of them, so 64 KiB of source can become gigabytes.

The depth is an upper bound, close for ordinary pages (unclosed `p`, `li` and `td` included), and too high only for
pages that nest badly many times over.
"""

import re
from typing import Final, NamedTuple

from memhtml.format.lexis import (
    ATTRIBUTE,
    COMMENT_END,
    MARKUP,
    RAW_TEXT,
    VOID,
    attributes_end,
    comment_end,
    raw_text_end,
)
from memhtml.format.nesting import FOREIGN_ROOTS, FORMATTING, MARKED
from memhtml.format.outline import Outline

__all__ = ["Complexity", "prescan"]

#: Counting stops here: any limit a caller may have is far below.
_FAR_TOO_DEEP: Final = 2_000
_FAR_TOO_MANY: Final = 10_000_000
#: Ordinary pages need two or three for an end tag.
_MAX_STEPS: Final = 2_000_000
_SLASH: Final = ord("/")
_GREATER: Final = re.compile(rb">")
_FRAMESET: Final = re.compile(rb"<frameset", re.IGNORECASE)
#: With any other beginning a table does not close a paragraph.
_STANDARD: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*<!doctype[\t\n\f\r ]+html[\t\n\f\r ]*>", re.IGNORECASE
)


class Complexity(NamedTuple):
    """Upper estimates of what parsing a file would build.

    Units: `depth` is the number of elements open at once, `attributes` the number on one tag, `copies` the number
    of elements and attributes that the parser would add for formatting elements left open.
    """

    depth: int
    attributes: int
    copies: int


def _inside_of(data: bytes, start: int, end: int) -> tuple[int, bool]:
    """Read what may be text or markup as markup: how many elements open or close, and whether it ends at `end`."""
    changes, position = 0, start
    while (found := MARKUP.search(data, position, end)) is not None:
        position = found.end()
        _, name, _, comment, _ = found.groups()
        if comment or name is None:
            closed = (COMMENT_END if comment else _GREATER).search(data, position, end)
            if closed is None:
                return changes, False
            position = closed.end()
        elif (
            data[position : position + 1] != b">"
            or position == end
            or name.lower() in RAW_TEXT | FOREIGN_ROOTS
        ):
            return changes, False
        elif name.lower() not in VOID:
            changes += 1
    return changes, True


class _Scan:
    """The pass itself: what each piece of markup means, and where the next one is looked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.outline = Outline(is_quirky=_STANDARD.match(data) is None)
        self.attributes = 0
        self.is_hopeless = False
        self.has_framesets = False
        #: Where the last search for the end of a CDATA section led; behind the data when there is none.
        self.cdata_end = 0

    def run(self) -> None:
        search, outline = MARKUP.search, self.outline
        found = search(self.data)
        while found is not None and not self.is_hopeless:
            if found.group(2) is not None:
                position = self.tag(found)
            elif found.group(4) is not None:
                position = comment_end(self.data, found.end())
            else:
                position = self.declaration(found.end())
            if position < 0 or outline.peak > _FAR_TOO_DEEP or outline.copies > _FAR_TOO_MANY:
                break
            if outline.steps > _MAX_STEPS:
                self.is_hopeless = True
            found = search(self.data, position)

    def tag(self, found: re.Match[bytes]) -> int:
        data, outline = self.data, self.outline
        start, end = found.span(3)
        if data[end : end + 1] != b">":
            end = attributes_end(data, end)
            if end == len(data):
                return -1
        name = found.group(2).lower()
        count = 0
        closes_itself = False
        if end - start > 2 * self.attributes or name in FORMATTING or data[end - 1] == _SLASH:
            last = start
            for attribute in ATTRIBUTE.finditer(data, start, end):
                count += 1
                last = attribute.end()
            self.attributes = max(self.attributes, count)
            closes_itself = data[end - 1] == _SLASH and last < end and end > start
        if found.group(1):
            outline.end(name)
            return end + 1
        was_foreign = bool(outline.stack[-1].foreign)
        if name == b"frameset" and not self.has_framesets:
            outline.frozen += len(_FRAMESET.findall(data, end))
            self.has_framesets = True
        outline.start(name, count, closes_itself=closes_itself)
        if name not in RAW_TEXT or was_foreign:
            return end + 1
        stop = raw_text_end(data, end + 1, name)
        if not outline.doubtful.isdisjoint(FOREIGN_ROOTS):
            self.perhaps_markup(end + 1, stop)
        return self.behind_tag(stop)

    def behind_tag(self, position: int) -> int:
        """Return the place behind a tag, or -1 where the data end before that."""
        found = MARKUP.match(self.data, position)
        end = attributes_end(self.data, found.end()) if found else len(self.data)
        return end + 1 if end < len(self.data) else -1

    def declaration(self, position: int) -> int:
        data, outline = self.data, self.outline
        close = data.find(b">", position)
        if not data.startswith(b"[CDATA[", position):
            return close + 1 or -1
        in_foreign = bool(outline.stack[-1].foreign) or outline.stack[-1].name in MARKED
        is_unsure = not outline.doubtful.isdisjoint(FOREIGN_ROOTS)
        if not in_foreign and not is_unsure:
            return close + 1 or -1
        if self.cdata_end < position:
            end = data.find(b"]]>", position)
            self.cdata_end = end + 3 if end >= 0 else len(data) + 1
        if in_foreign:
            return self.cdata_end
        if self.cdata_end > len(data):
            return close + 1 or -1
        self.perhaps_markup(close + 1, self.cdata_end)
        return self.cdata_end

    def perhaps_markup(self, start: int, end: int) -> None:
        changes, is_aligned = _inside_of(self.data, start, end)
        self.is_hopeless = not is_aligned
        if changes or end == len(self.data):
            self.outline.frozen += 3 * changes + 1  # a cell brings its row and its section along
            self.outline.freeze(1)
            self.outline.note()


def prescan(data: bytes) -> Complexity:
    """Return upper estimates of depth, attributes and copies, in linear time for any bytes.

    A pass that stops early (counting went beyond any sensible limit, or the bytes can be read in two ways) gives
    numbers that are themselves beyond any limit.
    """
    scan = _Scan(data)
    scan.run()
    depth = _FAR_TOO_DEEP if scan.is_hopeless else scan.outline.peak
    return Complexity(depth, scan.attributes, scan.outline.copies)
