"""A stack of open elements of which each is surely open, and a count of those that may be.

Where it is not known what was closed, the doubtful part of the stack is frozen: counted as open for good, with a mark
in its place. Formatting elements that were closed by another's end wait to be opened again, as the standard has it.
"""

from typing import Final, NamedTuple

from memhtml.format.nesting import (
    CELLS,
    CLOSES_P,
    FOREIGN_ROOTS,
    FORMATTING,
    MARKERS,
    ROWS,
    SCOPE,
    SPECIAL,
    TABLE_PARTS,
)

__all__ = ["DOUBT", "Open", "OpenElements"]

#: Stands on the stack for elements of which it is not known whether they are open.
DOUBT: Final = b"?"
_LEAVES_TRACES: Final = MARKERS | FORMATTING


class _Reach(NamedTuple):
    """Where in the stack the elements stand that a later tag may close, or that may stop it (-1: nowhere)."""

    p: int = -1
    li: int = -1
    dd: int = -1
    table_part: int = -1
    doubt: int = -1
    barrier: int = 0
    marker: int = 0


class Open(NamedTuple):
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


class OpenElements:
    """The stack, the formatting elements that wait beside it, and the largest depth so far."""

    def __init__(self, *, is_quirky: bool) -> None:
        self.is_quirky = is_quirky
        self.stack: list[Open] = [Open(b"html", 0, b"", _Reach())]
        self.frozen = 1
        self.open: dict[bytes, int] = {b"html": 1}
        self.doubtful: set[bytes] = set()
        self.pending: dict[bytes, _Pending] = {}
        self.copies = 0
        self.peak = 2
        #: Whether a form was opened and not ended; one that its parent closed still counts.
        self.has_form = False
        #: Whether the parser's list of formatting elements may still be parted where a marker was: those before it are
        #: then neither found by their end tags nor replaced by the next link.
        self.has_stray_marker = False
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
        self.stack.append(Open(name, weight, foreign, reach))
        self.open[name] = self.open.get(name, 0) + 1
        if self.pending or len(self.stack) + self.frozen > self.peak:
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

    def pop_to(self, at: int, *, by_end_tag: bool = False) -> None:
        """Pop every element from place `at` on; formatting elements among them will come back."""
        if at == len(self.stack) - 1 and not self.pending and self.stack[at].name not in _LEAVES_TRACES:
            self.open[self.stack.pop().name] -= 1
            return
        lost: list[Open] = []
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
        if len(markers) == 1 and (by_end_tag or self.stack[markers[0]].name in CELLS):
            self.pending = {name: known for name, known in self.pending.items() if known.marker < markers[0]}
            del lost[:above_marker]
        elif markers:
            self.forget_markers(markers[-1])
            self.has_stray_marker = True
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

    def await_again(self, element: Open, at: int, marker: int) -> None:
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
            if element.name == DOUBT:
                continue
            self.frozen += 1
            self.doubtful.add(element.name)
            self.has_stray_marker = self.has_stray_marker or element.name in MARKERS
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
        self.stack.append(Open(DOUBT, 0, b"", reach))
        self.open[DOUBT] = self.open.get(DOUBT, 0) + 1
        self.note()

    def freeze_scope(self) -> None:
        self.freeze(self.stack[-1].reach.barrier + 1)

    def may_be_open(self, name: bytes) -> bool:
        return name in self.doubtful or self.open.get(name, 0) > 0

    def is_certain(self) -> bool:
        """Whether the innermost element is the one on the stack, and HTML."""
        top = self.stack[-1]
        return not (self.pending or self.has_stray_marker or top.foreign or top.reach.doubt >= 0)

    def may_be_foreign(self) -> bool:
        return bool(self.stack[-1].foreign) or not self.doubtful.isdisjoint(FOREIGN_ROOTS)

    def pop_own(self, at: int) -> None:
        """Pop the last element by its own end tag, after which it does not come back."""
        name = self.stack[at].name
        if name in FORMATTING and not self.has_stray_marker:
            self.open[name] -= 1
            self.open[b""] = 1
            self.stack[at] = self.stack[at]._replace(name=b"")
        self.pop_to(at, by_end_tag=self.stack[at].name in MARKERS)
