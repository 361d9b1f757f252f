"""D-TS that forgets: with a window, and with duels that count for less the older they are.

`driftduel.learners.parts.posterior` says how D-TS draws its arms. Here w_ij counts the duels of
the last rounds only, or older ones for less, in the posterior Beta(w_ij + 1, w_ji + 1) and in the
bounds u_ij = w_ij/N_ij + sqrt(alpha ln n / N_ij) alike, and n counts the rounds that are
remembered. The posterior of a pair that is not played widens until it is tried again.

Discounting changes all pairs in every round, and a window one more than D-TS does, so no risk is
kept. For theta ~ Beta(a, b) with a < b and N = a + b

    P(theta > 1/2) <= exp(-(b - a)^2 (N + 1) / (2 N^2)),

since a Beta variable is sub-Gaussian with the variance 1/(4 (N + 1)) (Marchal & Arbel, On the
sub-Gaussianity of the Beta and Dirichlet distributions, ECP 2017). Where that is small a number is
drawn first, and nearly always it is above the bound: the arm does not win the second draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import UNKNOWN_CHANCE, WEIGHT, Ranges, real
from driftduel.learners.parts.arrays import Records
from driftduel.learners.parts.memory import (
    FADING_RANGES,
    HEAVIEST,
    WINDOW_RANGES,
    FadingDuels,
    SlidingDuels,
    equal_to_window,
    fade,
    slide,
)
from driftduel.learners.parts.posterior import (
    RARE,
    THOMPSON_RANGES,
    ThompsonState,
    Ticket,
    above,
    draw,
    draw_losses,
    find_candidates,
    likely_candidate,
    no_duels,
    pick,
    quantile,
)
from driftduel.learners.parts.verdicts import VERDICT_RANGES, lift_due, lighten_verdicts, weigh_duel

SOURCES = "folklore, after Wu & Liu, NIPS 2016, "


class DiscountedDTSState(NamedTuple):
    """D-TS's state, in growing units, and the unit."""

    posterior: ThompsonState
    fading: Records  # (1,) FADING


class SlidingDTSState(NamedTuple):
    """D-TS's state, and the window."""

    posterior: ThompsonState
    window: Records  # (W,) the latest duels, in a ring


DISCOUNTED_DTS_RANGES: Ranges = {
    "fading": FADING_RANGES,
    "posterior": {**THOMPSON_RANGES, "verdicts": {**VERDICT_RANGES, "wins": WEIGHT}},
    # All duels together weigh no more than as many new ones.
    "posterior.verdicts.wins": real(0, lambda known: known.told * known.state.fading["unit"][0]),
}
SLIDING_DTS_RANGES: Ranges = {
    "posterior": THOMPSON_RANGES,
    "window": WINDOW_RANGES,
    "posterior.verdicts.wins": equal_to_window("posterior"),
}


@inline_kernel
def choose_discounted_dts(
    state: DiscountedDTSState, rng: np.random.Generator
) -> tuple[int, int, Ticket]:
    """Draw as D-TS does."""
    return choose_anew(state.posterior, rng, state.fading[0]["unit"])


