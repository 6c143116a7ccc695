"""What a secret or a risk can be, as closed vocabularies, and where one stands.

Codes are public: they stand in redaction markers, in findings, and behind the flag that allows a false alarm. They are
append-only. The order of `SecretCode` is one of precedence: where two rules claim one place, the earlier code names it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["RISK_FLAGS", "RiskCode", "RiskFinding", "RiskFlag", "Secret", "SecretCode"]


class SecretCode(StrEnum):
    PRIVATE_KEY = "PRIVATE_KEY"
    AWS_ACCESS_KEY = "AWS_ACCESS_KEY"
    AWS_SECRET_KEY = "AWS_SECRET_KEY"
    GITHUB_TOKEN = "GITHUB_TOKEN"
    GITLAB_TOKEN = "GITLAB_TOKEN"
    SLACK_TOKEN = "SLACK_TOKEN"
    SLACK_WEBHOOK = "SLACK_WEBHOOK"
    STRIPE_KEY = "STRIPE_KEY"
    ANTHROPIC_KEY = "ANTHROPIC_KEY"
    OPENAI_KEY = "OPENAI_KEY"
    GOOGLE_API_KEY = "GOOGLE_API_KEY"
    NPM_TOKEN = "NPM_TOKEN"
    PYPI_TOKEN = "PYPI_TOKEN"
    #: A token with the published prefix of a vendor that has no code of its own.
    VENDOR_TOKEN = "VENDOR_TOKEN"
    JWT = "JWT"
    URL_CREDENTIALS = "URL_CREDENTIALS"
    BEARER_TOKEN = "BEARER_TOKEN"
    PASSWORD_ASSIGNMENT = "PASSWORD_ASSIGNMENT"
    KEY_NAME_ASSIGNMENT = "KEY_NAME_ASSIGNMENT"
    HIGH_ENTROPY = "HIGH_ENTROPY"


@dataclass(frozen=True, slots=True)
class Secret:
    """The place of a secret in a text, never its words.

    Units: `start` and `end` count code points, as `str` slices do.
    """

    code: SecretCode
    start: int
    end: int


class RiskFlag(StrEnum):
    """What a gate decides by: the first three keep a text out of every prompt, the last one only warns."""

    CONTAINS_SECRET = "contains_secret"
    DESTRUCTIVE_COMMAND = "destructive_command"
    TOOL_SENSITIVE = "tool_sensitive"
    PRODUCTION_ENV = "production_env"


class RiskCode(StrEnum):
    """Why a text is risky."""

    SECRET = "SECRET"
    RECURSIVE_DELETE = "RECURSIVE_DELETE"
    FORCED_PUSH = "FORCED_PUSH"
    DISCARDED_WORK = "DISCARDED_WORK"
    DISK_OVERWRITE = "DISK_OVERWRITE"
    DROPPED_DATA = "DROPPED_DATA"
    DELETED_RESOURCE = "DELETED_RESOURCE"
    FORK_BOMB = "FORK_BOMB"
    OPEN_PERMISSIONS = "OPEN_PERMISSIONS"
    REMOTE_SCRIPT = "REMOTE_SCRIPT"
    PRODUCTION_ACTION = "PRODUCTION_ACTION"
    PRODUCTION_MENTION = "PRODUCTION_MENTION"
    SECRET_MENTION = "SECRET_MENTION"
    PROMPT_INJECTION = "PROMPT_INJECTION"


_DESTRUCTIVE: Final = frozenset({RiskFlag.DESTRUCTIVE_COMMAND, RiskFlag.TOOL_SENSITIVE})
_SENSITIVE: Final = frozenset({RiskFlag.TOOL_SENSITIVE})

#: A phrase that addresses the model raises no flag: the text may be about such phrases. Who shows it marks it.
RISK_FLAGS: Final[dict[RiskCode, frozenset[RiskFlag]]] = {
    RiskCode.SECRET: frozenset({RiskFlag.CONTAINS_SECRET}),
    RiskCode.RECURSIVE_DELETE: _DESTRUCTIVE,
    RiskCode.FORCED_PUSH: _DESTRUCTIVE,
    RiskCode.DISCARDED_WORK: _DESTRUCTIVE,
    RiskCode.DISK_OVERWRITE: _DESTRUCTIVE,
    RiskCode.DROPPED_DATA: _DESTRUCTIVE,
    RiskCode.DELETED_RESOURCE: _DESTRUCTIVE,
    RiskCode.FORK_BOMB: _DESTRUCTIVE,
    RiskCode.OPEN_PERMISSIONS: _SENSITIVE,
    RiskCode.REMOTE_SCRIPT: _SENSITIVE,
    RiskCode.PRODUCTION_ACTION: frozenset({RiskFlag.TOOL_SENSITIVE, RiskFlag.PRODUCTION_ENV}),
    RiskCode.PRODUCTION_MENTION: frozenset({RiskFlag.PRODUCTION_ENV}),
    RiskCode.SECRET_MENTION: _SENSITIVE,
    RiskCode.PROMPT_INJECTION: frozenset(),
}


@dataclass(frozen=True, slots=True)
class RiskFinding:
    """The place of a risk in a text.

    Units: `start` and `end` count code points, as `str` slices do.
    """

    code: RiskCode
    start: int
    end: int

    @property
    def flags(self) -> frozenset[RiskFlag]:
        return RISK_FLAGS[self.code]
