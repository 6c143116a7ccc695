"""A generated corpus: memories that look like real ones, the same bytes for the same seed on every machine.

`generate` writes them into a git repository by one `git fast-import` stream. Nothing here calls the product, so a
change of the product cannot change what it is measured on. Randomness is `Random.random()` alone, the one call whose
sequence Python promises to keep.
"""

import datetime
import html
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from bench.repository import IGNORED, import_commit, init, run_git
from bench.words import ADJECTIVES, FIRST_NAMES, LAST_NAMES, NOUNS, TOPICS, VERBS, participle, past, plural

__all__ = ["SEED", "Corpus", "generate", "memories"]

SEED = 20260802

_START = datetime.datetime(2025, 1, 6, 7, 0, tzinfo=datetime.UTC)
_SPAN_MINUTES = 550 * 24 * 60
_TAG = re.compile("<[^>]*>")

#: Sentences: N noun, P plural, A adjective, D past verb, B base verb, G participle, T word of the topic, X identifier,
#: U number, W person, O the memory's own subject.
_SENTENCES: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split())
    for line in """
The A N D the N , so the T had to be D before the A N could B .
W noticed that the O D only after the N was D twice in the A N .
When the T is A , B the N first and leave the A P alone .
It took U minutes to B the A N , and most of that was G the T by hand .
There is no need to B the N when the P are A ; the O does that by itself .
The A way is to B each N with the T and to compare the P with the A N afterwards .
After U P the N was D , which D the A T and the P behind it .
Do not B the O while a N is G , because the T and the N are then D in the wrong order .
The team D the A P and agreed to B the T once a N .
In the A N the T was D from X , and nobody D it for U days .
What helped was G the P in U steps and G the O between them .
The cause was a A N that D the T whenever the N was A .
For A P the limit is U , and for the rest of the P it is the N that decides .
We D the N against the A T and found U P that were not D .
As long as the N is A , the O can be D without G any of the P .
If the T does not B , look at X and at the A N next to it .
This was true of the old N and is still true of the A one .
The P that W D are in the A N under X .
A N and a T are enough ; more than U P only make the N A .
The A T is D at night , and the P are D in the morning by W .
""".strip().splitlines()
)
_CLAIMS: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split())
    for line in """
B the T before the A N is D
The A N of the O must be D before the P are A
A T that is A D the N after U P
G the N by hand D the T of the O
The O is A only when its T has been D
Never B a A N while the T is G
W prefers the A N for the T
U P are enough for a A T
The T D because the A N was not D
Each A N needs its own T and U P
""".strip().splitlines()
)
_CODE: tuple[tuple[str, str], ...] = (
    ("bash", "$ {t} {v} --{n} {u}\n$ {t} status | grep {n}\n{n}: {a}, {u} {p}"),
    ("python", "def {v}_{n}({p}: list[str]) -> int:\n    return sum(len(each) > {u} for each in {p})"),
    ("sql", "SELECT {n}, count(*) AS {p}\n  FROM {t}_{p}\n WHERE {a} > {u}\n GROUP BY {n};"),
    ("json", '{{\n  "{n}": "{a}",\n  "{p}": {u},\n  "{t}": true\n}}'),
    ("yaml", "{t}:\n  {n}: {a}\n  {p}:\n    - {v}\n    - {u}"),
    ("typescript", "export const {v} = ({n}: string): boolean =>\n  {n}.length > {u}; // {a} {p}"),
)
_FACETS = ("Applies to", "Seen in", "Limit", "Owner", "Since", "Cost", "Frequency")
_UNITS = ("minutes", "days", "requests", "percent", "items", "euros")
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
_TABLE = 1 << 15


def _zipf(words: Sequence[str]) -> tuple[str, ...]:
    """A table to draw uniformly from, ordered by Zipf's law without its steepest part."""
    weights = [1.0 / (rank + len(words) / 25) for rank in range(len(words))]
    scale = _TABLE / sum(weights)
    return tuple(
        w for w, share in zip(words, weights, strict=True) for _ in range(max(1, round(share * scale)))
    )


