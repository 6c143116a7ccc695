"""The flags that every command which writes memories shares."""

from memhtml.cli.parsing import Call
from memhtml.errors import InvalidFlag, MissingArgument
from memhtml.safety.codes import SecretCode
from memhtml.store.words import Provenance

__all__ = ["allowed_in", "confidence_in", "prose_in", "provenance_in"]


def provenance_in(call: Call) -> Provenance:
    """Return where a call says that its memories come from."""
    return Provenance(call.text("session-id"), call.text("prompt-id"), call.text("turn-uuid"))


def allowed_in(call: Call) -> frozenset[SecretCode]:
    """Return the kinds of secret that a call says are none."""
    return frozenset(SecretCode(code) for code in call.texts("allow-secret"))


def prose_in(call: Call) -> tuple[str | None, tuple[str, ...], str | None]:
    """Return the claim, the body and the article markup of a call.

    Errors: `InvalidFlag` for both prose and markup, `MissingArgument` for neither.
    """
    claim, body, article = call.text("claim"), call.texts("body"), call.text("article-html")
    is_prose = bool((claim or "").strip() or any(text.strip() for text in body))
    is_markup = bool((article or "").strip())
    name, shape = call.command.name, call.command.shape
    if is_prose and is_markup:
        raise InvalidFlag(f"{name} takes prose (--claim, --body) or --article-html, not both", hints=(shape,))
    if not is_prose and not is_markup:
        raise MissingArgument(
            f"{name} needs --claim, --body or --article-html",
            hints=(f"{shape} --claim <claim>", f"{shape} --article-html <article-html>"),
        )
    return claim, body, article


def confidence_in(call: Call) -> float | None:
    """Return how sure a call says it is. Errors: `InvalidFlag`."""
    text = call.text("confidence")
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise InvalidFlag(
            "--confidence is a number from 0 to 1", hints=(f"{call.command.shape} --confidence 0.8",)
        )
    return number
