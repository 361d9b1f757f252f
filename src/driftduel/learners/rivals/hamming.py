"""Hamming-LUCB: the top k arms by Borda score, up to h wrong ones, then the best of them for ever.

A toss of an arm is a duel with another one drawn uniformly; of u tosses the mean is known up to

    alpha(u)^2 = (ln(K/delta) + 0.75 ln ln(K/delta) + 1.5 ln(1 + ln(u/2))) / 2u.

After one toss each, arms are ordered by their means. Of the first k - h arms d1 has the lowest
lower bound, of the last K - k - h arms d2 the highest upper bound. If that of d1 is not below that
of d2, the first k arms are the answer, but for h at most, and the first of them is played alone.
Otherwise two arms are tossed: the one of largest alpha of d1 and the last h of the first k, and the
one of largest alpha of d2 and the first h of the others.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.checks import as_count
from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Ints, Records
from driftduel.learners.parts.failure import level_after, level_of_scores
from driftduel.learners.parts.opponents import draw_opponent
from driftduel.matrix.criteria import Borda

Ticket = tuple[float]

CLOCK = np.dtype(
    [
        ("now", "i8"),  # the arm to toss
        ("then", "i8"),  # the one after it, or -1
        ("choice", "i8"),  # the arm committed to, or -1
        ("top", "i8"),  # k
        ("wrong", "i8"),  # h
        ("level", "f8"),  # ln(K/delta) + 0.75 ln ln(K/delta)
    ],
    align=True,
)

ARM = np.dtype([("tosses", "i8"), ("sum", "f8")], align=True)


class HammingState(NamedTuple):
    """The arrays of `HammingLUCB`."""

    clock: Records  # (1,) CLOCK
    arms: Records  # (K,) ARM
    order: Ints  # (K,) the arms, those of largest mean first


HAMMING_RANGES: Ranges = {
    "clock": {
        "now": ranges.AN_ARM,
        "then": ranges.AN_ARM_OR_NONE,
        "choice": ranges.AN_ARM_OR_NONE,
        "top": ranges.FIXED,
        "wrong": ranges.FIXED,
        "level": ranges.FIXED,
    },
    "arms": {
        "tosses": ranges.COUNT,
        "sum": ranges.halves(0, lambda known: known.state.arms["tosses"]),
    },
    "order": ranges.arms_first("arms"),
}


@inline_kernel
def choose_hamming(state: HammingState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Toss the arm that is due, or play the choice alone."""
    clock = state.clock[0]
    if clock["choice"] >= 0:
        return clock["choice"], clock["choice"], (1.0,)
    return draw_opponent(clock["now"], state.arms.shape[0], rng)


