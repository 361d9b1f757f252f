"""RMED1 and RMED2FH: duels in proportion to how likely an arm may still be the winner.

With muhat_ij = w_ij / N_ij and the binary relative entropy kl, the empirical divergence

    I_i = sum over j with muhat_ij <= 1/2 of N_ij kl(muhat_ij, 1/2)

says how unlikely it is that i beats everyone: its likelihood is exp(-I_i). i* = argmin I. After
every pair met, the arms of a list are played in turn. The opponent of l is one that seems to beat
it: i* if that one does, or if nobody does; else the one that beats it most clearly. Arms with
I_j - I_i* <= ln t + f(K) make up the next list. RMED2FH meets every pair more often first and
then prefers for l the opponent that costs the least regret for what it tells about l.
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
from driftduel.learners.parts.arrays import Flags, Floats, Ints, Records
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float]

CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("first", "i8"),  # the pair to meet next at the beginning
        ("second", "i8"),
        ("meetings", "f8"),  # how often every pair meets at the beginning
        ("begun", "i8"),  # whether that is done
        ("fixed", "i8"),  # whether the cheapest opponents were found, or are not wanted
        ("width", "f8"),  # f(K)
        ("loglog", "f8"),  # ln ln T, at least 1
        ("likely", "i8"),  # i*
        ("turn", "i8"),  # the arm of the list to play next
    ],
    align=True,
)

ARM = np.dtype(
    [
        ("divergence", "f8"),  # I
        ("beaten_by", "i8"),  # the size of O, the others that it does not lead
        ("waits", "i8"),  # whether it is in L_R, the rest of the list
        ("comes", "i8"),  # whether it is in L_N, the next list
        ("cheapest", "i8"),  # bhat, for RMED2FH
    ],
    align=True,
)


class RMEDState(NamedTuple):
    """The arrays of `RMED1` and `RMED2FH`."""

    clock: Records  # (1,) CLOCK
    arms: Records  # (K,) ARM
    wins: Floats  # (K, K) wins of the row over the column
    cost: Floats  # (K, K) the terms of I


def _is_second(second: Ints, known: Known) -> bool:
    """Tell whether the pair to meet next is one, as long as there is any."""
    clock = known.state.clock[0]
    last = known.n_arms - 1
    return bool(clock["first"] < second[0] <= last + clock["begun"])


def _have_met(wins: Floats, known: Known) -> Flags:
    """Tell of which pairs it is known who is ahead; all must have met before lists are played."""
    met = (wins + wins.T > 0) | np.eye(known.n_arms, dtype=np.bool_)
    good: Flags = (wins >= 0) & (wins <= known.told) & (2 * wins == np.floor(2 * wins))
    return good & (met | (known.state.clock[0]["begun"] == 0))


def _are_costs(cost: Floats, known: Known) -> Flags:
    """Tell whether costs are what opponents can be chosen by."""
    behind = known.state.wins < known.state.wins.T
    good: Flags = (cost >= 0) & (cost <= ranges.LARGEST)
    return good & ((cost > 0) | ~behind | (known.state.clock[0]["fixed"] == 1))


RMED_RANGES: Ranges = {
    "clock": {
        "round": ranges.COUNT,
        "meetings": ranges.FIXED,
        "begun": ranges.FLAG,
        "fixed": ranges.FLAG,
        "first": ranges.AN_ARM,
        "second": ranges.such_that("an arm that comes after the first", _is_second),
        "width": ranges.FIXED,
        "loglog": ranges.FIXED,
        "likely": ranges.AN_ARM,
        "turn": ranges.AN_ARM,
    },
    "wins": ranges.such_that("summed outcomes of pairs that have met", _have_met),
    "cost": ranges.such_that("a positive number for a pair with a winner", _are_costs),
    "arms": {
        "divergence": ranges.WEIGHT,
        "beaten_by": ranges.equal_to(
            "the number of others that it does not lead",
            lambda k: k.n_arms - 1 - (k.state.wins > k.state.wins.T).sum(axis=1),
        ),
        "waits": ranges.FLAG,
        "comes": ranges.FLAG,
        "cheapest": ranges.AN_ARM,
    },
}


@inline_kernel
def choose_rmed1(state: RMEDState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Play the next pair that has not met, or else the arm whose turn it is."""
    clock = state.clock[0]
    if not clock["begun"]:
        return clock["first"], clock["second"], (1.0,)
    left = clock["turn"]
    return left, _opponent(state, left), (1.0,)


