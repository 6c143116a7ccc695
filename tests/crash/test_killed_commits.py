"""A commit killed at any point is completed or discarded by the next command, and never over anybody's work."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import plant
from conftest import git

from memhtml import faults
from memhtml.errors import LockHeld
from memhtml.git.commit import CommitRequest, Outcome, commit, recover
from memhtml.git.lock import held

CHILD = Path(__file__).with_name("commit_child.py")
_spec = importlib.util.spec_from_file_location("commit_child", CHILD)
assert _spec is not None
assert _spec.loader is not None
child = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(child)

#: The points on the way of a commit, in their order, and the one from which on it is made.
WAY = (
    "commit.locked",
    "commit.objects_written",
    "commit.journal_written",
    "commit.index_locked",
    "commit.index_edited",
    "commit.files_extracted",
    "commit.ref_moved",
    "commit.file_placed",
    "commit.files_placed",
    "commit.index_installed",
    "commit.index_unlocked",
    "commit.journal_cleared",
)
HOOKED_WAY = (*WAY[:6], "commit.file_placed", "commit.hooks_run", *WAY[6:7], *WAY[8:])
#: In a repair: the same steps once more.
REPAIR_WAY = (
    "commit.index_locked",
    "commit.index_edited",
    "commit.files_extracted",
    "commit.file_placed",
    "commit.files_placed",
    "commit.index_installed",
    "commit.index_unlocked",
    "commit.recovered",
)
ARMED = {*WAY, *HOOKED_WAY, *REPAIR_WAY}
IGNORED = b".memhtml/*.lock\n.memhtml/*.tmp\n.memhtml/pending.json\n"
OLD = {"areas/edited.html": b"as it was\n", "projects/moved.html": b"moved\n"}


@pytest.fixture
def store(repo: Path) -> Path:
    """A store with a commit, and with staged, dirty and untracked work of the person's."""
    plant(repo, {".gitignore": IGNORED, "areas/dirty.html": b"1\n", "areas/staged.html": b"1\n", **OLD})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    plant(repo, {"areas/staged.html": b"2\n", "loose.txt": b"loose\n", "staged-new.txt": b"new\n"})
    git(repo, "add", "areas/staged.html", "staged-new.txt")
    plant(repo, {"areas/dirty.html": b"2\n", "areas/staged.html": b"3\n"})
    return repo


def with_hook(store: Path, words: str = "exit 0") -> None:
    hook = store / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{words}\n")
    hook.chmod(0o755)


