"""An experiment: to follow the von Neumann winner of a world that changes, without prior knowledge.

Versatile-DB plays, and its mean play comes near a von Neumann winner as long as nothing changes.
Now and then a toss: an arm drawn uniformly meets one drawn from w, the mean play at the last time
at which the age of the episode was a power of 2. So the tosses of an arm a have the mean
``D(a, w) = sum_b (P[a, b] - 1/2) w[b]``, which for a w made in n rounds without change is about
sqrt(K / n) at most. An arm that gains more on w over some dyadic block of rounds, by more than its
tosses may by chance, proves that w is no winner any more, and all restarts.

In an episode of age n a round is a toss with probability ``min(1, 2 (K / n)^(1/3))``. With m tosses
of an arm in a block and the sum s of their outcomes, a win counted 1/2 and a loss -1/2, the alarm
is ``s >= 5/2 sqrt(m) + 2 m sqrt(K ln K / n_w)``, n_w the age at which w was made: five standard
deviations beyond what Versatile-DB may owe. Blocks are those of ``2^k`` rounds, from about 32 K on,
that begin at a multiple of ``2^k``; each is looked at after each of its tosses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.beginnings import BeginsAgain
from driftduel.learners.parts.mixture import draw
from driftduel.learners.parts.versatile import (
    VERSATILE_RANGES,
    VersatileState,
    choose_versatile,
    forget_losses,
    learn_versatile,
    no_losses,
)
from driftduel.matrix.criteria import Condorcet, VonNeumann

Ticket = tuple[float, float, float, float, float]
"""Propensity, the chances of the two arms, number of the episode, number of w or -1 if no toss."""

TOSSING = 2.0
ALARM = 5.0
SMALLEST_BLOCK = 32
LEVELS = 64

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("age", "i8"),  # of them in this episode
        ("episode", "i8"),  # number of the episode
        ("made", "i8"),  # how often w was made in this episode
        ("made_at", "i8"),  # the age at which it was made last, 0 if never
        ("first", "i8"),  # k of the smallest blocks
        ("alarm", "i8"),  # 1 if settle has to restart
        ("began", "i8"),  # round of a new beginning that is not in the history, or -1
    ],
    align=True,
)


class TrackerState(NamedTuple):
    """The arrays of `ExperimentalVonNeumann`."""

    clock: Records  # (1,) CLOCK
    inner: VersatileState
    plays: Floats  # (K,) how often Versatile-DB played each arm in this episode
    weight: Floats  # (K,) w
    tosses: Floats  # (LEVELS, K) in the running block of each length
    gains: Floats  # (LEVELS, K) their sums


def _is_weight(weight: Floats, known: Known) -> bool:
    return bool((weight >= 0).all() and abs(weight.sum() - 1.0) <= 1e-9)


TRACKER_RANGES: Ranges = {
    "clock": {
        "round": ranges.COUNT,
        "age": ranges.COUNT,
        "episode": ranges.COUNT,
        "made": ranges.whole(0, 64),
        "made_at": ranges.COUNT,
        "first": ranges.FIXED,
        "alarm": ranges.FLAG,
        "began": ranges.whole(-1, "told"),
    },
    "inner": VERSATILE_RANGES,
    "plays": ranges.WEIGHT,
    "weight": ranges.such_that("a distribution", _is_weight),
    "tosses": ranges.WEIGHT,
    "gains": ranges.real(-1e18, 1e18),
}


@inline_kernel
def choose_tracking(state: TrackerState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Toss an arm against one drawn from w, or let Versatile-DB play."""
    clock = state.clock[0]
    n_arms = state.weight.shape[0]
    episode = float(clock["episode"])
    rate = min(1.0, TOSSING * (n_arms / (clock["age"] + 1.0)) ** (1.0 / 3.0))
    if rng.random() < rate:
        left = int(rng.random() * n_arms)
        right = draw(state.weight, 1.0, 0.0, rng.random())
        made = float(clock["made"])
    else:
        left, right, _ = choose_versatile(state.inner, rng)
        made = -1.0
    p_left, p_right = state.inner.chances[0, left], state.inner.chances[1, right]
    propensity = rate / n_arms * state.weight[right] + (1.0 - rate) * p_left * p_right
    return left, right, (propensity, p_left, p_right, episode, made)


