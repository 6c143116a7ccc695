"""Packaged files are found in a checkout and in the layout of a wheel."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memhtml
from memhtml import resources
from memhtml.errors import StorageFailed
from memhtml.values import Plane

PACKAGE = Path(memhtml.__file__).parent
LIST = (
    "from memhtml import resources\n"
    "from memhtml.values import Plane\n"
    "for plane in Plane:\n"
    "    for migration in resources.migrations(plane):\n"
    "        print(plane, migration.name, migration.sha256)\n"
    "print(resources.corpus_template().name)\n"
)


def installed(folder: Path) -> Path:
    """A copy of the package as a wheel lays it out."""
    home = folder / "site-packages"
    for name in ("__init__.py", "errors.py", "values.py", "resources.py"):
        (home / "memhtml").mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / name, home / "memhtml" / name)
    for name in ("migrations", "state_migrations", "corpus_template"):
        shutil.copytree(PACKAGE.parent / name, home / "memhtml" / "_data" / name)
    return home


def listed(home: Path) -> str:
    done = subprocess.run([sys.executable, "-c", LIST], cwd=home, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_wheel_carries_the_migrations_of_the_checkout(tmp_path: Path) -> None:
    here = listed(PACKAGE.parent)
    assert listed(installed(tmp_path)) == here
    assert here.count("\n") > 10


def test_line_ends_do_not_make_another_schema(tmp_path: Path) -> None:
    home = installed(tmp_path)
    for script in home.rglob("*.sql"):
        script.write_bytes(script.read_bytes().replace(b"\n", b"\r\n"))
    assert listed(home) == listed(PACKAGE.parent)


def test_an_installation_without_migrations_is_a_typed_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "memhtml")
    uncached = resources.migrations.__wrapped__
    with pytest.raises(StorageFailed):
        uncached(Plane.INDEX)
    (tmp_path / "migrations" / "index").mkdir(parents=True)
    with pytest.raises(StorageFailed):
        uncached(Plane.INDEX)
    (tmp_path / "migrations" / "index" / "0001_x.sql").write_bytes(b"\xff\xfe")
    with pytest.raises(StorageFailed):
        uncached(Plane.INDEX)
