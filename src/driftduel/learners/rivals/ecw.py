"""ECW-RMED: Copeland winners with no more duels than are needed to tell who they are.

With muhat_ij = w_ij / N_ij, d_ij = kl(muhat_ij, 1/2), L_i the number of arms that seem to beat i
and L* the smallest of them, a duel of i and j costs r_ij = (L_i + L_j - 2 L*) / (2 (K - 1)). In
round t the first pair with ``N_ij < alpha sqrt(ln t)`` or
``|muhat_ij - 1/2| < beta / max(1, ln ln t)`` is duelled. If there is none, each i1 with L* losses
could be proven a winner with q_ij ln t duels of each pair:

- q = 1/d for each pair of i1 and an arm it beats: else i1 may have one more loss;
- another arm i2 would win with m = L_i2 - L* + 1 losses less. With S the n arms that beat it but
  for i1, and k = n - m >= 0, every m of them must tell enough: sum q d >= 1. The cheapest way is q
  = 1/((h - k) d) for the h of them of least c = r/d, with the h from k + 1 to n of the least
  (sum of these c) / (h - k).

The i1 of least sum r q counts. The pair with the largest q ln t - N is duelled if that is positive;
otherwise i1 meets itself.
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
from driftduel.learners.contract.ranges import Ranges
from driftduel.learners.parts.arrays import NEVER, Floats, Ints, Records
from driftduel.matrix.criteria import Condorcet, Copeland

Ticket = tuple[float]

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("left", "i8"),  # the pair to play
        ("right", "i8"),
        ("winner", "i8"),  # i1
        ("until", "i8"),  # while it meets itself, nothing changes before this round
        ("alpha", "f8"),
        ("beta", "f8"),
    ],
    align=True,
)

SAME = 1e-9
"""Sums that differ by this share are equal, and the first counts."""


class ECWState(NamedTuple):
    """The arrays of `ECWRMED`."""

    clock: Records  # (1,) CLOCK
    wins: Floats  # (K, K) wins of the row over the column
    losses: Ints  # (K,) scratch: L
    above: Ints  # (K,) scratch: S, the least c first
    price: Floats  # (K,) scratch: c of each of them
    targets: Floats  # (K, K) scratch: q of the row, which is behind, and the column


ECW_RANGES: Ranges = {
    "clock": {
        "round": ranges.COUNT,
        "left": ranges.AN_ARM,
        "right": ranges.AN_ARM,
        "winner": ranges.AN_ARM,
        "until": ranges.whole(0, NEVER),
        "alpha": ranges.FIXED,
        "beta": ranges.FIXED,
    },
    "wins": ranges.SUM,
    "losses": ranges.ANYTHING,
    "above": ranges.ANYTHING,
    "price": ranges.ANYTHING,
    "targets": ranges.ANYTHING,
}


@inline_kernel
def choose_ecw(state: ECWState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the pair that is due."""
    clock = state.clock[0]
    return clock["left"], clock["right"], (1.0,)


