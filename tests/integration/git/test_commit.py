"""Commits of ours, in ordinary repositories: what lands where, and what is refused with nothing changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from builders import plant
from committing import IGNORED, everything, names, put, requested, status
from conftest import git

from memhtml import faults
from memhtml.errors import (
    DirtyTree,
    GitFailed,
    LockHeld,
    MemhtmlError,
    PathRefused,
    RepoRequired,
    RepoUnsupported,
    StorageFailed,
    WriteConflict,
)
from memhtml.git.commit import CommitRequest, commit
from memhtml.values import CommitSha


@pytest.fixture
def store(repo: Path) -> Path:
    plant(repo, {".gitignore": IGNORED, "areas/a.html": b"a\n", "areas/b.html": b"b\n"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    return repo


def test_a_commit_lands_on_the_branch_in_the_tree_and_in_the_index(store: Path) -> None:
    parent = git(store, "rev-parse", "HEAD").decode().strip()
    request = CommitRequest(
        {"areas/new/n.html": b"n\n"},
        "memhtml(write): N",
        trailers=(("Memhtml-Session", "s1"), ("Memhtml-Prompt", "p1")),
        body="why\nMemhtml-Session: forged",
    )
    done = commit(store, request)
    assert done is not None
    assert done.parent == parent
    assert done.sha == git(store, "rev-parse", "main").decode().strip()
    assert done.paths == ("areas/new/n.html",)
    assert (store / "areas/new/n.html").read_bytes() == b"n\n"
    assert status(store) == b""
    assert git(store, "diff-files") == b""  # the index knows the file's times: nothing has to be read again
    assert git(
        store, "log", "-1", "--format=%s|%an <%ae>|%cn <%ce>|%(trailers:key=Memhtml-Session,valueonly)"
    ) == (b"memhtml(write): N|Test Author <author@example.com>|Test Author <author@example.com>|s1\n\n")
    assert b"commit: memhtml(write): N" in git(store, "reflog", "-1", "HEAD")
    assert b"commit: memhtml(write): N" in git(store, "reflog", "-1", "main")
    git(store, "fsck", "--strict")


def test_edits_moves_and_removals_are_one_commit(store: Path) -> None:
    put(store, {"areas/a.html": b"A\n", "areas/b.html": None, "archive/2026/areas/b.html": b"b\n"})
    assert names(store) == [b"archive/2026/areas/b.html", b"areas/a.html", b"areas/b.html"]
    assert not (store / "areas/b.html").exists()
    assert (store / "areas/a.html").read_bytes() == b"A\n"
    assert status(store) == b""


def test_the_last_file_of_a_folder_takes_the_folder_along(store: Path) -> None:
    put(store, {"projects/x/y/z.html": b"z\n"})
    put(store, {"projects/x/y/z.html": None})
    assert not (store / "projects").exists()
    assert status(store) == b""


def test_a_folder_with_something_else_in_it_stays(store: Path) -> None:
    put(store, {"projects/x/z.html": b"z\n"})
    plant(store, {"projects/x/mine.txt": b"mine\n"})
    put(store, {"projects/x/z.html": None})
    assert (store / "projects/x/mine.txt").exists()


@pytest.mark.parametrize("files", [{}, {"areas/a.html": b"a\n"}, {"areas/none.html": None}])
def test_what_changes_nothing_makes_no_commit(store: Path, files: dict[str, bytes | None]) -> None:
    before = everything(store)
    assert put(store, files) is None
    assert commit(store, lambda _: None) is None
    assert everything(store) == before


def test_the_first_commit_of_a_repository(repo: Path) -> None:
    plant(repo, {"staged.txt": b"s\n"})
    git(repo, "add", "staged.txt")
    asked: list[CommitSha | None] = []

    def ask(head: CommitSha | None) -> CommitRequest:
        asked.append(head)
        return CommitRequest({"areas/a.html": b"a\n"}, "memhtml(write): first")

    done = commit(repo, ask)
    assert asked == [None]
    assert done is not None
    assert done.parent is None
    assert git(repo, "rev-list", "HEAD").split() == [done.sha.encode()]
    assert b"commit (initial)" in git(repo, "reflog", "HEAD")
    assert git(repo, "diff", "--cached", "--name-only") == b"staged.txt\n"


def test_names_of_every_kind_are_committed(store: Path) -> None:
    files = {
        f"areas/{name}": name.encode()
        for name in ("caf\u00e9", "\u66f8", "a\tb", "a\nb", 'q"u', "-dash", ":(top)x", "*", " x ")
    }
    assert put(store, files) is not None
    assert status(store) == b""
    assert {path: (store / path).read_bytes() for path in files} == files


def test_an_executable_file_stays_executable(store: Path) -> None:
    (store / "areas/a.html").chmod(0o755)
    git(store, "add", "-A")
    git(store, "commit", "-qm", "x")
    put(store, {"areas/a.html": b"A\n"})
    assert os.access(store / "areas/a.html", os.X_OK)
    assert status(store) == b""


@pytest.mark.parametrize("setting", ["true", "false"])
def test_a_changed_executable_bit_is_dirty_work_where_bits_count(store: Path, setting: str) -> None:
    git(store, "config", "core.fileMode", setting)
    (store / "areas/a.html").chmod(0o755)
    if setting == "true":
        with pytest.raises(DirtyTree):
            put(store, {"areas/a.html": b"A\n"})
    else:
        assert put(store, {"areas/a.html": b"A\n"}) is not None
        assert status(store) == b""


def test_a_file_that_is_there_already_with_our_bytes_is_adopted(store: Path) -> None:
    plant(store, {"areas/loose.html": b"new\n", "areas/staged.html": b"new\n"})
    git(store, "add", "areas/staged.html")
    inode = (store / "areas/loose.html").stat().st_ino
    assert put(store, {"areas/loose.html": b"new\n", "areas/staged.html": b"new\n"}) is not None
    assert (store / "areas/loose.html").stat().st_ino == inode
    assert status(store) == b""


def dirty_edit(root: Path) -> None:
    plant(root, {"areas/a.html": b"mine\n"})


def dirty_staged(root: Path) -> None:
    dirty_edit(root)
    git(root, "add", "areas/a.html")


def dirty_staged_and_reverted(root: Path) -> None:
    dirty_staged(root)
    plant(root, {"areas/a.html": b"a\n"})


def dirty_deleted(root: Path) -> None:
    (root / "areas/a.html").unlink()


def dirty_staged_deletion(root: Path) -> None:
    git(root, "rm", "-q", "areas/a.html")


def dirty_untracked(root: Path) -> None:
    git(root, "rm", "-q", "--cached", "areas/a.html")


def dirty_link(root: Path) -> None:
    dirty_deleted(root)
    (root / "areas/a.html").symlink_to("b.html")


def dirty_folder(root: Path) -> None:
    dirty_deleted(root)
    plant(root, {"areas/a.html/x": b"x"})


def dirty_unmerged(root: Path) -> None:
    sha = git(root, "rev-parse", "HEAD:areas/a.html").decode().strip()
    lines = "".join(f"100644 {sha} {stage}\tareas/a.html\n" for stage in (1, 2, 3))
    git(root, "update-index", "--index-info", stdin=f"0 {'0' * 40}\tareas/a.html\n{lines}".encode())


DIRTY = [
    *(dirty_edit, dirty_staged, dirty_staged_and_reverted, dirty_deleted, dirty_staged_deletion),
    *(dirty_untracked, dirty_link, dirty_folder, dirty_unmerged),
]


@pytest.mark.parametrize("work", DIRTY, ids=lambda work: work.__name__)
def test_work_of_the_persons_at_our_path_is_refused_and_named(store: Path, work: object) -> None:
    assert callable(work)
    work(store)
    git(store, "status")
    before = everything(store)
    with pytest.raises(DirtyTree) as caught:
        put(store, {"areas/a.html": b"ours\n", "areas/fine.html": b"fine\n"})
    assert caught.value.paths == ("areas/a.html",)
    assert everything(store) == before


def test_an_untracked_file_is_never_written_over(store: Path) -> None:
    plant(store, {"areas/new.html": b"mine\n"})
    before = everything(store)
    with pytest.raises(DirtyTree):
        put(store, {"areas/new.html": b"ours\n"})
    assert everything(store) == before


def test_a_file_announced_to_git_is_the_persons(store: Path) -> None:
    plant(store, {"areas/new.html": b"mine\n"})
    git(store, "add", "--intent-to-add", "areas/new.html")
    with pytest.raises(DirtyTree):
        put(store, {"areas/new.html": b"ours\n"})


@pytest.mark.parametrize("staged", ["areas/new.html/x", "areas"])
def test_a_staged_file_that_ours_would_push_out_of_the_index_is_dirty_work(store: Path, staged: str) -> None:
    sha = git(store, "rev-parse", "HEAD:areas/a.html").decode().strip()
    if staged == "areas":
        git(store, "rm", "-rq", "--cached", "areas")
    git(store, "update-index", "--add", "--cacheinfo", f"100644,{sha},{staged}")
    before = git(store, "ls-files", "-s")
    with pytest.raises(DirtyTree):
        put(store, {"areas/new.html": b"ours\n"})
    assert git(store, "ls-files", "-s") == before


def linked_folder(root: Path, outside: Path) -> None:
    (root / "projects").symlink_to(outside)


def linked_inner_folder(root: Path, outside: Path) -> None:
    (root / "projects").mkdir()
    (root / "projects/x").symlink_to(outside)


def file_for_folder(root: Path, outside: Path) -> None:
    plant(root, {"projects": b"a file"})


def nested_repository(root: Path, outside: Path) -> None:
    (root / "projects").mkdir()
    git(root / "projects", "init", "-q")


@pytest.mark.parametrize(
    "obstacle",
    [linked_folder, linked_inner_folder, file_for_folder, nested_repository],
    ids=lambda o: o.__name__,
)
def test_nothing_is_written_through_or_into_what_is_not_ours(
    store: Path, tmp_path: Path, obstacle: object
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert callable(obstacle)
    obstacle(store, outside)
    before = everything(tmp_path)
    with pytest.raises(PathRefused):
        put(store, {"projects/x/new.html": b"ours\n"})
    assert everything(tmp_path) == before


def test_a_name_that_differs_in_case_or_composition_is_refused(store: Path) -> None:
    put(store, {"areas/caf\u00e9.html": b"x"})
    before = everything(store)
    for path in ("areas/A.html", "Areas/x.html", "areas/cafe\u0301.html", "areas/CAF\u00c9.html"):
        with pytest.raises(PathRefused):
            put(store, {path: b"x"})
    assert everything(store) == before


def test_a_plain_request_that_was_overtaken_is_a_conflict(store: Path) -> None:
    request = requested(
        store, {"areas/a.html": b"ours\n"}, CommitSha(git(store, "rev-parse", "HEAD").decode().strip())
    )
    plant(store, {"areas/a.html": b"theirs\n"})
    git(store, "commit", "-qam", "theirs")
    before = everything(store)
    with pytest.raises(WriteConflict) as caught:
        commit(store, request)
    assert caught.value.path == "areas/a.html"
    assert caught.value.theirs == git(store, "rev-parse", "HEAD:areas/a.html").decode().strip()
    assert everything(store) == before


@pytest.mark.parametrize(
    ("name", "is_folder"),
    [
        *(("MERGE_HEAD", False), ("CHERRY_PICK_HEAD", False), ("REVERT_HEAD", False)),
        *(("rebase-merge", True), ("rebase-apply", True), ("sequencer", True)),
    ],
)
def test_nothing_is_committed_into_unfinished_work(store: Path, name: str, is_folder: bool) -> None:
    path = store / ".git" / name
    path.mkdir() if is_folder else path.write_bytes(git(store, "rev-parse", "HEAD"))
    before = everything(store)
    with pytest.raises(GitFailed, match="not concluded"):
        put(store, {"areas/new.html": b"x"})
    assert everything(store) == before


def test_a_real_merge_conflict_is_left_to_the_person(store: Path) -> None:
    git(store, "checkout", "-qb", "other")
    plant(store, {"areas/a.html": b"other\n"})
    git(store, "commit", "-qam", "other")
    git(store, "checkout", "-q", "main")
    plant(store, {"areas/a.html": b"main\n"})
    git(store, "commit", "-qam", "main")
    assert subprocess.run(
        ["git", "-C", str(store), "merge", "-q", "other"], check=False, capture_output=True
    ).returncode
    before = everything(store)
    with pytest.raises(GitFailed, match="a merge is not concluded"):
        put(store, {"areas/new.html": b"x"})
    assert everything(store) == before


def test_a_detached_head_is_refused_unless_asked_for(store: Path) -> None:
    git(store, "checkout", "-q", "--detach")
    main = git(store, "rev-parse", "main")
    before = everything(store)
    with pytest.raises(GitFailed, match="detached"):
        put(store, {"areas/new.html": b"x"})
    assert everything(store) == before
    done = put(store, {"areas/new.html": b"x"}, allow_detached=True)
    assert done is not None
    assert git(store, "rev-parse", "HEAD").decode().strip() == done.sha
    assert git(store, "rev-parse", "main") == main
    assert status(store) == b""


def without_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)


def test_a_missing_identity_names_the_two_commands(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_identity(monkeypatch)
    git(store, "config", "user.useConfigOnly", "true")
    before = everything(store)
    with pytest.raises(GitFailed, match=r"git config --global user\.name.*git config --global user\.email"):
        put(store, {"areas/new.html": b"x"})
    assert everything(store) == before


def test_identities_are_gits_own(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_identity(monkeypatch)
    for key, value in (("user.name", "  U,"), ("user.email", "u@x"), ("committer.name", "C\u00e9")):
        git(store, "config", key, value)
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "env@x")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-02-03T04:05:06+0130")
    put(store, {"areas/new.html": b"x"})
    ours = git(store, "log", "-1", "--format=%an|%ae|%ad|%cn|%ce", "--date=iso")
    git(store, "commit", "-q", "--allow-empty", "-m", "theirs")
    assert ours == git(store, "log", "-1", "--format=%an|%ae|%ad|%cn|%ce", "--date=iso")
    assert ours.startswith(b"U|env@x|2001-02-03 04:05:06 +0130|C\xc3\xa9|")


def test_an_index_that_another_git_holds_is_waited_for_and_never_broken(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = store / ".git/index.lock"
    lock.write_bytes(b"")
    before = everything(store)
    monkeypatch.setattr("memhtml.git.index_edit.LOCK_WAIT_S", 0.05)
    with pytest.raises(LockHeld):
        put(store, {"areas/new.html": b"x"})
    assert {path for path in everything(store) if "/objects/" not in path} == {
        path for path in before if "/objects/" not in path
    }
    lock.unlink()
    assert put(store, {"areas/new.html": b"x"}) is not None


def test_a_branch_that_another_git_holds_is_tried_again(store: Path) -> None:
    lock = store / ".git/refs/heads/main.lock"
    lock.write_bytes(b"")
    head = git(store, "rev-parse", "HEAD")
    with pytest.raises(GitFailed, match="another git"):
        commit(store, CommitRequest({"areas/new.html": b"x"}, "s"), attempts=2)
    assert git(store, "rev-parse", "HEAD") == head
    assert status(store) == b""
    assert not (store / ".memhtml/pending.json").exists()
    lock.unlink()
    assert put(store, {"areas/new.html": b"x"}) is not None


def test_a_lost_race_asks_again_on_the_new_head(store: Path) -> None:
    """Between planning and moving the branch somebody commits, by plumbing and without the index."""
    seen: list[CommitSha | None] = []

    def ask(head: CommitSha | None) -> CommitRequest:
        seen.append(head)
        return requested(store, {f"areas/{len(seen)}.html": b"x"}, head)

    def race() -> None:
        if len(seen) < 3:
            made = git(store, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "theirs").decode().strip()
            git(store, "update-ref", "refs/heads/main", made)

    faults.arm("commit.files_extracted", race)
    done = commit(store, ask)
    assert done is not None
    assert len(set(seen)) == 3
    assert done.parent == seen[2]
    assert done.paths == ("areas/3.html",)
    assert git(store, "rev-list", "--count", "HEAD") == b"4\n"
    assert status(store) == b""


def test_a_race_that_is_never_won_is_a_conflict_and_changes_nothing(store: Path) -> None:
    def race() -> None:
        made = git(store, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "theirs").decode().strip()
        git(store, "update-ref", "refs/heads/main", made)

    faults.arm("commit.files_extracted", race)
    with pytest.raises(WriteConflict):
        commit(store, CommitRequest({"areas/new.html": b"x"}, "s"), attempts=3)
    assert git(store, "rev-list", "--count", "HEAD") == b"4\n"
    assert status(store) == b""
    assert not (store / "areas/new.html").exists()


def test_an_edit_that_comes_between_stays_in_the_tree_and_is_reported(store: Path) -> None:
    faults.arm(
        "commit.ref_moved", lambda: plant(store, {"areas/a.html": b"mine\n", "areas/new.html": b"mine\n"})
    )
    done = put(store, {"areas/a.html": b"ours\n", "areas/new.html": b"ours\n"})
    assert done is not None
    assert done.left == ("areas/a.html", "areas/new.html")
    assert (store / "areas/a.html").read_bytes() == b"mine\n"
    assert git(store, "show", "HEAD:areas/new.html") == b"ours\n"
    assert git(store, "diff", "--name-only") == b"areas/a.html\nareas/new.html\n"
    assert git(store, "diff", "--cached", "--name-only") == b""


def test_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepoRequired):
        put(tmp_path, {"areas/new.html": b"x"})


def test_sha256_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "s")
    before = everything(tmp_path)
    with pytest.raises(RepoUnsupported):
        put(tmp_path / "s", {"areas/new.html": b"x"})
    assert everything(tmp_path) == before


def mounted(options: str, folder: Path) -> bool:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


needs_mounts = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root may mount a small file system"
)


def clone_of(store: Path, target: Path) -> Path:
    git(store, "clone", "-q", "--no-hardlinks", str(store), str(target))
    git(target, "config", "gc.auto", "0")
    return target


@needs_mounts
@pytest.mark.parametrize("hooked", [False, True])
def test_a_full_disk_refuses_and_changes_nothing_that_shows(
    store: Path, tmp_path: Path, hooked: bool
) -> None:
    """Filled so that less and less fits: the failure comes earlier and earlier on the way of the commit."""
    mount = tmp_path / "small"
    if not mounted("size=2m", mount):
        pytest.skip("mounting is not allowed here")
    try:
        clone = clone_of(store, mount / "store")
        if hooked:
            hook = clone / ".git/hooks/pre-commit"
            hook.write_text("#!/bin/sh\nexit 0\n")
            hook.chmod(0o755)
        git(clone, "status")
        put(clone, {"areas/warm.html": b"x"})
        before, head = status(clone), git(clone, "rev-parse", "HEAD")
        files = {p: d for p, d in everything(clone).items() if "/.git/" not in p}
        data = os.urandom(60_000)
        outcomes = set()
        for room in range(0, 200_000, 8_192):
            filler = mount / "filler"
            free = os.statvfs(mount)
            filler.write_bytes(b"\0" * max(0, free.f_bavail * free.f_frsize - room))
            try:
                put(clone, {"areas/big.html": data})
            except (StorageFailed, GitFailed) as error:
                outcomes.add(type(error))
                filler.unlink()
                assert git(clone, "rev-parse", "HEAD") == head
                assert status(clone) == before
                assert {p: d for p, d in everything(clone).items() if "/.git/" not in p} == files
                assert not list((clone / ".git").glob("index.*"))
                git(clone, "fsck", "--strict")
            else:
                filler.unlink()
                break
        else:
            pytest.fail("no amount of room was enough")
        assert StorageFailed in outcomes
        assert (clone / "areas/big.html").read_bytes() == data
        assert status(clone) == before
    finally:
        subprocess.run(["umount", str(mount)], check=False)


@needs_mounts
def test_a_read_only_repository_refuses(store: Path, tmp_path: Path) -> None:
    mount = tmp_path / "readonly"
    if not mounted("size=4m", mount):
        pytest.skip("mounting is not allowed here")
    try:
        clone = clone_of(store, mount / "store")
        before = everything(clone)
        subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
        with pytest.raises(MemhtmlError) as caught:
            put(clone, {"areas/new.html": b"x"})
        assert isinstance(caught.value, StorageFailed)
        assert everything(clone) == before
    finally:
        subprocess.run(["umount", str(mount)], check=False)
