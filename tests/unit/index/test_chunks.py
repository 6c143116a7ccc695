"""Cutting text into chunks."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from memhtml.index.chunks import CHUNK_CHARS, chunk_id, chunks_of, cut_text
from memhtml.values import ContentHash

HASH = ContentHash("blake3:" + "a" * 64)


def test_blank_text_has_no_chunk() -> None:
    assert cut_text("") == []
    assert cut_text(" \n\t ") == []


def test_text_up_to_the_limit_stays_whole() -> None:
    assert cut_text("x" * CHUNK_CHARS) == ["x" * CHUNK_CHARS]


def test_one_character_more_is_cut_at_a_sentence() -> None:
    text = ("A" * 899 + ". ") + ("B" * 900)
    assert len(text) == CHUNK_CHARS + 1
    assert cut_text(text) == ["A" * 899 + ".", "B" * 900]


def test_a_run_without_an_end_is_cut_hard() -> None:
    assert [len(piece) for piece in cut_text("x" * 5000)] == [1800, 1800, 1400]


def test_an_identifier_is_the_sha256_of_hash_and_ordinal() -> None:
    assert chunk_id(HASH, 3) == hashlib.sha256(f"{HASH}:3".encode()).hexdigest()
    assert chunk_id(HASH, 3) != chunk_id(HASH, 4)


@given(st.text(alphabet=st.sampled_from("ab. \n!?é漢\U0001f600"), max_size=6000))
def test_no_word_is_lost_and_no_chunk_is_too_long(text: str) -> None:
    chunks = chunks_of(HASH, text)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(0 < chunk.char_count == len(chunk.text) <= CHUNK_CHARS for chunk in chunks)
    together = "".join(chunk.text for chunk in chunks)
    assert "".join(together.split()) == "".join(text.split())


@given(st.text(max_size=4000))
def test_equal_words_give_equal_chunks(text: str) -> None:
    assert chunks_of(HASH, text) == chunks_of(HASH, text)