@inline_kernel
def choose_rmed2fh(state: RMEDState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Play as RMED1, but prefer the cheapest opponent unless it was met too often already."""
    clock = state.clock[0]
    if not clock["begun"]:
        return clock["first"], clock["second"], (1.0,)
    left = clock["turn"]
    right = state.arms[left]["cheapest"]
    likely = clock["likely"]
    wins = state.wins
    if right != left and wins[left, right] <= wins[right, left]:
        met = wins[left, right] + wins[right, left]
        if (wins[left, likely] + wins[likely, left]) * clock["loglog"] >= met:
            return left, right, (1.0,)
    return left, _opponent(state, left), (1.0,)


@inline_kernel
def _opponent(state: RMEDState, left: int) -> int:
    """Return who seems to beat ``left``: the likely winner if it does, or if nobody does."""
    likely = state.clock[0]["likely"]
    wins = state.wins
    if state.arms[left]["beaten_by"] == 0:
        return likely
    if likely != left and wins[left, likely] <= wins[likely, left]:
        return likely
    right = left
    least = 2.0
    for arm in range(state.arms.shape[0]):
        if arm != left:
            rate = wins[left, arm] / (wins[left, arm] + wins[arm, left])
            if rate < least:
                least = rate
                right = arm
    return right


@inline_kernel
def learn_rmed(state: RMEDState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel, find the likely winner and pass the turn on."""
    clock = state.clock[0]
    clock["round"] += 1
    if left != right:
        leads = state.wins[left, right] > state.wins[right, left]
        trails = state.wins[left, right] < state.wins[right, left]
        state.wins[left, right] += outcome
        state.wins[right, left] += 1.0 - outcome
        now_leads = state.wins[left, right] > state.wins[right, left]
        now_trails = state.wins[left, right] < state.wins[right, left]
        state.arms[left]["beaten_by"] += int(leads) - int(now_leads)
        state.arms[right]["beaten_by"] += int(trails) - int(now_trails)
        _price(state, left, right)
    if not clock["begun"]:
        _begin(state)
        return clock["begun"] > clock["fixed"]
    _pass_on(state, left)
    return False


@inline_kernel
def _price(state: RMEDState, left: int, right: int) -> None:
    """Compute the terms of one pair again, and who is the likely winner."""
    ours = state.wins[left, right]
    theirs = state.wins[right, left]
    half = (ours + theirs) / 2.0
    cost = 0.0
    if ours > 0.0:
        cost += ours * math.log(ours / half)
    if theirs > 0.0:
        cost += theirs * math.log(theirs / half)
    cost = max(cost, 0.0)
    _set_cost(state, left, right, cost if ours < theirs else 0.0)
    _set_cost(state, right, left, cost if theirs < ours else 0.0)
    likely = 0
    for arm in range(state.arms.shape[0]):
        if state.arms[arm]["divergence"] < state.arms[likely]["divergence"]:
            likely = arm
    state.clock[0]["likely"] = likely


@inline_kernel
def _set_cost(state: RMEDState, arm: int, other: int, cost: float) -> None:
    # Summed afresh: a sum kept up by differences would not come back to exactly 0.
    if state.cost[arm, other] != cost:
        state.cost[arm, other] = cost
        total = 0.0
        for rival in range(state.arms.shape[0]):
            total += state.cost[arm, rival]
        state.arms[arm]["divergence"] = total


@kernel
def _begin(state: RMEDState) -> None:
    """Go on to the next pair that has not met often enough."""
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    while clock["first"] < n_arms - 1:
        first = clock["first"]
        second = clock["second"]
        if state.wins[first, second] + state.wins[second, first] < clock["meetings"]:
            return
        clock["second"] += 1
        if clock["second"] == n_arms:
            clock["first"] += 1
            clock["second"] = clock["first"] + 1
    clock["begun"] = 1


@inline_kernel
def _pass_on(state: RMEDState, left: int) -> None:
    """Strike ``left`` off the list, add to the next list, and find whose turn it is."""
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    limit = math.log(clock["round"]) + clock["width"]
    limit += state.arms[clock["likely"]]["divergence"]
    state.arms[left]["waits"] = 0
    turn = n_arms
    for arm in range(n_arms - 1, -1, -1):
        record = state.arms[arm]
        if record["waits"]:
            turn = arm
        elif record["divergence"] <= limit:
            record["comes"] = 1
    if turn == n_arms:
        for arm in range(n_arms - 1, -1, -1):
            record = state.arms[arm]
            record["waits"] = record["comes"]
            record["comes"] = 0
            if record["waits"]:
                turn = arm
    clock["turn"] = turn


@kernel
def settle_rmed2fh(state: RMEDState, rng: np.random.Generator) -> None:
    """Fix for every arm the opponent with the least regret for what a duel tells."""
    clock = state.clock[0]
    clock["fixed"] = 1
    n_arms = state.arms.shape[0]
    for arm in range(n_arms):
        least = np.inf
        for other in range(n_arms):
            ours = state.wins[arm, other]
            theirs = state.wins[other, arm]
            if other != arm and ours < theirs:
                regret = _gap(state, arm) + _gap(state, other)
                ratio = regret * (ours + theirs) / state.cost[arm, other]
                if ratio < least:
                    least = ratio
                    state.arms[arm]["cheapest"] = other


@inline_kernel
def _gap(state: RMEDState, arm: int) -> float:
    likely = state.clock[0]["likely"]
    if arm == likely:
        return 0.0
    ours = state.wins[likely, arm]
    return abs(ours / (ours + state.wins[arm, likely]) - 0.5)


def _fresh(n_arms: int, width: float, meetings: int, loglog: float, *, fixed: bool) -> RMEDState:
    clock = np.zeros(1, CLOCK)
    clock["second"] = 1
    clock["meetings"] = meetings
    clock["fixed"] = fixed
    clock["width"] = width
    clock["loglog"] = loglog
    arms = np.zeros(n_arms, ARM)
    arms["beaten_by"] = n_arms - 1
    arms["waits"] = 1
    arms["cheapest"] = np.arange(n_arms)
    square = (n_arms, n_arms)
    return RMEDState(clock, arms, np.zeros(square), np.zeros(square))


@dataclass(frozen=True, eq=False)
class RMED1(Learner):
    """Relative minimum empirical divergence: the arm whose turn it is meets who seems to beat it.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion is Condorcet and the horizon does not matter. Nothing
        is drawn at random.
    width : float, optional
        f(K), how far behind the likely winner an arm may be and still be played; by default the
        paper's ``0.3 K^1.01``.

    References
    ----------
    Condorcet regret sum_i Delta_i ln T / (2 kl(mu_i1, 1/2)) + O(K^2) up to lower order if one arm
    stays Condorcet winner; no prior knowledge. Our own choices: lists are played in the order of
    the arms, and of equals the first counts. A round costs O(K).

    Examples
    --------
    >>> learner = RMED1(3)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    _: KW_ONLY
    width: float | None = bounded(None, above=0)

    _literature: ClassVar = Literature(
        "Komiyama, Honda, Kashima & Nakagawa, Regret Lower Bound and Optimal Algorithm in Dueling "
        "Bandit Problem, COLT 2015",
        "Condorcet: sum_i Delta_i ln T / (2 kl(mu_i1, 1/2)) + lower order, if the winner does not "
        "change",
        "nothing",
        "O(K)",
    )
    _criteria = (Condorcet,)

    _ranges = RMED_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_rmed1)
    _learn = staticmethod(learn_rmed)

    def _list_width(self) -> float:
        """Return f(K)."""
        return 0.3 * self.n_arms**1.01 if self.width is None else float(self.width)

    def _allocate(self) -> RMEDState:
        """Return a fresh state."""
        return _fresh(self.n_arms, self._list_width(), 1, 1.0, fixed=True)

    def _best_of(self, state: RMEDState) -> int:
        """Return the likely winner."""
        return int(state.clock[0]["likely"])


@dataclass(frozen=True, eq=False)
class RMED2FH(RMED1):
    """RMED with cheapest opponents, fixed after a first look at every pair; for a known horizon.

    Parameters
    ----------
    width : float, optional
        f(K), as for `RMED1`.
    alpha : float
        Every pair meets ``ceil(alpha ln ln T)`` times first.

    References
    ----------
    Condorcet regret sum_i min_j (Delta_i + Delta_j) ln T / (2 kl(mu_ij, 1/2)) up to lower order,
    which is optimal, if one arm stays Condorcet winner; told T. The paper's sign of the estimated
    gaps is not certain to us: we take ``|muhat_i*j - 1/2|``. Our own choices: ln ln T counts as at
    least 1 (T < 16), the likely winner has no duels with itself, and what is said at `RMED1`. A
    round costs O(K), the one that fixes the opponents O(K^2).

    Examples
    --------
    >>> learner = RMED2FH(3, horizon=300)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    >>> RMED2FH(3)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: horizon is None, RMED2FH must be told it
    """

    _: KW_ONLY
    alpha: float = bounded(3.0, above=0)

    _literature: ClassVar = Literature(
        "Komiyama, Honda, Kashima & Nakagawa, Regret Lower Bound and Optimal Algorithm in Dueling "
        "Bandit Problem, COLT 2015",
        "Condorcet: sum_i min_j (Delta_i + Delta_j) ln T / (2 kl(mu_ij, 1/2)) + lower order, "
        "optimal, if the winner does not change",
        "T",
        "O(K)",
    )
    _needs_horizon = True

    _choose = staticmethod(choose_rmed2fh)
    _learn = staticmethod(learn_rmed)
    _settle = staticmethod(settle_rmed2fh)

    def _allocate(self) -> RMEDState:
        """Return a fresh state."""
        assert self.horizon is not None
        loglog = max(1.0, math.log(max(1.0, math.log(self.horizon))))
        meetings = math.ceil(self.alpha * loglog)
        return _fresh(self.n_arms, self._list_width(), meetings, loglog, fixed=False)
