"""Replace secrets by markers that say what stood there and nothing about it: no length, no digest, no rest."""

from collections import Counter
from dataclasses import dataclass

from memhtml.safety.secrets import SecretCode, find_secrets

__all__ = ["Redacted", "marker", "redact"]


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without secrets, and how many of each kind it lost, by code."""

    text: str
    counts: tuple[tuple[SecretCode, int], ...]


def marker(code: SecretCode) -> str:
    """Return what stands where a secret of this kind stood."""
    return f"[redacted:{code}]"


def redact(text: str) -> Redacted:
    """Replace every secret of a text by its marker.

    Shapes: the result holds no secret, so redacting twice changes nothing.
    Order: counts are in the order of the vocabulary.
    Errors: none; total over any text.
    """
    counts: Counter[SecretCode] = Counter()
    # A marker makes new edges, behind which something may stand that was a part before: look again.
    while found := find_secrets(text):
        pieces: list[str] = []
        position = 0
        for secret in found:
            pieces += text[position : secret.start], marker(secret.code)
            position = secret.end
        pieces.append(text[position:])
        text = "".join(pieces)
        counts.update(secret.code for secret in found)
    return Redacted(text, tuple((code, counts[code]) for code in SecretCode if counts[code]))
