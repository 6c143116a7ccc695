"""Fixtures that every suite shares."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from memhtml import faults

_SLOW_OK = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("dev", max_examples=20, deadline=None, suppress_health_check=_SLOW_OK)
settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, suppress_health_check=_SLOW_OK
)
settings.register_profile("deep", max_examples=5000, deadline=None, suppress_health_check=_SLOW_OK)

#: What git may read in a test: nothing of the person who runs it.
GIT_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Test Author",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "Test Author",
    "GIT_COMMITTER_EMAIL": "author@example.com",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
}


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test sees the person's git configuration, home or memhtml settings."""
    for name in [n for n in os.environ if n.startswith("MEMHTML_") and n != "MEMHTML_TEST_DATA"]:
        monkeypatch.delenv(name)
    for name, value in GIT_ENV.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MEMHTML_STATE_HOME", str(tmp_path_factory.mktemp("state-home")))
    faults.disarm()


def git(root: Path, *args: str, stdin: bytes | None = None) -> bytes:
    """Run git in `root` and return its output; a failure is the test's failure."""
    done = subprocess.run(["git", "-C", str(root), *args], input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, (args, done.returncode, done.stderr.decode(errors="replace"))
    return done.stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """An empty git repository on branch main, without background maintenance."""
    root = tmp_path / "store"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for key, value in (("gc.auto", "0"), ("maintenance.auto", "false"), ("core.autocrlf", "false")):
        git(root, "config", key, value)
    return root
