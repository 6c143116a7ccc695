"""The flags that every command which writes memories shares."""

from memhtml.cli.parsing import Call
from memhtml.safety.codes import SecretCode
from memhtml.store.words import Provenance

__all__ = ["allowed_in", "provenance_in"]


def provenance_in(call: Call) -> Provenance:
    """Return where a call says that its memories come from."""
    return Provenance(call.text("session-id"), call.text("prompt-id"), call.text("turn-uuid"))


def allowed_in(call: Call) -> frozenset[SecretCode]:
    """Return the kinds of secret that a call says are none."""
    return frozenset(SecretCode(code) for code in call.texts("allow-secret"))
