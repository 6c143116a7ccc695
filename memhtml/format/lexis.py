"""Patterns of HTML's tokens over bytes, and the element names whose content is not markup.

The patterns accept any bytes: past `<` and a letter nothing fails, so no search is retried and all of them are linear.
"""

import re
from typing import Final

__all__ = [
    "ATTRIBUTE",
    "BYTE_ORDER_MARK",
    "COMMENT_END",
    "MARKUP",
    "RAW_TEXT",
    "VOID",
    "attributes_end",
    "comment_end",
    "raw_text_end",
]

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_NAME = rb"(=[^\t\n\f\r />=]*|[^\t\n\f\r />=]+)"
_VALUE = rb"""("[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|(?=>|\Z)|[^\t\n\f\r >"'][^\t\n\f\r >]*)"""
#: One attribute: its name, and its value with the quotes (group 2 is absent without `=`).
ATTRIBUTE: Final = re.compile(rb"%s(?:[\t\n\f\r ]*=[\t\n\f\r ]*%s)?" % (_NAME, _VALUE))
_ATTRIBUTE = ATTRIBUTE.pattern.replace(rb"(=[", rb"(?:=[").replace(rb'("[', rb'(?:"[')
# The count bounds what the engine keeps to backtrack into; whoever meets a longer tag matches on from there.
_ATTRIBUTES = rb"(?:[\t\n\f\r /]+|%s){0,512}" % _ATTRIBUTE
_PIECES: Final = re.compile(_ATTRIBUTES)
#: The next piece of markup: a tag (slash, name, attributes), `<!--`, or another `<!`, `<?`, `</`.
MARKUP: Final = re.compile(rb"<(?:(/?)([A-Za-z][^\t\n\f\r />]*)(%s)|(!--)|([!?]|/(?!\Z)))" % _ATTRIBUTES)
COMMENT_END: Final = re.compile(rb"--!?>")

#: Elements without content.
VOID: Final[frozenset[bytes]] = frozenset(
    (
        b"area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr"
    ).split()
)
#: Elements whose content is text up to their end tag.
RAW_TEXT: Final[frozenset[bytes]] = frozenset(
    b"title textarea style script xmp iframe noembed noframes noscript plaintext".split()
)

_RAW_END: Final[dict[bytes, re.Pattern[bytes]]] = {
    name: re.compile(rb"</%s(?=[\t\n\f\r />])" % name, re.IGNORECASE)
    for name in RAW_TEXT - {b"script", b"plaintext"}
}
_SCRIPT: Final = re.compile(rb"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE)


def attributes_end(data: bytes, position: int) -> int:
    """Return where the attributes end that `MARKUP` began to match: at a `>`, or with the data."""
    while data[position : position + 1] not in (b">", b""):
        found = _PIECES.match(data, position)
        if found is None:
            break
        position = found.end()
    return position


def comment_end(data: bytes, position: int) -> int:
    """Return the place behind the comment whose `<!--` ends at `position`, or -1 where it never ends."""
    if data.startswith(b">", position):
        return position + 1
    if data.startswith(b"->", position):
        return position + 2
    found = COMMENT_END.search(data, position)
    return found.end() if found else -1


def raw_text_end(data: bytes, start: int, name: bytes) -> int:
    """Return where the content of the raw-text element `name` ends: at its end tag, or with the data."""
    if name == b"plaintext":
        return len(data)
    if name == b"script":
        return _script_end(data, start)
    found = _RAW_END[name].search(data, start)
    return found.start() if found else len(data)


def _script_end(data: bytes, start: int) -> int:
    escaped = doubly_escaped = False
    found = _SCRIPT.search(data, start)
    while found:
        position = found.end()
        slash = found.group(1)
        if slash is None:
            escaped = found.group() == b"<!--" or (escaped and found.group() != b"-->")
            doubly_escaped = doubly_escaped and escaped
            if found.group() == b"<!--":
                position -= 2  # its dashes may begin a `-->`
        elif not slash:
            doubly_escaped = doubly_escaped or escaped
        elif doubly_escaped:
            doubly_escaped = False
        else:
            return found.start()
        found = _SCRIPT.search(data, position)
    return len(data)
