"""The closed vocabulary of findings."""

import pytest

from memhtml.doctor.findings import (
    CODES,
    FailOn,
    FindingCode,
    Severity,
    code_of_rule,
    finding,
    order_of,
)
from memhtml.format.rules import RULES, ViolationCode
from memhtml.values import MemoryPath, SkipCode


def test_every_code_says_what_it_means_and_what_to_do() -> None:
    assert set(CODES) == set(FindingCode)
    for code, known in CODES.items():
        assert known.meaning.endswith("."), code
        assert known.cure.endswith("."), code
        assert known.meaning != known.cure


def test_every_reason_to_leave_a_file_out_of_the_index_is_a_finding() -> None:
    assert {code.value for code in SkipCode} <= {code.value for code in FindingCode}


@pytest.mark.parametrize("rule", ViolationCode)
def test_a_rule_of_the_format_is_found_as_severely_as_it_refuses(rule: ViolationCode) -> None:
    code = code_of_rule(rule)
    if RULES[rule].severity.value == "error":
        assert code is FindingCode.FORMAT_VIOLATION
    elif RULES[rule].severity.value == "warning":
        assert code is FindingCode.FORMAT_WARNING
    else:
        assert code in {FindingCode.MARKUP_UNSAFE, FindingCode.WRITE_LIMIT}


def test_what_acts_on_a_reader_is_an_error_and_what_is_merely_large_is_not() -> None:
    assert CODES[code_of_rule(ViolationCode.URL_SCRIPT)].severity is Severity.ERROR
    assert CODES[code_of_rule(ViolationCode.HIDDEN_CONTENT)].severity is Severity.ERROR
    assert CODES[code_of_rule(ViolationCode.FILE_LARGE)].severity is Severity.WARNING


@pytest.mark.parametrize(
    ("fail_on", "counting"),
    [
        (FailOn.ERROR, {Severity.ERROR}),
        (FailOn.WARNING, {Severity.ERROR, Severity.WARNING}),
        (FailOn.INFO, set(Severity)),
        (FailOn.NEVER, set()),
    ],
)
def test_a_finding_counts_from_the_severity_that_was_asked_for(
    fail_on: FailOn, counting: set[Severity]
) -> None:
    assert {severity for severity in Severity if fail_on.counts(severity)} == counting


def test_findings_stand_by_path_line_and_code_with_those_about_no_file_first() -> None:
    a, b = MemoryPath("areas/a.html"), MemoryPath("areas/b.html")
    expected = [
        finding(FindingCode.TREE_DIRTY, "x"),
        finding(FindingCode.FORMAT_HASH_STALE, "x", a),
        finding(FindingCode.LINK_DANGLING, "x", a, 2, subject="blocks c"),
        finding(FindingCode.LINK_DANGLING, "x", a, 2, subject="blocks d"),
        finding(FindingCode.FORMAT_WARNING, "x", a, 10),
        finding(FindingCode.NOT_UTF8, "x", b, 1),
    ]
    shuffled = expected[::-1]
    assert sorted(shuffled, key=order_of) == expected
