"""Real merges of real clones by git, with the driver that `init` registers."""

import os
import subprocess
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import PROGRAM, memhtml
from conftest import git

from memhtml.app.health import doctor
from memhtml.app.setup import init
from memhtml.app.wire import open_store
from memhtml.doctor.findings import FailOn, FindingCode
from memhtml.format.parse import parse
from memhtml.store.merge_driver import CONFIGURATION

PROBE = "resources/sensors/probe.html"
BODY = "\n<p>It drifts when cold.</p>\n<p>The vendor says otherwise.</p>"
START = memory("A probe needs ten minutes.", title="Probe", metas=[("tag", "sensors")], body=BODY)


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    """Two stores with one history: an original, and a clone in which `init` was run."""
    one = init(tmp_path / "one").root
    commit(one, {PROBE: START})
    git(tmp_path, "clone", "-q", str(one), "two")
    two = init(tmp_path / "two").root
    return one, two


def commit(root: Path, files: dict[str, bytes | None]) -> None:
    plant(root, {name: data for name, data in files.items() if data is not None})
    for name, data in files.items():
        if data is None:
            (root / name).unlink()
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "more")


def merge(one: Path, two: Path) -> subprocess.CompletedProcess[bytes]:
    """Merge what `two` committed into `one`."""
    git(one, "fetch", "-q", str(two), "HEAD")
    return subprocess.run(
        ["git", "-C", str(one), "merge", "-m", "both", "FETCH_HEAD"], capture_output=True, check=False
    )


def assert_healthy(root: Path) -> None:
    report = doctor(open_store(root), fail_on=FailOn.WARNING)
    counted = [f for f in report.findings if f.severity != "info"]
    assert counted == [], counted


def test_init_registers_the_driver_and_listings_still_keep_ours(clones: tuple[Path, Path]) -> None:
    for root in clones:
        for key, value in CONFIGURATION.items():
            assert git(root, "config", "--local", key).decode() == value + "\n"
        assert git(root, "config", "--local", "merge.directoryRenames") == b"false\n"
        told = git(root, "check-attr", "merge", "--", PROBE, "areas/index.html", "index.html", "sitemap.xml")
        assert told.decode().splitlines() == [
            f"{PROBE}: merge: memhtml",
            "areas/index.html: merge: ours",
            "index.html: merge: ours",
            "sitemap.xml: merge: ours",
        ]


def test_both_sides_edit_head_and_different_blocks(clones: tuple[Path, Path]) -> None:
    one, two = clones
    commit(
        one,
        {
            PROBE: START.replace(b"drifts when cold", b"drifts a lot when cold")
            .replace(b'"2026-03-11T17:42:30Z"', b'"2026-05-01T00:00:00Z"')
            .replace(b'content="sensors">', b'content="sensors">\n<meta name="memhtml-tag" content="cold">')
        },
    )
    commit(
        two,
        {
            PROBE: START.replace(b"says otherwise.</p>", b"says otherwise.</p>\n<p>Seen twice.</p>")
            .replace(b'"2026-03-11T17:42:30Z"', b'"2026-04-01T00:00:00Z"')
            .replace(b'content="sensors">', b'content="sensors">\n<meta name="memhtml-tag" content="vendor">')
        },
    )
    done = merge(one, two)
    assert done.returncode == 0, done
    document = parse((one / PROBE).read_bytes())
    assert set(document.tags) == {"sensors", "cold", "vendor"}
    assert document.updated == "2026-05-01T00:00:00Z"
    assert "drifts a lot" in document.body_text
    assert "Seen twice." in document.body_text
    assert_healthy(one)


def test_one_side_archives_what_the_other_edits(clones: tuple[Path, Path]) -> None:
    one, two = clones
    archived = f"archive/2026/{PROBE}"
    commit(
        one,
        {
            PROBE: None,
            archived: START.replace(b'content="active"', b'content="archived"').replace(
                b'<meta name="memhtml-tag"',
                b'<meta name="memhtml-archived" content="2026-05-01T00:00:00Z">\n<meta name="memhtml-tag"',
            ),
        },
    )
    commit(
        two,
        {
            PROBE: START.replace(
                b"</head>", b'<link rel="memhtml-relates-to" href="/resources/sensors/scale.html">\n</head>'
            ),
            "resources/sensors/scale.html": memory("A scale drifts too.", title="Scale"),
        },
    )
    assert merge(one, two).returncode == 0
    assert not (one / PROBE).exists()
    document = parse((one / archived).read_bytes())
    assert document.status == "archived"
    assert [link.href for link in document.links] == ["/resources/sensors/scale.html"]
    assert_healthy(one)


