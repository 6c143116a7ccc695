import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.ranking.rrf import fuse_ranks, reciprocal


def test_the_first_rank_of_a_full_weight_is_one_sixty_first() -> None:
    assert reciprocal(1, 1.0) == 0.01639344262295082


@pytest.mark.parametrize(("rank", "weight"), [(0, 1.0), (-1, 1.0), (1, 0.0), (1, -2.0)])
def test_a_rank_or_weight_that_is_none_adds_nothing(rank: int, weight: float) -> None:
    assert reciprocal(rank, weight) == 0.0


def test_a_key_of_two_lists_adds_both_up() -> None:
    fused = fuse_ranks({"a": [7, 8], "b": [8]}, {"a": 1.0, "b": 0.5})
    assert fused == {7: 1 / 61, 8: 1 / 62 + 0.5 / 61}


@pytest.mark.parametrize("weights", [{"a": 1.0}, {"a": 1.0, "b": 0.0}, {"a": 1.0, "b": -1.0}])
def test_a_list_without_weight_adds_no_key(weights: dict[str, float]) -> None:
    assert set(fuse_ranks({"a": [1], "b": [2]}, weights)) == {1}


@given(st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 9), unique=True)))
def test_the_order_in_which_lists_are_given_changes_nothing(rankings: dict[str, list[int]]) -> None:
    weights = {"a": 1.0, "b": 0.5, "c": 0.4, "d": 0.3}
    backwards = dict(reversed(rankings.items()))
    assert fuse_ranks(rankings, weights) == fuse_ranks(backwards, weights)
