"""An oracle: it is told the winner of every round and plays it twice.

Its regret is zero under the criterion its winners come from, which makes it a check of metrics and
the floor of every figure. `driftduel.experiments.simulation.oracle_of` makes one for a stream.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driftduel._support.checks import BadParameter, as_starts, as_whole_numbers
from driftduel._support.compile.jit import inline_kernel
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import CHANCE, FIXED, Known, Ranges, such_that
from driftduel.learners.parts.arrays import Ints

Ticket = tuple[float]


class OracleState(NamedTuple):
    """The arrays of `Oracle`."""

    place: Ints  # (2,) outcomes learned, and the stretch of rounds they lead to
    winners: Ints  # (S,)
    starts: Ints  # (S,)


def _is_place(place: Ints, known: Known) -> bool:
    stretch = np.searchsorted(known.state.starts, place[0], "right") - 1
    return bool(0 <= place[0] <= known.told and place[1] == stretch)


ORACLE_RANGES: Ranges = {
    "winners": FIXED,
    "starts": FIXED,
    "place": such_that("a round that was told and the stretch it is in", _is_place),
}


@inline_kernel
def choose_winner(state: OracleState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the winner of the round to come, twice."""
    winner = state.winners[state.place[1]]
    return winner, winner, (1.0,)


@inline_kernel
def learn_the_time(
    state: OracleState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Go on to the next round."""
    state.place[0] += 1
    stretch = state.place[1] + 1
    if stretch < state.starts.shape[0] and state.starts[stretch] <= state.place[0]:
        state.place[1] = stretch
    return False


@dataclass(frozen=True, eq=False)
class Oracle(Learner):
    """Knows who wins when, and plays the winner of each round twice.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; none but ``n_arms`` and ``labels`` matters here.
    winners : array_like of int
        The winner of each stretch of rounds.
    starts : array_like of int
        The first round of each stretch, increasing from 0.

    References
    ----------
    Regret: none. It must be told everything. A round costs O(1).

    Examples
    --------
    >>> learner = Oracle(3, winners=[2, 0], starts=[0, 1])
    >>> for _ in range(3):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5)
    ...     print(duel.left, duel.right)
    2 2
    0 0
    0 0
    >>> Oracle(3, winners=[3])
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: winners[0] = 3, must be between 0 and 2
    """

    _: KW_ONLY
    winners: ArrayLike = (0,)
    starts: ArrayLike = (0,)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        "", "none: regret is zero", "the winner of each round", "O(1)"
    )

    _ranges = ORACLE_RANGES
    _ticket = (CHANCE,)
    _per_arm = False
    _choose = staticmethod(choose_winner)
    _learn = staticmethod(learn_the_time)

    def _validate(self) -> None:
        """Raise ValueError if a winner or a start is wrong; keep both as arrays."""
        winners = as_whole_numbers(self.winners, "winners")
        starts = as_starts(self.starts, "oracle")
        if len(winners) != len(starts):
            raise BadParameter("winners", f": there are {len(winners)} for {len(starts)} starts")
        for n in np.flatnonzero((winners < 0) | (winners >= self.n_arms)):
            raise BadParameter(
                "winners", f"[{n}] = {winners[n]}, must be between 0 and {self.n_arms - 1}"
            )
        for name, array in (("winners", winners), ("starts", starts)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def _allocate(self) -> OracleState:
        """Return a fresh state."""
        winners, starts = np.asarray(self.winners), np.asarray(self.starts)
        return OracleState(np.zeros(2, np.int64), winners, starts)

    def _active_of(self, state: OracleState) -> Ints:
        """Return the winner."""
        return np.array([self._best_of(state)])

    def _best_of(self, state: OracleState) -> int:
        """Return the winner of the round to come."""
        return int(state.winners[state.place[1]])
