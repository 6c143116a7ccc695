"""Whatever the person has staged, edited, moved or left lying about: our commit leaves it byte for byte."""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import plant
from committing import IGNORED, put
from conftest import git
from hypothesis import given, settings
from hypothesis import strategies as st

from memhtml.errors import DirtyTree, PathRefused

EXAMPLES = max(10, settings.get_profile(settings._current_profile or "dev").max_examples // 8)
OURS = ("areas/ours.html", "areas/deep/ours.html", "projects/ours.html")
THEIRS = (
    "areas/x.html",
    "areas/deep/y.html",
    "src/main.c",
    "projects/z.html",
    "top.txt",
    "areas/ours.html.orig",
)
DATA = st.sampled_from([b"", b"one\n", b"two\r\n", b"\0\xff", b"three\n" * 50])


def edit(path: str, data: bytes) -> Callable[[Path], None]:
    return lambda root: plant(root, {path: data})


def quietly(root: Path, *args: str) -> None:
    """Run git where it may well say no."""
    subprocess.run(["git", "-C", str(root), *args], check=False, capture_output=True)


def remove(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink(missing_ok=True)


def run(*args: str) -> Callable[[Path], None]:
    return lambda root: quietly(root, *args)


STEPS = st.one_of(
    st.builds(edit, st.sampled_from(THEIRS), DATA),
    st.builds(remove, st.sampled_from(THEIRS)),
    st.builds(run, st.just("add"), st.just("-A"), st.just("--"), st.sampled_from(THEIRS)),
    st.builds(run, st.just("add"), st.just("-N"), st.just("--"), st.sampled_from(THEIRS)),
    st.builds(run, st.just("mv"), st.just("-f"), st.sampled_from(THEIRS), st.sampled_from(THEIRS)),
    st.builds(run, st.just("rm"), st.just("-qf"), st.just("--cached"), st.sampled_from(THEIRS)),
    st.builds(run, st.just("update-index"), st.just("--chmod=+x"), st.sampled_from(THEIRS)),
    st.builds(run, st.just("update-index"), st.just("--assume-unchanged"), st.sampled_from(THEIRS)),
    st.builds(run, st.just("update-index"), st.just("--skip-worktree"), st.sampled_from(THEIRS)),
    st.builds(run, st.just("update-index"), st.just("--split-index")),
    st.builds(run, st.just("update-index"), st.just("--index-version"), st.sampled_from(["2", "3", "4"])),
    st.just(run("stash", "-q")),
    st.just(run("stash", "pop", "-q")),
    st.just(run("commit", "-qm", "theirs")),
    st.just(run("status")),
)


def state(root: Path) -> tuple[object, ...]:
    """What git and the disk say of everything but our paths."""
    others = [f":(exclude){path}" for path in OURS]
    files = {
        path: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in root.rglob("*")
        if path.is_file()
        and not {".git", ".memhtml"} & set(path.relative_to(root).parts)
        and str(path.relative_to(root)) not in OURS
    }
    return (
        git(root, "status", "--porcelain=v2", "-z", "-uall", "--", ".", *others),
        git(root, "diff", "--cached", "--binary", "--", ".", *others),
        git(root, "diff", "--binary", "--", ".", *others),
        git(root, "ls-files", "-v", "-s", "-z", "--", ".", *others),
        git(root, "stash", "list"),
        files,
    )


# Each example runs some fifty processes.
@settings(settings.get_profile(settings._current_profile or "dev"), max_examples=EXAMPLES)
@pytest.mark.parametrize("hooked", [False, True])
@given(
    steps=st.lists(STEPS, max_size=8),
    files=st.lists(
        st.dictionaries(st.sampled_from(OURS), st.one_of(st.none(), DATA), min_size=1), min_size=1, max_size=3
    ),
)
def test_our_commit_leaves_all_other_work_as_it_was(
    hooked: bool, steps: list[Callable[[Path], None]], files: list[dict[str, bytes | None]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "store")
        root.mkdir()
        git(root, "init", "-q", "-b", "main")
        for key, value in (("gc.auto", "0"), ("maintenance.auto", "false")):
            git(root, "config", key, value)
        if hooked:
            hook = root / ".git/hooks/pre-commit"
            hook.parent.mkdir(exist_ok=True)
            hook.write_text("#!/bin/sh\nexit 0\n")
            hook.chmod(0o755)
        plant(root, {".gitignore": IGNORED, **dict.fromkeys(THEIRS, b"as it was\n"), OURS[0]: b"ours\n"})
        git(root, "add", "-A")
        git(root, "commit", "-qm", "first")
        for step in steps:
            step(root)
        for changes in files:
            head, before = git(root, "rev-parse", "HEAD"), state(root)
            try:
                done = put(root, changes)
            except (DirtyTree, PathRefused):
                done = None
            assert state(root) == before
            if done is None:
                assert git(root, "rev-parse", "HEAD") == head
                continue
            changed = git(root, "diff-tree", "-r", "-z", "--name-only", "HEAD~1", "HEAD").split(b"\0")[:-1]
            assert [path.decode() for path in changed] == list(done.paths)
            assert set(done.paths) <= set(changes)
            assert git(root, "status", "--porcelain=v2", "-z", "--", *done.paths) == b""
        git(root, "fsck", "--strict", "--no-dangling")
