"""The words of generated memories: draws from the vocabulary, sentences, and articles with the hash of their words."""

import html
import random
import re
from collections.abc import Sequence

from blake3 import blake3

from bench.words import ADJECTIVES, FIRST_NAMES, LAST_NAMES, NOUNS, TOPICS, VERBS, participle, past, plural

__all__ = ["ADJECTIVE", "NOUN", "PAST", "PEOPLE", "Article", "Writer", "compose"]

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
_TABLE = 1 << 15


def _zipf(words: Sequence[str]) -> tuple[str, ...]:
    """A table to draw uniformly from, ordered by Zipf's law without its steepest part."""
    weights = [1.0 / (rank + len(words) / 25) for rank in range(len(words))]
    scale = _TABLE / sum(weights)
    return tuple(
        w for w, share in zip(words, weights, strict=True) for _ in range(max(1, round(share * scale)))
    )


NOUN = _zipf(NOUNS)
_PLURAL = _zipf([plural(w) for w in NOUNS])
ADJECTIVE = _zipf(ADJECTIVES)
_BASE = _zipf(VERBS)
PAST = _zipf([past(w) for w in VERBS])
_PARTICIPLE = _zipf([participle(w) for w in VERBS])
_DRAWN = {"N": NOUN, "P": _PLURAL, "A": ADJECTIVE, "B": _BASE, "D": PAST, "G": _PARTICIPLE}
PEOPLE = tuple(f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES)


class Writer:
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
                words.append(PEOPLE[self.skewed(len(PEOPLE))])
            elif slot == "X":
                words.append(f"{self.pick(NOUN)}-{self.pick(NOUN)}-{self.below(90) + 10}")
            else:
                words.append(slot)
        text = " ".join(words).replace(" ,", ",").replace(" ;", ";").replace(" .", ".")
        return text[0].upper() + text[1:]

    def paragraph(self, topic: int, subject: str, sentences: int) -> str:
        return " ".join(
            self.sentence(_SENTENCES[self.below(len(_SENTENCES))], topic, subject) for _ in range(sentences)
        )


class Article:
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


def compose(writer: Writer, *, topic: int, subject: str, seen_on: str, number: int) -> Article:
    """Return an article on a subject; `number` is the memory's own and stands in it, so that no two are equal."""
    words = TOPICS[topic][1]
    article = Article()
    claim = writer.sentence(_CLAIMS[writer.below(len(_CLAIMS))], topic, subject)
    opening = writer.paragraph(topic, subject, 1 + writer.below(2))
    if writer.draw() < 0.5:
        opening += f' Seen on <time datetime="{seen_on}">{seen_on}</time>'
        opening += f" in the <cite>{writer.pick(NOUN)} report {number}</cite>."
    else:
        opening += f" Noted as {writer.pick(words)}-{number}."
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
            n=writer.pick(NOUN),
            p=writer.pick(_PLURAL),
            a=writer.pick(ADJECTIVE),
            u=writer.below(900),
        )
        block = article.leaf("pre", f'<code data-lang="{language}">{html.escape(code, quote=False)}</code>')
        caption = article.leaf("figcaption", f"How the {writer.pick(NOUN)} is {writer.pick(PAST)}.")
        article.add(f"<figure>{block}{caption}</figure>")
    if writer.draw() < 0.1:
        summary = article.leaf("summary", "How this was learned")
        inner = article.leaf("p", writer.paragraph(topic, subject, 1))
        article.add(f"<details>{summary}{inner}</details>")
    if writer.draw() < 0.06:
        article.add(f"<aside>{article.leaf('p', writer.paragraph(topic, subject, 1))}</aside>")
    return article


def _facets(writer: Writer, article: Article, topic: int) -> str:
    rows = []
    first = writer.below(len(_FACETS))
    for step in range(1 + writer.below(3)):
        term = article.leaf("dt", _FACETS[(first + step) % len(_FACETS)])
        if writer.draw() < 0.5:
            number = 1 + writer.skewed(600)
            value = f'<data value="{number}">{number} {writer.pick(_UNITS)}</data>'
        else:
            value = f"{writer.pick(ADJECTIVE)} {writer.pick(TOPICS[topic][1])} {writer.pick(_PLURAL)}"
        rows.append(term + article.leaf("dd", value))
    return "<dl>\n" + "\n".join(rows) + "\n</dl>"
