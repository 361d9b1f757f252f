"""SAVAGE for Copeland and Borda winners: duels pairs as long as they matter for who wins.

The least compared pair that matters is duelled, in numerical order among equals. With n duels its
win rate is known up to ``c(n) = sqrt(ln(eta / delta) / (2 n))``, and so is every arm's score, the
number of arms it beats (Copeland) or its mean chance to beat another (Borda). An arm is out once
its upper bound is below the largest lower bound, and stays out. A pair matters no more once both
its arms are out, and for Copeland once it is decided. When one arm is left, or no pair, the arm
with the largest lower bound is played alone. Condorcet winners have
`driftduel.learners.rivals.elimination`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Floats, Ints, Records
from driftduel.learners.parts.failure import ToldDelta
from driftduel.matrix.criteria import Borda, Copeland

Ticket = tuple[float]

PAPER = "Urvoy, Clerot, Feraud & Naamane, Generic Exploration and K-armed Voting Bandits, ICML 2013"

CLOCK = np.dtype(
    [
        ("n_pairs", "i8"),  # pairs that matter
        ("place", "i8"),  # of the next pair among them
        ("level", "i8"),  # how often the least compared of them met
        ("choice", "i8"),  # the arm committed to, or -1
        ("copeland", "i8"),
        ("constant", "f8"),  # 2 n c(n)^2 = constant + per_duel ln n
        ("per_duel", "f8"),
    ],
    align=True,
)

BOUNDS = np.dtype([("lower", "f8"), ("upper", "f8"), ("out", "i8")], align=True)


class SavageState(NamedTuple):
    """The arrays of `CopelandSAVAGE` and `BordaSAVAGE`; N = K (K - 1) / 2."""

    clock: Records  # (1,) CLOCK
    pairs: Ints  # (N, 2) the pairs that matter first, in order
    matters: Flags  # (K, K)
    wins: Floats  # (K, K) wins of the row over the column
    arms: Records  # (K,) BOUNDS of the scores


def _are_pairs(pairs: Ints, known: Known) -> bool:
    """Tell whether the pairs that matter are listed once each, and are those marked."""
    n_pairs = known.state.clock["n_pairs"][0]
    listed = pairs[:n_pairs]
    if not ((pairs >= 0) & (pairs < known.n_arms)).all() or (listed[:, 0] >= listed[:, 1]).any():
        return False
    marked = np.zeros((known.n_arms,) * 2, np.bool_)
    marked[listed[:, 0], listed[:, 1]] = True
    return bool(marked.sum() == n_pairs and (marked == known.state.matters).all())


def _is_level(level: Ints, known: Known) -> bool:
    """Tell whether a pair that matters met so often, so that a search for one ends."""
    state = known.state
    if state.clock["choice"][0] >= 0:
        return bool(0 <= level[0] <= known.told)
    first, second = state.pairs[: state.clock["n_pairs"][0]].T
    duels = (state.wins + state.wins.T)[first, second]
    return bool(level[0] == duels.min() and duels.max() - level[0] <= 2**24)


SAVAGE_RANGES: Ranges = {
    "matters": ranges.FLAG,
    "wins": ranges.SUM,
    "clock": {
        "choice": ranges.AN_ARM_OR_NONE,
        "n_pairs": ranges.such_that(
            "the number of pairs, at least 1 before a choice",
            lambda values, known: (
                (values >= (known.state.clock["choice"] < 0)) & (values <= len(known.state.pairs))
            ),
        ),
        "place": ranges.below("clock.n_pairs"),
        "copeland": ranges.FIXED,
        "constant": ranges.FIXED,
        "per_duel": ranges.FIXED,
    },
    "pairs": ranges.such_that("the pairs that matter", _are_pairs),
    "clock.level": ranges.such_that("the duels of the least compared pair", _is_level),
    "arms": {"lower": ranges.real(0, "arms"), "upper": ranges.real(0, "arms"), "out": ranges.FLAG},
}


@inline_kernel
def choose_savage(state: SavageState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the least compared pair that matters, or the choice twice."""
    clock = state.clock[0]
    if clock["choice"] >= 0:
        return clock["choice"], clock["choice"], (1.0,)
    return state.pairs[clock["place"], 0], state.pairs[clock["place"], 1], (1.0,)


