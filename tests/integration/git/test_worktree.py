"""Files of the work tree, read as git would store them."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git

from memhtml.format.vocabulary import MAX_INDEXED_BYTES
from memhtml.git.read import Unreadable, WorktreeBlob, open_reader
from memhtml.values import MemoryPath

A, B, C = MemoryPath("areas/a.html"), MemoryPath("areas/b.html"), MemoryPath("areas/c.html")


def objects_of(root: Path) -> list[str]:
    return sorted(str(path) for path in (root / ".git").rglob("*") if path.is_file())


def stored_by_git(root: Path, path: str) -> WorktreeBlob:
    """What `git add` puts into the repository (and leaves there)."""
    git(root, "add", "-f", "--", path)
    sha = git(root, "rev-parse", f":{path}").decode().strip()
    return WorktreeBlob(sha, git(root, "cat-file", "blob", sha))


def test_a_plain_file_is_its_own_bytes(repo: Path) -> None:
    plant(repo, {A: memory()})
    assert open_reader(repo).worktree_blob(A) == stored_by_git(repo, A)


@pytest.mark.parametrize("data", [b"", b"\0binary\xff", b"\r\n", b"x" * MAX_INDEXED_BYTES, b"$Id$ $Id: x $"])
def test_bytes_of_every_kind_are_read(repo: Path, data: bytes) -> None:
    plant(repo, {A: data})
    found = open_reader(repo).worktree_blob(A)
    assert found == stored_by_git(repo, A)
    assert isinstance(found, WorktreeBlob)
    assert found.data == data


@pytest.mark.parametrize("attributes", [b"", b"*.html text\n"])
def test_a_huge_file_is_named_whole_and_read_only_as_far_as_its_size_matters(
    repo: Path, attributes: bytes
) -> None:
    plant(repo, {".gitattributes": attributes, A: b"line\r\n" * MAX_INDEXED_BYTES})
    found = open_reader(repo).worktree_blob(A)
    stored = stored_by_git(repo, A)
    assert found == WorktreeBlob(stored.blob_sha, stored.data[: MAX_INDEXED_BYTES + 1])


FILTERS = {
    "autocrlf": (("core.autocrlf", "true"), b"", b"one\r\ntwo\r\n", b"one\ntwo\n"),
    "eol attribute": ((), b"*.html text eol=crlf\n", b"one\r\ntwo\r\n", b"one\ntwo\n"),
    "text attribute": ((), b"*.html text\n", b"one\r\ntwo\r\n", b"one\ntwo\n"),
    "ident": ((), b"*.html ident\n", b"<p>$Id: 1234 $</p>\n", b"<p>$Id$</p>\n"),
    "encoding": (
        (),
        b"*.html text working-tree-encoding=UTF-16LE\n",
        "é\n".encode("utf-16-le"),
        "é\n".encode(),
    ),
    "clean filter": (("filter.up.clean", "tr a-z A-Z"), b"*.html filter=up\n", b"shout\n", b"SHOUT\n"),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_applied_as_git_applies_them_and_leave_the_repository_alone(
    repo: Path, name: str
) -> None:
    setting, attributes, on_disk, stored = FILTERS[name]
    if setting:
        git(repo, "config", *setting)
    plant(repo, {".gitattributes": attributes, A: on_disk, B: stored, "sub/areas/a.html": on_disk})
    before = objects_of(repo)
    found = open_reader(repo).worktree_blobs([A, B])
    below = open_reader(repo / "sub").worktree_blob(A)
    assert objects_of(repo) == before
    assert isinstance(found[A], WorktreeBlob)
    assert found[A].data == stored
    assert below == found[A] == stored_by_git(repo, A)
    if name != "encoding":
        assert found[B] == stored_by_git(repo, B)


def test_attributes_of_the_user_and_of_the_repository_count_too(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "attributes").write_text("b.html text\n")
    git(repo, "config", "core.attributesFile", str(tmp_path / "attributes"))
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("a.html text\n")
    plant(repo, {A: b"1\r\n", B: b"2\r\n", C: b"3\r\n"})
    found = open_reader(repo).worktree_blobs([A, B, C])
    assert [blob.data for blob in found.values() if isinstance(blob, WorktreeBlob)] == [
        b"1\n",
        b"2\n",
        b"3\r\n",
    ]


def test_one_file_whose_required_filter_fails_does_not_hide_the_others(repo: Path) -> None:
    git(repo, "config", "filter.broken.clean", "false")
    git(repo, "config", "filter.broken.required", "true")
    plant(repo, {".gitattributes": b"b.html filter=broken\n", A: b"a", B: b"b", C: b"c"})
    found = open_reader(repo).worktree_blobs([A, B, C])
    assert isinstance(found[B], Unreadable)
    assert found[A] == stored_by_git(repo, A)
    assert found[C] == stored_by_git(repo, C)


def test_a_path_where_no_regular_file_is_gives_nothing(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    plant(tmp_path / "outside", {"secret.html": b"secret"})
    plant(repo, {"areas/real.html": b"real", "areas/folder.html/x.html": b"x"})
    (repo / "areas/link.html").symlink_to("real.html")
    (repo / "areas/out.html").symlink_to(tmp_path / "outside/secret.html")
    (repo / "areas/door").symlink_to(tmp_path / "outside")
    (repo / "projects").symlink_to("areas")
    os.mkfifo(repo / "areas/pipe.html")
    hostile = [
        "areas/link.html",
        "areas/out.html",
        "areas/door/secret.html",
        "projects/real.html",
        "areas/pipe.html",
        "areas/folder.html",
        "areas/missing.html",
        "areas/real.html/x.html",
        "areas/../areas/real.html",
        "../outside/secret.html",
        str(tmp_path / "outside/secret.html"),
        "areas/" + "long" * 1000 + ".html",
        "areas/\0.html",
        "areas/\udcff.html",
        "",
    ]
    found = open_reader(repo).worktree_blobs([MemoryPath(path) for path in hostile])
    assert found == dict.fromkeys(hostile)


WEIRD = [
    "areas/two words.html",
    'areas/"q".html',
    "areas/new\nline.html",
    "areas/日本語 🧠.html",
    "areas/-w.html",
    "areas/a\tb\\c.html",
]


@pytest.mark.parametrize("attributes", [b"", b"*.html text\n"])
def test_names_of_every_kind_are_read_with_and_without_filters(repo: Path, attributes: bytes) -> None:
    plant(repo, {".gitattributes": attributes, **{name: name.encode() + b"\r\n" for name in WEIRD}})
    found = open_reader(repo).worktree_blobs([MemoryPath(name) for name in WEIRD])
    assert list(found) == WEIRD
    for name in WEIRD:
        assert found[MemoryPath(name)] == stored_by_git(repo, name)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root can become a user who may not read"
)
def test_a_file_that_may_not_be_read_says_so_and_hides_no_other(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(open_folder, "init", "-q")
    plant(open_folder, {A: b"a", B: b"b", "areas/closed/c.html": b"c"})
    (open_folder / B).chmod(0)
    (open_folder / "areas/closed").chmod(0)
    reader = open_reader(open_folder)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
    os.seteuid(65534)
    try:
        found = reader.worktree_blobs([A, B, MemoryPath("areas/closed/c.html")])
    finally:
        os.seteuid(0)
    assert isinstance(found[A], WorktreeBlob)
    assert found[B] == Unreadable("Permission denied")
    assert found[MemoryPath("areas/closed/c.html")] == Unreadable("Permission denied")


def test_no_paths_need_no_git(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reader = open_reader(repo)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert reader.worktree_blobs([]) == {}
    assert reader.worktree_blobs([MemoryPath("areas/missing.html")]) == {"areas/missing.html": None}


def test_a_dirty_file_has_the_blob_of_its_later_commit(repo: Path) -> None:
    git(repo, "config", "core.autocrlf", "true")
    plant(repo, {A: b"<p>one</p>\r\n"})
    reader = open_reader(repo)
    dirty = reader.worktree_blob(A)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "one")
    head = reader.head()
    assert head is not None
    ((entry, data),) = reader.walk_blobs(head)
    assert dirty == WorktreeBlob(entry.blob_sha, data)
