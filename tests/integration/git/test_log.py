"""History: of the store, and of one memory."""

import os
import subprocess
from pathlib import Path

import pytest
from builders import plant
from conftest import git

from memhtml.git.read import open_reader
from memhtml.values import MemoryPath

A = MemoryPath("areas/a.html")


def save(root: Path, message: str, at: str = "2026-03-01T10:00:00Z") -> str:
    git(root, "add", "-A")
    subprocess.run(
        ["git", "-C", str(root), "commit", "-q", "--allow-empty", "-F", "-"],
        input=message.encode(),
        check=True,
        env=os.environ | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at},
    )
    return git(root, "rev-parse", "HEAD").decode().strip()


def test_commits_come_newest_first_with_their_trailers(repo: Path) -> None:
    plant(repo, {A: b"1"})
    first = save(repo, "memhtml: add a — première", "2026-03-01T10:00:00+02:00")
    plant(repo, {A: b"2"})
    second = save(
        repo, "memhtml: edit a\n\nWhy it was.\n\nSession: s1\nSession: s2\nTool: x\n", "2026-03-02T10:00:00Z"
    )
    newest, oldest = open_reader(repo).log(10)
    assert (newest.sha, newest.author_at, newest.subject) == (
        second,
        "2026-03-02T10:00:00Z",
        "memhtml: edit a",
    )
    assert newest.trailers == (("Session", "s1"), ("Session", "s2"), ("Tool", "x"))
    assert (oldest.sha, oldest.author_at) == (first, "2026-03-01T08:00:00Z")
    assert (oldest.subject, oldest.trailers) == ("memhtml: add a — première", ())


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (-1, 0), (2, 2), (99, 3)])
def test_no_more_commits_come_than_asked_for(repo: Path, limit: int, count: int) -> None:
    for number in range(3):
        save(repo, f"commit {number}")
    assert len(list(open_reader(repo).log(limit))) == count


def test_the_history_of_a_path_has_the_commits_that_changed_it(repo: Path) -> None:
    plant(repo, {"sub/areas/b.html": b"x"})
    save(repo, "elsewhere")
    plant(repo, {"sub/areas/a.html": b"1"})
    added = save(repo, "added")
    save(repo, "empty")
    plant(repo, {"sub/areas/a.html": b"2", "areas/a.html": b"other"})
    edited = save(repo, "edited")
    git(repo, "rm", "-q", "sub/areas/a.html")
    removed = save(repo, "removed")
    reader = open_reader(repo / "sub")
    assert [info.sha for info in reader.log(10, A)] == [removed, edited, added]
    assert [info.sha for info in reader.log(1, A)] == [removed]
    assert list(reader.log(10, MemoryPath("areas/never.html"))) == []


def test_a_merge_that_takes_one_side_did_not_change_the_path(repo: Path) -> None:
    plant(repo, {A: b"1"})
    added = save(repo, "added")
    git(repo, "checkout", "-q", "-b", "side")
    plant(repo, {A: b"2"})
    edited = save(repo, "edited")
    git(repo, "checkout", "-q", "main")
    plant(repo, {"areas/b.html": b"b"})
    save(repo, "other file")
    git(repo, "merge", "-q", "--no-edit", "side")
    assert [info.sha for info in open_reader(repo).log(10, A)] == [edited, added]
    assert len(list(open_reader(repo).log(10))) == 4


def test_at_the_edge_of_a_shallow_clone_a_path_was_added(repo: Path, tmp_path: Path) -> None:
    plant(repo, {A: b"1"})
    save(repo, "added")
    save(repo, "later")
    git(tmp_path, "clone", "-q", "--depth", "1", repo.as_uri(), "shallow")
    assert [info.subject for info in open_reader(tmp_path / "shallow").log(10, A)] == ["later"]


@pytest.mark.parametrize(
    ("seconds", "expected"), [(-5, "1970-01-01T00:00:00Z"), (10**15, "9999-12-31T23:59:59Z")]
)
def test_an_impossible_time_is_held_to_the_calendar(repo: Path, seconds: int, expected: str) -> None:
    tree = git(repo, "mktree").decode().strip()
    raw = (
        f"tree {tree}\nauthor T <t@example.com> {seconds} +0000\ncommitter T <t@example.com> 1 +0000\n\nold\n"
    )
    sha = (
        git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw.encode())
        .decode()
        .strip()
    )
    git(repo, "update-ref", "refs/heads/main", sha)
    (info,) = open_reader(repo).log(1)
    assert info.author_at == expected


@pytest.mark.parametrize(
    ("header", "message", "subject"),
    [
        (b"", b"caf\xe9", "caf\N{REPLACEMENT CHARACTER}"),
        (b"encoding ISO-8859-1\n", b"caf\xe9", "café"),
        (b"encoding no-such\n", "café".encode(), "café"),
        (b"", b"", ""),
    ],
)
def test_a_message_in_any_encoding_is_read(repo: Path, header: bytes, message: bytes, subject: str) -> None:
    tree = git(repo, "mktree").strip()
    person = b"T <t@example.com> 1700000000 +0000\n"
    raw = b"tree " + tree + b"\nauthor " + person + b"committer " + person + header + b"\n" + message
    sha = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw).decode().strip()
    git(repo, "update-ref", "refs/heads/main", sha)
    (info,) = open_reader(repo).log(1)
    assert info.subject == subject
