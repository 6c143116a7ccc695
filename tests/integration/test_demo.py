"""`make demo` does what the README says it does."""

import subprocess
import sys
from pathlib import Path

from cli.processes import child_environment

DEMO = Path(__file__).resolve().parents[2] / "bench" / "demo.py"


def test_the_demo_runs_to_its_end_and_shows_what_it_promises(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(DEMO), str(tmp_path / "demo")],
        capture_output=True,
        check=False,
        env=child_environment(),
        timeout=300,
    )
    shown = done.stdout.decode()
    assert done.returncode == 0, shown + done.stderr.decode()
    for promised in (
        "1 modified, 1 renamed",
        "1 call saved",
        "FORMAT_VIOLATION/mark-multiple",
        "All as told",
    ):
        assert promised in shown


def test_the_demo_fails_loudly_where_something_is_not_as_told(tmp_path: Path) -> None:
    """The doctor of this demo is an impostor that finds nothing."""
    shim = tmp_path / "bin" / "python"
    shim.parent.mkdir()
    program = shim.with_name("memhtml")
    real = Path(sys.executable).with_name("memhtml")
    program.write_text(f'#!/bin/sh\ncase "$1" in doctor) exit 0 ;; *) exec "{real}" "$@" ;; esac\n')
    program.chmod(0o755)
    script = (
        "import runpy, sys; from pathlib import Path\n"
        f"sys.argv = ['demo', {str(tmp_path / 'demo')!r}]; sys.executable = {str(shim)!r}\n"
        f"runpy.run_path({str(DEMO)!r}, run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, env=child_environment(), timeout=300
    )
    assert done.returncode == 1
    assert b"The demo failed: `memhtml doctor` ended with 0, not with 1" in done.stderr
