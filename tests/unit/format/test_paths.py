"""The path algebra: where a memory stands, what its file is called, and what no path can do."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.format import paths
from memhtml.values import Bucket, Instant, MemoryType

AT = Instant("2026-03-09T23:59:59Z")

segments = st.text(alphabet="ab.-/ é\\\0", max_size=8)
any_path = st.lists(segments, max_size=5).map("/".join)


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("/areas//a/x.html/", "areas/a/x.html"),
        ("areas/a.html", "areas/a.html"),
        ("", ""),
        ("///", ""),
        ("a/b//", "a/b"),
        ("./a/../b", "./a/../b"),
        ("a\\b?c#d", "a\\b?c#d"),
    ],
)
def test_a_path_has_one_tree_form(path: str, normal: str) -> None:
    assert paths.normalize_path(path) == normal


@given(any_path)
def test_the_tree_form_is_final(path: str) -> None:
    once = paths.normalize_path(path)
    assert paths.normalize_path(once) == once
    assert "//" not in once
    assert not once.startswith("/")


def test_a_path_of_slashes_takes_linear_time() -> None:
    path = "/" * 65_536 + "a" + "/" * 65_536 + "b"
    start = time.process_time()
    assert paths.normalize_path(path) == "a/b"
    assert not paths.is_valid_memory_path(path)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("path", "is_indexable"),
    [
        ("areas/x.html", True),
        ("archive/2026/areas/x.html", True),
        ("areas/deep/er/x.html", True),
        ("areas/index.html", False),
        ("projects/a/sitemap.xml", False),
        ("projects/a/index.html", False),
        ("README.html", False),
        (".memhtml/sleep/r.html", False),
        ("areas/x.md", False),
        ("areas/x.HTML", False),
        ("notes/x.html", False),
        ("areas", False),
        ("areas.html", False),
        ("", False),
    ],
)
def test_a_file_can_be_a_memory_by_its_path(path: str, is_indexable: bool) -> None:
    assert paths.is_indexable_path(path) is is_indexable


@pytest.mark.parametrize(
    ("path", "is_valid"),
    [
        ("areas/a.html", True),
        ("/areas/a.html/", True),
        ("archive/2026/areas/a.html", True),
        ("areas/.html", True),
        ("areas/..html", True),
        ("areas/日本.html", True),
        ("areas/../../etc/passwd.html", False),
        ("areas/./a.html", False),
        ("areas/a.md", False),
        ("notes/a.html", False),
        ("areas", False),
        ("", False),
        ("areas/a\0.html", False),
        ("areas/a\n.html", False),
        ("areas\\a.html", False),
        ("areas/b\\..\\a.html", False),
        ("areas/.git/a.html", False),
        ("areas/.GIT/a.html", False),
        ("areas/index.html", False),
    ],
)
def test_a_write_may_go_to_safe_paths_only(path: str, is_valid: bool) -> None:
    assert paths.is_valid_memory_path(path) is is_valid


@given(any_path)
def test_a_valid_path_cannot_leave_its_bucket(path: str) -> None:
    path = f"areas/{path}.html"
    if paths.is_valid_memory_path(path):
        normal = paths.normalize_path(path)
        assert paths.is_indexable_path(normal)
        assert not {"", ".", ".."} & set(normal.split("/"))


@pytest.mark.parametrize(
    ("path", "bucket"),
    [
        ("areas/a", Bucket.AREAS),
        ("/archive/x", Bucket.ARCHIVE),
        ("areas", None),
        ("areas/", None),
        ("x/areas/y", None),
    ],
)
def test_the_bucket_is_the_first_segment_of_more(path: str, bucket: Bucket | None) -> None:
    assert paths.para_bucket(path) is bucket


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("!!!", "untitled"),
        ("", "untitled"),
        ("日本語", "untitled"),
        ("Straße", "stra-e"),
        ("Œuvre", "uvre"),
        ("½ cup", "1-2-cup"),
        ("Ⅷ", "viii"),
        ("Crème brûlée", "creme-brulee"),
        ("İstanbul", "istanbul"),
        ("abcd " * 30, ("abcd-" * 16)[:79]),
        ("a" * 200, "a" * 80),
        ("--a--b--", "a-b"),
        ("İ" * 100, "i" * 80),
    ],
)
def test_a_slug_is_short_plain_and_readable(text: str, slug: str) -> None:
    assert paths.slugify(text) == slug


@given(st.text(max_size=120))
def test_every_text_has_a_slug_and_a_slug_is_its_own(text: str) -> None:
    slug = paths.slugify(text)
    assert paths.is_slug(slug)
    assert paths.slugify(slug) == slug


@pytest.mark.parametrize("text", ["", "-a", "a-", "a--b", "A", "a b", "a\n", "a" * 81, "é"])
def test_other_texts_are_no_slugs(text: str) -> None:
    assert not paths.is_slug(text)


@pytest.mark.parametrize(
    "slug", ["a", "untitled", "a" * 80, "a" * 78 + "-2", "a" * 77 + "-10", "a-" * 39 + "a"]
)
def test_a_thousand_ordinals_are_a_thousand_names(slug: str) -> None:
    names = [paths.with_ordinal(slug, n) for n in range(1, 1001)]
    assert len(set(names)) == 1000
    assert all(map(paths.is_slug, names))
    assert names[0] == slug


def test_an_episodic_memory_leads_with_its_utc_day() -> None:
    assert paths.filename("probe-drift", MemoryType.EPISODIC, AT) == "20260309-probe-drift.html"
    assert paths.filename("probe-drift", MemoryType.SEMANTIC, AT) == "probe-drift.html"
    assert paths.has_date_prefix("20260309-probe-drift.html")
    assert paths.has_date_prefix(paths.filename("12345678-retries", MemoryType.SEMANTIC, AT))
    assert not paths.has_date_prefix("2026-probe.html")


def test_no_memory_takes_the_name_of_a_listing() -> None:
    path = paths.memory_path("Index", MemoryType.SEMANTIC, AT)
    assert path == "areas/inbox/index-memory.html"
    assert paths.is_indexable_path(path)
    assert paths.memory_path("Index", MemoryType.SEMANTIC, AT, ordinal=2) == "areas/inbox/index-2.html"
    assert paths.memory_path("Index", MemoryType.EPISODIC, AT) == "areas/inbox/20260309-index.html"


@pytest.mark.parametrize(
    ("memory_type", "arguments", "folder"),
    [
        (MemoryType.SEMANTIC, {"explicit": "projects/x/a.html", "workspace": "y"}, "projects/x"),
        (MemoryType.ARC, {"explicit": "../bad.html", "workspace": "y"}, "areas/arcs"),
        (MemoryType.TASK, {}, "areas/inbox/tasks"),
        (
            MemoryType.TASK,
            {"workspace": "Green House", "tags": ["t"], "entities": ["person:mara"]},
            "projects/green-house/tasks",
        ),
        (MemoryType.SEMANTIC, {"entities": ["org:x", "person:mara"], "workspace": "y"}, "resources/people"),
        (MemoryType.SEMANTIC, {"entities": ["person:"]}, "resources/people"),
        (MemoryType.EPISODIC, {"entities": ["person:mara"]}, "areas/inbox"),
        (MemoryType.SEMANTIC, {"workspace": "y", "tags": ["t"]}, "projects/y"),
        (MemoryType.SEMANTIC, {"workspace": " "}, "projects/untitled"),
        (MemoryType.SEMANTIC, {"workspace": ""}, "areas/inbox"),
        (MemoryType.PROCEDURAL, {"tags": ["", " ", "Soil Probes"]}, "resources/soil-probes"),
        (MemoryType.PRECEDENT, {"tags": ["people"]}, "resources/people"),
        (MemoryType.VERDICT, {"tags": ["t"]}, "areas/inbox"),
        (MemoryType.SEMANTIC, {}, "areas/inbox"),
    ],
)
def test_the_first_rule_that_matches_places_a_memory(
    memory_type: MemoryType, arguments: dict[str, object], folder: str
) -> None:
    assert paths.placement(memory_type, **arguments) == folder


def test_a_valid_explicit_path_is_taken_as_it_is() -> None:
    assert paths.memory_path("T", MemoryType.ARC, AT, explicit="/areas//own.html") == "areas/own.html"
    assert paths.memory_path("T", MemoryType.ARC, AT, explicit="nowhere.html") == "areas/arcs/t.html"


@given(st.text(max_size=60), st.sampled_from(MemoryType), st.text(max_size=10), st.lists(st.text(max_size=5)))
def test_every_new_memory_gets_a_valid_path(
    title: str, memory_type: MemoryType, workspace: str, names: list[str]
) -> None:
    path = paths.memory_path(title, memory_type, AT, workspace=workspace, tags=names, entities=names)
    assert paths.is_valid_memory_path(path)


@given(any_path, st.integers(0, 99_999))
def test_archiving_is_undone_by_the_original_path(path: str, year: int) -> None:
    normal = paths.normalize_path(path)
    archived = paths.archive_path(path, year)
    if normal:
        assert paths.original_path(archived) == normal
        assert paths.archive_year(archived) == year
        assert paths.original_path(paths.archive_path(archived, 2030)) == archived


@pytest.mark.parametrize(
    "path",
    ["archive/areas/a.html", "archive/26/a.html", "archive/2026", "archive/2026/", "areas/2026/a.html", ""],
)
def test_what_names_no_year_is_no_archive_path(path: str) -> None:
    assert not paths.is_archive_path(path)
    assert paths.original_path(path) is None
    assert paths.archive_year(path) is None


def test_a_year_has_four_digits() -> None:
    assert paths.archive_path("areas/a.html", 987) == "archive/0987/areas/a.html"


@pytest.mark.parametrize(
    ("path", "workspace"),
    [
        ("projects/checkout/a.html", "checkout"),
        ("projects/checkout/tasks/a.html", "checkout"),
        ("projects/a.html", None),
        ("areas/a/b.html", None),
        ("archive/2026/projects/checkout/a.html", None),
    ],
)
def test_a_workspace_is_the_folder_below_projects(path: str, workspace: str | None) -> None:
    assert paths.workspace_of(path) == workspace