def killed(store: Path, operation: str, point: str, nth: int = 1) -> None:
    done = subprocess.run(
        [sys.executable, str(CHILD), str(store), operation, point, str(nth)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, (point, done.stdout, done.stderr)


def others(store: Path) -> bytes:
    """What git says of everything that is not ours."""
    return git(store, "status", "--porcelain=v2", "-z", "-uall")


def files(store: Path) -> dict[str, bytes]:
    return {path: (store / path).read_bytes() for path in child.NEW if (store / path).exists()}


def assert_settled(store: Path, *, is_made: bool, before: bytes) -> None:
    expected = {p: d for p, d in child.NEW.items() if d is not None} if is_made else OLD
    assert files(store) == expected
    assert others(store) == before
    assert git(store, "log", "--format=%s").splitlines() == (
        [b"memhtml(test): four paths", b"first"] if is_made else [b"first"]
    )
    assert sorted(path.name for path in (store / ".memhtml").iterdir()) == ["write.lock"]
    assert not list((store / ".git").glob("index.*"))
    assert not (store / "archive").exists() or is_made
    git(store, "fsck", "--strict")


@pytest.mark.parametrize("point", WAY)
def test_a_killed_commit_is_completed_or_discarded(store: Path, point: str) -> None:
    before = others(store)
    killed(store, "commit", point)
    report = recover(store)
    is_made = WAY.index(point) >= WAY.index("commit.ref_moved")
    if point in ("commit.locked", "commit.objects_written", "commit.journal_cleared"):
        assert report is None
    else:
        assert report is not None
        assert report.outcome is (Outcome.COMPLETED if is_made else Outcome.DISCARDED)
        assert (report.sha is not None) == is_made
        assert report.left == ()
        assert set(report.paths) == set(child.NEW)
    assert_settled(store, is_made=is_made, before=before)
    assert recover(store) is None


@pytest.mark.parametrize("nth", [2, 3, 4])
def test_a_commit_killed_between_two_files_is_completed(store: Path, nth: int) -> None:
    before = others(store)
    killed(store, "commit", "commit.file_placed", nth)
    assert recover(store) is not None
    assert_settled(store, is_made=True, before=before)


@pytest.mark.parametrize("point", HOOKED_WAY)
def test_a_commit_that_is_killed_around_its_hooks_is_completed_or_discarded(store: Path, point: str) -> None:
    before = others(store)
    with_hook(store)
    killed(store, "commit", point)
    recover(store)
    is_made = HOOKED_WAY.index(point) >= HOOKED_WAY.index("commit.hooks_run")
    assert_settled(store, is_made=is_made, before=before)


@pytest.mark.parametrize("stopped_at", ["commit.files_extracted", "commit.ref_moved"])
@pytest.mark.parametrize("point", REPAIR_WAY)
def test_a_repair_that_is_killed_is_repaired(store: Path, stopped_at: str, point: str) -> None:
    before = others(store)
    killed(store, "commit", stopped_at)
    is_made = stopped_at == "commit.ref_moved"
    if is_made or point not in ("commit.file_placed", "commit.index_installed"):
        killed(store, "recover", point)
    recover(store)
    assert_settled(store, is_made=is_made, before=before)


@pytest.mark.parametrize("point", ["commit.file_placed", "commit.files_placed"])
def test_a_repair_around_hooks_that_is_killed_is_repaired(store: Path, point: str) -> None:
    before = others(store)
    with_hook(store)
    killed(store, "commit", "commit.file_placed", 4)
    killed(store, "recover", point)
    recover(store)
    assert_settled(store, is_made=False, before=before)


def test_the_next_commit_repairs_first(store: Path) -> None:
    killed(store, "commit", "commit.ref_moved")
    done = commit(store, CommitRequest({"areas/next.html": b"next\n"}, "memhtml(test): next"))
    assert done is not None
    assert git(store, "show", "--format=", "--name-only").split() == [b"areas/next.html"]
    assert files(store) == {path: data for path, data in child.NEW.items() if data is not None}


def test_a_file_that_somebody_edited_meanwhile_stays(store: Path) -> None:
    killed(store, "commit", "commit.ref_moved")
    (store / "areas/edited.html").write_bytes(b"mine\n")
    (store / "areas/fresh").mkdir(exist_ok=True)
    (store / "areas/fresh/new.html").write_bytes(b"mine too\n")
    report = recover(store)
    assert report is not None
    assert report.outcome is Outcome.COMPLETED
    assert report.left == ("areas/edited.html", "areas/fresh/new.html")
    assert (store / "areas/edited.html").read_bytes() == b"mine\n"
    assert (store / "areas/fresh/new.html").read_bytes() == b"mine too\n"
    assert git(store, "diff", "--name-only", "--", "areas/edited.html", "areas/fresh").split() == [
        b"areas/edited.html",
        b"areas/fresh/new.html",
    ]
    assert git(store, "diff", "--cached", "--name-only", "--", "areas/edited.html", "areas/fresh") == b""


def test_what_somebody_staged_meanwhile_stays_staged(store: Path) -> None:
    killed(store, "commit", "commit.ref_moved")
    (store / ".git/index.lock").unlink()  # as git's message about it advises
    (store / "areas/edited.html").write_bytes(b"mine\n")
    git(store, "add", "areas/edited.html")
    report = recover(store)
    assert report is not None
    assert report.left == ("areas/edited.html",)
    assert git(store, "show", ":areas/edited.html") == b"mine\n"
    assert (store / "areas/edited.html").read_bytes() == b"mine\n"


def test_a_lock_of_another_git_is_never_removed(store: Path) -> None:
    killed(store, "commit", "commit.ref_moved")
    lock = store / ".git/index.lock"
    lock.write_bytes(b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memhtml.git.index_edit.LOCK_WAIT_S", 0.05)
        assert recover(store) is None
    assert lock.read_bytes() == b""
    lock.unlink()
    assert recover(store) is not None


@pytest.mark.parametrize("change", ["commit", "amend", "reset", "branch", "revert"])
def test_a_head_that_moved_on_before_the_repair_is_followed(store: Path, change: str) -> None:
    """HEAD alone moved, by plumbing: index and work tree are still those of the commit before ours."""
    before = others(store)
    killed(store, "commit", "commit.ref_moved")

    def made(tree: str, parent: str) -> str:
        return git(store, "commit-tree", tree, "-p", parent, "-m", "theirs").decode().strip()

    match change:
        case "commit":
            git(store, "update-ref", "HEAD", made("HEAD^{tree}", "HEAD"))
        case "amend":
            git(store, "update-ref", "HEAD", made("HEAD^{tree}", "HEAD~1"))
        case "reset":
            git(store, "update-ref", "HEAD", "HEAD~1")
        case "branch":
            git(store, "branch", "other", "HEAD~1")
            git(store, "symbolic-ref", "HEAD", "refs/heads/other")
        case _:
            git(store, "update-ref", "HEAD", made("HEAD~1^{tree}", "HEAD"))
    report = recover(store)
    assert report is not None
    assert (report.outcome is Outcome.COMPLETED) == (change in ("commit", "revert"))
    expected = {p: d for p, d in child.NEW.items() if d is not None} if change in ("commit", "amend") else OLD
    assert files(store) == expected
    assert others(store) == before
    assert set(report.left) == (set(child.NEW) if change == "revert" else set())


def test_a_file_that_was_there_before_with_the_same_bytes_is_never_taken_away(store: Path) -> None:
    plant(store, {"areas/fresh/new.html": b"new\n"})
    with_hook(store)
    for point in ("commit.files_extracted", "commit.file_placed"):
        killed(store, "commit", point)
        report = recover(store)
        assert report is not None
        assert report.outcome is Outcome.DISCARDED
        assert (store / "areas/fresh/new.html").read_bytes() == b"new\n"


def test_a_commit_under_way_is_left_alone(store: Path) -> None:
    killed(store, "commit", "commit.journal_written")
    with held(store / ".memhtml/write.lock"):
        assert recover(store) is None
    assert recover(store) is not None


def test_a_record_that_cannot_be_read_is_forgotten(store: Path) -> None:
    before = others(store)
    (store / ".memhtml").mkdir()
    for data in (b"", b"{", b"[]", b'{"version": 9}', b'{"version":1,"token":1}'):
        (store / ".memhtml/pending.json").write_bytes(data)
        report = recover(store)
        assert report is not None
        assert report.outcome is Outcome.DISCARDED
    assert others(store) == before


def test_git_that_outlives_its_process_is_waited_for(store: Path) -> None:
    """A hook kills us and says yes later: its commit is made, and is completed and not discarded."""
    before = others(store)
    with_hook(store, 'kill -9 "$PPID_TO_KILL"; sleep 1; exit 0')
    script = (
        "import os, sys; os.environ['PPID_TO_KILL'] = str(os.getpid()); sys.argv[1:] = [sys.argv[1], 'commit', "
        "'commit.recovered']; import runpy; runpy.run_path(os.environ['CHILD'], run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(store)],
        check=False,
        env={**os.environ, "CHILD": str(CHILD)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert done.returncode == -signal.SIGKILL
    assert recover(store) is None  # git is still at it
    deadline = time.monotonic() + 30
    while (report := recover(store)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert report.outcome is Outcome.COMPLETED
    assert_settled(store, is_made=True, before=before)


def test_a_writer_waits_for_that_git_too(store: Path) -> None:
    killed(store, "commit", "commit.journal_written")
    with (store / ".memhtml/pending.json").open("rb") as file:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("memhtml.git.recovery.LOCK_WAIT_S", 0.05)
            with pytest.raises(LockHeld):
                commit(store, CommitRequest({"areas/next.html": b"next\n"}, "s"))
    assert commit(store, CommitRequest({"areas/next.html": b"next\n"}, "s")) is not None


def test_an_interrupt_leaves_the_record_for_the_next_command(store: Path) -> None:
    before = others(store)

    def interrupt() -> None:
        raise KeyboardInterrupt

    faults.arm("commit.files_extracted", interrupt)
    with pytest.raises(KeyboardInterrupt):
        commit(store, child.request(store))
    faults.disarm()
    assert not (store / ".git/index.lock").exists()
    assert recover(store) is not None
    assert_settled(store, is_made=False, before=before)
