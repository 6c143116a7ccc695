"""Credentials in URLs: a password or token before the host, and the signature of a signed link."""

import re
from collections.abc import Iterator
from typing import Final

from memhtml.safety.codes import Secret, SecretCode
from memhtml.safety.literals import is_key, is_placeholder

__all__ = ["url_credentials"]

_USERINFO: Final = re.compile(
    rb"://(?P<info>(?P<user>[A-Za-z0-9._~%+!$*-]{0,128}+)"
    rb"(?::(?P<password>[^\s/@\"'`<>\[\]{}\\]{1,256}+))?)@(?P<loopback>localhost|127\.0\.0\.1|\[::1\])?"
)
_SIGNATURE: Final = re.compile(
    rb"[?&;](?i:sig|signature|x-amz-signature|x-goog-signature)=(?P<signature>[A-Za-z0-9%+/=_-]{24,512}+)"
)
_MIN_TOKEN: Final = 20
#: The public half of an error tracker's address looks like this.
_PUBLIC_ID: Final = re.compile(rb"[0-9a-f]{32}")


def url_credentials(shadow: bytes, low: bytes) -> Iterator[Secret]:
    """Yield the userinfo of URLs that holds a secret, and signatures in queries; `low` is `shadow` in lower case."""
    if b"@" in shadow:
        for found in _USERINFO.finditer(shadow):
            user, password = found.group("user", "password")
            if password is None:
                is_secret = is_key(user, minimum=_MIN_TOKEN) and not _PUBLIC_ID.fullmatch(user)
            elif user == password and found.group("loopback"):
                is_secret = False  # the default account of a local database
            else:
                is_secret = password == b"secret" or not is_placeholder(password)
            if is_secret:
                yield Secret(SecretCode.URL_CREDENTIALS, *found.span("info"))
    if b"sig=" in low or b"signature=" in low:
        for found in _SIGNATURE.finditer(shadow):
            if is_key(found.group("signature")):
                yield Secret(SecretCode.URL_CREDENTIALS, *found.span("signature"))
