"""What the format extracts from an article, read off the spans of one walk."""

from bisect import bisect_right
from collections.abc import Iterator
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
    articles = found.places.get("article")
    if articles is None:
        seen.add(ViolationCode.ARTICLE_COUNT, "article")
        return _NOTHING
    article = found.spans[articles[0]]
    # The spans inside it: most elements are asked for by name, so that a short memory is read in a few look-ups.
    inside = range(articles[0] + 1, article.last)
    marks = _within(found, "mark", inside)
    gist = _prose(found, marks[0]) if marks else ""
    if len(articles) == 1:
        _observe_claim(found, inside, marks, gist, seen)
    else:
        seen.add(ViolationCode.ARTICLE_COUNT, "article")
    canonical = _canonical(found, article)
    body = trim(collapse(canonical) if found.verbatim else canonical)
    return _extract(found, inside, canonical, body, gist)


def _within(found: Walk, tag: str, inside: range) -> list[int]:
    """Return the places of one kind of element inside the article, in document order."""
    places = found.places.get(tag)
    if places is None:
        return []
    if places[0] >= inside.start and places[-1] < inside.stop:
        return places
    return [place for place in places if place in inside]


def _canonical(found: Walk, article: Span) -> str:
    start, end = article.start, article.end
    verbatim = [i - start for i in found.verbatim if start <= i < end] if found.verbatim else ()
    return canonical_text(found.pieces[start:end], verbatim)


def _text(found: Walk, span: Span) -> str:
    return trim(collapse("".join(found.pieces[span.start : span.end])))


def _prose(found: Walk, place: int) -> str:
    """Return the text of a span without what stands in its `pre` and `code` elements."""
    spans, pieces = found.spans, found.pieces
    span = spans[place]
    if span.last == place + 1:
        return _text(found, span)
    kept: list[str] = []
    at, after = span.start, place
    for i in range(place + 1, span.last):
        if i >= after and spans[i].tag in ("code", "pre"):
            kept.extend(pieces[at : spans[i].start])
            at, after = spans[i].end, spans[i].last
    kept.extend(pieces[at : span.end])
    return trim(collapse("".join(kept)))


def _observe_claim(found: Walk, inside: range, marks: list[int], gist: str, seen: Observations) -> None:
    if len(marks) != 1:
        seen.add(ViolationCode.MARK_MULTIPLE if marks else ViolationCode.MARK_MISSING, "mark")
        return
    mark = marks[0]
    if not gist:
        seen.add(ViolationCode.MARK_EMPTY, "mark")
    in_aside = _is_around(("aside",), mark, found, inside)
    in_details = _is_around(("details", "summary"), mark, found, inside)
    if in_aside:
        seen.add(ViolationCode.MARK_IN_ASIDE, "mark")
    if in_details:
        seen.add(ViolationCode.MARK_IN_DETAILS, "mark")
    if in_aside or in_details:
        return
    blocks = [places[0] for tag in ("p", "li") if (places := _within(found, tag, inside))]
    if not blocks:
        seen.add(ViolationCode.MARK_OUTSIDE_BLOCK, "mark")
    elif not min(blocks) < mark < found.spans[min(blocks)].last:
        seen.add(ViolationCode.MARK_NOT_FIRST, "mark")


def _is_around(tags: tuple[str, ...], place: int, found: Walk, inside: range) -> bool:
    for tag in tags:
        if tag in found.places and any(i < place < found.spans[i].last for i in _within(found, tag, inside)):
            return True
    return False


def _extract(found: Walk, inside: range, canonical: str, body: str, gist: str) -> Article:
    spans = found.spans
    citations: list[Citation] = []
    abbreviations: list[Abbreviation] = []
    texts: dict[str, list[str]] = {}
    lists: dict[int, tuple[list[str], list[Facet]]] = {i: ([], []) for i in _within(found, "dl", inside)}
    numbers = _numbers(found, inside) if lists else None
    for i, text in _captured(found, inside):
        span = spans[i]
        tag = span.tag
        if tag == "dt" or tag == "dd":
            if numbers is not None and span.parent in lists:
                term, facets = lists[span.parent]
                if tag == "dt":
                    term[:] = [text]
                elif term:
                    facets.append(Facet(term[0], text, _first_number(numbers, i, span.last)))
        elif not text:
            continue
        elif tag == "cite":
            citations.append(Citation(text, None))
        elif tag == "q":
            citations.append(Citation(text, span.attributes.get("cite")))
        elif tag == "abbr":
            if title := span.attributes.get("title"):
                abbreviations.append(Abbreviation(text, title))
        else:
            texts.setdefault(tag, []).append(text)
    times = _within(found, "time", inside)
    return Article(
        canonical,
        body,
        gist,
        spans[times[0]].attributes.get("datetime") if times else None,
        tuple(facet for _, facets in lists.values() for facet in facets),
        tuple(citations),
        tuple(texts.get("dfn", ())),
        tuple(texts.get("summary", ())),
        tuple(texts.get("aside", ())),
        tuple(texts.get("figcaption", ())),
        tuple(abbreviations),
        _languages(found, inside),
    )


def _captured(found: Walk, inside: range) -> Iterator[tuple[int, str]]:
    """Yield the place and text of every element whose text is taken, in document order."""
    named = _CAPTURED.intersection(found.places)
    if not named:
        return
    spans = found.spans
    open_ends: list[int] = []
    for i in sorted(place for tag in named for place in _within(found, tag, inside)):
        while open_ends and open_ends[-1] <= i:
            open_ends.pop()
        yield i, _text(found, spans[i]) if len(open_ends) < _MAX_CAPTURES else ""
        open_ends.append(spans[i].last)


def _languages(found: Walk, inside: range) -> tuple[str, ...]:
    if "code" not in found.places:
        return ()
    languages: list[str] = []
    for i in _within(found, "code", inside):
        language = found.spans[i].attributes.get("data-lang")
        if language is not None and (token := language_token(language)):
            languages.append(token)
    return tuple(languages)


def _numbers(found: Walk, inside: range) -> tuple[list[int], list[float]]:
    """Return the places and values of every data element with a finite number."""
    places: list[int] = []
    values: list[float] = []
    for i in _within(found, "data", inside):
        number = decimal(found.spans[i].attributes.get("value") or "")
        if number is not None:
            places.append(i)
            values.append(number)
    return places, values


def _first_number(numbers: tuple[list[int], list[float]], after: int, before: int) -> float | None:
    places, values = numbers
    at = bisect_right(places, after)
    return values[at] if at < len(places) and places[at] < before else None
