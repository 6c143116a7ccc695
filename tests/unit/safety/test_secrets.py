"""Secrets in text: each kind is found, at its place, and what only looks like one is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.safety import fakes
from unit.safety.fakes import HEX, UPPER_DIGITS, drawn

from memhtml.safety import Secret, SecretCode, find_secrets
from memhtml.safety.entropy import MAX_LENGTH, MIN_LENGTH

#: Every code, with tokens of its kind that must be found whole.
TOKENS = [
    (SecretCode.AWS_ACCESS_KEY, "AKIA" + drawn(16, UPPER_DIGITS)),
    (SecretCode.AWS_ACCESS_KEY, "ASIA" + drawn(16, UPPER_DIGITS, 2)),
    (SecretCode.AWS_ACCESS_KEY, "AKIA" + "IOSFODNN7" + "EXAMPLE"),
    (SecretCode.GITHUB_TOKEN, "ghp_" + drawn(36)),
    (SecretCode.GITHUB_TOKEN, "gho_" + "a" * 36),
    (SecretCode.GITHUB_TOKEN, "ghs_" + drawn(36, seed=3)),
    (SecretCode.GITHUB_TOKEN, "github_pat_" + drawn(22) + "_" + drawn(59)),
    (SecretCode.GITLAB_TOKEN, "glpat-" + drawn(20)),
    (SecretCode.SLACK_TOKEN, "xoxb-" + "123456789012-1234567890123-" + drawn(24)),
    (SecretCode.SLACK_TOKEN, "xapp-" + "1-A0123456789-" + drawn(24)),
    (SecretCode.SLACK_WEBHOOK, "hooks.slack.com/services/" + "T0123ABCD/B0123ABCD/" + drawn(24)),
    (SecretCode.STRIPE_KEY, "sk_live_" + drawn(24)),
    (SecretCode.STRIPE_KEY, "rk_test_" + drawn(24)),
    (SecretCode.ANTHROPIC_KEY, "sk-ant-" + "api03-" + drawn(93)),
    (SecretCode.OPENAI_KEY, "sk-" + drawn(48)),
    (SecretCode.OPENAI_KEY, "sk-" + drawn(16)),
    (SecretCode.OPENAI_KEY, "sk-proj-" + drawn(40) + "_" + drawn(40)),
    (SecretCode.GOOGLE_API_KEY, "AIza" + drawn(35)),
    (SecretCode.NPM_TOKEN, "npm_" + drawn(36)),
    (SecretCode.PYPI_TOKEN, "pypi-" + "AgEIcHlwaS5vcmc" + drawn(60)),
    (SecretCode.VENDOR_TOKEN, "hf_" + drawn(34)),
    (SecretCode.VENDOR_TOKEN, "SG." + drawn(22) + "." + drawn(43)),
    (SecretCode.VENDOR_TOKEN, "dop_v1_" + drawn(64, HEX)),
    (SecretCode.VENDOR_TOKEN, "123456789:AA" + drawn(33)),
    (SecretCode.JWT, fakes.web_token()),
    (SecretCode.PRIVATE_KEY, fakes.private_key()),
    (SecretCode.PRIVATE_KEY, fakes.private_key("")),
    (SecretCode.PRIVATE_KEY, fakes.private_key("OPENSSH ")),
    (SecretCode.PRIVATE_KEY, fakes.private_key("EC ", lines=1)),
    (SecretCode.PRIVATE_KEY, fakes.private_key(end=False)),
    (SecretCode.PRIVATE_KEY, fakes.private_key_in_base64()),
    (SecretCode.HIGH_ENTROPY, drawn(40)),
    (SecretCode.HIGH_ENTROPY, drawn(40, fakes.BASE64, 5)),
    (SecretCode.HIGH_ENTROPY, drawn(86, fakes.ALPHANUMERIC + "-_", 7) + "=="),
]

#: Contexts, the secret in angles, its code.
CONTEXTS = [
    (f"aws_secret_access_key = ‹{drawn(40, fakes.BASE64)}›", SecretCode.AWS_SECRET_KEY),
    (
        f'AWS_SECRET_ACCESS_KEY: "‹{"wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"}›"',
        SecretCode.AWS_SECRET_KEY,
    ),
    ("postgres://‹admin:hunter2›@db.internal/app", SecretCode.URL_CREDENTIALS),
    (f"see https://‹alice:{drawn(12)}›@example.com/x.", SecretCode.URL_CREDENTIALS),
    ("redis://‹:s3cret42›@cache:6379", SecretCode.URL_CREDENTIALS),
    (f"git clone https://‹{drawn(40, HEX)}›@github.com/a/b", SecretCode.URL_CREDENTIALS),
    (f"https://x.blob.example.net/a?sv=2&sig=‹{drawn(43) + '%3D'}›", SecretCode.URL_CREDENTIALS),
    (f"Authorization: Bearer ‹{drawn(20)}›", SecretCode.BEARER_TOKEN),
    (f'-H "Authorization: token ‹{drawn(12)}›"', SecretCode.BEARER_TOKEN),
    (f"authorization: ‹{drawn(16)}›", SecretCode.BEARER_TOKEN),
    ("sends Basic ‹dXNlcjpwYXNz" + "d29yZDEy› along", SecretCode.BEARER_TOKEN),
    ("password=‹hunter2›", SecretCode.PASSWORD_ASSIGNMENT),
    ("password: ‹hunter2›.", SecretCode.PASSWORD_ASSIGNMENT),
    ("The password is ‹hunter2›, as ever", SecretCode.PASSWORD_ASSIGNMENT),
    ("Password：‹hunter2›", SecretCode.PASSWORD_ASSIGNMENT),
    ("password = “‹hunter2›”", SecretCode.PASSWORD_ASSIGNMENT),
    ("password is `‹swordfish›`", SecretCode.PASSWORD_ASSIGNMENT),
    ('"password": "‹supersecret›",', SecretCode.PASSWORD_ASSIGNMENT),
    ('{\\"password\\": \\"‹supersecret›\\"}', SecretCode.PASSWORD_ASSIGNMENT),
    ("<code>password=&quot;‹swordfish›&quot;</code>", SecretCode.PASSWORD_ASSIGNMENT),
    ("<b>password</b>: <code>‹hunter2›</code>", SecretCode.PASSWORD_ASSIGNMENT),
    ("**Password:** ‹hunter2›", SecretCode.PASSWORD_ASSIGNMENT),
    ("export DB_PASSWORD=‹swordfish›", SecretCode.PASSWORD_ASSIGNMENT),
    ("?user=a&password=‹p4ssw0rd›&x=1", SecretCode.PASSWORD_ASSIGNMENT),
    ("mysql --password ‹hunter2› app", SecretCode.PASSWORD_ASSIGNMENT),
    ("machine x login bob password ‹s3same›", SecretCode.PASSWORD_ASSIGNMENT),
    ("Server=x;Pwd=‹hunter2›;", SecretCode.PASSWORD_ASSIGNMENT),
    ("passphrase: '‹größe-42›'", SecretCode.PASSWORD_ASSIGNMENT),
    (f"api_key = ‹{drawn(24)}›", SecretCode.KEY_NAME_ASSIGNMENT),
    (f"X-Api-Key: ‹{drawn(32, HEX)}›", SecretCode.KEY_NAME_ASSIGNMENT),
    (f'"clientSecret" : "‹{drawn(16)}›"', SecretCode.KEY_NAME_ASSIGNMENT),
    (f"session_token=‹{drawn(32)}›; path=/", SecretCode.KEY_NAME_ASSIGNMENT),
    (f"run --token ‹{drawn(18)}› now", SecretCode.KEY_NAME_ASSIGNMENT),
    (f"SECRET_KEY_BASE=‹{drawn(128, HEX)}›", SecretCode.KEY_NAME_ASSIGNMENT),
    (f"token: ‹{drawn(600)}›", SecretCode.KEY_NAME_ASSIGNMENT),
]

#: What stands where a secret would, and what only looks like one.
HARMLESS = [
    "",
    "The token bucket refills; the secret of good tea is the key.",
    "Pass the salt: 12 people. password reset, secretary, tokenizer, keyboard=us",
    "token: <your-key>",
    "api_key=YOUR_API_KEY",
    "api_key: xxxxxxxxxxxxxxxx1",
    "password: ********",
    "password: ${DB_PASSWORD}",
    "password=$(cat file1)",
    "password: {{ vault.pass1 }}",
    "PASSWORD=$PGPASSWORD",
    "password = changeme",
    "password: 'example1'",
    "password: string; token?: string",
    "password = getpass.getpass()",
    "token = generate_token2(user)",
    'api_key = os.environ["API_KEY1"]',
    "secret: process.env.SECRET_2",
    "password = config.database.password1",
    '"password": "Passwort", "token": "Zeichen"',
    '"password": "Contraseña"',
    "max_tokens: 4096, input_tokens=12345678",
    "secretName: my-app-secret-v2",
    "token = 123e4567-e89b-12d3-a456-426614174000",
    "private_key: /etc/ssl/server1.pem",
    "credentials: arn:aws:iam::123456789012:role/deploy2",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "Bearer authentication-and-authorization",
    "basic internationalization",
    "https://example.com:8080/a@b",
    "ssh://git@github.com/a/b.git",
    "postgres://user:password@localhost/db",
    "postgres://postgres:postgres@localhost:5432/postgres",
    "https://user:${PASS}@example.com",
    "https://<user>:<password>@example.com",
    "commit " + drawn(40, HEX),
    "blake3:" + drawn(64, HEX),
    "sha256:" + drawn(64, HEX),
    "sha512-" + drawn(86) + "==",
    '"integrity": "sha384-' + drawn(64) + '"',
    "h1:" + drawn(43) + "=",
    "uuid 123E4567-E89B-12D3-A456-426614174000",
    "ssh-rsa " + "AAAAB3N" + drawn(120),
    "ssh-ed25519 " + "AAAAC3N" + drawn(60),
    "data:image/png;base64," + drawn(200),
    "iVBORw0KGgo" + drawn(200),
    "toolu_" + "01" + drawn(22) + " msg_" + "01" + drawn(22),
    "https://docs.example.com/document/d/" + drawn(44),
    "https://play.example.org/?code=" + drawn(120),
    "getUserAccountManagerFactoryBean2ForTheTenantResolver",
    "/usr/local/Cellar/Python3/3.11.7_1/Frameworks/Versions/Current",
    "SCREAMING_SNAKE_CASE_WITH_2_NUMBERS_AND_MORE",
    "2026-02-23T12:40:23+00:00",
    drawn(MAX_LENGTH + 50),
    drawn(MIN_LENGTH - 1),
    "ghp_" + "x" * 36,
    "AKIA" + "X" * 16,
    "sk-ant-" + "your-api-key-goes-here",
    "glpat-" + "this-is-where-it-goes",
    "sk-learn and sk-folding-cube",
    "pk_live_" + drawn(24, "abcdef"),
    f"a file that starts with {fakes.DASHES}BEGIN PRIVATE KEY{fakes.DASHES} is a key",
    f"{fakes.DASHES}BEGIN PRIVATE KEY{fakes.DASHES}\n...\n{fakes.DASHES}END PRIVATE KEY{fakes.DASHES}",
    f"{fakes.DASHES}BEGIN PUBLIC KEY{fakes.DASHES}\n{drawn(64, HEX)}\n{fakes.DASHES}END PUBLIC KEY{fakes.DASHES}",
    "-----BEGIN CERTIFICATE-----",
    "[redacted:GITHUB_TOKEN] and password=[redacted:PASSWORD_ASSIGNMENT]",
]


def cut(text: str) -> list[tuple[SecretCode, str]]:
    return [(secret.code, text[secret.start : secret.end]) for secret in find_secrets(text)]


def test_every_code_has_a_case() -> None:
    assert {code for code, _ in TOKENS} | {code for _, code in CONTEXTS} == set(SecretCode)


@pytest.mark.parametrize(("code", "token"), TOKENS, ids=[f"{code}-{i}" for i, (code, _) in enumerate(TOKENS)])
@pytest.mark.parametrize(
    "around", ["{}", "see {} there", "({})", "`{}`", "x\n{}\ny", "<code>{}</code>", "日本 “{}”。", "😀{}"]
)
def test_a_token_is_found_whole_wherever_it_stands(code: SecretCode, token: str, around: str) -> None:
    assert cut(around.format(token)) == [(code, token)]


@pytest.mark.parametrize(("context", "code"), CONTEXTS, ids=range(len(CONTEXTS)))
def test_a_value_is_found_by_what_stands_before_it(context: str, code: SecretCode) -> None:
    start, end = context.index("‹"), context.index("›") - 1
    text = context.replace("‹", "").replace("›", "")
    assert find_secrets(text) == (Secret(code, start, end),)


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
def test_placeholders_names_code_digests_and_prose_are_no_secrets(text: str) -> None:
    assert cut(text) == []


def test_a_named_vendor_token_keeps_the_vendors_code() -> None:
    token = "ghp_" + drawn(36)
    assert cut(f"token={token}") == [(SecretCode.GITHUB_TOKEN, token)]


def test_several_secrets_come_in_order() -> None:
    first, second = "ghp_" + drawn(36), "AKIA" + drawn(16, UPPER_DIGITS)
    assert [code for code, _ in cut(f"{first}, {second} and password=hunter2")] == [
        SecretCode.GITHUB_TOKEN,
        SecretCode.AWS_ACCESS_KEY,
        SecretCode.PASSWORD_ASSIGNMENT,
    ]


def test_a_key_with_escaped_line_breaks_is_one_secret() -> None:
    text = '{"private_key": "' + fakes.private_key("").replace("\n", "\\n") + '"}'
    assert [code for code, _ in cut(text)] == [SecretCode.PRIVATE_KEY]


def test_a_finding_never_holds_the_secret() -> None:
    token = "ghp_" + drawn(36)
    assert token not in repr(find_secrets(token))


@given(secret_like_texts := fakes.secret_like_texts())
def test_findings_are_ordered_disjoint_and_inside_the_text(text: str) -> None:
    place = 0
    for secret in find_secrets(text):
        assert place <= secret.start < secret.end <= len(text)
        place = secret.end


@given(secret_like_texts, st.text(alphabet="😀日é\ud800𝔘", min_size=1, max_size=20))
def test_characters_beyond_ascii_move_findings_by_their_number(text: str, front: str) -> None:
    shift = len(front) + 1
    moved = tuple(Secret(s.code, s.start + shift, s.end + shift) for s in find_secrets(text))
    assert find_secrets(f"{front}\n{text}") == moved
