"""What each tag opens and closes, as a tree builder would have it, kept without a tree: as deep, or deeper.

Tags whose effect depends on more than the stack knows leave doubt behind, and the depth counts all of it.
"""

from typing import Final

from memhtml.format.lexis import RAW_TEXT, VOID
from memhtml.format.nesting import (
    BLOCKERS,
    BLOCKS,
    BREAKOUT,
    CELLS,
    CLOSES_P,
    FOREIGN_ROOTS,
    FORMATTING,
    HEADINGS,
    IMPLIED_ENDS,
    INTEGRATION,
    INTEGRATION_MARK,
    MARKED,
    MARKERS,
    ROWS,
    SCOPE,
    SECTIONS,
    SKELETON,
    SPECIAL,
    TABLE_PARTS,
)
from memhtml.format.open_elements import DOUBT, Open, OpenElements

__all__ = ["Outline"]

_CLOSES_OTHERS: Final = CLOSES_P | frozenset(
    (b"a", b"nobr", b"button", b"option", b"optgroup", b"rb", b"rp", b"rt", b"rtc")
)
_CONTEXTUAL: Final = (
    FOREIGN_ROOTS | SKELETON | frozenset((b"form", b"frameset", b"mglyph", b"malignmark", b"select"))
)
#: Where one of these is the innermost element, another one takes its place.
_REPLACES_ITSELF: Final = HEADINGS | frozenset(
    (b"p", b"li", b"dd", b"dt", b"td", b"th", b"tr", b"tbody", b"thead", b"tfoot", b"option", b"a")
)
_EMPTY: Final = VOID | RAW_TEXT


