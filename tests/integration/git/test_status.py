"""What the work tree has that HEAD has not, whatever git's configuration says about showing it."""

import os
from pathlib import Path

import pytest
from builders import memory, plant
from conftest import git

from memhtml.errors import GitFailed
from memhtml.git.read import EntryKind, WorktreeKind, open_reader

PRESENT, ABSENT, UNMERGED = WorktreeKind.PRESENT, WorktreeKind.ABSENT, WorktreeKind.UNMERGED


@pytest.fixture
def store(repo: Path) -> Path:
    """A repository with three committed memories."""
    plant(repo, {f"areas/{name}.html": memory(f"Fact {name}.") for name in "abc"})
    save(repo)
    return repo


def save(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a commit")


def status(root: Path) -> dict[str, WorktreeKind]:
    return {change.path: change.kind for change in open_reader(root).status()}


def test_a_clean_work_tree_differs_in_nothing(store: Path) -> None:
    assert status(store) == {}


def test_edits_additions_and_deletions_are_seen_staged_or_not(store: Path) -> None:
    plant(store, {"areas/a.html": b"edited", "areas/new.html": b"untracked", "areas/staged.html": b"staged"})
    (store / "areas/b.html").unlink()
    git(store, "add", "areas/staged.html")
    git(store, "rm", "-q", "areas/c.html")
    assert status(store) == {
        "areas/a.html": PRESENT,
        "areas/b.html": ABSENT,
        "areas/c.html": ABSENT,
        "areas/new.html": PRESENT,
        "areas/staged.html": PRESENT,
    }


def test_only_candidates_of_the_store_are_reported(store: Path) -> None:
    plant(store, {
        "README.html": b"x", "areas/index.html": b"x", "areas/notes.txt": b"x", ".memhtml/areas/x.html": b"x",
        "areas/deep/er/x.html": b"x",
    })  # fmt: skip
    assert status(store) == {"areas/deep/er/x.html": PRESENT}


def test_files_inside_new_folders_are_listed_one_by_one(store: Path) -> None:
    plant(store, {"projects/new/one.html": b"1", "projects/new/deep/two.html": b"2"})
    assert status(store) == {"projects/new/deep/two.html": PRESENT, "projects/new/one.html": PRESENT}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status.showUntrackedFiles", "no"),
        ("status.renames", "copies"),
        ("diff.renames", "copies"),
        ("core.quotePath", "true"),
        ("core.fsmonitor", "true"),
        ("core.untrackedCache", "true"),
        ("status.relativePaths", "true"),
        ("status.branch", "true"),
        ("status.showStash", "true"),
        ("status.short", "true"),
        ("status.submoduleSummary", "true"),
        ("color.status", "always"),
        ("feature.manyFiles", "true"),
        ("index.sparse", "true"),
    ],
)
def test_the_users_configuration_bends_nothing(store: Path, key: str, value: str) -> None:
    plant(store, {"areas/a.html": b"stashed"})
    git(store, "stash", "-q")
    git(store, "config", key, value)
    git(store, "mv", "areas/b.html", "areas/é moved.html")
    plant(store, {"areas/new/x.html": b"x"})
    assert status(store) == {
        "areas/b.html": ABSENT,
        "areas/new/x.html": PRESENT,
        "areas/é moved.html": PRESENT,
    }


def test_a_staged_rename_is_an_absent_source_and_a_present_destination(store: Path) -> None:
    git(store, "mv", "areas/a.html", "projects.html")
    git(store, "mv", "areas/b.html", "areas/moved.html")
    assert status(store) == {"areas/a.html": ABSENT, "areas/b.html": ABSENT, "areas/moved.html": PRESENT}


def test_a_file_that_left_the_index_and_stayed_on_disk_is_present(store: Path) -> None:
    git(store, "rm", "-q", "--cached", "areas/a.html")
    assert status(store) == {"areas/a.html": PRESENT}


def test_a_file_staged_and_then_deleted_is_absent(store: Path) -> None:
    plant(store, {"areas/new.html": b"x"})
    git(store, "add", "areas/new.html")
    (store / "areas/new.html").unlink()
    assert status(store) == {"areas/new.html": ABSENT}


def test_a_file_that_was_only_announced_to_the_index_is_present(store: Path) -> None:
    plant(store, {"areas/new.html": b"x"})
    git(store, "add", "-N", "areas/new.html")
    assert status(store) == {"areas/new.html": PRESENT}


def test_ignored_files_are_left_out(store: Path) -> None:
    plant(
        store,
        {
            ".gitignore": b"*.draft.html\n/areas/private/\n",
            "areas/x.draft.html": b"x",
            "areas/private/y.html": b"y",
        },
    )
    assert status(store) == {}


def test_a_conflicting_merge_leaves_unmerged_paths(store: Path) -> None:
    git(store, "checkout", "-q", "-b", "side")
    plant(
        store, {"areas/a.html": b"theirs\n", "areas/clean.html": b"merges\n", "areas/both.html": b"theirs\n"}
    )
    git(store, "rm", "-q", "areas/b.html")
    save(store)
    git(store, "checkout", "-q", "main")
    plant(store, {"areas/a.html": b"ours\n", "areas/b.html": b"ours\n", "areas/both.html": b"ours\n"})
    save(store)
    with pytest.raises(AssertionError):
        git(store, "merge", "side")
    assert status(store) == {
        "areas/a.html": UNMERGED,
        "areas/b.html": UNMERGED,
        "areas/both.html": UNMERGED,
        "areas/clean.html": PRESENT,
    }


