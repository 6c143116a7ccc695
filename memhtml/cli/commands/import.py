from pathlib import Path

from memhtml.app.exchange import ImportChoices, ImportReport, import_notes
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.cli.provenance_flags import allowed_in
from memhtml.cli.terminal import Paint, plural, safe
from memhtml.exchange.fields import author_of
from memhtml.settings import expand
from memhtml.values import MemoryType

#: Refusals that a person is shown; programs get all of them.
_SHOWN = 20


def run(call: Call, context: Context) -> Outcome:
    """Import the notes of a source."""
    kind = call.text("type")
    choices = ImportChoices(
        tags=call.texts("tag"),
        workspace=call.text("workspace") or "",
        author=author_of(call.text("author") or ""),
        memory_type=None if kind is None else MemoryType(kind),
        name=call.text("name") or "",
        allowed_secrets=allowed_in(call),
    )
    source: Path = expand(call.word("source") or "")
    with context.waiting("importing"):
        report = import_notes(
            context.store(call),
            source,
            choices=choices,
            branch=call.text("branch"),
            dry_run=call.switch("dry-run"),
            embed=call.switch("embed"),
        )
    return Outcome("import.report", report, lambda paint: _text(report, paint))


def _text(report: ImportReport, paint: Paint) -> str:
    memories = plural(len(report.imported), "memory", "memories")
    name = safe(report.source)
    if report.is_dry_run:
        lines = [f"{paint.yellow('would import')} {memories} from {name}"]
    elif report.commit_sha is None:
        lines = [f"nothing to import from {name}"]
    else:
        where = f" on the branch {safe(report.branch)}" if report.branch else ""
        lines = [f"{paint.green('imported')} {memories} from {name} as {report.commit_sha[:12]}{where}"]
    if report.deduplicated:
        lines.append(f"known already: {plural(len(report.deduplicated), 'note')}")
    if report.ignored:
        lines.append(f"passed over: {plural(report.ignored, 'file')} of other kinds")
    lines += [
        f"{paint.yellow(f'refused {each.code}')} {safe(each.source)}: {each.reason}"
        for each in report.refused[:_SHOWN]
    ]
    if len(report.refused) > _SHOWN:
        lines.append(f"and {len(report.refused) - _SHOWN:,} more; --json lists all of them")
    lines += [paint.yellow(warning) for warning in report.warnings]
    return "\n".join(lines)
