"""The flags of the commands that write memories, as the table of commands has them."""

from memhtml.app.manifest import Flag
from memhtml.values import MemoryType

__all__ = ["ALLOW_SECRET", "EMBED", "PROVENANCE", "WRITABLE_TYPES"]

EMBED = Flag("embed", "make the vectors that are missing", default=True)
#: The codes of `safety`, spelt out: importing the rules would cost every command more than its own work.
_SECRET_KINDS = (
    "PRIVATE_KEY",
    "AWS_ACCESS_KEY",
    "AWS_SECRET_KEY",
    "GITHUB_TOKEN",
    "GITLAB_TOKEN",
    "SLACK_TOKEN",
    "SLACK_WEBHOOK",
    "STRIPE_KEY",
    "ANTHROPIC_KEY",
    "OPENAI_KEY",
    "GOOGLE_API_KEY",
    "NPM_TOKEN",
    "PYPI_TOKEN",
    "VENDOR_TOKEN",
    "JWT",
    "URL_CREDENTIALS",
    "BEARER_TOKEN",
    "PASSWORD_ASSIGNMENT",
    "KEY_NAME_ASSIGNMENT",
    "HIGH_ENTROPY",
)
#: Arcs are made by consolidation.
WRITABLE_TYPES = tuple(kind for kind in MemoryType if kind is not MemoryType.ARC)
PROVENANCE = (
    Flag("session-id", "the session that it comes from", "text"),
    Flag("prompt-id", "the prompt of that session", "text"),
    Flag("turn-uuid", "the turn of that session", "text"),
)
ALLOW_SECRET = Flag(
    "allow-secret",
    "let what looks like a secret of this kind through, for the record; given again, of these kinds",
    "text",
    many=True,
    values=_SECRET_KINDS,
)
