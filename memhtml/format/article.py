"""What the format extracts from an article, read off the spans of one walk."""

from bisect import bisect_right
from typing import Final, NamedTuple

from memhtml.format.content_hash import canonical_text, collapse, trim
from memhtml.format.document import Abbreviation, Citation, Facet
from memhtml.format.head import decimal
from memhtml.format.markup import Observations, language_token
from memhtml.format.rules import ViolationCode
from memhtml.format.vocabulary import names
from memhtml.format.walk import Span, Walk

__all__ = ["Article", "read_article"]

#: Text is taken from elements nested at most so deep in one another: each level copies its text once more.
_MAX_CAPTURES: Final = 16
_CAPTURED: Final = names("dd dt cite q dfn abbr summary aside figcaption")


class Article(NamedTuple):
    """The words of one article and what they are marked as; texts are collapsed and trimmed."""

    canonical_text: str
    body_text: str
    gist: str
    event_at: str | None
    facets: tuple[Facet, ...]
    citations: tuple[Citation, ...]
    defined_terms: tuple[str, ...]
    summary_texts: tuple[str, ...]
    aside_texts: tuple[str, ...]
    captions: tuple[str, ...]
    abbreviations: tuple[Abbreviation, ...]
    code_langs: tuple[str, ...]


_NOTHING: Final = Article("", "", "", None, (), (), (), (), (), (), (), ())


def read_article(found: Walk, seen: Observations) -> Article:
    """Return what the first article says, and note what the rules say about its claim."""
    spans = found.spans
    places = [place for place, span in enumerate(spans) if span.tag == "article"]
    if len(places) != 1:
        seen.add(ViolationCode.ARTICLE_COUNT, "article")
        if not places:
            return _NOTHING
    place = places[0]
    article = spans[place]
    inside = range(place + 1, article.last)
    marks = [i for i in inside if spans[i].tag == "mark"]
    if len(places) == 1:
        _observe_claim(found, inside, marks, seen)
    canonical = _canonical(found, article)
    body = trim(canonical) if not found.verbatim else trim(collapse(canonical))
    gist = _prose(found, marks[0]) if marks else ""
    return _extract(found, inside, canonical, body, gist)


def _canonical(found: Walk, article: Span) -> str:
    start, end = article.start, article.end
    return canonical_text(found.pieces[start:end], [i - start for i in found.verbatim if start <= i < end])


def _text(found: Walk, span: Span) -> str:
    return trim(collapse("".join(found.pieces[span.start : span.end])))


def _prose(found: Walk, place: int) -> str:
    """Return the text of a span without what stands in its `pre` and `code` elements."""
    spans, pieces = found.spans, found.pieces
    span = spans[place]
    kept: list[str] = []
    at, after = span.start, place
    for i in range(place + 1, span.last):
        if i >= after and spans[i].tag in ("code", "pre"):
            kept.extend(pieces[at : spans[i].start])
            at, after = spans[i].end, spans[i].last
    kept.extend(pieces[at : span.end])
    return trim(collapse("".join(kept)))


def _observe_claim(found: Walk, inside: range, marks: list[int], seen: Observations) -> None:
    spans = found.spans
    if len(marks) != 1:
        seen.add(ViolationCode.MARK_MULTIPLE if marks else ViolationCode.MARK_MISSING, "mark")
        return
    mark = marks[0]
    if not _prose(found, mark):
        seen.add(ViolationCode.MARK_EMPTY, "mark")
    around = {spans[i].tag for i in inside[: mark - inside.start] if spans[i].last > mark}
    if "aside" in around:
        seen.add(ViolationCode.MARK_IN_ASIDE, "mark")
    if "details" in around or "summary" in around:
        seen.add(ViolationCode.MARK_IN_DETAILS, "mark")
    if around.isdisjoint(("aside", "details", "summary")):
        block = next((i for i in inside if spans[i].tag in ("p", "li")), None)
        if block is None:
            seen.add(ViolationCode.MARK_OUTSIDE_BLOCK, "mark")
        elif not block < mark < spans[block].last:
            seen.add(ViolationCode.MARK_NOT_FIRST, "mark")


def _extract(found: Walk, inside: range, canonical: str, body: str, gist: str) -> Article:
    spans = found.spans
    event_at: str | None = None
    lists: dict[Span, tuple[list[str], list[Facet]]] = {}
    citations: list[Citation] = []
    terms: list[str] = []
    summaries: list[str] = []
    asides: list[str] = []
    captions: list[str] = []
    abbreviations: list[Abbreviation] = []
    languages: list[str] = []
    numbers: tuple[list[int], list[float]] | None = None
    open_ends: list[int] = []
    for i in inside:
        span = spans[i]
        tag = span.tag
        if tag == "code":
            language = span.attributes.get("data-lang")
            if language is not None and (token := language_token(language)):
                languages.append(token)
        elif tag == "time":
            if event_at is None:
                event_at = span.attributes.get("datetime")
        elif tag == "dl":
            lists[span] = ([], [])
        elif tag in _CAPTURED:
            while open_ends and open_ends[-1] <= i:
                open_ends.pop()
            text = _text(found, span) if len(open_ends) < _MAX_CAPTURES else ""
            open_ends.append(span.last)
            if tag == "dt" or tag == "dd":
                owner = lists.get(span.parent) if span.parent is not None else None
                if owner is None:
                    continue
                term, facets = owner
                if tag == "dt":
                    term[:] = [text]
                elif term:
                    if numbers is None:
                        numbers = _numbers(spans, inside)
                    facets.append(Facet(term[0], text, _first_number(numbers, i, span.last)))
            elif not text:
                continue
            elif tag == "cite":
                citations.append(Citation(text, None))
            elif tag == "q":
                citations.append(Citation(text, span.attributes.get("cite")))
            elif tag == "dfn":
                terms.append(text)
            elif tag == "abbr":
                title = span.attributes.get("title")
                if title:
                    abbreviations.append(Abbreviation(text, title))
            elif tag == "summary":
                summaries.append(text)
            elif tag == "aside":
                asides.append(text)
            else:
                captions.append(text)
    return Article(
        canonical,
        body,
        gist,
        event_at,
        tuple(facet for _, facets in lists.values() for facet in facets),
        tuple(citations),
        tuple(terms),
        tuple(summaries),
        tuple(asides),
        tuple(captions),
        tuple(abbreviations),
        tuple(languages),
    )


def _numbers(spans: list[Span], inside: range) -> tuple[list[int], list[float]]:
    """Return the places and values of every data element with a finite number."""
    places: list[int] = []
    values: list[float] = []
    for i in inside:
        if spans[i].tag == "data":
            number = decimal(spans[i].attributes.get("value") or "")
            if number is not None:
                places.append(i)
                values.append(number)
    return places, values


def _first_number(numbers: tuple[list[int], list[float]], after: int, before: int) -> float | None:
    places, values = numbers
    at = bisect_right(places, after)
    return values[at] if at < len(places) and places[at] < before else None
