"""D-TS and D-TS+: both arms of a duel by Thompson sampling, for Copeland winners that stay.

`driftduel.learners.parts.posterior` says how arms are drawn. D-TS+ breaks ties of the first step
by estimated regret.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import UNKNOWN_CHANCE
from driftduel.learners.parts.posterior import (
    THOMPSON_RANGES,
    ThompsonState,
    Ticket,
    choose_twice,
    draw_challenger,
    draw_losses,
    draw_pair,
    find_candidates,
    likely_candidate,
    no_duels,
    note_risk,
    pick,
)
from driftduel.learners.parts.verdicts import count_duel
from driftduel.matrix.criteria import Condorcet


@inline_kernel
def choose_dts_plus(state: ThompsonState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw as D-TS, but of candidates that tie take the one with the least estimated regret."""
    left = state.candidates[0]
    if state.record[0] > 1:
        fewest, ties = draw_losses(state, rng, 1.0, True)
        left = _cheapest(state, rng, fewest) if ties > 1 else pick(state, fewest, 0)
    return left, draw_challenger(state, rng, left), (np.nan,)


@kernel
def _cheapest(state: ThompsonState, rng: np.random.Generator, fewest: int) -> int:
    """Return the candidate with the least estimated regret of those that lose least.

    Now the scores of all arms matter, and with them all pairs.
    """
    losses = state.losses
    n_arms = losses.shape[0]
    for arm in range(n_arms):
        for other in range(arm + 1, n_arms):
            if state.drawn[arm] <= other and state.drawn[other] <= arm:
                loses = draw_pair(state, rng, 1.0, arm, other)
                losses[arm] += loses
                losses[other] += not loses
    top = n_arms
    for arm in range(n_arms):
        top = min(top, losses[arm])
    least = np.inf
    cheapest = state.candidates[0]
    for place in range(state.record[0]):
        arm = state.candidates[place]
        if losses[arm] == fewest:
            regret = 0.0
            for other in range(n_arms):
                if other != arm:
                    gap = losses[arm] + losses[other] - 2 * top
                    regret += gap / _divergence(state.theta[arm, other])
            if regret < least:
                least = regret
                cheapest = arm
    return cheapest


@inline_kernel
def _divergence(theta: float) -> float:
    """Return kl(theta, 1/2), but never 0."""
    result = math.log(2.0)
    if 0.0 < theta < 1.0:
        result += theta * math.log(theta) + (1.0 - theta) * math.log(1.0 - theta)
    return max(result, 1e-300)


@inline_kernel
def learn_dts(state: ThompsonState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel; who is a candidate is found again if a verdict changed."""
    changed = count_duel(state.verdicts, left, right, outcome)
    state.record[1] = left
    if left != right:
        note_risk(state, left, right)
    return changed


@kernel
def settle_dts(state: ThompsonState, rng: np.random.Generator) -> None:
    """Find the candidates again."""
    find_candidates(state)


@dataclass(frozen=True, eq=False)
class DTS(Learner):
    """Double Thompson sampling: two draws from the posterior, one for each arm of the duel.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet and the horizon does not matter. Without
        a Condorcet winner it finds a Copeland winner, which beats most arms.
    alpha : float
        The factor of ln t in the confidence bounds. The regret bound needs more than 1/2; less
        explores less.

    References
    ----------
    Copeland regret O(K^2 log T), with a Condorcet winner O(K log T + K^2 log log T), if preferences
    do not change; no prior knowledge. Ties of sampled scores are broken at random. A round costs
    O(K) random numbers in each of the two steps as long as one arm wins nearly all its duels in the
    draw, and at worst O(K^2); Beta draws are made only of arms that may well beat the left one.

    Examples
    --------
    >>> learner = DTS(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    _: KW_ONLY
    alpha: float = bounded(0.51, above=0)

    _literature: ClassVar = Literature(
        "Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016",
        "Condorcet: O(K log T + K^2 log log T); Copeland: O(K^2 log T); if nothing changes",
        "nothing",
        "O(K) when one arm leads, O(K^2) at worst",
    )
    _criteria = (Condorcet,)

    _ranges = THOMPSON_RANGES
    _ticket = (UNKNOWN_CHANCE,)
    _choose = staticmethod(choose_twice)
    _learn = staticmethod(learn_dts)
    _settle = staticmethod(settle_dts)

    def _allocate(self) -> ThompsonState:
        """Return a fresh state: every arm is a candidate, every preference even."""
        return no_duels(self.n_arms, self.alpha, coins=True, draws=False)

    def _best_of(self, state: ThompsonState) -> int:
        """Return the candidate that is ahead of most arms."""
        return likely_candidate(state)


@dataclass(frozen=True, eq=False)
class DTSPlus(DTS):
    """D-TS+: as D-TS, but of candidates that tie the one with the least estimated regret plays.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels, alpha
        As for `DTS`.

    References
    ----------
    Bounds as for `DTS`. With z the sampled Copeland scores, ties go to the least ``sum_{j != i} (2
    max z - z_i - z_j) / kl(theta_ij, 1/2)``; we take the maximum over all arms. A round costs as
    for `DTS`, with Beta draws in place of coins, and O(K^2) if candidates tie.

    Examples
    --------
    >>> learner = DTSPlus(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    _literature: ClassVar = Literature(
        "Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016",
        "Condorcet: O(K log T + K^2 log log T); Copeland: O(K^2 log T); if nothing changes",
        "nothing",
        "O(K) when one arm leads, O(K^2) if candidates tie",
    )

    _choose = staticmethod(choose_dts_plus)

    def _allocate(self) -> ThompsonState:
        """Return a fresh state: every arm is a candidate, every preference even."""
        return no_duels(self.n_arms, self.alpha, coins=True, draws=True)
