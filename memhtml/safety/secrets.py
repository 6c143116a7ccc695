"""Find secrets in text: tokens of vendors, named values, private keys, credentials in URLs, random runs.

Prose is told from candidates by searches for literals, which is all that most texts cost.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from memhtml.safety.assignments import assigned_secrets, scheme_tokens
from memhtml.safety.codes import Secret, SecretCode
from memhtml.safety.entropy import random_runs
from memhtml.safety.private_keys import encoded_private_keys, private_keys
from memhtml.safety.shadow import shadow_of
from memhtml.safety.urls import url_credentials
from memhtml.safety.vendors import vendor_tokens

__all__ = ["Secret", "SecretCode", "find_secrets"]

_ALPHANUMERIC: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#: Every token holds a stretch of this many letters, digits, `_`, `-` and `+`; behind a scheme's name, of this many.
_SHORTEST: Final = 19
_SHORTEST_BEHIND_SCHEME: Final = 16


def _only(characters: bytes) -> bytes:
    """Return a translation of `characters` to `x`, and of all others to a blank."""
    return bytes(ord("x") if byte in characters else ord(" ") for byte in range(256))


_NARROW: Final = _only(_ALPHANUMERIC + b"_-+")
_WIDE: Final = _only(_ALPHANUMERIC + b"_-+/=.:~")
_TOKEN: Final = b"x" * _SHORTEST
_SCHEME_TOKEN: Final = b"x" * _SHORTEST_BEHIND_SCHEME
_RANK: Final = {code: position for position, code in enumerate(SecretCode)}


def _tokens(shadow: bytes, narrow: bytes) -> Iterator[Secret]:
    """Look into every stretch without blanks that is long enough to hold a token."""
    at = narrow.find(_TOKEN)
    wide = shadow.translate(_WIDE) if at >= 0 else b""
    while at >= 0:
        start = wide.rfind(b" ", 0, at) + 1
        end = wide.find(b" ", at)
        end = end if end >= 0 else len(wide)
        yield from vendor_tokens(shadow, start, end)
        yield from random_runs(shadow, start, end)
        at = narrow.find(_TOKEN, end)


def _merged(found: Iterable[Secret]) -> tuple[Secret, ...]:
    """Join what overlaps; the code that comes first in the vocabulary names the whole."""
    merged: list[Secret] = []
    for secret in sorted(found, key=lambda s: (s.start, s.end)):
        if merged and secret.start < merged[-1].end:
            last = merged.pop()
            code = min(last.code, secret.code, key=_RANK.__getitem__)
            merged.append(Secret(code, last.start, max(last.end, secret.end)))
        else:
            merged.append(secret)
    return tuple(merged)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Find where secrets stand in a text.

    Shapes: any text, lone surrogates included; the result is empty for most.
    Order: by place; results never overlap.
    Errors: none; total, and linear in the length of the text.
    """
    shadow = shadow_of(text)
    low = shadow.lower()
    found: list[Secret] = []
    narrow = shadow.translate(_NARROW)
    if _SCHEME_TOKEN in narrow:
        found.extend(_tokens(shadow, narrow))
        found.extend(scheme_tokens(shadow, low))
        found.extend(encoded_private_keys(shadow))
    found.extend(assigned_secrets(shadow, low))
    if b"://" in shadow:
        found.extend(url_credentials(shadow, low))
    if b"-----BEGIN " in shadow:
        found.extend(private_keys(shadow))
    return _merged(found) if found else ()