_NOUN = _zipf(NOUNS)
_PLURAL = _zipf([plural(w) for w in NOUNS])
_ADJECTIVE = _zipf(ADJECTIVES)
_BASE = _zipf(VERBS)
_PAST = _zipf([past(w) for w in VERBS])
_PARTICIPLE = _zipf([participle(w) for w in VERBS])
_DRAWN = {"N": _NOUN, "P": _PLURAL, "A": _ADJECTIVE, "B": _BASE, "D": _PAST, "G": _PARTICIPLE}
_PEOPLE = tuple(f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES)


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


class _Writer:
    """One stream of draws from one seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed).random

    def pick(self, pool: Sequence[str]) -> str:
        return pool[int(self.draw() * len(pool))]

    def below(self, bound: int) -> int:
        return int(self.draw() * bound)

    def skewed(self, bound: int) -> int:
        """A number below `bound`, small ones more often: some folders, topics and people are busier than others."""
        return int(self.draw() * self.draw() * bound)

    def sentence(self, shape: Sequence[str], topic: int, subject: str) -> str:
        words: list[str] = []
        for slot in shape:
            pool = _DRAWN.get(slot)
            if pool is not None:
                words.append(self.pick(pool))
            elif slot == "T":
                words.append(self.pick(TOPICS[topic][1]))
            elif slot == "O":
                words.append(subject)
            elif slot == "U":
                words.append(str(2 + self.skewed(400)))
            elif slot == "W":
                words.append(_PEOPLE[self.skewed(len(_PEOPLE))])
            elif slot == "X":
                words.append(f"{self.pick(_NOUN)}-{self.pick(_NOUN)}-{self.below(90) + 10}")
            else:
                words.append(slot)
        text = " ".join(words).replace(" ,", ",").replace(" ;", ";").replace(" .", ".")
        return text[0].upper() + text[1:]

    def paragraph(self, topic: int, subject: str, sentences: int) -> str:
        return " ".join(
            self.sentence(_SENTENCES[self.below(len(_SENTENCES))], topic, subject) for _ in range(sentences)
        )


def _plan(writer: _Writer, count: int) -> list[_Plan]:
    taken: set[str] = set()
    plans: list[_Plan] = []
    for index in range(count):
        topic = writer.skewed(len(TOPICS))
        tag, words = TOPICS[topic]
        minute = writer.below(_SPAN_MINUTES)
        archived = writer.draw() < 0.05
        kind, share = writer.draw(), writer.draw()
        person = _PEOPLE[writer.below(len(_PEOPLE))] if 0.03 <= kind < 0.045 else None
        type_ = "task" if kind < 0.03 else "semantic" if person else _of_share(share)
        folder = _folder(writer, type_, topic, person is not None)
        if archived:
            # Few folders retire their memories, so that the number of folders stays what a person would keep.
            folder = f"archive/{2025 + minute // (365 * 24 * 60)}/resources/{TOPICS[topic % 12][0]}"
        subject = f"{writer.pick(words)} {writer.pick(_NOUN)}"
        title = (
            f"{person}, {tag.replace('-', ' ')} {writer.pick(_NOUN)}"
            if person
            else f"{writer.pick(_ADJECTIVE)} {subject} {writer.pick(_PAST)} by the {writer.pick(_NOUN)}".capitalize()
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


def _folder(writer: _Writer, type_: str, topic: int, is_person: bool) -> str:
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


class _Article:
    """Markup, and beside it the words that the content hash covers: the text of each leaf block, one space between."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.words: list[str] = []

    def leaf(self, element: str, inner: str) -> str:
        self.words.append(html.unescape(_TAG.sub("", inner)))
        return f"<{element}>{inner}</{element}>"

    def add(self, block: str) -> None:
        self.blocks.append(block)

    @property
    def markup(self) -> str:
        return "\n".join(self.blocks)

    @property
    def stamp(self) -> str:
        return "blake3:" + blake3(" ".join(self.words).encode()).hexdigest()


