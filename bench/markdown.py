"""Markdown of notes to the article vocabulary of a memory: as much as the notes use, and anything else as plain text.

Total: any text gives an article. Raw HTML in a note is text, not markup.
"""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["Article", "article_of"]

#: Answers the href of a link target that is another note, or None.
Resolve = Callable[[str], str | None]

_FENCE = re.compile(r"^(\s*)(`{3,})\s*([^`]*)$")
_ITEM = re.compile(r"^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_RULE = re.compile(r"^\s*(?:-{3,}|\*{3,}|_{3,})\s*$")
_LANGUAGE = re.compile(r"[a-z0-9][a-z0-9_+#.-]*")
_INLINE = re.compile(
    r"(?P<tick>`+)(?P<code>.+?)(?<!`)(?P=tick)(?!`)"
    r"|!?\[(?P<label>(?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*(?P<href>[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
    r"|<(?P<bare>https?://[^>\s]+)>"
    r"|\*\*(?P<strong>\S(?:.*?\S)?)\*\*"
    r"|(?<![\w*])[*_](?P<em>[^\s*_](?:[^*_]*[^\s*_])?)[*_](?![\w*])",
    re.DOTALL,
)
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<! vs)[.!?](?=\s|$)")
#: "Use:" says nothing; the title does.
_SHORTEST_CLAIM = 12


