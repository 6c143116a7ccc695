"""What one run of the doctor tells: a plain value that every door prints, and its form for a person."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from memhtml.doctor.facts import DanglingLink, IndexFacts, OverdueTask, StaleBlocker, TreeFacts
from memhtml.doctor.findings import FailOn, Finding, FindingCode, Severity, order_of
from memhtml.values import MemoryPath, SkipCode

__all__ = ["DoctorReport", "FileWarnings", "assemble", "render_text", "shown"]


@dataclass(frozen=True, slots=True)
class FileWarnings:
    path: MemoryPath
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DoctorReport:
    #: Whether nothing at or above the severity that was asked for was found.
    passed: bool
    #: Whether there is no error and no warning.
    healthy: bool
    fail_on: FailOn
    errors: int
    warnings_count: int
    infos: int
    findings: tuple[Finding, ...]
    head_sha: str | None
    prefix: str
    committed_only: bool
    #: Files that were judged, and how many of them are memories.
    files: int
    memories: int
    dangling: tuple[DanglingLink, ...]
    orphan_access_rows: tuple[str, ...]
    inbox_depth: int
    inbox_crowded: bool
    inbox_task_depth: int
    inbox_tasks_crowded: bool
    overdue_tasks: tuple[OverdueTask, ...]
    stale_blockers: tuple[StaleBlocker, ...]
    warnings: tuple[FileWarnings, ...]
    #: Files that stand where a memory would and are none.
    unparseable: tuple[MemoryPath, ...]
    index_fresh: bool | None
    index_head_sha: str | None
    embed_model_matches: bool | None
    stored_embed_model: str | None
    configured_embed_model: str | None
    dirty: tuple[MemoryPath, ...]

    @property
    def exit_status(self) -> int:
        return 0 if self.passed else 1


_NO_MEMORY = frozenset(FindingCode(code.value) for code in SkipCode if code is not SkipCode.DUPLICATE)


def assemble(
    findings: Iterable[Finding], tree: TreeFacts, index: IndexFacts, fail_on: FailOn = FailOn.ERROR
) -> DoctorReport:
    """Return the report of some findings; what can be said twice is said of the findings.

    Order: findings by path, line and code, those about no file first; equal stores give equal reports.
    """
    found = tuple(sorted(findings, key=order_of))
    counts = Counter(finding.severity for finding in found)
    return DoctorReport(
        passed=not any(fail_on.counts(finding.severity) for finding in found),
        healthy=not (counts[Severity.ERROR] or counts[Severity.WARNING]),
        fail_on=fail_on,
        errors=counts[Severity.ERROR],
        warnings_count=counts[Severity.WARNING],
        infos=counts[Severity.INFO],
        findings=found,
        head_sha=tree.head_sha,
        prefix=tree.prefix,
        committed_only=tree.committed_only,
        files=tree.files,
        memories=tree.memories,
        dangling=tree.dangling,
        orphan_access_rows=index.orphan_access_rows,
        inbox_depth=tree.inbox_depth,
        inbox_crowded=tree.inbox_crowded,
        inbox_task_depth=tree.inbox_task_depth,
        inbox_tasks_crowded=tree.inbox_tasks_crowded,
        overdue_tasks=tree.overdue_tasks,
        stale_blockers=tree.stale_blockers,
        warnings=tuple(_warnings(found)),
        unparseable=_unparseable(found),
        index_fresh=index.index_fresh,
        index_head_sha=index.index_head_sha,
        embed_model_matches=index.embed_model_matches,
        stored_embed_model=index.stored_embed_model,
        configured_embed_model=index.configured_embed_model,
        dirty=tree.dirty,
    )


def _warnings(found: Sequence[Finding]) -> Iterator[FileWarnings]:
    of_format = [f for f in found if f.code is FindingCode.FORMAT_WARNING and f.path is not None]
    for path, group in groupby(of_format, key=lambda f: f.path):
        assert path is not None
        yield FileWarnings(path, tuple(f.message for f in group))


def _unparseable(found: Sequence[Finding]) -> tuple[MemoryPath, ...]:
    paths = {f.path: None for f in found if f.code in _NO_MEMORY and f.path is not None}
    return tuple(paths)


def shown(text: str) -> str:
    """Return text with every character escaped that a terminal or an editor would act on: paths come from anywhere."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    number = ord(character)
    return (
        f"\\x{number:02x}"
        if number < 0x100
        else f"\\u{number:04x}"
        if number < 0x10000
        else f"\\U{number:08x}"
    )


def render_text(report: DoctorReport) -> str:
    """Return the report for a person: one heading a file, one line a finding, a summary at the end."""
    lines: list[str] = []
    for path, group in groupby(report.findings, key=lambda found: found.path):
        found = list(group)
        lines.append(shown(path) if path is not None else "the store")
        width = max(len(f.rule_id) for f in found)
        lines += [_line(f, width) for f in found]
        lines.append("")
    lines.append(_summary(report))
    return "\n".join(lines)


def _line(found: Finding, width: int) -> str:
    place = str(found.line) if found.line is not None else "-"
    return f"  {place:>4}  {found.severity:<7}  {found.rule_id:<{width}}  {shown(found.message)}"


def _summary(report: DoctorReport) -> str:
    judged = _count(report.files, "file")
    if not report.findings:
        return f"{judged} judged, nothing found"
    parts = [
        _count(number, noun)
        for number, noun in (
            (report.errors, "error"),
            (report.warnings_count, "warning"),
            (report.infos, "note"),
        )
        if number
    ]
    fixable = sum(found.fixable for found in report.findings)
    tail = f"; {fixable:,} can be mended without a decision" if fixable else ""
    return f"{judged} judged: {', '.join(parts)}{tail}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"
