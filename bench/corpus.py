"""A generated corpus: memories that look like real ones, the same bytes for the same seed on every machine.

`generate` writes them into a git repository by one `git fast-import` stream. Nothing here calls the product, so a
change of the product cannot change what it is measured on. Randomness is `Random.random()` alone, the one call whose
sequence Python promises to keep.
"""

import datetime
import html
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.prose import ADJECTIVE, NOUN, PAST, PEOPLE, Writer, compose
from bench.repository import IGNORED, import_commit, init, run_git
from bench.words import NOUNS, TOPICS

__all__ = ["SEED", "Corpus", "generate", "memories"]

SEED = 20260802

_START = datetime.datetime(2025, 1, 6, 7, 0, tzinfo=datetime.UTC)
_SPAN_MINUTES = 550 * 24 * 60
_WRITTEN_AT = 1_577_836_800

_AUTHORS = (
    "agent:planner-2",
    "agent:fieldbot",
    "agent:reviewer",
    "human:mara okafor",
    "human:jonas lindqvist",
)
#: Cumulative shares of the types that are neither tasks nor people.
_TYPES: tuple[tuple[str, float], ...] = (
    ("semantic", 0.34),
    ("procedural", 0.54),
    ("episodic", 0.74),
    ("agent_insight", 0.81),
    ("error_pattern", 0.88),
    ("user_preference", 0.92),
    ("precedent", 0.95),
    ("verdict", 0.98),
    ("arc", 1.0),
)
_RELS = (
    "relates-to",
    "relates-to",
    "supports",
    "part-of",
    "leads-to",
    "caused-by",
    "example-of",
    "contradicts",
)
_WORKSPACES = 58
_AREAS = 24


@dataclass(frozen=True, slots=True)
class _Plan:
    """What must be known of every memory before any is written, since links point both ways."""

    index: int
    path: str
    title: str
    subject: str
    type_: str
    topic: int
    created_minute: int
    archived: bool
    person: str | None


@dataclass(frozen=True, slots=True)
class Corpus:
    """What `generate` made: the repository, its one commit, and how much text is in it."""

    root: Path
    commit: str
    count: int
    size_bytes: int
    directories: int


def _instant(minute: int) -> str:
    return (_START + datetime.timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())[:80].strip("-")


def _plan(writer: Writer, count: int) -> list[_Plan]:
    taken: set[str] = set()
    plans: list[_Plan] = []
    for index in range(count):
        topic = writer.skewed(len(TOPICS))
        tag, words = TOPICS[topic]
        minute = writer.below(_SPAN_MINUTES)
        archived = writer.draw() < 0.05
        kind, share = writer.draw(), writer.draw()
        person = PEOPLE[writer.below(len(PEOPLE))] if 0.03 <= kind < 0.045 else None
        type_ = "task" if kind < 0.03 else "semantic" if person else _of_share(share)
        folder = _folder(writer, type_, topic, person is not None)
        if archived:
            # Few folders retire their memories, so that the number of folders stays what a person would keep.
            folder = f"archive/{2025 + minute // (365 * 24 * 60)}/resources/{TOPICS[topic % 12][0]}"
        subject = f"{writer.pick(words)} {writer.pick(NOUN)}"
        title = (
            f"{person}, {tag.replace('-', ' ')} {writer.pick(NOUN)}"
            if person
            else f"{writer.pick(ADJECTIVE)} {subject} {writer.pick(PAST)} by the {writer.pick(NOUN)}".capitalize()
        )
        stem = _slug(title)
        if type_ == "episodic":
            stem = f"{_instant(minute)[:10].replace('-', '')}-{stem}"
        path, ordinal = f"{folder}/{stem}.html", 1
        while path in taken:
            ordinal += 1
            path = f"{folder}/{stem}-{ordinal}.html"
        taken.add(path)
        plans.append(_Plan(index, path, title, subject, type_, topic, minute, archived, person))
    return plans


def _of_share(share: float) -> str:
    return next(name for name, limit in _TYPES if share < limit)


def _folder(writer: Writer, type_: str, topic: int, is_person: bool) -> str:
    tag, words = TOPICS[topic]
    place = writer.draw()
    if type_ == "task":
        return (
            f"projects/{NOUNS[writer.skewed(_WORKSPACES // 2)]}/tasks" if place < 0.9 else "areas/inbox/tasks"
        )
    if is_person:
        return "resources/people"
    if type_ == "arc":
        return "areas/arcs"
    if place < 0.4:
        return f"projects/{NOUNS[writer.skewed(_WORKSPACES)]}"
    if place < 0.52:
        return f"areas/{NOUNS[100 + writer.skewed(_AREAS)]}"
    if place < 0.57:
        return "areas/inbox"
    return f"resources/{tag}" if place < 0.8 else f"resources/{tag}/{words[writer.below(2)]}"


