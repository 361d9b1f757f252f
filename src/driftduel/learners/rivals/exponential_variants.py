"""D-EXP3 for worlds that vary (Rexp3-Borda), and D-EXP3 that needs no horizon.

`driftduel.learners.rivals.exponential` has D-EXP3 itself: both arms are drawn from
``q(k) = (1 - gamma) softmax(eta S)(k) + gamma / K``, and ``1{x = k} o / (K q(x) q(y))`` is added to
S(k) after a duel (x, y) with outcome o. Rexp3-Borda restarts every so many rounds. Without a
horizon the rates fall with the round t: ``eta_t = (ln K / (t sqrt(K)))^(2/3)`` and
``gamma_t = min(1, sqrt(eta_t K))``.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.mixture import (
    SOFTMAX_RANGES,
    SOFTMAX_TICKET,
    SoftmaxState,
    Ticket,
    add_to_log,
    choose_softmax,
    draw,
    softmax_state,
)
from driftduel.matrix.criteria import Borda

PAPER = "Saha, Koren & Mansour, Adversarial Dueling Bandits, ICML 2021"

BATCH = np.dtype([("round", "i8"), ("length", "i8")], align=True)
"""Outcomes learned in this batch, and how many it has."""


class BatchState(NamedTuple):
    """The arrays of `Rexp3Borda`."""

    batch: Records  # (1,) BATCH
    softmax: SoftmaxState


BATCH_RANGES: Ranges = {
    "batch": {"length": ranges.FIXED, "round": ranges.below("batch.length")},
    "softmax": SOFTMAX_RANGES,
}


@inline_kernel
def choose_in_batch(state: BatchState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw both arms."""
    return choose_softmax(state.softmax, rng)


