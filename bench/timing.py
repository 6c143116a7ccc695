"""Times of whole processes, and what a few of them say together."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bench.repository import git_environment

__all__ = [
    "Clock",
    "Spread",
    "children_ms",
    "interleave",
    "memhtml_command",
    "process_environment",
    "time_process",
]

#: What changes how a Python process starts; a measurement is of the installed package's normal state.
_UNSET = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "PYTHONDEVMODE",
    "PYTHONWARNINGS",
    "PYTHONPROFILEIMPORTTIME",
)


class Clock(StrEnum):
    """What a measurement counts: time on the wall, or processor time, which other work on the machine inflates less."""

    WALL = "wall"
    PROCESSOR = "processor"


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds (or what the row says) of several rounds of one thing."""

    median: float
    low: float
    high: float
    rounds: int

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Spread":
        return cls(statistics.median(samples), min(samples), max(samples), len(samples))


def process_environment(state_home: Path) -> dict[str, str]:
    """The environment of a measured process: bytecode is written, no memhtml setting of the person is seen."""
    kept = {k: v for k, v in git_environment().items() if k not in _UNSET and not k.startswith("MEMHTML_")}
    return kept | {"MEMHTML_STATE_HOME": str(state_home)}


def memhtml_command() -> list[str]:
    """The installed `memhtml` of this interpreter, as a person runs it."""
    script = Path(sys.executable).with_name("memhtml")
    return [str(script)] if os.access(script, os.X_OK) else [sys.executable, "-m", "memhtml"]


def children_ms() -> float:
    """Milliseconds of processor time of every child process that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def time_process(
    argv: Sequence[str], environment: dict[str, str], *, ok: Sequence[int] = (0,), clock: Clock = Clock.WALL
) -> float:
    """Milliseconds from starting a process to its end, or those it and its children worked; output to null.

    Errors: `RuntimeError` when it exits with a status outside `ok`: a failing command is no measurement.
    """
    worked, start = children_ms(), time.perf_counter()
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment, check=False
    )
    elapsed = (time.perf_counter() - start) * 1000
    if done.returncode not in ok:
        raise RuntimeError(f"{' '.join(argv[:4])} … exited with {done.returncode}")
    return elapsed if clock is Clock.WALL else children_ms() - worked


def interleave(rounds: int, *calls: Callable[[], float]) -> list[Spread]:
    """Run the calls in turn, `rounds` times after one turn that does not count, and return what each took.

    Taking turns lets a slow moment of the machine fall on both sides of a ratio.
    """
    for call in calls:
        call()
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, samples in zip(calls, taken, strict=True):
            samples.append(call())
    return [Spread.of(samples) for samples in taken]
