"""The report as a value and as text."""

import random

from unit.doctor.reports import A, B, report_of, some_findings

from memhtml.doctor.findings import FailOn, FindingCode, finding
from memhtml.doctor.report import render_text, shown
from memhtml.values import MemoryPath


def test_the_report_counts_what_was_found_and_is_not_healthy() -> None:
    report = report_of(some_findings())
    assert (report.errors, report.warnings_count, report.infos) == (2, 3, 1)
    assert not report.healthy
    assert not report.passed
    assert report.exit_status == 1


def test_a_store_with_mere_notes_is_healthy_and_fails_only_who_asks_for_notes() -> None:
    notes = [finding(FindingCode.TREE_DIRTY, "1 file differs from what is committed")]
    assert report_of(notes).healthy
    assert report_of(notes).exit_status == 0
    assert report_of(notes, fail_on=FailOn.INFO).exit_status == 1
    assert report_of(some_findings(), fail_on=FailOn.NEVER).exit_status == 0


def test_lists_of_the_report_are_made_from_its_findings() -> None:
    report = report_of(some_findings())
    assert report.unparseable == (A,)
    (warned,) = report.warnings
    assert warned.path == B
    assert warned.warnings == ("the element h1 is outside the format's vocabulary",)


def test_a_duplicate_is_no_file_that_cannot_be_parsed() -> None:
    duplicate = finding(FindingCode.DUPLICATE_CONTENT, "says the same as areas/x.html", A)
    assert report_of([duplicate]).unparseable == ()


def test_the_order_in_which_checks_ran_does_not_show() -> None:
    findings = some_findings()
    expected = report_of(findings)
    for seed in range(5):
        random.Random(seed).shuffle(findings)
        assert report_of(findings) == expected


def test_the_text_has_one_heading_a_file_one_line_a_finding_and_a_summary() -> None:
    assert render_text(report_of(some_findings())) == (
        "the store\n"
        "     -  warning  INDEX_STALE  the index describes commit a, and the repository is at b\n"
        "     -  info     TREE_DIRTY   1 file differs from what is committed\n"
        "\n"
        "areas/inbox/b, c: 100%.html\n"
        "     -  warning  FORMAT_HASH_STALE               memhtml-content-hash names no hash\n"
        "     3  error    LINK_DANGLING                   the blocks link leads to areas/x.html, where no file is\n"
        "     9  warning  FORMAT_WARNING/element-unknown  the element h1 is outside the format's vocabulary\n"
        "\n"
        "projects/kettle/a.html\n"
        "    12  error    FORMAT_VIOLATION/mark-missing  the article has no mark element\n"
        "\n"
        "2 files judged: 2 errors, 3 warnings, 1 note; 2 can be mended without a decision"
    )


def test_a_clean_store_is_one_line() -> None:
    assert render_text(report_of([])) == "2 files judged, nothing found"


def test_a_path_cannot_drive_the_terminal() -> None:
    hostile = MemoryPath("areas/\x1b[2Ja\nb\u202e\U000e0001.html")
    text = render_text(report_of([finding(FindingCode.NOT_UTF8, "bad", hostile, 1)]))
    assert "areas/\\x1b[2Ja\\x0ab\\u202e\\U000e0001.html\n" in text
    assert "\x1b" not in text


def test_printable_text_is_shown_as_it_is() -> None:
    assert shown("areas/größe 設定.html") == "areas/größe 設定.html"
