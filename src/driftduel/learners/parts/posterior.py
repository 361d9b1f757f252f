"""Thompson sampling of pairs: both arms of a duel from draws of the posterior.

With u and l as in `driftduel.learners.parts.verdicts`, the candidates C are the arms whose
optimistic Copeland score #{j : u_ij >= 1/2} is largest. For every pair a preference is drawn from
its posterior, theta_ij ~ Beta(w_ij + 1, w_ji + 1), and the left arm is the candidate that beats
most others in the draw. The right arm is the arm that beats the left one most clearly in a second,
fresh draw theta'_{i, left}, among the arms that are not known to lose, l_{i, left} <= 1/2; the left
arm itself stands at 1/2.

What is drawn is what matters. The first draw is needed if there are several candidates, and only
until it is clear who loses least: first all duels of the arm that played last, then those of the
other candidates, each until it lost more often than the best so far. D-TS asks no more of theta_ij
than whether it is below 1/2: a coin with the chance P(theta_ij < 1/2), here the risk, which a
duel changes for one pair only. In the second draw an arm below 1/2 cannot win, so where the risk
is small a coin is tossed first. Where duels are forgotten too many risks change, and preferences
are drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel, log_gamma
from driftduel.learners.contract.ranges import ANYTHING, Known, Ranges, real, such_that
from driftduel.learners.parts.arrays import Flags, Floats, Ints
from driftduel.learners.parts.verdicts import (
    VERDICT_RANGES,
    Verdicts,
    list_least_beaten,
    no_verdicts,
)

Ticket = tuple[float]

_lgamma = log_gamma()

RARE = 0.1
"""Below this risk a coin is tossed before a preference is drawn."""


class ThompsonState(NamedTuple):
    """Counts of duels, who may win most of them, and scratch for the draws."""

    verdicts: Verdicts
    risk: Floats  # (K, K) P(theta_ij < 1/2), that the row loses to the column, if kept
    candidates: Ints  # (K,) the candidates first, in order
    record: Ints  # (2,) how many there are, and the left arm of the last duel
    losses: Ints  # (K,) scratch: duels lost in the draw, or more than the fewest
    drawn: Ints  # (K,) scratch: against how many arms, from the first on, the arm was drawn
    theta: Floats  # (K, K) scratch: the draw, where coins are not enough


def _are_candidates(candidates: Ints, known: Known) -> bool:
    """Tell whether they are the arms beaten by the fewest, for one of these loses least."""
    losses = known.state.verdicts.arms["losses"]
    fewest = np.flatnonzero(losses == losses.min())
    return bool(
        known.state.record[0] == len(fewest)
        and (candidates[: len(fewest)] == fewest).all()
        and ((candidates >= 0) & (candidates < known.n_arms)).all()
    )


def _is_record(record: Ints, known: Known) -> Flags:
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
def choose_twice(state: ThompsonState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw the left arm from the candidates and the right arm from those that may beat it."""
    left = state.candidates[0]
    if state.record[0] > 1:
        fewest, ties = draw_losses(state, rng, 1.0, False)
        left = pick(state, fewest, int(rng.random() * ties) if ties > 1 else 0)
    return left, draw_challenger(state, rng, left), (np.nan,)


@kernel
def draw_losses(
    state: ThompsonState, rng: np.random.Generator, unit: float, keep: bool
) -> tuple[int, int]:
    """Draw until it is known which candidates lose least; return how often, and how many they are.

    A duel has the weight ``unit``. With ``keep`` preferences are drawn and kept, without it coins
    are enough.
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
                    loses = draw_pair(state, rng, unit, arm, other)
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
def pick(state: ThompsonState, fewest: int, skip: int) -> int:
    """Return one of the candidates that lose least, after skipping some."""
    place = 0
    while skip > 0 or state.losses[state.candidates[place]] != fewest:
        skip -= state.losses[state.candidates[place]] == fewest
        place += 1
    return state.candidates[place]


@kernel
def draw_pair(
    state: ThompsonState, rng: np.random.Generator, unit: float, arm: int, other: int
) -> bool:
    """Draw a preference, keep it, and tell whether ``arm`` loses."""
    theta = draw(state, rng, unit, arm, other)
    state.theta[arm, other] = theta
    state.theta[other, arm] = 1.0 - theta
    return theta < 0.5


@kernel
def draw(
    state: ThompsonState, rng: np.random.Generator, unit: float, arm: int, other: int
) -> float:
    """Draw the chance of ``arm`` to beat ``other``."""
    wins = state.verdicts.wins
    return rng.beta(wins[arm, other] / unit + 1.0, wins[other, arm] / unit + 1.0)


@kernel
def draw_challenger(state: ThompsonState, rng: np.random.Generator, left: int) -> int:
    """Return the arm that beats ``left`` most clearly in a draw, or ``left`` if none does."""
    wins = state.verdicts.wins
    right = left
    best = 0.5
    for arm in range(state.losses.shape[0]):
        if arm != left and not state.verdicts.beaten[left, arm]:
            risk = state.risk[left, arm]
            theta = 0.0
            if risk >= RARE:
                theta = draw(state, rng, 1.0, arm, left)
            elif rng.random() < risk:
                tail = rng.random() * risk
                theta = quantile(wins[arm, left] + 1.0, wins[left, arm] + 1.0, tail)
            if theta > best:
                best = theta
                right = arm
    return right


@inline_kernel
def note_risk(state: ThompsonState, left: int, right: int) -> None:
    """Compute again the risks of a pair whose counts changed."""
    wins = state.verdicts.wins
    state.risk[left, right] = above(wins[right, left] + 1.0, wins[left, right] + 1.0, 0.5)
    state.risk[right, left] = above(wins[left, right] + 1.0, wins[right, left] + 1.0, 0.5)


@kernel
def find_candidates(state: ThompsonState) -> None:
    """List the arms that are beaten by the fewest others."""
    state.record[0] = list_least_beaten(state.verdicts, state.candidates)


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
    front = _lgamma(first + second) - _lgamma(first) - _lgamma(second)
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


def no_duels(n_arms: int, alpha: float, *, coins: bool, draws: bool) -> ThompsonState:
    """Return a fresh state: every arm is a candidate, every preference even.

    ``coins`` and ``draws`` say whether there is room for the risks and for the preferences drawn.
    """
    n_coins, n_drawn = n_arms * coins, n_arms * draws
    return ThompsonState(
        no_verdicts(n_arms, alpha),
        np.full((n_coins, n_coins), 0.5),
        np.arange(n_arms),
        np.array([n_arms, 0]),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        np.zeros((n_drawn, n_drawn)),
    )


def likely_candidate(state: ThompsonState) -> int:
    """Return the candidate that is ahead of most arms."""
    candidates = np.sort(state.candidates[: state.record[0]])
    wins = state.verdicts.wins
    return int(candidates[(wins > wins.T).sum(axis=1)[candidates].argmax()])
