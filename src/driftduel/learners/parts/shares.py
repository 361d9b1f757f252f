"""Players with exponential weights, a bonus for arms seldom played, and a share for all arms.

Each player i plays ``p_i(k) = (1 - gamma) W_i(k) / sum W_i + gamma / K``; its weights become
``W_i(k) exp(eta g_i(k)) + e alpha sum W_i``. The gains g_i are those of
`driftduel.learners.rivals.dex3`; `driftduel.learners.rivals.exponential` has a single player.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.ranges import FIXED, Ranges, equal_to, real
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.mixture import (
    LARGEST_STEP,
    SOFTMAX_TICKET,
    Ticket,
    chance,
    draw,
)
from driftduel.matrix.criteria import Borda

_LARGEST_TOTAL = 1e50
_SMALLEST_WEIGHT = 1e-250
_SMALL_STEP = 0.01

SHARE_RULE = np.dtype(
    [
        ("rate", "f8"),  # eta
        ("exploration", "f8"),  # gamma
        ("bonus", "f8"),  # beta
        ("share", "f8"),  # e alpha
        ("borda", "i8"),  # 1 to estimate Borda scores
    ],
    align=True,
)


class Rates(NamedTuple):
    """The numbers of an algorithm with exponential weights and a bonus."""

    learning_rate: float
    exploration: float
    bonus: float
    share: float  # alpha


class SharesState(NamedTuple):
    """Players whose weights change for all arms at once; the last one chooses the right arm."""

    rule: Records  # (1,) SHARE_RULE
    totals: Floats  # (P,) sum of the weights
    weights: Floats  # (P, K) up to a common factor


SHARES_RANGES: Ranges = {
    "rule": dict.fromkeys(SHARE_RULE.names or (), FIXED),
    "weights": real(_SMALLEST_WEIGHT, 2 * _LARGEST_TOTAL),
    "totals": equal_to("the sum of the weights", lambda k: k.state.weights.sum(axis=1), 1e-6),
}


@inline_kernel
def choose(state: SharesState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Let the first player draw the left arm and the last player the right one."""
    exploration = state.rule[0]["exploration"]
    last = state.totals.shape[0] - 1
    left = draw(state.weights[0], state.totals[0], exploration, rng.random())
    right = draw(state.weights[last], state.totals[last], exploration, rng.random())
    p_left = chance(state.weights[0], state.totals[0], exploration, left)
    p_right = chance(state.weights[last], state.totals[last], exploration, right)
    return left, right, (p_left * p_right, p_left, p_right)


@inline_kernel
def learn(state: SharesState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Give every player the estimate of its own arm and the bonus of all arms."""
    chance_of_pair, p_left, p_right = ticket
    if state.rule[0]["borda"]:
        scale = 1.0 / (state.weights.shape[1] * chance_of_pair)
        grow(state, 0, left, outcome * scale)
        if state.totals.shape[0] > 1:
            grow(state, 1, right, (1.0 - outcome) * scale)
    else:
        grow(state, 0, left, outcome / p_left)
        grow(state, 1, right, (1.0 - outcome) / p_right)
    return False


@kernel
def grow(state: SharesState, player: int, played: int, estimate: float) -> None:
    """Update the weights of one player, whose arm ``played`` gained ``estimate``."""
    rule = state.rule[0]
    weights = state.weights[player]
    n_arms = weights.shape[0]
    slope = (1.0 - rule["exploration"]) / state.totals[player]
    floor = rule["exploration"] / n_arms
    bonus = rule["rate"] * rule["bonus"]
    gain = rule["rate"] * estimate
    share = rule["share"] * state.totals[player]
    if bonus <= _SMALL_STEP * floor:
        # No chance is below the floor, so every bonus is small. This is the usual case, and a
        # loop without calls, branches and exceptions is compiled to work on several arms at once.
        factor = math.exp(min(gain, LARGEST_STEP))
        for arm in range(n_arms):
            small = exp_of_small(np.divide(bonus, slope * weights[arm] + floor))
            weights[arm] = weights[arm] * small * (factor if arm == played else 1.0) + share
    else:
        for arm in range(n_arms):
            step = bonus / (slope * weights[arm] + floor) + (gain if arm == played else 0.0)
            weights[arm] = weights[arm] * math.exp(min(step, LARGEST_STEP)) + share
    total = 0.0
    for arm in range(n_arms):
        total += weights[arm]
    if total > _LARGEST_TOTAL:
        scale = 1.0 / total
        total = 0.0
        for arm in range(n_arms):
            weights[arm] = max(weights[arm] * scale, _SMALLEST_WEIGHT)
            total += weights[arm]
    state.totals[player] = total


@inline_kernel
def exp_of_small(x: float) -> float:
    """Return exp(x) for x from 0 to 0.01: what its series leaves out is below one rounding."""
    return 1.0 + x * (
        1.0 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120 + x * (1 / 720)))))
    )


@dataclass(frozen=True, eq=False)
class Shares(Learner):
    """What the learners with exponential weights and a bonus have in common."""

    _: KW_ONLY
    learning_rate: float | None = bounded(None, above=0)
    exploration: float | None = bounded(None, above=0, most=1)
    bonus: float | None = bounded(None, above=0)

    _graded: ClassVar = True
    _n_players: ClassVar[int] = 2
    _ranges = SHARES_RANGES
    _ticket = SOFTMAX_TICKET
    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    _needs_horizon = True

    @abstractmethod
    def _theory(self) -> Rates:
        """Return the numbers of the theorem, given the learning rate in use."""

    def _rates(self) -> Rates:
        """Return the numbers in use: the theorem's, unless others were given."""
        rates = self._theory()
        return rates._replace(
            exploration=self.exploration or min(1.0, rates.exploration),
            bonus=self.bonus or rates.bonus,
        )

    def _allocate(self) -> SharesState:
        """Return a fresh state."""
        rates = self._rates()
        rule = (
            rates.learning_rate,
            rates.exploration,
            rates.bonus,
            math.e * rates.share,
            Borda in self._criteria,
        )
        return SharesState(
            np.array([rule], SHARE_RULE),
            np.full(self._n_players, float(self.n_arms)),
            np.ones((self._n_players, self.n_arms)),
        )

    def _best_of(self, state: SharesState) -> int:
        """Return the arm that the players like best together."""
        return int((state.weights / state.totals[:, None]).sum(axis=0).argmax())
