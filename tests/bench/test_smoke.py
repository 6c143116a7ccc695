"""Every measurement runs as a command on 50 memories, so that none can rot between the days it is needed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import report
from bench.budgets import BUDGETS, Budget, Verdict
from bench.rows import ROWS, Row, Run
from bench.timing import Clock, Spread, time_process

CHECKOUT = Path(__file__).resolve().parents[2]

#: Which numbers each group of rows brings.
EXPECTED: dict[str, set[str]] = {
    "rebuild": {"rebuild", "rebuild-peer", "memory", "disk"},
    "update-commit": {"update-commit"},
    "update-dirty": {"update-dirty"},
    "update-process": {"update-noop", "update-process"},
    "update-batch": {"update-batch"},
    "start-up": {"help", "version"},
    "search": {"search"},
    "search-call": {"search-call"},
    "doctor": {"doctor"},
    "scale": {"rebuild-growth", "memory-growth", "update-growth", "update-dirty-large", "search-call-large"},
}


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_row_measures_fifty_memories(name: str, tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    done = bench("--smoke", "--rows", name, "--out", str(out))
    assert done.returncode == 0, done.stderr[-4000:]
    document: dict[str, Any] = json.loads(out.read_text())
    assert {row["name"] for row in document["rows"]} == EXPECTED[name]
    for row in document["rows"]:
        assert row["median"] > 0
        assert row["ratio"] is None or row["ratio"] > 0
        assert row["verdict"] == Verdict.UNJUDGED


def test_the_processor_clock_measures_the_same_rows(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    done = bench("--smoke", "--rows", "update-dirty", "start-up", "--clock", "processor", "--out", str(out))
    assert done.returncode == 0, done.stderr[-4000:]
    document: dict[str, Any] = json.loads(out.read_text())
    assert document["clock"] == "processor"
    assert len(document["rows"]) == 3
    assert all(each["ratio"] > 0 for each in document["rows"])


@pytest.mark.parametrize(
    ("name", "clock", "baseline", "is_judged"),
    [
        ("search-call", Clock.WALL, None, True),
        ("search-call", Clock.PROCESSOR, None, False),
        ("doctor", Clock.WALL, ("O, recorded", 1.0), True),
        ("doctor", Clock.PROCESSOR, ("O, recorded", 1.0), False),
        ("doctor", Clock.PROCESSOR, ("O", 1.0), True),
        ("memory", Clock.PROCESSOR, None, True),
    ],
)
def test_processor_time_is_never_held_against_a_limit_of_wall_time(
    name: str, clock: Clock, baseline: tuple[str, float] | None, is_judged: bool, tmp_path: Path
) -> None:
    judged = Run(tmp_path, 10_000, 1, clock).row(name, Spread(0.1, 0.1, 0.1, 1), baseline=baseline)
    assert (judged.verdict is not Verdict.UNJUDGED) == is_judged


def test_every_budget_is_measured_by_a_row_and_every_row_is_smoked() -> None:
    assert set(EXPECTED) == set(ROWS)
    assert sorted(name for names in EXPECTED.values() for name in names) == sorted(BUDGETS)


def test_an_unknown_row_is_a_usage_error_that_names_the_rows() -> None:
    done = bench("--rows", "nonsense")
    assert done.returncode == 2
    assert "update-dirty" in done.stderr


def test_a_failing_command_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="exited with 3"):
        time_process([sys.executable, "-c", "raise SystemExit(3)"], {})


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [(1.0, Verdict.STRETCH), (1.01, Verdict.MET), (2.0, Verdict.MET), (2.01, Verdict.MISSED)],
)
def test_a_budget_is_met_up_to_and_at_its_limit(measured: float, verdict: Verdict) -> None:
    assert Budget("x", "", "ms", "", 2.0, 1.0).judge(measured) == verdict


def row(name: str, median: float) -> Row:
    return Row(name, 10_000, Spread(median, median, median, 5), Verdict.MET, "E", 10.0, median / 10)


def test_a_later_run_replaces_its_own_rows_and_keeps_the_others() -> None:
    facts = {"cores": "2"}
    first = report.merge(
        None, [row("help", 50.0), row("search", 90.0)], size=10_000, clock="wall", facts=facts, commit="a"
    )
    later = report.merge(first, [row("search", 70.0)], size=10_000, clock="wall", facts=facts, commit="b")
    assert [(r["name"], r["median"], r["commit"]) for r in later["rows"]] == [
        ("help", 50.0, "a"),
        ("search", 70.0, "b"),
    ]


@pytest.mark.parametrize(
    ("size", "clock", "cores"), [(500, "wall", "2"), (10_000, "processor", "2"), (10_000, "wall", "8")]
)
def test_rows_of_another_machine_size_or_clock_are_dropped(size: int, clock: str, cores: str) -> None:
    first = report.merge(
        None, [row("help", 50.0)], size=10_000, clock="wall", facts={"cores": "2"}, commit="a"
    )
    later = report.merge(
        first, [row("search", 1.0)], size=size, clock=clock, facts={"cores": cores}, commit="b"
    )
    assert [each["name"] for each in later["rows"]] == ["search"]


def test_the_table_replaces_the_one_before_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"above\n{report.BEGIN}\nold\n{report.END}\nbelow\n")
    document = report.merge(
        None, [row("help", 50.0)], size=10_000, clock="wall", facts={"cores": "2"}, commit="a"
    )
    for _ in range(2):
        report.write_table(page, report.render(document))
    text = page.read_text()
    assert text.startswith("above\n")
    assert text.endswith("\nbelow\n")
    assert "old" not in text
    assert text.count("| `memhtml --help` |") == 1


def test_a_page_without_a_place_for_results_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("nothing here\n")
    with pytest.raises(ValueError, match="no place for results"):
        report.write_table(page, "| table |")
    assert page.read_text() == "nothing here\n"
