"""Secrets that a name announces: `password = …`, `"api_key": "…"`, `--token …`, `Authorization: …`, `Bearer …`.

The name is found by its literal part, and everything else is matched from there, over a bounded stretch: text without
such names costs a few substring searches, and no text costs more than a multiple of its length.
"""

import re
from collections.abc import Iterator
from typing import Final

from memhtml.safety.boundary import hits
from memhtml.safety.codes import Secret, SecretCode
from memhtml.safety.literals import is_key, is_password

__all__ = ["assigned_secrets", "scheme_tokens"]

_QUOTE: Final = rb"""(?:\\?["'`]|&quot;|&\#(?:34|39|x27);)"""
_TAGS: Final = rb"(?:</?[a-z]{1,10}>){0,2}"
_BLANKS: Final = rb"[ \t]{0,8}+"
#: What may follow the literal part of a name: `_value`, `Key`, a plural.
_TAIL: Final = rb"(?:[_-][A-Za-z0-9_-]{0,16}+|[A-Z][A-Za-z0-9_]{0,16}+|s)?"
#: Between a name and its value: the quotes or markup of both, and the sign of an assignment.
_SIGN: Final = (
    _TAGS
    + rb"(?:"
    + _QUOTE
    + rb"|[\]*]{1,2})?"
    + _TAGS
    + _BLANKS
    + rb"(?:=>|:=|={1,3}|:(?!:))\*{0,2}"
    + _BLANKS
    + _TAGS
)
_IS: Final = rb"[ \t]{1,4}(?:is|was)(?:[ \t]{1,4}|[ \t]{0,4}:[ \t]{0,4})" + _TAGS
_MAX_BARE: Final = 256
_VALUE: Final = (
    rb"(?:" + _QUOTE + rb"""(?P<quoted>[^\s"'`<>\\&]++)""" + _QUOTE + rb"|"
    rb"""(?P<bare>[^\s"'`<>,;&|()\[\]{}\\]{1,%d}+)(?![(\[{]))""" % _MAX_BARE
)
#: A longer value than this that holds `=` or `:` is a chain of assignments.
_MAX_WITH_SIGN: Final = 64
_UP_TO_SIGN: Final = re.compile(rb"(?:[^=:]|=+$)*+")
_REST: Final = re.compile(rb"""[^\s"'`<>,;&|()\[\]{}\\]*+""")
#: An option of a command line, or a line of a netrc file: there the value follows a blank.
_OPTION_BEFORE: Final = re.compile(
    rb"(?:(?<![^\s\"'`>])--[a-z0-9-]{0,24}|login[ \t]{1,4}[^\s]{1,64}[ \t]{1,4})$"
)
_NAME: Final = re.compile(rb"[A-Za-z0-9_.-]+$")
_MAX_NAME: Final = 40
_AWS_NAME: Final = re.compile(rb"(?i)aws.{0,20}secret")
_MIN_VALUE: Final = 4
_LOOK_BACK: Final = 96
_AWS_SECRET: Final = re.compile(rb"[A-Za-z0-9+/]{40}")
#: `key` alone names anything; behind one of these, a secret.
_KEY_OF: Final = tuple(
    b"api access private secret account signing encryption auth master service license storage app".split()
)

_HEADER_TOKEN: Final = re.compile(
    _SIGN + _QUOTE + rb"?(?:[A-Za-z][A-Za-z0-9-]{1,20}[ \t]{1,3})?(?P<token>[A-Za-z0-9._~+/=-]{8,}+)"
)
_SCHEME_TOKEN: Final = re.compile(rb"[ \t]{1,3}(?P<token>[A-Za-z0-9._~+/=-]{16,}+)")


