"""What a reader must know of the machine and the versions to judge a number."""

import importlib.metadata
import os
import platform
import sqlite3
import subprocess
from pathlib import Path

__all__ = ["machine_facts", "product_commit"]


def _cpu() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.is_file():
        for line in listed.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _libgit2() -> str:
    import pygit2

    return f"{pygit2.LIBGIT2_VERSION} (pygit2 {importlib.metadata.version('pygit2')})"


def machine_facts() -> dict[str, str]:
    """Return names and values, in the order a report shows them."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    return {
        "cores": str(
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0
        ),
        "CPU": _cpu(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "git": git.removeprefix("git version ").strip(),
        "libgit2": _libgit2(),
    }


def product_commit() -> str:
    """The commit of the checkout that is measured, with `+` where it has uncommitted changes; empty outside of one."""
    root = Path(__file__).resolve().parent.parent
    described = subprocess.run(
        ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"],
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() if described.returncode == 0 else ""
