"""What a note says as a memory, and which notes are no fact."""

import pytest
from imported import AT, note, only, plan_of, refusal_codes

from memhtml.exchange.note import NoteKind
from memhtml.values import MemoryType

PROSE = "Probes drift when they are cold."


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "EMPTY"),
        (" \n\n", "EMPTY"),
        ("# A title", "EMPTY"),
        ("# A title\n\n```\ncode only\n```", "NO_PROSE"),
        ("Word", "NO_PROSE"),
        ("# Index\n\n- [One](one.md) — about one\n- [Two](two.md)\n- three", "LINKS_ONLY"),
        ("word " * 2_001, "TOO_LONG"),
        ("x" * 66_000, "TOO_LARGE"),
        ("---\ntitle: [\n---\n" + PROSE, "BAD_FRONT_MATTER"),
        ("> " * 200 + "deep words stand here", "TOO_COMPLEX"),
        ("---\nmemory_status: archived\n---\n" + PROSE, "RETIRED"),
        (PROSE + " Log in with password = 'hunter2hunter2!x'.", "SECRET"),
    ],
)
def test_a_note_that_is_no_fact_is_refused_with_a_reason(text: str, code: str) -> None:
    plan = plan_of(note(text))
    assert refusal_codes(plan) == [code]
    assert plan.refused[0].reason
    assert plan.files == ()


def test_a_refusal_never_quotes_a_secret() -> None:
    plan = plan_of(note(PROSE + " Log in with password = 'hunter2hunter2!x'."))
    assert "hunter2" not in repr(plan)


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("---\ntitle: Given\n---\n# Heading\n\n" + PROSE, "note.md", "Given"),
        ("# Heading\n\n" + PROSE, "note.md", "Heading"),
        ("# A `code` *heading*\n\n" + PROSE, "note.md", "A code heading"),
        (PROSE, "cold_probes-drift.md", "cold probes drift"),
        ("---\nname: cold_probes\n---\n" + PROSE, "cold_probes.md", "cold probes"),
        ("---\nname: cold_probes\n---\n# Probes\n\n" + PROSE, "cold_probes.md", "Probes"),
    ],
)
def test_the_title_is_what_the_note_says_and_else_its_file_name(text: str, path: str, title: str) -> None:
    assert only(plan_of(note(text, path))).title == title


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (PROSE, "n.md", MemoryType.SEMANTIC),
        (PROSE + "\n\n```sh\nmake\n```", "n.md", MemoryType.PROCEDURAL),
        (PROSE, "2026-03-09.md", MemoryType.EPISODIC),
        (f"---\ntype: feedback\n---\n{PROSE}", "n.md", MemoryType.USER_PREFERENCE),
        (f"---\nmetadata:\n  type: project\n---\n{PROSE}", "n.md", MemoryType.SEMANTIC),
        (f"---\nmemory_type: verdict\n---\n{PROSE}", "n.md", MemoryType.VERDICT),
        (f"---\nproblem_type: tooling_decision\n---\n{PROSE}", "n.md", MemoryType.PRECEDENT),
        (f"---\nproblem_type: logic_error\n---\n{PROSE}", "n.md", MemoryType.ERROR_PATTERN),
        (f"---\ntype: unheard of\n---\n{PROSE}", "n.md", MemoryType.SEMANTIC),
    ],
)
def test_the_type_is_what_the_note_calls_itself_and_else_told_by_its_form(
    text: str, path: str, expected: MemoryType
) -> None:
    assert only(plan_of(note(text, path))).memory_type is expected


def test_a_default_type_holds_for_notes_that_do_not_say() -> None:
    assert only(plan_of(note(PROSE), memory_type=MemoryType.PRECEDENT)).memory_type is MemoryType.PRECEDENT
    text = f"---\ntype: decision\n---\n{PROSE}"
    assert only(plan_of(note(text), memory_type=MemoryType.ARC)).memory_type is MemoryType.PRECEDENT


def test_tags_come_from_the_caller_the_folder_and_the_fields_in_this_order() -> None:
    text = f"---\ncategory: docs/skill-design/\ntags: [Drift, '#cold', drift]\n---\n{PROSE}"
    found = only(plan_of(note(text, "sensors/n.md"), tags=("til",)))
    assert found.tags == ("til", "sensors", "skill-design", "Drift", "cold")


