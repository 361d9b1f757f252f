"""D-TS and D-TS+: both arms of a duel by Thompson sampling, for Copeland winners that stay.

With u and l as in `driftduel.learners.parts.verdicts`, the candidates C are the arms whose
optimistic Copeland score #{j : u_ij >= 1/2} is largest. For every pair a preference is drawn from
its posterior, theta_ij ~ Beta(w_ij + 1, w_ji + 1), and the left arm is the candidate that beats
most others in the draw. The right arm is the arm that beats the left one most clearly in a second,
fresh draw theta'_{i, left}, among the arms that are not known to lose, l_{i, left} <= 1/2; the left
arm itself stands at 1/2. D-TS+ breaks ties of the first step by estimated regret.

What is drawn is what matters. The first draw is needed if there are several candidates, and only
until it is clear who loses least: first all duels of the arm that played last, then those of the
other candidates, each until it lost more often than the best so far. D-TS asks no more of theta_ij
than whether it is below 1/2: a coin with the chance P(theta_ij < 1/2), here the risk, which a
duel changes for one pair only. In the second draw an arm below 1/2 cannot win, so where the risk
is small a coin is tossed first.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._jit import inline_kernel, kernel
from driftduel._parameters import bounded
from driftduel.criteria import Condorcet
from driftduel.learners.base import Learner, Literature
from driftduel.learners.parts.verdicts import (
    VERDICT_RANGES,
    Verdicts,
    count_duel,
    no_verdicts,
)
from driftduel.learners.ranges import ANYTHING, UNKNOWN_CHANCE, Known, Ranges, real, such_that

Ticket = tuple[float]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RARE = 0.1
"""Below this risk a coin is tossed before a preference is drawn."""


class ThompsonState(NamedTuple):
    """The arrays of `DTS` and `DTSPlus`."""

    verdicts: Verdicts
    risk: Floats  # (K, K) P(theta_ij < 1/2), that the row loses to the column in a draw
    candidates: Ints  # (K,) the candidates first, in order
    record: Ints  # (2,) how many there are, and the left arm of the last duel
    losses: Ints  # (K,) scratch: duels lost in the draw, or more than the fewest
    drawn: Ints  # (K,) scratch: against how many arms, from the first on, the arm was drawn
    theta: Floats  # (K, K) scratch: the draw, for D-TS+


def _are_candidates(candidates: Ints, known: Known) -> bool:
    """Tell whether they are the arms beaten by the fewest, for one of these loses least."""
    losses = known.state.verdicts.arms["losses"]
    fewest = np.flatnonzero(losses == losses.min())
    return bool(
        known.state.record[0] == len(fewest)
        and (candidates[: len(fewest)] == fewest).all()
        and ((candidates >= 0) & (candidates < known.n_arms)).all()
    )


def _is_record(record: Ints, known: Known) -> NDArray[np.bool_]:
    return (record >= [1, 0]) & (record <= [known.n_arms, known.n_arms - 1])


THOMPSON_RANGES: Ranges = {
    "verdicts": VERDICT_RANGES,
    "risk": real(0, 1 + 1e-9),
    "record": such_that("the number of candidates and an arm", _is_record),
    "candidates": such_that("the arms beaten by the fewest others", _are_candidates),
    "losses": ANYTHING,
    "drawn": ANYTHING,
    "theta": ANYTHING,
}


@inline_kernel
def choose_dts(state: ThompsonState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw the left arm from the candidates and the right arm from those that may beat it."""
    left = state.candidates[0]
    if state.record[0] > 1:
        fewest, ties = _draw_losses(state, rng, False)
        left = _pick(state, fewest, int(rng.random() * ties) if ties > 1 else 0)
    return left, _draw_challenger(state, rng, left), (np.nan,)


