"""The experimental tracker of the von Neumann winner: by transcript, and what it achieves."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import driftduel as dd
from tests.learners.driving import play_beside
from tests.naive.tracking import VonNeumannTracker


def ring(n_arms, first):
    """Three arms beat each other in a ring, surely, and all others."""
    matrix = np.full((n_arms, n_arms), 0.5)
    ahead = (np.arange(3) + first) % n_arms
    others = np.setdiff1d(np.arange(n_arms), ahead)
    matrix[np.ix_(ahead, others)], matrix[np.ix_(others, ahead)] = 1.0, 0.0
    for a in range(3):
        matrix[ahead[a], ahead[a - 1]], matrix[ahead[a - 1], ahead[a]] = 0.0, 1.0
    return matrix


@pytest.mark.parametrize("seed", range(4))
def test_every_round_is_that_of_the_transcription(seed):
    # Of a ring the smallest difference grows in time; so one arm beats all, first this then that.
    n_arms = 2 + seed
    worlds = np.full((2, n_arms, n_arms), 0.5)
    for winner, world in enumerate(worlds):
        world[winner], world[:, winner] = 1.0, 0.0
        world[winner, winner] = 0.5
    learner = dd.learners.ExperimentalVonNeumann(n_arms, seed=seed)
    oracle_of = partial(VonNeumannTracker, n_arms)
    # Newton stops at 1e-10, and losses divided by chances magnify that.
    played = play_beside(
        learner, oracle_of, 4300, seed, world=worlds, late=0.3 * (seed % 2), rel=1e-5
    )
    assert len(played.oracle.episodes) == 2


def test_an_outcome_asked_for_before_a_new_beginning_does_not_count():
    learner = dd.learners.ExperimentalVonNeumann(2, seed=3)
    state = learner._session.state
    duel = learner.ask()
    state.clock["alarm"] = 1
    learner._settle(state, np.random.default_rng(0))
    assert state.clock["episode"][0] == 1
    learner._learn(state, duel.left, duel.right, duel.ticket, 1.0)
    assert (state.clock["round"][0], state.clock["age"][0]) == (1, 0)


def test_it_calls_itself_experimental():
    kind = dd.learners.ExperimentalVonNeumann
    assert kind.__doc__.startswith("EXPERIMENTAL")
    assert kind._literature.bound.startswith("none is proved")


def test_other_criteria_than_von_neumann_and_condorcet_are_refused():
    assert dd.learners.ExperimentalVonNeumann(3).criterion == dd.VonNeumann()
    assert dd.learners.ExperimentalVonNeumann(3, criterion="condorcet").criterion == dd.Condorcet()
    with pytest.raises(ValueError, match="serves 'von-neumann', 'condorcet' only"):
        dd.learners.ExperimentalVonNeumann(3, criterion="borda")


@pytest.mark.large
def test_it_sees_that_the_ring_changed_and_nothing_where_it_stays():
    # 6 arms, T = 10^5, a change at half time; seeds 0 to 3. All of 40 runs with other seeds began
    # again once, between rounds 52,015 and 54,146, and lost at most 4,154, Versatile-DB at least
    # 8,725; none restarted in the world that stays.
    T = 100_000
    world = dd.Stream.piecewise([ring(6, 0), ring(6, 3)], [0, T // 2], T)
    still = dd.Stream.stationary(ring(6, 0), T)
    for seed in range(4):
        changed = dd.simulate(dd.learners.ExperimentalVonNeumann(6), world, seed, points=2)
        assert len(changed.episodes) == 2
        assert 50_000 < changed.episodes[1] < 60_000
        assert (
            len(dd.simulate(dd.learners.ExperimentalVonNeumann(6), still, seed, points=2).episodes)
            == 1
        )
        stuck = dd.simulate(dd.learners.VersatileDB(6), world, seed, points=2)
        assert changed.regret("von-neumann")[-1] < stuck.regret("von-neumann")[-1]
