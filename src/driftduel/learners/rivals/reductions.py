"""Doubler and MultiSBM: bandit learners (SBM, singleton bandit machines) choose the right arm.

The reward of a bandit is 1 if its arm, the right one, wins. Each is UCB: of n plays of which n_y
were of y with mean reward m_y, it plays the first y of the largest m_y + sqrt(alpha ln n / n_y), an
arm never played before all others. In epoch i of Doubler, of 2^i rounds, a fresh bandit chooses;
the left arm is drawn from those that the bandit before chose. MultiSBM has a bandit for each arm:
the left arm is the right one of the round before, and its own bandit chooses against it.
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
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Flags, Floats, Ints, Records
from driftduel.learners.parts.bandits import largest_index
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float]

PAPER = "Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014"


class BanditsState(NamedTuple):
    """The arrays of `MultiSBM`, with a row for each bandit."""

    current: Ints  # (1,) the left arm of the round to come
    alpha: Floats  # (1,)
    totals: Floats  # (K,) plays of each bandit
    plays: Floats  # (K, K)
    rewards: Floats  # (K, K)


BANDIT_RANGES: Ranges = {
    "current": ranges.AN_ARM,
    "alpha": ranges.FIXED,
    "plays": ranges.COUNT,
    "rewards": ranges.halves(0, lambda known: known.state.plays),
    "totals": ranges.equal_to("the sum of its plays", lambda known: known.state.plays.sum(axis=1)),
}


@inline_kernel
def choose_multisbm(state: BanditsState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the right arm of the round before and what its bandit plays against it."""
    left = state.current[0]
    bonus = state.alpha[0] * math.log(max(state.totals[left], 1.0))
    right, _ = largest_index(state.rewards[left], state.plays[left], bonus)
    return left, right, (1.0,)


@inline_kernel
def learn_multisbm(
    state: BanditsState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count the reward of the bandit of the left arm; the right one is the next left one."""
    state.totals[left] += 1.0
    state.plays[left, right] += 1.0
    state.rewards[left, right] += 1.0 - outcome
    state.current[0] = right
    return False


@dataclass(frozen=True, eq=False)
class MultiSBM(Learner):
    """MultiSBM: the right arm of a round is the left one of the next, and each has its bandit.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet and the horizon does not matter. Nothing is
        drawn at random.
    alpha : float
        The factor of ln n in the index of UCB.

    References
    ----------
    Ailon, Karnin & Joachims (ICML 2014), Algorithm 3, over UCB. Regret
    ``sum_k ln T / gap_k + K log log T`` up to constants, if preferences are differences of
    utilities that do not change; no prior knowledge. alpha = 2.5 is our reading of their
    experiments, and that the first arm counts among equals is our choice. A round costs O(K).

    Examples
    --------
    >>> learner = MultiSBM(3)
    >>> for _ in range(900):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    alpha: float = bounded(2.5, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        PAPER, "sum_k ln T / gap_k, Condorcet, stationary linear utilities", "nothing", "O(K)"
    )
    _criteria = (Condorcet,)

    _ranges = BANDIT_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_multisbm)
    _learn = staticmethod(learn_multisbm)

    def _allocate(self) -> BanditsState:
        """Return a fresh state; the first arm is left first."""
        k = self.n_arms
        return BanditsState(
            np.zeros(1, np.int64),
            np.array([self.alpha]),
            np.zeros(k),
            np.zeros((k, k)),
            np.zeros((k, k)),
        )

    def _best_of(self, state: BanditsState) -> int:
        """Return the arm that the bandits chose most often."""
        return int(state.plays.sum(axis=0).argmax())


EPOCH = np.dtype(
    [
        ("rounds", "i8"),  # outcomes learned in this epoch
        ("length", "i8"),
        ("before", "f8"),  # plays of the epoch before
        ("alpha", "f8"),
    ],
    align=True,
)


class DoublerState(NamedTuple):
    """The arrays of `Doubler`."""

    epoch: Records  # (1,) EPOCH
    before: Floats  # (K,) how often the bandit of the epoch before chose each arm
    plays: Floats  # (K,) of this epoch
    rewards: Floats  # (K,)


