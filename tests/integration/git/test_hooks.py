"""Hooks are put beside those of the person, do what they say, and go again without a trace."""

import subprocess
import sys
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import memhtml
from conftest import git

from memhtml.app.hooking import install_hooks, uninstall_hooks
from memhtml.app.setup import init
from memhtml.app.staged import check_staged
from memhtml.app.wire import Store, open_store
from memhtml.errors import PathRefused, RepoUnsupported
from memhtml.git.commit import CommitRequest, commit
from memhtml.git.discover import find_repository
from memhtml.git.hooks import ASIDE, HOOKS
from memhtml.git.process import start
from memhtml.git.writer import read_writer

BAD = b"<p>no memory"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(init(tmp_path / "store").root)


def put(hook: Path, text: str) -> None:
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(text)
    hook.chmod(0o755)


def tries_to_commit(root: Path, *arguments: str) -> tuple[int, str]:
    done = start(find_repository(root), "commit", "-qm", "mine", *arguments, options=())
    return done.returncode, (done.stdout + done.stderr).decode()


def test_a_commit_of_a_bad_memory_is_refused_with_its_finding_and_a_good_one_passes(store: Store) -> None:
    install_hooks(store)
    plant(store.root, {"areas/bad.html": BAD, "areas/good.html": memory("Good.")})
    git(store.root, "add", "areas")
    status, said = tries_to_commit(store.root)
    assert status == 1
    assert "FORMAT_VIOLATION" in said
    git(store.root, "rm", "-qf", "--cached", "areas/bad.html")
    assert tries_to_commit(store.root) == (0, "")


def test_what_is_checked_is_what_is_committed_and_not_what_stands_on_disk(store: Store) -> None:
    install_hooks(store)
    plant(store.root, {"areas/a.html": BAD, "areas/b.html": memory("B.")})
    git(store.root, "add", "areas")
    plant(store.root, {"areas/a.html": memory("A.")})
    assert tries_to_commit(store.root)[0] == 1
    assert tries_to_commit(store.root, "areas/b.html")[0] == 0
    assert tries_to_commit(store.root, "-a")[0] == 0


def test_a_secret_a_database_and_an_overlooked_page_are_found_before_they_are_committed(store: Store) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    plant(
        store.root,
        {
            "areas/note.txt": f"token {token}\n".encode(),
            ".memhtml/index.db-wal": b"x",
            "areas/page.htm": b"x",
            "elsewhere/x.html": BAD,
        },
    )
    git(store.root, "add", "-f", ".")
    found = sorted(f.code for f in check_staged(store.root).findings)
    assert found == ["DATABASE_TRACKED", "PATH_OVERLOOKED", "SECRET_FOUND"]


def test_the_index_follows_a_merge_a_checkout_and_an_amended_commit(store: Store) -> None:
    root = store.root
    assert memhtml("index", "rebuild", "--repo", str(root)).status == 0
    install_hooks(store)

    def is_fresh() -> bool:
        return bool(memhtml("index", "status", "--repo", str(root)).data["fresh"])

    git(root, "checkout", "-qb", "side")
    plant(root, {"areas/side.html": memory("Side.")})
    git(root, "add", "areas")
    git(root, "commit", "-qm", "side")
    git(root, "commit", "-q", "--amend", "-m", "side again")
    assert is_fresh()
    git(root, "checkout", "-q", "main")
    assert is_fresh()
    git(root, "merge", "-q", "side")
    assert is_fresh()


def test_commits_of_our_own_need_no_hook_and_do_not_run_one(store: Store) -> None:
    install_hooks(store)
    location = find_repository(store.root)
    assert read_writer(location).has_hooks is False
    for name in HOOKS:
        hook = store.root / ".git" / "hooks" / name
        hook.write_text(hook.read_text() + "touch ran\nexit 1\n")
        assert start(location, "hook", "run", name, extra={"MEMHTML_WRITING": "1"}).returncode == 0
    assert not (store.root / "ran").exists()


