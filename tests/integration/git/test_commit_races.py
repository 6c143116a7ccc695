"""Many writers at once, ours and others: one line of history, and nothing lost."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import plant
from committing import IGNORED, put, status
from conftest import git

from memhtml import faults

WRITER = """
import sys
import time
from pathlib import Path
from memhtml.errors import LockHeld, WriteConflict
from memhtml.git.commit import CommitRequest, commit
root, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    files = {f"areas/{name}-{number}.html": f"{name} {number}".encode()}
    request = CommitRequest(files, f"memhtml(test): {name} {number}")
    while True:
        try:
            assert commit(root, request) is not None
            break
        except (LockHeld, WriteConflict):
            continue
"""

PLAIN = """
n=0
while [ $n -lt "$2" ]; do
  echo "$n" > "$1/plain-$n.txt"
  until git -C "$1" add "plain-$n.txt" 2>/dev/null; do :; done
  until git -C "$1" commit -qm "plain $n" 2>/dev/null; do :; done
  n=$((n + 1))
done
"""


@pytest.fixture
def store(repo: Path) -> Path:
    plant(repo, {".gitignore": IGNORED, "areas/a.html": b"a\n", "dirty.txt": b"1"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    plant(repo, {"dirty.txt": b"2"})
    return repo


def writers(root: Path, names: int, count: int) -> list[subprocess.Popen[bytes]]:
    return [
        subprocess.Popen([sys.executable, "-c", WRITER, str(root), f"w{name}", str(count)])
        for name in range(names)
    ]


def assert_all_there(root: Path, names: int, count: int, others: int = 0) -> None:
    assert (
        git(root, "rev-list", "--count", "--first-parent", "HEAD").strip()
        == str(names * count + 1 + others).encode()
    )
    assert git(root, "rev-list", "--count", "--min-parents=2", "HEAD").strip() == b"0"
    held = set(git(root, "ls-tree", "-r", "--name-only", "HEAD").decode().split())
    expected = {f"areas/w{name}-{number}.html" for name in range(names) for number in range(count)}
    assert expected <= held
    for name in range(names):
        for number in range(count):
            assert (root / f"areas/w{name}-{number}.html").read_bytes() == f"w{name} {number}".encode()
    assert git(root, "diff", "--name-only", "HEAD") == b"dirty.txt\n"
    assert git(root, "diff", "--cached", "--name-only") == b""
    assert not (root / ".memhtml/pending.json").exists()
    git(root, "fsck", "--strict")


@pytest.mark.parametrize("hooked", [False, True])
def test_eight_writers_make_one_line_of_history(store: Path, hooked: bool) -> None:
    if hooked:
        hook = store / ".git/hooks/pre-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 0\n")
        hook.chmod(0o755)
    children = writers(store, 8, 5)
    assert [child.wait(timeout=300) for child in children] == [0] * 8
    assert_all_there(store, 8, 5)


def test_plain_commits_in_a_loop_lose_nothing_and_nothing_of_ours(store: Path) -> None:
    plain = subprocess.Popen(["sh", "-c", PLAIN, "sh", str(store), "40"])
    children = writers(store, 2, 20)
    assert [child.wait(timeout=300) for child in (*children, plain)] == [0] * 3
    assert_all_there(store, 2, 20, others=40)
    assert {f"plain-{n}.txt" for n in range(40)} <= set(
        git(store, "ls-tree", "--name-only", "HEAD").decode().split()
    )
    ours = git(store, "log", "--format=%s%x00%H", "--grep=memhtml").decode().splitlines()
    for line in ours:
        sha = line.split("\0")[1]
        assert git(store, "show", "--format=", "--name-only", sha).decode().startswith("areas/w")
    for line in git(store, "log", "--format=%s%x00%H", "--grep=^plain").decode().splitlines():
        subject, sha = line.split("\0")
        assert git(store, "show", "--format=", "--name-only", sha).decode().split() == [
            f"plain-{subject.removeprefix('plain ')}.txt"
        ]


def test_two_stores_of_one_repository_do_not_undo_each_other(store: Path) -> None:
    plant(store, {"one/.gitignore": b".memhtml/\n", "two/.gitignore": b".memhtml/\n"})
    git(store, "add", "one", "two")
    git(store, "commit", "-qm", "two stores")
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(store / name), name, "15"])
        for name in ("one", "two")
    ]
    assert [child.wait(timeout=300) for child in children] == [0, 0]
    held = git(store, "ls-tree", "-r", "--name-only", "HEAD").decode().split()
    assert sum("/areas/" in path for path in held) == 30
    assert status(store).count(b"dirty.txt") == 1
    assert git(store, "diff", "--cached", "--name-only") == b""


def test_writers_that_are_killed_at_random_lose_nothing_that_was_made(store: Path) -> None:
    """Each is killed some time after it started; the last one is not, and repairs what the others left."""
    chosen = random.Random(20_260_301)
    for name in range(12):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(store), f"k{name}", "1000"])
        try:
            child.wait(timeout=0.4 + chosen.random() * 0.4)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    done = subprocess.run([sys.executable, "-c", WRITER, str(store), "last", "1"], check=False)
    assert done.returncode == 0
    git(store, "fsck", "--strict")
    assert git(store, "diff", "--name-only", "HEAD") == b"dirty.txt\n"
    assert git(store, "diff", "--cached", "--name-only") == b""
    assert git(store, "status", "--porcelain") == b" M dirty.txt\n"
    held = git(store, "ls-tree", "-r", "--name-only", "HEAD").decode().split()
    assert len([path for path in held if "/k" in path]) == int(git(store, "rev-list", "--count", "HEAD")) - 2
    assert [path.name for path in (store / ".memhtml").iterdir()] == ["write.lock"]


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("point", ["commit.ref_moved", "commit.file_placed", "commit.files_placed"])
def test_a_plain_commit_in_the_middle_of_ours_cannot_take_it_back(
    store: Path, point: str, hooked: bool
) -> None:
    """Its index would be the one from before: it would commit the removal of what HEAD just got."""
    if hooked:
        hook = store / ".git/hooks/post-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 0\n")
        hook.chmod(0o755)
    plant(store, {"theirs.txt": b"t"})
    statuses: list[int] = []

    def interfere() -> None:
        command = ["git", "-C", str(store), "commit", "-qm", "theirs", "--allow-empty"]
        statuses.append(subprocess.run(command, check=False, capture_output=True).returncode)

    faults.arm(point, interfere)
    assert put(store, {"areas/new.html": b"new"}) is not None
    faults.disarm()
    assert statuses
    assert all(statuses)
    assert git(store, "show", "HEAD:areas/new.html") == b"new"
    assert status(store).count(b"areas/new.html") == 0


def test_a_branch_that_is_switched_meanwhile_is_the_one_that_gets_the_commit(store: Path) -> None:
    git(store, "branch", "other")

    def switch() -> None:
        git(store, "symbolic-ref", "HEAD", "refs/heads/other")

    main = git(store, "rev-parse", "main")
    faults.arm("commit.index_locked", switch)
    done = put(store, {"areas/new.html": b"new"})
    assert done is not None
    assert git(store, "rev-parse", "main") == main
    assert git(store, "rev-parse", "other").decode().strip() == done.sha


def rewrite_unseen(path: Path, data: bytes, at_ns: int) -> None:
    """Write other bytes of the same length within one tick of the clock, as far as a file's times can tell."""
    path.write_bytes(data)
    os.utime(path, ns=(at_ns, at_ns))


def test_an_edit_too_young_for_its_times_to_tell_still_shows_after_our_commit(store: Path) -> None:
    git(store, "config", "core.trustctime", "false")
    path = store / "areas/a.html"
    at_ns = path.stat().st_mtime_ns
    os.utime(store / ".git/index", ns=(at_ns, at_ns))
    rewrite_unseen(path, b"b\n", at_ns)
    before = status(store)
    assert b"areas/a.html" in before
    time.sleep(1.1)
    put(store, {"areas/new.html": b"new"})
    assert status(store) == before


def test_an_edit_while_the_new_index_waits_still_shows(store: Path) -> None:
    git(store, "config", "core.trustctime", "false")
    path = store / "areas/a.html"
    at_ns = time.time_ns() + 1_000_000_000
    os.utime(path, ns=(at_ns, at_ns))
    git(store, "status")

    def edit() -> None:
        rewrite_unseen(path, b"b\n", at_ns)
        time.sleep(2.2)

    faults.arm("commit.files_extracted", edit)
    put(store, {"areas/new.html": b"new"})
    faults.disarm()
    assert b"areas/a.html" in status(store)
