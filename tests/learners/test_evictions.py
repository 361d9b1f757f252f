"""Every eviction can be checked by hand from what was asked and told.

The log of a run says for each round, counted by outcomes, which duel was told, what was active
when it was asked and at which rate. From that alone the statistic, the threshold and the rights
of both arms are computed again, by the definition, and compared with what the learner reports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import driftduel as dd
from driftduel.testing.driving import tell_as_played
from tests.learners.driving import random_world
from tests.learners.problems import CRITERIA, random_learner
from tests.modes import COMPILED

PER_CASE = 8 if COMPILED else 4
ROUNDS = 300 if COMPILED else 200
CLOSE = 1e-9


@dataclass
class Asked:
    """A duel, what was active when it was asked, and the weight and rate it was drawn with."""

    duel: dd.learners.Duel
    active: set[int]
    weight: np.ndarray | None
    rate: float


@dataclass
class Told:
    """The duel of a round, its outcome and what was active when the round began."""

    asked: Asked
    outcome: float
    active: set[int]


def play(learner, rng, rounds, delay):
    """Keep ``delay`` duels open, tell them in any order, drop some; return the log."""
    world = random_world(rng, learner.n_arms, rounds)
    waiting, log = [], []
    while len(log) < rounds:
        while len(waiting) <= delay:
            waiting.append(ask(learner))
        asked = waiting.pop(rng.integers(len(waiting)))
        if delay and rng.random() < 0.1:
            continue
        duel = asked.duel
        outcome = float(rng.random() < world[len(log), duel.left, duel.right])
        outcome = 0.5 if rng.random() < 0.1 else outcome
        log.append(Told(asked, outcome, set(learner.active.tolist())))
        tell_as_played(learner, duel, outcome)
    return log


def ask(learner):
    duel = learner.ask()
    weight = None
    if isinstance(learner.criterion, dd.Borda):
        weight = np.full(learner.n_arms, 1 / learner.n_arms)
    elif isinstance(learner.criterion, dd.Weighted):
        weight = learner.criterion.weight.at(learner.rounds)
    rate = 1 / learner._session.open[duel.id][2][1]
    return Asked(duel, set(learner.active.tolist()), weight, rate)


def propensity(asked, n_arms):
    mixture = np.full(n_arms, 1 / n_arms) if asked.weight is None else asked.weight
    q = asked.rate * mixture
    for arm in asked.active:
        q[arm] += (1 - asked.rate) / len(asked.active)
    return q[asked.duel.left] * q[asked.duel.right]


def estimate(learner, told, arm, point_mass):
    """bhat(arm, w) = 1{i = arm} w[j] (O - 1/2) / (q(i) q(j))."""
    duel = told.asked.duel
    if duel.left != arm:
        return 0.0
    weight = told.asked.weight
    share = float(duel.right == point_mass) if weight is None else weight[duel.right]
    centre = 0.5 if learner.estimator == "centred" else 0.0
    return share * (told.outcome - centre) / propensity(told.asked, learner.n_arms)


def threshold(learner, eviction, inverse_rates):
    K = learner.n_arms
    drift, variance, range_ = K ** (1 / 3), K, K
    if eviction.weight is not None:
        drift, variance = K ** (2 / 3), K**2
        range_ = K**learner.constants.point_mass_range
    rounds = learner.horizon or eviction.last + 1
    noise = math.sqrt(variance * math.fsum(inverse_rates)) + range_ * max(inverse_rates)
    size = drift * (eviction.last - eviction.first) ** (2 / 3)
    return learner.constants.scale * math.log(max(2, rounds)) * max(size, noise)


def assert_justified(learner, eviction, log):
    interval = log[eviction.first : eviction.last + 1]
    for told in interval:
        assert {eviction.arm, eviction.beaten_by} <= told.active & told.asked.active
    leads = [
        estimate(learner, told, eviction.beaten_by, eviction.weight)
        - estimate(learner, told, eviction.arm, eviction.weight)
        for told in interval
    ]
    statistic = math.fsum(leads)
    limit = threshold(learner, eviction, [1 / told.asked.rate for told in interval])
    assert eviction.statistic == pytest.approx(statistic, rel=CLOSE)
    assert eviction.threshold == pytest.approx(limit, rel=CLOSE)
    assert eviction.statistic >= eviction.threshold


def assert_admitted(learner, eviction, episodes):
    """The interval lies in the episode; it is a block or the life of a base, if not all count."""
    episode = max(start for start in episodes if start <= eviction.last)
    length = eviction.last + 1 - eviction.first
    assert eviction.first >= episode
    if learner.intervals == "all":
        assert length >= 2
        return
    assert length >= learner.smallest_block
    is_power = length & (length - 1) == 0
    is_block = is_power and (eviction.first - episode) % (length // learner.steps) == 0
    assert is_block or (learner.prefix and eviction.first == eviction.base)


def random_problem(rng, learner, kind, intervals, steps):
    fast = random_learner(
        rng,
        learner,
        kind,
        intervals=intervals,
        steps=steps,
        prefix=bool(rng.integers(2)),
        smallest_block=int(max(4, steps) * rng.choice([1, 2])),
    )
    changes = {"constants": replace(fast.constants, scale=0.6 * fast.constants.scale)}
    if learner is dd.MetaBosse:  # not so many replays that every set is full
        changes["replay_rate"] = min(fast.replay_rate, 1.0)
    changes["horizon"] = None if intervals == "dyadic" and rng.random() < 0.3 else ROUNDS
    return fast.clone(**changes)


@pytest.mark.parametrize("delay", [0, 1, 6, 40])
@pytest.mark.parametrize("kind", CRITERIA)
def test_every_eviction_of_blocks_follows_from_the_log(kind, delay):
    check_evictions(kind, delay, "dyadic", PER_CASE)


@pytest.mark.parametrize("kind", CRITERIA)
def test_every_eviction_of_all_intervals_follows_from_the_log_despite_delays(kind):
    check_evictions(kind, 10, "all", 4 if COMPILED else 1)


def check_evictions(kind, delay, intervals, n_problems):
    evictions = late = 0
    for seed in range(n_problems):
        rng = np.random.default_rng([seed, CRITERIA.index(kind), delay])
        learner = dd.Bosse if seed % 8 == 7 else dd.MetaBosse
        learner = random_problem(rng, learner, kind, intervals, steps=(1, 2, 4, 8)[seed % 4])
        log = play(learner, rng, ROUNDS, delay)
        for told in log:
            asked = told.asked
            assert asked.duel.propensity == pytest.approx(propensity(asked, learner.n_arms))
            late += asked.active != told.active
        for eviction in learner.evictions:
            assert_justified(learner, eviction, log)
            assert_admitted(learner, eviction, learner.episodes)
        evictions += len(learner.evictions)
    assert evictions > n_problems
    assert bool(late) == bool(delay)
