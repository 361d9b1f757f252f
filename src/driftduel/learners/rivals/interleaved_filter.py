"""Interleaved Filter: one candidate is compared with all others in turn, until one is better.

What was dropped never returns, so it does not recover from a change. An outcome that comes late
counts as long as its left arm is still the candidate and the other is left.
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
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Ints, Records
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float]


FILTER_CLOCK = np.dtype(
    [
        ("candidate", "i8"),
        ("n_others", "i8"),
        ("place", "i8"),  # whose turn it is among the others
        ("width", "f8"),  # squared radius times duels
    ],
    align=True,
)

RIVAL = np.dtype([("duels", "i8"), ("wins", "f8"), ("left", "i8")], align=True)
"""An arm against the candidate: duels, wins of the candidate, 1 if it is still there."""


class FilterState(NamedTuple):
    """The arrays of `InterleavedFilter`."""

    clock: Records  # (1,) FILTER_CLOCK
    others: Ints  # (K,) the arms left but for the candidate first, in order
    rivals: Records  # (K,) RIVAL


def _have_met(duels: Ints, known: Known) -> Flags:
    """Tell whether those met the candidate who had their turn."""
    had_turn = ranges.is_listed(known, "others", "clock.place")
    good: Flags = (duels >= had_turn) & (duels <= known.told)
    return good


FILTER_RANGES: Ranges = {
    "clock": {
        "candidate": ranges.AN_ARM,
        "n_others": ranges.whole(0, lambda known: known.n_arms - 1),
        "place": ranges.below("clock.n_others"),
        "width": ranges.FIXED,
    },
    "others": ranges.arms_first("clock.n_others"),
    "rivals": {
        "left": ranges.equal_to(
            "whether the arm is left and not the candidate",
            lambda known: (
                ranges.is_listed(known, "others", "clock.n_others")
                & (np.arange(known.n_arms) != known.state.clock["candidate"])
            ),
        ),
        "duels": ranges.such_that("the number of its duels", _have_met),
        "wins": ranges.halves(0, lambda known: known.state.rivals["duels"]),
    },
}


@inline_kernel
def choose_next_rival(state: FilterState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the candidate and whose turn it is; the candidate twice if no other arm is left."""
    clock = state.clock[0]
    candidate = clock["candidate"]
    right = state.others[clock["place"]] if clock["n_others"] > 0 else candidate
    return candidate, right, (1.0,)


@inline_kernel
def learn_rival(state: FilterState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the outcome; after everyone's turn there are arms to judge."""
    clock = state.clock[0]
    rival = state.rivals[right]
    if left != clock["candidate"] or rival["left"] == 0:
        return False
    rival["duels"] += 1
    rival["wins"] += outcome
    if right == state.others[clock["place"]]:
        clock["place"] += 1
    return clock["place"] == clock["n_others"]


@kernel
def filter_arms(state: FilterState, rng: np.random.Generator) -> None:
    """Drop who is clearly worse than the candidate; replace it if someone is clearly better."""
    clock = state.clock[0]
    better = -1
    for place in range(clock["n_others"]):
        arm = state.others[place]
        rival = state.rivals[arm]
        rate = rival["wins"] / rival["duels"]
        radius = math.sqrt(clock["width"] / rival["duels"])
        if rate - radius > 0.5:
            rival["left"] = 0
        elif rate + radius < 0.5 and better < 0:
            better = arm
    if better >= 0:
        for place in range(clock["n_others"]):
            rival = state.rivals[state.others[place]]
            if rival["wins"] / rival["duels"] > 0.5:
                rival["left"] = 0
            rival["duels"] = 0
            rival["wins"] = 0.0
        clock["candidate"] = better
        state.rivals[better]["left"] = 0
    kept = 0
    for place in range(clock["n_others"]):
        arm = state.others[place]
        if state.rivals[arm]["left"] == 1:
            state.others[kept] = arm
            kept += 1
    clock["n_others"] = kept
    clock["place"] = 0


@dataclass(frozen=True, eq=False)
class InterleavedFilter(Learner):
    """Interleaved Filter 2: a candidate duels all others in turn until one is clearly better.

    After each turn of all others, an arm b is dropped if ``P(c, b) - r > 1/2`` for the candidate
    c, where ``r = sqrt(scale ln(T K^2) / n)``. The first b with ``P(c, b) + r < 1/2`` becomes the
    candidate, and every arm that c has beaten more often than not leaves with c.

    Parameters
    ----------
    scale : float
        The factor in the radius: 4 in the paper; smaller ones drop arms sooner and more often
        wrongly.

    References
    ----------
    Regret O((K / gap) log T), where the gap is that of the two best arms, if preferences are
    strongly transitive and satisfy the triangle inequality; without these it may keep a wrong arm.
    A round costs O(1) on average.

    Examples
    --------
    >>> learner = InterleavedFilter(3, horizon=1000)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _: KW_ONLY
    scale: float = bounded(4.0, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="Yue, Broder, Kleinberg & Joachims, The K-armed Dueling Bandits Problem, JCSS 2012",
        bound="(K/gap) log T Condorcet under SST and STI, stationary",
        needs="T",
        cost="O(1)",
    )
    _criteria = (Condorcet,)
    _needs_horizon = True

    _ranges = FILTER_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_next_rival)
    _learn = staticmethod(learn_rival)
    _settle = staticmethod(filter_arms)

    def _allocate(self) -> FilterState:
        """Return a fresh state without a candidate."""
        k = self.n_arms
        state = FilterState(np.zeros(1, FILTER_CLOCK), np.arange(k), np.zeros(k, RIVAL))
        state.rivals["left"] = 1
        clock = state.clock[0]
        clock["n_others"] = k - 1
        clock["width"] = self.scale * math.log(self._known_horizon * k**2)
        return state

    def _begin(self, state: FilterState, rng: np.random.Generator) -> None:
        """Draw the first candidate."""
        candidate = int(rng.random() * self.n_arms)
        state.clock["candidate"] = candidate
        state.others[:-1] = np.delete(np.arange(self.n_arms), candidate)
        state.rivals["left"][candidate] = 0

    def _active_of(self, state: FilterState) -> Ints:
        """Return the candidate and the arms not dropped."""
        clock = state.clock[0]
        others = state.others[: clock["n_others"]]
        return np.sort(np.append(others, clock["candidate"]))

    def _best_of(self, state: FilterState) -> int:
        """Return the candidate."""
        return int(state.clock[0]["candidate"])
