"""From a person's words to FTS5 expressions. No input can be a syntax error: nothing reaches MATCH unquoted."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from memhtml.format.terms import is_single, query_terms

__all__ = ["MAX_PHRASES", "Question", "all_of", "any_of", "quote", "read_question"]

MAX_PHRASES: Final = 8
_MAX_PHRASE_WORDS: Final = 32
#: More of a query than this is not looked at.
_MAX_CHARACTERS: Final = 65_536

_QUOTED: Final = re.compile(r'"([^"]*)"')

#: Words that carry no subject. They are left out wherever another word is left: their frequency in short notes says
#: who is speaking and not about what (one-paragraph pool, NDCG@10: 0.52 with them, 0.56 without; no change on SciFact).
_STOP_WORDS: Final = frozenset(
    [
        "a",
        "about",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "being",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "for",
        "from",
        "had",
        "has",
        "have",
        "having",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "so",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "d",
        "ll",
        "m",
        "re",
        "s",
        "t",
        "ve",
    ]
)


class Question(NamedTuple):
    """What is asked of the lexical index."""

    #: Distinct words, as written, without stop words unless there is nothing else.
    terms: tuple[str, ...]
    #: What stood in double quotes, each a sequence of words: every one of them must occur.
    phrases: tuple[tuple[str, ...], ...]

    @property
    def asks(self) -> bool:
        return bool(self.terms or self.phrases)


def read_question(text: str) -> Question:
    """Return the words and phrases of any text; total, and linear in its length.

    Balanced double quotes force a phrase; a quote without a partner is no quote. Words of a phrase count as terms too.
    """
    text = text[:_MAX_CHARACTERS]
    phrases: dict[tuple[str, ...], None] = {}
    for quoted in _QUOTED.findall(text):
        for phrase in _phrases(quoted):
            if len(phrases) < MAX_PHRASES:
                phrases[phrase[:_MAX_PHRASE_WORDS]] = None
    words = {word.casefold(): word for word in reversed(query_terms(text))}
    telling = {folded: word for folded, word in words.items() if folded not in _STOP_WORDS}
    return Question(tuple(reversed((telling or words).values())), tuple(phrases))


def _phrases(quoted: str) -> Iterator[tuple[str, ...]]:
    """Cut a quoted text where script changes: what has no spaces is indexed as pairs, on a line of its own."""
    run: list[str] = []
    in_pairs = False
    for token in quoted.split():
        for word in query_terms(token):
            if _is_unsegmented(word) != in_pairs or (in_pairs and run and run[-1][-1] != word[0]):
                if run:
                    yield tuple(run)
                run, in_pairs = [], _is_unsegmented(word)
            run.append(word)
    if run:
        yield tuple(run)


def _is_unsegmented(word: str) -> bool:
    """Say whether a term stands for a piece of text without spaces: then three of them in a row are no single term."""
    return not word.isascii() and query_terms(word * 3) != (word * 3,)


def quote(words: Iterable[str]) -> str:
    """Return words as one FTS5 string: a word, or a phrase of several.

    A last word that is one character of a script without spaces is a prefix: documents hold it in pairs.
    """
    words = tuple(words)
    string = '"' + " ".join(words).replace('"', '""') + '"'
    return f"{string} *" if words and is_single(words[-1]) else string


def any_of(terms: Iterable[str]) -> str:
    """Return an expression that any term satisfies."""
    return " OR ".join(quote((term,)) for term in terms)


def all_of(phrases: Iterable[Iterable[str]]) -> str:
    """Return an expression that only all phrases together satisfy."""
    return " AND ".join(map(quote, phrases))
