"""A doctor's report in the form that was asked for."""

import re
from typing import TYPE_CHECKING

from memhtml.cli.terminal import Paint
from memhtml.doctor.report import DoctorReport, render_text, shown

if TYPE_CHECKING:  # a check alone writes nothing, and loads nothing that does
    from memhtml.app.mending import Repaired

__all__ = ["document_of", "painted", "repairs_text"]

_FINDING = re.compile(r"^ {2} *(?:\d+|-) {2}(error|warning|info)\b", re.MULTILINE)


def document_of(
    report: DoctorReport, form: str | None, *, dense: bool, data: object = None, before: str = ""
) -> str | None:
    """Return the report in a form that was named; None where none was, and the output's own manner decides.

    `data` is what the envelope carries, where that is more than the report, and `before` what the text begins with.
    """
    if form == "text":
        return before + render_text(report)
    if form == "sarif":
        from memhtml.doctor.sarif import render_sarif

        return render_sarif(report)
    if form == "github":
        from memhtml.doctor.annotations import render_annotations

        return render_annotations(report)
    if form == "json":
        from memhtml.cli.envelope import success

        return success("doctor.report", report if data is None else data, dense=dense).decode("utf-8")
    return None


def painted(report: DoctorReport, paint: Paint) -> str:
    """Return the report as text, each severity in its colour."""
    text = render_text(report)
    if not paint.enabled:
        return text
    colours = {"error": paint.red, "warning": paint.yellow, "info": paint.dim}

    def coloured(found: re.Match[str]) -> str:
        return found[0].removesuffix(found[1]) + colours[found[1]](found[1])

    return _FINDING.sub(coloured, text)


def repairs_text(repaired: "Repaired") -> str:
    """Return what was mended, or would be: one line a step, and an empty line behind them all."""
    verb = "would mend" if repaired.dry_run else "mended"
    lines = [f"{verb} {shown(step.path)}: {step.kind} {shown(step.what)}" for step in repaired.steps]
    lines += [f"left {shown(path)}: uncommitted work stands in the way" for path in repaired.left]
    if repaired.commit_sha is not None:
        lines.append(f"committed {repaired.commit_sha[:12]}")
    if not lines:
        lines.append("nothing can be mended without a decision")
    return "\n".join((*lines, "", ""))
