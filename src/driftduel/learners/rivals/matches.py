"""Matches, then commit: arms meet in matches, and the last winner is played for ever.

In a match of `SeqEliminate` or `Knockout` two arms duel, n times at most, until

    |phat - 1/2 - middle| > sqrt(ln(4 n^2 / delta) / (2 n)) - slack,

where phat is how often the first one won; it stays if phat - 1/2 > middle, in a knockout also if
they are equal. Neither comes back from its choice. An outcome counts for the match that is on;
others change nothing.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Ints, Records
from driftduel.learners.parts.near_best import MAXING_PAPER, Maxing
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float]


MATCH = np.dtype(
    [
        ("n_active", "i8"),
        ("place", "i8"),  # the match: its arm and the next in the list, or the first and the next
        ("anchored", "i8"),  # whether the first arm plays all matches
        ("stage", "i8"),
        ("duels", "i8"),  # of this match
        ("wins", "f8"),
        ("budget", "f8"),  # duels of a match at most
        ("middle", "f8"),
        ("slack", "f8"),
        ("level", "f8"),  # ln(4/delta) of a match
        ("first_slack", "f8"),  # the slack before the first stage
    ],
    align=True,
)


class MatchState(NamedTuple):
    """The arrays of `SeqEliminate` and `Knockout`."""

    clock: Records  # (1,) MATCH
    active: Ints  # (K,) all arms, those left first


def _is_match(place: Ints, known: Known) -> bool:
    return bool(place[0] >= 0 and place[0] + 1 < max(known.state.clock["n_active"][0], 2))


MATCH_RANGES: Ranges = {
    "clock": {
        "n_active": ranges.whole(1, "arms"),
        "place": ranges.such_that("a place with another arm after it", _is_match),
        "anchored": ranges.FIXED,
        "stage": ranges.whole(1, lambda known: max(known.n_arms.bit_length(), 1)),
        "duels": ranges.COUNT,
        "wins": ranges.halves(0, "clock.duels"),
        "budget": ranges.WEIGHT,
        "middle": ranges.FIXED,
        "slack": ranges.WEIGHT,
        "level": ranges.real(lambda known: known.fresh.clock["level"][0] - 1e-9, ranges.LARGEST),
        "first_slack": ranges.FIXED,
    },
    "active": ranges.arms_first("arms"),
}


@inline_kernel
def choose_match(state: MatchState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the two arms of the match; the last arm left is a pair with itself."""
    clock = state.clock[0]
    if clock["n_active"] == 1:
        return state.active[0], state.active[0], (1.0,)
    place = clock["place"]
    if clock["anchored"]:
        return state.active[place + 1], state.active[0], (1.0,)
    return state.active[place], state.active[place + 1], (1.0,)


