"""What holds for every pair of versions: nothing added is lost, the order of the sides is no matter, and only a block
that both sides touched is left to a person.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from builders import memory
from hypothesis import assume, given
from hypothesis import strategies as st

from memhtml.format.check import check, errors
from memhtml.format.content_hash import stamp_matches
from memhtml.format.limits import refusal
from memhtml.format.merge import Conflicted, Merged, NotMergeable, merge
from memhtml.format.parse import parse
from memhtml.format.projection import project_file
from memhtml.format.rows import MemoryRows
from memhtml.values import BlobSha, MemoryPath, Skip

PATH = MemoryPath("areas/inbox/one.html")

#: Ways to write a block; `%s` is where its words go.
SHAPES = (
    "<p>%s</p>",
    "<p>%s",
    "<ul>\n<li>%s</li>\n<li>second</li>\n</ul>",
    "<dl><dt>Facet</dt><dd>%s</dd></dl>",
    "<pre>  %s\n two</pre>",
    "<figure><pre><code>%s</code></pre><figcaption>c</figcaption></figure>",
    "<details><summary>more</summary><p>%s</p></details>",
    "<table><tr><td>%s</td></tr></table>",
)
HEAD_WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", 'q"uo&te', "naïve", "日本"])
INSTANTS = st.sampled_from(
    ["2026-03-01", "2026-03-01T10:00:00Z", "2026-04-02T00:00:00Z", "2026-04-02T02:00:00+02:00"]
)


@dataclass(frozen=True)
class Version:
    """One version of a memory, as what it was made of."""

    claim: str = "the claim of all"
    claim_was_touched: bool = False
    title: str = "A title"
    scalars: tuple[tuple[str, str], ...] = ()
    lists: frozenset[tuple[str, str]] = frozenset()
    links: frozenset[tuple[str, str]] = frozenset()
    #: (number, markup); the number stays with a block of the base.
    blocks: tuple[tuple[int, str], ...] = ()
    touched: frozenset[int] = field(default_factory=frozenset)
    updated: str = "2026-03-11T17:42:30Z"
    has_crlf: bool = False
    is_indented: bool = False

    def data(self) -> bytes:
        body = "".join("\n" + markup for _, markup in self.blocks)
        made = memory(
            self.claim,
            title=self.title,
            updated=self.updated,
            metas=[*self.scalars, *sorted(self.lists), ("content-hash", "sha256:" + "0" * 64)],
            links=sorted(self.links),
            body=body,
        )
        if self.is_indented:
            made = made.replace(b"\n<meta", b"\n  <meta").replace(b"\n<p", b"\n    <p")
        return made.replace(b"\n", b"\r\n") if self.has_crlf else made


@st.composite
def bases(draw: st.DrawFn) -> Version:
    count = draw(st.integers(0, 5))
    return Version(
        lists=frozenset(
            draw(st.lists(st.tuples(st.sampled_from(["tag", "entity", "alias"]), HEAD_WORDS), max_size=4))
        ),
        links=frozenset(draw(st.lists(LINKS, max_size=3))),
        scalars=tuple(dict(draw(st.lists(SCALARS, max_size=4))).items()),
        blocks=tuple(
            (number, draw(st.sampled_from(SHAPES)) % f"base{number}a base{number}b base{number}c")
            for number in range(count)
        ),
    )


LINKS = st.tuples(
    st.sampled_from(["relates_to", "supports", "part_of"]),
    st.sampled_from(["/areas/x.html", "/projects/y.html", "/resources/ü z.html"]),
)
SCALARS = st.one_of(
    st.tuples(st.just("importance"), st.sampled_from(["1", "5", "9"])),
    st.tuples(st.just("confidence"), st.sampled_from(["0.1", "0.50", "0.5"])),
    st.tuples(st.sampled_from(["valid-from", "valid-until", "due"]), INSTANTS),
    st.tuples(st.just("needs-revision"), st.sampled_from(["true", "false"])),
    st.tuples(st.sampled_from(["author", "session", "prompt", "superseded-by"]), HEAD_WORDS),
)


@st.composite
def edited(draw: st.DrawFn, base: Version, side: str) -> Version:
    version = base
    for step in range(draw(st.integers(0, 5))):
        word = f"{side}{step}"
        version = draw(st.sampled_from(EDITS))(draw, version, word)
    return version


def _add_block(draw: st.DrawFn, version: Version, word: str) -> Version:
    at = draw(st.integers(0, len(version.blocks)))
    markup = draw(st.sampled_from(SHAPES)) % f"{word}x {word}y {word}z"
    return replace(version, blocks=(*version.blocks[:at], (-1, markup), *version.blocks[at:]))


def _change_block(draw: st.DrawFn, version: Version, word: str) -> Version:
    if not version.blocks:
        return version
    at = draw(st.integers(0, len(version.blocks) - 1))
    number, markup = version.blocks[at]
    changed = markup.replace("a base", f"a {word}w base", 1)
    if changed == markup:
        return version
    return replace(
        version,
        blocks=(*version.blocks[:at], (number, changed), *version.blocks[at + 1 :]),
        touched=version.touched | {number},
    )


def _delete_block(draw: st.DrawFn, version: Version, word: str) -> Version:
    if not version.blocks:
        return version
    at = draw(st.integers(0, len(version.blocks) - 1))
    return replace(
        version,
        blocks=(*version.blocks[:at], *version.blocks[at + 1 :]),
        touched=version.touched | {version.blocks[at][0]},
    )


def _change_claim(draw: st.DrawFn, version: Version, word: str) -> Version:
    return replace(version, claim=f"{version.claim} {word}c", claim_was_touched=True)


def _change_title(draw: st.DrawFn, version: Version, word: str) -> Version:
    return replace(version, title=f"Title {word}")


def _add_to_list(draw: st.DrawFn, version: Version, word: str) -> Version:
    name = draw(st.sampled_from(["tag", "entity", "alias"]))
    return replace(version, lists=version.lists | {(name, draw(HEAD_WORDS | st.just(word)))})


def _drop_from_list(draw: st.DrawFn, version: Version, word: str) -> Version:
    if not version.lists:
        return version
    return replace(version, lists=version.lists - {draw(st.sampled_from(sorted(version.lists)))})


def _add_link(draw: st.DrawFn, version: Version, word: str) -> Version:
    return replace(version, links=version.links | {draw(LINKS)})


def _drop_link(draw: st.DrawFn, version: Version, word: str) -> Version:
    if not version.links:
        return version
    return replace(version, links=version.links - {draw(st.sampled_from(sorted(version.links)))})


def _set_scalar(draw: st.DrawFn, version: Version, word: str) -> Version:
    return replace(version, scalars=tuple({**dict(version.scalars), **dict([draw(SCALARS)])}.items()))


def _drop_scalar(draw: st.DrawFn, version: Version, word: str) -> Version:
    return replace(version, scalars=version.scalars[1:])


def _update(draw: st.DrawFn, version: Version, word: str) -> Version:
    return replace(version, updated=draw(st.sampled_from(["2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"])))


def _lay_out(draw: st.DrawFn, version: Version, word: str) -> Version:
    return replace(version, has_crlf=draw(st.booleans()), is_indented=draw(st.booleans()))


EDITS: Sequence[Callable[[st.DrawFn, Version, str], Version]] = (
    _add_block,
    _add_block,
    _change_block,
    _change_block,
    _delete_block,
    _change_claim,
    _change_title,
    _add_to_list,
    _drop_from_list,
    _add_link,
    _drop_link,
    _set_scalar,
    _drop_scalar,
    _update,
    _lay_out,
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Version, Version, Version]:
    base = draw(bases())
    return base, draw(edited(base, "ours")), draw(edited(base, "theirs"))


def rows(data: bytes) -> MemoryRows:
    found = project_file(PATH, BlobSha("0" * 40), data)
    assert not isinstance(found, Skip), found
    return found


def merged(base: bytes | None, ours: bytes, theirs: bytes) -> Merged | Conflicted:
    found = merge(base, ours, theirs)
    assert not isinstance(found, NotMergeable), found
    return found


def words_of(data: bytes) -> set[bytes]:
    return set(re.findall(rb"\b(?:ours|theirs|base)\d\w", data.split(b"<article>")[1]))


@given(histories())
def test_a_side_that_changed_nothing_leaves_the_other_as_it_is(
    history: tuple[Version, Version, Version],
) -> None:
    base, ours, _ = (version.data() for version in history)
    assert merge(base, ours, base) == Merged(ours)
    assert merge(base, base, ours) == Merged(ours)
    assert merge(base, ours, ours) == Merged(ours)


@given(histories())
def test_the_sides_may_be_swapped(history: tuple[Version, Version, Version]) -> None:
    base, ours, theirs = (version.data() for version in history)
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    if isinstance(one, Merged):
        assert isinstance(other, Merged)
        assert rows(one.data) == rows(other.data)._replace(
            tags=rows(one.data).tags, entities=rows(one.data).entities, edges=rows(one.data).edges
        )
        assert rows(one.data).row_digest == rows(other.data).row_digest
    else:
        assert isinstance(other, Conflicted)
        assert set(one.reasons) == set(other.reasons)


@given(histories())
def test_what_comes_out_is_a_memory_with_a_true_stamp_or_has_markers(
    history: tuple[Version, Version, Version],
) -> None:
    base, ours, theirs = (version.data() for version in history)
    found = merged(base, ours, theirs)
    if isinstance(found, Merged):
        document = parse(found.data)
        assert errors(check(document)) == ()
        if found.data not in (ours, theirs):
            assert document.stamped_hash is not None
            assert stamp_matches(document.stamped_hash, document.canonical_text)
    else:
        refused = refusal(found.data)
        assert refused is not None
        assert refused.code == "CONFLICT_MARKERS"
        assert found.data.count(b"<<<<<<< ours") == found.data.count(b">>>>>>> theirs") >= 1


@given(histories())
def test_no_tag_entity_or_link_of_a_side_is_lost_and_none_that_was_removed_comes_back(
    history: tuple[Version, Version, Version],
) -> None:
    base, ours, theirs = history
    document = parse(merged(base.data(), ours.data(), theirs.data()).data)
    lists = {("tag", t) for t in document.tags} | {("entity", e) for e in document.entities}
    lists |= {("alias", a) for a in document.aliases}
    links = {(link.rel.removeprefix("memhtml-").replace("-", "_"), link.href) for link in document.links}
    assert lists == (ours.lists | theirs.lists) - (base.lists - ours.lists) - (base.lists - theirs.lists)
    assert links == (ours.links | theirs.links) - (base.links - ours.links) - (base.links - theirs.links)


@given(histories())
def test_no_word_that_a_side_wrote_is_lost_and_none_that_neither_deleted(
    history: tuple[Version, Version, Version],
) -> None:
    base, ours, theirs = (version.data() for version in history)
    found = words_of(merged(base, ours, theirs).data)
    was = words_of(base)
    assert found >= (words_of(ours) - was) | (words_of(theirs) - was)
    assert found >= words_of(ours) & words_of(theirs)


@given(histories())
def test_only_what_both_sides_touched_is_left_to_a_person(history: tuple[Version, Version, Version]) -> None:
    base, ours, theirs = history
    assume(not (ours.claim_was_touched and theirs.claim_was_touched))
    assume(not (ours.touched & theirs.touched) - {-1})
    assert isinstance(merged(base.data(), ours.data(), theirs.data()), Merged)


@given(histories())
def test_a_claim_that_both_sides_changed_is_always_left_to_a_person(
    history: tuple[Version, Version, Version],
) -> None:
    base, ours, theirs = history
    ours, theirs = replace(ours, claim="one claim"), replace(theirs, claim="another claim")
    found = merged(base.data(), ours.data(), theirs.data())
    assert isinstance(found, Conflicted)
    assert b"<mark>one claim</mark>" in found.data
    assert b"<mark>another claim</mark>" in found.data


@given(histories())
def test_a_file_that_both_sides_added_keeps_everything_of_both(
    history: tuple[Version, Version, Version],
) -> None:
    _, ours, theirs = history
    theirs = replace(theirs, claim=ours.claim)
    found, swapped = (
        merged(None, ours.data(), theirs.data()),
        merged(None, theirs.data(), ours.data()),
    )
    assert isinstance(found, Merged)
    assert isinstance(swapped, Merged)
    assert rows(found.data).row_digest == rows(swapped.data).row_digest
    assert words_of(found.data) == words_of(ours.data()) | words_of(theirs.data())
    document = parse(found.data)
    assert {("tag", tag) for tag in document.tags} == {
        said for said in ours.lists | theirs.lists if said[0] == "tag"
    }


@given(st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=300) | st.none())
def test_any_bytes_whatsoever_come_to_an_end(ours: bytes, theirs: bytes, base: bytes | None) -> None:
    assert isinstance(merge(base, ours, theirs), Merged | Conflicted | NotMergeable)


SOUP = """<p> </p> <mark> x </mark> <li> <ul> </ul> <b> </b> <!-- --> <pre> </pre> <table> <td> <style> </table>
</article> <article> <aside> </aside> <br> & &amp; <svg> <template>"""


@given(*[st.lists(st.sampled_from(re.split(r"\s", SOUP)), max_size=12)] * 2)
def test_tag_soup_never_comes_out_as_something_that_is_no_memory(one: list[str], two: list[str]) -> None:
    base = memory(article="<p><mark>Claim.</mark></p>\n<p>a b c</p>")
    ours = base.replace(b"<p>a b c</p>", b"<p>a b c d</p>" + " ".join(one).encode())
    theirs = base.replace(b"<p><mark>", " ".join(two).encode() + b"<p><mark>").replace(
        b"</title>", b"!</title>"
    )
    for found in (merge(base, ours, theirs), merge(None, ours, theirs), merge(base, theirs, ours)):
        if isinstance(found, Merged):
            assert errors(check(parse(found.data))) == ()
            assert parse(found.data).gist in (parse(ours).gist, parse(theirs).gist)
