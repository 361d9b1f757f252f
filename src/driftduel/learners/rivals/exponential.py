"""D-EXP3: exponential weights over estimated Borda scores (Saha, Koren & Mansour).

Both arms are drawn independently from ``q(k) = (1 - gamma) softmax(eta S)(k) + gamma / K``. The
estimate ``1{x = k} o / (K q(x) q(y))`` of a duel (x, y) with outcome o has the Borda score of k
for its mean and is added to S(k). The high-probability form adds ``beta / q(k)`` to every S(k).
D-EXP3.S is told how often the winner changes and shares weight among all arms, as DEX3.S does.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from driftduel._support.checks import as_count
from driftduel._support.compile.jit import inline_kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.parts.mixture import (
    SOFTMAX_RANGES,
    SOFTMAX_TICKET,
    SoftmaxState,
    Ticket,
    add_to_log,
    choose_softmax,
    softmax_state,
)
from driftduel.learners.parts.shares import Rates, Shares
from driftduel.matrix.criteria import Borda

PAPER = "Saha, Koren & Mansour, Adversarial Dueling Bandits, ICML 2021"


@inline_kernel
def learn_score(state: SoftmaxState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Add the estimate of the left arm's score to its log-weight; that of all others is 0."""
    chance, _, _ = ticket
    add_to_log(state, 0, left, state.rule[0]["rate"] * outcome / (state.weights.shape[1] * chance))
    return False


def _theory(n_arms: int, horizon: int, rate: float | None) -> tuple[float, float]:
    """Return eta and gamma, which balance the terms of the regret bound."""
    eta = rate or (math.log(n_arms) / (horizon * math.sqrt(n_arms))) ** (2 / 3)
    return eta, min(1.0, math.sqrt(eta * n_arms))


@dataclass(frozen=True, eq=False)
class DEXP3(Learner):
    """D-EXP3: exponential weights over Borda scores, for worlds that may be adversarial.

    Its rival is the arm that is best over all rounds together; it does not follow a change.

    Parameters
    ----------
    learning_rate, exploration : float, optional
        eta and gamma, if not the theorem's: ``eta = (ln K / (T sqrt(K)))^(2/3)`` and
        ``gamma = sqrt(eta K)``, at most 1.

    References
    ----------
    Saha, Koren & Mansour (ICML 2021), Algorithm 1. Expected regret
    ``O((K ln K)^(1/3) T^(2/3))`` against the best fixed arm, for any sequence of matrices. It
    must be told T. A round costs O(1) to learn and O(K) to draw arms. The rates were not read in
    the paper: they are those of later code, and minimise the bound
    ``gamma T + ln K / eta + eta T K / gamma``.

    Examples
    --------
    >>> learner = DEXP3(3, horizon=2000, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    >>> DEXP3(3)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: horizon is None, DEXP3 must be told it
    """

    _: KW_ONLY
    learning_rate: float | None = bounded(None, above=0)
    exploration: float | None = bounded(None, above=0, most=1)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        PAPER, "(K ln K)^(1/3) T^(2/3), Borda, against one arm, adversarial", "T", "O(K)"
    )
    _criteria = (Borda,)
    _needs_horizon = True

    _ranges = SOFTMAX_RANGES
    _ticket = SOFTMAX_TICKET
    _choose = staticmethod(choose_softmax)
    _learn = staticmethod(learn_score)

    def _allocate(self) -> SoftmaxState:
        """Return a fresh state."""
        eta, gamma = _theory(self.n_arms, self._known_horizon, self.learning_rate)
        return softmax_state(1, self.n_arms, self.exploration or gamma, eta)

    def _best_of(self, state: SoftmaxState) -> int:
        """Return the arm with the largest estimated score."""
        return int(state.logs[0].argmax())


