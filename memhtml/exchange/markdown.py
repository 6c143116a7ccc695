"""From Markdown to the blocks of an article.

A library reads the Markdown; what it makes is read like any other HTML, so that markup inside a note has one way in.
Imported lazily: no other command needs the library.
"""

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from memhtml.exchange.html_blocks import Reading, TooComplex, read_html
from memhtml.format.vocabulary import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

__all__ = ["WIKI", "read_markdown"]

#: Marks the target of a `[[link]]`, which names a note by its title; with a scheme of its own it would be an address.
WIKI: Final = "./wiki:"

_MAX_NESTING: Final = 40
#: A bracket may open a link, and looking for the end of each is quadratic; prose holds far fewer.
_MAX_BRACKETS: Final = 5_000
_COMMENT_OR_SIGN: Final = re.compile(r"<!--.*?-->|<", re.DOTALL)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])")
_WIKI_LINK: Final = re.compile(r"\[\[([^\[\]\n|]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
#: What stands between words, in pairs.
_INLINE: Final = names(
    "a abbr b big cite code del dfn em font i ins kbd label q s samp small span strike strong sub sup time tt u var"
)
_SINGLE: Final = names("br hr img wbr")
_BLOCK: Final = names(
    "address article aside blockquote body caption center col colgroup dd details dialog div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 head header hgroup html legend li main menu nav ol p picture pre search "
    "section summary table tbody td tfoot th thead tr ul"
)
#: What takes in everything up to its end tag, and shows none of it or not as words.
_SWALLOWING: Final = names(
    "audio button canvas datalist iframe map math noscript object script select style svg template textarea title video"
)


def read_markdown(text: str) -> Reading:
    """Return the blocks of a note without its front matter.

    Errors: TooComplex for nesting or brackets that no prose has.
    """
    if text.count("[") > _MAX_BRACKETS:
        raise TooComplex
    parser = _parser()
    tokens = parser.parse(text)
    if any(token.level >= _MAX_NESTING - 1 for token in tokens):
        raise TooComplex  # the library leaves out what stands deeper
    _settle(tokens)
    return read_html(parser.renderer.render(tokens, parser.options, {}), is_page=False)


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _MAX_NESTING}).enable("table")
    # Which addresses pass is for the reader of the HTML to say, which keeps the words of a link that does not.
    parser.validateLink = _any_address  # type: ignore[method-assign] # the library's own way to say so
    parser.inline.ruler.before("link", "wiki_link", _wiki_link)
    return parser


def _any_address(url: str) -> bool:
    return bool(url)


def _settle(tokens: "Iterable[Token]") -> None:
    """Tell markup from words between angle brackets, which people write about markup and about types.

    Markup is what HTML knows, has both its ends, and hides nothing that was not meant to be inside. All else is text.
    """
    for token in tokens:
        if token.type == "html_block":
            token.content = _COMMENT_OR_SIGN.sub(
                partial(_settled, closed=_closed_in(token.content)), token.content
            )
        elif token.type == "inline":
            _settle_inline(token.children or [])


def _closed_in(markup: str) -> frozenset[str]:
    return frozenset(found[2].lower() for found in _TAG.finditer(markup) if found[1])


def _settled(found: re.Match[str], *, closed: frozenset[str]) -> str:
    if found[0] != "<":
        return ""  # a comment
    tag = _TAG.match(found.string, found.start())
    name = tag[2].lower() if tag is not None else ""
    is_markup = name in _BLOCK or name in _SINGLE or (name in closed and name in _INLINE | _SWALLOWING)
    return "<" if is_markup else "&lt;"


def _settle_inline(children: "list[Token]") -> None:
    open_at: dict[str, list[int]] = {}
    for place, token in enumerate(children):
        if token.type != "html_inline":
            continue
        token.type = "text"
        found = _TAG.match(token.content)
        name = found[2].lower() if found is not None else ""
        if token.content.startswith("<!--"):
            token.content = ""
        elif name in _SINGLE:
            token.type = "html_inline"
        elif found is not None and name in _INLINE:
            if not found[1]:
                open_at.setdefault(name, []).append(place)
            elif open_at.get(name):
                token.type = children[open_at[name].pop()].type = "html_inline"


def _wiki_link(state: "StateInline", silent: bool) -> bool:
    if not state.src.startswith("[[", state.pos):
        return False
    found = _WIKI_LINK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("link_open", "a", 1)
        token.attrs = {"href": WIKI + found[1].strip()}
        state.push("text", "", 0).content = (found[2] or found[1]).strip()
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True
