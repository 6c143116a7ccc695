"""Runs the real program: in a process of its own, with its streams as they would be in a shell."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        env={**os.environ, **(env or {})},
        timeout=120,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def memhtml_on_a_terminal(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Ran:
    """Run memhtml with stdout and stderr on two terminals."""
    out, out_end = pty.openpty()
    err, err_end = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=out_end,
        stderr=err_end,
        cwd=cwd,
        env={**os.environ, "TERM": "xterm", **(env or {})},
    )
    os.close(out_end)
    os.close(err_end)
    stdout, stderr = _drained(out), _drained(err)
    return Ran(process.wait(timeout=120), stdout, stderr)


def _drained(end: int) -> bytes:
    chunks = []
    while True:
        try:
            chunk = os.read(end, 65536)
        except OSError:  # the other side is closed: how a terminal says that it is over
            chunk = b""
        if not chunk:
            os.close(end)
            return b"".join(chunks).replace(b"\r\n", b"\n")
        chunks.append(chunk)