@inline_kernel
def choose_dts_plus(state: ThompsonState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw as D-TS, but of candidates that tie take the one with the least estimated regret."""
    left = state.candidates[0]
    if state.record[0] > 1:
        fewest, ties = _draw_losses(state, rng, True)
        left = _cheapest(state, rng, fewest) if ties > 1 else _pick(state, fewest, 0)
    return left, _draw_challenger(state, rng, left), (np.nan,)


@kernel
def _draw_losses(state: ThompsonState, rng: np.random.Generator, keep: bool) -> tuple[int, int]:
    """Draw until it is known which candidates lose least; return how often, and how many they are.

    With ``keep`` preferences are drawn and kept, without it coins are enough.
    """
    losses = state.losses
    n_arms = losses.shape[0]
    for arm in range(n_arms):
        losses[arm] = 0
        state.drawn[arm] = 0
    fewest = n_arms
    ties = 0
    last = state.record[1]
    if state.verdicts.arms[last]["losses"] > state.verdicts.arms[state.candidates[0]]["losses"]:
        last = state.candidates[0]
    for turn in range(-1, state.record[0]):
        arm = last if turn < 0 else state.candidates[turn]
        if turn >= 0 and arm == last:
            continue
        lost = losses[arm]
        other = 0
        while other < n_arms and lost <= fewest:
            if other != arm and state.drawn[other] <= arm:
                if keep:
                    loses = _draw_pair(state, rng, arm, other)
                else:
                    loses = rng.random() < state.risk[arm, other]
                lost += loses
                losses[other] += not loses
            other += 1
        losses[arm] = lost
        state.drawn[arm] = other
        if lost < fewest:
            fewest = lost
            ties = 0
        ties += lost == fewest
    return fewest, ties


@inline_kernel
def _pick(state: ThompsonState, fewest: int, skip: int) -> int:
    """Return one of the candidates that lose least, after skipping some."""
    place = 0
    while skip > 0 or state.losses[state.candidates[place]] != fewest:
        skip -= state.losses[state.candidates[place]] == fewest
        place += 1
    return state.candidates[place]


@kernel
def _draw_pair(state: ThompsonState, rng: np.random.Generator, arm: int, other: int) -> bool:
    """Draw a preference, keep it, and tell whether ``arm`` loses."""
    theta = _draw(state, rng, arm, other)
    state.theta[arm, other] = theta
    state.theta[other, arm] = 1.0 - theta
    return theta < 0.5


@kernel
def _draw(state: ThompsonState, rng: np.random.Generator, arm: int, other: int) -> float:
    """Draw the chance of ``arm`` to beat ``other``."""
    wins = state.verdicts.wins
    return rng.beta(wins[arm, other] + 1.0, wins[other, arm] + 1.0)


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
                loses = _draw_pair(state, rng, arm, other)
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


@kernel
def _draw_challenger(state: ThompsonState, rng: np.random.Generator, left: int) -> int:
    """Return the arm that beats ``left`` most clearly in a draw, or ``left`` if none does."""
    wins = state.verdicts.wins
    right = left
    best = 0.5
    for arm in range(state.losses.shape[0]):
        if arm != left and not state.verdicts.beaten[left, arm]:
            risk = state.risk[left, arm]
            theta = 0.0
            if risk >= RARE:
                theta = _draw(state, rng, arm, left)
            elif rng.random() < risk:
                tail = rng.random() * risk
                theta = quantile(wins[arm, left] + 1.0, wins[left, arm] + 1.0, tail)
            if theta > best:
                best = theta
                right = arm
    return right


@inline_kernel
def learn_dts(state: ThompsonState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel; who is a candidate is found again if a verdict changed."""
    changed = count_duel(state.verdicts, left, right, outcome)
    state.record[1] = left
    if left != right:
        wins = state.verdicts.wins
        state.risk[left, right] = above(wins[right, left] + 1.0, wins[left, right] + 1.0, 0.5)
        state.risk[right, left] = above(wins[left, right] + 1.0, wins[right, left] + 1.0, 0.5)
    return changed


@kernel
def settle_dts(state: ThompsonState, rng: np.random.Generator) -> None:
    """List the arms that are beaten by the fewest others."""
    arms = state.verdicts.arms
    fewest = arms[0]["losses"]
    for arm in range(arms.shape[0]):
        fewest = min(fewest, arms[arm]["losses"])
    count = 0
    for arm in range(arms.shape[0]):
        if arms[arm]["losses"] == fewest:
            state.candidates[count] = arm
            count += 1
    state.record[0] = count


@kernel
def above(first: float, second: float, point: float) -> float:
    """Return P(theta > point) for theta ~ Beta(first, second), by the continued fraction.

    Examples
    --------
    >>> above(1.0, 1.0, 0.25), round(above(3.0, 2.0, 0.5), 12)
    (0.75, 0.6875)
    """
    if point <= 0.0 or point >= 1.0:
        return 1.0 if point <= 0.0 else 0.0
    front = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    front = math.exp(front + first * math.log(point) + second * math.log(1.0 - point))
    # The fraction converges quickly on the side of the smaller tail.
    if point * (first + second + 2.0) > first + 1.0:
        return front * _fraction(second, first, 1.0 - point) / second
    return 1.0 - front * _fraction(first, second, point) / first


@kernel
def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, from the front (Lentz)."""
    tiny = 1e-300
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


@kernel
def quantile(first: float, second: float, tail: float) -> float:
    """Return the point above 1/2 with P(theta > point) = tail for theta ~ Beta(first, second).

    Examples
    --------
    >>> round(quantile(1.0, 1.0, 0.125), 12)
    0.875
    """
    low = 0.5
    high = 1.0
    for _ in range(52):
        point = (low + high) / 2.0
        if above(first, second, point) > tail:
            low = point
        else:
            high = point
    return high


@dataclass(frozen=True, eq=False)
class DTS(Learner):
    """Double Thompson sampling: two draws from the posterior, one for each arm of the duel.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet and the horizon does not matter. Without
        a Condorcet winner it finds a Copeland winner, which beats most arms.
    alpha : float
        The factor of ln t in the confidence bounds, above 1/2.

    References
    ----------
    Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016. Copeland regret O(K^2 log
    T), with a Condorcet winner O(K log T + K^2 log log T), if preferences do not change; told
    nothing. Ties of sampled scores are broken at random. A round costs O(K) random numbers in
    each of the two steps as long as one arm wins nearly all its duels in the draw, and at worst
    O(K^2); Beta draws are made only of arms that may well beat the left one.

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
    alpha: float = bounded(0.51, above=0.5)

    literature: ClassVar = Literature(
        "Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016",
        "Condorcet: O(K log T + K^2 log log T); Copeland: O(K^2 log T); if nothing changes",
        "nothing",
        "O(K) when one arm leads, O(K^2) at worst",
    )
    serves = (Condorcet,)

    ranges = THOMPSON_RANGES
    ticket = (UNKNOWN_CHANCE,)
    choose = staticmethod(choose_dts)
    learn = staticmethod(learn_dts)
    settle = staticmethod(settle_dts)

    def allocate(self) -> ThompsonState:
        """Return a fresh state: every arm is a candidate, every preference even."""
        return self._fresh(0)

    def _fresh(self, drawn: int) -> ThompsonState:
        return ThompsonState(
            no_verdicts(self.n_arms, self.alpha),
            np.full((self.n_arms, self.n_arms), 0.5),
            np.arange(self.n_arms),
            np.array([self.n_arms, 0]),
            np.zeros(self.n_arms, np.int64),
            np.zeros(self.n_arms, np.int64),
            np.zeros((drawn, drawn)),
        )

    def best_of(self, state: ThompsonState) -> int:
        """Return the candidate that is ahead of most arms."""
        candidates = np.sort(state.candidates[: state.record[0]])
        wins = state.verdicts.wins
        return int(candidates[(wins > wins.T).sum(axis=1)[candidates].argmax()])


@dataclass(frozen=True, eq=False)
class DTSPlus(DTS):
    """D-TS+: as D-TS, but of candidates that tie the one with the least estimated regret plays.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels, alpha
        As for `DTS`.

    References
    ----------
    Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016. Bounds as for `DTS`. With z
    the sampled Copeland scores, ties go to the least ``sum_{j != i} (2 max z - z_i - z_j) /
    kl(theta_ij, 1/2)``; we take the maximum over all arms. A round costs as for `DTS`, with Beta
    draws in place of coins, and O(K^2) if candidates tie.

    Examples
    --------
    >>> learner = DTSPlus(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    literature: ClassVar = Literature(
        "Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016",
        "Condorcet: O(K log T + K^2 log log T); Copeland: O(K^2 log T); if nothing changes",
        "nothing",
        "O(K) when one arm leads, O(K^2) if candidates tie",
    )

    choose = staticmethod(choose_dts_plus)

    def allocate(self) -> ThompsonState:
        """Return a fresh state: every arm is a candidate, every preference even."""
        return self._fresh(self.n_arms)
