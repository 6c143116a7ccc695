"""Where a store's repository is, and what its HEAD is: every shape a repository has on disk."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git
from corpora import data_dir, needs_data

from memhtml.errors import GitFailed, RepoRequired, RepoUnsupported
from memhtml.git import objects
from memhtml.git.head import find_repository, head_commit
from memhtml.git.read import open_reader


@pytest.fixture
def store(repo: Path) -> Path:
    """A repository with one committed memory."""
    plant(repo, {"areas/a.html": memory()})
    commit(repo, "one")
    return repo


def commit(root: Path, subject: str) -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return sha(root)


def sha(root: Path, revision: str = "HEAD") -> str:
    return git(root, "rev-parse", revision).decode().strip()


def test_head_is_what_git_says_it_is(store: Path) -> None:
    assert head_commit(store) == sha(store)
    assert open_reader(store).head() == sha(store)


def test_head_follows_each_commit_of_an_open_reader(store: Path) -> None:
    reader = open_reader(store)
    before = reader.head()
    after = commit(store, "two")
    assert before != after
    assert reader.head() == after
    assert reader.has_commit(reader.head() or sha(store))


def test_a_repository_without_a_commit_has_no_head(repo: Path) -> None:
    assert head_commit(repo) is None
    reader = open_reader(repo)
    assert reader.head() is None
    assert list(reader.log(5)) == []
    assert reader.status() == []


def test_a_packed_branch_is_found(store: Path) -> None:
    git(store, "branch", "main-and-more")
    git(store, "pack-refs", "--all")
    assert not (store / ".git/refs/heads/main").exists()
    assert head_commit(store) == sha(store)


def test_a_loose_branch_wins_over_its_packed_past(store: Path) -> None:
    git(store, "pack-refs", "--all")
    after = commit(store, "two")
    assert head_commit(store) == after


def test_an_orphan_branch_has_no_head_even_beside_packed_ones(store: Path) -> None:
    git(store, "pack-refs", "--all")
    git(store, "checkout", "-q", "--orphan", "ma.n")
    assert head_commit(store) is None


def test_a_detached_head_is_a_commit(store: Path) -> None:
    first = sha(store)
    commit(store, "two")
    git(store, "checkout", "-q", first)
    assert head_commit(store) == first


def test_a_branch_that_stands_for_another_is_followed(store: Path) -> None:
    git(store, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(store, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert head_commit(store) == sha(store)


def test_a_branch_name_may_hold_any_script(store: Path) -> None:
    git(store, "checkout", "-q", "-b", "mémoire/🧠")
    after = commit(store, "two")
    assert head_commit(store) == after


def test_a_head_this_module_cannot_read_is_asked_of_git(store: Path) -> None:
    (store / ".git/HEAD").unlink()
    (store / ".git/HEAD").symlink_to("refs/heads/main")
    assert head_commit(store) == sha(store)
    git(store, "pack-refs", "--all")
    assert head_commit(store) == sha(store)


def test_a_head_that_nobody_can_read_is_a_failure_of_git(store: Path) -> None:
    (store / ".git/HEAD").write_text("no reference\n")
    with pytest.raises(GitFailed):
        head_commit(store)


def test_a_folder_in_a_larger_repository_is_a_store_of_its_own(repo: Path) -> None:
    plant(repo, {"notes/mem ory/areas/a.html": memory(), "areas/outside.html": memory("Outside.")})
    expected = commit(repo, "one")
    reader = open_reader(repo / "notes/mem ory")
    assert reader.prefix == "notes/mem ory"
    assert head_commit(repo / "notes/mem ory") == expected
    assert [entry.path for entry in reader.walk(expected)] == ["areas/a.html"]
    found = reader.entry_at(expected, "areas/a.html")
    assert found is not None
    assert reader.blob(found.blob_sha) == memory()


def test_a_link_to_a_store_is_that_store(store: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store)
    assert find_repository(tmp_path / "link") == find_repository(store)


def test_a_linked_worktree_has_its_own_head_and_the_same_objects(store: Path, tmp_path: Path) -> None:
    git(store, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    plant(tmp_path / "tree", {"areas/b.html": memory("Second.")})
    after = commit(tmp_path / "tree", "two")
    git(store, "pack-refs", "--all")
    reader = open_reader(tmp_path / "tree")
    assert head_commit(tmp_path / "tree") == reader.head() == after
    assert head_commit(store) == sha(store) != after
    assert not reader.is_bare
    assert [entry.path for entry in reader.walk(after)] == ["areas/a.html", "areas/b.html"]
    plant(tmp_path / "tree", {"areas/c.html": memory("Third.")})
    assert [change.path for change in reader.status()] == ["areas/c.html"]
    assert open_reader(store).status() == []


def test_a_worktree_of_a_bare_repository_is_not_bare(store: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(store), "central.git")
    git(tmp_path / "central.git", "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    assert not open_reader(tmp_path / "tree").is_bare
    assert open_reader(tmp_path / "central.git").is_bare


def test_a_bare_repository_is_read_at_its_head_and_has_no_status(store: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(store), "central.git")
    reader = open_reader(tmp_path / "central.git")
    assert reader.is_bare
    head = reader.head()
    assert head == sha(store)
    assert [(entry.path, data) for entry, data in reader.walk_blobs(head)] == [("areas/a.html", memory())]
    assert reader.status() == []
    assert reader.worktree_blob("areas/a.html") is None


def test_a_bare_repository_is_read_where_git_is_told_not_to_look_for_one(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(store), "central.git")
    git(tmp_path, "config", "--file", str(tmp_path / "config"), "safe.bareRepository", "explicit")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    monkeypatch.setattr(objects, "_BULK", 1)
    reader = open_reader(tmp_path / "central.git")
    head = reader.head()
    assert head is not None
    assert [data for _, data in reader.walk_blobs(head)] == [memory()]


def test_a_repository_declared_bare_inside_its_own_work_tree_is_bare(store: Path) -> None:
    git(store, "config", "core.bare", "true")
    reader = open_reader(store)
    assert reader.is_bare
    assert reader.status() == []


def test_a_submodule_is_a_repository_of_its_own(store: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    git(tmp_path, "init", "-q", "-b", "main", "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(store), "memories")
    reader = open_reader(outer / "memories")
    assert (reader.prefix, reader.is_bare) == ("", False)
    assert reader.head() == sha(store)


def test_a_shallow_clone_knows_which_commits_it_lacks(store: Path, tmp_path: Path) -> None:
    first = sha(store)
    commit(store, "two")
    git(tmp_path, "clone", "-q", "--depth", "1", store.as_uri(), "shallow")
    reader = open_reader(tmp_path / "shallow")
    assert not reader.has_commit(first)
    assert reader.has_commit(sha(store))
    assert [info.subject for info in reader.log(10)] == ["two"]
    with pytest.raises(GitFailed, match="git fetch"):
        reader.changes(first, sha(store))


def test_a_file_or_a_blob_is_no_commit(store: Path) -> None:
    reader = open_reader(store)
    assert not reader.has_commit(sha(store, "HEAD:areas/a.html"))
    assert not reader.has_commit(sha(store, "HEAD^{tree}"))
    assert not reader.has_commit("nonsense")
    assert not reader.has_commit("0" * 40)


def test_a_folder_outside_every_repository_needs_one(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(RepoRequired):
            find_repository(folder)
        with pytest.raises(RepoRequired):
            head_commit(folder)


def test_the_inside_of_a_git_folder_is_no_store(store: Path) -> None:
    for inside in (store / ".git", store / ".git/refs"):
        with pytest.raises(RepoRequired):
            find_repository(inside)


def test_an_empty_git_folder_is_passed_over_as_git_does(store: Path) -> None:
    (store / "sub/.git").mkdir(parents=True)
    assert find_repository(store / "sub").prefix == "sub"


def test_a_git_file_that_points_nowhere_says_how_to_mend_it(store: Path, tmp_path: Path) -> None:
    git(store, "worktree", "add", "-q", str(tmp_path / "tree"))
    shutil.rmtree(store / ".git/worktrees")
    with pytest.raises(GitFailed, match="git worktree repair"):
        open_reader(tmp_path / "tree")


def test_a_sha256_repository_is_refused_by_name(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "store")
    for call in (find_repository, head_commit, open_reader):
        with pytest.raises(RepoUnsupported, match="SHA-256"):
            call(tmp_path / "store")


def test_a_reference_storage_that_libgit2_does_not_know_is_refused(store: Path) -> None:
    git(store, "config", "core.repositoryformatversion", "1")
    git(store, "config", "extensions.refStorage", "reftable")
    with pytest.raises(RepoUnsupported, match="reference"):
        open_reader(store)
    # Reading HEAD leaves it to git; a git too old for this storage says no.
    try:
        assert head_commit(store) is None
    except GitFailed as error:
        assert error.operation == "rev-parse"


def test_an_extension_of_a_later_git_is_refused(store: Path) -> None:
    git(store, "config", "core.repositoryformatversion", "1")
    git(store, "config", "extensions.somethingNew", "true")
    with pytest.raises(RepoUnsupported):
        open_reader(store)


def test_settings_of_one_worktree_are_its_own(store: Path, tmp_path: Path) -> None:
    git(store, "config", "extensions.worktreeConfig", "true")
    git(store, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path / "tree", "config", "--worktree", "core.bare", "false")
    assert not open_reader(tmp_path / "tree").is_bare


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root can give a repository to another user"
)
def test_a_repository_of_another_user_is_refused_with_the_cure(
    store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SUDO_UID", raising=False)
    for path in (store, store / ".git"):
        os.chown(path, 12345, 12345)
    program = (
        "import sys\nfrom pathlib import Path\nfrom memhtml.errors import GitFailed\n"
        "from memhtml.git.read import open_reader\n"
        "try:\n    open_reader(Path(sys.argv[1]))\n"
        "except GitFailed as error:\n    print(error.message)\n"
    )
    # A process of its own: libgit2 finds the home folder once.
    said = subprocess.run(
        [sys.executable, "-c", program, str(store)], capture_output=True, check=True, text=True
    ).stdout
    assert "git config --global --add safe.directory" in said


def test_reading_head_imports_neither_libgit2_nor_processes(store: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom memhtml.git.head import head_commit\n"
        "print(head_commit(Path(sys.argv[1])))\n"
        "print(sorted({'pygit2', 'subprocess', 'hashlib', 'tempfile'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(store)], capture_output=True, check=True, text=True
    )
    assert done.stdout.split("\n")[:2] == [sha(store), "[]"]


def test_the_callers_git_variables_do_not_lead_to_another_repository(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "other")
    plant(store, {"areas/new.html": memory("New.")})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other/index"))
    monkeypatch.setenv("GIT_ICASE_PATHSPECS", "1")
    reader = open_reader(store)
    assert [change.path for change in reader.status()] == ["areas/new.html"]
    assert reader.worktree_blob("areas/new.html") is not None


def test_a_machine_without_git_is_told_so(
    store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reader = open_reader(store)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFailed, match="not installed"):
        reader.status()


@needs_data
@pytest.mark.parametrize("name", ["a.git", "empty.git", "ooo_merge.git", "refs.git", "simple_merge.git"])
def test_bare_repositories_found_in_the_wild_open(name: str, tmp_path: Path) -> None:
    shutil.unpack_archive(data_dir() / "git/dulwich-testdata.tar.gz", tmp_path, filter="data")
    root = tmp_path / "repos" / name
    if not root.is_dir():
        pytest.skip("not in this version of the data")
    (root / "refs").mkdir(exist_ok=True)
    reader = open_reader(root)
    head = reader.head()
    asked = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "--verify", "--quiet", "HEAD"], capture_output=True, check=False
    )
    assert (head or "") == asked.stdout.decode().strip()
    if head is not None:
        assert list(reader.walk(head)) == []
        logged = git(root, "log", "--format=%H", head).decode().split()
        assert {info.sha for info in reader.log(100)} == set(logged)
