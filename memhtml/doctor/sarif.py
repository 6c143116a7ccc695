"""The report as SARIF 2.1.0, for code scanning.

Paths are relative to the top of the repository, since that is what a scanner's user sees. A fingerprint names code,
rule, path and subject and leaves the line out, so that an edit above a finding does not make it a new one.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from blake3 import blake3

from memhtml import __version__
from memhtml.doctor.findings import CODES, Finding, FindingCode, Severity, code_of_rule
from memhtml.doctor.report import DoctorReport, shown
from memhtml.format.rules import RULES, ViolationCode

__all__ = ["SCHEMA", "render_sarif", "sarif_document", "uri_of"]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_BASE: Final = "%SRCROOT%"

Json = dict[str, object]


def render_sarif(report: DoctorReport) -> str:
    """Return the report as one SARIF log, in ASCII."""
    return json.dumps(sarif_document(report), indent=2)


def sarif_document(report: DoctorReport) -> Json:
    """Return the SARIF log as JSON values; the rules are the whole vocabulary, whatever was found."""
    rules = list(_rules())
    numbers = {str(rule["id"]): number for number, rule in enumerate(rules)}
    run: Json = {
        "tool": {
            "driver": {
                "name": "memhtml doctor",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": rules,
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": "The top of the repository."}}},
        "invocations": [
            {
                "executionSuccessful": not any(f.code is FindingCode.CHECK_FAILED for f in report.findings),
                "exitCode": report.exit_status,
            }
        ],
        "results": list(_results(report.findings, report.prefix, numbers)),
    }
    if report.head_sha is not None:
        run["automationDetails"] = {"id": f"memhtml-doctor/{report.head_sha}"}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules() -> Iterator[Json]:
    of_rules = {code_of_rule(rule) for rule in ViolationCode}
    for code, known in CODES.items():
        yield _rule(code.value, known.severity, known.meaning, known.cure)
        if code in of_rules:
            for rule in ViolationCode:
                if code_of_rule(rule) is code:
                    yield _rule(f"{code}/{rule}", known.severity, RULES[rule].meaning, known.cure)


def _rule(rule_id: str, severity: Severity, meaning: str, cure: str) -> Json:
    return {
        "id": rule_id,
        "name": "".join(word.capitalize() for word in rule_id.replace("/", "-").replace("_", "-").split("-")),
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": meaning},
        "help": {"text": cure},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {"problem.severity": "recommendation" if severity is Severity.INFO else severity.value},
    }


def _results(findings: Iterable[Finding], prefix: str, numbers: dict[str, int]) -> Iterator[Json]:
    seen: Counter[str] = Counter()
    for found in findings:
        print_ = _fingerprint(found)
        seen[print_] += 1
        yield {
            "ruleId": found.rule_id,
            "ruleIndex": numbers[found.rule_id],
            "level": _LEVELS[found.severity],
            "message": {"text": shown(found.message)},
            "locations": [{"physicalLocation": _location(found, prefix)}],
            "partialFingerprints": {
                "memhtmlFinding/v1": f"{print_}:{seen[print_]}",
                # The name that GitHub matches alerts by; without it, it would hash the text around the line.
                "primaryLocationLineHash": f"{print_[:16]}:{seen[print_]}",
            },
        }


def _fingerprint(found: Finding) -> str:
    parts = json.dumps((found.rule_id, found.path, found.subject))
    return blake3(parts.encode()).hexdigest()[:32]


def _location(found: Finding, prefix: str) -> Json:
    path = found.path if found.path is not None else CODES[found.code].place
    location: Json = {"artifactLocation": {"uri": uri_of(prefix, path), "uriBaseId": _BASE}}
    if found.path is not None:
        location["region"] = {"startLine": found.line or 1}
    return location


def uri_of(prefix: str, path: str) -> str:
    """Return a path below the store's folder as a relative URI reference from the top of the repository."""
    whole = f"{prefix}/{path}" if prefix and path != "." else prefix or path
    # A first segment with a colon would read as a scheme, and quote() escapes colons only if told so.
    return quote(whole, safe="/", errors="surrogatepass")
