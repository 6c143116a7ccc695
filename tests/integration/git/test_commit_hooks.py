"""Hooks, signatures and templates of the repository: git's own, on our commits too."""

import os
import time
from pathlib import Path

import pytest
from builders import plant
from committing import IGNORED, everything, names, put, status
from conftest import git

from memhtml import faults
from memhtml.errors import GitFailed
from memhtml.git.commit import CommitRequest, commit
from memhtml.git.writer import OWN_HOOK


@pytest.fixture
def store(repo: Path) -> Path:
    """A store with a commit, and with staged, dirty and untracked work of the person's."""
    plant(repo, {".gitignore": IGNORED, "areas/a.html": b"a\n", "areas/b.html": b"b\n", "dirty.txt": b"1"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    plant(repo, {"dirty.txt": b"2", "staged.txt": b"s", "loose.txt": b"l"})
    git(repo, "add", "staged.txt")
    return repo


def hook(store: Path, name: str, words: str, folder: str = ".git/hooks") -> Path:
    path = store / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{words}\n")
    path.chmod(0o755)
    return path


def visible(store: Path) -> dict[str, bytes | str]:
    """Everything but objects and what git writes down about its last commit."""
    return {
        path: data
        for path, data in everything(store).items()
        if "/.git/objects/" not in path and "COMMIT_EDITMSG" not in path
    }


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg", "reference-transaction"])
def test_a_hook_that_says_no_is_heard_and_leaves_nothing_behind(store: Path, name: str) -> None:
    hook(store, name, "echo 'not on' >&2; echo '  my watch' >&2; exit 1")
    before = visible(store)
    inode = (store / "areas/a.html").stat().st_ino, (store / "areas/a.html").stat().st_mtime_ns
    with pytest.raises(GitFailed, match="not on my watch"):
        put(store, {"areas/a.html": b"A\n", "areas/b.html": None, "projects/deep/new.html": b"n\n"})
    assert visible(store) == before
    assert ((store / "areas/a.html").stat().st_ino, (store / "areas/a.html").stat().st_mtime_ns) == inode
    git(store, "fsck", "--strict")


def test_a_hook_sees_our_files_in_the_index_and_in_the_tree_and_nothing_else_staged(store: Path) -> None:
    hook(
        store,
        "pre-commit",
        "(git diff --cached --name-only; cat areas/new.html; ls areas; git diff --name-only) > ../seen",
    )
    put(store, {"areas/new.html": b"new\n", "areas/b.html": None})
    assert (store / "../seen").read_text().split() == [
        *("areas/b.html", "areas/new.html", "new", "a.html", "new.html", "dirty.txt"),
    ]


def test_pathspecs_and_variables_of_hooks_are_gits_own(store: Path) -> None:
    hook(store, "pre-commit", "git diff --cached --name-only -- '*.html' > ../seen; env > ../env")
    put(store, {"areas/new.html": b"new\n"})
    assert (store / "../seen").read_text() == "areas/new.html\n"
    environment = (store / "../env").read_text()
    assert "MEMHTML_WRITING=1" in environment
    assert "GIT_LITERAL_PATHSPECS" not in environment


def test_hooks_that_agree_run_in_turn_and_may_change_the_message(store: Path) -> None:
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"):
        hook(store, name, f"echo {name} >> ../ran")
    hook(store, "commit-msg", 'echo commit-msg >> ../ran; echo "Signed-off-by: H <h@x>" >> "$1"')
    before = status(store)
    done = commit(
        store,
        CommitRequest(
            {"areas/new.html": b"x"}, "memhtml(write): x", trailers=(("Memhtml-Session", "s"),), body="# why"
        ),
    )
    assert done is not None
    assert (store / "../ran").read_text().split() == [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
    ]
    assert git(store, "log", "-1", "--format=%B") == (
        b"memhtml(write): x\n\n  # why\n\nMemhtml-Session: s\nSigned-off-by: H <h@x>\n\n"
    )
    assert names(store) == [b"areas/new.html"]
    assert status(store) == before
    assert git(store, "rev-parse", "HEAD").decode().strip() == done.sha


def test_what_a_hook_makes_of_our_file_is_committed_and_stands_in_the_tree(store: Path) -> None:
    hook(store, "pre-commit", "sed -i s/new/NEW/ areas/new.html; git add areas/new.html")
    before = status(store)
    done = put(store, {"areas/new.html": b"new\n"})
    assert done is not None
    assert git(store, "show", "HEAD:areas/new.html") == b"NEW\n"
    assert (store / "areas/new.html").read_bytes() == b"NEW\n"
    assert status(store) == before


def test_what_a_hook_makes_of_our_file_in_the_index_alone_reaches_the_tree(store: Path) -> None:
    hook(
        store,
        "pre-commit",
        "sha=$(echo other | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$sha,areas/new.html",
    )
    before = status(store)
    put(store, {"areas/new.html": b"new\n"})
    assert (store / "areas/new.html").read_bytes() == b"other\n"
    assert status(store) == before


def test_what_a_hook_adds_is_part_of_the_commit(store: Path) -> None:
    hook(store, "pre-commit", "echo list > list.txt; echo l >> areas/b.html; git add list.txt areas/b.html")
    before = status(store)
    done = put(store, {"areas/new.html": b"new\n"})
    assert done is not None
    assert done.paths == ("areas/b.html", "areas/new.html", "list.txt")
    assert status(store) == before


def test_what_a_hook_adds_over_staged_work_leaves_that_staged(store: Path) -> None:
    hook(
        store,
        "pre-commit",
        "sha=$(echo hook | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$sha,staged.txt",
    )
    done = put(store, {"areas/new.html": b"new\n"})
    assert done is not None
    assert done.left == ("staged.txt",)
    assert git(store, "show", ":staged.txt") == b"s"
    assert (store / "staged.txt").read_bytes() == b"s"
    assert git(store, "show", "HEAD:staged.txt") == b"hook\n"


def test_a_hook_that_takes_our_change_out_again_made_no_commit_of_ours(store: Path) -> None:
    hook(store, "pre-commit", "git reset -q -- areas/new.html")
    before = {path: data for path, data in visible(store).items() if "/.git/logs/" not in path}
    with pytest.raises(GitFailed, match="took our files out"):
        put(store, {"areas/new.html": b"new\n", "areas/a.html": b"A\n"})
    assert {path: data for path, data in visible(store).items() if "/.git/logs/" not in path} == before


def test_a_file_that_a_refusing_hook_rewrote_is_kept_aside(store: Path) -> None:
    """Formatters rewrite and refuse: the tree is as it was, and what they made of it is not lost."""
    hook(
        store,
        "pre-commit",
        "sed -i s/new/NEW/ areas/new.html; sed -i s/A/AA/ areas/a.html; rm -f areas/c.html; exit 1",
    )
    before = visible(store)
    with pytest.raises(GitFailed, match=r"commit-[0-9-]+\.tmp/changed") as caught:
        put(store, {"areas/new.html": b"new\n", "areas/a.html": b"A\n", "areas/c.html": b"c"})
    after = visible(store)
    kept = {
        path.rpartition("/changed/")[2]: data
        for path, data in after.items()
        if "/changed/" in path and data != "folder"
    }
    assert kept == {"areas/new.html": b"NEW\n", "areas/a.html": b"AA\n"}
    assert {path: data for path, data in after.items() if "/.memhtml/" not in path} == before
    assert caught.value.operation == "commit"


def test_a_post_commit_hook_may_put_commits_of_its_own_on_ours(store: Path) -> None:
    hook(
        store,
        "post-commit",
        "[ -e ../once ] && exit 0; touch ../once; echo more > more.txt; git add more.txt; git commit -qm theirs",
    )
    before = status(store)
    done = put(store, {"areas/new.html": b"new\n"})
    assert done is not None
    assert git(store, "log", "--format=%s") == b"theirs\nmemhtml(test): files\nfirst\n"
    assert status(store) == before


def test_a_post_commit_hook_may_amend(store: Path) -> None:
    hook(store, "post-commit", "[ -e ../once ] && exit 0; touch ../once; git commit -q --amend -m amended")
    before = status(store)
    done = put(store, {"areas/new.html": b"new\n"})
    assert done is not None
    assert git(store, "log", "--format=%s") == b"amended\nfirst\n"
    assert status(store) == before


def test_a_hook_that_moves_the_branch_makes_us_try_again(store: Path) -> None:
    hook(
        store,
        "pre-commit",
        "[ -e ../once ] && exit 0; touch ../once; git update-ref HEAD $(git commit-tree HEAD^{tree} -p HEAD -m theirs)",
    )
    before = status(store)
    done = put(store, {"areas/new.html": b"new\n"})
    assert done is not None
    assert git(store, "log", "--format=%s") == b"memhtml(test): files\ntheirs\nfirst\n"
    assert status(store) == before


def test_a_commit_that_git_made_on_a_later_head_is_withdrawn_and_made_anew(store: Path) -> None:
    """The branch moves after our last look and before git's first: git would commit our old tree on the new HEAD."""
    hook(store, "post-commit", "exit 0")
    raced: list[bool] = []

    def race() -> None:
        if not raced:
            raced.append(True)
            blob = git(store, "hash-object", "-w", "--stdin", stdin=b"theirs\n").decode().strip()
            listed = git(store, "ls-tree", "HEAD") + f"100644 blob {blob}\ttheirs.html\n".encode()
            tree = git(store, "mktree", stdin=listed).decode().strip()
            made = git(store, "commit-tree", tree, "-p", "HEAD", "-m", "theirs").decode().strip()
            git(store, "update-ref", "refs/heads/main", made)

    faults.arm("commit.file_placed", race)
    done = put(store, {"areas/new.html": b"new\n"})
    assert done is not None
    assert git(store, "log", "--format=%s") == b"memhtml(test): files\ntheirs\nfirst\n"
    assert git(store, "show", "HEAD:theirs.html") == b"theirs\n"


def test_a_folder_of_hooks_is_found_where_git_finds_it(store: Path, tmp_path: Path) -> None:
    for place, folder in (("hooks-here", "hooks-here"), (str(tmp_path / "abs"), "../abs")):
        git(store, "config", "core.hooksPath", place)
        hook(store, "pre-commit", "echo no; exit 1", folder)
        with pytest.raises(GitFailed, match="no"):
            put(store, {"areas/new.html": b"x"})
    git(store, "config", "core.hooksPath", "/dev/null")
    hook(store, "pre-commit", "exit 1")
    assert put(store, {"areas/new.html": b"x"}) is not None


def test_hooks_that_git_would_not_run_do_not_count(store: Path) -> None:
    hook(store, "pre-commit", "exit 1").chmod(0o644)
    hook(store, "pre-commit.sample", "exit 1")
    (store / ".git/hooks/commit-msg").mkdir()
    assert put(store, {"areas/new.html": b"x"}) is not None


def test_a_hook_that_is_ours_alone_is_not_even_started(store: Path) -> None:
    hook(store, "pre-commit", f"{OWN_HOOK.decode()}\necho started > ../started\nexit 1")
    assert put(store, {"areas/new.html": b"x"}) is not None
    assert not (store / "../started").exists()


def test_a_process_that_a_hook_leaves_behind_does_not_keep_us(store: Path) -> None:
    hook(store, "post-commit", "sleep 30 &")
    started = time.monotonic()
    assert put(store, {"areas/new.html": b"x"}) is not None
    assert time.monotonic() - started < 20
    assert put(store, {"areas/next.html": b"x"}) is not None


def fake_gpg(store: Path, words: str) -> None:
    program = hook(store, "gpg", words, "../bin")
    git(store, "config", "gpg.program", str(program))
    git(store, "config", "commit.gpgsign", "true")


SIGNS = """cat > /dev/null
echo "-----BEGIN PGP SIGNATURE-----"; echo; echo fake; echo "-----END PGP SIGNATURE-----"
echo "[GNUPG:] SIG_CREATED D 1 2 00 1 x" >&2"""


@pytest.mark.parametrize("hooked", [False, True])
def test_commits_are_signed_where_that_is_asked_for(store: Path, hooked: bool) -> None:
    fake_gpg(store, SIGNS)
    if hooked:
        hook(store, "pre-commit", "exit 0")
    before = status(store)
    assert put(store, {"areas/new.html": b"x"}) is not None
    assert b"gpgsig -----BEGIN PGP SIGNATURE-----" in git(store, "cat-file", "commit", "HEAD")
    assert status(store) == before


def test_a_bare_repository_signs_too(store: Path, tmp_path: Path) -> None:
    git(store, "clone", "-q", "--bare", str(store), str(tmp_path / "bare.git"))
    fake_gpg(tmp_path / "bare.git", SIGNS)
    hook(tmp_path / "bare.git", "pre-commit", "exit 1", "hooks")  # git runs it in no bare repository
    assert put(tmp_path / "bare.git", {"areas/new.html": b"x"}) is not None
    assert b"gpgsig" in git(tmp_path / "bare.git", "cat-file", "commit", "HEAD")


@pytest.mark.parametrize("hooked", [False, True])
def test_a_signature_that_fails_refuses_the_commit(store: Path, hooked: bool) -> None:
    fake_gpg(store, "cat > /dev/null; exit 2")
    if hooked:
        hook(store, "pre-commit", "exit 0")
    before = visible(store)
    with pytest.raises(GitFailed, match="commit"):
        put(store, {"areas/new.html": b"x"})
    assert visible(store) == before


def test_settings_of_the_person_do_not_bend_our_message(store: Path) -> None:
    hook(store, "pre-commit", "exit 0")
    (store / "../template").write_text("TEMPLATE\n")
    for key, value in (
        ("commit.template", str(store / "../template")),
        ("commit.cleanup", "strip"),
        ("commit.verbose", "true"),
        ("core.commentChar", "m"),
        ("i18n.commitEncoding", "ISO-8859-1"),
        ("core.editor", "false"),
    ):
        git(store, "config", key, value)
    commit(store, CommitRequest({"areas/new.html": b"x"}, "memhtml(write): caf\u00e9", body="m kept\n# kept"))
    shown = git(store, "cat-file", "commit", "HEAD").partition(b"\n\n")
    assert shown[2] == "memhtml(write): caf\u00e9\n\n  m kept\n  # kept\n".encode()
    assert b"encoding" not in shown[0]


def test_the_first_commit_may_have_hooks(repo: Path) -> None:
    hook(repo, "pre-commit", "exit 0")
    done = put(repo, {"areas/new.html": b"x", ".gitignore": IGNORED})
    assert done is not None
    assert done.parent is None
    assert status(repo) == b""
    hook(repo, "pre-commit", "exit 1")
    before = visible(repo)
    with pytest.raises(GitFailed):
        put(repo, {"areas/newer.html": b"x"})
    assert visible(repo) == before


def test_hooks_in_a_folder_of_a_repository_run_at_its_top(store: Path) -> None:
    hook(store, "pre-commit", "pwd > ../where; git diff --cached --name-only >> ../where")
    put(store / "areas", {"projects/new.html": b"x"})
    assert (store / "../where").read_text().split() == [os.path.realpath(store), "areas/projects/new.html"]
