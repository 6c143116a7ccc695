"""What is shipped: the built wheel, installed into an environment of its own, does the work from anywhere."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import git

from memhtml import __version__

CHECKOUT = Path(__file__).resolve().parents[2]
DATA_FOLDERS = ("migrations", "state_migrations", "corpus_template")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(CHECKOUT)]
    done = subprocess.run(build, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `memhtml` of a fresh environment that holds the wheel, and borrows the dependencies of this one."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    (site,) = home.glob("lib/python3*/site-packages")
    # A path file names a folder but does not follow the path files in it, so the checkout stays out of reach.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin" / "memhtml"


def data_files() -> set[str]:
    return {
        f"memhtml/_data/{path.relative_to(CHECKOUT).as_posix()}"
        for folder in DATA_FOLDERS
        for path in (CHECKOUT / folder).rglob("*")
        if path.is_file()
    }


def test_the_wheel_carries_every_migration_and_the_whole_template(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packaged = {name for name in names if name.startswith("memhtml/_data/")}
    assert packaged == data_files()
    assert any(name.endswith(".sql") for name in packaged)
    assert {name for name in names if name.endswith(".sql")} <= packaged


def test_the_wheel_carries_the_package_its_type_marker_and_nothing_of_the_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    sources = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "memhtml").rglob("*.py")}
    assert sources | {"memhtml/py.typed"} <= names
    assert {name.split("/")[0] for name in names} == {"memhtml", f"memhtml-{__version__}.dist-info"}


def test_an_installed_memhtml_makes_indexes_searches_and_checks_a_store(
    program: Path, tmp_path: Path
) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            [str(program), *arguments], capture_output=True, check=False, cwd=elsewhere, env=environment
        )
        assert done.returncode == 0, (arguments, done.stdout.decode(), done.stderr.decode())
        return done

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store = tmp_path / "store"
    run("init", str(store), "--example")
    git(store, "add", "-A")
    git(store, "commit", "-qm", "the example")
    run("index", "rebuild", "--repo", str(store))
    found = run("search", "restore the database", "--repo", str(store)).stdout
    assert b"restore-the-readings-database-to-a-point-in-time.html" in found
    run("doctor", "--repo", str(store))
    assert list(elsewhere.iterdir()) == []


def test_the_installed_package_is_the_one_that_runs(program: Path) -> None:
    ask = "import memhtml, memhtml.resources as r; print(memhtml.__file__); print(r.corpus_template())"
    done = subprocess.run(
        [str(program.with_name("python")), "-c", ask], capture_output=True, check=True, cwd=program.parent
    )
    module, template = done.stdout.decode().split()
    assert Path(module).is_relative_to(program.parents[1])
    assert Path(template).is_relative_to(program.parents[1])
