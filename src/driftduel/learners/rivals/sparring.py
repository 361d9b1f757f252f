"""Sparring: two bandit learners choose the two arms, and whose arm won has earned a reward.

Any learner for ordinary bandits will do: UCB, EXP3 and Thompson sampling are here. Self-sparring
lets one Thompson sampler play both sides.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.mixture import (
    SOFTMAX_RANGES,
    SOFTMAX_TICKET,
    SoftmaxState,
    Ticket,
    add_to_log,
    choose_softmax,
    softmax_state,
)
from driftduel.matrix.criteria import Condorcet

SPARRING = "Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014"

UCB_ARM = np.dtype([("plays", "f8"), ("wins", "f8"), ("mean", "f8"), ("spread", "f8")], align=True)
"""A player's record of an arm: the mean is infinite before the first play, spread is n^(-1/2)."""

UCB_CLOCK = np.dtype([("round", "i8"), ("alpha", "f8"), ("width", "f8")], align=True)
"""Outcomes learned, alpha, and sqrt(alpha ln t)."""


class UCBState(NamedTuple):
    """The arrays of `SparringUCB`."""

    clock: Records  # (1,) UCB_CLOCK
    arms: Records  # (2, K) UCB_ARM


UCB_RANGES: Ranges = {
    "clock": {"round": ranges.COUNT, "alpha": ranges.FIXED, "width": ranges.real(0, 1e100)},
    "arms": {
        "plays": ranges.COUNT,
        "wins": ranges.halves(0, lambda known: known.state.arms["plays"]),
        "mean": ranges.real(0, 1, endless=True),
        "spread": ranges.real(0, 1),
    },
}


@inline_kernel
def choose_ucb(state: UCBState, rng: np.random.Generator) -> tuple[int, int, tuple[float]]:
    """Let each player take an arm of largest index; ties are broken at random."""
    left, n_left = _largest_index(state, 0, rng)
    right, n_right = _largest_index(state, 1, rng)
    return left, right, (1.0 / (n_left * n_right),)


