"""Secrets, redaction and risk in free text, pure: text in, findings out.

Whoever stores what was found beside a text stores `RULE_SET_VERSION` with it: another version may find otherwise.
"""

from typing import Final

from memhtml.safety.codes import RISK_FLAGS, RiskCode, RiskFinding, RiskFlag, Secret, SecretCode
from memhtml.safety.redaction import Redacted, redact
from memhtml.safety.risk import flags_of, scan_risk
from memhtml.safety.secrets import find_secrets

__all__ = [
    "RISK_FLAGS",
    "RULE_SET_VERSION",
    "Redacted",
    "RiskCode",
    "RiskFinding",
    "RiskFlag",
    "Secret",
    "SecretCode",
    "find_secrets",
    "flags_of",
    "redact",
    "scan_risk",
]

#: Changes whenever a rule finds more or less than before; it stands in reports and policy snapshots.
RULE_SET_VERSION: Final = "safety-1"
