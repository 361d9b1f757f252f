"""Active ranking: arms are sent to the top or to the bottom of a ranking one by one.

In each step every arm in play duels an opponent of its own, drawn from the other arms.
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
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.failure import level_after, level_of_scores
from driftduel.learners.parts.opponents import draw_opponent
from driftduel.matrix.criteria import Borda

Ticket = tuple[float]


class RankingState(NamedTuple):
    """The arrays of `ActiveRanking`."""

    clock: Records  # (1,)
    active: Ints  # (K,) the arms still in play come first, in order
    sums: Floats  # (K,) summed outcomes of each arm
    found: Floats  # (K,) the mean outcome of an arm found to be at the top, -1 for the others
    scratch: Floats  # (K,) sums in order


RANKING = np.dtype(
    [
        ("step", "i8"),  # steps finished; in each step every arm in play has its turn
        ("turn", "i8"),  # whose turn it is, a place in the list of arms
        ("n_active", "i8"),
        ("places", "i8"),  # places at the top still free
        ("choice", "i8"),  # the arm committed to, or -1
        ("width", "f8"),
        ("level", "f8"),  # ln(K/delta) + 0.75 ln ln(K/delta)
    ],
    align=True,
)


def _are_places(places: Ints, known: Known) -> bool:
    """Tell whether places are free for some of the arms in play, but not for all."""
    clock = known.state.clock[0]
    if clock["choice"] >= 0:
        return bool(places[0] == clock["n_active"] == 0)
    return bool(1 <= places[0] < clock["n_active"])


RANKING_RANGES: Ranges = {
    "clock": {
        "step": ranges.COUNT,
        "n_active": ranges.whole(0, "arms"),
        "turn": ranges.below("clock.n_active"),
        "choice": ranges.AN_ARM_OR_NONE,
        "places": ranges.such_that("fewer than the arms in play, 0 with a choice", _are_places),
        "width": ranges.FIXED,
        "level": ranges.FIXED,
    },
    "active": ranges.arms_first("clock.n_active"),
    "sums": ranges.halves(0, lambda known: known.state.clock["step"][0] + 1),
    "found": ranges.such_that(
        "a mean, or -1", lambda found, _: (found == -1) | ((found >= 0) & (found <= 1))
    ),
    "scratch": ranges.ANYTHING,
}


@inline_kernel
def choose_against_anyone(state: RankingState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the arm whose turn it is and draw its opponent from the others."""
    clock = state.clock[0]
    choice = clock["choice"]
    if choice >= 0:
        return choice, choice, (1.0,)
    return draw_opponent(state.active[clock["turn"]], state.sums.shape[0], rng)


