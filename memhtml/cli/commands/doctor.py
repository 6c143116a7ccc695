from memhtml.app.health import check_store
from memhtml.cli.doctor_text import document_of, painted, repairs_text
from memhtml.cli.envelope import jsonable
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.doctor.findings import FailOn
from memhtml.doctor.report import DoctorReport
from memhtml.errors import InvalidFlag


def run(call: Call, context: Context) -> Outcome:
    """Check the store, and mend it where that is asked for; the exit status is 1 where a finding counts."""
    fail_on = FailOn(call.text("fail-on") or FailOn.ERROR)
    is_fix, is_dry = call.switch("fix"), call.switch("dry-run")
    if is_dry and not is_fix:
        raise InvalidFlag("--dry-run goes with --fix", hints=("memhtml doctor --fix --dry-run",))
    if is_fix and call.switch("committed"):
        raise InvalidFlag("--fix looks at the working tree too", hints=("memhtml doctor --fix",))

    if call.switch("staged"):
        if is_fix or call.switch("committed"):
            raise InvalidFlag("--staged stands alone", hints=("memhtml doctor --staged",))
        from memhtml.app.staged import check_staged

        report = check_staged(context.root(call).root, fail_on=fail_on)
        return _outcome(call, report, report, "")

    def check() -> DoctorReport:
        return check_store(
            context.root(call).root,
            embed=context.settings().embed,
            committed=call.switch("committed"),
            fail_on=fail_on,
        )

    with context.waiting("checking the store"):
        report = check()
    if not is_fix:
        return _outcome(call, report, report, "")
    from memhtml.app.mending import mend

    with context.waiting("mending the store"):
        repaired = mend(context.store(call), report, dry_run=is_dry)
        report = report if is_dry else check()
    fields = jsonable(report)
    assert isinstance(fields, dict)
    return _outcome(call, report, {**fields, "repaired": jsonable(repaired)}, repairs_text(repaired))


def _outcome(call: Call, report: DoctorReport, data: object, before: str) -> Outcome:
    return Outcome(
        "doctor.report",
        data,
        lambda paint: before + painted(report, paint),
        status=report.exit_status,
        document=document_of(
            report, call.text("format"), dense=call.switch("dense"), data=data, before=before
        ),
    )
