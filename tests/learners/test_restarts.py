"""Learners inside wrappers: begun anew at the right rounds, told again what they should be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import Learner
from driftduel.learners.base import History, learner_generator
from driftduel.learners.bosse import Constants
from driftduel.learners.restarts import PeriodicRestart, SlidingWindow
from driftduel.simulation import world_generator
from driftduel.testing import (
    CHECKS,
    check_resumes_bit_for_bit,
    check_simulate_equals_ask_and_tell,
)
from driftduel.testing.driving import switching_world
from tests.learners.agreeing import COMPILED

QUICK = Constants(scale=0.02)

VARIANTS = {
    "a window inside": lambda n, t, seed: PeriodicRestart.of(
        SlidingWindow.of(dd.Uniform(n), window=20, every=7), horizon=t, every=101, seed=seed
    ),
    "nothing drawn": lambda n, t, seed: PeriodicRestart.of(dd.FixedPair(n, t, seed=seed), every=40),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_wrapper_keeps_the_contract(variant, check):
    assert check(VARIANTS[variant]) is None


def metabosse_inside(n_arms, horizon, seed):
    inner = dd.MetaBosse(n_arms, 90, seed=seed, constants=QUICK)
    return PeriodicRestart.of(inner, horizon=horizon, every=90)


if not COMPILED:  # it takes long to compile; the test of dates below does it once

    @pytest.mark.parametrize(
        "check",
        [check_simulate_equals_ask_and_tell, check_resumes_bit_for_bit],
        ids=lambda check: check.__name__,
    )
    def test_a_learner_with_a_journal_keeps_the_contract_inside(check):
        assert check(metabosse_inside) is None


def by_definition(inner, world, seed, every, window):
    """Play by the kernels of a learner that is made anew, and told again, every so many rounds."""
    rng, chance = learner_generator(seed), world_generator(seed)
    state = inner.start(rng)
    entropy = int(learner_with_the_numbers_of(rng).integers(2**62))
    log, pairs, restarts = [], [], 0

    def learn(left, right, ticket, outcome, numbers):
        if inner.learn(state, left, right, ticket, outcome):
            inner.settle(state, numbers)
            inner.collect(state, History())

    for n in range(world.horizon):
        left, right, ticket = inner.choose(state, rng)
        pairs.append((int(left), int(right)))
        outcome = float(chance.random() < world.matrix(n)[left, right])
        log.append((int(left), int(right), ticket, outcome))
        learn(*log[-1], rng)
        if (n + 1) % every == 0:
            restarts += 1
            numbers = np.random.default_rng(np.random.SeedSequence([entropy, restarts]))
            state = inner.start(numbers)
            for left, right, ticket, outcome in log[len(log) - min(window, len(log)) :]:
                learn(left, right, ticket, outcome, numbers)
    return pairs, inner.best_of(state)


def learner_with_the_numbers_of(rng):
    again = np.random.default_rng()
    again.bit_generator.state = rng.bit_generator.state
    return again


def pairs_of(run):
    codes = run.ledger.pairs.argmax(axis=1)
    return [divmod(int(code), run.stream.n_arms) for code in codes]


@pytest.mark.parametrize(
    ("inner", "every", "window"),
    [
        (dd.BordaElimination(4, failure=0.5, width=0.3), 60, None),
        (dd.BordaETC(3, exploration=20), 1, None),
        (dd.RUCB(4), 40, 100),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Learner) else None,
)
def test_periods_are_played_as_if_by_a_learner_made_anew(inner, every, window):
    if window is None:
        learner = PeriodicRestart.of(inner, every=every)
    else:
        learner = SlidingWindow.of(inner, every=every, window=window)
    world = switching_world(inner.n_arms, 400)
    for seed in range(3):
        run = dd.simulate(learner, world, seed, points=world.horizon)
        assert (pairs_of(run), run.best) == by_definition(inner, world, seed, every, window or 0)
        assert run.episodes == list(range(0, 400, every))


def test_a_window_of_wins_holds_the_latest_outcomes_and_no_others():
    learner = SlidingWindow.of(dd.Uniform(3, seed=4), window=30, every=10)
    script = np.random.default_rng(1)
    log = []
    for n in range(1, 201):
        duel = learner.ask()
        outcome = float(script.choice([0.0, 0.5, 1.0]))
        learner.tell(duel, outcome)
        log.append((duel.left, duel.right, outcome))
        leads = np.zeros((3, 3))
        for left, right, told in log[max(0, n - n % 10 - 30) :]:
            leads[left, right] += told - 0.5
        assert learner.session.state.inner.leads.tolist() == leads.tolist()


def test_outcomes_of_duels_asked_before_a_restart_are_not_learned():
    learner = PeriodicRestart.of(dd.Uniform(3, seed=1), every=5)
    old = learner.ask()
    for _ in range(5):
        learner.tell(learner.ask(), 1.0)
    assert learner.episodes == [0, 5]
    learner.tell(old, 1.0)
    assert learner.session.state.inner.rounds[0] == 0
    assert learner.rounds == 6
    for _ in range(4):
        learner.tell(learner.ask(), 1.0)
    assert learner.episodes == [0, 5, 10]


def test_what_happens_inside_is_dated_from_the_first_round():
    inner = dd.MetaBosse(3, 200, constants=QUICK)
    run = dd.simulate(PeriodicRestart.of(inner, every=200), switching_world(3, 1000), seed=2)
    assert {200, 400, 600, 800} < set(run.episodes)
    assert run.episodes == sorted(run.episodes)
    assert any(item.round > 800 for item in run.evictions)
    for item in run.evictions:
        begin = item.round // 200 * 200
        assert begin <= item.base <= item.round
        assert begin <= item.first <= item.last == item.round
    assert [item.start for item in run.replays] == sorted(item.start for item in run.replays)


def test_a_learner_inside_keeps_its_own_state_to_itself():
    inner = dd.Uniform(3, 50, seed=7, labels=["a", "b", "c"])
    inner.tell(inner.ask(), 1.0)
    learner = PeriodicRestart.of(inner, every=10)
    assert (learner.horizon, learner.seed, learner.labels) == (50, 7, ("a", "b", "c"))
    learner.tell(learner.ask(), 1.0)
    assert inner.rounds == 1
    assert learner.inner.rounds == 0
    assert learner.inner is not inner


def test_the_defaults_are_a_learner_for_the_rounds_of_a_period_and_rucb():
    learner = PeriodicRestart(4, 10_000, every=500)
    assert type(learner.inner) is dd.BordaETC
    assert learner.inner.horizon == 500
    assert learner.criterion == dd.Borda()
    window = SlidingWindow(4)
    assert type(window.inner) is dd.RUCB
    assert window.criterion == dd.Condorcet()


def test_a_learner_that_keeps_every_round_must_last_for_a_period_only():
    inner = dd.MetaBosse(3, 50, intervals="all")
    learner = PeriodicRestart.of(inner, every=50)
    learner.check_horizon(10**6)
    with pytest.raises(ValueError, match=r"^the horizon of 50 rounds is over"):
        PeriodicRestart.of(inner, every=51).check_horizon(10**6)


@pytest.mark.large
def test_restarts_survive_a_switch_that_breaks_the_learner_inside():
    """The first arm of 4 wins nine of ten duels until half time, then loses. T = 10^5.

    BordaETC alone plays the loser for half the rounds, at .6 each. Restarted every 10^4 rounds it
    explores 1641 rounds at .3 each and is then right: the rates of 400 duels are off by .1 with
    probability below 8 exp(-2 400 .1^2) = .003 in each of 10 periods, and one period lost costs
    6000 at most.
    """
    horizon = 100_000
    world = switching_world(4, horizon)
    alone = dd.simulate(dd.BordaETC(4, horizon), world, 1, points=1).regret()[-1]
    again = PeriodicRestart.of(dd.BordaETC(4, 10_000), horizon=horizon, every=10_000)
    restarted = dd.simulate(again, world, 1, points=1).regret()[-1]
    assert alone > 30_000
    assert restarted < 13_000


@pytest.mark.large
def test_a_window_survives_a_switch_that_breaks_rucb():
    """As above, in Condorcet regret. RUCB alone has seen 4 10^4 wins of the first arm."""
    horizon = 100_000
    world = switching_world(4, horizon)
    alone = dd.simulate(dd.RUCB(4), world, 1, points=2).regret("condorcet")
    window = SlidingWindow.of(dd.RUCB(4), window=4000, horizon=horizon)
    sliding = dd.simulate(window, world, 1, points=2).regret("condorcet")
    assert sliding[-1] < 5_000
    assert alone[-1] > 2 * sliding[-1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"every": 0}, "every is 0, must be at least 1"),
        ({"every": 2.5}, "every is 2.5, must be a whole number"),
        ({"inner": "RUCB"}, "inner is 'RUCB', must be a learner"),
        ({"inner": dd.Uniform}, "inner is <class .*>, must be a learner"),
        ({"inner": dd.Uniform(4)}, "inner has 4 arms, there are 3"),
        ({"inner": dd.Uniform(3), "criterion": "condorcet"},
         "criterion is 'condorcet', inner has 'borda'"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(settings, message):
    for kind in (PeriodicRestart, SlidingWindow):
        with pytest.raises(ValueError, match=f"^{message}$"):
            kind(3, 100, **settings)


@pytest.mark.parametrize("window", [0, -1, 2.5, math.nan, "10"])
def test_a_window_is_a_number_of_outcomes(window):
    with pytest.raises(ValueError, match=r"^window is "):
        SlidingWindow(3, window=window)


def test_a_learner_whose_tickets_belong_to_its_state_cannot_be_told_again():
    with pytest.raises(ValueError, match=r"^MetaBosse cannot be told outcomes again, its tickets"):
        SlidingWindow.of(dd.MetaBosse(3, 100))
    with pytest.raises(ValueError, match=r"^PeriodicRestart cannot be told outcomes again"):
        SlidingWindow.of(PeriodicRestart(3, 100))


def test_a_learner_that_says_so_is_told_again_with_its_longer_tickets(monkeypatch):
    monkeypatch.setattr(dd.SlidingBordaGreedy, "relearns", True)
    inner = dd.SlidingBordaGreedy(3, exploration=0.5, window=40, seed=3)
    learner = SlidingWindow.of(inner, window=30, every=10)
    log = []
    for n in range(1, 101):
        duel = learner.ask()
        learner.tell(duel, float(duel.left == 1))
        exploring = learner.session.state.kept[(n - 1) % 30, 4] == 1
        log.append((duel.left, duel.right, float(duel.left == 1), exploring))
    weights = np.zeros(3)
    for left, right, _, exploring in log[-30:]:
        weights[left] += exploring
        weights[right] += exploring
    # Round 100 ends a period, so nothing but the window is known.
    assert learner.session.state.inner.weights.tolist() == weights.tolist()
    assert learner.best() == 1
