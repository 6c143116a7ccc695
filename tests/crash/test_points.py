"""No fault point without a test that kills there, and no test of a point that is not there."""

import importlib.util
import re
from pathlib import Path

import memhtml
from memhtml import faults

HERE = Path(__file__).parent


def _armed() -> set[str]:
    armed: set[str] = set()
    for source in sorted(HERE.glob("test_killed_*.py")):
        spec = importlib.util.spec_from_file_location(f"armed_{source.stem}", source)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        armed |= module.ARMED
    return armed


def test_every_listed_point_is_armed_by_a_crash_test() -> None:
    assert _armed() == set(faults.POINTS)


def test_every_point_in_the_code_is_listed_and_every_listed_point_is_in_the_code() -> None:
    named = {
        name
        for source in Path(memhtml.__file__).parent.rglob("*.py")
        for name in re.findall(r'faults\.point\("([a-z_.]+)"\)', source.read_text(encoding="utf-8"))
    }
    assert named == set(faults.POINTS)
