"""UCB-TS: one learner for tournament solutions, by what is certain about who beats whom.

With U_ij = w_ij/N_ij + sqrt(alpha ln t / N_ij), 1 if a pair never met, "i surely beats j" means
U_ji < 1/2. Completions of what is sure are tournaments that may be the true one. An arm that is in
the solution of every completion meets itself:

- top cycle: a way of sure wins leads from it to every arm;
- uncovered set: it reaches every arm in two sure wins at most;
- Copeland: it has as many sure wins as anyone else may have wins;
- Banks: it tops a chain of sure wins whose members surely beat everyone outside; this is enough,
  but there may be others.

If there is none, the arm c with most others that do not surely beat it, of those with an undecided
pair, meets the d of its undecided pairs with the largest U_dc. No pair is duelled that is decided.
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
from driftduel.learners.parts.verdicts import (
    VERDICT_RANGES,
    Verdicts,
    count_duel,
    likely_winner,
    no_verdicts,
)
from driftduel.matrix.criteria import Banks, Condorcet, Copeland, Criterion, TopCycle, Uncovered

Ticket = tuple[float]

SOLUTIONS: tuple[type[Criterion], ...] = (Copeland, TopCycle, Uncovered, Banks)
"""The criteria by their codes, which kernels know; a Condorcet winner is in all of them."""
_COPELAND, _TOP_CYCLE, _UNCOVERED = range(3)

PICK = np.dtype(
    [
        ("solution", "i8"),  # which one
        ("member", "i8"),  # an arm that is surely in it, or -1
        ("candidate", "i8"),  # c
    ],
    align=True,
)


class UCBTSState(NamedTuple):
    """The arrays of `UCBTS`."""

    verdicts: Verdicts
    pick: Records  # (1,) PICK
    chain: Ints  # (K,) scratch: the arms reached, or those of a chain
    reached: Flags  # (K,) scratch


def _is_open(candidate: Ints, known: Known) -> bool:
    """Tell whether the candidate has an undecided pair, if it is needed."""
    if known.state.pick["member"][0] >= 0:
        return bool(0 <= candidate[0] < known.n_arms)
    beaten = known.state.verdicts.beaten
    decided = beaten | beaten.T
    return bool(0 <= candidate[0] < known.n_arms and decided[candidate[0]].sum() < len(decided) - 1)


UCBTS_RANGES: Ranges = {
    "verdicts": VERDICT_RANGES,
    "pick": {
        "solution": ranges.FIXED,
        "member": ranges.AN_ARM_OR_NONE,
        "candidate": ranges.such_that("an arm with an undecided pair", _is_open),
    },
    "chain": ranges.ANYTHING,
    "reached": ranges.ANYTHING,
}


@inline_kernel
def choose_ucbts(state: UCBTSState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return a sure member twice, or the candidate and whoever may beat it most."""
    member = state.pick[0]["member"]
    if member >= 0:
        return member, member, (1.0,)
    left = state.pick[0]["candidate"]
    verdicts = state.verdicts
    right = left
    most = -1.0
    for arm in range(state.chain.shape[0]):
        if arm != left and not verdicts.beaten[arm, left] and not verdicts.beaten[left, arm]:
            duels = verdicts.wins[arm, left] + verdicts.wins[left, arm]
            bound = 1.0
            if duels > 0.0:
                bound = verdicts.wins[arm, left] / duels
                bound += math.sqrt(verdicts.clock[0]["bonus"] / duels)
            if bound > most:
                most = bound
                right = arm
    return left, right, (1.0,)


