"""Where imported memories stand, what their links lead to, and what is imported once only."""

import pytest
from builders import memory
from hypothesis import given
from hypothesis import strategies as st
from imported import note, only, plan_of, refusal_codes

from memhtml.exchange.note import Copy
from memhtml.format.edit import read_meta
from memhtml.format.parse import parse
from memhtml.safety import SecretCode

ONE = note("Probes drift when they are cold.", "sensors/drift.md")
TWO = note(
    "Pumps need oil. See [drift](drift.md#top) and [[Drift|this]] and [gone](gone.md).", "sensors/oil.md"
)


def test_an_import_of_what_was_imported_plans_nothing() -> None:
    first = plan_of(ONE, TWO)
    again = plan_of(ONE, TWO, store=dict(first.files))
    assert again.files == ()
    assert [each.path for each in again.deduplicated] == [each.path for each in first.imported]


def test_equal_imports_make_equal_files_in_the_order_of_paths() -> None:
    files = plan_of(TWO, ONE).files
    assert files == plan_of(TWO, ONE).files
    assert [path for path, _ in files] == sorted(path for path, _ in files)


def test_two_notes_with_the_same_words_are_one_memory() -> None:
    plan = plan_of(ONE, note(ONE.text, "other/place.md"))
    assert [each.source for each in plan.imported] == ["sensors/drift.md"]
    assert [(each.source, each.path) for each in plan.deduplicated] == [
        ("other/place.md", "resources/sensors/drift.html")
    ]


def test_a_memory_that_was_moved_or_archived_is_known_by_its_words() -> None:
    ((_, data),) = plan_of(ONE).files
    for path in ("projects/rig/renamed.html", "archive/2026/resources/sensors/drift.html"):
        plan = plan_of(ONE, store={path: data})
        assert [each.path for each in plan.deduplicated] == [path]
        assert plan.files == ()


def test_a_note_that_changed_since_its_import_is_refused_and_named() -> None:
    files = dict(plan_of(ONE).files)
    plan = plan_of(note("Probes drift when they are warm.", "sensors/drift.md"), store=files)
    assert refusal_codes(plan) == ["CHANGED"]
    assert "resources/sensors/drift.html" in plan.refused[0].reason


def test_notes_of_two_sources_may_stand_at_one_path() -> None:
    files = dict(plan_of(ONE, name="first").files)
    plan = plan_of(note("Pumps drift too, when cold.", "sensors/drift.md"), store=files, name="second")
    assert [path for path, _ in plan.files] == ["resources/sensors/drift-2.html"]


def test_a_memory_names_the_note_it_comes_from_and_nothing_else() -> None:
    ((_, data),) = plan_of(ONE).files
    assert read_meta(data, "x-memhtml-key") == "notes:sensors/drift.md"
    assert set(parse(data).head) == {
        "memhtml-type",
        "memhtml-status",
        "memhtml-created",
        "memhtml-updated",
        "memhtml-content-hash",
        "memhtml-tag",
        "x-memhtml-key",
    }


def test_links_between_notes_become_edges_and_lead_to_memories() -> None:
    files = {path: data.decode() for path, data in plan_of(ONE, TWO).files}
    oil = files["resources/sensors/oil.html"]
    assert oil.count('<link rel="memhtml-relates-to" href="/resources/sensors/drift.html">') == 1
    assert oil.count('<a href="/resources/sensors/drift.html">') == 2
    assert "gone.md" not in oil
    assert "gone" in oil


def test_links_lead_to_the_memory_that_says_it_already() -> None:
    ((_, data),) = plan_of(ONE).files
    plan = plan_of(ONE, TWO, store={"areas/there.html": data})
    assert only(plan).links == (("memhtml-relates-to", "/areas/there.html"),)


def test_a_link_to_a_note_that_is_refused_leads_nowhere() -> None:
    assert parse(plan_of(TWO, note("", "sensors/drift.md")).files[0][1]).links == ()


def test_a_name_that_two_notes_have_leads_nowhere() -> None:
    plan = plan_of(
        note("The first one of two.", "a/same.md"),
        note("The second one of two.", "b/same.md"),
        note("A third note, after [[same]].", "c/third.md"),
    )
    assert parse(dict(plan.files)["resources/third.html"] if "resources/third.html" in dict(plan.files) else
                 next(data for path, data in plan.files if path.endswith("third.html"))).links == ()  # fmt: skip


