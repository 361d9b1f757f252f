"""Learners inside wrappers: restarted at the right rounds, told again what they should be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import driftduel as dd
from driftduel.experiments.simulation import world_generator
from driftduel.learners import Eviction, Learner, Replay, inline_kernel, kernel
from driftduel.learners.contract.base import learner_generator, settle_generator
from driftduel.learners.contract.history import History
from driftduel.learners.paper.bosse import Constants
from driftduel.learners.rivals.restarts import PeriodicRestart, SlidingWindow
from driftduel.testing import CHECKS, check_resumes_bit_for_bit, check_simulate_equals_ask_and_tell
from driftduel.testing.driving import switching_world, tell_as_played
from tests.modes import COMPILED

QUICK = Constants(scale=0.02)

VARIANTS = {
    "a window inside": lambda n, t, seed: PeriodicRestart.of(
        SlidingWindow.of(dd.learners.Uniform(n), window=20, every=7),
        horizon=t,
        every=101,
        seed=seed,
    ),
    "nothing drawn": lambda n, t, seed: PeriodicRestart.of(
        dd.learners.FixedPair(n, t, seed=seed), every=40
    ),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_wrapper_keeps_the_contract(variant, check):
    assert check(VARIANTS[variant]) is None


def metabosse_inside(n_arms, horizon, seed):
    inner = dd.MetaBosse(n_arms, 90, seed=seed, constants=QUICK)
    return PeriodicRestart.of(inner, horizon=horizon, every=90)


if not COMPILED:  # it takes long to compile

    @pytest.mark.parametrize(
        "check",
        [check_simulate_equals_ask_and_tell, check_resumes_bit_for_bit],
        ids=lambda check: check.__name__,
    )
    def test_a_learner_with_a_journal_keeps_the_contract_inside(check):
        assert check(metabosse_inside) is None


def by_definition(inner, world, seed, every, window):
    """Play by the kernels of a new learner that is told everything again, every so many rounds."""
    rng, chance = learner_generator(seed), world_generator(seed)
    settle_rng = settle_generator(seed)
    state = inner._start(rng)
    entropy = int(learner_with_the_numbers_of(rng).integers(2**62))
    log, pairs, restarts = [], [], 0

    def learn(left, right, ticket, outcome, numbers):
        if inner._learn(state, left, right, ticket, outcome):
            inner._settle(state, numbers)
            inner._collect(state, History())

    for n in range(world.horizon):
        left, right, ticket = inner._choose(state, rng)
        pairs.append((int(left), int(right)))
        outcome = float(chance.random() < world.matrix(n)[left, right])
        log.append((int(left), int(right), ticket, outcome))
        learn(*log[-1], settle_rng)
        if (n + 1) % every == 0:
            restarts += 1
            numbers = np.random.default_rng(np.random.SeedSequence([entropy, restarts]))
            state = inner._start(numbers)
            for left, right, ticket, outcome in log[len(log) - min(window, len(log)) :]:
                learn(left, right, ticket, outcome, numbers)
    return pairs, inner._best_of(state)


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
        (dd.learners.BordaElimination(4, failure=0.5, width=0.3), 60, None),
        (dd.learners.BordaETC(3, exploration=20), 1, None),
        (dd.learners.RUCB(4), 40, 100),
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
    learner = SlidingWindow.of(dd.learners.Uniform(3, seed=4), window=30, every=10)
    script = np.random.default_rng(1)
    log = []
    for n in range(1, 201):
        duel = learner.ask()
        outcome = float(script.choice([0.0, 0.5, 1.0]))
        tell_as_played(learner, duel, outcome)
        log.append((duel.left, duel.right, outcome))
        leads = np.zeros((3, 3))
        for left, right, told in log[max(0, n - n % 10 - 30) :]:
            leads[left, right] += told - 0.5
        assert learner._session.state.inner.leads.tolist() == leads.tolist()


def test_outcomes_of_duels_asked_before_a_restart_are_not_learned():
    learner = PeriodicRestart.of(dd.learners.Uniform(3, seed=1), every=5)
    old = learner.ask()
    for _ in range(5):
        tell_as_played(learner, learner.ask(), 1.0)
    assert learner.episodes == [0, 5]
    tell_as_played(learner, old, 1.0)
    assert learner._session.state.inner.rounds[0] == 0
    assert learner.rounds == 6
    for _ in range(4):
        tell_as_played(learner, learner.ask(), 1.0)
    assert learner.episodes == [0, 5, 10]


class DiaryState(NamedTuple):
    rounds: np.ndarray
    diary: np.ndarray  # the rounds of evictions not read yet
    noted: np.ndarray


@inline_kernel
def choose_any(state, rng):
    return int(rng.random() * 3), 0, (1 / 3,)


@inline_kernel
def learn_round(state, left, right, ticket, outcome):
    state.rounds[0] += 1
    return state.rounds[0] % 4 == 0


@kernel
def write_diary(state, rng):
    state.diary[state.noted[0]] = state.rounds[0] - 1
    state.noted[0] += 1


@inline_kernel
def diary_full(state):
    return state.noted[0] == state.diary.shape[0]


@dataclass(frozen=True, eq=False)
class Diarist(Learner):
    """Notes an eviction, an episode and a replay every 4 rounds, in a journal for 3 of them."""

    _choose = staticmethod(choose_any)
    _learn = staticmethod(learn_round)
    _settle = staticmethod(write_diary)
    _full = staticmethod(diary_full)

    def _allocate(self):
        return DiaryState(np.zeros(1, np.int64), np.zeros(3, np.int64), np.zeros(1, np.int64))

    def _best_of(self, state):
        return 0

    def _collect(self, state, history):
        for n in map(int, state.diary[: state.noted[0]]):
            history.evictions.append(Eviction(n, 1, 0, n - 2, n, None, 2.0, 1.0, base=n - 3))
            history.episodes.append(n + 1)
            history.replays.append(Replay(n, 5))
        state.noted[0] = 0


@pytest.mark.parametrize("every", [1, 4, 11, 50])
def test_what_happens_inside_is_dated_from_the_first_round(every):
    learner = PeriodicRestart.of(Diarist(3), every=every)
    expected = [n for n in range(100) if n % every % 4 == 3]
    by_hand = PeriodicRestart.of(Diarist(3), every=every)
    for _ in range(100):
        tell_as_played(by_hand, by_hand.ask(), 1.0)
    for result in (dd.simulate(learner, switching_world(3, 100)), by_hand):
        assert [item.round for item in result.evictions] == expected
        assert [item.start for item in result.replays] == expected
        assert all(
            (item.first, item.last, item.base) == (item.round - 2, item.round, item.round - 3)
            for item in result.evictions
        )
        starts = {0, *(n + 1 for n in expected), *range(every, 101, every)} - {100}
        assert [start for start in result.episodes if start < 100] == sorted(starts)


def test_a_window_tells_again_what_overflows_the_journal_inside():
    learner = SlidingWindow.of(Diarist(3), window=40, every=10)
    for _ in range(95):
        tell_as_played(learner, learner.ask(), 1.0)
    # Told again were 40 outcomes, 10 notes; what was found twice is not noted twice.
    assert learner._session.state.inner.rounds[0] == 45
    assert [item.round for item in learner.evictions if item.round >= 90] == [93]


def test_a_learner_inside_keeps_its_own_state_to_itself():
    inner = dd.learners.Uniform(3, 50, seed=7, labels=["a", "b", "c"])
    tell_as_played(inner, inner.ask(), 1.0)
    learner = PeriodicRestart.of(inner, every=10)
    assert (learner.horizon, learner.seed, learner.labels) == (50, 7, ("a", "b", "c"))
    tell_as_played(learner, learner.ask(), 1.0)
    assert inner.rounds == 1
    assert learner.inner.rounds == 0
    assert learner.inner is not inner


def test_the_defaults_are_a_learner_for_the_rounds_of_a_period_and_rucb():
    learner = PeriodicRestart(4, 10_000, every=500)
    assert type(learner.inner) is dd.learners.BordaETC
    assert learner.inner.horizon == 500
    assert learner.criterion == dd.Borda()
    window = SlidingWindow(4)
    assert type(window.inner) is dd.learners.RUCB
    assert window.criterion == dd.Condorcet()


def test_a_learner_that_keeps_every_round_must_last_for_a_period_only():
    inner = dd.MetaBosse(3, 50, intervals="all")
    learner = PeriodicRestart.of(inner, every=50)
    learner._check_horizon(10**6)
    with pytest.raises(ValueError, match=r"^the horizon of 50 rounds is over"):
        PeriodicRestart.of(inner, every=51)._check_horizon(10**6)


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
    alone = dd.simulate(dd.learners.BordaETC(4, horizon), world, 1, points=1).regret()[-1]
    again = PeriodicRestart.of(dd.learners.BordaETC(4, 10_000), horizon=horizon, every=10_000)
    restarted = dd.simulate(again, world, 1, points=1).regret()[-1]
    assert alone > 30_000
    assert restarted < 13_000


@pytest.mark.large
def test_a_window_survives_a_switch_that_breaks_rucb():
    """As above, in Condorcet regret. RUCB alone has seen 4 10^4 wins of the first arm."""
    horizon = 100_000
    world = switching_world(4, horizon)
    alone = dd.simulate(dd.learners.RUCB(4), world, 1, points=2).regret("condorcet")
    window = SlidingWindow.of(dd.learners.RUCB(4), window=4000, horizon=horizon)
    sliding = dd.simulate(window, world, 1, points=2).regret("condorcet")
    assert sliding[-1] < 5_000
    assert alone[-1] > 2 * sliding[-1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"every": 0}, "every is 0, must be at least 1"),
        ({"every": 2.5}, "every is 2.5, must be a whole number( or none)?"),
        ({"inner": "RUCB"}, "inner is 'RUCB', must be a learner"),
        ({"inner": dd.learners.Uniform}, "inner is <class .*>, must be a learner"),
        ({"inner": dd.learners.Uniform(4)}, "inner has 4 arms, there are 3"),
        ({"inner": dd.learners.Uniform(3), "criterion": "condorcet"},
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
    with pytest.raises(
        ValueError, match=r"^inner is a MetaBosse, which cannot be told outcomes again: "
    ):
        SlidingWindow.of(dd.MetaBosse(3, 100))
    with pytest.raises(
        ValueError, match=r"^inner is a PeriodicRestart, which cannot be told outcomes again"
    ):
        SlidingWindow.of(PeriodicRestart(3, 100))


def test_a_learner_that_says_so_is_told_again_with_its_longer_tickets(monkeypatch):
    monkeypatch.setattr(dd.learners.SlidingBordaGreedy, "_replayable", True)
    inner = dd.learners.SlidingBordaGreedy(3, exploration=0.5, window=40, seed=3)
    learner = SlidingWindow.of(inner, window=30, every=10)
    log = []
    for n in range(1, 101):
        duel = learner.ask()
        tell_as_played(learner, duel, float(duel.left == 1))
        exploring = learner._session.state.kept[(n - 1) % 30, 4] == 1
        log.append((duel.left, duel.right, float(duel.left == 1), exploring))
    weights = np.zeros(3)
    for left, right, _, exploring in log[-30:]:
        weights[left] += exploring
        weights[right] += exploring
    # Round 100 ends a period, so nothing but the window is known.
    assert learner._session.state.inner.weights.tolist() == weights.tolist()
    assert learner.best() == 1
