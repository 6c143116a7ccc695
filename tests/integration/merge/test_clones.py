"""Counts that clones tell each other: summed over the clones, told once, and never going down."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import memhtml
from conftest import git

from memhtml.app import indexing, retrieval
from memhtml.app.clone import clone_of
from memhtml.app.setup import init
from memhtml.app.sidecar import export_state, import_state
from memhtml.app.wire import Store, open_store
from memhtml.db.open import attach_state
from memhtml.errors import DirtyTree, GitFailed
from memhtml.index.access import LinkKind, record_link, reinforce
from memhtml.ranking.decay import Signal
from memhtml.resources import migrations
from memhtml.values import Instant, MemoryPath, Plane

PROBE = MemoryPath("resources/sensors/probe.html")
KETTLE = MemoryPath("projects/kettle/kettle.html")
NOON = Instant("2026-06-01T12:00:00Z")


def hour(hours: int) -> Instant:
    return Instant(f"2026-06-{1 + hours // 24:02}T{hours % 24:02}:00:00Z")


def store_of(root: Path) -> Store:
    return open_store(root, clock=lambda: NOON)


def state_of(root: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    path = root / ".memhtml" / "state.db"
    attach_state(connection, path, mode="write", migrations=migrations(Plane.STATE), now=NOON)
    return connection


def use(root: Path, path: MemoryPath, times: int, *, start: int = 0, signal: Signal = Signal.NEUTRAL) -> None:
    """Use a memory once an hour."""
    with closing(state_of(root)) as state:
        clone_of(store_of(root), state)
        for n in range(times):
            reinforce(state, [path], signal, hour(start + n))


def counts(root: Path) -> dict[str, int]:
    """What a search sums up."""
    with closing(state_of(root)) as state:
        rows = state.execute(
            "SELECT path, sum(access_count) FROM (SELECT path, access_count FROM state.access UNION ALL"
            " SELECT path, access_count FROM state.access_remote) GROUP BY path ORDER BY path"
        )
        return dict(rows.fetchall())


def own(root: Path) -> dict[str, int]:
    with closing(state_of(root)) as state:
        return dict(state.execute("SELECT path, access_count FROM state.access").fetchall())


def pull(root: Path, other: Path) -> None:
    """Merge what another clone committed, without asking anybody."""
    git(root, "fetch", "-q", str(other), "HEAD")
    git(root, "merge", "-q", "-m", "both", "FETCH_HEAD")


@pytest.fixture
def one(tmp_path: Path) -> Path:
    root = init(tmp_path / "one").root
    plant(root, {PROBE: memory("A probe needs ten minutes."), KETTLE: memory("The kettle trips.")})
    git(root, "add", "--all")
    git(root, "commit", "-qm", "memories")
    indexing.rebuild(store_of(root))
    return root


@pytest.fixture
def two(one: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "-q", str(one), "two")
    root = init(tmp_path / "two").root
    indexing.rebuild(store_of(root))
    return root


def test_counts_of_two_clones_add_up_on_both_and_stay_so(one: Path, two: Path) -> None:
    use(one, PROBE, 3)
    use(two, PROBE, 2)
    use(two, KETTLE, 5)
    reports = [export_state(store_of(root)) for root in (one, two)]
    assert reports[0].clone_id != reports[1].clone_id
    pull(one, two)
    pull(two, one)
    for _ in range(2):
        for root in (one, two):
            heard = import_state(store_of(root))
            assert set(heard.clones) == {report.clone_id for report in reports}
            assert (heard.restored, heard.skipped) == (3, 0)
            assert counts(root) == {PROBE: 5, KETTLE: 5}
            assert not export_state(store_of(root)).written
    assert own(one) == {PROBE: 3}


def test_later_counts_replace_earlier_ones_of_the_same_clone(one: Path, two: Path) -> None:
    use(two, KETTLE, 2)
    export_state(store_of(two))
    pull(one, two)
    import_state(store_of(one))
    use(two, KETTLE, 4, start=100)
    export_state(store_of(two))
    pull(one, two)
    import_state(store_of(one))
    assert counts(one) == {KETTLE: 6}


def test_an_export_is_one_commit_of_one_file_and_the_second_is_none(one: Path) -> None:
    use(one, PROBE, 1)
    (one / "areas" / "inbox" / "mine.html").write_bytes(memory("Mine."))
    git(one, "add", "areas/inbox/mine.html")
    report = export_state(store_of(one))
    assert report.written
    assert report.rows == 1
    assert report.path == f".memhtml/state/access/{report.clone_id}.jsonl"
    assert report.paths == (report.path,)
    assert git(one, "show", "--format=%s", "--name-only", "HEAD").decode().split("\n\n") == [
        "memhtml(state): export 1 access row",
        report.path + "\n",
    ]
    (line,) = (one / report.path).read_text().splitlines()
    assert list(json.loads(line)) == [
        "path",
        "accessCount",
        "reinforcementCount",
        "outcomeScore",
        "lastAccessedAt",
        "lastReinforcedAt",
        "updatedAt",
        "contentHash",
    ]
    assert git(one, "status", "--porcelain").decode() == "A  areas/inbox/mine.html\n"
    again = export_state(store_of(one))
    assert (again.written, again.commit_sha, again.rows) == (False, None, 1)
    assert indexing.status(store_of(one)).fresh


def test_a_clone_that_counted_nothing_commits_nothing(one: Path) -> None:
    before = git(one, "rev-parse", "HEAD")
    report = export_state(store_of(one))
    assert (report.written, report.rows, report.bytes) == (False, 0, 0)
    assert git(one, "rev-parse", "HEAD") == before
    assert import_state(store_of(one)).paths == ()


def test_the_file_of_a_writer_that_knows_no_clones_is_heard_by_the_maximum(one: Path) -> None:
    line = (
        '{"path":"%s","accessCount":%d,"reinforcementCount":2,"outcomeScore":0.5,"lastAccessedAt":null,'
        '"lastReinforcedAt":"","updatedAt":"2026-05-01T00:00:00Z"}\n'
    )
    sidecar = one / ".memhtml" / "state" / "access.jsonl"
    for count, expected in ((7, 7), (4, 7), (9, 9)):
        sidecar.write_text(line % (PROBE, count) + "broken\n")
        report = import_state(store_of(one))
        assert (report.clones, report.restored, report.skipped) == (("legacy",), 1, 1)
        assert counts(one) == {PROBE: expected}
    use(one, PROBE, 1)
    assert counts(one) == {PROBE: 10}


def test_a_copied_folder_takes_an_id_of_its_own_and_counts_nothing_twice(one: Path, tmp_path: Path) -> None:
    use(one, PROBE, 3)
    first = export_state(store_of(one))
    use(one, PROBE, 1, start=50)
    copy = tmp_path / "copy"
    shutil.copytree(one, copy, symlinks=True)
    use(copy, PROBE, 2, start=100)
    told = export_state(store_of(copy))
    assert told.clone_id != first.clone_id
    export_state(store_of(one))
    pull(copy, one)
    pull(one, copy)
    for root in (one, copy):
        import_state(store_of(root))
        # All four of the original, and the two of the copy.
        assert counts(root) == {PROBE: 6}


def test_reading_a_memory_is_what_makes_a_copy_a_clone_of_its_own(one: Path, tmp_path: Path) -> None:
    retrieval.read(store_of(one), PROBE)
    copy = tmp_path / "copy"
    shutil.copytree(one, copy, symlinks=True)
    later = open_store(copy, clock=lambda: hour(48))
    retrieval.read(later, PROBE)
    assert (own(one), own(copy), counts(copy)) == ({PROBE: 1}, {PROBE: 1}, {PROBE: 2})


def test_a_moved_folder_loses_no_count_that_it_had_not_told(one: Path, two: Path, tmp_path: Path) -> None:
    use(one, PROBE, 3)
    export_state(store_of(one))
    use(one, PROBE, 2, start=50)
    use(one, KETTLE, 1)
    moved = one.rename(tmp_path / "moved")
    export_state(store_of(moved))
    import_state(store_of(moved))
    assert counts(moved) == {PROBE: 5, KETTLE: 1}
    pull(two, moved)
    import_state(store_of(two))
    assert counts(two) == {PROBE: 5, KETTLE: 1}


def test_a_lost_state_plane_comes_back_from_what_was_told(one: Path) -> None:
    use(one, PROBE, 3)
    export_state(store_of(one))
    for name in (one / ".memhtml").glob("state.db*"):
        name.unlink()
    assert not import_state(store_of(one)).has_state
    assert counts(one) == {PROBE: 3}
    use(one, PROBE, 1, start=100)
    export_state(store_of(one))
    import_state(store_of(one))
    assert counts(one) == {PROBE: 4}


def test_counts_find_their_memory_again_after_it_moved_in_another_clone(one: Path, two: Path) -> None:
    use(two, PROBE, 2)
    export_state(store_of(two))
    pull(one, two)
    (one / "archive/2026/resources/sensors").mkdir(parents=True)
    git(one, "mv", PROBE, f"archive/2026/{PROBE}")
    git(one, "commit", "-qm", "archived")
    indexing.update(store_of(one))
    import_state(store_of(one))
    assert counts(one) == {f"archive/2026/{PROBE}": 2}
    # The other clone still tells the old path, and hears of the move later.
    use(two, PROBE, 1, start=100)
    export_state(store_of(two))
    pull(one, two)
    import_state(store_of(one))
    assert counts(one) == {f"archive/2026/{PROBE}": 3}
    pull(two, one)
    indexing.update(store_of(two))
    export_state(store_of(two))
    pull(one, two)
    import_state(store_of(one))
    assert counts(one) == counts(two) == {f"archive/2026/{PROBE}": 3}


def test_links_and_consolidations_are_told_and_stay_their_clones_to_tell(one: Path, two: Path) -> None:
    for root, session in ((one, "s1"), (two, "s2")):
        with closing(state_of(root)) as state:
            record_link(state, PROBE, session, LinkKind.WROTE, NOON)
            state.execute("INSERT INTO state.trace_consolidations VALUES (?, 'run', ?)", (session, NOON))
            state.execute(
                "INSERT INTO state.edge_corroboration VALUES ('a', 'supports', 'b', ?, 0, 0, ?)", (1, NOON)
            )
        export_state(store_of(root))
    pull(one, two)
    report = import_state(store_of(one))
    assert (report.restored, report.facts, report.skipped) == (0, 6, 0)
    with closing(state_of(one)) as state:
        links = state.execute("SELECT session_id FROM state.memory_session_links ORDER BY 1").fetchall()
        assert links == [("s1",), ("s2",)]
        assert state.execute("SELECT count(*) FROM state.trace_consolidations").fetchone() == (2,)
        assert state.execute("SELECT detections FROM state.edge_corroboration").fetchall() == [(1,)]
    export_state(store_of(one))
    told = b"".join(path.read_bytes() for path in (one / ".memhtml/state/links").iterdir())
    assert told.count(b'"s1"') == told.count(b'"s2"') == 1


def test_files_that_no_clone_wrote_are_passed_over(one: Path, tmp_path: Path) -> None:
    folder = one / ".memhtml" / "state" / "access"
    folder.mkdir()
    (folder / "notes.txt").write_text("hello")
    (folder / "..jsonl").write_text("hello")
    (folder / "link.jsonl").symlink_to(tmp_path / "elsewhere")
    (folder / "folder.jsonl").mkdir()
    assert import_state(store_of(one)).paths == ()


def test_an_export_over_somebodys_edit_or_into_an_unfinished_merge_is_refused(one: Path) -> None:
    use(one, PROBE, 1)
    report = export_state(store_of(one))
    use(one, PROBE, 1, start=100)
    (one / report.path).write_text("edited\n")
    before = git(one, "rev-parse", "HEAD")
    with pytest.raises(DirtyTree):
        export_state(store_of(one))
    git(one, "checkout", "-q", "--", report.path)
    git(one, "checkout", "-q", "--detach")
    with pytest.raises(GitFailed):
        export_state(store_of(one))
    assert git(one, "rev-parse", "HEAD") == before


def test_the_commands_tell_and_hear(one: Path) -> None:
    use(one, PROBE, 2)
    told = memhtml("state", "export", "--repo", str(one))
    assert told.envelope["type"] == "state.report"
    assert (told.data["written"], told.data["rows"]) == (True, 1)
    assert told.data["commitSha"] == git(one, "rev-parse", "HEAD").decode().strip()
    heard = memhtml("state", "import", "--repo", str(one))
    assert (heard.status, heard.data["restored"], heard.data["hasState"]) == (0, 1, True)
