"""The words that source bytes stand for: character references, line ends, NUL and broken UTF-8, as HTML reads them."""

import re
from typing import Final

__all__ = ["decode_attribute", "decode_name", "decode_text"]

_REFERENCE: Final = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?|([A-Za-z0-9]+)(;?)(=?))")
_LINE_END: Final = re.compile(r"\r\n?")
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
#: More digits than this name no character; converting them would take quadratic time.
_MAX_DIGITS: Final = 7


def decode_text(raw: bytes) -> str:
    """Return the text of a comment: no references, one kind of line end."""
    text = raw.decode("utf-8", "replace")
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    return text.replace("\0", _REPLACEMENT)


def decode_name(raw: bytes) -> str:
    """Return a name of an element or attribute; only ASCII letters have two cases."""
    return decode_text(raw.lower())


def decode_attribute(raw: bytes) -> str:
    """Return an attribute's value, its references resolved as inside a tag.

    There a name without its semicolon stands for itself where a letter, a digit or `=` follows, so that the
    parameters of an address survive.
    """
    text = decode_text(raw)
    return _REFERENCE.sub(_resolve, text) if "&" in text else text


def _resolve(found: re.Match[str]) -> str:
    hexadecimal, decimal, name, semicolon, equals = found.groups()
    if name is None:
        return _numbered(hexadecimal or decimal, 16 if hexadecimal else 10)
    from html.entities import html5  # 2,231 names, needed by few files

    character = html5.get(name + semicolon) if semicolon or not equals else None
    return found[0] if character is None else character + equals


def _numbered(digits: str, base: int) -> str:
    digits = digits.lstrip("0")
    number = int(digits, base) if 0 < len(digits) <= _MAX_DIGITS else 0
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return _REPLACEMENT
    if 0x80 <= number <= 0x9F:
        # The standard keeps five of these, which windows-1252 leaves undefined.
        return bytes([number]).decode("cp1252", "ignore") or chr(number)
    return chr(number)
