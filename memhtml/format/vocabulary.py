"""The closed vocabulary of a memory file, as data: head names, link tokens, elements, and the sizes a write may have.

Names stand in the order in which they are written, so that two writers of one memory give one diff.
"""

from typing import Final

from memhtml.values import EdgeRel

__all__ = [
    "ARTICLE_ELEMENTS",
    "EXTENSION_META_NAMES",
    "EXTENSION_META_PREFIX",
    "FORBIDDEN_ATTRIBUTES",
    "FORBIDDEN_ELEMENTS",
    "INLINE_ELEMENTS",
    "KNOWN_ELEMENTS",
    "MAX_ATTRIBUTES",
    "MAX_DEPTH",
    "MAX_INDEXED_BYTES",
    "MAX_WRITTEN_BYTES",
    "MAX_WRITTEN_LINKS",
    "MAX_WRITTEN_METAS",
    "META_NAMES",
    "META_PREFIX",
    "META_RANK",
    "REL_PREFIX",
    "REPEATABLE_METAS",
    "REQUIRED_METAS",
    "SCOPED_ELEMENTS",
    "names",
    "rel_of_token",
    "token_of_rel",
]


def names(text: str) -> frozenset[str]:
    """Return the names of a text that spaces separate."""
    return frozenset(text.split())


META_PREFIX: Final = "memhtml-"
REL_PREFIX: Final = "memhtml-"
#: Names of our own carry this prefix, because a reader of the closed list below refuses a file with an unknown
#: `memhtml-` name, and ignores every other name.
EXTENSION_META_PREFIX: Final = "x-memhtml-"

#: Every head name, in the order of emission. A new scalar goes behind `due`, a new repeatable behind `alias`.
META_NAMES: Final[tuple[str, ...]] = (
    "memhtml-type",
    "memhtml-status",
    "memhtml-created",
    "memhtml-updated",
    "memhtml-confidence",
    "memhtml-importance",
    "memhtml-content-hash",
    "memhtml-author",
    "memhtml-session",
    "memhtml-prompt",
    "memhtml-turn",
    "memhtml-valid-from",
    "memhtml-valid-until",
    "memhtml-reprieves",
    "memhtml-archived",
    "memhtml-superseded-by",
    "memhtml-needs-revision",
    "memhtml-task-status",
    "memhtml-due",
    "memhtml-entity",
    "memhtml-tag",
    "memhtml-alias",
)
#: The place of each name in the order of emission.
META_RANK: Final[dict[str, int]] = {name: rank for rank, name in enumerate(META_NAMES)}
REQUIRED_METAS: Final[tuple[str, ...]] = META_NAMES[:4]
REPEATABLE_METAS: Final[frozenset[str]] = frozenset(META_NAMES[-3:])
#: What we add to a head: known here, invisible to a reader of the closed list. Of these the rows hold the origin only.
EXTENSION_META_NAMES: Final[tuple[str, ...]] = tuple(
    EXTENSION_META_PREFIX + name
    for name in (
        "run",
        "step",
        "event",
        "asserted-by",
        "branch",
        "key",
        "scope",
        "risk",
        "expiry",
        "language",
        "origin",
    )
)

#: Elements that put no space around their text; every other element, known or not, is a block.
INLINE_ELEMENTS: Final = names("mark time data cite q dfn abbr code kbd samp var a strong em span")
ARTICLE_ELEMENTS: Final = names(
    "article mark time dl dt dd data cite q dfn figure figcaption details summary aside section abbr pre "
    "code kbd samp var table caption thead tbody tr th td p ul ol li a strong em"
)
#: Known only inside a figure.
SCOPED_ELEMENTS: Final = names("div span")
KNOWN_ELEMENTS: Final = names("html head body title meta link address") | ARTICLE_ELEMENTS | SCOPED_ELEMENTS
FORBIDDEN_ELEMENTS: Final = names("script style")
FORBIDDEN_ATTRIBUTES: Final = names("class style")

#: What a write may hold; a file of the tree that holds more keeps its row and is a finding.
MAX_WRITTEN_BYTES: Final = 64 * 1024
MAX_WRITTEN_METAS: Final = 200
MAX_WRITTEN_LINKS: Final = 500
#: Above this size a file is not even parsed.
MAX_INDEXED_BYTES: Final = 1024 * 1024
#: Tree construction takes quadratic time in exactly these two, so a file above `MAX_WRITTEN_BYTES` must keep to them.
MAX_DEPTH: Final = 200
MAX_ATTRIBUTES: Final = 256

_RELS: Final[dict[str, EdgeRel]] = {rel.value: rel for rel in EdgeRel}


def rel_of_token(token: str) -> EdgeRel | None:
    """Return the rel that a link's whole `rel` attribute names, or None; the prefix is case-sensitive."""
    if not token.startswith(REL_PREFIX):
        return None
    return _RELS.get(token[len(REL_PREFIX) :].replace("-", "_"))


def token_of_rel(rel: EdgeRel) -> str:
    """Return the `rel` attribute of a link."""
    return REL_PREFIX + rel.value.replace("_", "-")