#: The literals that find a name, and whether it is one of a password.
_PARTS: Final = (
    (b"pass", True),
    (b"pwd", True),
    (b"secret", False),
    (b"token", False),
    (b"credential", False),
    (b"key", False),
)
_NAMED: Final = (
    rb"(?P<name>(?i:pass(?:w(?:or[dt]|d)|phrase|code)|(?<![a-z])pass(?![a-z])"
    rb"|pwd|secret|token|credential|key))"
)
_ASSIGNED: Final = re.compile(_NAMED + _TAIL + rb"(?:" + _SIGN + rb"|" + _IS + rb")" + _VALUE)
_GIVEN: Final = re.compile(_NAMED + rb"[A-Za-z0-9-]{0,16}+[ \t]{1,4}" + _VALUE)


def _name_before(shadow: bytes, end: int) -> bytes:
    """Return the name that ends at `end`, or what can be seen of it."""
    found = _NAME.search(shadow, max(0, end - _MAX_NAME), end)
    return found.group() if found else b""


def _secret(shadow: bytes, found: re.Match[bytes], *, is_for_password: bool) -> Secret | None:
    """Judge the value behind a name."""
    start, end = found.span("quoted")
    is_quoted = start >= 0
    if not is_quoted:
        start, end = found.span("bare")
    if end - start < _MIN_VALUE:
        return None
    value = found.string[start:end]
    if not is_quoted:
        value = value.rstrip(b".:!?*")
        if len(value) > _MAX_WITH_SIGN:
            value = _UP_TO_SIGN.match(value).group()  # type: ignore[union-attr]  # an empty match at least
        end = start + len(value)
    if is_for_password:
        is_variable = (
            not is_quoted
            and value.isalpha()
            and shadow[start - 1 : start] == b"="
            and _name_before(shadow, found.end("name")).isupper()
        )
        code = SecretCode.PASSWORD_ASSIGNMENT
        is_secret = is_password(value, is_quoted=is_quoted, is_variable=is_variable)
    elif _AWS_SECRET.fullmatch(value) and _AWS_NAME.search(_name_before(shadow, found.end("name"))):
        code = SecretCode.AWS_SECRET_KEY
        is_secret = True
    else:
        code = SecretCode.KEY_NAME_ASSIGNMENT
        is_secret = is_key(value)
    if not is_secret:
        return None
    rest = _REST.match(shadow, end) if not is_quoted and len(value) == _MAX_BARE else None
    return Secret(code, start, rest.end() if rest else end)


def _is_a_kind_of_key(low: bytes, at: int) -> bool:
    return low[max(0, at - 12) : at].rstrip(b"_- ").endswith(_KEY_OF)


def _is_an_option(shadow: bytes, low: bytes, at: int) -> bool:
    if low.rfind(b"--", max(0, at - 26), at) < 0 and low.rfind(b"login", max(0, at - _LOOK_BACK), at) < 0:
        return False
    return _OPTION_BEFORE.search(shadow, max(0, at - _LOOK_BACK), at) is not None


def assigned_secrets(shadow: bytes, low: bytes) -> Iterator[Secret]:
    """Yield the values that a name gives away; `low` is `shadow` in lower case."""
    has_options = b"--" in low or b"login" in low
    for part, is_for_password in _PARTS:
        done = 0
        for at in hits(low, part):
            if at < done or (part == b"key" and not _is_a_kind_of_key(low, at)):
                continue
            found = _ASSIGNED.match(shadow, at)
            if found is None and has_options and _is_an_option(shadow, low, at):
                found = _GIVEN.match(shadow, at)
            secret = _secret(shadow, found, is_for_password=is_for_password) if found else None
            if secret is not None:
                done = secret.end
                yield secret
    yield from _schemed(shadow, low, b"authorization", _HEADER_TOKEN)


def scheme_tokens(shadow: bytes, low: bytes) -> Iterator[Secret]:
    """Yield the long tokens behind the name of an authorization scheme."""
    for scheme in (b"bearer", b"basic"):
        yield from _schemed(shadow, low, scheme, _SCHEME_TOKEN)


def _schemed(shadow: bytes, low: bytes, part: bytes, pattern: re.Pattern[bytes]) -> Iterator[Secret]:
    for at in hits(low, part):
        found = pattern.match(shadow, at + len(part))
        if found is not None and is_key(found.group("token")):
            yield Secret(SecretCode.BEARER_TOKEN, *found.span("token"))