@inline_kernel
def learn_in_batch(
    state: BatchState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Add the estimate of the left arm's score; say when the batch is over."""
    softmax = state.softmax
    n_arms = softmax.weights.shape[1]
    add_to_log(softmax, 0, left, softmax.rule[0]["rate"] * outcome / (n_arms * ticket[0]))
    batch = state.batch[0]
    batch["round"] += 1
    return batch["round"] >= batch["length"]


@kernel
def begin_batch(state: BatchState, rng: np.random.Generator) -> None:
    """Forget all."""
    state.batch[0]["round"] = 0
    softmax = state.softmax
    n_arms = softmax.weights.shape[1]
    softmax.players[0]["total"] = 1.0
    softmax.players[0]["offset"] = math.log(n_arms)
    for arm in range(n_arms):
        softmax.logs[0, arm] = 0.0
        softmax.weights[0, arm] = 1.0 / n_arms


def _rates(n_arms: int, rounds: float) -> tuple[float, float]:
    """Return eta and gamma of D-EXP3 for so many rounds."""
    eta = (math.log(n_arms) / (rounds * math.sqrt(n_arms))) ** (2 / 3)
    return eta, min(1.0, math.sqrt(eta * n_arms))


@dataclass(frozen=True, eq=False)
class Rexp3Borda(Learner):
    """Rexp3-Borda: D-EXP3 restarted as often as suits how much the world varies, which it is told.

    Parameters
    ----------
    variation : float
        V, the sum over rounds of the largest change of a Borda score.

    References
    ----------
    After Besbes, Gur & Zeevi, Stochastic Multi-Armed-Bandit Problem with Non-stationary Rewards,
    NIPS 2014 (Rexp3), over D-EXP3 of Saha, Koren & Mansour, ICML 2021. Batches of
    ``ceil(((K ln K)^(1/3) T / (3 V))^(3/4))`` rounds balance what a batch costs against its best
    arm with what that arm loses by change, so expected dynamic Borda regret is
    ``O((K ln K V)^(1/4) T^(3/4))``. It must be told T and V. The rates are those of `DEXP3` for a
    batch. A duel asked before a batch ended and told after counts in the new one, with the chances
    it had. A round costs O(1) to learn and O(K) to draw arms.

    Examples
    --------
    >>> learner = Rexp3Borda(3, horizon=4000, variation=1.0, seed=1)
    >>> for n in range(4000):
    ...     duel = learner.ask()
    ...     won = float(duel.left < duel.right if n < 2000 else duel.left > duel.right)
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else won)
    >>> learner.best(), learner._batch()
    (2, 298)
    """

    _: KW_ONLY
    variation: float = bounded(1.0, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        f"after Besbes, Gur & Zeevi, NIPS 2014, and {PAPER}",
        "(K ln K V)^(1/4) T^(3/4), Borda",
        "T, V",
        "O(K)",
    )
    _criteria = (Borda,)
    _needs_horizon = True

    _ranges = BATCH_RANGES
    _ticket = SOFTMAX_TICKET
    _choose = staticmethod(choose_in_batch)
    _learn = staticmethod(learn_in_batch)
    _settle = staticmethod(begin_batch)

    def _batch(self) -> int:
        """Return the rounds between restarts."""
        K, T = self.n_arms, self._known_horizon
        scale = (K * math.log(K)) ** (1 / 3) * T / (3 * self.variation)
        return max(1, min(T, math.ceil(scale**0.75)))

    def _allocate(self) -> BatchState:
        """Return a fresh state."""
        length = self._batch()
        eta, gamma = _rates(self.n_arms, length)
        softmax = softmax_state(1, self.n_arms, gamma, eta)
        return BatchState(np.array([(0, length)], BATCH), softmax)

    def _best_of(self, state: BatchState) -> int:
        """Return the arm with the largest estimated score of the batch."""
        return int(state.softmax.logs[0].argmax())


class AnytimeState(NamedTuple):
    """The arrays of `AnytimeDEXP3`."""

    rounds: Ints  # (1,) outcomes learned
    scores: Floats  # (K,) S
    chances: Floats  # (K,) q of the round to come


def _are_chances(chances: Floats, known: Known) -> bool:
    return bool((chances >= 1e-12).all() and abs(chances.sum() - 1.0) <= 1e-6)


ANYTIME_RANGES: Ranges = {
    "rounds": ranges.COUNT,
    "scores": ranges.WEIGHT,
    "chances": ranges.such_that("chances that sum to 1", _are_chances),
}


@inline_kernel
def choose_anytime(state: AnytimeState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw both arms."""
    left = draw(state.chances, 1.0, 0.0, rng.random())
    right = draw(state.chances, 1.0, 0.0, rng.random())
    p_left, p_right = state.chances[left], state.chances[right]
    return left, right, (p_left * p_right, p_left, p_right)


@inline_kernel
def learn_anytime(
    state: AnytimeState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Add the estimate of the left arm's score and find the chances of the next round."""
    n_arms = state.scores.shape[0]
    state.scores[left] += outcome / (n_arms * ticket[0])
    state.rounds[0] += 1
    find_chances(state)
    return False


@kernel
def find_chances(state: AnytimeState) -> None:
    """Compute q for the rates of the round to come."""
    n_arms = state.scores.shape[0]
    inverse = (state.rounds[0] + 1.0) * math.sqrt(n_arms) / math.log(n_arms)
    eta = inverse ** (-2.0 / 3.0)
    gamma = min(1.0, math.sqrt(eta * n_arms))
    top = 0.0
    for arm in range(n_arms):
        top = max(top, state.scores[arm])
    total = 0.0
    for arm in range(n_arms):
        state.chances[arm] = math.exp(eta * (state.scores[arm] - top))
        total += state.chances[arm]
    for arm in range(n_arms):
        state.chances[arm] = (1.0 - gamma) * state.chances[arm] / total + gamma / n_arms


@dataclass(frozen=True, eq=False)
class AnytimeDEXP3(Learner):
    """D-EXP3 with rates that fall with time, for a horizon that is not known.

    References
    ----------
    Saha, Koren & Mansour (ICML 2021), Algorithm 1, whose rates for T rounds are used in round T.
    With rates that fall, the bound of `DEXP3` holds up to a constant: expected regret
    ``O((K ln K)^(1/3) T^(2/3))`` against the best fixed arm, for any sequence of matrices. It
    needs no prior knowledge. A round costs O(K).

    Examples
    --------
    >>> learner = AnytimeDEXP3(3, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        PAPER, "(K ln K)^(1/3) T^(2/3), Borda, against one arm, adversarial", "nothing", "O(K)"
    )
    _criteria = (Borda,)

    _ranges = ANYTIME_RANGES
    _ticket = SOFTMAX_TICKET
    _choose = staticmethod(choose_anytime)
    _learn = staticmethod(learn_anytime)

    def _allocate(self) -> AnytimeState:
        """Return a fresh state: uniform chances."""
        k = self.n_arms
        return AnytimeState(np.zeros(1, np.int64), np.zeros(k), np.full(k, 1.0 / k))

    def _best_of(self, state: AnytimeState) -> int:
        """Return the arm with the largest estimated score."""
        return int(state.scores.argmax())