def _article(writer: _Writer, plan: _Plan) -> _Article:
    topic, subject = plan.topic, plan.subject
    words = TOPICS[topic][1]
    article = _Article()
    claim = writer.sentence(_CLAIMS[writer.below(len(_CLAIMS))], topic, subject)
    seen = plan.created_minute - writer.below(20_000)
    opening = writer.paragraph(topic, subject, 1 + writer.below(2))
    if writer.draw() < 0.5:
        day = _instant(seen)[:10]
        opening += f' Seen on <time datetime="{day}">{day}</time>'
        # The number is the memory's own, so that no two articles are equal.
        opening += f" in the <cite>{writer.pick(_NOUN)} report {plan.index}</cite>."
    else:
        opening += f" Noted as {writer.pick(words)}-{plan.index}."
    article.add(article.leaf("p", f"<mark>{claim}.</mark> {opening}"))
    if writer.draw() < 0.4:
        article.add(_facets(writer, article, topic))
    for _ in range(1 + writer.below(3)):
        article.add(article.leaf("p", writer.paragraph(topic, subject, 2 + writer.below(2))))
    if writer.draw() < 0.15:
        language, shape = _CODE[writer.below(len(_CODE))]
        code = shape.format(
            t=writer.pick(words).replace("-", "_"),
            v=writer.pick(_BASE),
            n=writer.pick(_NOUN),
            p=writer.pick(_PLURAL),
            a=writer.pick(_ADJECTIVE),
            u=writer.below(900),
        )
        block = article.leaf("pre", f'<code data-lang="{language}">{html.escape(code, quote=False)}</code>')
        caption = article.leaf("figcaption", f"How the {writer.pick(_NOUN)} is {writer.pick(_PAST)}.")
        article.add(f"<figure>{block}{caption}</figure>")
    if writer.draw() < 0.1:
        summary = article.leaf("summary", "How this was learned")
        inner = article.leaf("p", writer.paragraph(topic, subject, 1))
        article.add(f"<details>{summary}{inner}</details>")
    if writer.draw() < 0.06:
        article.add(f"<aside>{article.leaf('p', writer.paragraph(topic, subject, 1))}</aside>")
    return article


def _facets(writer: _Writer, article: _Article, topic: int) -> str:
    rows = []
    first = writer.below(len(_FACETS))
    for step in range(1 + writer.below(3)):
        term = article.leaf("dt", _FACETS[(first + step) % len(_FACETS)])
        if writer.draw() < 0.5:
            number = 1 + writer.skewed(600)
            value = f'<data value="{number}">{number} {writer.pick(_UNITS)}</data>'
        else:
            value = f"{writer.pick(_ADJECTIVE)} {writer.pick(TOPICS[topic][1])} {writer.pick(_PLURAL)}"
        rows.append(term + article.leaf("dd", value))
    return "<dl>\n" + "\n".join(rows) + "\n</dl>"


def _head(writer: _Writer, plan: _Plan, plans: Sequence[_Plan], stamp: str) -> Iterator[str]:
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
    entities += [f"person:{_PEOPLE[writer.skewed(len(_PEOPLE))].lower()}"] if writer.draw() < 0.3 else []
    tag, words = TOPICS[plan.topic]
    tags = [tag, *(writer.pick(words) for _ in range(writer.below(3)))]
    metas += [("entity", entity) for entity in dict.fromkeys(entities)]
    metas += [("tag", name) for name in dict.fromkeys(tags)]
    for name, value in metas:
        yield f'<meta name="memhtml-{name}" content="{html.escape(value)}">'
    for rel, target in _links(writer, plan, plans):
        yield f'<link rel="memhtml-{rel}" href="/{target}">'


def _links(writer: _Writer, plan: _Plan, plans: Sequence[_Plan]) -> Iterator[tuple[str, str]]:
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
    writer = _Writer(seed)
    plans = _plan(writer, count)
    for plan in sorted(plans, key=lambda each: each.path.encode()):
        article = _article(writer, plan)
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


def generate(root: Path, count: int, *, seed: int = SEED, bare: bool = False) -> Corpus:
    """Make a git repository of `count` generated memories at `root`, one commit on `main`, and check it out.

    Errors: `FileExistsError` where `root` is already a repository.
    Effects: one pack; the work tree is written and its index refreshed unless `bare`.
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
    return Corpus(root, commit, count_seen, size, len(folders))
