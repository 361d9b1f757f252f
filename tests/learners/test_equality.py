"""The learners agree with the literal algorithm on everything that happens in a run.

Constants are drawn at random, so a statistic equals its threshold with probability 0; estimates
repeat, so two arms may lead by the same number, and then rounding decides who is named.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners.parts.reference import alias_table
from tests.learners.driving import play_beside, random_world
from tests.learners.problems import CRITERIA, random_learner
from tests.modes import COMPILED, often
from tests.naive import metabosse as naive

METABOSSE = 20 if COMPILED else 10
BOSSE = 12 if COMPILED else 4
DYADIC = 12 if COMPILED else 4


def arms_below(evidence, start):
    return frozenset(np.flatnonzero(evidence < start).tolist())


def literal(learner, tested=naive.every_interval):
    """Return what makes the literal algorithm with the learner's configuration."""
    K = learner.n_arms
    constants = learner.constants
    weight, cap, explore = None, 1.0, None
    if isinstance(learner.criterion, dd.Borda):
        weight = lambda t: [1 / K] * K  # noqa: E731
    elif isinstance(learner.criterion, dd.Weighted):
        sequence = learner.criterion.weight
        weight = lambda t: sequence.at(t).tolist()  # noqa: E731
        if np.ptp(sequence.table, axis=1).max() > 0:
            cap = constants.cap
            tables = {}

            def explore(t, number):
                key = sequence.at(t).tobytes()
                if key not in tables:
                    tables[key] = alias_table(sequence.at(t))
                chance, other = tables[key]
                arm = int(number * K)
                return arm if number * K - arm < chance[arm] else int(other[arm])

    problem = naive.Problem(
        n_arms=K,
        horizon=learner.horizon,
        scale=constants.scale,
        weight=weight,
        explore=explore,
        cap=cap,
        range_power=constants.point_mass_range,
        centre=0.5 if learner.estimator == "centred" else 0.0,
        replay_rate=getattr(learner, "replay_rate", 0.0),
        tested=tested,
        kept=lambda: int(learner.active[0]),
    )
    return partial(naive.MetaBosse, problem)


def play_and_compare(learner, oracle_of, world, n_rounds, seed):
    """Play both and compare everything; return what there was to compare."""
    depths = []

    def compare(learner, oracle):
        compare_round(learner, oracle)
        depths.append(int(learner._session.state.clock[0]["depth"]))

    how = {"world": world, "compare": compare, "rel": 1e-9}
    oracle = play_beside(learner, oracle_of, n_rounds, seed, **how).oracle
    compare_evictions(learner, oracle)
    if learner.horizon is not None:
        assert max(depths) <= math.ceil(math.log2(max(2, learner.horizon))) + 1
    return Counter(
        evictions=len(oracle.evictions),
        restarts=len(oracle.episodes) - 1,
        replays=len(oracle.replays),
        nested=sum(depth > 2 for depth in depths),
        spared=oracle.n_spared,
        within_replays=sum(e.base not in oracle.episodes for e in oracle.evictions),
        across_bases=sum(e.first < e.base for e in oracle.evictions),
        resumed=sum(
            later.bases[-1][0] < earlier.bases[-1][0] for earlier, later in pairwise(oracle.rounds)
        ),
    )


def compare_round(learner, oracle):
    """Compare the rate, the stack of bases and the sets of a round with the definition."""
    state, slow = learner._session.state, oracle.now
    *_, (_, _, ticket) = learner._session.open.values()
    assert math.isclose(1 / ticket[1], slow.rate, rel_tol=1e-9)
    evidence = state.arms["evidence"]
    assert arms_below(evidence, state.clock[0]["episode"]) == slow.global_arms
    stack = state.bases[: state.clock[0]["depth"]]
    assert stack[-1]["start"] == slow.bases[-1][0]
    slow_sets = {start: arms for start, _, arms in slow.bases}
    for start in stack["start"].tolist():
        assert arms_below(evidence, start) == slow_sets[start]
    # What is not on the stack could not have played again.
    for n, (start, end, _) in enumerate(slow.bases):
        assert start in stack["start"] or end <= max(e for _, e, _ in slow.bases[n + 1 :])


