"""No text costs more than a multiple of its length: each rule against what its pattern likes least."""

import time

import pytest
from unit.safety.fakes import DASHES, drawn

from memhtml.safety import redact, scan_risk

KIB = 1024
#: A linear pass takes some 0.3 s for the worst of these; a quadratic one would take minutes.
LIMIT_S = 5.0
UNITS = [
    *("sk-", "ghp_", "eyJ", "-eyJ", "eyJaaaaaaaa.", "xoxb-", "glpat-", "github_pat_", "AKIA", "SG.", "1:AA"),
    *(
        "A" * 20,
        "aB3",
        "x",
        "=",
        "-",
        "_",
        "/",
        "a.b",
        drawn(30),
        drawn(30) + "/",
        "é",
        "😀",
        "\ud800",
        " ",
        "\n",
    ),
    *(
        "://",
        ":a@",
        "://a:b@",
        "://a:",
        "https://a/",
        "?sig=",
        "hooks.slack.com/services/a/",
        "sha256:",
        "::",
    ),
    *("password=", "password=a1", "password is ", "password<b><b>", "password='", "pwd=", "pass", "key key_"),
    *(
        "token=",
        "token: ",
        'token="',
        "--token ",
        "login a ",
        "api_key=",
        "secret secret is ",
        "&quot;",
        "\\",
        "'",
    ),
    *(
        "bearer ",
        "authorization: ",
        "basic a",
        f"{DASHES}BEGIN PRIVATE KEY{DASHES}",
        f"{DASHES}END PRIVATE KEY{DASHES}",
    ),
    *(
        f"{DASHES}BEGIN PRIVATE KEY{DASHES}\nabcd\n",
        "LS0tLS1" + "CRUdJTiBSU0Eg",
        "[redacted:",
        "[redacted:JWT]a1",
    ),
    *(
        "rm ",
        "rm -",
        'rm "',
        '"rm",',
        "git ",
        "git push ",
        "chmod ",
        "aws s3 ",
        "kubectl ",
        "docker ",
        "find -exec ",
    ),
    *("curl ", "curl |", "curl a|", "bash <(", "f(){ f|f& };f", ":(){:|:", "a(){", "> /dev/", "\\\n"),
    *(
        "drop table ",
        "DELETE FROM a",
        "truncate ",
        "prod ",
        "deploy to prod ",
        "X_ENV=prod a",
        "secret ",
        "A_",
    ),
    *("ignore all ", "ignore previous ", "you are now ", "do not tell ", "show the system ", "<|", "[inst]"),
]


@pytest.mark.parametrize("unit", UNITS, ids=range(len(UNITS)))
@pytest.mark.parametrize(
    "length", [64 * KIB, pytest.param(1024 * KIB, marks=pytest.mark.deep)], ids=["64KiB", "1MiB"]
)
def test_a_unit_repeated_is_scanned_in_linear_time(unit: str, length: int) -> None:
    text = (unit * (length // len(unit) + 1))[:length]
    began = time.process_time()
    redact(text)
    scan_risk(text)
    assert time.process_time() - began < LIMIT_S * max(1, length / (128 * KIB))