def _is_length(length: Ints, known: object) -> Flags:
    power = length & (length - 1) == 0
    return np.asarray(power & (length >= 2) & (length <= 2**60))


DOUBLER_RANGES: Ranges = {
    "before": ranges.whole(0, lambda known: max(known.told, 1)),
    "plays": ranges.COUNT,
    "rewards": ranges.halves(0, lambda known: known.state.plays),
    "epoch": {
        "length": ranges.such_that("a power of 2", _is_length),
        "rounds": ranges.equal_to("the plays of the epoch", lambda known: known.state.plays.sum()),
        "before": ranges.such_that(
            "the plays of the epoch before, at least 1",
            lambda values, known: (values >= 1) & (values == known.state.before.sum()),
        ),
        "alpha": ranges.FIXED,
    },
}


@inline_kernel
def choose_doubler(state: DoublerState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw the left arm from the choices of the bandit before; let this one choose the right."""
    epoch = state.epoch[0]
    rest = rng.random() * epoch["before"]
    left = 0
    while left < state.before.shape[0] - 1 and rest >= state.before[left]:
        rest -= state.before[left]
        left += 1
    bonus = epoch["alpha"] * math.log(max(float(epoch["rounds"]), 1.0))
    right, _ = largest_index(state.rewards, state.plays, bonus)
    return left, right, (state.before[left] / epoch["before"],)


@inline_kernel
def learn_doubler(
    state: DoublerState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count the reward of the bandit; say when its epoch is over."""
    epoch = state.epoch[0]
    state.plays[right] += 1.0
    state.rewards[right] += 1.0 - outcome
    epoch["rounds"] += 1
    return bool(epoch["rounds"] >= epoch["length"])


@kernel
def begin_epoch(state: DoublerState, rng: np.random.Generator) -> None:
    """Begin an epoch twice as long with a fresh bandit."""
    epoch = state.epoch[0]
    epoch["before"] = float(epoch["rounds"])
    epoch["rounds"] = 0
    epoch["length"] = min(2 * epoch["length"], 2**60)
    for arm in range(state.plays.shape[0]):
        state.before[arm] = state.plays[arm]
        state.plays[arm] = 0.0
        state.rewards[arm] = 0.0


@dataclass(frozen=True, eq=False)
class Doubler(Learner):
    """Doubler: in epochs that double, a fresh bandit plays against what the one before chose.

    Parameters
    ----------
    alpha : float
        The factor of ln n in the index of UCB.

    References
    ----------
    Ailon, Karnin & Joachims (ICML 2014), Algorithm 1, over UCB. Regret ``sum_k ln^2 T / gap_k`` up
    to constants, if preferences are differences of utilities that do not change; no prior
    knowledge. alpha = 2.5 is our reading of their experiments. In the first epoch, of 2 rounds,
    the left arm is one drawn at random. An outcome that comes late counts for the bandit of the
    epoch in which it comes. A round costs O(K).

    Examples
    --------
    >>> learner = Doubler(3, seed=1)
    >>> for _ in range(900):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    alpha: float = bounded(2.5, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        PAPER, "sum_k ln^2 T / gap_k, Condorcet, stationary linear utilities", "nothing", "O(K)"
    )
    _criteria = (Condorcet,)

    _ranges = DOUBLER_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_doubler)
    _learn = staticmethod(learn_doubler)
    _settle = staticmethod(begin_epoch)

    def _allocate(self) -> DoublerState:
        """Return a fresh state, before the first left arm is drawn."""
        k = self.n_arms
        before = np.zeros(k)
        before[0] = 1
        return DoublerState(
            np.array([(0, 2, 1.0, self.alpha)], EPOCH), before, np.zeros(k), np.zeros(k)
        )

    def _begin(self, state: DoublerState, rng: np.random.Generator) -> None:
        """Draw the left arm of the first epoch."""
        state.before[:] = 0
        state.before[int(rng.random() * self.n_arms)] = 1

    def _best_of(self, state: DoublerState) -> int:
        """Return the arm chosen most often in this epoch and the one before."""
        return int((state.before + state.plays).argmax())
