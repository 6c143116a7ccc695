"""Commits of ours in repositories of every kind: worktrees, bare, shallow, sparse, filtered, in a folder of another."""

import subprocess
from pathlib import Path

import pytest
from builders import plant
from committing import IGNORED, everything, names, put, status
from conftest import git

from memhtml.errors import DirtyTree, GitFailed, PathRefused, RepoUnsupported
from memhtml.git.head import find_repository
from memhtml.git.objects import ObjectStore


@pytest.fixture
def store(repo: Path) -> Path:
    plant(repo, {".gitignore": IGNORED, "areas/a.html": b"a\n", "areas/b.html": b"b\n"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    return repo


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").decode().strip()


def test_a_store_in_a_code_repository_commits_exactly_its_own_paths(repo: Path) -> None:
    plant(
        repo,
        {
            ".gitignore": b".memhtml/\n",
            "src/old.c": b"int x;\n" * 20,
            "src/kept.c": b"k\n",
            "notes/areas/a.html": b"a\n",
        },
    )
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    git(repo, "mv", "src/old.c", "src/new.c")
    plant(
        repo, {"src/kept.c": b"dirty\n", "src/new.c": b"int x;\n" * 20 + b"int y;\n", "src/loose.c": b"l\n"}
    )
    before = status(repo), git(repo, "diff", "--cached"), git(repo, "diff")
    done = put(repo / "notes", {"areas/a.html": b"A\n", "projects/p.html": b"p\n"})
    assert done is not None
    assert done.paths == ("areas/a.html", "projects/p.html")
    assert names(repo) == [b"notes/areas/a.html", b"notes/projects/p.html"]
    assert (status(repo), git(repo, "diff", "--cached"), git(repo, "diff")) == before


def test_a_symbolic_link_leads_to_the_store(store: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store)
    assert put(tmp_path / "link", {"areas/new.html": b"x"}) is not None
    assert status(store) == b""


def test_a_linked_worktree_commits_on_its_own_branch(store: Path, tmp_path: Path) -> None:
    git(store, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    main = everything(store / "areas"), head(store), status(store)
    done = put(tmp_path / "linked", {"areas/new.html": b"x"})
    assert done is not None
    assert git(store, "rev-parse", "other").decode().strip() == done.sha
    assert (everything(store / "areas"), head(store), status(store)) == main
    assert status(tmp_path / "linked") == b""


def test_a_bare_repository_takes_commits_without_a_work_tree(store: Path, tmp_path: Path) -> None:
    git(store, "clone", "-q", "--bare", str(store), str(tmp_path / "bare.git"))
    done = put(tmp_path / "bare.git", {"areas/new.html": b"x", "areas/a.html": None})
    assert done is not None
    assert names(tmp_path / "bare.git") == [b"areas/a.html", b"areas/new.html"]
    assert not (tmp_path / "bare.git/areas").exists()


def test_a_shallow_clone_goes_on_from_its_boundary(store: Path, tmp_path: Path) -> None:
    put(store, {"areas/second.html": b"2"})
    git(store, "clone", "-q", "--depth=1", f"file://{store}", str(tmp_path / "shallow"))
    done = put(tmp_path / "shallow", {"areas/new.html": b"x"})
    assert done is not None
    assert done.parent == head(store)
    git(tmp_path / "shallow", "push", "-q", "origin", "HEAD:refs/heads/pushed")


def test_a_partial_clone_needs_no_blob_of_other_files(store: Path, tmp_path: Path) -> None:
    git(store, "config", "uploadpack.allowFilter", "true")
    git(store, "clone", "-q", "--bare", "--filter=blob:none", f"file://{store}", str(tmp_path / "partial"))
    assert put(tmp_path / "partial", {"areas/a.html": b"A"}) is not None


def test_reftable_is_refused(tmp_path: Path) -> None:
    known = subprocess.run(["git", "init", "-h"], check=False, capture_output=True).stdout
    if b"--ref-format" not in known:
        pytest.skip("this git knows no reftable")
    git(tmp_path, "init", "-q", "--ref-format=reftable", "s")
    with pytest.raises(RepoUnsupported):
        put(tmp_path / "s", {"areas/new.html": b"x"})


def test_packed_references_and_objects_make_no_difference(store: Path) -> None:
    git(store, "gc", "-q")
    assert put(store, {"areas/a.html": b"A\n"}) is not None
    git(store, "pack-refs", "--all")
    assert put(store, {"areas/a.html": b"B\n"}) is not None
    assert status(store) == b""


def test_loose_objects_are_packed_when_they_are_many(store: Path) -> None:
    git(store, "config", "--unset", "gc.auto")
    git(store, "config", "gc.autoDetach", "false")
    repository = ObjectStore(find_repository(store)).repository
    for number in range(8_000):
        repository.create_blob(b"loose %d" % number)
    assert put(store, {"areas/new.html": b"x"}) is not None
    assert list((store / ".git/objects/pack").glob("*.pack"))
    assert put(store, {"areas/next.html": b"x"}) is not None
    assert status(store) == b""


def test_a_branch_name_with_slashes_and_letters_of_any_kind(store: Path) -> None:
    git(store, "checkout", "-qb", "topic/\u00e9/x")
    done = put(store, {"areas/new.html": b"x"})
    assert done is not None
    assert head(store) == done.sha


@pytest.mark.parametrize("is_sparse_index", [False, True])
def test_a_sparse_checkout_is_not_filled_by_our_commit(store: Path, is_sparse_index: bool) -> None:
    put(store, {"archive/2025/old.html": b"old\n", "archive/2025/keep.html": b"keep\n"})
    git(store, "sparse-checkout", "init", "--cone", *(["--sparse-index"] if is_sparse_index else []))
    git(store, "sparse-checkout", "set", "areas")
    assert not (store / "archive").exists()
    put(store, {"archive/2025/old.html": b"new\n", "areas/new.html": b"x", "areas/a.html": b"A\n"})
    assert not (store / "archive").exists()
    assert (store / "areas/new.html").exists()
    assert status(store) == b""
    put(store, {"archive/2025/old.html": None, "areas/b.html": None})
    assert status(store) == b""
    put(store, {"archive/2026/areas/a.html": b"A\n", "areas/a.html": None})  # new outside: it is shown
    assert (store / "archive/2026/areas/a.html").read_bytes() == b"A\n"
    assert status(store) == b""
    git(store, "sparse-checkout", "disable")
    assert status(store) == b""
    assert (store / "archive/2025/keep.html").exists()
    git(store, "fsck", "--strict")


@pytest.mark.parametrize(
    "form",
    [
        ("update-index", "--split-index"),
        ("update-index", "--index-version", "4"),
        ("update-index", "--index-version", "3"),
        ("update-index", "--untracked-cache"),
        ("update-index", "--assume-unchanged", "areas/b.html"),
    ],
    ids=lambda form: form[1],
)
def test_every_form_of_the_index_is_kept(store: Path, form: tuple[str, ...]) -> None:
    git(store, *form)
    plant(store, {"staged.txt": b"s", "areas/b.html": b"dirty\n"})
    git(store, "add", "staged.txt")
    flags = git(store, "ls-files", "-v", "areas/b.html")
    before = status(store)
    put(store, {"areas/a.html": b"A\n", "areas/new.html": b"x"})
    assert status(store) == before
    assert git(store, "ls-files", "-v", "areas/b.html") == flags
    with pytest.raises(DirtyTree):
        put(store, {"staged.txt": b"x"})
    with pytest.raises(DirtyTree):
        put(store, {"areas/b.html": b"x"})
    if form[1] == "--index-version":
        data = (store / ".git/index").read_bytes()
        assert data[7] == 4 if form[2] == "4" else data[7] in (2, 3)
    if form[1] == "--untracked-cache":
        assert b"UNTR" in (store / ".git/index").read_bytes()


def test_an_empty_index_is_an_index_where_everything_is_removed(store: Path) -> None:
    git(store, "read-tree", "--empty")
    with pytest.raises(DirtyTree):
        put(store, {"areas/a.html": b"x"})
    assert put(store, {"areas/new.html": b"x"}) is not None
    assert git(store, "ls-files") == b"areas/new.html\n"


FILTERS = {
    "autocrlf": (("core.autocrlf", "true"), b"", b"one\ntwo\n", b"one\r\ntwo\r\n"),
    "eol": (("core.autocrlf", "false"), b"*.html text eol=crlf\n", b"one\ntwo\n", b"one\r\ntwo\r\n"),
    "ident": (("core.autocrlf", "false"), b"*.html ident\n", b"$Id$\n", None),
    "filter": (("filter.rot.clean", "tr a-z b-za"), b"*.html filter=rot\n", b"bcd\n", b"abc\n"),
    "encoding": (
        ("core.autocrlf", "false"),
        b"*.html working-tree-encoding=UTF-16LE\n",
        "\u00e9\n".encode(),
        "\u00e9\n".encode("utf-16-le"),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_the_work_tree_gets_what_git_would_check_out(repo: Path, name: str) -> None:
    setting, attributes, stored, shown = FILTERS[name]
    git(repo, "config", *setting)
    git(repo, "config", "filter.rot.smudge", "tr b-za a-z")
    plant(repo, {".gitignore": IGNORED, ".gitattributes": attributes})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "attributes")
    put(repo, {"areas/x.html": b"zzz\n"})
    put(repo, {"areas/x.html": stored})
    assert git(repo, "cat-file", "blob", "HEAD:areas/x.html") == stored
    ours = (repo / "areas/x.html").read_bytes()
    assert ours != stored
    assert shown is None or ours == shown
    assert status(repo) == b""
    (repo / "areas/x.html").unlink()
    git(repo, "checkout", "-q", "--", "areas/x.html")
    assert (repo / "areas/x.html").read_bytes() == ours
    plant(repo, {"areas/x.html": b"mine\n" + ours})
    with pytest.raises(DirtyTree):
        put(repo, {"areas/x.html": b"theirs\n"})


def test_a_filter_that_fails_refuses_the_commit(store: Path) -> None:
    git(store, "config", "filter.no.smudge", "false")
    git(store, "config", "filter.no.required", "true")
    plant(store, {".git/info/attributes": b"*.html filter=no\n"})
    before = head(store)
    with pytest.raises(GitFailed):
        put(store, {"areas/new.html": b"x\n"})
    assert head(store) == before
    assert not (store / "areas/new.html").exists()
    assert git(store, "ls-files", "areas/new.html") == b""
    assert not (store / ".memhtml/pending.json").exists()


def test_ignored_paths_are_committed_all_the_same(store: Path) -> None:
    plant(store, {".git/info/exclude": b"/projects/\n"})
    put(store, {"projects/x.html": b"x"})
    assert names(store) == [b"projects/x.html"]
    assert status(store) == b""


def test_replacement_objects_and_grafts_are_not_followed(store: Path) -> None:
    put(store, {"areas/a.html": b"A\n"})
    git(store, "replace", "HEAD", "HEAD~1")
    done = put(store, {"areas/new.html": b"x"})
    assert done is not None
    assert git(store, "--no-replace-objects", "show", f"{done.sha}:areas/a.html") == b"A\n"


def test_settings_of_an_outer_git_do_not_redirect_us(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook of another repository."""
    git(tmp_path, "init", "-q", "outer")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "outer/.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "outer/.git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "outer"))
    done = put(store, {"areas/new.html": b"x"})
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name)
    assert done is not None
    assert head(store) == done.sha
    assert status(store) == b""


def test_our_own_folder_may_not_lead_elsewhere(store: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (store / ".memhtml").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PathRefused, match="symbolic link"):
        put(store, {"areas/new.html": b"x"})
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_another_users_repository_names_the_cure(store: Path) -> None:
    done = subprocess.run(["chown", "-R", "12345", str(store)], check=False, capture_output=True)
    if done.returncode:
        pytest.skip("only root can give a repository away")
    with pytest.raises(GitFailed, match=r"safe\.directory"):
        put(store, {"areas/new.html": b"x"})
