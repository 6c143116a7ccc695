"""The process itself: streams, exit status, terminals, signals, and what it imports."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.processes import PROGRAM, child_environment, memhtml, memhtml_on_a_terminal

from memhtml import __version__


@pytest.mark.parametrize("arguments", [(), ("help",), ("--help",), ("manifest",)])
def test_the_manifest_needs_no_store_and_no_home(arguments: tuple[str, ...], tmp_path: Path) -> None:
    ran = memhtml(*arguments, cwd=tmp_path, env={"HOME": str(tmp_path)})
    assert ran.status == 0
    assert ran.envelope["type"] == "cli.manifest"
    assert ran.envelope["data"]["version"] == __version__
    assert ran.stderr == b""
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_told_in_both_forms() -> None:
    assert memhtml("--version").data == {"name": "memhtml", "version": __version__}
    assert memhtml("--version", "--dense").data == {"name": "memhtml", "version": __version__}
    assert memhtml_on_a_terminal("--version").stdout.decode() == f"memhtml {__version__}\n"
    assert memhtml("--version", "--no-json").stdout.decode() == f"memhtml {__version__}\n"


def test_the_module_runs_like_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "memhtml", "--version"], capture_output=True, check=True)
    assert json.loads(done.stdout)["data"]["version"] == __version__


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("manifets",), "ERR_UNKNOWN_COMMAND"),
        (("manifest", "--densee"), "ERR_INVALID_FLAG"),
        (("read",), "ERR_MISSING_ARGUMENT"),
        (("list", "--type", "epesodic"), "ERR_INVALID_FLAG"),
        (("search", "x", "--limit", "many"), "ERR_INVALID_FLAG"),
        (("help", "nothing-like-it"), "ERR_UNKNOWN_COMMAND"),
    ],
)
def test_a_wrong_call_exits_2_with_one_envelope_and_touches_nothing(
    arguments: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    ran = memhtml(*arguments, cwd=tmp_path, env={"MEMHTML_ROOT": str(tmp_path / "store")})
    assert ran.status == 2
    assert ran.envelope["code"] == code
    assert set(ran.envelope) == {"apiVersion", "error", "code", "suggestions"}
    assert ran.stderr == b""
    assert list(tmp_path.iterdir()) == []


def test_a_bad_setting_is_a_usage_error_that_names_the_variable(tmp_path: Path) -> None:
    ran = memhtml("status", cwd=tmp_path, env={"MEMHTML_EMBED": "perhaps"})
    assert (ran.status, ran.envelope["code"]) == (2, "ERR_CONFIG_INVALID")
    assert "MEMHTML_EMBED" in ran.envelope["error"]


def test_a_person_gets_text_and_errors_on_stderr() -> None:
    shown = memhtml_on_a_terminal("help", "search")
    assert shown.stdout.startswith(b"\x1b[1mmemhtml search <query>")
    failed = memhtml_on_a_terminal("manifets")
    assert (failed.status, failed.stdout) == (2, b"")
    assert b"memhtml manifest" in failed.stderr


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_no_colour_where_none_is_wanted(env: dict[str, str]) -> None:
    assert b"\x1b" not in memhtml_on_a_terminal("help", env=env).stdout
    assert b"\x1b" not in memhtml_on_a_terminal("manifets", env=env).stderr


def test_colour_can_be_forced_into_a_pipe() -> None:
    assert b"\x1b[" in memhtml("help", "--no-json", env={"FORCE_COLOR": "1"}).stdout
    assert b"\x1b[" not in memhtml("help", "--no-json").stdout


@pytest.mark.parametrize("flag", ["--json", "--dense"])
def test_json_can_be_had_on_a_terminal(flag: str) -> None:
    ran = memhtml_on_a_terminal("manifest", flag)
    assert ran.envelope["type"] == "cli.manifest"
    assert (ran.stdout.count(b"\n") == 1) == (flag == "--dense")
    failed = memhtml_on_a_terminal("manifets", flag)
    assert failed.envelope["code"] == "ERR_UNKNOWN_COMMAND"
    assert failed.stderr == b""


def test_text_is_written_in_whatever_the_terminal_can_spell(tmp_path: Path) -> None:
    env = {"PYTHONIOENCODING": "ascii"}
    ran = memhtml("help", "completion", "--no-json", env=env)
    assert (ran.status, ran.stderr) == (0, b"")
    assert ran.stdout.isascii()
    assert memhtml("nö", env=env).envelope["error"] == "there is no command “nö”"


def test_a_reader_that_leaves_early_is_no_failure() -> None:
    done = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "{PROGRAM}" manifest | true'], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_result_that_could_not_be_written_is_a_failure() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([PROGRAM, "manifest"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams_are_no_crash(streams: str) -> None:
    for words in ("manifest", "manifets", "--version"):
        done = subprocess.run(
            ["bash", "-c", f'"{PROGRAM}" {words} {streams}'], capture_output=True, check=False
        )
        assert done.returncode == (2 if words == "manifets" else 0)
        assert b"Traceback" not in done.stderr


WAITS = """
import sys, time
from memhtml.cli.commands import manifest
def run(call, context):
    with context.waiting("waiting for the end"):
        print("started", flush=True)
        time.sleep(30)
