"""Entries of the index, found by bytes where its form allows, are those that git lists."""

import subprocess
from pathlib import Path

import pytest
from builders import plant
from conftest import git

from memhtml.errors import GitFailed
from memhtml.git.discover import find_repository
from memhtml.git.index_edit import read_index
from memhtml.git.index_file import IndexEntry, look_up, stamp
from memhtml.git.request import Holding


def listed(root: Path) -> list[IndexEntry]:
    found = []
    for line in git(root, "ls-files", "-z", "-s", "-t").split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        tag, mode, sha, stage = facts.split(b" ")
        found.append(IndexEntry(path, Holding(mode, sha.decode()), int(stage), tag == b"S"))
    return found


@pytest.fixture
def store(repo: Path) -> Path:
    files = {f"areas/{n:03}/memory-{m}.html": f"{n} {m}".encode() for n in range(12) for m in range(12)}
    deep = "/".join(["d" * 200] * 16) + "/file"
    plant(
        repo,
        {**files, "a.b": b"1", "ab": b"2", "areas.x": b"3", "x/areas/000/memory-1.html": b"4", deep: b"5"},
    )
    git(repo, "add", "-A")
    git(repo, "update-index", "--chmod=+x", "ab")
    git(repo, "update-index", "--skip-worktree", "areas.x")
    git(repo, "update-index", "--assume-unchanged", "a.b")
    sha = git(repo, "rev-parse", ":ab").decode().strip()
    sides = "".join(f"100644 {sha} {stage}\tunmerged.html\n" for stage in (1, 2, 3))
    git(repo, "update-index", "--index-info", stdin=sides.encode())
    return repo


FORMS = [(), ("--index-version", "4"), ("--split-index",), ("--index-version", "3"), ("--untracked-cache",)]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_entry_is_found_as_git_lists_it(store: Path, form: tuple[str, ...]) -> None:
    if form:
        git(store, "update-index", *form)
    location, data = find_repository(store), read_index(find_repository(store)).data
    entries = listed(store)
    assert len(entries) == 152
    by_path: dict[bytes, list[IndexEntry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, []).append(entry)
    for path, own in by_path.items():
        assert look_up(location, data, [path]) == own
    every = look_up(location, data, list(by_path))
    assert sorted(every) == sorted(entries)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_folder_brings_what_is_below_it_and_a_path_the_files_on_its_way(
    store: Path, form: tuple[str, ...]
) -> None:
    if form:
        git(store, "update-index", *form)
    location, data = find_repository(store), read_index(find_repository(store)).data
    assert len(look_up(location, data, [b"areas/003"])) == 12
    assert len(look_up(location, data, [b"areas"])) == 144
    assert [entry.path for entry in look_up(location, data, [b"ab/c/d"])] == [b"ab"]
    assert look_up(location, data, [b"nothing", b"area", b"reas/000/memory-1.html", b"b"]) == []
    many = [b"none-%d" % n for n in range(40)]
    assert [entry.path for entry in look_up(location, data, [*many, b"ab/c/d"])] == [b"ab"]


def test_no_index_holds_nothing(store: Path) -> None:
    assert look_up(find_repository(store), None, [b"a"]) == []


@pytest.mark.parametrize("cut", [0, 5, 12, 40, 500])
def test_a_damaged_index_is_an_error_or_an_empty_answer(store: Path, cut: int) -> None:
    location, data = find_repository(store), read_index(find_repository(store)).data
    assert data is not None
    (store / ".git/index").write_bytes(data[:cut])
    for paths in ([b"areas/000/memory-1.html"], [b"none-%d" % n for n in range(40)]):
        try:
            found = look_up(location, data[:cut], paths)
        except GitFailed:
            continue
        assert len(found) <= 1


@pytest.mark.parametrize("count", [1, 30])
def test_a_stamped_index_is_one_that_git_trusts(store: Path, count: int) -> None:
    """Entries without times are what `update-index --index-info` leaves behind."""
    git(store, "read-tree", "--empty")
    git(store, "add", "areas")
    paths = [f"areas/{n:03}/memory-{m}.html" for n in range(3) for m in range(10)][:count]
    lines = "".join(
        f"100644 {git(store, 'rev-parse', f':{path}').decode().strip()}\t{path}\n" for path in paths
    )
    for path in paths:
        git(store, "update-index", "--force-remove", path)
    git(store, "update-index", "--index-info", stdin=lines.encode())
    assert len(git(store, "diff-files", "--name-only").split()) == count
    index = store / ".git/index"
    index.write_bytes(
        stamp(
            find_repository(store),
            index.read_bytes(),
            {path.encode(): (store / path).lstat() for path in paths},
        )
    )
    assert git(store, "diff-files") == b""
    git(store, "fsck")
    data = index.read_bytes()
    assert stamp(find_repository(store), data, {}) == data
    assert stamp(find_repository(store), data, {b"no/such/file": index.lstat()}) == data


def test_an_index_without_a_checksum_stays_without_one(store: Path) -> None:
    git(store, "-c", "index.skipHash=true", "update-index", "--force-remove", "ab")
    index = store / ".git/index"
    data = index.read_bytes()
    stamped = stamp(find_repository(store), data, {b"a.b": index.lstat()})
    assert stamped != data
    assert any(data[-20:]) == any(stamped[-20:])
    index.write_bytes(stamped)
    assert subprocess.run(["git", "-C", str(store), "fsck"], check=False, capture_output=True).returncode == 0


def test_a_version_that_is_not_known_is_left_as_it_is(store: Path) -> None:
    data = b"DIRC\0\0\0\x09" + b"\0" * 100
    assert stamp(find_repository(store), data, {b"a": Path(__file__).stat()}) == data
