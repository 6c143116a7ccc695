"""What stands where memories do and can never become a row, secrets, and databases that git records."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from integration.doctor.stores import KETTLE, codes, commit, examine, good_store, indexed, only

from memhtml.doctor.annotations import render_annotations
from memhtml.doctor.findings import FindingCode, Severity
from memhtml.doctor.report import render_text
from memhtml.doctor.sarif import render_sarif

X = "areas/inbox/x.html"
A_MEMORY = memory("Nobody will ever find this.")
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize(
    "path",
    [
        "resources/x.HTML",
        "resources/x.htm",
        "resources/deep/er/x.Html",
        "resources/x.xhtml",
        "Resources/y.html",
        "AREAS/inbox/y.html",
        "projects",
    ],
)
def test_a_name_that_nearly_is_a_memorys_is_an_error(repo: Path, path: str, committed: bool) -> None:
    good_store(repo)
    if path == "projects":
        git(repo, "mv", "projects", "moved")
        commit(repo, {"moved/kettle/kettle.html": None, "moved/kettle/tasks/descale.html": None})
        commit(repo, {"resources/sensors/probe.html": memory("Power a soil probe.")})
    plant(repo, {path: A_MEMORY})
    if committed:
        commit(repo)
    found = only_apart_from_dirt(repo, FindingCode.PATH_OVERLOOKED)
    assert (found.path, found.severity) == (path, Severity.ERROR)


def only_apart_from_dirt(repo: Path, code: FindingCode):  # noqa: ANN201 - the type is the doctor's
    report = examine(repo)
    found = [
        f
        for f in report.findings
        if f.code not in (FindingCode.INDEX_MISSING, FindingCode.SUPERSEDER_MISSING)
    ]
    assert [f.code for f in found] == [code], [(f.code, f.path, f.message) for f in found]
    return found[0]


def test_what_nobody_would_take_for_a_memory_is_no_finding(repo: Path) -> None:
    extra = {
        "areas/index.html": b"<p>",
        "areas/INDEX.HTML": b"<p>",
        "areas/index.htm": b"<p>",
        "areas/pic.svg": b"<svg/>",
        "areas/notes.md": b"# notes",
        "README.html": b"<p>",
        "site/x.htm": b"<p>",
        "Resources/pic.svg": b"<svg/>",
        "sitemap.xml": b"<x/>",
    }
    report = examine(indexed(good_store(repo, extra)))
    assert [f.code for f in report.findings if f.code is not FindingCode.PATH_CLASH] == []


def test_head_alone_is_looked_through_in_a_bare_clone(repo: Path, tmp_path: Path) -> None:
    good_store(repo, {"Areas/x.html": A_MEMORY})
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    assert only(examine(tmp_path / "bare.git"), FindingCode.PATH_OVERLOOKED).path == "Areas/x.html"
    plant(repo, {"areas/y.htm": A_MEMORY})
    assert only(examine(repo, committed=True), FindingCode.PATH_OVERLOOKED).path == "Areas/x.html"


def test_many_names_are_counted_after_the_first_fifty(repo: Path) -> None:
    report = examine(good_store(repo, {f"areas/{n}.htm": b"<p>" for n in range(60)}))
    found = [f for f in report.findings if f.code is FindingCode.PATH_OVERLOOKED]
    assert len(found) == 51
    assert any(f.message.startswith("10 more") for f in found)


def test_a_file_that_git_ignores_is_a_warning(repo: Path) -> None:
    good_store(repo)
    plant(repo, {"areas/drafts/.gitignore": b"*.html\n", "areas/drafts/a.html": A_MEMORY})
    found = only(examine(repo), FindingCode.PATH_IGNORED)
    assert (found.path, found.severity) == ("areas/drafts/a.html", Severity.WARNING)
    assert codes(examine(repo, committed=True)) == []


@pytest.mark.parametrize("pattern", ["areas/\n", "/areas\n", "areas/*\n"])
def test_a_bucket_that_git_ignores_is_a_warning_with_its_files_counted(repo: Path, pattern: str) -> None:
    good_store(repo)
    commit(repo, {".gitignore": b".memhtml/\n" + pattern.encode()})
    found = only(examine(repo), FindingCode.PATH_IGNORED)
    assert found.path == "areas"
    plant(repo, {"areas/a.html": A_MEMORY, "areas/deep/b.html": A_MEMORY})
    assert "2 files" in only(examine(repo), FindingCode.PATH_IGNORED).message


def test_a_persons_own_ignore_file_counts_too(repo: Path, tmp_path: Path) -> None:
    good_store(repo)
    (tmp_path / "ignored").write_text("*.html\n")
    git(repo, "config", "core.excludesFile", str(tmp_path / "ignored"))
    report = examine(repo)
    assert codes(report) == ["PATH_IGNORED"] * 4
    assert [f.path for f in report.findings if f.path] == ["archive", "areas", "projects", "resources"]


def _untracked(repo: Path, other: Path) -> None:
    git(repo, "clone", "-q", str(other), "areas/nested")


def _ignored(repo: Path, other: Path) -> None:
    (repo / ".git/info/exclude").write_text("nested\n")
    git(repo, "clone", "-q", str(other), "areas/nested")


def _submodule(repo: Path, other: Path) -> None:
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "areas/nested")
    git(repo, "commit", "-q", "-m", "submodule")


def _gitlink(repo: Path, other: Path) -> None:
    sha = git(other, "rev-parse", "HEAD").decode().strip()
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{sha},areas/nested")
    git(repo, "commit", "-q", "-m", "submodule that nobody checked out")


@pytest.mark.parametrize("make", [_untracked, _ignored, _submodule, _gitlink])
def test_a_repository_among_the_memories_is_a_warning(
    repo: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    good_store(repo)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(other, {"a.html": A_MEMORY, "areas/b.htm": A_MEMORY})
    make(repo, other)
    found = only(examine(repo), FindingCode.NESTED_REPOSITORY)
    assert (found.path, found.severity) == ("areas/nested", Severity.WARNING)


def test_in_a_folder_of_a_larger_repository_only_the_store_is_looked_through(repo: Path) -> None:
    root = repo / "team" / "memory"
    plant(repo, {"areas/outside.htm": A_MEMORY, ".memhtml/index.db": b"x", "secret.txt": TOKEN.encode()})
    good_store_below = {f"team/memory/{name}": data for name, data in {X: memory("Inside.")}.items()}
    plant(repo, good_store_below)
    git(repo, "add", "--all")
    git(repo, "commit", "-q", "-m", "store")
    assert codes(examine(root)) == []
    plant(root, {"Areas/y.html": A_MEMORY, ".memhtml/state.db": b"x"})
    git(repo, "add", "--force", "team/memory/.memhtml/state.db")
    found = {(str(f.code), f.path) for f in examine(root).findings if f.path}
    assert found == {("PATH_OVERLOOKED", "Areas/y.html"), ("DATABASE_TRACKED", ".memhtml/state.db")}


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize(
    "name", ["index.db", "state.db", "index.db-wal", "state.db-shm", "index.db.damaged-20260101"]
)
def test_a_database_that_git_tracks_is_an_error(repo: Path, name: str, committed: bool) -> None:
    good_store(repo)
    plant(repo, {f".memhtml/{name}": b""})
    git(repo, "add", "--force", f".memhtml/{name}")
    if committed:
        git(repo, "commit", "-q", "-m", "oops")
        (repo / ".memhtml" / name).unlink()
        assert [f.code for f in examine(repo, committed=True).findings if f.path] == ["DATABASE_TRACKED"]
    found = next(f for f in examine(repo).findings if f.code is FindingCode.DATABASE_TRACKED)
    assert (found.path, found.severity) == (f".memhtml/{name}", Severity.ERROR)
    assert "git rm --cached" in found.help


def test_what_the_store_commits_of_its_own_is_no_database(repo: Path) -> None:
    extra = {".memhtml/config.toml": b"", ".memhtml/state/access/a.jsonl": b"{}\n"}
    good_store(repo, extra)
    git(repo, "add", "--force", ".memhtml")
    git(repo, "commit", "-q", "-m", "own")
    assert codes(examine(repo)) == []


@pytest.mark.parametrize("committed", [True, False])
def test_a_secret_in_a_memory_is_an_error_at_its_line_and_is_never_shown(repo: Path, committed: bool) -> None:
    good_store(repo)
    plant(repo, {X: memory("The deploy token works.", body=f"<p>Use\n{TOKEN} there.</p>")})
    if committed:
        commit(repo)
    report = examine(repo)
    (found,) = [f for f in report.findings if f.code is FindingCode.SECRET_FOUND]
    line = (repo / X).read_text().splitlines().index(f"{TOKEN} there.</p>") + 1
    assert (found.path, found.line, found.severity) == (X, line, Severity.ERROR)
    assert "GITHUB_TOKEN" in found.message
    for text in (render_text(report), render_sarif(report), render_annotations(report), repr(report)):
        assert TOKEN[:12] not in text


def test_a_secret_is_found_behind_character_references(repo: Path) -> None:
    hidden = TOKEN.replace("ghp_", "&#103;hp&lowbar;")
    good_store(repo, {X: memory("The deploy token works.", body=f"<p>{hidden}</p>")})
    assert only(examine(repo), FindingCode.SECRET_FOUND).path == X


@pytest.mark.parametrize(
    "path", ["areas/notes.md", "areas/index.html", ".memhtml/config.toml", "README.html", "resources/x.HTML"]
)
def test_a_secret_in_another_file_of_the_store_is_found_too(repo: Path, path: str) -> None:
    good_store(repo)
    plant(repo, {path: f"first\ntoken = {TOKEN}\n".encode()})
    git(repo, "add", "--force", path)
    git(repo, "commit", "-q", "-m", "more")
    found = next(f for f in examine(repo).findings if f.code is FindingCode.SECRET_FOUND)
    assert (found.path, found.line) == (path, 2)


def test_a_file_that_is_no_memory_is_searched_for_secrets_all_the_same(repo: Path) -> None:
    good_store(repo, {X: f"<<<<<<< ours\n{TOKEN}\n=======\n>>>>>>> theirs\n".encode()})
    assert codes(examine(repo)) == ["CONFLICT_MARKERS", "SECRET_FOUND"]


def test_binary_files_are_not_read_as_text(repo: Path) -> None:
    assert codes(examine(good_store(repo, {"areas/pic.png": b"\x89PNG\0" + TOKEN.encode()}))) == []


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a privilege there")
def test_a_bucket_that_is_a_link_is_an_error(repo: Path) -> None:
    plant(repo, {".gitignore": b".memhtml/\n", "elsewhere/a.html": A_MEMORY})
    (repo / "areas").symlink_to("elsewhere")
    commit(repo)
    assert only(examine(repo), FindingCode.PATH_OVERLOOKED).path == "areas"


def test_the_kettle_stays_clean(repo: Path) -> None:
    """The good store of every other test holds none of this."""
    report = examine(indexed(good_store(repo)))
    assert report.findings == ()
    assert KETTLE not in report.dirty
