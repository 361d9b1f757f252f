"""Winner Stays and Beat the Winner Reset: the winner of a duel meets the next challenger.

Both keep almost nothing in mind and need no prior knowledge. The weak forms make the regret of the
better of the two arms small; the strong forms put stretches between, in which the arm in front
plays itself. `WinnerStays` goes by wins minus losses of all time, so a change takes it as long to
notice as it took to get there. `BeatTheWinnerReset` asks for more and more wins of a challenger,
but starts again at one win whenever a challenger got through.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import CHANCE, NUMBER
from driftduel.learners.parts.incumbents import (
    LEAD_RANGES,
    RACE_RANGES,
    LeadState,
    RaceState,
    begin_leads,
    begin_races,
    choose_leaders,
    choose_race,
    learn_lead,
    learn_race,
    no_leads,
    no_races,
    settle_leads,
)
from driftduel.matrix.criteria import Condorcet


@dataclass(frozen=True, eq=False)
class WinnerStays(Learner):
    """Winner Stays for weak regret: duels the two arms with the most wins minus losses.

    Among equals the previous pair comes first, in its order, then chance decides.

    References
    ----------
    Weak regret ``K / (2p - 1)^2 + p K^2 / (2p - 1)^3`` for all T if every win of a better arm has
    probability p or more, O(K log K) under a total order. A round costs O(1), O(K) when the pair
    changes.

    Examples
    --------
    >>> learner = WinnerStays(3, seed=1)
    >>> for _ in range(50):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best()
    0
    """

    _literature: ClassVar = Literature(
        paper="Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017, WS-W",
        bound="weak: K/(2p-1)^2 + pK^2/(2p-1)^3 for all T, K log K under a total order; stationary",
        needs="nothing",
        cost="O(1), O(K) when the pair changes",
    )
    _criteria = (Condorcet,)

    _ranges = LEAD_RANGES
    _ticket = (CHANCE,)
    _choose = staticmethod(choose_leaders)
    _learn = staticmethod(learn_lead)
    _settle = staticmethod(settle_leads)

    def _allocate(self) -> LeadState:
        """Return a fresh state without a pair."""
        return no_leads(self.n_arms, 0.0)

    def _begin(self, state: LeadState, rng: np.random.Generator) -> None:
        """Draw the first pair."""
        begin_leads(state, rng)

    def _best_of(self, state: LeadState) -> int:
        """Return the arm in front."""
        return int(state.clock[0]["first"])


@dataclass(frozen=True, eq=False)
class WinnerStaysStrong(WinnerStays):
    """Winner Stays for strong regret: after each stage the arm in front plays itself for a while.

    Stage l ends when the arm in front has ``(K - 1) l`` wins more than losses, which is when it
    has got every other arm down to ``-l``. Then it plays itself ``floor(growth^l)`` times.

    Parameters
    ----------
    growth : float
        The paper's beta, above 1 and below ``p / (1 - p)`` if every win of a better arm has
        probability p or more.

    References
    ----------
    Regret O(K^2 + K log T). growth = 1.05 is that of Kolpaczki, Bengs & Huellermeier. A stage is
    defined by the lead alone, which is the paper's stage if no outcome comes late. A round costs
    O(1), O(K) when the pair changes.

    Examples
    --------
    >>> learner = WinnerStaysStrong(3, seed=1)
    >>> for _ in range(500):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> duel.left, duel.right, learner.best()
    (0, 0, 0)
    """

    _: KW_ONLY
    growth: float = bounded(1.05, above=1)

    _literature: ClassVar = Literature(
        paper="Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017, WS-S",
        bound="K^2 + K log T Condorcet, stationary",
        needs="growth below p/(1-p)",
        cost="O(1), O(K) when the pair changes",
    )

    def _allocate(self) -> LeadState:
        """Return a fresh state without a pair."""
        return no_leads(self.n_arms, self.growth)


@dataclass(frozen=True, eq=False)
class BeatTheWinnerReset(Learner):
    """Beat the Winner Reset, for weak regret in worlds that change: races of growing length.

    An incumbent races the next arm of a queue until one of them has r wins; the loser goes to the
    back of the queue. r grows by one if the incumbent stays and is 1 again if it does not. A tie
    is half a win for both; if both reach r at once the incumbent stays.

    References
    ----------
    Weak regret of order K log K / gap^2 for each stretch without change; the exponents are from
    memory, not checked in the paper. An outcome that comes after its race is over does not count,
    which is our choice. A round costs O(1).

    Examples
    --------
    >>> learner = BeatTheWinnerReset(3, seed=1)
    >>> for n in range(400):
    ...     duel = learner.ask()
    ...     best = 0 if n < 200 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _literature: ClassVar = Literature(
        paper="Kolpaczki, Bengs & Huellermeier, Piecewise-Stationary Dueling Bandits, TMLR 2024",
        bound="weak: about M K log K / gap^2 with M stretches (constants not checked)",
        needs="nothing",
        cost="O(1)",
    )
    _criteria = (Condorcet,)

    _ranges = RACE_RANGES
    _ticket = (CHANCE, NUMBER)
    _choose = staticmethod(choose_race)
    _learn = staticmethod(learn_race)

    def _allocate(self) -> RaceState:
        """Return a fresh state without a queue."""
        return no_races(self.n_arms, 0.0)

    def _begin(self, state: RaceState, rng: np.random.Generator) -> None:
        """Draw the queue."""
        begin_races(state, rng)

    def _best_of(self, state: RaceState) -> int:
        """Return the incumbent."""
        return int(state.clock[0]["incumbent"])


@dataclass(frozen=True, eq=False)
class BeatTheWinnerResetStrong(BeatTheWinnerReset):
    """Beat the Winner Reset for strong regret: after each race its winner plays itself for a while.

    After a race to r wins the winner plays itself ``floor(growth^r)`` times.

    Parameters
    ----------
    growth : float
        How much longer each rest is than the one before, above 1.

    References
    ----------
    Their code has it with growth = 1.05; no bound is known to us. There the exponent counts races
    and never falls, so that after the first lost race it rests for ever. Here it is the length of
    the race, which is 1 again after a loss: our choice. A round costs O(1).

    Examples
    --------
    >>> learner = BeatTheWinnerResetStrong(3, seed=1)
    >>> for n in range(4000):
    ...     duel = learner.ask()
    ...     best = 0 if n < 2000 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _: KW_ONLY
    growth: float = bounded(1.05, above=1)

    _literature: ClassVar = Literature(
        paper="Kolpaczki, Bengs & Huellermeier, Piecewise-Stationary Dueling Bandits, TMLR 2024",
        bound="none known to us",
        needs="nothing",
        cost="O(1)",
    )

    def _allocate(self) -> RaceState:
        """Return a fresh state without a queue."""
        return no_races(self.n_arms, self.growth)
