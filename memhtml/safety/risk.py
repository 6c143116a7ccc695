"""What a text would do if somebody followed it: secrets, destructive commands, production, words to the model."""

from collections.abc import Iterable

from memhtml.safety.codes import RISK_FLAGS, RiskCode, RiskFinding, RiskFlag
from memhtml.safety.secrets import find_secrets
from memhtml.safety.shadow import shadow_of

__all__ = ["RISK_FLAGS", "RiskCode", "RiskFinding", "RiskFlag", "flags_of", "scan_risk"]


def scan_risk(text: str) -> tuple[RiskFinding, ...]:
    """Find what is risky in a text.

    Shapes: any text, lone surrogates included; findings may overlap, since one command can be risky twice.
    Order: by place, then by code.
    Errors: none; total, and linear in the length of the text.
    """
    # Compiling these patterns costs some milliseconds, which whoever only looks for secrets shall not pay.
    from memhtml.safety.commands import risky_commands
    from memhtml.safety.phrases import risky_phrases

    shadow = shadow_of(text)
    findings = {RiskFinding(RiskCode.SECRET, secret.start, secret.end) for secret in find_secrets(text)}
    findings.update(risky_commands(shadow))
    findings.update(risky_phrases(shadow, shadow.lower()))
    return tuple(sorted(findings, key=lambda finding: (finding.start, finding.end, finding.code)))


def flags_of(findings: Iterable[RiskFinding]) -> frozenset[RiskFlag]:
    """Return the flags that any of the findings raises."""
    return frozenset(flag for finding in findings for flag in finding.flags)