def test_both_sides_archive_the_same_memory_for_successors_of_their_own(clones: tuple[Path, Path]) -> None:
    one, two = clones
    archived = f"archive/2026/{PROBE}"

    def corrected(words: str, name: str, at: str) -> dict[str, bytes | None]:
        old = START.replace(b'content="active"', b'content="archived"').replace(
            b'<meta name="memhtml-tag"',
            f'<meta name="memhtml-valid-until" content="{at}">\n<meta name="memhtml-archived" content="{at}">\n'
            f'<meta name="memhtml-superseded-by" content="/{name}">\n<meta name="memhtml-tag"'.encode(),
        )
        new = memory(words, title=words, metas=[("valid-from", at)], links=[("supersedes", f"/{archived}")])
        return {PROBE: None, archived: old, name: new}

    commit(
        one,
        corrected("A probe needs twelve minutes.", "resources/sensors/twelve.html", "2026-05-02T00:00:00Z"),
    )
    commit(
        two, corrected("A probe needs eight minutes.", "resources/sensors/eight.html", "2026-05-01T00:00:00Z")
    )
    assert merge(one, two).returncode == 0
    document = parse((one / archived).read_bytes())
    assert (document.valid_until, document.superseded_by) == (
        "2026-05-01T00:00:00Z",
        "/resources/sensors/eight.html",
    )
    assert (one / "resources/sensors/twelve.html").exists()
    assert (one / "resources/sensors/eight.html").exists()
    assert_healthy(one)


def test_both_sides_add_one_path_with_one_claim(clones: tuple[Path, Path]) -> None:
    one, two = clones
    path = "areas/inbox/kettle.html"
    commit(
        one,
        {path: memory("The kettle trips.", title="Kettle", metas=[("tag", "a")], body="<p>On mains.</p>")},
    )
    commit(
        two, {path: memory("The kettle trips.", title="Kettle", metas=[("tag", "b")], body="<p>Twice.</p>")}
    )
    assert merge(one, two).returncode == 0
    document = parse((one / path).read_bytes())
    assert set(document.tags) == {"a", "b"}
    assert "On mains." in document.body_text
    assert "Twice." in document.body_text
    assert_healthy(one)


def test_a_claim_that_both_sides_changed_stops_the_merge_with_markers_around_it_alone(
    clones: tuple[Path, Path],
) -> None:
    one, two = clones
    commit(one, {PROBE: START.replace(b"ten minutes", b"twelve minutes")})
    commit(
        two,
        {
            PROBE: START.replace(b"ten minutes", b"eight minutes").replace(
                b'content="sensors"', b'content="probe"'
            )
        },
    )
    done = merge(one, two)
    assert done.returncode == 1
    assert b"both sides changed the claim" in done.stderr
    data = (one / PROBE).read_bytes()
    assert data.count(b"<<<<<<< ours\n") == 1
    assert (
        b"<<<<<<< ours\n<p><mark>A probe needs twelve minutes.</mark></p>\n=======\n"
        b"<p><mark>A probe needs eight minutes.</mark></p>\n>>>>>>> theirs\n" in data
    )
    assert b'content="probe"' in data
    assert git(one, "diff", "--name-only", "--diff-filter=U").decode() == PROBE + "\n"
    resolved = data.replace(b"<<<<<<< ours\n", b"").partition(b"=======\n")
    (one / PROBE).write_bytes(resolved[0] + resolved[2].partition(b">>>>>>> theirs\n")[2])
    git(one, "commit", "-qam", "resolved")
    assert_healthy(one)


def test_criss_cross_merges_do_not_choke_on_the_markers_of_their_ancestors(clones: tuple[Path, Path]) -> None:
    one, two = clones
    commit(one, {PROBE: START.replace(b"drifts when cold", b"drifts when frozen")})
    commit(two, {PROBE: START.replace(b"drifts when cold", b"drifts when chilled")})
    first, second = (
        git(one, "rev-parse", "HEAD").decode().strip(),
        git(two, "rev-parse", "HEAD").decode().strip(),
    )
    git(one, "fetch", "-q", str(two), "HEAD")
    git(two, "fetch", "-q", str(one), "HEAD")
    for root, other in ((one, second), (two, first)):
        subprocess.run(["git", "-C", str(root), "merge", "-q", other], capture_output=True, check=False)
        (root / PROBE).write_bytes(START.replace(b"drifts when cold", b"drifts when cold or frozen"))
        git(root, "commit", "-qam", "settled")
    commit(one, {PROBE: (one / PROBE).read_bytes().replace(b'content="sensors"', b'content="cold"')})
    commit(two, {"areas/inbox/x.html": memory("Another.", title="Another")})
    assert merge(one, two).returncode == 0
    assert_healthy(one)


