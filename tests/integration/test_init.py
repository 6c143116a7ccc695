"""`init`: the only creator of a root. Real git throughout."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git

from memhtml import resources
from memhtml.app.setup import init
from memhtml.errors import GitFailed, PathRefused, RepoUnsupported, StorageFailed
from memhtml.store.init import read_template

SCAFFOLD = read_template(resources.corpus_template() / "scaffold")
EXAMPLE = read_template(resources.corpus_template() / "example")


def committed(root: Path) -> set[str]:
    return set(git(root, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")[:-1])


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below `root` but git's own, and what git says of them."""
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }
    return {**files, "status": git(root, "status", "--porcelain=v2", "-z", "-uall")}


def test_a_folder_that_does_not_exist_becomes_a_store_with_one_commit(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "store"
    report = init(root)
    assert report.created
    assert report.root == report.repository == root
    assert set(report.wrote) == set(SCAFFOLD) == committed(root)
    assert report.commit_sha == report.head_sha == git(root, "rev-parse", "HEAD").decode().strip()
    assert git(root, "log", "--format=%s") == b"memhtml(init): scaffold the memory repository\n"
    assert git(root, "symbolic-ref", "HEAD") == b"refs/heads/main\n"
    assert git(root, "config", "merge.ours.driver") == b"true\n"
    assert git(root, "status", "--porcelain", "-uall") == b""


def test_a_second_run_writes_and_commits_nothing(tmp_path: Path) -> None:
    first = init(tmp_path / "store")
    before = snapshot(first.root)
    second = init(first.root)
    assert not second.created
    assert second.wrote == ()
    assert second.commit_sha is None
    assert second.head_sha == first.head_sha
    assert snapshot(first.root) == before


def test_what_the_person_changed_stays_as_it_is_and_out_of_the_commit(tmp_path: Path) -> None:
    root = init(tmp_path / "store").root
    changed = SCAFFOLD[".gitignore"] + b"mine\n"
    (root / ".gitignore").write_bytes(changed)
    git(root, "rm", "-q", "areas/inbox/.gitkeep")
    git(root, "commit", "-qm", "no inbox")
    report = init(root)
    assert report.wrote == ("areas/inbox/.gitkeep",)
    assert (root / ".gitignore").read_bytes() == changed
    assert git(root, "status", "--porcelain") == b" M .gitignore\n"
    assert git(root, "show", "--format=", "--name-only", "HEAD") == b"areas/inbox/.gitkeep\n"


def test_an_uncommitted_deletion_is_the_persons_own(tmp_path: Path) -> None:
    root = init(tmp_path / "store").root
    (root / "README.html").unlink()
    assert init(root).wrote == ()
    assert not (root / "README.html").exists()


def test_staged_and_untracked_work_is_never_swept_into_the_commit(repo: Path) -> None:
    (repo / "staged.txt").write_text("staged\n")
    (repo / "loose.txt").write_text("loose\n")
    git(repo, "add", "staged.txt")
    report = init(repo)
    assert not report.created
    assert committed(repo) == set(SCAFFOLD)
    assert git(repo, "status", "--porcelain", "-uall") == b"A  staged.txt\n?? loose.txt\n"


def test_a_scaffold_that_was_left_half_staged_is_completed(repo: Path) -> None:
    (repo / "README.html").write_bytes(SCAFFOLD["README.html"])
    (repo / ".gitattributes").write_bytes(SCAFFOLD[".gitattributes"])
    git(repo, "add", "README.html")
    assert init(repo).commit_sha
    assert committed(repo) == set(SCAFFOLD)


def test_without_an_identity_nothing_is_made_and_the_two_commands_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.useConfigOnly")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    root = tmp_path / "store"
    with pytest.raises(GitFailed, match=r"git config --global user\.name.*git config --global user\.email"):
        init(root)
    assert not root.exists()
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "a@example.com")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "A")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "a@example.com")
    assert init(root).commit_sha