@inline_kernel
def learn_tracking(
    state: TrackerState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count a toss and look for an alarm, or let Versatile-DB learn."""
    clock = state.clock[0]
    _, p_left, p_right, episode, made = ticket
    clock["round"] += 1
    if episode != clock["episode"]:
        return False
    clock["age"] += 1
    if made < 0.0:
        learn_versatile(state.inner, left, right, (1.0, p_left, p_right), outcome)
        state.plays[left] += 1.0
        state.plays[right] += 1.0
    elif made == clock["made"] and made > 0.0:
        clock["alarm"] = count_toss(state, left, outcome - 0.5)
    block = 1 << clock["first"]
    return clock["alarm"] == 1 or clock["age"] & (block - 1) == 0


@kernel
def count_toss(state: TrackerState, arm: int, gain: float) -> int:
    """Add a toss to the running blocks of all lengths; return 1 if one of them is an alarm."""
    clock = state.clock[0]
    n_arms = state.weight.shape[0]
    owed = 2.0 * math.sqrt(n_arms * math.log(n_arms) / clock["made_at"])
    alarm = 0
    level = clock["first"]
    while 1 << level <= clock["made_at"]:
        state.tosses[level, arm] += 1.0
        state.gains[level, arm] += gain
        count = state.tosses[level, arm]
        if state.gains[level, arm] >= ALARM / 2.0 * math.sqrt(count) + owed * count:
            alarm = 1
        level += 1
    return alarm


@kernel
def settle_tracking(state: TrackerState, rng: np.random.Generator) -> None:
    """Restart after an alarm; else begin the blocks that are due, and make w if its time is."""
    clock = state.clock[0]
    if clock["alarm"] == 1:
        begin_episode(state)
        return
    age = clock["age"]
    level = clock["first"]
    while 1 << level <= age and age & ((1 << level) - 1) == 0:
        state.tosses[level] = 0.0
        state.gains[level] = 0.0
        level += 1
    if age & (age - 1) == 0:
        clock["made"] += 1
        clock["made_at"] = age
        total = state.plays.sum()
        if total > 0.0:
            for arm in range(state.weight.shape[0]):
                state.weight[arm] = state.plays[arm] / total


@kernel
def begin_episode(state: TrackerState) -> None:
    """Forget everything, and note the round."""
    clock = state.clock[0]
    n_arms = state.weight.shape[0]
    clock["age"] = 0
    clock["made"] = 0
    clock["made_at"] = 0
    clock["alarm"] = 0
    clock["episode"] += 1
    clock["began"] = clock["round"]
    forget_losses(state.inner)
    state.plays[:] = 0.0
    state.weight[:] = 1.0 / n_arms
    state.tosses[:] = 0.0
    state.gains[:] = 0.0


@dataclass(frozen=True, eq=False)
class ExperimentalVonNeumann(BeginsAgain):
    """EXPERIMENTAL: follows the von Neumann winner without prior knowledge; no bound is proved.

    To track the von Neumann winner is an open problem. This is an attempt, made to be measured
    (docs/literature.md has what was found): do not take its regret for promised. It may change or
    go with any version.

    References
    ----------
    Ours. It is Versatile-DB (Saha & Gaillard, ICML 2022), restarted when the test of METABOSSE for
    a known weight (Suk & Agarwal), made for the mean play as the weight, rejects it. In that the
    tosses of an arm are compared with the square root of their own number, not with a threshold in
    the rounds, and opponents are drawn from the weight and not uniformly, which makes their
    variance that of a coin. The constants 2 and 5 come from a calculation for 10 arms and gaps of
    .2, and were not tuned. A round costs O(K), a toss O(log t).

    Examples
    --------
    >>> learner = ExperimentalVonNeumann(3, seed=1)
    >>> for _ in range(5000):
    ...     duel = learner.ask()
    ...     won = float((duel.right - duel.left) % 3 == 1)
    ...     learner.tell(duel, won if duel.is_vote else 0.5)
    >>> learner.mixture.round(1)
    array([0.3, 0.3, 0.3])
    """

    _literature: ClassVar = Literature(
        "ours, an experiment; the open problem is named by Suk & Agarwal, the paper",
        "none is proved; von Neumann",
        "nothing",
        "O(K)",
    )
    _criteria = (VonNeumann, Condorcet)

    _ranges = TRACKER_RANGES
    _ticket = (ranges.CHANCE, ranges.CHANCE, ranges.CHANCE, ranges.NUMBER, ranges.whole(-1, 64))
    _choose = staticmethod(choose_tracking)
    _learn = staticmethod(learn_tracking)
    _settle = staticmethod(settle_tracking)

    @property
    def mixture(self) -> Floats:
        """The mean play of the episode: what the learner takes for the von Neumann winner."""
        session = self._session
        with session.lock:
            plays = session.state.plays
            total = plays.sum()
            uniform = np.full(self.n_arms, 1.0 / self.n_arms)
            return np.asarray(plays / total if total > 0 else uniform)

    def _allocate(self) -> TrackerState:
        """Return a fresh state: nothing known, w uniform."""
        K = self.n_arms
        clock = np.zeros(1, CLOCK)
        clock["began"] = -1
        clock["first"] = math.ceil(math.log2(SMALLEST_BLOCK * K))
        return TrackerState(
            clock,
            no_losses(K),
            np.zeros(K),
            np.full(K, 1.0 / K),
            np.zeros((LEVELS, K)),
            np.zeros((LEVELS, K)),
        )

    def _best_of(self, state: TrackerState) -> int:
        """Return the arm with the smallest losses of both players together."""
        return int(state.inner.losses.sum(axis=0).argmin())