def _head(writer: Writer, plan: _Plan, plans: Sequence[_Plan], stamp: str) -> Iterator[str]:
    created = _instant(plan.created_minute)
    updated = _instant(plan.created_minute + writer.below(60_000)) if writer.draw() < 0.4 else created
    metas: list[tuple[str, str]] = [
        ("type", plan.type_),
        ("status", "archived" if plan.archived else "active"),
        ("created", created),
        ("updated", updated),
        ("confidence", f"{0.5 + writer.below(51) / 100:.2f}"),
        ("importance", str(2 + writer.below(8))),
        ("content-hash", stamp),
        ("author", writer.pick(_AUTHORS)),
    ]
    if writer.draw() < 0.6:
        metas.append(("session", f"session-{writer.below(4000):04d}"))
    if writer.draw() < 0.15:
        metas.append(("valid-from", created))
    if plan.archived:
        metas += [("valid-until", updated), ("archived", updated)]
        winner = plans[writer.below(len(plans))]
        if not winner.archived:
            metas.append(("superseded-by", "/" + winner.path))
    if plan.type_ == "task":
        metas.append(("task-status", ("todo", "doing", "blocked", "done")[writer.below(4)]))
        metas.append(("due", _instant(plan.created_minute + writer.below(60_000))[:10]))
    entities = [f"person:{plan.person.lower()}"] if plan.person else []
    entities += [f"project:{NOUNS[writer.skewed(_WORKSPACES)]}" for _ in range(writer.below(3))]
    entities += [f"person:{PEOPLE[writer.skewed(len(PEOPLE))].lower()}"] if writer.draw() < 0.3 else []
    tag, words = TOPICS[plan.topic]
    tags = [tag, *(writer.pick(words) for _ in range(writer.below(3)))]
    metas += [("entity", entity) for entity in dict.fromkeys(entities)]
    metas += [("tag", name) for name in dict.fromkeys(tags)]
    for name, value in metas:
        yield f'<meta name="memhtml-{name}" content="{html.escape(value)}">'
    for rel, target in _links(writer, plan, plans):
        yield f'<link rel="memhtml-{rel}" href="/{target}">'


def _links(writer: Writer, plan: _Plan, plans: Sequence[_Plan]) -> Iterator[tuple[str, str]]:
    seen: set[str] = {plan.path}
    for _ in range(writer.below(4)):
        other = plans[writer.below(len(plans))]
        if other.path in seen:
            continue
        seen.add(other.path)
        if plan.type_ == "task":
            if other.type_ == "task":
                yield "blocks", other.path
        elif other.person:
            yield "about-person", other.path
        elif other.archived:
            yield "supersedes", other.path
        elif other.type_ != "task":
            yield writer.pick(_RELS), other.path


def memories(count: int, *, seed: int = SEED) -> Iterator[tuple[str, bytes]]:
    """Yield `count` memories as (path, bytes), ascending by path; no two have equal words.

    Order: equal arguments give equal bytes.
    """
    writer = Writer(seed)
    plans = _plan(writer, count)
    for plan in sorted(plans, key=lambda each: each.path.encode()):
        seen_on = _instant(plan.created_minute - writer.below(20_000))[:10]
        article = compose(writer, topic=plan.topic, subject=plan.subject, seen_on=seen_on, number=plan.index)
        lines = [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f"<title>{html.escape(plan.title)}</title>",
            *_head(writer, plan, plans, article.stamp),
            "</head>",
            "<body>",
            "<article>",
            article.markup,
            "</article>",
            "</body>",
            "</html>",
            "",
        ]
        yield plan.path, "\n".join(lines).encode()


def _age(root: Path) -> None:
    """Date the files into the past: git reads anew, at every status, what is no older than its index."""
    for path in root.rglob("*.html"):
        os.utime(path, (_WRITTEN_AT, _WRITTEN_AT))
    run_git(root, "update-index", "-q", "--refresh")


def generate(root: Path, count: int, *, seed: int = SEED, bare: bool = False) -> Corpus:
    """Make a git repository of `count` generated memories at `root`, one commit on `main`, and check it out.

    Errors: `FileExistsError` where `root` is already a repository.
    Effects: one pack; unless `bare`, a work tree that looks as if it had lain there, and git's index refreshed.
    """
    init(root, bare=bare)
    size = count_seen = 0
    folders: set[str] = set()

    def files() -> Iterator[tuple[str, bytes]]:
        nonlocal size, count_seen
        yield ".gitignore", IGNORED
        for path, data in memories(count, seed=seed):
            size += len(data)
            count_seen += 1
            folders.add(path.rpartition("/")[0])
            yield path, data

    commit = import_commit(root, files(), f"corpus: {count} generated memories")
    if not bare:
        run_git(root, "reset", "-q", "--hard")
        _age(root)
    return Corpus(root, commit, count_seen, size, len(folders))
