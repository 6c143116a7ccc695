"""Random-looking runs: what is drawn is found, what is written is not."""

import random

import pytest
from unit.safety.fakes import ALPHANUMERIC, BASE64

from memhtml.safety import SecretCode, find_secrets
from memhtml.safety.entropy import MAX_LENGTH, MIN_LENGTH

DRAWS = 1_000


def share_found(alphabet: str, length: int) -> float:
    drawing = random.Random(f"{alphabet} {length}")
    texts = ["".join(drawing.choices(alphabet, k=length)) for _ in range(DRAWS)]
    return sum(find_secrets(f"use {text} here") != () for text in texts) / DRAWS


@pytest.mark.parametrize(
    ("length", "share"), [(MIN_LENGTH, 0.88), (32, 0.94), (40, 0.94), (64, 0.96), (MAX_LENGTH, 0.98)]
)
@pytest.mark.parametrize("alphabet", [ALPHANUMERIC, ALPHANUMERIC + "-_"])
def test_nearly_all_drawn_strings_are_found(alphabet: str, length: int, share: float) -> None:
    assert share_found(alphabet, length) >= share


@pytest.mark.parametrize(("length", "share"), [(MIN_LENGTH, 0.68), (32, 0.8), (40, 0.92), (64, 0.96)])
def test_a_slash_hides_some_short_strings_since_paths_have_them_too(length: int, share: float) -> None:
    assert share_found(BASE64, length) >= share


@pytest.mark.parametrize("length", [32, 40, 64])
def test_hexadecimal_is_never_random_by_itself(length: int) -> None:
    assert share_found("0123456789abcdef", length) == 0


def test_the_whole_run_is_reported() -> None:
    drawing = random.Random(2)
    run = "".join(drawing.choices(ALPHANUMERIC, k=48)) + "=="
    (secret,) = find_secrets(f"({run})")
    assert secret.code is SecretCode.HIGH_ENTROPY
    assert (secret.start, secret.end) == (1, 1 + len(run))
