"""A doctor's report in the form that was asked for."""

import re

from memhtml.cli.terminal import Paint
from memhtml.doctor.report import DoctorReport, render_text

__all__ = ["document_of", "painted"]

_FINDING = re.compile(r"^ {2} *(?:\d+|-) {2}(error|warning|info)\b", re.MULTILINE)


def document_of(report: DoctorReport, form: str | None, *, dense: bool) -> str | None:
    """Return the report in a form that was named; None where none was, and the output's own manner decides."""
    if form == "text":
        return render_text(report)
    if form == "sarif":
        from memhtml.doctor.sarif import render_sarif

        return render_sarif(report)
    if form == "github":
        from memhtml.doctor.annotations import render_annotations

        return render_annotations(report)
    if form == "json":
        from memhtml.cli.envelope import success

        return success("doctor.report", report, dense=dense).decode("utf-8")
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