def test_links_are_reported_as_links_tracked_or_not(store: Path) -> None:
    (store / "areas/a.html").unlink()
    (store / "areas/a.html").symlink_to("b.html")
    (store / "areas/new.html").symlink_to("/etc/passwd")
    assert [(change.path, change.kind, change.entry_kind) for change in open_reader(store).status()] == [
        ("areas/a.html", PRESENT, EntryKind.SYMLINK),
        ("areas/new.html", PRESENT, EntryKind.SYMLINK),
    ]


def test_a_folder_that_became_a_link_hides_its_files(store: Path, tmp_path: Path) -> None:
    plant(store, {"areas/sub/x.html": b"x"})
    save(store)
    (store / "areas/sub").rename(tmp_path / "elsewhere")
    (store / "areas/sub").symlink_to(tmp_path / "elsewhere")
    assert status(store) == {"areas/sub/x.html": ABSENT}


def test_a_file_that_became_a_folder_is_absent_and_its_new_files_are_present(store: Path) -> None:
    (store / "areas/a.html").unlink()
    plant(store, {"areas/a.html/x.html": b"x"})
    assert status(store) == {"areas/a.html": ABSENT, "areas/a.html/x.html": PRESENT}


def test_submodules_and_repositories_inside_are_no_files_of_the_store(store: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "other")
    plant(tmp_path / "other", {"areas/inner.html": b"x"})
    save(tmp_path / "other")
    git(
        store,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(tmp_path / "other"),
        "areas/module.html",
    )
    git(store, "clone", "-q", str(tmp_path / "other"), "areas/nested")
    plant(store, {"areas/module.html/areas/inner.html": b"edited inside"})
    assert [(change.path, change.entry_kind) for change in open_reader(store).status()] == [
        ("areas/module.html", EntryKind.SUBMODULE)
    ]
    save(store)
    assert status(store) == {}


def test_files_outside_a_sparse_checkout_are_not_deleted(store: Path) -> None:
    plant(store, {"archive/2026/old.html": b"old", "projects/p.html": b"p"})
    save(store)
    for sparse_index in ("--no-sparse-index", "--sparse-index"):
        git(store, "sparse-checkout", "set", "--cone", sparse_index, "areas")
        assert not (store / "archive").exists()
        plant(store, {"areas/a.html": b"edited"})
        assert status(store) == {"areas/a.html": PRESENT}


def test_a_store_in_a_folder_sees_only_its_own_changes(repo: Path) -> None:
    plant(repo, {"sub [x]*/areas/a.html": b"a", "areas/outer.html": b"o", "sub x/areas/z.html": b"z"})
    save(repo)
    plant(
        repo,
        {"sub [x]*/areas/a.html": b"edited", "areas/outer.html": b"edited", "sub x/areas/z.html": b"edited"},
    )
    assert status(repo / "sub [x]*") == {"areas/a.html": PRESENT}


def test_names_of_every_kind_come_back_as_they_are(store: Path) -> None:
    names = [
        "areas/two words.html",
        'areas/"q".html',
        "areas/new\nline.html",
        "areas/日本語 🧠.html",
        "areas/-r.html",
    ]
    plant(store, dict.fromkeys(names, b"x"))
    assert list(status(store)) == sorted(names, key=str.encode)


def test_a_name_that_is_no_text_is_shown_and_marked(store: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(store) + b"/areas/caf\xe9.html")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system holds only text names")
    (change,) = open_reader(store).status()
    assert (change.path, change.kind, change.entry_kind) == (
        "areas//caf\\xe9.html",
        PRESENT,
        EntryKind.BAD_PATH,
    )


def test_reading_the_status_writes_nothing_and_waits_for_no_lock(store: Path) -> None:
    plant(store, {"areas/a.html": b"edited"})
    (store / ".git/index.lock").write_bytes(b"")
    before = (store / ".git/index").read_bytes()
    assert status(store) == {"areas/a.html": PRESENT}
    assert (store / ".git/index").read_bytes() == before


def test_a_repository_without_a_commit_has_only_new_files(repo: Path) -> None:
    plant(repo, {"areas/a.html": b"a", "areas/b.html": b"b"})
    git(repo, "add", "areas/a.html")
    assert status(repo) == {"areas/a.html": PRESENT, "areas/b.html": PRESENT}


def lock_behind_filter(root: Path, name: str) -> None:
    """Make git need a filter that does not work, to tell whether a file differs."""
    plant(root, {".gitattributes": f"*.html filter={name}\n".encode()})
    save(root)
    git(root, "config", f"filter.{name}.clean", "no-such-program-anywhere")
    git(root, "config", f"filter.{name}.required", "true")
    path = root / "areas/a.html"
    path.write_bytes(bytes(reversed(path.read_bytes())))  # of the same size, so that only the bytes can tell


@pytest.mark.parametrize(
    ("name", "cure"), [("vault", "filter"), ("git-crypt", "git-crypt unlock"), ("lfs", "git lfs install")]
)
def test_a_required_filter_that_fails_is_named_with_its_cure(store: Path, name: str, cure: str) -> None:
    lock_behind_filter(store, name)
    with pytest.raises(GitFailed) as failed:
        status(store)
    assert f"“{name}”" in failed.value.message
    assert cure in failed.value.message
    assert "no-such-program" not in failed.value.message
    assert "memhtml index update --committed" in failed.value.hints


@pytest.mark.parametrize("damage", [b"DIRC", b"nonsense" * 20, b"DIRC\0\0\0\x63" + b"\0" * 40])
def test_a_damaged_index_of_git_is_named_with_its_cure(store: Path, damage: bytes) -> None:
    (store / ".git/index").write_bytes(damage)
    with pytest.raises(GitFailed, match="git reset"):
        status(store)


def test_a_broken_configuration_of_git_is_named(store: Path) -> None:
    reader = open_reader(store)
    with (store / ".git/config").open("a") as config:
        config.write("[broken\n")
    with pytest.raises(GitFailed, match="configuration"):
        reader.status()
