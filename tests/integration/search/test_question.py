"""Any text is a question: what of it reaches the full-text index, and that nothing can break it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from corpora import data_dir, needs_data
from hypothesis import given
from hypothesis import strategies as st

from memhtml.db.fts import MAX_PHRASES, Question, all_of, any_of, quote, read_question
from memhtml.format.terms import derived_terms, is_single

FTS_TEXT = st.text(st.one_of(st.characters(), st.sampled_from("\"'*:^+-(){}\0 ANDORTNEA東京語"))).filter(bool)


@pytest.fixture(scope="module")
def table() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        yield connection


def ask(table: sqlite3.Connection, question: Question) -> None:
    for expression in (any_of(question.terms), all_of(question.phrases)):
        if expression:
            table.execute("SELECT rowid FROM words WHERE words MATCH ?", (expression,)).fetchall()


def holds(table: sqlite3.Connection, text: str, expression: str) -> bool:
    table.execute("DELETE FROM words")
    table.execute("INSERT INTO words VALUES (?)", ("\n".join((text, " ".join(derived_terms(text)))),))
    return table.execute("SELECT 1 FROM words WHERE words MATCH ?", (expression,)).fetchone() is not None


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("What's the ROLLBACK order?", ("ROLLBACK", "order")),
        ("service:checkout-api", ("service", "checkout", "api")),
        ("-x", ("x",)),
        ('"unbalanced', ("unbalanced",)),
        ("alpha OR", ("alpha",)),
        ("zebra*", ("zebra",)),
        ("déployé café", ("déployé", "café")),
        ("Probe probe PROBE", ("Probe",)),
        ("東京に", ("東京", "京に")),
        ("Привет мир", ("Привет", "мир")),
        ("what is the", ("what", "is", "the")),
        ("!!! ???", ()),
        ("", ()),
        (" \n\t", ()),
    ],
)
def test_the_words_of_a_question_are_its_terms(text: str, terms: tuple[str, ...]) -> None:
    assert read_question(text).terms == terms


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('the "merge base" of two', (("merge", "base"),)),
        ('"to be or not to be"', (("to", "be", "or", "not", "to", "be"),)),
        ('"one" "two', (("one",),)),
        ('"" "!!!"', ()),
        ('"東京の API"', (("東京", "京の"), ("API",))),
        ('"API 設計"', (("API",), ("設計",))),
    ],
)
def test_balanced_double_quotes_make_phrases(text: str, phrases: tuple[tuple[str, ...], ...]) -> None:
    assert read_question(text).phrases == phrases


def test_a_text_of_nothing_but_quotes_and_words_stays_small() -> None:
    question = read_question('"a b" ' * 5_000 + "".join(f'"q{n}" ' for n in range(5_000)))
    assert len(question.phrases) == MAX_PHRASES
    assert len(question.terms) <= 64
    assert max(map(len, read_question(f'"{"word " * 9_000}"').phrases)) <= 32


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("the merge base of two branches", '"merge base"', True),
        ("merge the base", '"merge base"', False),
        ("merging bases", '"merge base"', True),
        ("東京に行く", '"京に"', True),
        ("東京に行く", '"東京行"', False),
        ("API設計方針", '"設計"', True),
        ("open parse_config now", '"parse_config"', True),
    ],
)
def test_a_phrase_is_found_where_its_words_stand_together(
    table: sqlite3.Connection, text: str, query: str, found: bool
) -> None:
    assert holds(table, text, all_of(read_question(query).phrases)) is found


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call parseConfig first", "parse config"),
        ("call parse_config first", "parseConfig"),
        ("e\u0301te\u0301", "été"),
        ("STRASSE", "strasse"),
        ("probes were calibrated", "probing calibration"),
        ("静かな朝の東京タワー", "東京"),
    ],
)
def test_documents_and_questions_are_cut_alike(table: sqlite3.Connection, text: str, query: str) -> None:
    assert holds(table, text, any_of(read_question(query).terms))


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("私は猫が好きです", "猫", True),
        ("これは私の猫", "猫", True),
        ("猫", "猫", True),
        ("APIの猫v2", "猫", True),
        ("私は犬が好きです", "猫", False),
        ("บ้านสวยแมวดำ", "ม", True),
        ("나는 고양이", "이", True),
        ("私は猫が好きです", '"猫"', True),
        ("私は猫 API が", '"API が"', True),
        ("zebra", "z", False),
    ],
)
def test_a_single_character_is_found_wherever_it_stands(
    table: sqlite3.Connection, text: str, query: str, found: bool
) -> None:
    question = read_question(query)
    assert holds(table, text, any_of(question.terms)) is found
    if question.phrases:
        assert holds(table, text, all_of(question.phrases)) is found


@given(st.text("猫が好きABก็", min_size=1, max_size=12), st.data())
def test_every_letter_of_a_document_finds_it(
    table: sqlite3.Connection, text: str, data: st.DataObject
) -> None:
    letters = [letter for letter in text if is_single(letter) and letter.isalpha()]
    if letters:
        letter = data.draw(st.sampled_from(letters))
        assert holds(table, text, any_of(read_question(letter).terms))


@pytest.mark.parametrize("word", ['"', 'a"b', '""', 'x" OR "y'])
def test_a_quote_inside_of_a_word_stays_inside(table: sqlite3.Connection, word: str) -> None:
    assert quote((word,)) == '"' + word.replace('"', '""') + '"'
    ask(table, Question((word,), ((word, word),)))


@given(FTS_TEXT)
def test_no_text_is_a_syntax_error(table: sqlite3.Connection, text: str) -> None:
    ask(table, read_question(text))


@given(st.text("abcXYZ01éßЖ東京語 -_.:'\"*"))
def test_the_terms_of_the_terms_are_the_terms(text: str) -> None:
    terms = read_question(text).terms
    if len(terms) < 32:  # pairs of unsegmented script would be cut again
        again = read_question(" ".join(terms)).terms
        assert {term.casefold() for term in again} == {term.casefold() for term in terms}


@needs_data
def test_no_naughty_string_is_a_syntax_error(table: sqlite3.Connection) -> None:
    strings = json.loads((data_dir() / "strings" / "blns.json").read_text(encoding="utf-8"))
    assert len(strings) > 400
    for text in strings:
        ask(table, read_question(text))
        ask(table, read_question(f'"{text}"'))
