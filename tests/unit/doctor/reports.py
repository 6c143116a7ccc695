"""Reports made of literal findings."""

from collections.abc import Iterable

from memhtml.doctor.facts import IndexFacts, TreeFacts
from memhtml.doctor.findings import FailOn, Finding, FindingCode, finding
from memhtml.doctor.report import DoctorReport, assemble
from memhtml.format.rules import ViolationCode
from memhtml.values import MemoryPath

A = MemoryPath("projects/kettle/a.html")
B = MemoryPath("areas/inbox/b, c: 100%.html")


def some_findings(*, shift: int = 0) -> list[Finding]:
    """One finding of every severity, with and without path and line; `shift` moves every line down."""
    return [
        finding(
            FindingCode.FORMAT_VIOLATION,
            "the article has no mark element",
            A,
            12 + shift,
            subject="mark",
            rule=ViolationCode.MARK_MISSING,
        ),
        finding(
            FindingCode.LINK_DANGLING,
            "the blocks link leads to areas/x.html, where no file is",
            B,
            3 + shift,
            subject="blocks areas/x.html",
        ),
        finding(
            FindingCode.FORMAT_WARNING,
            "the element h1 is outside the format's vocabulary",
            B,
            9 + shift,
            subject="h1",
            rule=ViolationCode.ELEMENT_UNKNOWN,
        ),
        finding(FindingCode.FORMAT_HASH_STALE, "memhtml-content-hash names no hash", B),
        finding(FindingCode.INDEX_STALE, "the index describes commit a, and the repository is at b"),
        finding(FindingCode.TREE_DIRTY, "1 file differs from what is committed"),
    ]


def report_of(
    findings: Iterable[Finding],
    *,
    prefix: str = "",
    fail_on: FailOn = FailOn.ERROR,
    head: str | None = "c" * 40,
) -> DoctorReport:
    """The report of some findings over two files."""
    return assemble(
        findings, TreeFacts(head_sha=head, prefix=prefix, files=2, memories=1), IndexFacts(), fail_on
    )
