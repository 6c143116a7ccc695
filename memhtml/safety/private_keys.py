"""Private keys in PEM, whole or cut off, and the same once more in base64.

A header alone is no key: it takes something behind it that could be one.
"""

import re
from collections.abc import Iterator
from typing import Final

from memhtml.safety.codes import Secret, SecretCode

__all__ = ["encoded_private_keys", "private_keys"]

_HEADER: Final = re.compile(rb"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_FOOTER: Final = re.compile(rb"-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
#: What stands between a header and its footer: base64, line breaks (real or escaped), head lines, line markup.
_WHOLE: Final = re.compile(
    rb"(?:\s|\\[nrt]|[A-Za-z0-9+/=]|[A-Za-z-]{1,24}:[^\n\\]{0,80}|<br ?/?>|[\"',+-])*+"
)
_MIN_WHOLE: Final = 8
_BLOCK: Final = re.compile(rb"[A-Za-z0-9+/=]{24}")
#: What stands behind a header whose footer was cut off.
_CUT_OFF: Final = re.compile(rb"(?:(?:\s|\\[nrt]){0,8}[A-Za-z0-9+/=]{16,}+)++")
#: `-----BEGIN ` and the first letters of a private kind of key.
_IN_BASE64: Final = re.compile(
    rb"LS0tLS1CRUdJTi(?:BSU0Eg|BQUk|BFQy|BPUEV|BFTkN|BEU0E|BQR1Ag)[A-Za-z0-9+/=]{20,}+"
)


def private_keys(shadow: bytes) -> Iterator[Secret]:
    """Yield the private keys of a text."""
    headers = [found.span() for found in _HEADER.finditer(shadow)]
    for place, (start, body) in enumerate(headers, start=1):
        limit = headers[place][0] if place < len(headers) else len(shadow)
        footer = _FOOTER.search(shadow, body, limit)
        if footer is None:
            rest = _CUT_OFF.match(shadow, body, limit)
            if rest is not None and _BLOCK.search(rest.group()):
                yield Secret(SecretCode.PRIVATE_KEY, start, rest.end())
        elif _is_body(shadow[body : footer.start()]):
            yield Secret(SecretCode.PRIVATE_KEY, start, footer.end())


def encoded_private_keys(shadow: bytes) -> Iterator[Secret]:
    """Yield the private keys that were written in base64 as a whole, as manifests of clusters hold them."""
    for found in _IN_BASE64.finditer(shadow):
        yield Secret(SecretCode.PRIVATE_KEY, *found.span())


def _is_body(body: bytes) -> bool:
    if _BLOCK.search(body):
        return True
    whole = _WHOLE.match(body)
    return whole is not None and whole.end() == len(body) and len(body.split()) < len(body) - _MIN_WHOLE
