"""Which elements close, hold off or outlive which others when a tree is built, as sets of names.

Source: the parsing chapter of the HTML standard.
"""

from typing import Final

__all__ = [
    "BLOCKERS",
    "BLOCKS",
    "BREAKOUT",
    "CELLS",
    "CLOSES_P",
    "FOREIGN_ROOTS",
    "FORMATTING",
    "HEADINGS",
    "IMPLIED_ENDS",
    "INTEGRATION",
    "INTEGRATION_MARK",
    "MARKED",
    "MARKERS",
    "ROWS",
    "SCOPE",
    "SECTIONS",
    "SKELETON",
    "SPECIAL",
    "TABLE_PARTS",
]


def _set(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


FORMATTING: Final = _set("a b big code em font i nobr s small strike strong tt u")
HEADINGS: Final = _set("h1 h2 h3 h4 h5 h6")
BLOCKS: Final = (
    _set(
        "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header "
        "hgroup listing main menu nav ol pre search section summary ul"
    )
    | HEADINGS
)
CLOSES_P: Final = BLOCKS | _set("p li dd dt form table hr xmp plaintext")
CELLS: Final = _set("td th caption")
SECTIONS: Final = _set("tbody thead tfoot")
ROWS: Final = SECTIONS | _set("tr colgroup")
TABLE_PARTS: Final = CELLS | ROWS
MARKERS: Final = CELLS | _set("applet object marquee template")
FOREIGN_ROOTS: Final = _set("svg math")
#: Elements of the two foreign vocabularies whose content is HTML again; on the stack they carry a mark.
INTEGRATION: Final = {b"svg": _set("foreignobject desc title"), b"math": _set("mi mo mn ms mtext")}
INTEGRATION_MARK: Final = b"*"
MARKED: Final = frozenset(
    INTEGRATION_MARK + name for name in _set("annotation-xml").union(*INTEGRATION.values())
)
SCOPE: Final = MARKERS | MARKED | _set("html table select")
SPECIAL: Final = SCOPE | BLOCKS | ROWS | _set("p li dd dt form button")
IMPLIED_ENDS: Final = _set("dd dt li optgroup option p rb rp rt rtc")
SKELETON: Final = _set("html head body")
BREAKOUT: Final = _set(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var font"
)


def _blockers(name: bytes) -> frozenset[bytes]:
    """The elements through which an end tag of this name does not reach."""
    if name in FORMATTING or name in BLOCKS or name in SCOPE - CELLS - {b"table", b"template"}:
        return SCOPE
    return {
        b"p": SCOPE | {b"button"},
        b"li": SCOPE | {b"ol", b"ul"},
        b"template": frozenset[bytes](),
        **dict.fromkeys((b"dd", b"dt", b"button", b"form"), SCOPE),
        **dict.fromkeys(TABLE_PARTS | {b"table"}, _set("table template")),
    }.get(name, SPECIAL)


BLOCKERS: Final = {
    name: _blockers(name) for name in SPECIAL | FORMATTING | _set("p li dd dt button form template table")
}
