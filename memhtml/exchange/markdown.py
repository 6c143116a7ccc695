"""From Markdown to the blocks of an article.

A library reads the Markdown; what it makes is read like any other HTML, so that markup inside a note has one way in.
Imported lazily: no other command needs the library.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from memhtml.exchange.html_blocks import Reading, TooComplex, read_html
from memhtml.format.vocabulary import names

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence
    from typing import Any

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

__all__ = ["WIKI", "read_markdown"]

#: Marks the target of a `[[link]]`, which names a note by its title; with a scheme of its own it would be an address.
WIKI: Final = "./wiki:"

_MAX_NESTING: Final = 40
#: A bracket may open a link, and looking for the end of each is quadratic; prose holds far fewer.
_MAX_BRACKETS: Final = 5_000
_TAG: Final = re.compile(r"<!--.*?-->|</?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])", re.DOTALL)
_WIKI_LINK: Final = re.compile(r"\[\[([^\[\]\n|]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
#: What a browser takes for an element; any other name between angle brackets is a word of the note.
_ELEMENTS: Final = names(
    "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption "
    "center cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset "
    "figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i "
    "iframe img input ins kbd label legend li link main map mark math menu meta meter nav noscript object "
    "ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select "
    "slot small source span strike strong style sub summary sup svg table tbody td template textarea "
    "tfoot th thead time title tr track tt u ul var video wbr"
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
    return read_html(parser.renderer.render(tokens, parser.options, {}), is_page=False)


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _MAX_NESTING}).enable("table")
    # Which addresses pass is for the reader of the HTML to say, which keeps the words of a link that does not.
    parser.validateLink = _any_address  # type: ignore[method-assign] # the library's own way to say so
    parser.inline.ruler.before("link", "wiki_link", _wiki_link)
    parser.add_render_rule("html_inline", _raw_html)
    parser.add_render_rule("html_block", _raw_html)
    return parser


def _any_address(url: str) -> bool:
    return bool(url)


def _raw_html(
    _renderer: object,
    tokens: "Sequence[Token]",
    index: int,
    _options: object,
    _env: "MutableMapping[str, Any]",
) -> str:
    """Keep tags of HTML, and take any other word between angle brackets for what it is."""

    def kept(found: re.Match[str]) -> str:
        name = found[1]
        return found[0] if name is None or name.lower() in _ELEMENTS else "&lt;" + found[0][1:]

    return _TAG.sub(kept, tokens[index].content)


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
