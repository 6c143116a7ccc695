"""Why somebody changed a memory: words for the commit's message, which are as public as any file."""

from collections.abc import Collection
from typing import Final

from memhtml.errors import InvalidMemory, SecretRefused
from memhtml.format.escapes import representable
from memhtml.safety import SecretCode, find_secrets

__all__ = ["admit_reason"]

#: Characters of a reason: a paragraph. What takes more belongs into a memory.
_MAX_REASON: Final = 2000


def admit_reason(text: str, allowed: Collection[SecretCode] = ()) -> str:
    """Return a reason as a commit can carry it, without blanks at its ends; `""` where none is given.

    Errors: `InvalidMemory` for one that is too long, `SecretRefused`.
    """
    reason = representable(text).strip()
    if len(reason) > _MAX_REASON:
        raise InvalidMemory(f"a reason has at most {_MAX_REASON} characters", hints=("memhtml help correct",))
    codes = dict.fromkeys(secret.code for secret in find_secrets(reason) if secret.code not in allowed)
    if codes:
        raise SecretRefused(tuple((code.value, "reason") for code in codes))
    return reason
