"""Runs the real program: in a process of its own, with its streams as they would be in a shell."""

import json
import os
import pty
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Compiled modules of the children: without them every start compiles all of memhtml anew, where the environment
#: forbids to write them beside the sources.
_BYTECODE = tempfile.TemporaryDirectory(prefix="memhtml-bytecode-", ignore_cleanup_errors=True)

PROGRAM = str(Path(sys.executable).with_name("memhtml"))


@dataclass(frozen=True)
class Ran:
    status: int
    stdout: bytes
    stderr: bytes

    @property
    def envelope(self) -> dict[str, Any]:
        """The one JSON document that stdout is."""
        return json.loads(self.stdout.decode("utf-8"))

    @property
    def data(self) -> Any:
        assert self.status in (0, 1), self
        return self.envelope["data"]


def child_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child process: this one's, with a place of its own for compiled modules."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": _BYTECODE.name, **(extra or {})}


def memhtml(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> Ran:
    """Run memhtml with its output piped."""
    done = subprocess.run(
        [PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env=child_environment(env),
        timeout=120,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def memhtml_on_a_terminal(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Ran:
    """Run memhtml with stdout and stderr on two terminals."""
    return on_a_terminal(
        [PROGRAM, *arguments], cwd=cwd, env=child_environment({"TERM": "xterm", **(env or {})})
    )


def on_a_terminal(command: Sequence[str], *, cwd: Path | None, env: Mapping[str, str]) -> Ran:
    """Run any program with stdout and stderr on two terminals."""
    out, out_end = pty.openpty()
    err, err_end = pty.openpty()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=out_end, stderr=err_end, cwd=cwd, env=env
    )
    os.close(out_end)
    os.close(err_end)
    stdout, stderr = _drained(process, out, err)
    return Ran(process.wait(timeout=120), stdout, stderr)


def _drained(process: subprocess.Popen[bytes], *ends: int) -> list[bytes]:
    """Read terminals until nobody is at the other end, or, where the system does not say so, the process is over."""
    chunks: dict[int, list[bytes]] = {end: [] for end in ends}
    left = set(ends)
    while left:
        over = process.poll() is not None
        ready, _, _ = select.select(left, [], [], 0 if over else 0.02)
        for end in ready:
            try:
                chunk = os.read(end, 65536)
            except OSError:
                chunk = b""
            if chunk:
                chunks[end].append(chunk)
            else:
                left.discard(end)
        if over and not ready:
            break
    for end in ends:
        os.close(end)
    return [b"".join(chunks[end]).replace(b"\r\n", b"\n") for end in ends]