@inline_kernel
def _largest_index(state: UCBState, player: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return an arm of largest index and how many there are."""
    arms = state.arms[player]
    width = state.clock[0]["width"]
    best, largest, n_best = 0, -1.0, 0
    for arm in range(arms.shape[0]):
        index = arms[arm]["mean"] + width * arms[arm]["spread"]
        if index > largest:
            best, largest, n_best = arm, index, 1
        elif index == largest:
            n_best += 1
    if n_best > 1:
        skipped = min(int(rng.random() * n_best), n_best - 1)
        while skipped > 0:
            best += 1
            if arms[best]["mean"] + width * arms[best]["spread"] == largest:
                skipped -= 1
    return best, n_best


@inline_kernel
def learn_ucb(state: UCBState, left: int, right: int, ticket: tuple[float], outcome: float) -> bool:
    """Count the play and the reward of both arms."""
    clock = state.clock[0]
    clock["round"] += 1
    clock["width"] = math.sqrt(clock["alpha"] * math.log(clock["round"]))
    _count(state.arms[0, left], outcome)
    _count(state.arms[1, right], 1.0 - outcome)
    return False


@inline_kernel
def _count(arm: np.void, reward: float) -> None:
    arm["plays"] += 1.0
    arm["wins"] += reward
    arm["mean"] = arm["wins"] / arm["plays"]
    arm["spread"] = 1.0 / math.sqrt(arm["plays"])


@dataclass(frozen=True, eq=False)
class SparringUCB(Learner):
    """Sparring with UCB: each side plays the arm with the largest upper confidence bound.

    Parameters
    ----------
    alpha : float
        The index of an arm with mean reward m after n of t rounds is ``m + sqrt(alpha ln t / n)``.

    References
    ----------
    Ailon, Karnin & Joachims (ICML 2014), Algorithm Sparring. The regret is half that of the two
    bandit learners; that UCB keeps its ``sum_k ln T / gap_k`` against a learning opponent is
    observed, not proven. It needs no prior knowledge. A round costs O(K). alpha = 2.5 and the form
    of the index are those of the experiments of Komiyama et al. (COLT 2015); that equal indices are
    broken at random, so that the two sides do not move in step, is our choice.

    Examples
    --------
    >>> learner = SparringUCB(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    alpha: float = bounded(2.5, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        SPARRING, "none proven for UCB; log T in practice, Condorcet", "nothing", "O(K)"
    )
    _criteria = (Condorcet,)

    _ranges = UCB_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_ucb)
    _learn = staticmethod(learn_ucb)

    def _allocate(self) -> UCBState:
        """Return a fresh state."""
        arms = np.zeros((2, self.n_arms), UCB_ARM)
        arms["mean"] = np.inf
        return UCBState(np.array([(0, self.alpha, 0.0)], UCB_CLOCK), arms)

    def _best_of(self, state: UCBState) -> int:
        """Return the arm played most."""
        return int(state.arms["plays"].sum(axis=0).argmax())


class BetaState(NamedTuple):
    """Thompson samplers; the last one chooses the right arm."""

    beliefs: Floats  # (P, 2, K) one more than the wins, and than the losses


BETA_RANGES: Ranges = {"beliefs": ranges.halves(1, lambda known: 1 + 2 * known.told)}


@inline_kernel
def choose_beta(state: BetaState, rng: np.random.Generator) -> tuple[int, int, tuple[float]]:
    """Let each side draw a chance to win for every arm and take the largest."""
    left = _sample_best(state.beliefs[0], rng)
    right = _sample_best(state.beliefs[state.beliefs.shape[0] - 1], rng)
    return left, right, (math.nan,)


@inline_kernel
def _sample_best(beliefs: Floats, rng: np.random.Generator) -> int:
    best, largest = 0, -1.0
    for arm in range(beliefs.shape[1]):
        sample = rng.beta(beliefs[0, arm], beliefs[1, arm])
        if sample > largest:
            best, largest = arm, sample
    return best


@inline_kernel
def learn_beta(
    state: BetaState, left: int, right: int, ticket: tuple[float], outcome: float
) -> bool:
    """Count a win for one side and a loss for the other, half of each for a tie."""
    last = state.beliefs.shape[0] - 1
    state.beliefs[0, 0, left] += outcome
    state.beliefs[0, 1, left] += 1.0 - outcome
    state.beliefs[last, 0, right] += 1.0 - outcome
    state.beliefs[last, 1, right] += outcome
    return False


@dataclass(frozen=True, eq=False)
class _Thompson(Learner):
    """What the Thompson samplers have in common."""

    _n_players: ClassVar[int]
    _ranges = BETA_RANGES
    _ticket = (ranges.UNKNOWN_CHANCE,)
    _choose = staticmethod(choose_beta)
    _learn = staticmethod(learn_beta)

    _criteria = (Condorcet,)

    def _allocate(self) -> BetaState:
        """Return a fresh state."""
        return BetaState(np.ones((self._n_players, 2, self.n_arms)))

    def _best_of(self, state: BetaState) -> int:
        """Return the arm played most."""
        return int(state.beliefs.sum(axis=(0, 1)).argmax())


@dataclass(frozen=True, eq=False)
class SparringThompson(_Thompson):
    """Sparring with Thompson sampling: each side samples its beliefs about its own arms.

    References
    ----------
    Ailon, Karnin & Joachims (ICML 2014), Algorithm Sparring, over Thompson sampling with Beta(1,
    1) priors. No regret bound is known. It needs no prior knowledge. A round costs O(K), most of it
    for 2 K draws from Beta distributions. There is no formula for the propensity of a duel.

    Examples
    --------
    >>> learner = SparringThompson(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.propensity
    (0, None)
    """

    _literature: ClassVar = Literature(
        SPARRING, "none proven; log T in practice, Condorcet", "nothing", "O(K)"
    )
    _n_players = 2


@dataclass(frozen=True, eq=False)
class SelfSparring(_Thompson):
    """Self-sparring: one Thompson sampler draws both arms, and learns from both.

    References
    ----------
    With independent arms, Beta(1, 1) priors and two arms a round. Regret of order ``K ln T``, in
    the limit optimal, if preferences are approximately linear. It needs no prior knowledge. A round
    costs O(K), most of it for 2 K draws from Beta distributions. There is no formula for the
    propensity of a duel.

    Examples
    --------
    >>> learner = SelfSparring(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _literature: ClassVar = Literature(
        "Sui, Zhuang, Burdick & Yue, Multi-dueling Bandits with Dependent Arms, UAI 2017",
        "sum_k ln T / gap_k in the limit, if preferences are approximately linear; Condorcet",
        "nothing",
        "O(K)",
    )
    _n_players = 1


@inline_kernel
def learn_sparring(
    state: SoftmaxState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Add the reward of each side, divided by its chance, to the log-weight of its arm."""
    _, p_left, p_right = ticket
    rate = state.rule[0]["rate"]
    add_to_log(state, 0, left, rate * outcome / p_left)
    add_to_log(state, 1, right, rate * (1.0 - outcome) / p_right)
    return False


@dataclass(frozen=True, eq=False)
class SparringEXP3(Learner):
    """Sparring with EXP3: two adversarial bandits duel each other; for one best arm throughout.

    Parameters
    ----------
    learning_rate, exploration : float, optional
        eta and gamma, if not the theorem's: ``eta = sqrt(ln K / (K T)) / 2`` and
        ``gamma = 2 eta K``, at most 1.

    References
    ----------
    Ailon, Karnin & Joachims (ICML 2014), Algorithm Sparring, over EXP3. Expected regret
    ``O(sqrt(K ln K T))`` against any fixed arm, for any sequence of matrices. It must be told T.
    A round costs O(1) to learn and O(K) to draw arms. It is `DEX3P` without the bonus, and its
    rates are those of Saha & Gupta (ICML 2022).

    Examples
    --------
    >>> learner = SparringEXP3(3, horizon=2000, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    learning_rate: float | None = bounded(None, above=0)
    exploration: float | None = bounded(None, above=0, most=1)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        SPARRING, "sqrt(K ln K T), Condorcet, against one arm, adversarial", "T", "O(K)"
    )
    _criteria = (Condorcet,)
    _needs_horizon = True

    _ranges = SOFTMAX_RANGES
    _ticket = SOFTMAX_TICKET
    _choose = staticmethod(choose_softmax)
    _learn = staticmethod(learn_sparring)

    def _allocate(self) -> SoftmaxState:
        """Return a fresh state."""
        K, T = self.n_arms, self._known_horizon
        rate = self.learning_rate or math.sqrt(math.log(K) / (K * T)) / 2
        return softmax_state(2, K, self.exploration or min(1.0, 2 * rate * K), rate)

    def _best_of(self, state: SoftmaxState) -> int:
        """Return the arm that the two sides like best together."""
        return int((state.weights / state.players["total"][:, None]).sum(axis=0).argmax())