class Outline(OpenElements):
    """The elements open after the tags taken so far; `peak` is an upper bound of the depth of the tree."""

    # Start tags.

    def start(
        self, name: bytes, weight: int, *, closes_itself: bool, is_styled_font: bool | None = None
    ) -> None:
        """Take a start tag; a `font` inside a foreign element leaves it if it has an attribute of style (None: if)."""
        if self.pending:
            self.count_copies(name)
        top = self.stack[-1]
        if name == top.name and name in _REPLACES_ITSELF and self.is_certain():
            self.stack[-1] = Open(name, weight, b"", top.reach)
            return
        if top.foreign:
            if name not in BREAKOUT or (name == b"font" and is_styled_font is False):
                if not closes_itself:
                    self.start_foreign(name, top.foreign)
                self.note(1)
                return
            if name == b"font" and is_styled_font is None:
                self.freeze_scope()
            self.leave_foreign()
        elif top.reach.doubt >= 0 and not self.doubtful.isdisjoint(FOREIGN_ROOTS):
            self.freeze(top.reach.doubt + 1)
            if name not in BREAKOUT:
                self.start_unsure(name)
                return
        if self.stack[-1].name == b"colgroup" and name not in (b"col", b"template"):
            self.pop_to(len(self.stack) - 1)
        if name in _EMPTY:
            self.start_empty(name)
        elif name in TABLE_PARTS:
            self.start_table_part(name)
        elif name in _CONTEXTUAL:
            self.start_contextual(name, closes_itself=closes_itself)
        else:
            if name in _CLOSES_OTHERS:
                self.close_before(name)
            self.push(name, weight)

    def start_contextual(self, name: bytes, *, closes_itself: bool) -> None:
        if name in FOREIGN_ROOTS:
            if not closes_itself:
                self.push(name, foreign=name)
        elif name == b"form":
            self.start_form()
        elif name == b"select" and not self.close_select():
            self.push(name)
        elif name not in SKELETON:
            self.frozen += 1
        self.note(1)

    def start_form(self) -> None:
        reach = self.stack[-1].reach
        p = reach.p
        if not self.has_form and (reach.table_part < 0 or self.stack[reach.table_part].name in CELLS):
            self.close_implied(p)
            self.push(b"form")
            self.has_form = True
            return
        self.has_form = True
        # It is dropped, unless a template or an end tag that we did not understand says otherwise.
        if p >= 0:
            self.freeze(p + 1 if self.stack[p].name == DOUBT else p)
        self.push(b"form")
        self.freeze(len(self.stack) - 1)

    def start_unsure(self, name: bytes) -> None:
        """Start an element that is either foreign or closes whatever it closes in HTML."""
        if name in TABLE_PARTS or name == b"table":
            self.freeze(1)
        else:
            self.freeze_scope()
        self.frozen += 3
        self.doubtful.add(name)
        self.note(1)

    def leave_foreign(self) -> None:
        while self.stack[-1].foreign:
            self.pop_to(len(self.stack) - 1)

    def start_foreign(self, name: bytes, root: bytes) -> None:
        if name in INTEGRATION[root]:
            self.push(INTEGRATION_MARK + name)
        else:
            self.push(name, foreign=root)
            if name == b"annotation-xml":
                self.freeze(len(self.stack) - 1)  # an attribute decides what its content is
                self.doubtful |= {root, INTEGRATION_MARK + name}

    def count_copies(self, name: bytes) -> None:
        if name not in FORMATTING:
            self.copies += sum(waiting.weight for waiting in self.pending.values())

    def start_empty(self, name: bytes) -> None:
        if name == b"col":
            self.start_table_part(name)
        elif name in CLOSES_P:
            self.close_implied(self.stack[-1].reach.p)
        elif name == b"input":
            self.close_select()
        self.note(3)

    def close_before(self, name: bytes) -> None:
        """Close what cannot stay open around a new element of this name."""
        stack = self.stack
        if name == b"li":
            self.close_implied(stack[-1].reach.li)
        elif name in (b"dd", b"dt"):
            self.close_implied(stack[-1].reach.dd)
        elif name in (b"option", b"optgroup", b"rb", b"rp", b"rt", b"rtc"):
            self.close_top(IMPLIED_ENDS)
        elif name in (b"a", b"nobr"):
            self.close_link(name)
        elif name == b"button" and self.may_be_open(name):
            self.freeze_scope()
        elif name == b"table" and stack[-1].reach.table_part >= 0:
            part = stack[-1].reach.table_part
            if stack[part].name == DOUBT:
                self.freeze(part + 1)
            elif stack[part].name not in CELLS:
                self.pop_to(self.table_of(part))
        if name in CLOSES_P and stack[-1].reach.p >= 0:
            if name == b"table" and self.is_quirky:
                self.freeze(stack[-1].reach.p)
            else:
                self.close_implied(stack[-1].reach.p)
        if name in HEADINGS:
            self.close_top(HEADINGS)

    def close_implied(self, at: int) -> None:
        """Close the element at `at`, and all above it, as a start tag does that cannot stand inside it."""
        if at < 0:
            return
        if self.stack[at].name == DOUBT:
            self.freeze(at + 1)
        elif self.stack[-1].reach.doubt >= 0:
            self.freeze(at)
        else:
            self.pop_to(at)

    def close_select(self) -> bool:
        """Close an open select, if there may be one, as another one's start or an input does."""
        reach = self.stack[-1].reach
        if self.stack[reach.barrier].name == b"select":
            self.freeze(reach.barrier)
            return True
        if b"select" in self.doubtful and reach.doubt >= 0:
            self.freeze(reach.doubt + 1)
            return True
        return False

    def close_link(self, name: bytes) -> None:
        """Do what a link's start tag does to the link before it: what its end tag would do."""
        reach = self.stack[-1].reach
        if self.has_stray_marker and (self.may_be_open(name) or name in self.pending):
            self.freeze_scope()
            return
        if self.open.get(name, 0):
            at = next(at for at in range(len(self.stack) - 1, 0, -1) if self.stack[at].name == name)
            self.steps += len(self.stack) - at
            if reach.marker < at <= reach.barrier:
                self.freeze(at)
        if name in self.pending and reach.marker < self.pending[name].floor <= reach.barrier:
            self.frozen += 1  # no longer on the stack then, and still around what is
        if self.stack[-1].name not in MARKED:
            self.end(name)

    def close_top(self, names: frozenset[bytes]) -> None:
        top = at = len(self.stack) - 1
        while self.stack[at].name == DOUBT:
            at -= 1
        if self.stack[at].name in names:
            if at < top or self.pending or (names is IMPLIED_ENDS and self.stack[at].name != b"option"):
                self.freeze(at)
            else:
                self.pop_to(at)

    # Tables.

    def table_of(self, part: int) -> int:
        while part > 0 and self.stack[part].name != b"table":
            part -= 1
        return part

    def start_table_part(self, name: bytes) -> None:
        stack = self.stack
        part = stack[-1].reach.table_part
        if part < 0 or stack[part].name == DOUBT:
            # Outside of a table the tag is dropped.
            if self.may_be_open(b"table") or self.may_be_open(b"template"):
                self.freeze(max(part + 1, 1))
                self.frozen += 3
                self.doubtful.add(name)
            return
        implied: tuple[bytes, ...] = ()
        keeps: frozenset[bytes] = frozenset()
        if name in (b"td", b"th"):
            keeps, implied = SECTIONS | {b"tr"}, (b"tbody", b"tr")
        elif name == b"tr":
            keeps, implied = SECTIONS, (b"tbody",)
        elif name == b"col":
            keeps, implied = frozenset((b"colgroup",)), (b"colgroup",)
        while part > 0 and stack[part].name != b"table" and stack[part].name not in keeps:
            part -= 1
        self.pop_to(part + 1)
        if stack[part].name == b"table":
            missing = implied
        else:
            missing = implied[1:] if stack[part].name in SECTIONS else ()
        for between in missing:
            self.push(between)
        if name != b"col":
            self.push(name)

    # End tags.

    def end(self, name: bytes) -> None:
        if self.pending:
            self.count_copies(name)
        top = self.stack[-1]
        if name in (b"br", b"p"):
            self.leave_foreign()
            self.note(1)  # without an element to close, they make one
        if name == b"form" and not self.may_be_open(b"template") and not self.may_be_foreign():
            self.has_form = False
        top = self.stack[-1]
        if top.foreign or top.name in MARKED:
            self.end_in_foreign(name)
        elif name in VOID or name in SKELETON:
            return
        elif name in self.pending and self.pending[name].floor > top.reach.barrier and top.reach.doubt < 0:
            # The last one opened is the one to close, and it is one that was to come back.
            waiting = self.pending.pop(name)
            remaining = waiting.elements - (not self.has_stray_marker)
            if remaining > 0:
                self.pending[name] = waiting._replace(elements=remaining)
            self.freeze(waiting.floor)
        elif top.name == name and not self.pending and name not in MARKERS and not self.has_stray_marker:
            self.open[name] -= 1
            del self.stack[-1]
        elif self.may_be_open(name) or name in self.pending or name in HEADINGS:
            self.end_nearest(name)

    def may_close(self, name: bytes) -> bool:
        names = HEADINGS if name in HEADINGS else (name, INTEGRATION_MARK + name)
        return name in self.pending or any(self.may_be_open(candidate) for candidate in names)

    def end_in_foreign(self, name: bytes) -> None:
        at = len(self.stack) - 1
        names = (name, INTEGRATION_MARK + name)
        is_sure = True
        while at > 0 and (self.stack[at].foreign or self.stack[at].name in MARKED):
            if self.pending and not self.stack[at].foreign:
                is_sure = False  # an element that came back may stand here, and hold the end tag off
            if self.stack[at].name in names and is_sure:
                self.pop_to(at)
                return
            self.steps += 1
            at -= 1
        if self.may_close(name):
            is_of_table = name in TABLE_PARTS or name == b"table"
            self.freeze(1 if is_of_table else min(at, self.stack[-1].reach.barrier) + 1)

    def end_nearest(self, name: bytes) -> None:
        stack = self.stack
        blockers = BLOCKERS.get(name, SPECIAL)
        is_heading = name in HEADINGS
        lowest_doubt = 0
        crosses_special = crosses_other = False
        for at in range(len(stack) - 1, 0, -1):
            element = stack[at]
            self.steps += 1
            if not element.foreign and (element.name == name or (is_heading and element.name in HEADINGS)):
                break
            if element.name == DOUBT:
                lowest_doubt = at
            elif element.name in blockers and not element.foreign:
                at = 0
                break
            else:
                crosses_special = crosses_special or element.name in SPECIAL
                crosses_other = crosses_other or element.name not in IMPLIED_ENDS
        else:
            at = 0
        if at == 0:
            if name in self.pending:
                self.freeze(max(self.pending[name].floor, stack[-1].reach.barrier + 1))
            elif lowest_doubt and (name in self.doubtful or (is_heading and self.doubtful & HEADINGS)):
                self.freeze(lowest_doubt + 1)
        elif (
            (lowest_doubt and (name not in BLOCKS | CELLS | ROWS or self.is_doubtful(name)))
            or (name in FORMATTING and crosses_special)
            or (name == b"form" and (crosses_other or self.pending))
        ):
            self.freeze(at)
        else:
            self.pop_own(at)

    def is_doubtful(self, name: bytes) -> bool:
        names = HEADINGS | {name} if name in HEADINGS else {name}
        return not self.doubtful.isdisjoint(names | SCOPE)
