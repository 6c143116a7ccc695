"""Random-looking runs of characters that no name announces.

What counts is a run of at least `MIN_LENGTH` and at most `MAX_LENGTH` characters of base64 (either alphabet) that

- holds upper case, lower case and digits,
- has a Shannon entropy of at least `MIN_BITS` a character,
- has no more than `MAX_WORD_SHARE` of its characters in stretches of four or more letters of one case: drawn
  characters have some 17 % there, identifiers and paths mostly more than half, and
- has no more than one of `+ / - _`, and one more for each `CHARACTERS_A_SIGN` characters: drawn characters have one
  in 32, compound words more.

Of drawn strings these rules find 90 % at 24 characters, 96 % at 32 and 98 % at 64; with `/` in the alphabet some 20 %
less at 24 and 10 % less at 32, since a candidate needs 19 characters without a slash, which most paths have not.

Digits and lower case alone never count without a name in front of them: git objects, content hashes, UUIDs and slugs
look the same as keys in hexadecimal. Longer runs are data (images, signatures, compiled code), not something to type.
Digests, public keys, data URLs, known file types and the identifiers of agent runtimes are excepted by what stands
at their front, and so is what stands in the path, query or fragment of a URL: links to shared documents and to
playgrounds look like that, and a query that gives a secret away names it (`?token=…`).
"""

import math
import re
from collections import Counter
from typing import Final

from memhtml.safety.codes import Secret, SecretCode
from memhtml.safety.literals import is_placeholder

__all__ = ["CHARACTERS_A_SIGN", "MAX_LENGTH", "MAX_WORD_SHARE", "MIN_BITS", "MIN_LENGTH", "random_runs"]

MIN_LENGTH: Final = 24
MAX_LENGTH: Final = 256
MIN_BITS: Final = 3.9
MAX_WORD_SHARE: Final = 0.45
CHARACTERS_A_SIGN: Final = 16

_RUN: Final = re.compile(rb"[A-Za-z0-9+/_-]{%d,}+=*" % MIN_LENGTH)
_DIGIT: Final = re.compile(rb"[0-9]")
_CLASSES: Final = re.compile(rb"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])")
_SIGNS: Final = b"+/-_"
_WORDS: Final = re.compile(rb"[a-z]{4,}+|[A-Z]{4,}+")
#: What a run may begin with and be public: ssh keys, and the first bytes of file types in base64.
_PUBLIC_FRONT: Final = re.compile(
    rb"AAAA[BCEI]3N|iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0|PHN2Z|PD94b|UEsDB|H4sI|AAAA[A-Za-z0-9]{3}mZ0eX"
    rb"|(?:toolu|srvtoolu|msg|req|call|fc|rs|resp|run|thread|asst|step|chatcmpl|file|session|cse|evt|agent|wf)[_-]"
    rb"|sha(?:1|256|384|512)-"
)
#: What may stand before a run that is a digest or embedded data.
_PUBLIC_BEFORE: Final = re.compile(
    rb"(?i)(?:(?:sha-?(?:1|2|3|256|384|512)|md5|blake[23][bs]?|h1|ssh-[a-z0-9]{2,10}|base64|fingerprint"
    rb"|checksum|digest|integrity|site-verification)[\"'=:, -]{1,4}|;base64,)$"
)
_LOOK_BACK: Final = 24
_URL_BEFORE: Final = re.compile(rb"://[^\s\"'<>`]*$|:$")
_URL_LOOK_BACK: Final = 256
_UUID: Final = re.compile(rb"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _bits(run: bytes) -> float:
    length = len(run)
    return math.log2(length) - sum(n * math.log2(n) for n in Counter(run).values()) / length


def _is_random(run: bytes) -> bool:
    """Say whether a run of base64 characters is likely drawn and not written."""
    if _CLASSES.match(run) is None or _UUID.search(run) or is_placeholder(run):
        return False
    if sum(run.count(sign) for sign in _SIGNS) > 1 + len(run) / CHARACTERS_A_SIGN:
        return False
    if sum(map(len, _WORDS.findall(run))) > MAX_WORD_SHARE * len(run):
        return False
    return _bits(run) >= MIN_BITS


def _is_public(shadow: bytes, start: int, run: bytes) -> bool:
    if _PUBLIC_FRONT.match(run) or _PUBLIC_BEFORE.search(shadow, max(0, start - _LOOK_BACK), start):
        return True
    url = _URL_BEFORE.search(shadow, max(0, start - _URL_LOOK_BACK), start)
    return url is not None and (url.group() != b":" or run.startswith(b"//"))


def random_runs(shadow: bytes, start: int, end: int) -> list[Secret]:
    """Return the random-looking runs between two places of `shadow`."""
    if _DIGIT.search(shadow, start, end) is None:
        return []
    return [
        Secret(SecretCode.HIGH_ENTROPY, *found.span())
        for found in _RUN.finditer(shadow, start, end)
        if len(run := found.group()) <= MAX_LENGTH
        and _is_random(run)
        and not _is_public(shadow, found.start(), run)
    ]