@inline_kernel
def learn_ecw(state: ECWState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel; another pair may be due unless the winner met itself."""
    clock = state.clock[0]
    clock["round"] += 1
    if left != right:
        state.wins[left, right] += outcome
        state.wins[right, left] += 1.0 - outcome
        return True
    return clock["round"] + 1 >= clock["until"]


@kernel
def find_pair(state: ECWState, rng: np.random.Generator) -> None:
    """Find the pair for the round to come."""
    clock = state.clock[0]
    n_arms = state.losses.shape[0]
    log = math.log(clock["round"] + 1.0)
    clock["until"] = 0
    if _is_unclear(state, log):
        return
    for arm in range(n_arms):
        state.losses[arm] = 0
        for other in range(n_arms):
            state.losses[arm] += state.wins[arm, other] < state.wins[other, arm]
    fewest = n_arms
    for arm in range(n_arms):
        fewest = min(fewest, state.losses[arm])
    winner = -1
    least = np.inf
    for arm in range(n_arms):
        if state.losses[arm] == fewest:
            cost = _plan(state, arm, fewest)
            if winner < 0 or cost < least * (1.0 - SAME):
                winner = arm
                least = cost
    _plan(state, winner, fewest)
    clock["winner"] = clock["left"] = clock["right"] = winner
    _find_missing(state, log)


@inline_kernel
def _is_unclear(state: ECWState, log: float) -> bool:
    """Tell whether a pair met too seldom or is too close, and play the first such pair."""
    clock = state.clock[0]
    n_arms = state.losses.shape[0]
    few = clock["alpha"] * math.sqrt(log)
    close = clock["beta"] / max(1.0, math.log(max(1.0, log)))
    for arm in range(n_arms):
        for other in range(arm + 1, n_arms):
            duels = state.wins[arm, other] + state.wins[other, arm]
            lead = abs(state.wins[arm, other] / max(duels, 1.0) - 0.5)
            if duels == 0.0 or duels < few or lead < close:
                clock["left"] = arm
                clock["right"] = other
                return True
    return False


@inline_kernel
def _divergence(state: ECWState, arm: int, other: int) -> float:
    """Return kl(muhat, 1/2) of a pair."""
    rate = state.wins[arm, other] / (state.wins[arm, other] + state.wins[other, arm])
    total = 0.0
    if rate > 0.0:
        total += rate * math.log(2.0 * rate)
    if rate < 1.0:
        total += (1.0 - rate) * math.log(2.0 * (1.0 - rate))
    return total


@kernel
def _plan(state: ECWState, winner: int, fewest: int) -> float:
    """Set the targets that prove an arm the winner and return what they cost."""
    n_arms = state.losses.shape[0]
    total = 0.0
    for arm in range(n_arms):
        for other in range(n_arms):
            state.targets[arm, other] = 0.0
    for loser in range(n_arms):
        if state.wins[loser, winner] < state.wins[winner, loser]:
            state.targets[loser, winner] = 1.0 / _divergence(state, loser, winner)
            lost = state.losses[loser] - fewest
            total += lost * state.targets[loser, winner] / (2.0 * (n_arms - 1))
        if loser != winner:
            total += _plan_against(state, winner, loser, fewest)
    return total


@inline_kernel
def _plan_against(state: ECWState, winner: int, loser: int, fewest: int) -> float:
    """Set the targets that show that another arm loses to enough arms; return what they cost."""
    n_arms = state.losses.shape[0]
    n_above = 0
    for arm in range(n_arms):
        if arm != winner and state.wins[loser, arm] < state.wins[arm, loser]:
            lost = state.losses[loser] + state.losses[arm] - 2 * fewest
            price = lost / (2.0 * (n_arms - 1)) / _divergence(state, loser, arm)
            hole = n_above
            while hole > 0 and state.price[hole - 1] > price:
                state.price[hole] = state.price[hole - 1]
                state.above[hole] = state.above[hole - 1]
                hole -= 1
            state.price[hole] = price
            state.above[hole] = arm
            n_above += 1
    spare = n_above - (state.losses[loser] - fewest + 1)
    if spare < 0 or n_above == 0:
        return 0.0
    chosen = 0
    least = np.inf
    paid = 0.0
    for count in range(1, n_above + 1):
        paid += state.price[count - 1]
        if count > spare and (chosen == 0 or paid / (count - spare) < least * (1.0 - SAME)):
            chosen = count
            least = paid / (count - spare)
    for place in range(chosen):
        arm = state.above[place]
        state.targets[loser, arm] = 1.0 / ((chosen - spare) * _divergence(state, loser, arm))
    return least


@inline_kernel
def _find_missing(state: ECWState, log: float) -> None:
    """Play the pair that lacks most duels, if any does; else say until when none will."""
    clock = state.clock[0]
    n_arms = state.losses.shape[0]
    most = 0.0
    until = np.inf
    for arm in range(n_arms):
        for other in range(arm + 1, n_arms):
            duels = state.wins[arm, other] + state.wins[other, arm]
            target = state.targets[arm, other] + state.targets[other, arm]
            if target * log - duels > most:
                most = target * log - duels
                clock["left"] = arm
                clock["right"] = other
            # ln t at which the pair lacks duels, or has met too seldom.
            root = duels / clock["alpha"]
            until = min(until, root * root)
            if target > 0.0:
                until = min(until, duels / target)
    # A little too early is not too late, and a round that never comes is early enough.
    clock["until"] = int(math.exp(min(until, 40.0)) * (1.0 - SAME))


@dataclass(frozen=True, eq=False)
class ECWRMED(Learner):
    """ECW-RMED: as many duels as it takes to tell the Copeland winner, of the cheapest pairs.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Copeland or Condorcet and the horizon does not
        matter. Nothing is drawn at random.
    alpha, beta : float
        A pair is duelled while it has fewer than ``alpha sqrt(ln t)`` duels or its win rate is
        within ``beta / max(1, ln ln t)`` of 1/2.

    References
    ----------
    It was not read in full: the rules are those of public code, put right where it contradicts the
    lower bound. Copeland regret O(K (L* + 1) log T), if no pair ties and preferences do not change;
    no prior knowledge. The pair that lacks most duels is played, where the paper goes through
    lists of pairs, and of equals the first counts; these are our choices. Pairs that tie, or
    nearly, are duelled until chance parts them. A round costs O(K^3) at most, and O(1) while the
    winner meets itself.

    Examples
    --------
    >>> learner = ECWRMED(3)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    _: KW_ONLY
    alpha: float = bounded(3.0, above=0)
    beta: float = bounded(0.01, above=0, most=0.5)

    _literature: ClassVar = Literature(
        "Komiyama, Honda & Nakagawa, Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal "
        "Algorithm, and Computationally Efficient Algorithm, ICML 2016",
        "Copeland: O(K (L + 1) log T) with L losses of the winner, if no pair ties; stationary",
        "nothing",
        "O(K^3), O(1) while the winner plays itself",
    )
    _criteria = (Copeland, Condorcet)

    _ranges = ECW_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_ecw)
    _learn = staticmethod(learn_ecw)
    _settle = staticmethod(find_pair)

    def _allocate(self) -> ECWState:
        """Return a fresh state: the first pair is due."""
        clock = np.zeros(1, CLOCK)
        clock["right"] = 1
        clock["alpha"] = self.alpha
        clock["beta"] = self.beta
        k = self.n_arms
        arms = np.zeros(k, np.int64)
        return ECWState(clock, np.zeros((k, k)), arms, arms.copy(), np.zeros(k), np.zeros((k, k)))

    def _best_of(self, state: ECWState) -> int:
        """Return the arm that was last thought the winner."""
        return int(state.clock[0]["winner"])
