"""What a caller says becomes a draft, and a memory that says it again; or it is refused with the reason."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memhtml.errors import InvalidMemory, MemhtmlError, SecretRefused
from memhtml.format.check import check, refusals
from memhtml.format.content_hash import collapse, trim
from memhtml.format.draft import Draft
from memhtml.format.escapes import representable
from memhtml.format.paths import slugify
from memhtml.format.projection import project_file
from memhtml.store.words import WRITABLE_TYPES, Provenance, Words
from memhtml.store.write import Candidate, candidate
from memhtml.values import BlobSha, Instant, MemoryPath, MemoryType, Skip, TaskStatus

AT = Instant("2026-03-09T08:15:00Z")

#: Any text at all, and the ones that have caused trouble in one program or another.
TROUBLE = st.sampled_from(
    [
        "",
        " ",
        "\u00a0",
        "\ufeff",
        "\u200b",
        "\0",
        "\ud800",
        "\r\n",
        "\x1b[31m",
        "<script>alert(1)</script>",
        "</mark></p><p>",
        "&amp;&#60;",
        "```\ncode\n```",
        "```",
        "~~~\nx\n~~~",
        '"quoted"',
        "<<<<<<< ours\n=======\n>>>>>>> theirs",
        "日本語の題",
        "e\u0301",
        "🚀",
        "A first. A second.",
        "a" * 70_000,
    ]
)
TEXT = st.one_of(
    TROUBLE, st.text(st.characters(codec=None), max_size=80), st.tuples(TROUBLE, TROUBLE).map("".join)
)
ANY_WORDS = st.builds(
    Words,
    title=TEXT,
    memory_type=st.sampled_from([kind.value for kind in MemoryType]),
    claim=st.none() | TEXT,
    body=st.lists(TEXT, max_size=3).map(tuple),
    workspace=st.none() | TEXT,
    tags=st.lists(TEXT, max_size=3).map(tuple),
    entities=st.lists(TEXT, max_size=3).map(tuple),
    importance=st.none() | st.floats(-1, 12) | st.integers(-1, 12),
    confidence=st.none() | st.floats(),
    task_status=st.none() | st.sampled_from(["todo", "wip", ""]),
    due=st.none() | st.sampled_from(["2026-03-20", "next friday", ""]),
    provenance=st.builds(Provenance, st.none() | TEXT, st.none() | TEXT, st.none() | TEXT),
)


def words(**said: object) -> Words:
    return Words(**{"title": "A title", "memory_type": "semantic", "claim": "A claim.", **said})  # type: ignore[arg-type]  # a test's own words


def draft(**said: object) -> Draft:
    return words(**said).draft(AT)


def refusal(**said: object) -> InvalidMemory:
    with pytest.raises(InvalidMemory) as caught:
        candidate(draft(**said))
    assert caught.value.violations
    return caught.value


def read_back(text: str) -> str:
    """A text as a memory gives it back: on one line, without blanks at its ends."""
    return trim(collapse(representable(text)))


@given(ANY_WORDS)
@example(words(claim="<<<<<<< ours\n=======\n>>>>>>> theirs", title="x"))
@example(words(claim=None, body=("```\ncode\n```",)))
@example(words(claim=None, body=("```\nnever closed.",)))
def test_any_text_becomes_a_memory_that_says_the_same_claim_or_is_refused(said: Words) -> None:
    try:
        new = candidate(said.draft(AT))
    except (InvalidMemory, SecretRefused) as error:
        assert error.message
        return
    assert refusals(check(new.admitted.document)) == ()
    rows = project_file(MemoryPath("areas/inbox/x.html"), BlobSha("0" * 40), new.admitted.data)
    assert not isinstance(rows, Skip), rows
    assert rows.file.gist == read_back(new.draft.claim)
    assert rows.file.title == read_back(said.title)
    assert rows.file.content_hash == new.content_hash
    assert (rows.file.created_at, rows.file.updated_at) == (AT, AT)
    assert rows.file.session_id == new.draft.session
    assert rows.file.session_id == (read_back(said.provenance.session or "") or None)
    assert set(rows.tags) == {read_back(tag) for tag in said.tags} - {""}


def test_the_claim_is_the_first_sentence_of_the_body_where_none_is_given() -> None:
    made = draft(claim=None, body=("It holds. The rest\nfollows.\n\nAnd more.",))
    assert (made.claim, made.body) == ("It holds.", ("The rest\nfollows.", "And more."))
    assert draft(claim=None, body=("no end of a sentence",)).claim == "no end of a sentence"


def test_every_body_text_may_hold_paragraphs_and_code() -> None:
    made = draft(body=("one\n\ntwo", "```sh\nls\n\nls\n```"))
    assert made.body == ("one", "two", "```sh\nls\n\nls\n```")


def test_prose_and_markup_exclude_each_other_and_one_is_needed() -> None:
    markup = "<p><mark>M.</mark></p>"
    assert refusal(article_html=markup).violations[0][0] == "mark-multiple"
    assert refusal(article_html=markup, claim=None, body=("b",)).violations[0][0] == "mark-multiple"
    assert refusal(claim=" ", body=("", "\n")).violations[0][0] == "mark-missing"
    assert draft(article_html=" ").claim == "A claim."
    assert draft(article_html=markup, claim=None).article_html == markup


def test_an_arc_is_not_written_by_hand() -> None:
    assert "arc" not in refusal(memory_type="arc").message.split()
    assert refusal(memory_type="Semantic").violations[0][0] == "type-unknown"
    for kind in WRITABLE_TYPES:
        assert isinstance(candidate(draft(memory_type=kind.value)), Candidate)


def test_a_due_date_is_an_iso_date_on_any_type() -> None:
    assert "ISO date" in refusal(due="next tuesday").message
    assert draft(due="2026-03-20").due == "2026-03-20"


def test_a_task_is_todo_unless_it_says_otherwise() -> None:
    assert draft(memory_type="task", task_status="doing").task_status is TaskStatus.DOING
    assert refusal(memory_type="task", task_status="wip").violations[0][0] == "task-status-unknown"
    made = candidate(draft(memory_type="task")).admitted.document
    assert made.task_status is TaskStatus.TODO
    assert candidate(draft(task_status="doing")).admitted.document.task_status is None


@pytest.mark.parametrize("importance", [0, 11, 7.5, -1, float("nan"), float("inf")])
def test_an_importance_outside_of_its_range_is_refused(importance: float) -> None:
    assert refusal(importance=importance).violations[0][0] == "meta-malformed"


@pytest.mark.parametrize("confidence", [-0.1, 1.01, float("nan"), float("inf")])
def test_a_confidence_outside_of_its_range_is_refused(confidence: float) -> None:
    assert refusal(confidence=confidence).violations[0][0] == "meta-malformed"


def test_labels_stand_on_one_line_and_once() -> None:
    made = draft(tags=(" a ", "a", "", "b\n c"), entities=("person:mara", "person:mara"))
    assert (made.tags, made.entities) == (("a", "b c"), ("person:mara",))


def test_where_something_comes_from_is_said_by_itself_or_by_what_it_is_part_of() -> None:
    assert Provenance("s", " ", None).or_else(Provenance("t", "p", "u")) == ("s", "p", "u")


@pytest.mark.parametrize("title", ["", " ", "\n\t", "\u00a0"])
def test_a_title_without_words_is_refused(title: str) -> None:
    assert refusal(title=title).violations[0][0] == "title-empty"


def test_titles_of_any_script_and_length_have_a_name() -> None:
    for title in ("🚀", "日本語", "x" * 500, "Index", "line\nbreak", "cafe\u0301"):
        assert slugify(title)
        assert candidate(draft(title=title)).admitted.document.title == read_back(title)


def test_a_refusal_is_one_of_ours_whatever_the_path() -> None:
    for path in (
        "../x.html",
        "areas/x.md",
        "areas/index.html",
        "areas/Index.html",
        "archive/2026/areas/x.html",
    ):
        with pytest.raises(MemhtmlError) as caught:
            candidate(draft(), explicit=path)
        assert caught.value.code == "ERR_PATH_REFUSED"