@inline_kernel
def learn_savage(state: SavageState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel of a pair that matters; say whether an arm or a pair may be done with."""
    clock = state.clock[0]
    if clock["choice"] >= 0 or not state.matters[left, right]:
        return False
    state.wins[left, right] += outcome
    state.wins[right, left] += 1.0 - outcome
    if clock["copeland"]:
        done = abs(_rate(state, left, right) - 0.5) > _radius(state, left, right)
    else:
        _bound_borda(state, left)
        _bound_borda(state, right)
        done = _somebody_is_out(state)
    place = clock["place"]
    if not done and left == state.pairs[place, 0] and right == state.pairs[place, 1]:
        next_pair(state)
    return done


@inline_kernel
def _rate(state: SavageState, arm: int, other: int) -> float:
    return state.wins[arm, other] / (state.wins[arm, other] + state.wins[other, arm])


@inline_kernel
def _radius(state: SavageState, arm: int, other: int) -> float:
    clock = state.clock[0]
    duels = state.wins[arm, other] + state.wins[other, arm]
    return math.sqrt((clock["constant"] + clock["per_duel"] * math.log(duels)) / (2.0 * duels))


@kernel
def _bound_borda(state: SavageState, arm: int) -> None:
    """Bound the mean chance of an arm to beat another; a pair that never met may be anything."""
    n_arms = state.arms.shape[0]
    lower = upper = 0.0
    for other in range(n_arms):
        if other != arm:
            if state.wins[arm, other] + state.wins[other, arm] > 0.0:
                rate = _rate(state, arm, other)
                radius = _radius(state, arm, other)
                lower += max(rate - radius, 0.0)
                upper += min(rate + radius, 1.0)
            else:
                upper += 1.0
    state.arms[arm]["lower"] = lower / (n_arms - 1)
    state.arms[arm]["upper"] = upper / (n_arms - 1)


@inline_kernel
def _largest_lower(state: SavageState) -> int:
    """Return the arm of the largest lower bound of those that are not out."""
    best = -1
    for arm in range(state.arms.shape[0]):
        leads = best < 0 or state.arms[arm]["lower"] > state.arms[best]["lower"]
        if leads and not state.arms[arm]["out"]:
            best = arm
    return max(best, 0)


@inline_kernel
def _somebody_is_out(state: SavageState) -> bool:
    limit = state.arms[_largest_lower(state)]["lower"]
    for arm in range(state.arms.shape[0]):
        if state.arms[arm]["upper"] < limit and not state.arms[arm]["out"]:
            return True
    return False


@inline_kernel
def next_pair(state: SavageState) -> None:
    """Go on to the least compared pair that matters, the first in order among equals."""
    clock = state.clock[0]
    place = clock["place"]
    while True:
        place += 1
        if place == clock["n_pairs"]:
            place = 0
            clock["level"] += 1
        first, second = state.pairs[place, 0], state.pairs[place, 1]
        if state.wins[first, second] + state.wins[second, first] <= clock["level"]:
            break
    clock["place"] = place


@kernel
def drop_pairs(state: SavageState, rng: np.random.Generator) -> None:
    """Find who is out, drop the pairs that matter no more, and commit if the winner is known."""
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    copeland = clock["copeland"] == 1
    if copeland:
        _bound_copeland(state)
    best = _largest_lower(state)
    n_in = 0
    for arm in range(n_arms):
        if state.arms[arm]["upper"] < state.arms[best]["lower"]:
            state.arms[arm]["out"] = 1
        n_in += not state.arms[arm]["out"]
    kept = 0
    least = -1
    where = 0
    for place in range(clock["n_pairs"]):
        first, second = state.pairs[place, 0], state.pairs[place, 1]
        duels = state.wins[first, second] + state.wins[second, first]
        drop = state.arms[first]["out"] and state.arms[second]["out"]
        if copeland and duels > 0.0 and not drop:
            drop = abs(_rate(state, first, second) - 0.5) > _radius(state, first, second)
        if drop:
            state.matters[first, second] = False
            continue
        if least < 0 or duels < least:
            least = int(duels)
            where = kept
        state.pairs[kept, 0], state.pairs[kept, 1] = first, second
        kept += 1
    clock["n_pairs"] = kept
    clock["place"] = where
    clock["level"] = max(least, 0)
    if kept == 0 or n_in == 1:
        clock["choice"] = best


@kernel
def _bound_copeland(state: SavageState) -> None:
    """Count the arms that each arm surely beats, and those that it may beat."""
    n_arms = state.arms.shape[0]
    for arm in range(n_arms):
        state.arms[arm]["lower"] = 0.0
        state.arms[arm]["upper"] = n_arms - 1.0
    for arm in range(n_arms):
        for other in range(n_arms):
            met = state.wins[arm, other] + state.wins[other, arm] > 0.0
            if met and _rate(state, arm, other) - 0.5 > _radius(state, arm, other):
                state.arms[arm]["lower"] += 1.0
                state.arms[other]["upper"] -= 1.0


@dataclass(frozen=True, eq=False)
class _Savage(ToldDelta):
    """What the two have in common."""

    _ranges = SAVAGE_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_savage)
    _learn = staticmethod(learn_savage)
    _settle = staticmethod(drop_pairs)

    def _allocate(self) -> SavageState:
        """Return a fresh state: every pair matters."""
        k = self.n_arms
        pairs = np.transpose(np.triu_indices(k, 1)).astype(np.int64)
        clock = np.zeros(1, CLOCK)
        clock["n_pairs"] = len(pairs)
        clock["choice"] = -1
        clock["copeland"] = Copeland in self._criteria
        clock["constant"], clock["per_duel"] = self._savage_level(len(pairs))
        arms = np.zeros(k, BOUNDS)
        arms["upper"] = k - 1 if Copeland in self._criteria else 1
        matters = np.triu(np.ones((k, k), np.bool_), 1)
        return SavageState(clock, np.ascontiguousarray(pairs), matters, np.zeros((k, k)), arms)

    def _active_of(self, state: SavageState) -> Ints:
        """Return the arms that may win, or the choice."""
        choice = int(state.clock[0]["choice"])
        return np.array([choice]) if choice >= 0 else np.flatnonzero(state.arms["out"] == 0)


@dataclass(frozen=True, eq=False)
class CopelandSAVAGE(_Savage):
    """SAVAGE for Copeland winners: pairs are duelled until decided, or both arms cannot win.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Copeland. Nothing is drawn at random.
    delta : float, optional
        The probability of an error; by default 1/T. It must be given if there is no horizon.

    References
    ----------
    Regret O(K^2 log T) in a stationary world without ties; told T or delta. The radius is that of
    `SAVAGE`. That one arm left is enough to commit, and of equals the first counts, are our
    choices; a pair that ties is duelled until it matters no more. A round costs O(1) on average,
    O(K^2) when a pair is decided.

    Examples
    --------
    >>> learner = CopelandSAVAGE(3, horizon=1000)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _literature: ClassVar = Literature(
        PAPER, "K^2 log T Copeland, stationary", "T or delta", "O(1), O(K^2) when a pair is decided"
    )
    _criteria = (Copeland,)

    def _best_of(self, state: SavageState) -> int:
        """Return the choice, or else the arm that is ahead of most others."""
        choice = int(state.clock[0]["choice"])
        ahead = (state.wins > state.wins.T).sum(axis=1)
        return choice if choice >= 0 else int(ahead.argmax())


@dataclass(frozen=True, eq=False)
class BordaSAVAGE(_Savage):
    """SAVAGE for Borda winners: pairs are duelled until both their arms cannot win.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion must be Borda. Nothing is drawn at random.
    delta : float, optional
        The probability of an error; by default 1/T. It must be given if there is no horizon.

    References
    ----------
    Borda regret O((K^2 / gap^2) log T) in a stationary world; told T or delta. The radius is that
    of `SAVAGE`. Bounds of scores are means of bounds of pairs, and of equals the first counts;
    these are our choices. A round costs O(K).

    Examples
    --------
    >>> learner = BordaSAVAGE(3, horizon=1000)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _literature: ClassVar = Literature(
        PAPER, "(K^2/gap^2) log T Borda, stationary", "T or delta", "O(K)"
    )
    _criteria = (Borda,)

    def _best_of(self, state: SavageState) -> int:
        """Return the choice, or else the arm with the middle of its bounds highest."""
        choice = int(state.clock[0]["choice"])
        middle = state.arms["lower"] + state.arms["upper"]
        return choice if choice >= 0 else int(middle.argmax())