@inline_kernel
def learn_against_anyone(
    state: RankingState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Take in an outcome of the arm whose turn it is; say when the step is over."""
    clock = state.clock[0]
    if clock["choice"] >= 0 or left != state.active[clock["turn"]]:
        return False
    state.sums[left] += outcome
    clock["turn"] += 1
    return bool(clock["turn"] >= clock["n_active"])


@kernel
def rank(state: RankingState, rng: np.random.Generator) -> None:
    """Send the arms that are clearly among the top, or clearly not, to where they belong."""
    clock = state.clock[0]
    clock["turn"] = 0
    clock["step"] += 1
    step = clock["step"]
    if step < 2:  # the width is not defined before
        return
    n_active = clock["n_active"]
    places = clock["places"]
    order_sums(state)
    level = level_after(clock["level"], step)
    width = clock["width"] * step * math.sqrt(level / (2 * step))
    in_reach = state.scratch[places] + width
    out_of_reach = state.scratch[places - 1] - width
    n_left = 0
    for place in range(n_active):
        arm = state.active[place]
        if state.sums[arm] >= in_reach:
            state.found[arm] = state.sums[arm] / step
            clock["places"] -= 1
        elif state.sums[arm] > out_of_reach:
            state.active[n_left] = arm
            n_left += 1
    clock["n_active"] = n_left
    if n_left <= clock["places"]:
        for place in range(n_left):
            arm = state.active[place]
            state.found[arm] = state.sums[arm] / step
        clock["places"] = 0
    if clock["places"] == 0:
        best = 0
        for arm in range(state.found.shape[0]):
            if state.found[arm] > state.found[best]:
                best = arm
        clock["choice"] = best
        clock["n_active"] = 0


@kernel
def order_sums(state: RankingState) -> None:
    """Write the sums of the arms in play to the scratch, the largest first."""
    ordered = state.scratch
    for place in range(state.clock[0]["n_active"]):
        value = state.sums[state.active[place]]
        hole = place
        while hole > 0 and ordered[hole - 1] < value:
            ordered[hole] = ordered[hole - 1]
            hole -= 1
        ordered[hole] = value


@dataclass(frozen=True, eq=False)
class ActiveRanking(Learner):
    """Active ranking: find the top arms, each arm against random opponents, then play the best.

    In each step every arm in play duels an opponent drawn from the other arms. After t steps,
    with k places at the top still free, an arm gets one if its mean outcome is above the
    (k+1)-th largest by ``width alpha_t``, and leaves if it is below the k-th largest by as much.
    When the top is full its best arm is played for ever. An outcome counts for the arm whose
    turn it is; others change nothing.

    Parameters
    ----------
    top : int
        How many arms to find.
    failure : float, optional
        The probability delta of a wrong ranking; by default 1/T, or 0.01 without a horizon.
    width : float
        The factor of ``alpha_t``.

    References
    ----------
    It is not known to us in full: the factor 4 is that of other code, and ``alpha_t^2 =
    (ln(K/delta) + 0.75 ln ln(K/delta) + 1.5 ln(1 + ln(t/2))) / 2t`` is printed in Heckel et al.,
    AISTATS 2018 (other code has 0.5 for the 1.5). To play the best arm in the end, and delta = 1/T,
    are our choices. A round costs O(|A|) at most, spread over a step.

    Examples
    --------
    >>> learner = ActiveRanking(3, 3000, seed=1)
    >>> for _ in range(3000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), learner.active
    (2, array([2]))
    """

    _: KW_ONLY
    top: int = bounded(1, least=1)
    failure: float | None = bounded(None, above=0, below=1)
    width: float = bounded(4.0, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="Heckel, Shah, Ramchandran & Wainwright, Active ranking from pairwise comparisons "
        "and when parametric assumptions do not help, Annals of Statistics 2019",
        bound="sum of log(T)/gap Borda, stationary (from its sample complexity)",
        needs="T or delta",
        cost="O(|A|)",
    )
    _criteria = (Borda,)

    _ranges = RANKING_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_against_anyone)
    _learn = staticmethod(learn_against_anyone)
    _settle = staticmethod(rank)

    def _validate(self) -> None:
        """Raise BadParameter if there are fewer arms than places at the top."""
        as_count(self.top, "top", 1, self.n_arms - 1)

    def _allocate(self) -> RankingState:
        """Return a fresh state."""
        k = self.n_arms
        state = RankingState(
            np.zeros(1, RANKING), np.arange(k), np.zeros(k), np.full(k, -1.0), np.zeros(k)
        )
        clock = state.clock[0]
        clock["n_active"] = k
        clock["places"] = self.top
        clock["choice"] = -1
        clock["width"] = self.width
        clock["level"] = level_of_scores(k, self.failure, self.horizon)
        return state

    def _best_of(self, state: RankingState) -> int:
        """Return the arm with the best mean among those in play and at the top."""
        clock = state.clock[0]
        means = state.found.copy()
        arms = state.active[: clock["n_active"]]
        duels = clock["step"] + (np.arange(len(arms)) < clock["turn"])
        means[arms] = np.where(duels > 0, state.sums[arms] / np.maximum(duels, 1), 0.5)
        return int(np.argmax(means))

    def _active_of(self, state: RankingState) -> Ints:
        """Return the arms in play and those found to be at the top."""
        playing = state.active[: state.clock[0]["n_active"]]
        return np.union1d(playing, np.flatnonzero(state.found >= 0))
