"""Search terms that the tokenizer of the full-text index cannot find by itself.

The tokenizer splits at everything that is no letter or digit, and only there. Two kinds of text need help. Scripts that
write no spaces become overlapping pairs of characters; a document's last one of a run stands alone beside them, so that
a prefix finds every single character. Compound identifiers: of `parse_config` the tokenizer sees the
parts and not the whole, of `parseConfig` the whole and not the parts; of `os.path` and `src/app` it sees the parts, and
a phrase finds the whole. Documents and queries are cut by the same functions, so what one holds the other finds.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

__all__ = ["MAX_DERIVED_TERMS", "MAX_QUERY_TERMS", "derived_terms", "is_single", "query_terms"]

MAX_DERIVED_TERMS: Final = 8192
MAX_QUERY_TERMS: Final = 64
_MAX_QUERY_CHARACTERS: Final = 8192
_MAX_IDENTIFIER: Final = 128

#: Han, kana, bopomofo, Hangul, Thai, Lao, Myanmar and Khmer letters with their marks, inside a character class.
_UNSEGMENTED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f"
    "\u1100-\u11ff\u1780-\u17d3\u17d7\u17dc\u17dd\ua9e0-\ua9ef\uaa60-\uaa7f\u3005-\u3007\u3021-\u3029"
    "\u3031-\u3035\u3038-\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U000323af"
)
_RUN: Final = re.compile(f"[{_UNSEGMENTED}]+")
_WORD: Final = re.compile(rf"(?:[^\W_]|[\u0300-\u036f{_UNSEGMENTED}])+")
#: Every byte of UTF-8 but the leading ones of the blocks in which these scripts lie.
_OTHER_BYTES: Final = bytes(set(range(256)) - {0xE0, 0xE1, *range(0xE3, 0xEE), 0xEF, 0xF0})
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_CAMEL_PART: Final = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[A-Z]|[0-9]+")

#: Every byte as its kind: `a` lower case or digit, `A` upper case, `_`, and a space for what ends an identifier.
_KIND: Final = bytes(
    0x61
    if 0x61 <= byte <= 0x7A or 0x30 <= byte <= 0x39
    else 0x41
    if 0x41 <= byte <= 0x5A
    else byte
    if byte == 0x5F
    else 0x20
    for byte in range(256)
)
_UNDERSCORE: Final = b"_"
#: An inner capital, and a capital behind an acronym.
_CAMELS: Final = (b"aA", b"AAaa")


def derived_terms(text: str) -> tuple[str, ...]:
    """Return the extra terms of a document, lower-case, each once, at most `MAX_DERIVED_TERMS`.

    Shapes: `text` in NFC. Nearly free on plain prose: four scans at memory speed.
    """
    terms: dict[str, None] = {}
    if not text.isascii() and text.encode("utf-8", "replace").translate(None, _OTHER_BYTES):
        for word in _WORD.findall(text):
            if _RUN.search(word) is not None:
                terms.update(dict.fromkeys(_cut(word.lower(), with_last=True)))
                if len(terms) > MAX_DERIVED_TERMS:
                    break
    _add_compounds(text, terms)
    return tuple(terms) if len(terms) <= MAX_DERIVED_TERMS else tuple(terms)[:MAX_DERIVED_TERMS]


def query_terms(text: str) -> tuple[str, ...]:
    """Return the words of a query: runs of letters, digits and marks, unsegmented ones as pairs, at most 64, each once.

    Case is kept, because the tokenizer folds it; the order is that of the text.
    """
    text = unicodedata.normalize("NFC", text[:_MAX_QUERY_CHARACTERS])
    terms: dict[str, None] = {}
    for word in _ASCII_WORD.findall(text) if text.isascii() else _words(text):
        terms.update(dict.fromkeys(_cut(word)))
        if len(terms) >= MAX_QUERY_TERMS:
            return tuple(terms)[:MAX_QUERY_TERMS]
    return tuple(terms)


def _words(text: str) -> Iterator[str]:
    """Cut a text into runs of letters, digits and marks that hold a letter or digit."""
    spaced = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in text)
    return (word for word in spaced.split(" ") if any(c.isalnum() for c in word))


def is_single(term: str) -> bool:
    """Say whether a term is one character of a script without spaces: of a document's pairs it is only a part."""
    return len(term) == 1 and _RUN.fullmatch(term) is not None


def _cut(word: str, *, with_last: bool = False) -> Iterator[str]:
    """Cut one word where it changes between unsegmented and other script, and the unsegmented parts into pairs.

    `with_last` adds the last letter of each such part: the only one with which no pair begins.
    """
    at = 0
    for run in _RUN.finditer(word):
        if run.start() > at:
            yield word[at : run.start()]
        at = run.end()
        # The tokenizer takes marks for separators: pairs are of base letters alone.
        letters = "".join(c for c in run[0] if unicodedata.category(c)[0] != "M")
        for i in range(len(letters) - 1):
            yield letters[i : i + 2]
        if with_last or len(letters) == 1:
            yield letters[-1:]
    if at < len(word):
        yield word[at:]


def _add_compounds(text: str, terms: dict[str, None]) -> None:
    """Add the whole of each name with underscores, and the parts of each name with inner capitals."""
    kinds = text.encode("ascii", "replace").translate(_KIND)
    for name in _around(_UNDERSCORE, kinds, text):
        inner = name.strip("_")
        if "_" in inner:
            terms[inner.replace("_", "").lower()] = None
            if len(terms) > MAX_DERIVED_TERMS:
                return
    for compound in _CAMELS:
        for name in _around(compound, kinds, text):
            for part in _CAMEL_PART.findall(name):
                if len(part) > 1:
                    terms[part.lower()] = None
            if len(terms) > MAX_DERIVED_TERMS:
                return


def _around(compound: bytes, kinds: bytes, text: str) -> Iterator[str]:
    """Find names by the kinds of their characters, without looking at each word."""
    at = kinds.find(compound)
    while at >= 0:
        start = kinds.rfind(b" ", 0, at) + 1
        end = kinds.find(b" ", at)
        if end < 0:
            end = len(kinds)
        if end - start <= _MAX_IDENTIFIER:
            yield text[start:end]
        at = kinds.find(compound, end)
