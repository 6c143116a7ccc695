"""The doctor in every kind of repository: it judges what is committed, and changes nothing."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest
from builders import memory, plant
from conftest import git
from integration.doctor.stores import (
    GOOD,
    KETTLE,
    codes,
    commit,
    examine,
    good_store,
    indexed,
    only,
    store_of,
)
from pygit2.enums import ConfigLevel

from memhtml.app import health
from memhtml.doctor.annotations import render_annotations
from memhtml.doctor.findings import FailOn, FindingCode, Severity
from memhtml.doctor.report import render_text
from memhtml.doctor.sarif import render_sarif, sarif_document
from memhtml.errors import GitFailed, RepoRequired

X = "areas/inbox/x.html"
BROKEN = {X: memory(article="<p>Nothing is marked.</p>")}


def _snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_a_run_leaves_every_byte_of_the_store_as_it_was(repo: Path) -> None:
    root = indexed(good_store(repo, BROKEN))
    plant(root, {"areas/new.html": memory("New.")})
    (root / KETTLE).unlink()
    git(root, "status")  # git refreshes its own index here and not in the run
    before = _snapshot(root)
    report = examine(root)
    after = _snapshot(root)
    assert report.findings
    # SQLite's readers announce themselves to writers in these two, and hold no rows there.
    assert after.pop(".memhtml/index.db-wal", (b"", 0))[0] == b""
    after.pop(".memhtml/index.db-shm", None)
    assert after == before


@pytest.mark.parametrize("with_index", [False, True])
def test_two_runs_say_the_same(repo: Path, with_index: bool) -> None:
    root = good_store(
        repo, {**BROKEN, "areas/y.html": memory("Linked.", links=[("part_of", "/areas/no.html")])}
    )
    if with_index:
        indexed(root)
    first, second = examine(root), examine(root)
    assert first == second
    for render in (render_text, render_sarif, render_annotations):
        assert render(first) == render(second)


def test_a_bare_clone_is_judged_by_its_head(repo: Path, tmp_path: Path) -> None:
    good_store(repo, BROKEN)
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    report = examine(tmp_path / "bare.git")
    found = only(report, FindingCode.FORMAT_VIOLATION)
    assert (found.path, found.line) == (X, 12)
    assert report.files == 5


def test_a_shallow_clone_is_judged_like_a_whole_one(repo: Path, tmp_path: Path) -> None:
    good_store(repo, BROKEN)
    commit(repo, {"areas/later.html": memory("Later.")})
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    assert codes(examine(tmp_path / "shallow")) == codes(examine(repo)) == ["FORMAT_VIOLATION"]


def test_a_store_in_a_folder_of_a_larger_repository_reports_paths_from_its_top(repo: Path) -> None:
    root = repo / "team" / "memory"
    plant(root, {**GOOD, **BROKEN})
    plant(repo, {"areas/outside.html": b"<p>"})
    git(repo, "add", "--all")
    git(repo, "commit", "-q", "-m", "store")
    report = examine(root)
    assert only(report, FindingCode.FORMAT_VIOLATION).path == X
    assert report.prefix == "team/memory"
    assert f"::error file=team/memory/{X},line=12," in render_annotations(report)
    assert f'"uri": "team/memory/{X}"' in render_sarif(report)


@pytest.fixture
def read_only(repo: Path) -> Iterator[Path]:
    """An indexed store, made by this user, in which this process may write nothing."""
    good_store(repo, BROKEN)
    indexed(repo)
    examine(repo)  # loads what the other user may not be able to read
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        root = Path(folder) / "store"
        shutil.copytree(repo, root, symlinks=True)
        everything = [root, *root.rglob("*")]
        is_root = os.geteuid() == 0
        for path in everything:
            path.chmod(0o555 if path.is_dir() else 0o444)
            if is_root:
                os.chown(path, 65534, 65534)
        levels = (ConfigLevel.GLOBAL, ConfigLevel.XDG)
        search = {level: pygit2.settings.search_path[level] for level in levels}
        if is_root:  # whom permissions do not bind
            for level in levels:  # libgit2 looks into root's home, whoever root has become
                pygit2.settings.search_path[level] = folder
            os.seteuid(65534)
        try:
            yield root
        finally:
            if is_root:
                os.seteuid(0)
                for level in levels:
                    pygit2.settings.search_path[level] = search[level]
            for path in everything:
                path.chmod(0o755)


def test_a_read_only_store_is_judged_with_its_index(read_only: Path) -> None:
    with pytest.raises(PermissionError):
        (read_only / ".memhtml/x").touch()
    report = examine(read_only)
    assert codes(report) == ["FORMAT_VIOLATION"]
    assert report.index_fresh


def test_a_repository_without_a_commit_is_judged_by_its_files(repo: Path) -> None:
    plant(repo, {X: memory("First."), **{f"areas/{name}.html": b"<p>" for name in "a"}})
    report = examine(repo)
    assert "REPO_UNBORN" in codes(report)
    assert report.head_sha is None
    assert report.unparseable == ("areas/a.html",)
    assert sarif_document(report)


def test_an_empty_store_is_healthy(repo: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "nothing")
    report = examine(repo)
    assert codes(report) == []
    assert report.healthy
    assert report.files == 0


def test_a_merge_that_stopped_is_an_error_at_its_file(repo: Path) -> None:
    good_store(repo)
    git(repo, "checkout", "-q", "-b", "theirs")
    commit(repo, {KETTLE: memory("The kettle boils at 99 degrees.")})
    git(repo, "checkout", "-q", "main")
    commit(repo, {KETTLE: memory("The kettle boils at 11 degrees.")})
    with pytest.raises(AssertionError):
        git(repo, "merge", "theirs")
    found = next(f for f in examine(repo).findings if f.code is FindingCode.UNMERGED_PATH)
    assert (found.path, found.severity) == (KETTLE, Severity.ERROR)


def test_a_missing_object_is_one_error_and_never_a_clean_store(repo: Path) -> None:
    root = indexed(good_store(repo))
    blob = git(root, "rev-parse", f"HEAD:{KETTLE}").decode().strip()
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    report = examine(root)
    assert "REPO_UNREADABLE" in codes(report)
    assert not report.passed
    assert report.files == 0


@pytest.mark.parametrize("with_index", [False, True])
def test_what_is_committed_is_judged_where_a_filter_hides_the_working_tree(
    repo: Path, with_index: bool
) -> None:
    root = good_store(repo, {**BROKEN, ".gitattributes": b"*.html filter=vault\n"})
    if with_index:
        indexed(root)
    git(root, "config", "filter.vault.clean", "no-such-program-anywhere")
    git(root, "config", "filter.vault.required", "true")
    (root / KETTLE).write_bytes(bytes(reversed(GOOD[KETTLE])))
    report = examine(root)
    assert codes(report) == ["WORKTREE_UNREADABLE", "FORMAT_VIOLATION"]
    assert "vault" in report.findings[0 if with_index else 1].message
    assert report.committed_only
    assert (report.passed, report.files) == (False, 5)


def test_an_index_that_took_uncommitted_work_is_not_called_behind_where_nobody_can_look(repo: Path) -> None:
    root = good_store(repo, {".gitattributes": b"*.html filter=vault\n"})
    plant(root, {"areas/new.html": memory("Uncommitted.")})
    indexed(root)
    git(root, "config", "filter.vault.clean", "no-such-program-anywhere")
    git(root, "config", "filter.vault.required", "true")
    (root / KETTLE).write_bytes(bytes(reversed(GOOD[KETTLE])))
    assert codes(examine(root)) == ["WORKTREE_UNREADABLE"]


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepoRequired):
        examine(tmp_path)


def test_a_gitfile_that_points_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    with pytest.raises(GitFailed):
        examine(tmp_path)


def test_a_configuration_that_cannot_be_read_is_an_error_and_the_rest_is_judged(repo: Path) -> None:
    root = good_store(repo, BROKEN)
    plant(root, {".memhtml/config.toml": b'embedder = "crystal ball"\n'})
    for report in (examine(root), health.check_store(root, clock=store_of(root).clock)):
        assert codes(report) == ["CONFIG_INVALID", "FORMAT_VIOLATION"]
        assert ".memhtml/config.toml:1" in report.findings[0].message


def test_the_committed_configuration_is_judged_where_only_commits_are(repo: Path, tmp_path: Path) -> None:
    root = good_store(repo)
    plant(root, {".memhtml/config.toml": b"colour = 1\n"})
    git(root, "add", "--force", ".memhtml/config.toml")
    git(root, "commit", "-q", "-m", "config")
    (root / ".memhtml/config.toml").write_bytes(b'embedder = "none"\n')
    assert codes(examine(root)) == []
    assert codes(examine(root, committed=True)) == ["CONFIG_INVALID"]
    git(tmp_path, "clone", "-q", "--bare", str(root), "bare.git")
    assert codes(examine(tmp_path / "bare.git")) == ["CONFIG_INVALID"]


def test_a_named_embedder_that_is_not_here_is_a_note_even_without_an_index(repo: Path) -> None:
    root = good_store(repo)
    plant(root, {".memhtml/config.toml": b'embedder = "local"\n'})
    assert only(examine(root), FindingCode.EMBEDDER_ABSENT).severity is Severity.INFO


@pytest.mark.parametrize(
    ("fail_on", "status"), [(FailOn.ERROR, 0), (FailOn.WARNING, 1), (FailOn.INFO, 1), (FailOn.NEVER, 0)]
)
def test_the_exit_status_follows_the_severity_that_was_asked_for(
    repo: Path, fail_on: FailOn, status: int
) -> None:
    root = good_store(repo, {X: memory(body="<blockquote>Said.</blockquote>")})
    assert examine(root, fail_on=fail_on).exit_status == status


def test_progress_is_told_now_and_then(repo: Path) -> None:
    root = good_store(repo, {f"areas/m{n}.html": memory(f"Claim {n} holds.") for n in range(300)})
    told: list[int] = []
    health.doctor(store_of(root), progress=told.append)
    assert told == [0, 256]


def test_a_sha256_repository_is_refused(tmp_path: Path) -> None:
    from memhtml.errors import RepoUnsupported

    git(tmp_path, "init", "-q", "--object-format=sha256", "other")
    with pytest.raises(RepoUnsupported):
        examine(tmp_path / "other")


@pytest.mark.skipif(
    shutil.which("git") is None or os.name == "nt", reason="worktrees need a git of this system"
)
def test_a_linked_worktree_is_judged_by_its_own_head(repo: Path, tmp_path: Path) -> None:
    good_store(repo)
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    commit(tmp_path / "side", BROKEN)
    assert codes(examine(tmp_path / "side")) == ["FORMAT_VIOLATION"]
    assert codes(examine(repo)) == []
