import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memhtml.ranking.fusion import Arm, Finder, Nudge, Share, fuse, standardise

PATHS = {key: f"areas/{key}.html" for key in range(10)}
SCORES = st.dictionaries(st.integers(0, 9), st.floats(0.0, 30.0), min_size=1)


def test_scores_become_distances_from_their_mean_in_standard_deviations() -> None:
    assert standardise([1.0, 2.0, 3.0]) == pytest.approx([-math.sqrt(1.5), 0.0, math.sqrt(1.5)], abs=1e-6)


@pytest.mark.parametrize("scores", [[], [4.0], [4.0, 4.0, 4.0], [0.0, 0.0]])
def test_scores_that_say_nothing_become_zeros(scores: list[float]) -> None:
    assert standardise(scores) == [0.0] * len(scores)


def test_two_scores_that_hardly_differ_do_not_stand_far_apart() -> None:
    high, low = standardise([8.000001, 8.0])
    assert 0.0 < high - low < 0.001


@given(st.lists(st.floats(-1e6, 1e6), min_size=2))
def test_standardising_keeps_the_order(scores: list[float]) -> None:
    standard = standardise(scores)
    for score, other, z, other_z in zip(scores, scores[1:], standard, standard[1:], strict=False):
        assert (score <= other and z <= other_z) or (score >= other and z >= other_z)


@given(SCORES)
def test_one_finder_alone_decides_the_order_and_its_ties_go_by_path(scores: dict[int, float]) -> None:
    order = [hit.key for hit in fuse([Finder(Arm.FTS, 1.0, scores)], [], PATHS)]
    standard = dict(zip(scores, standardise(list(scores.values())), strict=True))
    assert order == sorted(scores, key=lambda key: (-standard[key], PATHS[key]))


@given(SCORES, st.dictionaries(st.integers(0, 9), st.floats(0.0, 1.0)))
def test_a_nudge_brings_nothing_in(scores: dict[int, float], values: dict[int, float]) -> None:
    fused = fuse([Finder(Arm.FTS, 1.0, scores)], [Nudge(Arm.RECENCY, 5.0, values)], PATHS)
    assert {hit.key for hit in fused} == set(scores)


def test_a_nudge_decides_between_equals_and_not_against_a_better_match() -> None:
    finder = Finder(Arm.FTS, 1.0, {1: 9.0, 2: 5.0, 3: 5.0})
    fused = fuse([finder], [Nudge(Arm.RECENCY, 0.1, {2: 0.1, 3: 1.0})], PATHS)
    assert [hit.key for hit in fused] == [1, 3, 2]


def test_a_candidate_that_one_finder_does_not_know_stands_at_its_mean() -> None:
    lexical = Finder(Arm.FTS, 1.0, {1: 2.0, 2: 1.0})
    vector = Finder(Arm.VECTOR, 1.0, {1: 0.9, 2: 0.5, 3: 0.7})
    scores = {hit.key: hit.score for hit in fuse([lexical, vector], [], PATHS)}
    assert scores[3] == pytest.approx(0.0, abs=1e-6)
    assert scores[1] > 0.0 > scores[2]


def test_the_weights_of_finders_are_shares_of_one() -> None:
    scores = {1: 3.0, 2: 1.0}
    once = fuse([Finder(Arm.FTS, 1.0, scores)], [], PATHS)
    twice = fuse([Finder(Arm.FTS, 1.0, scores), Finder(Arm.VECTOR, 1.0, scores)], [], PATHS)
    assert [hit.score for hit in twice] == pytest.approx([hit.score for hit in once])


def test_an_explanation_adds_up_to_the_score() -> None:
    fused = fuse(
        [Finder(Arm.FTS, 1.0, {1: 3.0, 2: 1.0})], [Nudge(Arm.SALIENCE, 0.1, {2: 0.5})], PATHS, explain=True
    )
    assert [[share.arm for share in hit.shares] for hit in fused] == [[Arm.FTS], [Arm.FTS, Arm.SALIENCE]]
    assert fused[1].shares[1] == Share(Arm.SALIENCE, 1, 0.5, 0.05)
    for hit in fused:
        assert sum(share.contribution for share in hit.shares) == pytest.approx(hit.score)


def test_shares_are_left_out_where_nobody_asked() -> None:
    assert fuse([Finder(Arm.FTS, 1.0, {1: 3.0})], [], PATHS)[0].shares == ()


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse([Finder(Arm.FTS, 1.0, {})], [Nudge(Arm.RECENCY, 1.0, {1: 1.0})], PATHS) == []
