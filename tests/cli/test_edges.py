"""Calls from bad places: words that are no text, folders that are gone, stores that a flag names; ends by signals."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from builders import memory, plant
from cli.processes import PROGRAM, child_environment, memhtml, memhtml_on_a_terminal
from conftest import git

BYTES = b"\xff\xfe".decode("utf-8", "surrogateescape")


@pytest.fixture
def store(repo: Path) -> Path:
    """A store with one memory and its index."""
    plant(repo, {".gitignore": b".memhtml/\n", "areas/bee.html": memory("The bee hums.")})
    git(repo, "add", "--all")
    git(repo, "commit", "-q", "-m", "bee")
    assert memhtml("index", "rebuild", "--repo", str(repo)).status == 0
    return repo


@pytest.mark.parametrize(
    "words",
    [
        ("search", BYTES),
        ("search", "bee", BYTES),
        ("search", "bee", "--tag", BYTES),
        ("search", "bee", f"--workspace={BYTES}"),
        ("list", "--cursor", BYTES),
        ("list", "--as-of", BYTES),
        ("entity", "activity", "--type", BYTES),
        ("read", "areas/bee.html", "--session-id", BYTES),
        ("completion", BYTES),
        ("help", BYTES),
        (BYTES,),
        (f"--{BYTES}",),
    ],
)
def test_words_that_are_not_utf8_are_a_wrong_call(store: Path, words: tuple[str, ...]) -> None:
    ran = memhtml(*words, cwd=store)
    assert ran.status == 2, ran.envelope
    assert ran.envelope["code"] in ("ERR_INVALID_FLAG", "ERR_UNKNOWN_COMMAND")
    assert ran.stderr == b""


def test_a_memory_whose_name_is_not_utf8_is_not_found(store: Path) -> None:
    ran = memhtml("read", f"areas/{BYTES}.html", cwd=store)
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_PATH_NOT_FOUND")


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
def test_a_store_may_stand_in_a_folder_whose_name_is_not_utf8(store: Path) -> None:
    odd = store.parent / f"odd{BYTES}"
    store.rename(odd)
    assert memhtml("search", "bee", "--repo", str(odd)).status == 0
    assert memhtml("status", "--repo", str(odd)).status == 0


@pytest.fixture
def gone(tmp_path: Path) -> Path:
    """A folder to start in that the child's shell removes first."""
    folder = tmp_path / "gone"
    folder.mkdir()
    return folder


def from_gone(
    gone: Path, *words: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    script = 'rmdir "$1"; shift; exec "$@"'
    return subprocess.run(
        ["bash", "-c", script, "bash", str(gone), PROGRAM, *words, "--dense"],
        cwd=gone,
        capture_output=True,
        check=False,
        env=child_environment(env),
    )


@pytest.mark.parametrize(
    "words", [("search", "bee"), ("status",), ("index", "update"), ("doctor",), ("list",)]
)
@pytest.mark.parametrize("by_flag", [True, False])
def test_a_named_store_needs_no_current_folder(
    store: Path, gone: Path, words: tuple[str, ...], by_flag: bool
) -> None:
    named = ("--repo", str(store)) if by_flag else ()
    done = from_gone(gone, *words, *named, env={} if by_flag else {"MEMHTML_ROOT": str(store)})
    assert (done.returncode, done.stderr) == (0, b""), done.stdout


@pytest.mark.parametrize(
    "words", [("status",), ("status", "--repo", "relative"), ("init", "relative"), ("init",)]
)
def test_without_a_current_folder_a_relative_one_is_a_wrong_call(gone: Path, words: tuple[str, ...]) -> None:
    done = from_gone(gone, *words)
    assert (done.returncode, done.stderr) == (2, b"")
    assert b'"code":"ERR_CONFIG_INVALID"' in done.stdout
    assert b"current folder is gone" in done.stdout


@pytest.mark.parametrize(
    "words", [("search", "x"), ("list",), ("read", "areas/a.html"), ("status",), ("doctor",)]
)
def test_a_store_that_does_not_exist_is_said_not_to_exist(tmp_path: Path, words: tuple[str, ...]) -> None:
    ran = memhtml(*words, "--repo", str(tmp_path / "none"))
    assert (ran.status, ran.envelope["code"]) == (1, "ERR_REPO_REQUIRED")
    assert "does not exist" in ran.envelope["error"]
    (tmp_path / "file").write_text("x")
    assert "is a file" in memhtml(*words, "--repo", str(tmp_path / "file")).envelope["error"]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def suggestions(*words: str) -> list[str]:
    return memhtml(*words).envelope["suggestions"]


@pytest.mark.parametrize("form", ["--repo {}", "--repo={}"])
def test_a_suggestion_acts_on_the_store_that_the_call_named(store: Path, form: str) -> None:
    store = store.rename(store.with_name("a store"))
    words = form.replace(" ", "\0").format(store).split("\0")
    shutil.rmtree(store / ".memhtml")
    assert suggestions("search", "bee", *words) == [f"memhtml index rebuild --repo '{store}'"]
    assert suggestions(*words, "read", "areas/none.html")[-1] == f"memhtml list --repo '{store}'"
    shown = memhtml_on_a_terminal("search", "bee", "--repo", str(store)).stderr.decode()
    assert f"memhtml index rebuild --repo '{store}'" in shown
    assert suggestions("search", "x", "--limt", "3", *words)[0].endswith(f"--limit 10 --repo '{store}'")
    assert suggestions("manifets", *words)[0] == "memhtml manifest"


def test_a_suggestion_names_no_store_where_the_call_named_none(store: Path) -> None:
    ran = memhtml("read", "--", "--repo", cwd=store)
    assert ran.envelope["suggestions"][-1] == "memhtml list"


def test_a_suggested_command_mends_the_store_that_it_names(store: Path) -> None:
    shutil.rmtree(store / ".memhtml")
    (suggested,) = suggestions("search", "bee", "--repo", str(store))
    done = subprocess.run(
        ["bash", "-c", suggested],
        capture_output=True,
        check=False,
        env=child_environment({"PATH": f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}"}),
    )
    assert done.returncode == 0
    assert memhtml("search", "bee", "--repo", str(store)).data["hits"]


VERIFIES = """
import sys, time
from memhtml.index import build
real = build.rebuild
def rebuild(*arguments, **named):
    done = real(*arguments, **named)
    print("built", flush=True)
    time.sleep(30)
    return done
build.rebuild = rebuild
from memhtml.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_process_that_is_asked_to_end_leaves_no_temporary_folder(
    store: Path, tmp_path: Path, number: int, status: int
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", VERIFIES, "index", "verify", "--repo", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=child_environment({"TMPDIR": str(scratch)}),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"built\n"
    assert list(scratch.iterdir())
    process.send_signal(number)
    rest, stderr = process.communicate(timeout=30)
    assert (process.returncode, rest) == (status, b"")
    assert b"Traceback" not in stderr
    assert list(scratch.iterdir()) == []


def test_a_signal_that_the_caller_ignores_stays_ignored(store: Path) -> None:
    script = VERIFIES.replace("time.sleep(30)", "import os, signal; os.kill(os.getpid(), signal.SIGHUP)")
    done = subprocess.run(
        ["bash", "-c", 'trap "" HUP; exec "$@"', "bash", sys.executable, "-c", script, "index", "verify"],
        cwd=store,
        capture_output=True,
        check=False,
        env=child_environment(),
    )
    assert done.returncode == 0
