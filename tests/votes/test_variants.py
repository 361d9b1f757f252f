"""Variants of one thing share one weight: scores, who is likely best, and the warning on copies."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel._support.checks import BadParameter
from driftduel.verdict.parts import plain
from driftduel.verdict.variants import counted_as_one
from driftduel.votes.likely.variants import counted
from driftduel.votes.variants import places_of, shared_weight
from tests.naive import variants as naive

ARMS = ("A", "B", "C 1", "C 2", "C 3")
COPIES = [["C 1", "C 2", "C 3"]]
BEATS = {("A", "B"): 0.3, ("A", "C"): 0.88, ("B", "C"): 0.62}
"""B beats A, and A beats the copies of C by more than B does."""


def chance(one, other):
    one, other = one[0], other[0]
    if one == other:
        return 0.5
    return BEATS[one, other] if (one, other) in BEATS else 1 - BEATS[other, one]


def votes_of(n=3000, seed=1, arms=ARMS):
    rng = np.random.default_rng(seed)
    left = rng.integers(len(arms), size=n)
    right = (left + rng.integers(1, len(arms), size=n)) % len(arms)
    won = [rng.random() < chance(arms[i], arms[j]) for i, j in zip(left, right, strict=True)]
    return dd.Log(list(arms), np.arange(n), left, right, np.array(won, float))


@pytest.fixture(scope="module")
def copied():
    return dd.timeline(votes_of(), variants=COPIES)


@given(st.data())
def test_weights_are_those_of_the_definition(data):
    n = data.draw(st.integers(2, 7))
    groups = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    variants = tuple(tuple(i for i in range(n) if groups[i] == g) for g in range(2))
    variants = tuple(group for group in variants if len(group) > 1)
    there = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    weight = shared_weight(n, variants, there)
    things = naive.things_of(n, variants, there)
    expected = [sum(1 / len(things) / len(one) for one in things if i in one) for i in range(n)]
    assert weight.tolist() == pytest.approx(expected)
    assert weight.sum() == pytest.approx(1.0)


@settings(max_examples=20)
@given(st.integers(2, 4), st.integers(0, 1000))
def test_copies_change_no_score_of_others(copies, seed):
    rng = np.random.default_rng(seed)
    chances = rng.random((3, 3))
    chances = (chances + 1 - chances.T) / 2
    many = [0, 1, *[2] * copies]
    grown = chances[np.ix_(many, many)]
    weight = shared_weight(len(many), (tuple(range(2, len(many))),))
    assert (grown @ weight)[:3] == pytest.approx(chances @ shared_weight(3, ()))


def test_who_is_likely_best_is_a_count_over_the_same_samples(copied):
    story = copied.story
    chances = story.chances_in(-1)
    for variants, told in ((((2, 3, 4),), copied.variants.shared), ((), copied.variants.alone)):
        best = [naive.best_of(sample, variants, range(5)) for sample in chances[:40]]
        again = story.scores_in(-1, shared_weight(5, variants)).argmax(axis=1)
        assert again[:40].tolist() == best
        assert told.sum() == pytest.approx(1.0)
        assert told == pytest.approx(np.bincount(again, minlength=5) / len(again))


def test_a_warning_is_given_when_copies_decide(copied):
    told = copied.variants
    assert told.copies_decide
    assert (told.best, told.best_alone) == ((1,), (0,))
    assert copied.sentences[-1].startswith(
        "Copies decide: with C 1, C 2 and C 3 counted as one, B "
    )
    assert copied.sentences[-1].endswith("; with each counted, A is ahead.")
    assert copied.to_dict()["variants"]["best"] == ["B"]


def test_nothing_is_warned_of_where_copies_do_not_decide():
    found = dd.timeline(votes_of(600), variants=[["A", "B"]])
    assert not found.variants.copies_decide
    assert found.variants.best == (0, 1)
    assert found.sentences[-1] == (
        "With A and B counted as one, A or B is very likely best (over 99%), as with each counted."
    )


def test_an_analysis_counts_variants_as_one_and_warns():
    shared = dd.analyse(votes_of(1500), pairs="uniform", variants=COPIES)
    assert shared.best == "B"
    assert shared.standing.notes == (
        "Copies decide: scores are with C 1, C 2 and C 3 counted as one; with each counted, A is "
        "ahead.",
    )
    assert any("Copies decide: with C 1" in sentence for sentence in shared.sentences)
    merged = dict(zip(shared.scores["arm"], shared.scores["score"], strict=True))
    truth = {"A": (0.5 + 0.3 + 0.88) / 3, "B": (0.7 + 0.5 + 0.62) / 3}
    assert {name: merged[name] for name in truth} == pytest.approx(truth, abs=0.05)
    assert json.loads(json.dumps(shared.to_dict()))["variants"] == COPIES


def test_variants_that_are_gone_do_not_count(copied):
    assert counted(copied.story, ARMS, ((0,),)) is None
    assert counted(copied.story, ARMS, ()) is None


@pytest.mark.parametrize(
    ("variants", "words"),
    [
        ([["A"]], "two arms"),
        (["AB"], "two arms"),
        ([["A", "D"]], "has 'D', must be of A, B"),
        ([["A", "B"], ["B", "C 1"]], "has 'B' twice"),
    ],
)
def test_variants_that_make_no_sense_are_refused(variants, words):
    with pytest.raises(BadParameter, match=words):
        places_of(variants, ARMS)
    with pytest.raises(BadParameter, match=words):
        dd.timeline(votes_of(50), variants=variants)


def test_a_criterion_and_variants_are_not_given_together():
    with pytest.raises(BadParameter, match="is given with a criterion"):
        dd.analyse(votes_of(50), dd.Borda(), variants=COPIES)


def test_many_variants_are_named_by_one():
    names = [f"v{n}" for n in range(6)]
    told = plain(counted_as_one(names, [[0, 1, 2, 3]], [4], 0.6, [4]))
    assert (
        told
        == "With the 4 variants of v0 counted as one, v4 may be best (60%), as with each counted."
    )
    told = plain(counted_as_one(names, [[0, 1], [2, 3]], [4], 0.8, [5]))
    assert told.startswith("Copies decide: with v0 and v1 counted as one and v2 and v3 counted as")
