"""The stack of open elements that a tree builder would have, kept without a tree: as deep, or deeper.

Where a tag leaves doubt about what it closed, the doubtful part of the stack is counted as open for good. So the
stack itself holds only what is surely open, in its order, and `peak` is an upper bound of the depth.
"""

from typing import Final, NamedTuple

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

__all__ = ["Outline"]

#: Stands on the stack for elements of which it is not known whether they are open.
_DOUBT: Final = b"?"


class _Reach(NamedTuple):
    """Where in the stack the elements stand that a later tag may close, or that may stop it (-1: nowhere)."""

    p: int = -1
    li: int = -1
    dd: int = -1
    table_part: int = -1
    doubt: int = -1
    barrier: int = 0
    marker: int = 0


class _Open(NamedTuple):
    """An open element."""

    name: bytes
    weight: int
    #: The root of the foreign vocabulary that the element belongs to, or nothing.
    foreign: bytes
    reach: _Reach


class _Pending(NamedTuple):
    """Formatting elements of one name that were closed by another's end and will be opened again."""

    elements: int
    weight: int
    #: The lowest place in the stack where one of them may stand now.
    floor: int
    #: The lowest marker inside of which one was opened; with the marker they are forgotten.
    marker: int


class Outline:
    def __init__(self, *, is_quirky: bool) -> None:
        self.is_quirky = is_quirky
        self.stack: list[_Open] = [_Open(b"html", 0, b"", _Reach())]
        self.frozen = 1
        self.open: dict[bytes, int] = {b"html": 1}
        self.doubtful: set[bytes] = set()
        self.pending: dict[bytes, _Pending] = {}
        self.copies = 0
        self.peak = 2
        #: How often an end tag looked at an element of the stack.
        self.steps = 0

    # The stack.

    def note(self, more: int = 0) -> None:
        depth = len(self.stack) + self.frozen + more
        if self.pending:
            depth += sum(waiting.elements for waiting in self.pending.values())
        if depth > self.peak:
            self.peak = depth

    def push(self, name: bytes, weight: int = 0, *, foreign: bytes = b"") -> None:
        reach = self.stack[-1].reach
        if name in SPECIAL and not foreign:
            reach = self.reach_of(name, reach)
        self.stack.append(_Open(name, weight, foreign, reach))
        self.open[name] = self.open.get(name, 0) + 1
        self.note()

    def reach_of(self, name: bytes, outer: _Reach) -> _Reach:
        at = len(self.stack)
        p, li, dd, part, doubt, barrier, marker = outer
        if name in CLOSES_P or name in SCOPE or name == b"button":
            p = at if name == b"p" else -1
        if name not in (b"address", b"div", b"p"):
            li = at if name == b"li" else -1
            dd = at if name in (b"dd", b"dt") else -1
        if name in TABLE_PARTS or name == b"table":
            part = at
        elif name == b"template":
            part = -1
        if name in SCOPE or name in ROWS:
            barrier, doubt = at, -1
        if name in MARKERS:
            marker = at
        return _Reach(p, li, dd, part, doubt, barrier, marker)

    def pop_to(self, at: int) -> None:
        """Pop every element from place `at` on; formatting elements among them will come back."""
        lost: list[_Open] = []
        markers: list[int] = []
        above_marker = 0
        for place in range(len(self.stack) - 1, at - 1, -1):
            element = self.stack[place]
            self.open[element.name] -= 1
            if element.foreign:
                continue
            if element.name in MARKERS:
                markers.append(place)
                above_marker = len(lost)
            elif element.name in FORMATTING:
                lost.append(element)
        if len(markers) == 1 and (markers[0] == at or self.stack[markers[0]].name in CELLS):
            self.pending = {name: known for name, known in self.pending.items() if known.marker < markers[0]}
            del lost[:above_marker]
        elif markers:
            self.forget_markers(markers[-1])
        del self.stack[at:]
        for name, waiting in self.pending.items():
            if waiting.floor > at:
                self.pending[name] = waiting._replace(floor=at)
        for element in lost:
            self.await_again(element, at, -1 if markers else self.stack[-1].reach.marker)

    def forget_markers(self, lowest: int) -> None:
        """Note that no marker from place `lowest` on will make the parser forget what was opened inside of it."""
        for name, waiting in self.pending.items():
            if waiting.marker >= lowest:
                self.pending[name] = waiting._replace(marker=-1)

    def await_again(self, element: _Open, at: int, marker: int) -> None:
        count, weight, floor, inside = self.pending.get(element.name, (0, 0, at, marker))
        if element.name == b"a" and count and floor > self.stack[-1].reach.barrier:
            count -= 1  # a link is closed by the next one, so only the last comes back
        self.pending[element.name] = _Pending(
            count + 1, weight + element.weight + 1, min(floor, at), min(marker, inside)
        )

    def freeze(self, at: int) -> None:
        """Count the elements from place `at` on as open for good, whatever happened to them."""
        at = max(at, 1)
        if at >= len(self.stack):
            return
        hides_table = False
        for element in self.stack[at:]:
            self.open[element.name] -= 1
            hides_table = hides_table or element.name == b"table" or element.reach.table_part >= at
            if element.name == _DOUBT:
                continue
            self.frozen += 1
            self.doubtful.add(element.name)
            if element.name in FORMATTING:
                count, weight, floor, _ = self.pending.get(element.name, (0, 0, at, -1))
                self.pending[element.name] = _Pending(count, weight + element.weight + 1, min(floor, at), -1)
        self.forget_markers(at)
        del self.stack[at:]
        reach = self.stack[-1].reach
        reach = reach._replace(
            p=at if b"p" in self.doubtful else reach.p,
            li=at if b"li" in self.doubtful else reach.li,
            dd=at if not self.doubtful.isdisjoint((b"dd", b"dt")) else reach.dd,
            table_part=at if hides_table else reach.table_part,
            doubt=at if reach.doubt < 0 else reach.doubt,
        )
        self.stack.append(_Open(_DOUBT, 0, b"", reach))
        self.open[_DOUBT] = self.open.get(_DOUBT, 0) + 1
        self.note()

    def freeze_scope(self) -> None:
        self.freeze(self.stack[-1].reach.barrier + 1)

    def may_be_open(self, name: bytes) -> bool:
        return name in self.doubtful or self.open.get(name, 0) > 0

    # Start tags.

    def start(
        self, name: bytes, weight: int, *, closes_itself: bool, is_styled_font: bool | None = None
    ) -> None:
        """Take a start tag; a `font` inside a foreign element leaves it if it has an attribute of style (None: if)."""
        self.count_copies(name)
        top = self.stack[-1]
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
        if name in VOID or name in RAW_TEXT:
            self.start_empty(name)
        elif name in TABLE_PARTS:
            self.start_table_part(name)
        elif name in FOREIGN_ROOTS:
            if not closes_itself:
                self.push(name, foreign=name)
        elif name in (b"frameset", b"mglyph", b"malignmark") or (name == b"select" and self.close_select()):
            self.frozen += 1
        elif name not in SKELETON:
            self.close_before(name)
            self.push(name, weight)
            if name == b"form" and (name in self.doubtful or self.open[name] > 1):
                self.freeze(len(self.stack) - 1)  # a form inside a form is dropped
        self.note(1)

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
        if self.pending and name not in FORMATTING:
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
        if stack[-1].name == b"colgroup" and name != b"template":
            self.pop_to(len(stack) - 1)
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
            if stack[part].name == _DOUBT:
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
        if self.stack[at].name == _DOUBT:
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
        if self.open.get(name, 0):
            at = next(at for at in range(len(self.stack) - 1, 0, -1) if self.stack[at].name == name)
            self.steps += len(self.stack) - at
            if reach.marker < at <= reach.barrier:
                self.freeze(at)
        if self.stack[-1].name not in MARKED:
            self.end(name)

    def close_top(self, names: frozenset[bytes]) -> None:
        at = len(self.stack) - 1
        if self.stack[at].name in names:
            if self.pending or (names is IMPLIED_ENDS and self.stack[at].name != b"option"):
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
        if part < 0 or stack[part].name == _DOUBT:
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
        self.count_copies(name)
        top = self.stack[-1]
        if top.foreign and name in (b"br", b"p"):
            self.leave_foreign()
        if name in VOID or name in SKELETON:
            return
        top = self.stack[-1]
        if top.foreign or top.name in MARKED:
            self.end_in_foreign(name)
        elif name in self.pending and self.pending[name].floor > top.reach.barrier and top.reach.doubt < 0:
            # The last one opened is the one to close, and it is one that was to come back.
            waiting = self.pending.pop(name)
            if waiting.elements > 1:
                self.pending[name] = waiting._replace(elements=waiting.elements - 1)
            self.freeze(waiting.floor)
        elif top.name == name and not self.pending and name not in MARKERS:
            self.open[name] -= 1
            del self.stack[-1]
        elif self.may_be_open(name) or name in self.pending or name in HEADINGS:
            self.end_nearest(name)

    def may_close(self, name: bytes) -> bool:
        names = HEADINGS if name in HEADINGS else (name, INTEGRATION_MARK + name)
        return name in self.pending or any(self.may_be_open(candidate) for candidate in names)

    def end_in_foreign(self, name: bytes) -> None:
        at = len(self.stack) - 1
        if self.stack[at].name in (name, INTEGRATION_MARK + name):
            self.pop_own(at)
            return
        if not self.may_close(name):
            return
        while at > 0 and (self.stack[at].foreign or self.stack[at].name in MARKED):
            at -= 1
        self.freeze(
            1 if name in TABLE_PARTS or name == b"table" else min(at, self.stack[-1].reach.barrier) + 1
        )

    def end_nearest(self, name: bytes) -> None:
        stack = self.stack
        blockers = BLOCKERS.get(name, SPECIAL)
        is_heading = name in HEADINGS
        lowest_doubt = 0
        crosses_special = crosses_other = False
        for at in range(len(stack) - 1, 0, -1):
            element = stack[at]
            self.steps += 1
            if element.name == name or (is_heading and element.name in HEADINGS):
                break
            if element.name == _DOUBT:
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
            or (name == b"form" and (crosses_other or (self.pending and at < len(stack) - 1)))
        ):
            self.freeze(at)
        else:
            self.pop_own(at)

    def is_doubtful(self, name: bytes) -> bool:
        names = HEADINGS | {name} if name in HEADINGS else {name}
        return not self.doubtful.isdisjoint(names | SCOPE)

    def pop_own(self, at: int) -> None:
        """Pop the last element by its own end tag, after which it does not come back."""
        name = self.stack[at].name
        if name in FORMATTING:
            self.open[name] -= 1
            self.open[b""] = 1
            self.stack[at] = self.stack[at]._replace(name=b"")
        self.pop_to(at)
