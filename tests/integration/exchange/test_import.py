"""Imports and exports end to end: real notes, real stores, the real program."""

import json
from collections import Counter
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import memhtml, memhtml_on_a_terminal
from conftest import git
from corpora import data_dir, needs_data

from memhtml.app.exchange import ExportFormat, ImportChoices, Scope, export_notes, import_notes
from memhtml.app.health import doctor
from memhtml.app.setup import init
from memhtml.app.wire import Store, open_store
from memhtml.doctor.findings import Severity
from memhtml.errors import GitFailed, PathNotFound, PathRefused
from memhtml.safety import SecretCode
from memhtml.values import Instant

AT = Instant("2026-05-01T10:00:00Z")
#: How many documents of each real corpus become memories, and how many are refused for what.
REAL = {
    "beads-issues-spotter.jsonl": (341, {"RETIRED": 6, "SECRET": 1}),
    "claude-memory-recommendarr.jsonl": (13, {"LINKS_ONLY": 1}),
    "jargon-file-0-H.jsonl": (1026, {}),
    "solutions-compound-engineering.jsonl": (70, {"TOO_LONG": 10}),
    "til-jbranchaud.jsonl": (1254, {"SECRET": 6}),
}
NOTES = {
    "sensors/drift.md": b"# Cold probes drift\n\nProbes drift when they are cold. See [oil](oil.md).\n",
    "sensors/oil.md": b"Pumps need oil every day.\n",
    "empty.md": b"",
    "photo.png": b"\x89PNG",
}


def new_store(root: Path) -> Store:
    init(root)
    return open_store(root, clock=lambda: AT, embed=False)


def problems(store: Store) -> list[str]:
    """The findings of the doctor that count."""
    report = doctor(store)
    return [f"{each.code} {each.path}" for each in report.findings if each.severity is Severity.ERROR]


def head(store: Store) -> bytes:
    return git(store.root, "rev-parse", "HEAD")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path / "store")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    plant(tmp_path / "notes", NOTES)
    return tmp_path / "notes"


def test_a_folder_becomes_one_commit_that_the_doctor_passes(store: Store, notes: Path) -> None:
    before = head(store)
    report = import_notes(store, notes)
    assert [each.path for each in report.imported] == [
        "resources/sensors/cold-probes-drift.html",
        "resources/sensors/oil.html",
    ]
    assert {code.value: count for code, count in report.refused_by_code.items()} == {"EMPTY": 1}
    assert report.ignored == 1
    assert git(store.root, "rev-list", "--count", f"{before.decode().strip()}..HEAD").strip() == b"1"
    assert git(store.root, "status", "--porcelain") == b""
    message = git(store.root, "log", "-1", "--format=%B").decode()
    assert message.startswith("memhtml(import): 2 memories from notes\n")
    assert "refused, EMPTY: 1" in message
    assert problems(store) == []


def test_a_second_import_changes_nothing(store: Store, notes: Path) -> None:
    first = import_notes(store, notes)
    before = head(store)
    again = import_notes(store, notes)
    assert (again.imported, again.commit_sha) == ((), None)
    assert [each.path for each in again.deduplicated] == [each.path for each in first.imported]
    assert head(store) == before


def test_a_dry_run_says_the_same_and_changes_nothing(store: Store, notes: Path) -> None:
    before = head(store)
    planned = import_notes(store, notes, dry_run=True)
    assert head(store) == before
    assert git(store.root, "status", "--porcelain") == b""
    assert not store.index_path.exists()
    assert import_notes(store, notes).imported == planned.imported


def test_an_import_on_a_branch_waits_for_its_merge(store: Store, notes: Path) -> None:
    before = head(store)
    report = import_notes(store, notes, branch="import/notes")
    assert report.branch == "import/notes"
    assert head(store) == before
    assert git(store.root, "status", "--porcelain") == b""
    git(store.root, "merge", "-q", "import/notes")
    assert problems(store) == []
    again = import_notes(store, notes, branch="import/again")
    assert (again.branch, again.commit_sha, len(again.deduplicated)) == (None, None, 2)
    with pytest.raises(GitFailed):
        import_notes(store, notes, branch="main")


def test_work_that_was_not_committed_is_left_alone(store: Store, notes: Path) -> None:
    mine = store.root / "resources" / "sensors" / "oil.html"
    plant(store.root, {"resources/sensors/oil.html": b"my own draft", "staged.txt": b"staged"})
    git(store.root, "add", "staged.txt")
    report = import_notes(store, notes)
    assert "resources/sensors/oil-2.html" in [each.path for each in report.imported]
    assert mine.read_bytes() == b"my own draft"
    assert git(store.root, "diff", "--cached", "--name-only") == b"staged.txt\n"


def test_what_a_person_says_of_the_source_holds_for_every_note(store: Store, notes: Path) -> None:
    choices = ImportChoices(tags=("rig",), workspace="hive", author="human:Mara", name="vault")
    report = import_notes(store, notes, choices=choices)
    assert [each.path for each in report.imported] == [
        "projects/hive/cold-probes-drift.html",
        "projects/hive/oil.html",
    ]
    text = (store.root / "projects/hive/oil.html").read_text()
    for line in ('"memhtml-author" content="human:Mara"', '"x-memhtml-key" content="vault:sensors/oil.md"'):
        assert line in text