def test_a_hook_that_refuses_leaves_no_commit_and_the_next_run_converges(repo: Path) -> None:
    hook = repo / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on my watch' >&2\nexit 1\n")
    hook.chmod(0o755)
    (repo / "staged.txt").write_text("staged\n")
    git(repo, "add", "staged.txt")
    before = snapshot(repo), git(repo, "config", "--list", "--local"), sorted(repo.iterdir())
    with pytest.raises(GitFailed, match="not on my watch"):
        init(repo)
    assert (snapshot(repo), git(repo, "config", "--list", "--local"), sorted(repo.iterdir())) == before
    hook.unlink()
    report = init(repo)
    assert set(report.wrote) == set(SCAFFOLD)
    assert committed(repo) == set(SCAFFOLD)
    assert git(repo, "diff", "--cached", "--name-only") == b"staged.txt\n"


def test_a_hook_of_every_repository_that_refuses_leaves_no_folder_and_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    for name, value in (("COUNT", "1"), ("KEY_0", "core.hooksPath"), ("VALUE_0", str(hook.parent))):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine.txt").write_text("mine")
    for root in (tmp_path / "deep" / "store", tmp_path / "kept"):
        with pytest.raises(GitFailed):
            init(root, example=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hooks", "kept"]
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("name", [".memhtml", "archive", "areas/inbox", ".memhtml/state"])
@pytest.mark.parametrize("kind", ["file", "link", "repository"])
def test_what_stands_where_a_folder_has_to_be_is_refused_before_anything_is_made(
    repo: Path, tmp_path: Path, name: str, kind: str
) -> None:
    place = repo / name
    place.parent.mkdir(exist_ok=True)
    if kind == "file":
        place.write_text("mine")
    elif kind == "link":
        place.symlink_to(tmp_path)
    else:
        git(tmp_path, "init", "-q", str(place))
    before = sorted(repo.rglob("*"))
    with pytest.raises(PathRefused):
        init(repo)
    assert sorted(repo.rglob("*")) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_work_that_was_staged_stays_byte_for_byte_in_the_persons_index(repo: Path) -> None:
    (repo / "staged.txt").write_text("staged\n")
    git(repo, "add", "staged.txt")
    (repo / "meant.txt").write_text("meant\n")
    git(repo, "add", "--intent-to-add", "meant.txt")
    init(repo)
    listed = git(repo, "ls-files", "--stage", "staged.txt", "meant.txt")
    assert git(repo, "status", "--porcelain") == b" A meant.txt\nA  staged.txt\n"
    assert b"e69de29" in listed


def test_hooks_of_the_repository_run_on_our_commit(repo: Path) -> None:
    hook = repo / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\necho "Signed-off-by: Hook" >> "$1"\n')
    hook.chmod(0o755)
    init(repo)
    assert b"Signed-off-by: Hook" in git(repo, "log", "-1", "--format=%B")


@pytest.mark.parametrize("unfinished", ["MERGE_HEAD", "CHERRY_PICK_HEAD"])
def test_our_commit_never_concludes_a_merge(repo: Path, unfinished: str) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    (repo / ".git" / unfinished).write_bytes(git(repo, "rev-parse", "HEAD"))
    before = snapshot(repo)
    with pytest.raises(GitFailed, match="not concluded"):
        init(repo)
    assert snapshot(repo) == before


def test_a_detached_head_is_refused(repo: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(repo, "checkout", "-q", "--detach")
    with pytest.raises(GitFailed, match="detached"):
        init(repo)
    assert list(repo.iterdir()) == [repo / ".git"]


def test_a_complete_store_is_fine_on_a_detached_head(tmp_path: Path) -> None:
    root = init(tmp_path / "store").root
    git(root, "checkout", "-q", "--detach")
    assert init(root).wrote == ()


def test_a_named_folder_inside_a_repository_is_recorded_by_it(repo: Path) -> None:
    report = init(repo / "notes" / "memory")
    assert not report.created
    assert report.repository == repo
    assert committed(repo) == {f"notes/memory/{name}" for name in SCAFFOLD}
    assert not (repo / "notes" / "memory" / ".git").exists()
    assert init(repo / "notes" / "memory").wrote == ()


def test_a_folder_that_the_repository_around_it_ignores_gets_its_own(repo: Path) -> None:
    (repo / ".gitignore").write_text("/build/\n")
    report = init(repo / "build" / "memory")
    assert report.created
    assert report.repository == repo / "build" / "memory"


def test_the_default_root_never_joins_the_repository_around_it(repo: Path) -> None:
    report = init(repo / "memhtml", join_above=False)
    assert report.created
    assert report.repository == repo / "memhtml"
    assert git(repo, "rev-list", "--all") == b""


def test_a_linked_worktree_can_hold_a_store(repo: Path, tmp_path: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    report = init(tmp_path / "linked")
    assert not report.created
    assert committed(tmp_path / "linked") == set(SCAFFOLD)


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(RepoUnsupported, match="working tree"):
        init(tmp_path / "bare.git")


def test_a_sha256_repository_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "store")
    with pytest.raises(RepoUnsupported, match="sha256"):
        init(tmp_path / "store")
    assert list((tmp_path / "store").iterdir()) == [tmp_path / "store" / ".git"]


def test_a_file_in_the_place_of_a_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    with pytest.raises(StorageFailed, match="store is not a folder"):
        init(tmp_path / "store")
    git(tmp_path, "init", "-q", "other")
    (tmp_path / "other" / "projects").write_text("a file")
    with pytest.raises(PathRefused, match="projects"):
        init(tmp_path / "other")


def test_databases_stay_out_of_git_where_the_store_has_an_ignore_file_of_its_own(repo: Path) -> None:
    (repo / ".gitignore").write_text("*.log\n")
    git(repo, "add", ".gitignore")
    git(repo, "commit", "-qm", "mine")
    report = init(repo)
    assert ".memhtml/.gitignore" in report.wrote
    for name in ("index.db", "index.db-wal", "state.db", "pass.lock"):
        (repo / ".memhtml" / name).write_bytes(b"x")
    assert git(repo, "status", "--porcelain", "-uall") == b""
    assert (repo / ".gitignore").read_text() == "*.log\n"
    assert init(repo).wrote == ()


def test_the_example_is_laid_down_for_the_person_to_commit(tmp_path: Path) -> None:
    report = init(tmp_path / "store", example=True)
    assert set(report.example) == set(EXAMPLE)
    assert committed(report.root) == set(SCAFFOLD)
    untracked = git(report.root, "ls-files", "--others", "--exclude-standard", "-z").decode().split("\0")[:-1]
    assert set(untracked) == set(EXAMPLE)
    some = report.root / report.example[0]
    some.write_text("edited")
    assert init(report.root, example=True).example == ()
    assert some.read_text() == "edited"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(StorageFailed):
        init(tmp_path / "closed" / "store")


def test_a_run_that_dies_before_its_commit_is_completed_by_the_next(tmp_path: Path) -> None:
    """The commit's own hook kills the process; git outlives it, and the next run waits for that git."""
    root = tmp_path / "store"
    git(tmp_path, "init", "-q", "-b", "main", str(root))
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nkill -9 "$INIT_PID"\nexit 1\n')
    hook.chmod(0o755)
    script = (
        "import os, sys; os.environ['INIT_PID'] = str(os.getpid())\n"
        "from memhtml.app.setup import init; from pathlib import Path; init(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        ["python3", "-c", script, str(root)], capture_output=True, check=False, env=child_env()
    )
    assert done.returncode == -9
    hook.unlink()
    assert init(root).commit_sha
    assert committed(root) == set(SCAFFOLD)


def child_env() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
