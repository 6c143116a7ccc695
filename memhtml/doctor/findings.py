"""One thing that the doctor found: the value that every report prints."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memhtml.doctor.codes import CODES, Code, FindingCode, Severity, code_of_rule
from memhtml.format.rules import ViolationCode
from memhtml.values import MemoryPath

__all__ = [
    "CODES",
    "Code",
    "FailOn",
    "Finding",
    "FindingCode",
    "Severity",
    "code_of_rule",
    "finding",
    "order_of",
]


class FailOn(StrEnum):
    """The least severity that counts against a store."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    NEVER = "never"

    def counts(self, severity: Severity) -> bool:
        """Say whether a finding of this severity counts."""
        return self is not FailOn.NEVER and _RANK[severity] <= _RANK[Severity(self.value)]


_RANK: Final = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the doctor found. A message names paths and rules, and never quotes a memory."""

    code: FindingCode
    severity: Severity
    path: MemoryPath | None
    #: 1-based, of the file as git stores it; None where the finding is about no line in particular.
    line: int | None
    message: str
    #: A rule of the format, where the code is about one.
    rule: ViolationCode | None
    #: What tells this finding from others of its code and path, apart from where it stands in the file.
    subject: str
    fixable: bool
    help: str

    @property
    def rule_id(self) -> str:
        """The code, with the rule of the format behind it where there is one."""
        return self.code.value if self.rule is None else f"{self.code}/{self.rule}"


def finding(
    code: FindingCode,
    message: str,
    path: MemoryPath | None = None,
    line: int | None = None,
    *,
    subject: str = "",
    rule: ViolationCode | None = None,
) -> Finding:
    """Return a finding with the severity and the help of its code."""
    known = CODES[code]
    return Finding(code, known.severity, path, line, message, rule, subject, known.fixable, known.cure)


def order_of(found: Finding) -> tuple[str, int, str, str, str, str]:
    """Return the sort key of reports: findings about no file first, then by path, line and code."""
    return (
        found.path or "",
        found.line or 0,
        found.code.value,
        found.rule or "",
        found.subject,
        found.message,
    )
