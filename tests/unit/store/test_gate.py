"""What may be committed: a new memory by every rule, an edited one by what the edit made worse."""

import pytest
from builders import memory

from memhtml.errors import InvalidMemory, SecretRefused
from memhtml.format.draft import Draft
from memhtml.format.edit import set_meta
from memhtml.safety import SecretCode
from memhtml.store.gate import admit, admit_edit, allowance
from memhtml.values import Instant, MemoryType

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MARKUP = "<p><mark>A claim.</mark> {}</p>"


def draft(**said: object) -> Draft:
    fields: dict[str, object] = {
        "title": "A title",
        "memory_type": MemoryType.SEMANTIC,
        "at": Instant("2026-03-09T08:15:00Z"),
        "claim": "A claim.",
    }
    return Draft(**{**fields, **said})  # type: ignore[arg-type]  # a test's own words


def violations(**said: object) -> list[str]:
    with pytest.raises(InvalidMemory) as caught:
        admit(draft(**said))
    return [code for code, _ in caught.value.violations]


def test_prose_is_escaped_and_admitted() -> None:
    admitted = admit(draft(claim="Use <script>x</script> never."))
    assert admitted.document.gist == "Use <script>x</script> never."
    assert b"<script>" not in admitted.data


@pytest.mark.parametrize(
    ("markup", "code"),
    [
        ("<p>no claim</p>", "mark-missing"),
        ("<article><p><mark>A.</mark></p></article>", "article-count"),
        (MARKUP.format("<script>x</script>"), "forbidden-element"),
        (MARKUP.format('<img src="https://elsewhere.example/x.png">'), "remote-resource"),
        (MARKUP.format('<a href="javascript:x()">x</a>'), "url-script"),
        (MARKUP.format("<template><p>hidden</p></template>"), "hidden-content"),
        (MARKUP.format('<time datetime="next week">soon</time>'), "time-bad-datetime"),
        (MARKUP.format("word " * 14_000), "file-large"),
        ("<p><mark>A.</mark></p></article></body><script>x</script>", "forbidden-element"),
    ],
)
def test_markup_is_held_to_every_rule(markup: str, code: str) -> None:
    assert code in violations(article_html=markup)


def test_all_that_is_wrong_is_told_at_once() -> None:
    assert violations(title=" ", article_html="<p>no claim</p>") == ["title-empty", "mark-missing"]


def test_times_that_would_sort_as_text_are_not_written() -> None:
    assert violations(valid_from="yesterday") == ["instant-bad"]


def test_what_cannot_fit_is_refused_without_being_rendered() -> None:
    assert violations(claim="x" * 50_000_000) == ["file-large"]
    assert violations(tags=tuple(f"tag-{n}" for n in range(300))) == ["meta-count"]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"claim": f"The token is {TOKEN}."}, "article"),
        ({"title": f"About {TOKEN}"}, "title"),
        ({"body": (f"```sh\nexport T={TOKEN}\n```",)}, "article"),
        ({"tags": (TOKEN,)}, "memhtml-tag"),
        ({"entities": (f"token:{TOKEN}",)}, "memhtml-entity"),
        ({"session": TOKEN}, "memhtml-session"),
        ({"article_html": MARKUP.format(f'<a href="/x?t={TOKEN}">x</a>')}, "markup"),
        ({"article_html": MARKUP.format(f"<!-- {TOKEN} -->")}, "markup"),
        ({"article_html": MARKUP.format(f"{TOKEN[:12]}<em>{TOKEN[12:]}</em>")}, "article"),
        ({"article_html": MARKUP.format(f"&#x67;{TOKEN[1:]}")}, "article"),
    ],
)
def test_a_secret_is_refused_wherever_it_stands_and_never_repeated(
    said: dict[str, object], place: str
) -> None:
    with pytest.raises(SecretRefused) as caught:
        admit(draft(**said))
    assert ("GITHUB_TOKEN", place) in caught.value.found
    assert TOKEN[8:] not in caught.value.message


def test_a_false_alarm_is_let_through_by_its_kind_and_recorded() -> None:
    said = draft(claim=f"Tokens look like {TOKEN}.")
    with pytest.raises(SecretRefused):
        admit(said, [SecretCode.JWT])
    admitted = admit(said, [SecretCode.GITHUB_TOKEN, SecretCode.JWT])
    assert admitted.allowed == (SecretCode.GITHUB_TOKEN,)
    assert allowance([admitted, admit(draft()), admitted]) == (("Memhtml-Allow-Secret", "GITHUB_TOKEN"),)
    assert allowance([admit(draft())]) == ()


@pytest.mark.parametrize(
    "session",
    [
        "6b1f0c2e-53d4-4f0e-9a71-1d2c3b4a5f60",
        "9f86d081884c7d659a2feaa0c55ad015",
        "01HZX3K9W8Q2M5N7P4R6T8V0AB",
    ],
)
def test_the_usual_names_of_sessions_are_no_secrets(session: str) -> None:
    assert admit(draft(session=session)).document.session == session


def test_an_edit_is_not_held_to_what_stood_there_before() -> None:
    unsafe = memory(article=f'<p><mark>A.</mark> {TOKEN} <a href="javascript:x()">x</a></p>')
    edited = set_meta(unsafe, "updated", "2026-05-01T00:00:00Z")
    assert admit_edit(unsafe, edited).data == edited


def test_an_edit_that_makes_a_file_worse_is_refused() -> None:
    before = memory()
    with pytest.raises(InvalidMemory):
        admit_edit(before, before.replace(b"</mark>", b'</mark><a href="javascript:x()">x</a>'))
    with pytest.raises(InvalidMemory):
        admit_edit(before, set_meta(before, "status", "gone"))
    with pytest.raises(SecretRefused):
        admit_edit(before, set_meta(before, "author", TOKEN))
    assert admit_edit(before, set_meta(before, "author", TOKEN), [SecretCode.GITHUB_TOKEN]).allowed


def test_an_edit_that_leaves_an_invalid_file_is_refused() -> None:
    broken = memory(article="<p>no claim</p>")
    with pytest.raises(InvalidMemory):
        admit_edit(broken, set_meta(broken, "updated", "2026-05-01T00:00:00Z"))