@inline_kernel
def learn_hamming(
    state: HammingState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Take in a toss of the arm that is due; say when the next are to be found."""
    clock = state.clock[0]
    if clock["choice"] >= 0 or left != clock["now"]:
        return False
    state.arms[left]["tosses"] += 1
    state.arms[left]["sum"] += outcome
    if clock["then"] < 0:
        return True
    clock["now"] = clock["then"]
    clock["then"] = -1
    return False


@kernel
def find_tosses(state: HammingState, rng: np.random.Generator) -> None:
    """Find the two arms to toss, or commit."""
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    for arm in range(n_arms):
        if state.arms[arm]["tosses"] == 0:
            clock["now"] = arm
            return
    _sort(state)
    top, wrong = clock["top"], clock["wrong"]
    lowest = state.order[0]
    for place in range(top - wrong):
        arm = state.order[place]
        if _bound(state, arm, -1.0) < _bound(state, lowest, -1.0):
            lowest = arm
    highest = state.order[n_arms - 1]
    for place in range(top + wrong, n_arms):
        arm = state.order[place]
        if _bound(state, arm, 1.0) > _bound(state, highest, 1.0):
            highest = arm
    if _bound(state, lowest, -1.0) >= _bound(state, highest, 1.0):
        clock["choice"] = state.order[0]
        return
    for place in range(top - wrong, top):
        if _width(state, state.order[place]) > _width(state, lowest):
            lowest = state.order[place]
    for place in range(top, top + wrong):
        if _width(state, state.order[place]) > _width(state, highest):
            highest = state.order[place]
    clock["now"] = lowest
    clock["then"] = highest


@inline_kernel
def _bound(state: HammingState, arm: int, sign: float) -> float:
    return state.arms[arm]["sum"] / state.arms[arm]["tosses"] + sign * _width(state, arm)


@inline_kernel
def _width(state: HammingState, arm: int) -> float:
    tosses = state.arms[arm]["tosses"]
    level = level_after(state.clock[0]["level"], tosses)
    return math.sqrt(max(level, 0.0) / (2.0 * tosses))


@inline_kernel
def _sort(state: HammingState) -> None:
    """Order the arms by their means, of equals the first; nearly all are in order already."""
    arms, order = state.arms, state.order
    for place in range(1, order.shape[0]):
        arm = order[place]
        mean = arms[arm]["sum"] / arms[arm]["tosses"]
        hole = place
        while hole > 0:
            other = order[hole - 1]
            ahead = arms[other]["sum"] / arms[other]["tosses"]
            if ahead > mean or (ahead == mean and other < arm):
                break
            order[hole] = other
            hole -= 1
        order[hole] = arm


@dataclass(frozen=True, eq=False)
class HammingLUCB(Learner):
    """Hamming-LUCB: finds the top arms, up to a few wrong ones, with tosses where they matter.

    Parameters
    ----------
    top : int
        k, how many arms to find.
    wrong : int
        h, how many of them may be wrong; less than k and than K - k.
    failure : float, optional
        The probability delta of a wrong answer; by default 1/T, or 0.01 without a horizon.

    References
    ----------
    The widths are printed there; which arms are tossed is from memory. About ``sum_i log(1/delta) /
    gap_i^2`` tosses, the gaps being those between the first k - h and the last K - k - h arms; so
    Borda regret ``sum_i log(T) / gap_i`` in a stationary world, for h = 0; told T or delta. To play
    the best arm in the end, and delta = 1/T, are our choices. A round costs O(K).

    Examples
    --------
    >>> learner = HammingLUCB(3, 1000, seed=1)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), learner.active
    (2, array([2]))
    """

    _: KW_ONLY
    top: int = bounded(1, least=1)
    wrong: int = bounded(0, least=0)
    failure: float | None = bounded(None, above=0, below=1)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="Heckel, Simchowitz, Ramchandran & Wainwright, Approximate ranking from pairwise "
        "comparisons, AISTATS 2018",
        bound="sum of log(T)/gap Borda, stationary (from its sample complexity)",
        needs="T or delta",
        cost="O(K)",
    )
    _criteria = (Borda,)

    _ranges = HAMMING_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_hamming)
    _learn = staticmethod(learn_hamming)
    _settle = staticmethod(find_tosses)

    def _validate(self) -> None:
        """Raise BadParameter if there are not enough arms for so many at the top, or wrong."""
        as_count(self.top, "top", 1, self.n_arms - 1)
        as_count(self.wrong, "wrong", 0, min(self.top, self.n_arms - self.top) - 1)

    def _allocate(self) -> HammingState:
        """Return a fresh state."""
        k = self.n_arms
        level = level_of_scores(k, self.failure, self.horizon)
        clock = np.array([(0, -1, -1, self.top, self.wrong, level)], CLOCK)
        return HammingState(clock, np.zeros(k, ARM), np.arange(k))

    def _best_of(self, state: HammingState) -> int:
        """Return the choice, or else the arm of the largest mean; one never tossed is even."""
        choice = int(state.clock[0]["choice"])
        tosses = state.arms["tosses"]
        means = np.where(tosses > 0, state.arms["sum"] / np.maximum(tosses, 1), 0.5)
        return choice if choice >= 0 else int(means.argmax())

    def _active_of(self, state: HammingState) -> Ints:
        """Return all arms, or the choice."""
        choice = int(state.clock[0]["choice"])
        return np.array([choice]) if choice >= 0 else np.arange(self.n_arms)