def test_a_hook_that_was_there_runs_first_and_comes_back(store: Store) -> None:
    hook = store.root / ".git" / "hooks" / "pre-commit"
    own = "#!/bin/sh\necho mine >> ran\n[ ! -e refuse ]\n"
    put(hook, own)
    assert install_hooks(store).chained == ("pre-commit",)
    assert install_hooks(store).chained == ("pre-commit",)
    plant(store.root, {"areas/a.html": memory("A.")})
    git(store.root, "add", "areas")
    (store.root / "refuse").touch()
    assert tries_to_commit(store.root)[0] == 1
    (store.root / "refuse").unlink()
    assert tries_to_commit(store.root)[0] == 0
    commit(store.root, CommitRequest({"areas/b.html": memory("B.")}, "ours"))
    assert (store.root / "ran").read_text() == "mine\n" * 3
    assert uninstall_hooks(store).restored == ("pre-commit",)
    assert hook.read_text() == own
    assert sorted(p.name for p in hook.parent.iterdir() if p.suffix != ".sample") == ["pre-commit"]


def test_installing_twice_changes_nothing_and_uninstalling_leaves_hooks_of_others_alone(store: Store) -> None:
    folder = store.root / ".git" / "hooks"
    install_hooks(store)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    install_hooks(store)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    put(folder / "post-merge", "#!/bin/sh\n")
    assert uninstall_hooks(store).removed == ("pre-commit", "post-checkout", "post-rewrite")
    assert (folder / "post-merge").exists()
    assert uninstall_hooks(store).removed == ()


def test_nothing_is_installed_where_a_hook_could_not_be_kept(store: Store) -> None:
    folder = store.root / ".git" / "hooks"
    put(folder / "post-rewrite", "#!/bin/sh\n")
    put(folder / f"post-rewrite{ASIDE}", "#!/bin/sh\n")
    with pytest.raises(PathRefused):
        install_hooks(store)
    assert not (folder / "pre-commit").exists()


def test_hooks_that_are_kept_elsewhere_are_left_alone(store: Store, tmp_path: Path) -> None:
    git(store.root, "config", "core.hooksPath", str(tmp_path))
    with pytest.raises(PathRefused):
        install_hooks(store)
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(RepoUnsupported):
        install_hooks(open_store(tmp_path / "bare.git"))


def test_a_store_in_a_folder_with_a_difficult_name_is_checked_and_a_second_one_refused(repo: Path) -> None:
    root = repo / ".it's a $HOME"
    plant(root, {"areas/a.html": BAD})
    plant(repo, {"other/areas/a.html": BAD, "areas/a.html": BAD})
    git(repo, "add", "other", "areas")
    install_hooks(open_store(root))
    assert tries_to_commit(repo)[0] == 0
    git(repo, "add", ".")
    status, said = tries_to_commit(repo)
    assert status == 1
    assert "areas/a.html" in said
    with pytest.raises(PathRefused):
        install_hooks(open_store(repo / "other"))
    assert uninstall_hooks(open_store(repo / "other")).removed == ()


def test_a_worktree_and_a_program_that_is_gone_are_no_obstacle(store: Store, tmp_path: Path) -> None:
    install_hooks(store)
    git(store.root, "worktree", "add", "-q", str(tmp_path / "tree"))
    plant(tmp_path / "tree", {"areas/bad.html": BAD})
    git(tmp_path / "tree", "add", "areas")
    assert tries_to_commit(tmp_path / "tree")[0] == 1
    hook = store.root / ".git" / "hooks" / "pre-commit"
    text = hook.read_text()
    gone = text.replace("command -v memhtml", "command -v no-such-memhtml")
    program = next(line for line in text.splitlines() if line.startswith("if [ -x "))
    hook.write_text(gone.replace(program, "if [ -x /no/such/program ]; then"))
    status, said = tries_to_commit(tmp_path / "tree")
    assert status == 0
    assert "not installed" in said


def test_the_commands_say_what_they_did(store: Store) -> None:
    at = ("--repo", str(store.root))
    ran = memhtml("hooks", "install", *at)
    assert (ran.envelope["type"], ran.data["hooks"]) == ("hooks.report", list(HOOKS))
    assert memhtml("hooks", "uninstall", *at).data["removed"] == list(HOOKS)
    assert memhtml("doctor", "--staged", "--fix", *at).status == 2


def test_the_module_ends_with_the_status_of_the_command(store: Store) -> None:
    done = subprocess.run([sys.executable, "-m", "memhtml", "no-such"], capture_output=True, check=False)
    assert done.returncode == 2