@inline_kernel
def learn_match(state: MatchState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count a duel of this match; say when it is over."""
    clock = state.clock[0]
    if clock["n_active"] == 1:
        return False
    place = clock["place"]
    first = state.active[place + 1 if clock["anchored"] else place]
    second = state.active[0 if clock["anchored"] else place + 1]
    if left != first or right != second:
        return False
    clock["duels"] += 1
    clock["wins"] += outcome
    duels = clock["duels"]
    lead = abs(clock["wins"] / duels - 0.5 - clock["middle"])
    radius = math.sqrt((clock["level"] + 2.0 * math.log(duels)) / (2.0 * duels))
    return duels >= clock["budget"] or lead > radius - clock["slack"]


@kernel
def end_challenge(state: MatchState, rng: np.random.Generator) -> None:
    """Let the challenger take the place of the anchor if it won; the next one challenges."""
    clock = state.clock[0]
    if clock["wins"] / clock["duels"] - 0.5 > clock["middle"]:
        _swap(state, 0, clock["place"] + 1)
    clock["place"] += 1
    if clock["place"] + 1 == clock["n_active"]:
        clock["place"] = 0
        clock["n_active"] = 1
    clock["duels"] = 0
    clock["wins"] = 0.0


@kernel
def end_match(state: MatchState, rng: np.random.Generator) -> None:
    """Send the winner to the front; after all matches pair the winners at random."""
    clock = state.clock[0]
    place = clock["place"]
    n_active = clock["n_active"]
    _swap(state, place // 2, place if clock["wins"] / clock["duels"] >= 0.5 else place + 1)
    clock["duels"] = 0
    clock["wins"] = 0.0
    clock["place"] += 2
    if clock["place"] + 1 < n_active:
        return
    if clock["place"] < n_active:  # an odd arm has no match
        _swap(state, clock["place"] // 2, clock["place"])
    clock["n_active"] = n_active = (n_active + 1) // 2
    clock["place"] = 0
    for last in range(n_active - 1, 0, -1):
        _swap(state, last, min(int(rng.random() * (last + 1)), last))
    if n_active > 1:
        begin_round(clock)


@inline_kernel
def begin_round(clock: np.void) -> None:
    """Make matches of the next round longer: nearer and surer."""
    clock["stage"] += 1
    clock["slack"] = clock["first_slack"] * 2.0 ** (-clock["stage"] / 3.0)
    clock["level"] += math.log(2.0)
    certainty = clock["level"] - math.log(2.0)  # ln(2/delta)
    clock["budget"] = certainty / (2.0 * clock["slack"] * clock["slack"])


@inline_kernel
def _swap(state: MatchState, one: int, other: int) -> None:
    kept = state.active[one]
    state.active[one] = state.active[other]
    state.active[other] = kept


@dataclass(frozen=True, eq=False)
class _Matches(Maxing):
    """What Seq-Eliminate and Knockout have in common."""

    _ranges = MATCH_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_match)
    _learn = staticmethod(learn_match)
    _criteria = (Condorcet,)

    def _begin(self, state: MatchState, rng: np.random.Generator) -> None:
        """Shuffle the arms."""
        for last in range(self.n_arms - 1, 0, -1):
            other = min(int(rng.random() * (last + 1)), last)
            state.active[[last, other]] = state.active[[other, last]]


@dataclass(frozen=True, eq=False)
class SeqEliminate(_Matches):
    """Seq-Eliminate: an anchor is challenged by every other arm once, in random order.

    A match has ``2 ln(2 K / delta) / epsilon^2`` duels at most; a challenger that wins more than
    ``1/2 + epsilon/2`` of them is the new anchor. The middle is epsilon/2, there is no slack.

    Parameters
    ----------
    epsilon : float, optional
        By how much an arm may beat the one found; by default, with a horizon,
        ``(4 K ln(2K/delta) / T)^(1/3)``, where epsilon T and the matches cost least, at most 1/2.
    failure : float, optional
        The probability delta of a worse arm; by default 1/T, or 0.01 without a horizon.

    References
    ----------
    As other code has it. O((K / epsilon^2) ln(K/delta)) duels find an arm that none beats by more
    than epsilon, with probability 1 - delta, under strong transitivity; so Condorcet regret ``(K
    ln(KT))^(1/3) T^(2/3)`` in a stationary world; told T or epsilon. The default of epsilon is
    ours. A round costs O(1).

    Examples
    --------
    >>> learner = SeqEliminate(3, epsilon=0.2, failure=0.1)
    >>> for _ in range(100):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _literature: ClassVar = Literature(
        MAXING_PAPER,
        "(K ln(KT))^(1/3) T^(2/3) Condorcet under SST, stationary",
        "T or epsilon",
        "O(1)",
    )
    _settle = staticmethod(end_challenge)

    def _duels_for(self, log_failure: float) -> float:
        """Return the duels of all matches at most."""
        return 2 * self.n_arms * (math.log(2 * self.n_arms) + log_failure)

    def _allocate(self) -> MatchState:
        """Return a fresh state; the order of the arms is yet to be drawn."""
        epsilon, delta = self._epsilon(), self._delta() / self.n_arms
        clock = np.zeros(1, MATCH)
        clock["n_active"] = self.n_arms
        clock["anchored"] = 1
        clock["stage"] = 1
        clock["budget"] = 2 * math.log(2 / delta) / epsilon**2
        clock["middle"] = epsilon / 2
        clock["level"] = math.log(4 / delta)
        return MatchState(clock, np.arange(self.n_arms))

    def _active_of(self, state: MatchState) -> Ints:
        """Return the anchor and those who have yet to challenge it."""
        clock = state.clock[0]
        waiting = state.active[clock["place"] + 1 : clock["n_active"]]
        return np.sort(np.append(waiting, state.active[0]))

    def _best_of(self, state: MatchState) -> int:
        """Return the anchor."""
        return int(state.active[0])


@dataclass(frozen=True, eq=False)
class Knockout(_Matches):
    """Knockout: arms are paired at random and the winners go on, until one is left.

    In round r there are ``ln(2 / delta_r) / (2 eps_r^2)`` duels a match at most, with
    ``eps_r = (2^(1/3) - 1) epsilon / (gamma 2^(r/3))`` as the slack and ``delta_r = delta / 2^r``.
    The middle is 0.

    Parameters
    ----------
    epsilon : float, optional
        By how much an arm may beat the one found; by default, with a horizon,
        ``(58 gamma^2 K ln(4/delta) / T)^(1/3)``, where epsilon T and the matches cost about least,
        at most 1/2.
    failure : float, optional
        The probability delta of a worse arm; by default 1/T, or 0.01 without a horizon.
    gamma : float
        How far from strong stochastic transitivity preferences may be, 1 for not at all.

    References
    ----------
    As other code has it. O((gamma^4 K / epsilon^2) ln(1/delta)) duels find an arm that none beats
    by more than epsilon, with probability 1 - delta, under gamma-relaxed strong transitivity and
    the triangle inequality; so Condorcet regret ``(K ln T)^(1/3) T^(2/3)`` in a stationary world;
    told T or epsilon, and gamma. An odd arm goes on without a match; the default of epsilon is
    ours. A round costs O(1).

    Examples
    --------
    >>> learner = Knockout(3, epsilon=0.9, failure=0.1)
    >>> for _ in range(100):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _: KW_ONLY
    gamma: float = bounded(1.0, least=1)

    _literature: ClassVar = Literature(
        "Falahatgar, Orlitsky, Pichapati & Suresh, Maximum Selection and Ranking under Noisy "
        "Comparisons, ICML 2017",
        "(K ln T)^(1/3) T^(2/3) Condorcet under SST and STI, stationary",
        "T or epsilon, gamma",
        "O(1)",
    )
    _settle = staticmethod(end_match)

    def _duels_for(self, log_failure: float) -> float:
        """Return about the duels of all matches: K/2^r of them in round r, nearly all early."""
        return 29 * self.gamma**2 * self.n_arms * (math.log(4) + log_failure)

    def _allocate(self) -> MatchState:
        """Return a fresh state; pairs are yet to be drawn."""
        clock = np.zeros(1, MATCH)
        clock["n_active"] = self.n_arms
        clock["first_slack"] = (2 ** (1 / 3) - 1) * self._epsilon() / self.gamma
        clock["level"] = math.log(4 / self._delta())
        begin_round(clock[0])
        return MatchState(clock, np.arange(self.n_arms))

    def _active_of(self, state: MatchState) -> Ints:
        """Return the winners so far and those whose match is to come."""
        clock = state.clock[0]
        place = clock["place"]
        ahead = state.active[place : clock["n_active"]]
        return np.sort(np.append(state.active[: place // 2], ahead))

    def _best_of(self, state: MatchState) -> int:
        """Return the first arm of those left, a winner if there is one."""
        return int(state.active[0])