def test_a_false_alarm_that_is_allowed_is_recorded_in_the_commit(store: Store, tmp_path: Path) -> None:
    plant(tmp_path / "n", {"a.md": b"The docs show ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 as a sample.\n"})
    assert [each.code.value for each in import_notes(store, tmp_path / "n").refused] == ["SECRET"]
    import_notes(
        store, tmp_path / "n", choices=ImportChoices(allowed_secrets=frozenset({SecretCode.GITHUB_TOKEN}))
    )
    trailer = git(store.root, "log", "-1", "--format=%(trailers:key=Memhtml-Allow-Secret,valueonly)")
    assert trailer.strip() == b"GITHUB_TOKEN"


def test_a_hook_that_says_no_leaves_everything_as_it_was(store: Store, notes: Path) -> None:
    hook = store.root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    before = head(store)
    with pytest.raises(GitFailed):
        import_notes(store, notes)
    assert head(store) == before
    assert git(store.root, "status", "--porcelain") == b""


def test_a_source_that_is_not_there_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(PathNotFound):
        import_notes(store, tmp_path / "nowhere")


def test_an_export_takes_its_name_when_it_is_whole_and_overwrites_nothing(
    store: Store, notes: Path, tmp_path: Path
) -> None:
    import_notes(store, notes)
    target = tmp_path / "out"
    report = export_notes(store, target, ExportFormat.MARKDOWN, Scope())
    assert report.exported == 2
    assert sorted(path.relative_to(target).as_posix() for path in target.rglob("*.md")) == [
        "resources/sensors/cold-probes-drift.md",
        "resources/sensors/oil.md",
    ]
    assert [path.name for path in tmp_path.glob(".*")] == []
    with pytest.raises(PathRefused):
        export_notes(store, target, ExportFormat.MARKDOWN, Scope())


def test_an_export_holds_what_its_scope_does(store: Store, tmp_path: Path) -> None:
    plant(
        store.root,
        {
            "projects/hive/a.html": memory("The first fact.", metas=[("tag", "x")]),
            "areas/b.html": memory("The second fact.", type_="precedent"),
            "archive/2020/areas/c.html": memory("The third fact.", status="archived"),
            "areas/broken.html": b"no memory",
        },
    )
    git(store.root, "add", "-A")
    git(store.root, "commit", "-qm", "facts")

    def exported(name: str, scope: Scope) -> list[str]:
        target = tmp_path / f"{name}.jsonl"
        report = export_notes(store, target, ExportFormat.JSONL, scope)
        assert report.skipped == 1
        return [json.loads(line)["memory_path"] for line in target.read_text().splitlines()]

    assert exported("all", Scope()) == ["areas/b.html", "projects/hive/a.html"]
    assert exported("archived", Scope(include_archived=True))[0] == "archive/2020/areas/c.html"
    assert exported("tag", Scope(tags=frozenset({"x"}))) == ["projects/hive/a.html"]
    assert exported("workspace", Scope(workspace="hive")) == ["projects/hive/a.html"]


def test_the_program_imports_and_exports(store: Store, notes: Path, tmp_path: Path) -> None:
    ran = memhtml("import", str(notes), "--no-embed", cwd=store.root)
    assert (ran.status, ran.envelope["type"]) == (0, "import.report")
    assert ran.data["refusedByCode"] == {"EMPTY": 1}
    assert len(memhtml("search", "oil", cwd=store.root).data["hits"]) == 2
    ran = memhtml("export", str(tmp_path / "out.jsonl"), cwd=store.root)
    assert (ran.status, ran.data["exported"], ran.data["format"]) == (0, 2, "jsonl")
    ran = memhtml("export", str(tmp_path / "out.jsonl"), cwd=store.root)
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_PATH_REFUSED")
    ran = memhtml("import", str(tmp_path / "nowhere"), cwd=store.root)
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_PATH_NOT_FOUND")


def test_a_person_is_told_in_a_few_lines(store: Store, notes: Path) -> None:
    shown = memhtml_on_a_terminal("import", str(notes), cwd=store.root)
    text = shown.stdout.decode()
    assert "2 memories from notes as" in text
    assert "empty.md: there is nothing in it" in text


@needs_data
@pytest.mark.timeout(900)
def test_the_real_corpora_become_memories_once_that_the_doctor_passes(store: Store, tmp_path: Path) -> None:
    folder = data_dir() / "corpus"
    counts = {}
    for name in REAL:
        report = import_notes(store, folder / name)
        counts[name] = (len(report.imported), dict(Counter(each.code.value for each in report.refused)))
        assert report.deduplicated == ()
    assert counts == REAL
    assert problems(store) == []
    before = head(store)
    for name, (count, _) in REAL.items():
        again = import_notes(store, folder / name)
        assert (len(again.imported), len(again.deduplicated), again.commit_sha) == (0, count, None)
    assert head(store) == before
    # What leaves as JSON Lines comes back as it was, and so does the store itself.
    total = sum(count for count, _ in REAL.values())
    assert export_notes(store, tmp_path / "all.jsonl", ExportFormat.JSONL, Scope()).exported == total
    back = new_store(tmp_path / "back")
    assert len(import_notes(back, tmp_path / "all.jsonl").imported) == total
    assert problems(back) == []
    assert import_notes(back, store.root).commit_sha is None


@needs_data
def test_a_store_of_another_implementation_is_taken_over_byte_for_byte(store: Store, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(data_dir() / "interop/original-0.15.bundle"), str(tmp_path / "theirs"))
    report = import_notes(store, tmp_path / "theirs")
    assert len(report.imported) > 10
    for each in report.imported:
        assert git(store.root, "show", f"HEAD:{each.path}") == git(
            tmp_path / "theirs", "show", f"HEAD:{each.path}"
        )
    assert import_notes(store, tmp_path / "theirs").commit_sha is None
    assert problems(store) == []
