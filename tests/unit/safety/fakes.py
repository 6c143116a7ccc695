"""Fake secrets, put together from parts, so that no scanner finds one in this repository."""

import base64
import string

from hypothesis import strategies as st

ALPHANUMERIC = string.ascii_letters + string.digits
UPPER_DIGITS = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
BASE64 = ALPHANUMERIC + "+/"
DASHES = "-" * 5


def drawn(length: int, alphabet: str = ALPHANUMERIC, seed: int = 1) -> str:
    """Return characters that look drawn, the same at every call."""
    state, characters = seed * 7919 + length, []
    for _ in range(length):
        state = (state * 1103515245 + 12345) % 2**31
        characters.append(alphabet[(state >> 12) % len(alphabet)])
    return "".join(characters)


def _segment(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def web_token() -> str:
    return ".".join([_segment('{"alg":"HS256","typ":"JWT"}'), _segment('{"sub":"1234567890"}'), drawn(43)])


def private_key(kind: str = "RSA ", *, lines: int = 6, end: bool = True) -> str:
    body = "\n".join(drawn(64, BASE64, seed) for seed in range(1, lines + 1))
    footer = f"\n{DASHES}END {kind}PRIVATE KEY{DASHES}" if end else ""
    return f"{DASHES}BEGIN {kind}PRIVATE KEY{DASHES}\n{body}{footer}"


def private_key_in_base64() -> str:
    return base64.b64encode(private_key().encode()).decode()


#: Pieces that the rules know, to be put together in any order.
_PIECES = [
    *("password", "passwd", "pass", "pwd", "secret", "token", "api_key", "access key", "credentials"),
    *(
        "Authorization",
        "Bearer",
        "basic",
        "--token",
        "login",
        " is ",
        " = ",
        ": ",
        "=",
        ":",
        "=>",
        "s",
        "_",
        "-",
    ),
    *(
        '"',
        "'",
        "`",
        '\\"',
        "&quot;",
        "<b>",
        "</code>",
        "**",
        "(",
        "[",
        "{",
        "]",
        " ",
        "\n",
        "\t",
        ",",
        ".",
        ";",
    ),
    *("gh" + "p_", "sk" + "-", "sk-" + "ant-", "AK" + "IA", "xox" + "b-", "gl" + "pat-", "ey" + "J", "SG."),
    *(DASHES + "BEGIN PRIVATE KEY" + DASHES, DASHES + "END PRIVATE KEY" + DASHES, "LS0tLS1" + "CRUdJTiBQUk"),
    *("://", "@", "https://", "admin:", "localhost", "?sig=", "sha256:", ";base64,", "[redacted:", "JWT]"),
    *(
        "hunter2",
        "s3cr3t!",
        "example",
        "xxxx",
        "${X}",
        "your-",
        drawn(8),
        drawn(20),
        drawn(40),
        drawn(16, UPPER_DIGITS),
    ),
    *(drawn(64, HEX), drawn(40, BASE64, 2), web_token(), "é", "日本", "😀", "\ud800", "\x00", "：", "“", "”"),
]


def secret_like_texts() -> st.SearchStrategy[str]:
    """Return texts that come close to every rule, and any other text."""
    return st.one_of(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join), st.text())
