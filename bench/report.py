"""Results as JSON, which later runs lay their rows over, and as the table in `bench/README.md`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.budgets import BUDGETS
from bench.rows import Row

__all__ = ["BEGIN", "END", "merge", "read", "render", "write", "write_table"]

BEGIN = "<!-- results: written by `python -m bench` -->"
END = "<!-- end of results -->"


def _row_document(row: Row, commit: str) -> dict[str, Any]:
    budget = BUDGETS[row.name]
    return {
        "name": row.name,
        "what": budget.what,
        "size": row.size,
        "unit": budget.unit,
        "median": round(row.value.median, 3),
        "low": round(row.value.low, 3),
        "high": round(row.value.high, 3),
        "rounds": row.value.rounds,
        "baseline": row.baseline,
        "baseline_median": None if row.baseline_value is None else round(row.baseline_value, 3),
        "ratio": None if row.ratio is None else round(row.ratio, 3),
        "budget": budget.wording,
        "stretch": budget.stretch,
        "verdict": str(row.verdict),
        "note": row.note,
        "commit": commit,
    }


def merge(
    earlier: Mapping[str, Any] | None,
    rows: Iterable[Row],
    *,
    size: int,
    clock: str,
    facts: Mapping[str, str],
    commit: str,
) -> dict[str, Any]:
    """Return the document of a run; rows that it did not take stay from an earlier run of the same kind."""
    run = {"size": size, "clock": str(clock), "machine": dict(facts)}
    kept: dict[str, Any] = {}
    if earlier is not None and all(earlier.get(name) == value for name, value in run.items()):
        kept = {row["name"]: row for row in earlier["rows"]}
    kept |= {row.name: _row_document(row, commit) for row in rows}
    ordered = [kept[name] for name in BUDGETS if name in kept]
    return {**run, "rows": ordered}


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def render(document: Mapping[str, Any]) -> str:
    """Return the Markdown of a run: the machine in one line, then the table."""
    machine = ", ".join(f"{name} {value}" for name, value in document["machine"].items())
    lines = [
        f"{document['size']:,} memories, {document['clock']} time. {machine}.",
        "",
        "| row | at | median (low to high, rounds) | baseline | ratio | budget | stretch | verdict |",
        "|---|---:|---:|---|---:|---|---:|---|",
    ]
    for row in document["rows"]:
        unit = row["unit"]
        value = f"{_number(row['median'])} {unit}"
        if row["rounds"] > 1:
            value += f" ({_number(row['low'])} to {_number(row['high'])}, {row['rounds']})"
        baseline = f"{row['baseline']}: {_number(row['baseline_median'])} {unit}" if row["baseline"] else ""
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        stretch = "" if row["stretch"] is None else f"{row['stretch']:g}"
        what = row["what"] + (f" ({row['note']})" if row["note"] else "")
        cells = (what, f"{row['size']:,}", value, baseline, ratio, row["budget"], stretch, row["verdict"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def read(path: Path) -> dict[str, Any] | None:
    """Return an earlier run's document, or None where there is none."""
    if not path.is_file():
        return None
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def write(path: Path, document: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_table(readme: Path, table: str) -> None:
    """Put the table between the markers of a page.

    Errors: `ValueError` where the page has no markers.
    """
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{readme.name} has no place for results")
    readme.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")