def compare_evictions(learner, oracle):
    for fast, slow in zip(learner.evictions, oracle.evictions, strict=True):
        assert (fast.round, fast.arm, fast.first, fast.last, fast.weight, fast.base) == (
            slow.last,
            slow.arm,
            slow.first,
            slow.last,
            slow.weight,
            slow.base,
        )
        assert fast.beaten_by in slow.leaders
        assert math.isclose(fast.statistic, slow.statistic, rel_tol=1e-9)
        assert math.isclose(fast.threshold, slow.threshold, rel_tol=1e-9)


def play_all_intervals(seed, learner, kind):
    rng = np.random.default_rng([seed, CRITERIA.index(kind)])
    learner = random_learner(rng, learner, kind, intervals="all", refresh=0.0)
    world = random_world(rng, learner.n_arms, learner.horizon)
    return play_and_compare(learner, literal(learner), world, learner.horizon, seed)


def play_problems(n, learner, kind, play=play_all_intervals):
    return sum((play(seed, learner, kind) for seed in range(n)), Counter())


def assert_busy(total, n):
    """The equality is not one of quiet runs: per problem, several of everything happened."""
    assert total["evictions"] > 3 * n
    assert total["across_bases"] > n
    assert total["restarts"] > n / 4
    assert total["nested"] > 5 * n
    assert total["resumed"] > 0


@pytest.mark.parametrize("kind", CRITERIA)
def test_metabosse_with_all_intervals_is_the_literal_algorithm(kind):
    assert_busy(play_problems(METABOSSE, dd.MetaBosse, kind), METABOSSE)


@pytest.mark.parametrize("kind", CRITERIA)
def test_bosse_with_all_intervals_is_the_literal_algorithm(kind):
    total = play_problems(BOSSE, dd.Bosse, kind)
    assert total["evictions"] > BOSSE
    assert total["replays"] == total["restarts"] == 0


@pytest.mark.large
def test_bosse_keeps_the_winner_of_the_latest_interval_when_all_arms_would_go():
    total = play_problems(24, dd.Bosse, "condorcet")
    assert total["spared"] > 0


class Blocks:
    """The intervals of the linear-time rule: blocks of 2^k rounds, and the lives of bases."""

    def __init__(self, learner, rounds):
        self.block, self.steps = learner.smallest_block, learner.steps
        self.longest = learner.horizon or rounds
        self.prefix = learner.prefix
        self.next_test = {}

    def __call__(self, first, last, base, episode):
        length = last + 1 - first
        if (last + 1 - episode) % (self.block // self.steps):
            return False
        is_life = first == base.start and self.prefix and self.life_is_due(base, last + 1)
        is_power = length & (length - 1) == 0 and self.block <= length <= self.longest
        return is_life or (is_power and (first - episode) % (length // self.steps) == 0)

    def life_is_due(self, base, now):
        if base.length < self.block or now < self.next_test.get(
            base.start, base.start + self.block
        ):
            return False
        self.next_test[base.start] = now + (now - base.start) // 10
        return True


def play_dyadic(seed, learner, kind):
    rng = np.random.default_rng([seed, CRITERIA.index(kind), 1])
    steps = int(rng.choice([1, 2, 4, 8]))
    fast = random_learner(
        rng,
        learner,
        kind,
        refresh=0.0,
        steps=steps,
        smallest_block=int(max(2, steps * rng.choice([1, 2]))),
        prefix=bool(rng.integers(2)),
    )
    rounds = int(fast.horizon * rng.choice([1.0, 1.5]))
    if rng.random() < 0.3:
        fast = fast.clone(horizon=None)
    world = random_world(rng, fast.n_arms, rounds)
    return play_and_compare(fast, literal(fast, Blocks(fast, rounds)), world, rounds, seed)


@pytest.mark.parametrize("kind", CRITERIA)
def test_dyadic_metabosse_is_the_literal_algorithm_on_fewer_intervals(kind):
    assert_busy(play_problems(DYADIC, dd.MetaBosse, kind, play_dyadic), DYADIC)


@pytest.mark.parametrize("kind", CRITERIA)
def test_dyadic_bosse_is_the_literal_algorithm_on_fewer_intervals(kind):
    assert play_problems(DYADIC, dd.Bosse, kind, play_dyadic)["evictions"] > DYADIC


@pytest.mark.slow
@pytest.mark.parametrize("kind", CRITERIA)
def test_thousands_of_problems_agree_with_the_literal_algorithm(kind):
    many, some = often(300, 1000), often(75, 250)
    for play in play_all_intervals, play_dyadic:
        assert_busy(play_problems(many, dd.MetaBosse, kind, play), many)
        assert play_problems(some, dd.Bosse, kind, play)["evictions"] > some