@pytest.mark.parametrize("path", ["n.md", "docs/n.md", ".claude/memory/n.md", "A/n.md", "0/n.md", "12/n.md"])
def test_a_folder_that_says_nothing_is_no_tag(path: str) -> None:
    assert only(plan_of(note(PROSE, path))).tags == ()


def test_dates_are_the_notes_own_and_else_those_of_the_import() -> None:
    found = only(
        plan_of(note(f"---\ndate: 2026-03-09\nlast_updated: 2026-03-11T17:42:30+01:00\n---\n{PROSE}"))
    )
    assert (found.created, found.updated) == ("2026-03-09T00:00:00Z", "2026-03-11T16:42:30Z")
    found = only(plan_of(note(PROSE)))
    assert (found.created, found.updated) == (AT, AT)


def test_a_note_is_never_updated_before_it_was_created() -> None:
    found = only(plan_of(note(f"---\ncreated: 2026-03-09\nupdated: 2025-01-01\n---\n{PROSE}")))
    assert (found.created, found.updated) == ("2026-03-09T00:00:00Z", "2026-03-09T00:00:00Z")


def test_nothing_about_its_author_is_made_up() -> None:
    assert only(plan_of(note(PROSE))).author is None
    assert only(plan_of(note(f"---\nauthor: Mara\n---\n{PROSE}"))).author == "human:Mara"
    assert only(plan_of(note(f"---\nauthor: agent:x\n---\n{PROSE}"))).author == "agent:x"
    assert only(plan_of(note(PROSE), author="human:Ada")).author == "human:Ada"


def test_fields_that_mean_nothing_here_are_kept_as_facets() -> None:
    text = f"---\nseverity: high\napplies_when:\n  - Cold\n  - Wet\nsince:\n  year: 2020\nlayout: post\n---\n{PROSE}"
    found = only(plan_of(note(text)))
    assert [(facet.name, facet.value) for facet in found.facets] == [
        ("severity", "high"),
        ("applies when", "Cold"),
        ("applies when", "Wet"),
        ("since", "year: 2020"),
    ]


def test_a_description_is_the_claim() -> None:
    found = only(plan_of(note(f"---\nname: x\ndescription: Warm probes up first\n---\n{PROSE}")))
    assert found.gist == "Warm probes up first"
    assert found.body_text == f"Warm probes up first {PROSE}"


@pytest.mark.parametrize(
    "title", ["🚀", "品牌圣经", "   ", "❤️", "Index", "Sitemap", "x" * 500, "../../etc/passwd", "<b>"]
)
def test_any_title_makes_a_memory_at_a_path_of_its_own(title: str) -> None:
    plan = plan_of(
        *(note(f"{PROSE} Case {number}.", f"n{number}.md", title=title) for number in range(3)),
    )
    paths = [path for path, _ in plan.files]
    assert len(set(paths)) == 3
    assert all(path.startswith("areas/inbox/") and path.count("/") == 2 for path in paths)
    assert not any(path.endswith(("/index.html", "/sitemap.xml")) for path in paths)


def test_a_title_in_another_script_leaves_the_path_to_the_file_name() -> None:
    plan = plan_of(note(PROSE, "brand-bible.md", title="品牌圣经"))
    assert [path for path, _ in plan.files] == ["areas/inbox/brand-bible.html"]


def test_a_fact_without_a_title_is_called_by_its_words() -> None:
    found = only(
        plan_of(note("Prefers tea over coffee in the morning. Never sugar.", "", kind=NoteKind.FACT))
    )
    assert (found.title, found.gist) == ("Prefers tea over coffee in the morning.",) * 2


def test_the_heading_that_repeats_the_title_is_dropped_and_another_one_is_not() -> None:
    assert only(plan_of(note(f"# Cold probes\n\n{PROSE}", title="Cold `probes`"))).body_text == PROSE
    found = only(plan_of(note(f"# Drift\n\n{PROSE}", title="Cold probes")))
    assert found.body_text == f"Cold probes Drift {PROSE}"
