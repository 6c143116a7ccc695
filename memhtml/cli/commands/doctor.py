from memhtml.app.health import check_store
from memhtml.cli.doctor_text import document_of, painted
from memhtml.cli.outcome import Context, Outcome
from memhtml.cli.parsing import Call
from memhtml.doctor.findings import FailOn


def run(call: Call, context: Context) -> Outcome:
    """Check the store; the exit status is 1 where a finding counts."""
    with context.waiting("checking the store"):
        report = check_store(
            context.root(call).root,
            embed=context.settings().embed,
            committed=call.switch("committed"),
            fail_on=FailOn(call.text("fail-on") or FailOn.ERROR),
        )
    return Outcome(
        "doctor.report",
        report,
        lambda paint: painted(report, paint),
        status=report.exit_status,
        document=document_of(report, call.text("format"), dense=call.switch("dense")),
    )
