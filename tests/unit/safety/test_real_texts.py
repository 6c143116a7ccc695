"""Real notes, work items, encyclopedia pages and transcripts: every finding is listed here, and nothing else is one."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from corpora import data_dir, needs_data, read_jsonl

from memhtml.safety import RiskFlag, SecretCode, find_secrets, flags_of, redact, scan_risk

pytestmark = needs_data

TIL = "til-jbranchaud"
#: Document and kind of each finding. Each is right: something of the shape and in the place of a secret, which only
#: its author knows to be made up, expired or public; the last one is the number of an agent's session in a branch.
EXPECTED: dict[str, dict[tuple[str, SecretCode], int]] = {
    TIL: {
        ("devops/hatchbox-exports-env-vars-with-asdf.md", SecretCode.URL_CREDENTIALS): 2,
        ("devops/hatchbox-exports-env-vars-with-asdf.md", SecretCode.KEY_NAME_ASSIGNMENT): 1,
        ("postgres/force-ssl-when-making-a-psql-connection.md", SecretCode.URL_CREDENTIALS): 1,
        ("rails/check-how-database-is-configured.md", SecretCode.PASSWORD_ASSIGNMENT): 1,
        ("ruby/using-bcrypt-to-create-and-check-hashed-passwords.md", SecretCode.HIGH_ENTROPY): 1,
        ("unix/open-the-current-command-in-an-editor.md", SecretCode.STRIPE_KEY): 1,
        ("unix/open-the-current-command-in-an-editor.md", SecretCode.HIGH_ENTROPY): 1,
        ("unix/format-and-display-small-amounts-of-columnar-data.md", SecretCode.HIGH_ENTROPY): 1,
    },
    "beads-issues-spotter": {("spotter-aml.1", SecretCode.PASSWORD_ASSIGNMENT): 2},
    "solutions-compound-engineering": {},
    "jargon-file-0-H": {},
    "claude-memory-recommendarr": {},
}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def documents(corpus: str) -> Iterator[tuple[str, str]]:
    for document in read_jsonl(f"corpus/{corpus}.jsonl"):
        name = document.get("path") or document["id"]
        yield name, document.get("text") or document.get("html") or "\n".join(strings(document))


def transcript_texts() -> Iterator[str]:
    for path in sorted((data_dir() / "transcripts").rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                yield from strings(json.loads(line))
            except ValueError:
                yield line


@pytest.mark.parametrize("corpus", EXPECTED)
def test_a_corpus_has_the_listed_findings_only(corpus: str) -> None:
    found = Counter((name, secret.code) for name, text in documents(corpus) for secret in find_secrets(text))
    assert found == EXPECTED[corpus]


def test_transcripts_whose_keys_were_replaced_hold_no_secret() -> None:
    found = Counter(secret.code for text in transcript_texts() for secret in find_secrets(text))
    assert found == {}


def test_hostile_strings_hold_no_secret_and_break_nothing() -> None:
    for path in sorted((data_dir() / "strings").iterdir()):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        assert find_secrets(text) == (), path.name
        assert redact(text).text == text
        scan_risk(text)


def test_scientific_abstracts_and_chat_turns_hold_no_secret() -> None:
    for name in ("bench/scifact/corpus.jsonl", "bench/longmemeval-pool/passages.jsonl"):
        assert [text for row in read_jsonl(name) for text in strings(row) if find_secrets(text)] == [], name


def test_one_note_in_fifty_shows_a_destructive_command_and_no_more() -> None:
    """The notes teach the shell, git and databases: some do show such commands."""
    flags = Counter(flag for _, text in documents(TIL) for flag in flags_of(scan_risk(text)))
    assert 10 <= flags[RiskFlag.DESTRUCTIVE_COMMAND] <= 25
    assert flags[RiskFlag.TOOL_SENSITIVE] <= 40


def test_an_encyclopedia_is_not_taken_for_instructions() -> None:
    flags = Counter(flag for _, text in documents("jargon-file-0-H") for flag in flags_of(scan_risk(text)))
    assert flags[RiskFlag.DESTRUCTIVE_COMMAND] <= 1  # it quotes one
    assert flags[RiskFlag.TOOL_SENSITIVE] <= 10
