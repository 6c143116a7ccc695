import sys
from pathlib import Path

from memhtml.app.merging import Driven, drive
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.terminal import safe


def run(call: Call, _context: Context) -> Outcome:
    """Merge three files as git asks; exit status 1 where a person has to decide."""
    base, ours, theirs = (Path(call.word(name) or "") for name in ("base", "ours", "theirs"))
    driven = drive(base, ours, theirs)
    _tell(driven, call.word("path") or call.word("ours") or "")
    # Nothing on stdout: it is that of whichever git command merges, and other programs read it.
    return Outcome("merge.report", driven, lambda _: "", status=0 if driven.is_clean else 1, document="")


def _tell(driven: Driven, path: str) -> None:
    for reason in driven.reasons:
        print(f"memhtml: {safe(path)}: {reason}", file=sys.stderr)
