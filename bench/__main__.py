"""The harness: measures the rows of the budget table and says which are met.

python -m bench [--rows NAME...] [--size 10000] [--smoke] [--clock processor] [--out FILE]
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import report
from bench.facts import machine_facts, product_commit
from bench.rows import ROWS, Row, Run
from bench.timing import Clock

_HERE = Path(__file__).resolve().parent
_LATEST = _HERE / "results" / "latest.json"
_SMOKE_SIZE = 50
#: The harness itself keeps about one core at work.
_BUSY = 1.5


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--rows", nargs="+", choices=tuple(ROWS), metavar="NAME", help=f"of: {', '.join(ROWS)}"
    )
    parser.add_argument("--size", type=int, default=10_000, help="memories in the corpus (default 10000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the slow rows (default 5)")
    parser.add_argument("--smoke", action="store_true", help=f"{_SMOKE_SIZE} memories, one round, no table")
    parser.add_argument(
        "--out", type=Path, default=None, help="where the JSON goes (default bench/results/latest.json)"
    )
    parser.add_argument(
        "--clock",
        type=Clock,
        choices=tuple(Clock),
        default=Clock.WALL,
        help="processor: for a machine at other work",
    )
    parser.add_argument("--peer", help="executable of the TypeScript memhtml, to run beside ours")
    return parser.parse_args(arguments)


def _line(row: Row) -> str:
    ratio = "" if row.ratio is None else f"  {row.ratio:.2f} x {row.baseline} ({row.baseline_value:,.1f})"
    return f"{row.name:20} {row.size:>9,} {row.value.median:>10,.2f}{ratio}  {row.verdict}  {row.note}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a line a row, write the JSON and, for the default file, the table of the README."""
    asked = _arguments(arguments)
    size, rounds = (_SMOKE_SIZE, 1) if asked.smoke else (asked.size, asked.rounds)
    rows: list[Row] = []
    # The comparison of sizes takes minutes, so it is asked for by name; the smoke run is small enough to take it.
    names = asked.rows or [name for name in ROWS if name != "scale" or asked.smoke]
    with tempfile.TemporaryDirectory(prefix="memhtml-bench-") as folder:
        run = Run(Path(folder), size, rounds, asked.clock, asked.peer)
        for name in names:
            for row in ROWS[name](run):
                print(_line(row), flush=True)
                rows.append(row)
    if asked.clock is Clock.WALL and os.getloadavg()[0] > _BUSY:
        print("the machine was busy with other work: try --clock processor", file=sys.stderr)
    out = asked.out or (None if asked.smoke else _LATEST)
    if out is not None:
        document = report.merge(
            report.read(out),
            rows,
            size=size,
            clock=asked.clock,
            facts=machine_facts(),
            commit=product_commit(),
        )
        report.write(out, document)
        if out == _LATEST:
            report.write_table(_HERE / "README.md", report.render(document))
    return 0


if __name__ == "__main__":
    sys.exit(main())
