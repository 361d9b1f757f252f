"""Streams whose arms come and go: what is refused, what is kept, and who is best among whom."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.worlds import synthetic
from driftduel.worlds.measures.spells import spells
from tests.naive import offered as slow

P = np.array([[0.5, 0.6, 0.8], [0.4, 0.5, 0.9], [0.2, 0.1, 0.5]])
Q = P[::-1, ::-1].copy()
TWO = [[True, True, False], [False, True, True]]


def test_stretches_differ_in_their_matrix_or_in_who_is_on_offer():
    s = dd.Stream([P], [0, 0, 0], [0, 10, 20], 30, offered=[TWO[0], TWO[0], TWO[1]])
    assert s.starts.tolist() == [0, 20]
    assert s.offered.tolist() == TWO
    assert [s.offered_at(t).tolist() for t in (0, 19, 20, 29)] == [[0, 1], [0, 1], [1, 2], [1, 2]]
    assert repr(s) == "Stream(3 arms that come and go, 30 rounds, 2 stretches of 1 matrix)"


def test_a_stream_that_always_offers_all_arms_is_a_plain_one():
    plain = dd.Stream.stationary(P, 30)
    full = dd.Stream([P], [0, 0], [0, 10], 30, offered=np.ones((2, 3), bool))
    assert full == plain
    assert full.offered is None


@pytest.mark.parametrize(
    ("offered", "message"),
    [
        ([[True, True]], "^offered: must be True or False for each of 1 stretches and 3 arms$"),
        ([[1, 1, 0]], "^offered: must be True or False"),
        ([[True, True, False], [True]], "^offered: must be True or False"),
        ([[True, False, False]], r"^offered\[0\]: 1 on offer, two arms at least must be$"),
    ],
)
def test_a_mask_that_cannot_be_is_refused(offered, message):
    with pytest.raises(ValueError, match=message):
        dd.Stream([P], [0], [0], 30, offered=offered)
    with pytest.raises(ValueError, match=message):
        dd.Stream.stationary(P, 30).offering(offered)


def test_files_copies_and_parts_keep_who_is_on_offer(tmp_path):
    s = dd.Stream([P, Q], [0, 1], [0, 12], 30, labels=["a", "b", "c"]).offering(TWO, [0, 20])
    s.save(tmp_path / "world.npz")
    for again in (
        dd.Stream.load(tmp_path / "world.npz"),
        copy.deepcopy(s),
        pickle.loads(pickle.dumps(s)),
    ):
        assert again == s
        assert again != dd.Stream([P, Q], [0, 1], [0, 12], 30, labels=["a", "b", "c"])
        assert not again.offered.flags.writeable
    assert s[15:25].offered_at(5).tolist() == [1, 2]
    assert (s[:5] + s[20:]).offers()[1][2].tolist() == [1, 2]
    assert (dd.Stream.stationary(P, 5) + s[:5]).offers()[1][2].tolist() == [0, 1]
    assert s.stretch(300).offered_at(200).tolist() == [1, 2]
    assert s.relabel([2, 0, 1]).offered_at(0).tolist() == [1, 2]


def test_a_plain_stream_is_written_as_before_and_another_is_not_read_by_older_programs(tmp_path):
    plain = dd.Stream.stationary(P, 30)
    for stream, number in ((plain, 1), (plain.offering(TWO, [0, 20]), 2)):
        stream.save(tmp_path / "world.npz")
        with np.load(tmp_path / "world.npz") as file:
            assert file["driftduel_stream"] == number


def test_regret_of_an_arm_that_is_not_on_offer_is_refused():
    s = dd.Stream.stationary(P, 30).offering(TWO, [0, 20])
    with pytest.raises(ValueError, match=r"^right\[1\] = 2, which is not on offer then$"):
        s.regret([0, 0], [1, 2])


def test_a_weight_on_an_arm_that_is_not_on_offer_is_refused():
    s = dd.Stream.stationary(P, 30).offering(TWO, [0, 20])
    with pytest.raises(ValueError, match=r"^round 20: weight: arm 0 has some, so it must"):
        s.gap_rows(dd.Weighted([0.5, 0.5, 0]))
    assert s.gap_rows(dd.Weighted([0, 1, 0]))[0].shape == (2, 3)


def random_world(rng, n_arms, horizon):
    """Matrices in exact eighths with a Condorcet winner among any arms, and random offers."""

    def matrix():
        order = rng.permutation(n_arms)
        steps = rng.integers(1, 5, (n_arms, n_arms)) / 8
        upper = np.triu(steps, 1)
        return (0.5 + upper - upper.T)[np.ix_(order, order)]

    starts = np.union1d([0], rng.integers(0, horizon, 3))
    s = dd.Stream([matrix() for _ in starts], np.arange(len(starts)), starts, horizon)
    turns = np.union1d([0], rng.integers(0, horizon, 3))
    offered = rng.random((len(turns), n_arms)) < 0.5
    for row in offered:
        row[rng.permutation(n_arms)[:2]] = True
    return s.offering(offered, turns)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n_arms=st.integers(2, 5), horizon=st.integers(1, 25))
def test_regret_is_that_against_the_best_arm_on_offer(seed, n_arms, horizon):
    rng = np.random.default_rng(seed)
    s = random_world(rng, n_arms, horizon)
    arms = np.array([rng.choice(s.offered_at(t), 2) for t in range(horizon)])
    panel = int(rng.integers(n_arms))
    for name in ("borda", "condorcet"):
        expected = slow.regret(s, arms, name)
        assert np.allclose(s.regret(arms[:, 0], arms[:, 1], name), expected, atol=1e-12)
    if all(panel in s.offered_at(t) for t in range(horizon)):
        weight = np.eye(n_arms)[panel]
        expected = slow.regret(s, arms, weight.tolist())
        assert np.allclose(s.regret(*arms.T, dd.Weighted(weight)), expected, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_arms=st.integers(2, 4), horizon=st.integers(2, 25))
def test_measures_are_those_among_the_arms_on_offer(seed, n_arms, horizon):
    s = random_world(np.random.default_rng(seed), n_arms, horizon)
    found = dd.measure(s)
    for name, criterion in (("significant_borda", "borda"), ("significant_condorcet", "condorcet")):
        assert getattr(found, name).starts.tolist() == slow.phases(s, criterion)
    assert found.borda_switches == slow.switches(s, "borda")
    assert found.condorcet_switches == slow.switches(s, "condorcet")
    assert len(list(spells(s))) == 1 + found.borda_switches
    assert len(list(spells(s, "condorcet"))) == 1 + found.condorcet_switches


def test_measures_refuse_a_weight_on_an_arm_that_is_not_on_offer():
    s = dd.Stream.stationary(P, 30).offering(TWO, [0, 20])
    with pytest.raises(ValueError, match=r"^round 20: weight: arm 0 has some, so it must"):
        dd.measure(s, [1, 0, 0])


def test_in_a_turnover_each_arm_takes_its_turn():
    s = synthetic.turnover(n_arms=5, horizon=1000, on_offer=3, every=100)
    offers = [arms.tolist() for _, _, arms in s.offers()]
    assert offers[:3] == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    assert len(offers) == 10
    assert len(s.palette) == 1
