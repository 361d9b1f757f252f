"""DEX3: two players with exponential weights and a bonus for arms seldom played (Saha & Gupta).

Each player i has weights W_i and plays ``p_i(k) = (1 - gamma) W_i(k) / sum W_i + gamma / K``. With
r_i = 1 if the arm of player i won, 0 if it lost and 1/2 for a tie, all arms gain

    ``g_i(k) = r_i 1{k = k_i} / p_i(k) + beta / p_i(k)``

and the weights become ``W_i(k) exp(eta g_i(k)) + e alpha sum W_i``. The last term lets an arm that
was bad for long come back in time; DEX3.P leaves it out. For Borda scores the first term is
``r_i 1{k = k_i} / (K p_i(k_i) p_j(k_j))``, j the other player.

Duels may be told late: the chances in the first term are those of the time of asking, those in
beta / p are the current ones.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from driftduel._support.checks import BadParameter, as_count, as_number
from driftduel._support.params import bounded
from driftduel.learners.contract.literature import Literature
from driftduel.learners.parts.shares import Rates, Shares
from driftduel.matrix.criteria import Borda, Condorcet

PAPER = "Saha & Gupta, Optimal and Efficient Dynamic Regret Algorithms for Non-Stationary Dueling Bandits, ICML 2022"  # noqa: E501


@dataclass(frozen=True, eq=False)
class DEX3P(Shares):
    """DEX3.P: two adversarial bandits with a bonus duel each other; for one best arm throughout.

    Parameters
    ----------
    learning_rate, exploration, bonus : float, optional
        eta, gamma and beta, if not the theorem's: ``eta = sqrt(ln K / (K T)) / 2``,
        ``gamma = 2 eta K``, at most 1, and ``beta = sqrt(ln K / (K T))``.

    References
    ----------
    Saha & Gupta (ICML 2022), Algorithm DEX3.P and Lemma 3.1. Regret against any fixed arm, for
    any sequence of matrices, ``O(sqrt(K T) ln(K / delta))`` with probability 1 - 2 delta; also
    against the von Neumann winner of the mean matrix. It must be told T. A round costs O(K).

    Examples
    --------
    >>> learner = DEX3P(3, horizon=2000, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _literature: ClassVar = Literature(
        PAPER, "sqrt(K T) ln(K/delta), Condorcet, against one arm, adversarial", "T", "O(K)"
    )
    _criteria = (Condorcet,)

    def _theory(self) -> Rates:
        """Return the numbers of Lemma 3.1."""
        bonus = math.sqrt(math.log(self.n_arms) / (self.n_arms * self._known_horizon))
        rate = self.learning_rate or bonus / 2
        return Rates(rate, 2 * rate * self.n_arms, bonus, 0.0)


@dataclass(frozen=True, eq=False)
class DEX3S(Shares):
    """DEX3.S: DEX3.P that shares weight among all arms, so that it can follow a switching winner.

    Parameters
    ----------
    tuning : "switching" or "variation"
        Which quantity the rates are set by.
    n_phases : int, optional
        S, one more than the number of times the best arm changes, for switching; None if it is
        not known.
    variation : float, optional
        V_T, the sum over rounds of the largest change of an entry; needed for variation.
    learning_rate, exploration, bonus : float, optional
        eta, gamma and beta, if not the theorem's: ``beta = eta = sqrt(S / (K T))`` for S phases,
        ``1 / sqrt(K T)`` if S is not known, ``V_T^(1/3) / (4 K^(2/3) T^(1/3))`` for variation;
        ``gamma = 2 eta K``, at most 1.

    References
    ----------
    Saha & Gupta (ICML 2022), Algorithm DEX3.S with alpha = 1/T. Dynamic regret
    ``sqrt(S K T) ln(K T / delta)`` if told S, ``S sqrt(K T) ln(K T / delta)`` if not, and
    ``(V_T K)^(1/3) T^(2/3) ln(K T / delta)``, up to a lower-order term, if told V_T. It must be
    told T. A round costs O(K).

    Examples
    --------
    >>> learner = DEX3S(3, horizon=2000, n_phases=2, seed=1)
    >>> for n in range(2000):
    ...     duel = learner.ask()
    ...     won = float(duel.left < duel.right if n < 1000 else duel.left > duel.right)
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else won)
    >>> learner.best()
    2
    >>> DEX3S(3, horizon=2000, tuning="variation")
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: variation is None, must be a positive number
    """

    _: KW_ONLY
    tuning: Literal["switching", "variation"] = "switching"
    n_phases: int | None = bounded(None, least=1)
    variation: float | None = bounded(None, above=0)

    _literature: ClassVar = Literature(
        PAPER,
        "sqrt(S K T) if told S, S sqrt(K T) if not, (V_T K)^(1/3) T^(2/3) if told V_T; Condorcet",
        "T; S or V_T if known",
        "O(K)",
    )
    _criteria = (Condorcet,)

    def _validate(self) -> None:
        """Raise BadParameter unless what the tuning needs is given and nothing else."""
        other = "n_phases" if self.tuning == "variation" else "variation"
        if getattr(self, other) is not None:
            raise BadParameter(other, f"is not for the tuning {self.tuning!r}")
        if self.tuning == "variation":
            as_number(self.variation, "variation", above=0)
        elif self.n_phases is not None:
            as_count(self.n_phases, "n_phases", 1, self._known_horizon)

    def _theory(self) -> Rates:
        """Return the numbers of the theorem for the chosen tuning."""
        K, T = self.n_arms, self._known_horizon
        if self.variation is not None:
            rate = (self.variation / (K * K * T)) ** (1 / 3) / 4
        else:
            rate = math.sqrt((self.n_phases or 1) / (K * T))
        rate = self.learning_rate or rate
        return Rates(rate, 2 * rate * K, rate, 1 / T)


@dataclass(frozen=True, eq=False)
class BordaDEX3S(Shares):
    """Borda-DEX3.S: DEX3.S with estimates of Borda scores, told how often the winner changes.

    Parameters
    ----------
    n_phases : int
        S, one more than the number of times the best arm changes.
    failure_probability : float
        delta, with which the regret bound may fail.
    learning_rate, exploration, bonus : float, optional
        eta, gamma and beta, if not the theorem's: ``eta = (S ln K / (T sqrt(2 K)))^(2/3)``,
        ``gamma = sqrt(2 eta K)``, at most 1, and
        ``beta = S^(1/3) sqrt(ln(2 K / delta)) / ((2 eta)^(1/4) K^(3/4) sqrt(T))``.

    References
    ----------
    Saha & Gupta (ICML 2022), Algorithm 3 and Theorem 6.1 with alpha = 1/(K T). Dynamic regret
    ``S^(1/6) K^(-1/3) T^(5/6) + S^(1/2) K^(1/3) T^(2/3)`` up to logarithms, with probability
    1 - delta. It must be told T and S; the paper has no tuning for a known V_T. A round costs
    O(K).

    Examples
    --------
    >>> learner = BordaDEX3S(3, horizon=2000, n_phases=2, seed=1)
    >>> for n in range(2000):
    ...     duel = learner.ask()
    ...     won = float(duel.left < duel.right if n < 1000 else duel.left > duel.right)
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else won)
    >>> learner.best()
    2
    """

    _: KW_ONLY
    n_phases: int = bounded(1, least=1)
    failure_probability: float = bounded(0.1, above=0, most=1)

    _literature: ClassVar = Literature(
        PAPER, "S^(1/6) K^(-1/3) T^(5/6) + S^(1/2) K^(1/3) T^(2/3), Borda", "T, S", "O(K)"
    )
    _criteria = (Borda,)

    def _validate(self) -> None:
        """Raise BadParameter if there are more phases than rounds."""
        as_count(self.n_phases, "n_phases", 1, self._known_horizon)

    def _theory(self) -> Rates:
        """Return the numbers of Theorem 6.1."""
        K, T, S = self.n_arms, self._known_horizon, self.n_phases
        rate = self.learning_rate or (S * math.log(K) / (T * math.sqrt(2 * K))) ** (2 / 3)
        doubt = math.sqrt(math.log(2 * K / self.failure_probability))
        bonus = S ** (1 / 3) * doubt / ((2 * rate) ** 0.25 * K**0.75 * math.sqrt(T))
        return Rates(rate, math.sqrt(2 * rate * K), bonus, 1 / (K * T))