def test_a_link_never_leads_to_the_note_itself() -> None:
    assert only(plan_of(note("A note about [itself](self.md).", "self.md"))).links == ()


@pytest.mark.parametrize("taken", ["resources/sensors/drift.html", "resources/sensors/DRIFT.html"])
def test_no_file_is_overwritten_whatever_its_case(taken: str) -> None:
    plan = plan_of(ONE, store={taken: memory("Another fact, which stands there.")})
    assert [path for path, _ in plan.files] == ["resources/sensors/drift-2.html"]


def test_a_secret_that_is_allowed_is_imported_and_recorded() -> None:
    secret = note("The sample key of the docs is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 here.")
    assert refusal_codes(plan_of(secret)) == ["SECRET"]
    plan = plan_of(secret, allowed=frozenset({SecretCode.GITHUB_TOKEN}))
    assert plan.allowances == (("Memhtml-Allow-Secret", "GITHUB_TOKEN"),)
    assert refusal_codes(plan_of(secret, store=dict(plan.files))) == []


def test_files_of_another_store_keep_their_paths_and_every_byte() -> None:
    odd = memory("A fact.", metas=[("valid-from", "2020-01-01")]).replace(b"\n", b"\r\n")
    old = memory("An old fact.", status="archived")
    plan = plan_of(
        Copy("a", "projects/hive/odd name.html", odd), Copy("b", "archive/2020/areas/old.html", old)
    )
    assert dict(plan.files) == {"projects/hive/odd name.html": odd, "archive/2020/areas/old.html": old}


@pytest.mark.parametrize(
    ("path", "data", "code"),
    [
        ("areas/a.html", b"no memory", "INVALID"),
        ("areas/a.html", memory("A fact.", body="<script>1</script>"), "INVALID"),
        ("areas/a.html", memory("A fact.", body='<a href="javascript:x">y</a>'), "INVALID"),
        ("areas/../a.html", memory(), "BAD_NAME"),
        ("elsewhere/a.html", memory(), "BAD_NAME"),
        ("areas/taken.html", memory("A fact of its own."), "PATH_TAKEN"),
        ("areas/TAKEN.html", memory("A fact of its own."), "PATH_TAKEN"),
        ("archive/2020/areas/old.html", memory("A fact of its own.", status="archived"), "PATH_TAKEN"),
        ("areas/a.html", memory("The key is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8."), "SECRET"),
    ],
)
def test_a_file_of_another_store_is_held_to_the_rules_of_a_write(path: str, data: bytes, code: str) -> None:
    store = {
        "areas/taken.html": memory("Who was here first."),
        "archive/2020/areas/old.html": memory("Who was there first."),
    }
    plan = plan_of(Copy("it", path, data), store=store)
    assert refusal_codes(plan) == [code]
    assert plan.files == ()


def test_equal_words_with_another_date_of_the_event_are_no_duplicate() -> None:
    def dated(day: str) -> bytes:
        return memory(article=f'<p><mark>It rained.</mark> <time datetime="{day}">That day</time></p>')

    plan = plan_of(
        Copy("it", "areas/b.html", dated("2026-01-02")), store={"areas/a.html": dated("2026-01-01")}
    )
    assert refusal_codes(plan) == ["OTHER_VALUE"]
    plan = plan_of(
        Copy("it", "areas/b.html", dated("2026-01-01")), store={"areas/a.html": dated("2026-01-01")}
    )
    assert [each.path for each in plan.deduplicated] == ["areas/a.html"]


@given(
    st.lists(st.tuples(st.sampled_from(["a", "A", "ä", "日", "index", ""]), st.integers(0, 3)), max_size=12)
)
def test_no_two_memories_share_a_path_that_a_file_system_may_fold(named: list[tuple[str, int]]) -> None:
    notes = [
        note(f"A fact of number {number}, said by {place}.", f"{number}/n.md", title=title)
        for place, (title, number) in enumerate(named)
    ]
    plan = plan_of(*notes)
    paths = [path.casefold() for path, _ in plan.files]
    assert len(set(paths)) == len(paths) == len(plan.imported) == len(named)