manifest.run = run
from memhtml.cli.main import run
sys.exit(run(["manifest"]))
"""


def test_an_interrupt_ends_it_with_130_and_no_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, stderr = process.communicate(timeout=30)
    assert (process.returncode, rest, stderr) == (130, b"", b"interrupted\n")


def test_on_a_terminal_a_wait_is_shown_after_a_second_and_wiped() -> None:
    import pty

    end, other = pty.openpty()
    script = WAITS.replace("time.sleep(30)", "time.sleep(1.6)") + "\n"
    env = {**os.environ, "TERM": "xterm"}
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.DEVNULL, stderr=other, env=env, check=False
    )
    os.close(other)
    assert time.monotonic() - started >= 1.6
    shown = os.read(end, 4096)
    os.close(end)
    assert shown.startswith(b"\rwaiting for the end \xe2\x80\xa6 1 s")
    assert b"\r\x1b[K" in shown


FAILS = """
import sys
from memhtml.cli.commands import manifest
def run(call, context):
    raise KeyError("secret words of a memory")
manifest.run = run
from memhtml.cli.main import run
sys.exit(run(["manifest"]))
"""


def test_an_unforeseen_failure_tells_its_kind_and_never_its_words() -> None:
    done = subprocess.run([sys.executable, "-c", FAILS], capture_output=True, check=False)
    assert done.returncode == 1
    envelope = json.loads(done.stdout)
    assert envelope["code"] == "ERR_UNKNOWN"
    assert "KeyError" in envelope["error"]
    assert b"secret" not in done.stdout + done.stderr


def test_its_traceback_is_for_those_who_debug() -> None:
    env = {**os.environ, "MEMHTML_DEBUG": "on"}
    done = subprocess.run([sys.executable, "-c", FAILS], capture_output=True, check=False, env=env)
    assert json.loads(done.stdout)["code"] == "ERR_UNKNOWN"
    assert b"Traceback" in done.stderr


HEAVY = frozenset(
    {
        "numpy",
        "pygit2",
        "cohere",
        "mcp",
        "rich",
        "pydantic",
        "typer",
        "click",
        "asyncio",
        "selectolax",
        "yaml",
        "markdown_it",
    }
)


def imported_by(*arguments: str, cwd: Path | None = None) -> set[str]:
    """The modules that one call leaves in `sys.modules`."""
    script = (
        "import sys, io\n"
        "from memhtml.cli.main import run\n"
        "shown, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), encoding='utf-8')\n"
        f"status = run({list(arguments)!r})\n"
        "shown.write(repr((status, sorted(sys.modules))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=cwd, env=child_environment()
    )
    status, modules = ast.literal_eval(done.stdout.decode())
    assert status == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("help", "search"), ("manifest",), ("completion", "bash")]
)
def test_describing_itself_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    modules = imported_by(*arguments)
    assert not modules & (HEAVY | {"sqlite3", "subprocess"})


def test_the_version_imports_next_to_nothing() -> None:
    assert not imported_by("--version") & {
        "memhtml.cli.table",
        "memhtml.settings",
        "dataclasses",
        "json.encoder",
    }