def test_what_is_no_memory_merges_as_text(clones: tuple[Path, Path]) -> None:
    one, two = clones
    readme = (one / "README.html").read_bytes()
    commit(one, {"README.html": readme.replace(b"<!doctype html>", b"<!doctype html><!-- one -->", 1)})
    commit(two, {"README.html": readme.rstrip(b"\n") + b"\n<!-- two -->\n"})
    done = merge(one, two)
    assert done.returncode == 0, done
    data = (one / "README.html").read_bytes()
    assert b"<!-- one -->" in data
    assert b"<!-- two -->" in data


def test_a_file_that_git_takes_for_binary_stays_ours_and_is_a_conflict(clones: tuple[Path, Path]) -> None:
    one, two = clones
    commit(one, {"areas/x.html": b"\0one"})
    commit(two, {"areas/x.html": b"\0two"})
    assert merge(one, two).returncode == 1
    assert (one / "areas/x.html").read_bytes() == b"\0one"


def test_without_memhtml_on_the_path_git_merges_lines(
    clones: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = clones
    commit(one, {PROBE: START.replace(b'content="sensors"', b'content="one"')})
    commit(two, {PROBE: START.replace(b'content="sensors"', b'content="two"')})
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert merge(one, two).returncode == 1
    assert (one / PROBE).read_bytes().count(b"<<<<<<< ") == 1


def test_a_clone_without_the_driver_is_a_finding_until_init_runs_there(
    clones: tuple[Path, Path], tmp_path: Path
) -> None:
    one, _ = clones
    git(tmp_path, "clone", "-q", str(one), "three")
    three = tmp_path / "three"

    def findings() -> list[FindingCode]:
        return [f.code for f in doctor(open_store(three)).findings]

    assert FindingCode.MERGE_DRIVER_MISSING in findings()
    init(three)
    assert FindingCode.MERGE_DRIVER_MISSING not in findings()
    assert FindingCode.MERGE_DRIVER_MISSING not in [f.code for f in doctor(open_store(one)).findings]


def test_a_store_whose_attributes_name_no_driver_has_no_such_finding(repo: Path) -> None:
    commit(repo, {PROBE: START})
    assert FindingCode.MERGE_DRIVER_MISSING not in [f.code for f in doctor(open_store(repo)).findings]


def test_a_store_in_a_folder_of_a_larger_repository_merges_by_its_own_attributes(
    tmp_path: Path, repo: Path
) -> None:
    commit(repo, {"code.txt": b"code\n"})
    store = init(repo / "notes" / "it's memory").root
    commit(store, {PROBE: START})
    git(tmp_path, "clone", "-q", str(repo), "two")
    two = init(tmp_path / "two" / "notes" / "it's memory").root
    commit(store, {PROBE: START.replace(b'content="sensors"', b'content="one"')})
    commit(
        two,
        {
            PROBE: START.replace(
                b'<meta name="memhtml-tag"',
                b'<meta name="memhtml-entity" content="a:b">\n<meta name="memhtml-tag"',
            )
        },
    )
    assert merge(repo, tmp_path / "two").returncode == 0
    document = parse((store / PROBE).read_bytes())
    assert (document.tags, document.entities) == (("one",), ("a:b",))
    assert b"merge.directoryrenames" not in git(repo, "config", "--local", "--list")


def test_the_command_prints_nothing_on_stdout_and_says_by_its_status_how_it_went(tmp_path: Path) -> None:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_bytes(START)
    ours.write_bytes(START.replace(b"ten minutes", b"twelve minutes"))
    theirs.write_bytes(START.replace(b'content="sensors"', b'content="x"'))
    ran = memhtml("merge-driver", "--", str(base), str(ours), str(theirs), PROBE)
    assert (ran.status, ran.stdout, ran.stderr) == (0, b"", b"")
    assert b'content="x"' in ours.read_bytes()
    assert b"twelve" in ours.read_bytes()
    theirs.write_bytes(START.replace(b"ten minutes", b"eight minutes"))
    ran = memhtml("merge-driver", "--", str(base), str(ours), str(theirs), "a\x1b[31mb")
    assert (ran.status, ran.stdout) == (1, b"")
    assert b"\x1b" not in ran.stderr
    assert b"both sides changed the claim" in ran.stderr
    before = ours.read_bytes()
    ran = memhtml("merge-driver", "--", str(base), str(ours), str(tmp_path / "absent"))
    assert 0 < ran.status <= 2
    assert ours.read_bytes() == before