@inline_kernel
def choose_sliding_dts(state: SlidingDTSState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw as D-TS does."""
    return choose_anew(state.posterior, rng, 1.0)


@inline_kernel
def choose_anew(
    posterior: ThompsonState, rng: np.random.Generator, unit: float
) -> tuple[int, int, Ticket]:
    """Draw both arms without a risk that was kept; a duel has the weight ``unit``."""
    left = posterior.candidates[0]
    if posterior.record[0] > 1:
        fewest, ties = draw_losses(posterior, rng, unit, True)
        left = pick(posterior, fewest, int(rng.random() * ties) if ties > 1 else 0)
    return left, draw_challenger_anew(posterior, rng, unit, left), (np.nan,)


@kernel
def draw_challenger_anew(
    posterior: ThompsonState, rng: np.random.Generator, unit: float, left: int
) -> int:
    """Return the arm that beats ``left`` most clearly in a draw, or ``left`` if none does."""
    verdicts = posterior.verdicts
    right = left
    best = 0.5
    for arm in range(posterior.losses.shape[0]):
        if arm != left and not verdicts.beaten[left, arm]:
            wins = verdicts.wins[arm, left] / unit + 1.0
            losses = verdicts.wins[left, arm] / unit + 1.0
            limit = limit_above_half(wins, losses)
            theta = 0.0
            if limit >= RARE:
                theta = draw(posterior, rng, unit, arm, left)
            else:
                number = rng.random()
                # Below the chance to be above 1/2 the number is also uniform there: a tail.
                if number < limit and number < above(wins, losses, 0.5):
                    theta = quantile(wins, losses, number)
            if theta > best:
                best = theta
                right = arm
    return right


@inline_kernel
def limit_above_half(first: float, second: float) -> float:
    """Return a bound on P(theta > 1/2) for theta ~ Beta(first, second).

    Examples
    --------
    >>> limit_above_half(3.0, 2.0), limit_above_half(1.0, 9.0) < 0.05
    (1.0, True)
    """
    total = first + second
    behind = max(second - first, 0.0) / total
    return math.exp(-0.5 * behind * behind * (total + 1.0))


@inline_kernel
def learn_discounted_dts(
    state: DiscountedDTSState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count a duel with a weight that grows; say if a verdict changed or weights are too large."""
    verdicts = state.posterior.verdicts
    fade(verdicts, state.fading)
    unit = state.fading[0]["unit"]
    state.posterior.record[1] = left
    changed = left != right and weigh_duel(verdicts, left, right, outcome, unit)[1]
    changed |= lift_due(verdicts)
    return bool(changed or unit > HEAVIEST)


@inline_kernel
def learn_sliding_dts(
    state: SlidingDTSState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count a duel, take back the one that leaves the window, and say if a verdict changed."""
    verdicts = state.posterior.verdicts
    first, second, old = slide(verdicts, state.window, left, right, outcome)
    state.posterior.record[1] = left
    changed = first != second and weigh_duel(verdicts, first, second, old, -1.0)[1]
    changed |= left != right and weigh_duel(verdicts, left, right, outcome, 1.0)[1]
    return changed | lift_due(verdicts)


@kernel
def settle_discounted_dts(state: DiscountedDTSState, rng: np.random.Generator) -> None:
    """Find the candidates again; divide all weights by that of a new duel if it is too large."""
    if state.fading[0]["unit"] > HEAVIEST:
        lighten_verdicts(state.posterior.verdicts, state.fading[0]["unit"])
        state.fading[0]["unit"] = 1.0
    find_candidates(state.posterior)


@kernel
def settle_sliding_dts(state: SlidingDTSState, rng: np.random.Generator) -> None:
    """Find the candidates again."""
    find_candidates(state.posterior)


class _DTS(Learner):
    """The rule: D-TS's."""

    _ticket = (UNKNOWN_CHANCE,)

    def _best_of(self, state: DiscountedDTSState | SlidingDTSState) -> int:
        """Return the candidate that is ahead of most arms."""
        return likely_candidate(state.posterior)


@dataclass(frozen=True, eq=False)
class DiscountedDTS(_DTS, FadingDuels):
    """Double Thompson sampling whose duels count for less the older they are.

    Parameters
    ----------
    alpha : float
        The factor of ln n. D-TS needs more than 1/2 for its bound; less explores less.
    memory : float
        How many rounds are remembered, ``1/(1 - discount)``.

    References
    ----------
    Folklore: D-TS (Wu & Liu, NIPS 2016) with the discount of Raj & Kalyani, Taming Non-stationary
    Bandits: A Bayesian Approach, 2017, whose posterior is ``Beta(w_ij + 1, w_ji + 1)`` of
    discounted wins. No regret bound is known to us. A round costs O(K) when one arm leads, and at
    worst O(K^2).

    Examples
    --------
    >>> learner = DiscountedDTS(3, memory=50, seed=1)
    >>> for n in range(600):
    ...     duel = learner.ask()
    ...     best = 0 if n < 300 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    ...     if n in (299, 599):
    ...         print(learner.best())
    0
    2
    """

    _literature: ClassVar = Literature(
        f"{SOURCES}and Raj & Kalyani, 2017",
        "none known",
        "memory",
        "O(K) when one arm leads, O(K^2) at worst",
    )

    _ranges = DISCOUNTED_DTS_RANGES
    _choose = staticmethod(choose_discounted_dts)
    _learn = staticmethod(learn_discounted_dts)
    _settle = staticmethod(settle_discounted_dts)

    def _allocate(self) -> DiscountedDTSState:
        """Return a fresh state: every arm is a candidate, every preference even."""
        posterior = no_duels(self.n_arms, self.alpha, coins=False, draws=True)
        return DiscountedDTSState(posterior, self._no_fading())


@dataclass(frozen=True, eq=False)
class SlidingDTS(_DTS, SlidingDuels):
    """Double Thompson sampling over the duels of the last rounds.

    Parameters
    ----------
    alpha : float
        The factor of ln n. D-TS needs more than 1/2 for its bound; less explores less.
    window : int
        How many rounds are remembered.

    References
    ----------
    Folklore: D-TS (Wu & Liu, NIPS 2016) with the window of Trovo, Paladino, Restelli & Gatti,
    Sliding-Window Thompson Sampling for Non-Stationary Settings, JAIR 2020. No regret bound is
    known to us. A round costs O(K) when one arm leads, and at worst O(K^2).

    Examples
    --------
    >>> learner = SlidingDTS(3, window=100, seed=1)
    >>> for n in range(600):
    ...     duel = learner.ask()
    ...     best = 0 if n < 300 else 2
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best()
    2
    """

    _literature: ClassVar = Literature(
        f"{SOURCES}and Trovo et al., JAIR 2020",
        "none known",
        "window",
        "O(K) when one arm leads, O(K^2) at worst",
    )

    _ranges = SLIDING_DTS_RANGES
    _choose = staticmethod(choose_sliding_dts)
    _learn = staticmethod(learn_sliding_dts)
    _settle = staticmethod(settle_sliding_dts)

    def _allocate(self) -> SlidingDTSState:
        """Return a fresh state: every arm is a candidate, every preference even."""
        posterior = no_duels(self.n_arms, self.alpha, coins=False, draws=True)
        return SlidingDTSState(posterior, self._empty_window())
