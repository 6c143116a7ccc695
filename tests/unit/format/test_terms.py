"""Derived terms: what the tokenizer of SQLite cannot find by itself, a document and its query agree on."""

import sqlite3
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.format.terms import MAX_DERIVED_TERMS, MAX_QUERY_TERMS, derived_terms, query_terms

TOKENIZER = "porter unicode61 remove_diacritics 2"


def finds(document: str, query: str) -> bool:
    """Say whether the index finds a document by all terms of a query."""
    text = unicodedata.normalize("NFC", document)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize = '{TOKENIZER}')")
        connection.execute("INSERT INTO t VALUES (?)", (f"{text}\n{' '.join(derived_terms(text))}",))
        match = " AND ".join(f'"{term}"' for term in query_terms(query))
        return bool(connection.execute("SELECT 1 FROM t WHERE t MATCH ?", (match,)).fetchone())
    finally:
        connection.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Power a soil probe for ten minutes before calibrating it, e.g. in May.",
        "The API and the URL list; APIs, URLs, IDs. I/O and/or 3.14, v1.2.3",
        "Crème brûlée à la carte, Жизнь прекрасна",
        "_ __ ___",
    ],
)
def test_plain_prose_derives_nothing(text: str) -> None:
    assert derived_terms(text) == ()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("call parseConfig now", ("parse", "config")),
        ("call parse_config now", ("parseconfig",)),
        ("HTTPServer", ("http", "server")),
        ("getHTTPResponse2xx", ("get", "http", "response2", "xx")),
        ("MAX_RETRY_COUNT", ("maxretrycount",)),
        ("__init__ and _private", ()),
        ("my_userName", ("myusername", "my", "user", "name")),
        ("app.userStore.loadAll(src/lib)", ("user", "store", "load", "all")),
        ("parseConfig parse_config PARSE_CONFIG", ("parseconfig", "parse", "config")),
    ],
)
def test_compound_identifiers_become_their_parts_and_their_whole(text: str, terms: tuple[str, ...]) -> None:
    assert derived_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("日本語", ("日本", "本語", "語")),
        ("水", ("水",)),
        ("Pythonの使い方", ("python", "の使", "使い", "い方", "方")),
        ("データベース", ("デー", "ータ", "タベ", "ベー", "ース", "ス")),
        ("한국어 문서", ("한국", "국어", "어", "문서", "서")),
        ("ภาษาไทย", ("ภา", "าษ", "ษา", "าไ", "ไท", "ทย", "ย")),
        ("ที่นี่", ("ทน", "น")),
        ("ພາສາລາວ", ("ພາ", "າສ", "ສາ", "າລ", "ລາ", "າວ", "ວ")),
    ],
)
def test_unsegmented_runs_become_overlapping_pairs_of_letters_and_a_last_one(
    text: str, terms: tuple[str, ...]
) -> None:
    assert derived_terms(unicodedata.normalize("NFC", text)) == terms


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("日本語の全文検索", "全文"),
        ("日本語の全文検索", "検索"),
        ("Pythonの使い方", "python"),
        ("データベースを使う", "ベース"),
        ("한국어문서를 찾는다", "문서"),
        ("ภาษาไทยไม่มีช่องว่าง", "ช่องว่าง"),
        ("မြန်မာစာ", "မြန်မာ"),
        ("ភាសាខ្មែរ", "ខ្មែរ"),
        ("中文維基百科", "維基百科"),
        ("call parseConfig", "parse config"),
        ("call parseConfig", "parse_config"),
        ("call parse_config", "parseConfig"),
        ("call parse_config", "config"),
        ("import os.path", "os.path"),
        ("see src/app/main.py", "main.py"),
        ("cafe\u0301 noir", "café"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("The running probes", "probe run"),
    ],
)
def test_a_document_is_found_by_part_of_what_it_says(document: str, query: str) -> None:
    assert finds(document, query)


@pytest.mark.parametrize(
    ("document", "query"), [("日本語", "英語"), ("parseConfig", "parser"), ("データ", "タデ")]
)
def test_a_document_is_not_found_by_what_it_does_not_say(document: str, query: str) -> None:
    assert not finds(document, query)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What's the ROLLBACK order?", ("What", "s", "the", "ROLLBACK", "order")),
        ("service:checkout-api", ("service", "checkout", "api")),
        ('-x "unbalanced a OR zebra* NEAR(', ("x", "unbalanced", "a", "OR", "zebra", "NEAR")),
        ("déployé 日本語 жизнь", ("déployé", "日本", "本語", "жизнь")),
        ("de\u0301ja\u0300", ("déjà",)),
        ("!!! ???", ()),
        ("", ()),
        ("a a a", ("a",)),
        ("a\0b\ud800c", ("a", "b", "c")),
        ("\u0301\u0301", ()),
    ],
)
def test_a_query_is_its_words(query: str, terms: tuple[str, ...]) -> None:
    assert query_terms(query) == terms


@given(st.text(max_size=200))
def test_no_term_can_be_an_operator_or_end_a_string(text: str) -> None:
    for term in query_terms(text):
        assert term
        assert '"' not in term
        assert not any(c.isspace() for c in term)
    assert len(query_terms(text)) <= MAX_QUERY_TERMS


@given(st.text(max_size=200))
def test_every_text_has_terms_each_once_and_lower_case(text: str) -> None:
    terms = derived_terms(unicodedata.normalize("NFC", text))
    assert len(set(terms)) == len(terms)
    assert all(term == term.lower() and not any(c.isspace() for c in term) for term in terms)


def test_the_number_of_terms_is_bounded() -> None:
    letters = "".join(chr(0x4E00 + i * 7 % 20_000) for i in range(40_000))
    assert len(derived_terms(letters)) == MAX_DERIVED_TERMS
    assert len(query_terms(letters)) == MAX_QUERY_TERMS
    names = " ".join(f"a{i}_b{i}" for i in range(20_000))
    assert len(derived_terms(names)) == MAX_DERIVED_TERMS
    assert derived_terms("aB" * 100_000) == ()
