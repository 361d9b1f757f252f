"""What learners that forget have in common: weights that grow, windows, greedy exploring.

A learner is a memory times a rule. The memories here are a weight of new duels that grows by
1/discount a round, which is as if older duels counted for less, and a window of the last rounds,
from which the oldest duel is taken back. A rule counts a duel with a weight, see `parts.verdicts`,
`parts.optimism` and `parts.posterior`; in units of the growing weight bounds of rules stay as they
are, and a round costs what it costs without forgetting.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from driftduel._support.compile.jit import inline_kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.ranges import Known, Range, Ranges
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.verdicts import Verdicts
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float, float]
"""Propensity, and 1 if the duel explores."""

HEAVIEST = 1e100
"""The weight of a new outcome at which all weights are divided by it."""

EXPLORATION = np.dtype([("left", "i8"), ("right", "i8"), ("outcome", "f8")], align=True)

WINDOW_RANGES: Ranges = {"left": ranges.AN_ARM, "right": ranges.AN_ARM, "outcome": ranges.OUTCOME}

FADING = np.dtype(
    [
        ("unit", "f8"),  # the weight of a new duel
        ("growth", "f8"),  # 1/discount
        ("rounds", "f8"),  # n, the discounted number of rounds
    ],
    align=True,
)

FADING_RANGES: Ranges = {
    "unit": ranges.real(1, HEAVIEST),
    "growth": ranges.FIXED,
    "rounds": ranges.real(0, "told"),
}
GREEDY_TICKET = (ranges.CHANCE, ranges.FLAG)


def equal_to_window(rule: str) -> Range:
    """Return the range of the wins of a rule that counts the duels of a window once each."""

    def wins(known: Known) -> Floats:
        told = getattr(known.state, rule).verdicts.clock["round"][0]
        duels = known.state.window[:told]
        duels = duels[duels["left"] != duels["right"]]
        wins = np.zeros((known.n_arms, known.n_arms))
        np.add.at(wins, (duels["left"], duels["right"]), duels["outcome"])
        np.add.at(wins, (duels["right"], duels["left"]), 1.0 - duels["outcome"])
        return wins

    return ranges.equal_to("the wins in the window", wins)


@inline_kernel
def fade(verdicts: Verdicts, fading: Records) -> None:
    """Go on to the next round: a new duel weighs more, and so does the bonus of all pairs."""
    clock = verdicts.clock[0]
    now = fading[0]
    now["unit"] *= now["growth"]
    now["rounds"] = now["rounds"] / now["growth"] + 1.0
    clock["round"] += 1
    clock["bonus"] = clock["alpha"] * math.log(now["rounds"] + 1.0) * now["unit"]


@inline_kernel
def replace_duel(entry: np.void, left: int, right: int, outcome: float) -> tuple[int, int, float]:
    """Put a duel in the place of another one in a window, and return that."""
    before = entry["left"], entry["right"], entry["outcome"]
    entry["left"] = left
    entry["right"] = right
    entry["outcome"] = outcome
    return before


@inline_kernel
def slide(
    verdicts: Verdicts, window: Records, left: int, right: int, outcome: float
) -> tuple[int, int, float]:
    """Go on to the next round; return the duel that leaves the window, or an arm against itself."""
    clock = verdicts.clock[0]
    length = window.shape[0]
    leaving = replace_duel(window[clock["round"] % length], left, right, outcome)
    clock["round"] += 1
    clock["bonus"] = clock["alpha"] * math.log(min(clock["round"], length) + 1.0)
    return leaving if clock["round"] > length else (0, 0, 0.0)


@inline_kernel
def leader_or_any(
    leader: int, rate: float, n_arms: int, rng: np.random.Generator
) -> tuple[int, int, Ticket]:
    """Return the leader twice, or at the rate to explore two arms drawn from all."""
    explore = rng.random() < rate
    left = leader
    right = leader
    chance = rate / (n_arms * n_arms)
    if explore:
        left = int(rng.random() * n_arms)
        right = int(rng.random() * n_arms)
    if left == leader and right == leader:
        chance += 1.0 - rate
    return left, right, (chance, 1.0 * explore)


@dataclass(frozen=True, eq=False)
class _Forgetful(Learner):
    """Bounds of pairs, see `parts.verdicts`, of which old duels are forgotten."""

    _: KW_ONLY
    alpha: float = bounded(0.2, above=0)

    _criteria = (Condorcet,)


@dataclass(frozen=True, eq=False)
class FadingDuels(_Forgetful):
    """Duels count for less the older they are."""

    _: KW_ONLY
    memory: float = bounded(5000.0, above=1)

    def _no_fading(self) -> Records:
        """Return the weight of the first duel, one, and by how much it grows a round."""
        fading = np.zeros(1, FADING)
        fading["unit"] = 1.0
        fading["growth"] = 1 / (1 - 1 / self.memory)
        return fading


@dataclass(frozen=True, eq=False)
class SlidingDuels(_Forgetful):
    """Duels of the last rounds count."""

    _: KW_ONLY
    window: int = bounded(10_000, least=1, most=2**30)

    def _empty_window(self) -> Records:
        """Return a window of no duels."""
        return np.zeros(self.window, EXPLORATION)
