"""Learners on worlds whose arms come and go."""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.experiments.simulation import world_generator
from driftduel.worlds import synthetic
from tests.learners.test_offer import LEARNERS
from tests.naive import offered as slow

WORLD = synthetic.turnover(n_arms=5, horizon=300, on_offer=3, every=60, spread=0.5, seed=2)


def by_hand(learner, stream, seed):
    """Play by ask and tell, and let arms come and go when they do; return the pairs."""
    world = world_generator(seed)
    pairs = []
    everyone = set(range(stream.n_arms))
    learner.change_arms(leave=sorted(everyone - set(stream.offered_at(0).tolist())))
    for t in range(stream.horizon):
        before, now = set(learner.offered.tolist()), set(stream.offered_at(t).tolist())
        learner.change_arms(join=sorted(now - before), leave=sorted(before - now))
        duel = learner.ask()
        outcome = float(world.random() < stream.matrix(t)[duel.left, duel.right])
        session = learner._session
        session.take(learner, *session.close(duel.id, "tie"), outcome)  # coins of self-duels too
        pairs.append((duel.left, duel.right))
    return np.array(pairs)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_simulated_run_is_that_of_asking_telling_and_changing_arms(name):
    learner = LEARNERS[name](5)
    run = dd.simulate(learner, WORLD, seed=4, points=WORLD.horizon)
    hand = learner.clone(seed=4)
    pairs = by_hand(hand, WORLD, seed=4)
    assert (run.ledger.pairs.argmax(axis=1) == pairs @ [5, 1]).all()
    assert run.best == hand.best()
    assert run.evictions == hand.evictions
    assert run.activations == [one for one in hand.activations if one.round < 300]
    assert run.replays == [one for one in hand.replays if one.start < 300]
    assert run.episodes == [start for start in hand.episodes if start < 300]
    for criterion in ("borda", "condorcet"):
        assert np.allclose(run.regret(criterion), slow.regret(WORLD, pairs, criterion))


def test_only_arms_on_offer_are_picked_in_play_and_played():
    run = dd.simulate(dd.DriftPoll(5), WORLD, seed=1, points=WORLD.horizon)
    for place, moment in enumerate(run.moments.tolist()):
        offered = WORLD.offered_at(moment)
        assert run.picks[place] in offered
        assert np.flatnonzero(run.active[place]).tolist() == offered.tolist()
    for t, code in enumerate(run.ledger.pairs.argmax(axis=1).tolist()):
        assert set(divmod(code, 5)) <= set(WORLD.offered_at(t).tolist())


def test_looking_and_progress_change_nothing():
    rounds = []
    few = dd.simulate(
        dd.DriftDuel(5), WORLD, seed=1, points=3, progress=lambda n, _: rounds.append(n)
    )
    many = dd.simulate(dd.DriftDuel(5), WORLD, seed=1)
    assert (few.plays == many.plays).all()
    assert rounds == sorted(rounds)
    assert rounds[-1] == 300


def test_a_learner_that_cannot_change_its_arms_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"^Uniform cannot change its arms; who can: DriftDuel, "):
        dd.simulate(dd.learners.Uniform(5), WORLD)


def test_a_panel_must_stay_on_offer():
    with pytest.raises(ValueError, match=r"^weight: arm 4 has some, so it must be on offer$"):
        dd.simulate(dd.DriftDuel(5, criterion=[0, 0, 0, 0, 1]), WORLD)
    panel = dd.Stream.stationary(WORLD.matrix(0), 300).offering(
        [[True, True, True, False, False], [True, True, False, True, True]], [0, 150]
    )
    weight = [0.5, 0.5, 0, 0, 0]
    run = dd.simulate(dd.DriftDuel(5, criterion=weight), panel, seed=1, points=300)
    pairs = np.stack(divmod(run.ledger.pairs.argmax(axis=1), 5), axis=1)
    assert np.allclose(run.regret(dd.Weighted(weight)), slow.regret(panel, pairs, weight))


def test_many_arms_too_many_for_counts_of_pairs_are_mapped_alike():
    s = synthetic.turnover(n_arms=200, horizon=2000, on_offer=20, every=500)
    run = dd.simulate(dd.DriftPoll(200), s, seed=1, points=10)
    played = np.flatnonzero(run.plays.sum(axis=0) + run.plays.sum(axis=1))
    assert set(played.tolist()) <= set(range(24))
    assert run.regret()[-1] > 0