@dataclass(frozen=True, slots=True)
class Article:
    """An article's markup, the claim it opens with, and the notes it links to."""

    markup: str
    claim: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of a paragraph: its markup, its plain words, and whether a sentence may end in it."""

    markup: str
    words: str
    is_plain: bool


@dataclass(slots=True)
class _Links:
    resolve: Resolve
    targets: dict[str, None]

    def href(self, target: str) -> str | None:
        if target.startswith(("http://", "https://")):
            return target
        found = self.resolve(target)
        if found is not None:
            self.targets[found] = None
        return found


def _plain(text: str) -> _Span:
    return _Span(html.escape(text, quote=False), text, is_plain=True)


def _spans(text: str, links: _Links) -> Iterator[_Span]:
    last = 0
    for found in _INLINE.finditer(text):
        if found.start() > last:
            yield _plain(text[last : found.start()])
        last = found.end()
        if found["code"] is not None:
            code = found["code"].strip()
            yield _Span(f"<code>{html.escape(code, quote=False)}</code>", code, is_plain=False)
        elif found["label"] is not None:
            inner = list(_spans(found["label"], links))
            markup, words = "".join(s.markup for s in inner), "".join(s.words for s in inner)
            href = links.href(found["href"])
            yield _Span(
                f'<a href="{html.escape(href)}">{markup}</a>' if href else markup, words, is_plain=False
            )
        elif found["bare"] is not None:
            href = html.escape(found["bare"])
            yield _Span(f'<a href="{href}">{href}</a>', found["bare"], is_plain=False)
        else:
            element, words = (
                ("strong", found["strong"]) if found["strong"] is not None else ("em", found["em"])
            )
            inner = list(_spans(words, links))
            markup = "".join(s.markup for s in inner)
            yield _Span(f"<{element}>{markup}</{element}>", "".join(s.words for s in inner), is_plain=False)
    if last < len(text):
        yield _plain(text[last:])


def _inline(text: str, links: _Links) -> str:
    return "".join(span.markup for span in _spans(text, links))


def _opening(text: str, links: _Links) -> tuple[str, str]:
    """Split a paragraph into its first sentence as plain words and the markup of the rest."""
    words: list[str] = []
    spans = list(_spans(text, links))
    for place, span in enumerate(spans):
        end = _SENTENCE_END.search(span.words) if span.is_plain else None
        at_edge = end is not None and end.end() == len(span.words) and place + 1 < len(spans)
        if end is None or at_edge:
            words.append(span.words)
            continue
        words.append(span.words[: end.end()])
        rest = _plain(span.words[end.end() :]).markup + "".join(s.markup for s in spans[place + 1 :])
        return "".join(words), rest.strip()
    return "".join(words), ""


def _code(info: str, lines: list[str], indent: int) -> str:
    token = info.strip().lower().split()[:1]
    language = f' data-lang="{token[0]}"' if token and _LANGUAGE.fullmatch(token[0]) else ""
    body = "\n".join(line[indent:] if line[:indent].isspace() else line for line in lines)
    # A parser eats the newline that follows <pre> only; <code> comes first, so the code is kept as it stands.
    return f"<figure><pre><code{language}>{html.escape(body, quote=False)}</code></pre></figure>"


def _table(lines: list[str], links: _Links) -> str:
    rows = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if all(set(cell) <= set(":- ") for cell in cells):
            continue
        rows.append("<tr>" + "".join(f"<td>{_inline(cell, links)}</td>" for cell in cells) + "</tr>")
    return "<table>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


class _Reader:
    """Walks the lines of one note and collects blocks."""

    def __init__(self, title: str, links: _Links) -> None:
        self.title = title
        self.links = links
        self.blocks: list[str] = []
        self.claim = ""
        self.pending: list[str] = []
        self.items: list[str] = []
        self.is_ordered = False

    def paragraph(self) -> None:
        text = "\n".join(self.pending).strip()
        self.pending = []
        if not text:
            return
        if self.blocks or self.claim:
            self.blocks.append(f"<p>{_inline(text, self.links)}</p>")
            return
        claim, rest = _opening(text, self.links)
        if len(claim) < _SHORTEST_CLAIM:
            claim, rest = self.title, _inline(text, self.links)
        self.claim = " ".join(claim.split())
        marked = f"<mark>{html.escape(self.claim, quote=False)}</mark>"
        self.blocks.append(f"<p>{marked} {rest}</p>" if rest else f"<p>{marked}</p>")

    def list_(self) -> None:
        if self.items:
            element = "ol" if self.is_ordered else "ul"
            inner = "\n".join(f"<li>{_inline(item, self.links)}</li>" for item in self.items)
            self.blocks.append(f"<{element}>\n{inner}\n</{element}>")
            self.items = []

    def flush(self) -> None:
        self.paragraph()
        self.list_()

    def read(self, lines: list[str]) -> None:
        place = 0
        while place < len(lines):
            line = lines[place]
            place += 1
            if fence := _FENCE.match(line):
                self.flush()
                closing = re.compile(rf"^\s*`{{{len(fence[2])},}}\s*$")
                end = next((n for n in range(place, len(lines)) if closing.match(lines[n])), len(lines))
                self.blocks.append(_code(fence[3], lines[place:end], len(fence[1])))
                place = end + 1
            elif not line.strip():
                self.paragraph()
            elif _RULE.match(line):
                self.flush()
            elif heading := _HEADING.match(line):
                self.flush()
                self.blocks.append(f"<p><strong>{_inline(heading[1], self.links)}</strong></p>")
            elif line.startswith((">", "|")):
                self.flush()
                end = next(
                    (n for n in range(place, len(lines)) if not lines[n].startswith(line[0])), len(lines)
                )
                run = lines[place - 1 : end]
                if line[0] == "|":
                    self.blocks.append(_table(run, self.links))
                else:
                    text = "\n".join(quoted.lstrip("> ") for quoted in run)
                    self.blocks.append(f"<p><q>{_inline(text, self.links)}</q></p>")
                place = end
            elif (item := _ITEM.match(line)) and not self.pending:
                self.is_ordered = item[1] is not None
                self.items.append(item[2])
            elif self.items and line[:1].isspace():
                self.items[-1] += "\n" + line.strip()
            else:
                self.list_()
                self.pending.append(line)
        self.flush()


def article_of(text: str, title: str, resolve: Resolve) -> Article:
    """Return the article of one note; its own title line is dropped, since the head says it.

    The claim is the first sentence of a note that opens with prose, and the title of any other.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    if lines and _HEADING.match(lines[0]):
        del lines[0]
    links = _Links(resolve, {})
    reader = _Reader(title, links)
    reader.read(lines)
    if not reader.claim:
        reader.claim = title
        reader.blocks.insert(0, f"<p><mark>{html.escape(title, quote=False)}</mark></p>")
    return Article("\n".join(reader.blocks), reader.claim, tuple(links.targets))
