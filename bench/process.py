"""The harness's end of `bench.subject`."""

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["Subject"]


class Subject:
    """A process that runs the product's calls one after another and says what each took."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.subject"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=Path(__file__).resolve().parent.parent,
        )

    def ask(self, operation: str, **arguments: object) -> dict[str, Any]:
        """Run one operation and return its answer.

        Errors: `RuntimeError` when the process died; its traceback is on stderr.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"operation": operation, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{operation} failed in the measured process (status {self._process.wait()})")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> "Subject":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
