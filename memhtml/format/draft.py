"""A memory that is about to be written."""

from dataclasses import dataclass

from memhtml.values import EdgeRel, Instant, MemoryType, TaskStatus

__all__ = ["Draft"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a caller says of a new memory; whether it may be written is for the check to say.

    Shapes: with an `article_html` that is not blank, `claim` and `body` are not looked at; otherwise `body` holds
    paragraphs, each perhaps one fence of code. `entities` are `type:name`, `extensions` pairs of a name of ours
    (without its prefix) and a value. `task_status` counts for tasks only, where `todo` stands in for None.
    """

    title: str
    memory_type: MemoryType
    at: Instant
    claim: str = ""
    body: tuple[str, ...] = ()
    article_html: str | None = None
    confidence: float | None = None
    importance: int | None = None
    author: str | None = None
    session: str | None = None
    prompt: str | None = None
    turn: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    task_status: TaskStatus | None = None
    due: str | None = None
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    links: tuple[tuple[EdgeRel, str], ...] = ()
    extensions: tuple[tuple[str, str], ...] = ()