@dataclass(frozen=True, eq=False)
class DEXP3HP(Shares):
    """D-EXP3 with a bonus for arms seldom played: its bound holds with high probability.

    Parameters
    ----------
    failure_probability : float
        delta, with which the regret bound may fail.
    learning_rate, exploration, bonus : float, optional
        eta, gamma and beta, if not the defaults: eta and gamma as for `DEXP3`,
        ``beta = sqrt(ln(K / delta) / (K T))``.

    References
    ----------
    Saha, Koren & Mansour (ICML 2021), Algorithm 2. Regret ``K^(1/3) T^(2/3)`` up to logarithms,
    with probability 1 - delta, against the best fixed arm, for any sequence of matrices. It must
    be told T. A round costs O(K). The paper's own beta is not known to us; the default is that
    of later code. The bonus of a duel told late is that of the current chances.

    Examples
    --------
    >>> learner = DEXP3HP(3, horizon=2000, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _: KW_ONLY
    failure_probability: float = bounded(0.1, above=0, most=1)

    _literature: ClassVar = Literature(
        PAPER,
        "K^(1/3) T^(2/3) with high probability, Borda, against one arm, adversarial",
        "T",
        "O(K)",
    )
    _criteria = (Borda,)
    _n_players = 1

    def _theory(self) -> Rates:
        """Return the default rates, given the learning rate in use."""
        K, T = self.n_arms, self._known_horizon
        eta, gamma = _theory(K, T, self.learning_rate)
        return Rates(eta, gamma, math.sqrt(math.log(K / self.failure_probability) / (K * T)), 0.0)


@dataclass(frozen=True, eq=False)
class DEXP3S(Shares):
    """D-EXP3.S: D-EXP3 that shares weight among all arms, told how often the winner changes.

    It is Borda-DEX3.S, with its two players, but without a bonus and with rates of its own.

    Parameters
    ----------
    n_phases : int
        S, one more than the number of times the best arm changes.
    learning_rate, exploration, bonus : float, optional
        eta, gamma and beta, if not the defaults: ``eta = (S ln(K T / S) / (T sqrt(K)))^(2/3)``,
        ``gamma = sqrt(eta K)``, at most 1, and no bonus.

    References
    ----------
    After Saha, Koren & Mansour (ICML 2021), whose estimate of Borda scores it uses, and Saha &
    Gupta (ICML 2022), whose weights become ``W(k) exp(eta g(k)) + e alpha sum W``, alpha = 1/(K T),
    as in EXP3.S (Auer et al., The Nonstochastic Multiarmed Bandit Problem, SIAM J. Comput. 2002).
    The rates minimise ``gamma T + S ln(K T / S) / eta + eta T K / gamma``, up to constants, so
    expected dynamic regret is ``O((K S ln(K T / S))^(1/3) T^(2/3))``. It must be told T and S. A
    round costs O(K).

    Examples
    --------
    >>> learner = DEXP3S(3, horizon=2000, n_phases=2, seed=1)
    >>> for n in range(2000):
    ...     duel = learner.ask()
    ...     won = float(duel.left < duel.right if n < 1000 else duel.left > duel.right)
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else won)
    >>> learner.best()
    2
    """

    _: KW_ONLY
    n_phases: int = bounded(1, least=1)

    _literature: ClassVar = Literature(
        f"after {PAPER}, and Saha & Gupta, ICML 2022",
        "(K S ln(K T / S))^(1/3) T^(2/3), Borda",
        "T, S",
        "O(K)",
    )
    _criteria = (Borda,)

    def _validate(self) -> None:
        """Raise BadParameter if there are more phases than rounds."""
        as_count(self.n_phases, "n_phases", 1, self._known_horizon)

    def _theory(self) -> Rates:
        """Return the numbers that balance the terms of the bound."""
        K, T, S = self.n_arms, self._known_horizon, self.n_phases
        level = S * math.log(K * T / S)
        rate = self.learning_rate or (level / (T * math.sqrt(K))) ** (2 / 3)
        return Rates(rate, math.sqrt(rate * K), 0.0, 1 / (K * T))
