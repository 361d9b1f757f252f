"""Whether groups of voters differ: evidence that holds."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftduel.votes.log import Log
from driftduel.votes.proof.alike import PROVED, log_e_value
from tests.naive.alike import e_value

VOTE = st.tuples(
    st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 1)]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from("abc"),
)


def log_of(votes):
    left, right, outcome, _ = zip(*votes, strict=True)
    return Log(["tea", "milk", "cocoa"], range(len(votes)), left, right, outcome)


@given(st.lists(VOTE, min_size=1, max_size=40))
def test_it_is_that_of_the_definition(drawn):
    votes = [(*pair, outcome, group) for pair, outcome, group in drawn]
    found = log_e_value(log_of(votes), [group for *_, group in votes])
    assert found == pytest.approx(math.log(e_value(votes)), abs=1e-9)


@pytest.mark.parametrize("chance", [0.5, 0.85])
@pytest.mark.parametrize("groups", ["abab", "aabcba", "abcabc"])
def test_of_groups_that_do_not_differ_it_is_one_on_average(groups, chance):
    total = 0.0
    for outcomes in product([0.0, 1.0], repeat=len(groups)):
        votes = [(0, 1, won, group) for won, group in zip(outcomes, groups, strict=True)]
        weight = math.prod(chance if won else 1 - chance for won in outcomes)
        total += weight * math.exp(log_e_value(log_of(votes), list(groups)))
    assert total == pytest.approx(1.0)


def test_it_grows_where_groups_differ_and_not_where_tastes_drift_alike():
    rng = np.random.default_rng(0)
    n = 1_500
    group = rng.choice(["de", "en"], n)
    drift = 0.5 + 0.4 * np.sin(np.arange(n) / 100)
    alike, differ = rng.random(n) < drift, rng.random(n) < np.where(group == "de", 0.6, 0.4)
    for outcome, is_proved in ((alike, False), (differ, True)):
        log = Log(["tea", "milk"], range(n), [0] * n, [1] * n, outcome.astype(float))
        assert (log_e_value(log, group.tolist()) > PROVED) == is_proved


def test_counts_and_votes_without_an_order_have_none():
    log = Log(["tea", "milk"], [1, 2], [0, 0], [1, 1], [1.0, 0.0], [3, 4])
    assert log_e_value(log, ["a", "b"]) is None