@inline_kernel
def learn_ucbts(state: UCBTSState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel; there is something to find if a verdict changed."""
    return count_duel(state.verdicts, left, right, outcome)


@kernel
def find_member(state: UCBTSState, rng: np.random.Generator) -> None:
    """Find the first arm that is surely in the solution, or else the candidate."""
    pick = state.pick[0]
    arms = state.verdicts.arms
    n_arms = arms.shape[0]
    pick["member"] = -1
    for arm in range(n_arms):
        if is_surely_in(state, arm):
            pick["member"] = arm
            return
    fewest = n_arms
    for arm in range(n_arms):
        open_pairs = n_arms - 1 - arms[arm]["losses"] - arms[arm]["victories"]
        if open_pairs > 0 and arms[arm]["losses"] < fewest:
            fewest = arms[arm]["losses"]
            pick["candidate"] = arm


@kernel
def is_surely_in(state: UCBTSState, arm: int) -> bool:
    """Tell whether an arm is in the solution whatever is still undecided."""
    solution = state.pick[0]["solution"]
    if solution == _COPELAND:
        return _wins_most(state, arm)
    if solution == _TOP_CYCLE:
        return _reaches_all(state, arm)
    if solution == _UNCOVERED:
        return _reaches_all_in_two(state, arm)
    return _tops_a_chain(state, arm)


@inline_kernel
def _wins_most(state: UCBTSState, arm: int) -> bool:
    arms = state.verdicts.arms
    for other in range(arms.shape[0]):
        if other != arm and arms[arm]["victories"] < arms.shape[0] - 1 - arms[other]["losses"]:
            return False
    return True


@inline_kernel
def _reaches_all(state: UCBTSState, arm: int) -> bool:
    n_arms = state.chain.shape[0]
    for other in range(n_arms):
        state.reached[other] = other == arm
    state.chain[0] = arm
    count = 1
    place = 0
    while place < count:
        via = state.chain[place]
        for other in range(n_arms):
            if state.verdicts.beaten[other, via] and not state.reached[other]:
                state.reached[other] = True
                state.chain[count] = other
                count += 1
        place += 1
    return count == n_arms


@inline_kernel
def _reaches_all_in_two(state: UCBTSState, arm: int) -> bool:
    beaten = state.verdicts.beaten
    n_arms = state.chain.shape[0]
    for other in range(n_arms):
        found = other == arm or beaten[other, arm]
        via = 0
        while not found and via < n_arms:
            found = beaten[via, arm] and beaten[other, via]
            via += 1
        if not found:
            return False
    return True


@inline_kernel
def _tops_a_chain(state: UCBTSState, top: int) -> bool:
    """Search for a chain below the top that beats all outside, by depth: one arm after the other.

    Whoever joins must beat the first arm outside that nobody in the chain beats; chain[depth] is
    the arm tried last.
    """
    beaten = state.verdicts.beaten
    n_arms = state.chain.shape[0]
    state.chain[0] = top
    count = 1
    trying = -1
    while count > 0:
        outside = _first_unbeaten(state, count)
        if outside == n_arms:
            return True
        joins = n_arms
        for arm in range(n_arms - 1, trying, -1):
            if beaten[outside, arm] and beaten[arm, top] and _extends(state, count, arm):
                joins = arm
        if joins < n_arms:
            state.chain[count] = joins
            count += 1
            trying = -1
        else:
            count -= 1
            trying = state.chain[count]
    return False


@inline_kernel
def _first_unbeaten(state: UCBTSState, count: int) -> int:
    """Return the first arm that is not in the chain and that nobody in it beats; K for none."""
    n_arms = state.chain.shape[0]
    for arm in range(n_arms):
        free = True
        for place in range(count):
            member = state.chain[place]
            free = free and member != arm and not state.verdicts.beaten[arm, member]
        if free:
            return arm
    return n_arms


@inline_kernel
def _extends(state: UCBTSState, count: int, arm: int) -> bool:
    """Tell whether an arm and the members of a chain can be ordered so that all beat who follows.

    That is so if all pairs with it are decided and whoever beats it beats whoever it beats.
    """
    beaten = state.verdicts.beaten
    for place in range(count):
        one = state.chain[place]
        if one == arm or not (beaten[arm, one] or beaten[one, arm]):
            return False
        for another in range(count):
            two = state.chain[another]
            if beaten[arm, one] and beaten[two, arm] and not beaten[two, one]:
                return False
    return True


@dataclass(frozen=True, eq=False)
class UCBTS(Learner):
    """UCB-TS: duels what is undecided until an arm is surely in a tournament solution.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the criterion says which solution is meant: Copeland, which is the
        default, the top cycle, the uncovered set or the Banks set, the latter for 20 arms at most.
        For Condorcet it is the Copeland set. The horizon does not matter. Nothing is drawn at
        random.
    alpha : float
        The factor of ln t, above 1/2.

    References
    ----------
    Regret O(K^2 log T / gap^2) for each of the solutions, if no pair ties and preferences do not
    change; no prior knowledge. The theorem asks that sure members meet themselves and that no
    decided pair is duelled; how members are told from what is sure and which undecided pair is
    duelled was not read in the paper and is ours. Of equals the first counts. A round costs O(K),
    O(1) while a member plays itself; to find a member after a comparison is decided costs O(K^2)
    for Copeland, O(K^3) for the others, more for Banks.

    Examples
    --------
    Three arms beat each other in a ring and all beat the fourth:

    >>> learner = UCBTS(4, criterion="top-cycle")
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     ahead = (duel.right - duel.left) % 3 == 1 or duel.right == 3
    ...     behind = duel.left == 3
    ...     outcome = 0.5 if duel.left == duel.right else float(ahead and not behind)
    ...     learner.tell(duel, outcome)
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    _: KW_ONLY
    alpha: float = bounded(0.51, above=0.5)

    _literature: ClassVar = Literature(
        "Ramamohan, Rajkumar & Agarwal, Dueling Bandits: Beyond Condorcet Winners to General "
        "Tournament Solutions, NIPS 2016",
        "Copeland, top cycle, uncovered set, Banks set: O(K^2 log T), if no pair ties; stationary",
        "nothing",
        "O(K), O(1) while a member plays itself",
    )
    _criteria = (*SOLUTIONS, Condorcet)

    _ranges = UCBTS_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_ucbts)
    _learn = staticmethod(learn_ucbts)
    _settle = staticmethod(find_member)

    def _allocate(self) -> UCBTSState:
        """Return a fresh state: nothing is sure."""
        k = self.n_arms
        pick = np.zeros(1, PICK)
        kind = type(self.criterion)
        pick["solution"] = SOLUTIONS.index(kind) if kind in SOLUTIONS else _COPELAND
        pick["member"] = -1
        verdicts = no_verdicts(k, self.alpha)
        return UCBTSState(verdicts, pick, np.zeros(k, np.int64), np.zeros(k, np.bool_))

    def _best_of(self, state: UCBTSState) -> int:
        """Return the sure member, or else the arm that is ahead of most others."""
        member = int(state.pick[0]["member"])
        return member if member >= 0 else likely_winner(state.verdicts.wins)
