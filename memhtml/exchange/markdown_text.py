"""From the blocks of an article to Markdown, for people and for programs that read nothing else.

What Markdown has no signs for is written as a reader would say it, a keyboard input as code, say; lists of terms, which
have a meaning here, stay HTML. Reading the text again gives the same words.
"""

import re
from collections.abc import Iterable
from typing import Final

from memhtml.exchange.blocks import (
    Block,
    Code,
    Element,
    Folded,
    Inlines,
    Items,
    Paragraph,
    Quote,
    Table,
    Terms,
    markup,
    words_of,
)

__all__ = ["markdown_of"]

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>&~]")
#: What would begin a block at the start of a line.
_LINE_START: Final = re.compile(
    r"^(\s*)(#{1,6}(?=\s|$)|[-+=](?=[\s=-]|$)|[0-9]{1,9}(?=[.)](?:\s|$))|\||:)", re.MULTILINE
)
_ORDERED: Final = re.compile(r"[0-9]+")
_BACKTICKS: Final = re.compile(r"`+")
_EMPHASIS: Final = {"em": "*", "strong": "**", "cite": "*", "dfn": "*"}
_TAGS: Final = {"*": "em", "**": "strong"}
_CODE: Final = frozenset({"code", "kbd", "samp", "var"})


def markdown_of(blocks: Iterable[Block]) -> str:
    """Return the blocks as CommonMark with tables, ending without a line feed."""
    return "\n\n".join(filter(None, map(_block, blocks)))


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            if (quoted := _quotation(block)) is not None:
                return _block(Quote((Paragraph(quoted),)))
            words = _lines(block.content)
            return f"{'#' * block.level} {' '.join(words.split())}" if block.level else words
        case Code():
            return _fenced(block)
        case Items():
            items = []
            for number, item in enumerate(block.items, 1):
                sign = f"{number}. " if block.is_ordered else "- "
                items.append(sign + _indented(_item(item), len(sign)))
            is_loose = any("\n\n" in item for item in items)
            return ("\n\n" if is_loose else "\n").join(items)
        case Table():
            return _table(block)
        case Quote():
            inner = markdown_of(block.blocks)
            return "\n".join(f"> {line}".rstrip() for line in inner.split("\n"))
        case Terms():
            return markup((block,), lambda address: address).replace("\n\n", "\n")
        case Folded():
            summary = _inline(block.summary, has_lines=False)
            return f"<details><summary>{summary}</summary>\n\n{markdown_of(block.blocks)}\n\n</details>"


def _item(blocks: tuple[Block, ...]) -> str:
    """Return an item, whose own list follows its words at once, or the whole list would be a loose one."""
    text = ""
    for place, block in enumerate(blocks):
        is_tight = isinstance(block, Items) and isinstance(blocks[place - 1], Paragraph)
        text += ("\n" if is_tight else "\n\n") + _block(block) if place else _block(block)
    return text


def _lines(content: Inlines) -> str:
    """Return a run as the lines of a paragraph, none of which begins another block."""
    lines = [line.strip() for line in _inline(content).strip().split("\n")]
    return "\n".join(_LINE_START.sub(_escaped_start, line) for line in lines if line)


def _escaped_start(found: re.Match[str]) -> str:
    sign = found[2]
    # A number is escaped at the sign behind it, since a backslash before a digit is a backslash.
    return f"{found[1]}{sign}\\" if _ORDERED.fullmatch(sign) else f"{found[1]}\\{sign}"


def _indented(text: str, width: int) -> str:
    blank = " " * width
    return "\n".join(blank + line if line and place else line for place, line in enumerate(text.split("\n")))


def _fenced(code: Code) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(code.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{code.language or ''}\n{code.text}\n{fence}"


def _table(table: Table) -> str:
    width = max(len(row) for row in table.rows)
    rows = [[_inline(cell, has_lines=False).replace("|", "\\|") for _, cell in row] for row in table.rows]
    has_head = all(is_head for is_head, _ in table.rows[0])
    head, body = (rows[0], rows[1:]) if has_head else ([""] * width, rows)
    lines = [_row(head, width), _row(["---"] * width, width), *(_row(row, width) for row in body)]
    caption = [_lines(table.caption), ""] if words_of(table.caption).strip() else []
    return "\n".join([*caption, *lines])


def _row(cells: list[str], width: int) -> str:
    padded = [*cells, *[""] * (width - len(cells))]
    return f"| {' | '.join(padded)} |"


def _quotation(paragraph: Paragraph) -> Inlines | None:
    """Return the words of a paragraph that is one quotation."""
    parts = [part for part in paragraph.content if not isinstance(part, str) or part.strip()]
    first = parts[0] if len(parts) == 1 else ""
    return first.children if isinstance(first, Element) and first.tag == "q" else None


def _inline(content: Inlines, *, has_lines: bool = True) -> str:
    parts: list[str] = []
    for part in content:
        if isinstance(part, str):
            words = part if has_lines else part.replace("\n", " ")
            parts.append(_escaped(words))
        else:
            parts.append(_element(part, has_lines=has_lines))
    return "".join(parts)


def _escaped(words: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", words).replace("\xa0", "&nbsp;")


def _element(element: Element, *, has_lines: bool) -> str:
    words = words_of(element.children)
    if element.tag in _CODE:
        return _code_span(words)
    inner = _inline(element.children, has_lines=has_lines)
    attributes = dict(element.attributes)
    if element.tag in ("a", "link"):
        address = attributes["href"].replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")
        return f"[{inner}](<{address}>)" if re.search(r"[()\\]", address) else f"[{inner}]({address})"
    if element.tag == "abbr":
        return f"{inner} ({_escaped(attributes['title'])})"
    if element.tag == "q":
        return f"“{inner}”"
    sign = _EMPHASIS.get(element.tag, "")
    stripped = inner.strip()
    if not sign or not stripped:
        return inner
    if not (stripped[0].isalnum() and stripped[-1].isalnum()):  # a sign beside another may be none
        return f"<{_TAGS[sign]}>{inner}</{_TAGS[sign]}>"
    before, after = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
    return f"{before}{sign}{stripped}{sign}{after}"


def _code_span(words: str) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(words)), default=0)
    ticks = "`" * (longest + 1)
    blank = (
        " " if words.startswith("`") or words.endswith("`") or (words[:1] == " " and words.strip()) else ""
    )
    return f"{ticks}{blank}{words}{blank}{ticks}"
