"""The report as workflow commands, which GitHub shows beside the lines of a pull request."""

from typing import Final

from memhtml.doctor.findings import CODES, Finding, Severity
from memhtml.doctor.report import DoctorReport, shown

__all__ = ["render_annotations"]

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render_annotations(report: DoctorReport) -> str:
    """Return one `::error file=…,line=…,title=…::message` line a finding; empty where nothing was found."""
    return "\n".join(_command(found, report.prefix) for found in report.findings)


def _command(found: Finding, prefix: str) -> str:
    properties = []
    if found.path is not None:
        properties.append(("file", f"{prefix}/{found.path}" if prefix else found.path))
        properties.append(("line", str(found.line or 1)))
    properties.append(("title", found.rule_id))
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties)
    message = (
        f"{shown(found.message)} ({CODES[found.code].cure})" if found.path is None else shown(found.message)
    )
    return f"::{_COMMANDS[found.severity]} {listed}::{_data(message)}"


def _data(text: str) -> str:
    # Lone surrogates cannot be printed, and a line break would end the command.
    text = text.encode(errors="replace").decode()
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
