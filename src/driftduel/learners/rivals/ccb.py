"""CCB, the Copeland confidence bound: a Copeland winner, which beats most others, always exists.

It holds upper and lower bounds of every preference against 1/2, as
`driftduel.learners.parts.verdicts` keeps them: U_i arms may be beaten by i, L_i arms are. It keeps
hypotheses: B, the arms that may be Copeland winners; B_i, arms that are thought to beat i; and
how many losses a Copeland winner has. It plays an arm of largest U against who may beat it.
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
from driftduel.learners.parts.arrays import Flags, Ints, Records
from driftduel.learners.parts.verdicts import (
    VERDICT_RANGES,
    Verdicts,
    count_duel,
    list_least_beaten,
    no_verdicts,
)
from driftduel.matrix.criteria import Condorcet, Copeland

Ticket = tuple[float]


UNPLAYED = 1.0
"""u_ij of a pair that never met."""

BELIEFS = np.dtype(
    [
        ("losses", "i8"),  # L_C, the losses of a Copeland winner as far as we know
        ("open", "i8"),  # how many pairs (i, j) with j in B_i are undecided
        ("candidates", "i8"),  # how many arms have the largest U
        ("likely", "i8"),  # how many of them are in B
        ("changed", "i8"),  # whether the last update changed anything
    ],
    align=True,
)


class CCBState(NamedTuple):
    """The arrays of `CCB`."""

    verdicts: Verdicts
    beliefs: Records  # (1,) BELIEFS
    likely: Flags  # (K,) B
    feared: Flags  # (K, K) whether the column is in B_i of the row
    n_feared: Ints  # (K,) the size of B_i
    candidates: Ints  # (K,) the arms with the largest U first, in order


CCB_RANGES: Ranges = {
    "verdicts": VERDICT_RANGES,
    "likely": ranges.FLAG,
    "feared": ranges.FLAG,
    "n_feared": ranges.equal_to(
        "how many are feared", lambda known: known.state.feared.sum(axis=1)
    ),
    "candidates": ranges.arms_first("beliefs.candidates"),
    "beliefs": {
        "candidates": ranges.whole(1, "arms"),
        "losses": ranges.whole(0, "arms"),
        "open": ranges.whole(0, lambda known: known.n_arms**2),
        "likely": ranges.equal_to(
            "how many candidates are likely",
            lambda known: ranges.is_listed(known, "candidates", "beliefs.candidates")[
                known.state.likely
            ].sum(),
        ),
        "changed": ranges.FLAG,
    },
}


@inline_kernel
def choose_ccb(state: CCBState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Play an undecided pair of the hypotheses now and then, else a candidate and a challenger."""
    beliefs = state.beliefs[0]
    if rng.random() < 0.25 and beliefs["open"] > 0:
        left, right = _open_pair(state, int(rng.random() * beliefs["open"]))
        return left, right, (np.nan,)
    only_likely = beliefs["likely"] > 0 and rng.random() < 2.0 / 3.0
    left = _candidate(state, rng, only_likely)
    only_feared = rng.random() < 0.5
    right = -1
    if only_feared and state.n_feared[left] > 0:
        right = _challenger(state, rng, left, True)
    if right < 0:
        right = _challenger(state, rng, left, False)
    return left, right, (np.nan,)


@kernel
def _open_pair(state: CCBState, skip: int) -> tuple[int, int]:
    """Return one of the undecided pairs (i, j) with j in B_i, after skipping some."""
    n_arms = state.likely.shape[0]
    for arm in range(n_arms):
        if state.n_feared[arm] > 0:
            for other in range(n_arms):
                if state.feared[arm, other] and _undecided(state, arm, other):
                    if skip == 0:
                        return arm, other
                    skip -= 1
    return 0, 0


@inline_kernel
def _undecided(state: CCBState, arm: int, other: int) -> bool:
    return not (state.verdicts.beaten[arm, other] or state.verdicts.beaten[other, arm])


@inline_kernel
def _candidate(state: CCBState, rng: np.random.Generator, only_likely: bool) -> int:
    """Return one of the arms with the largest U, at random; a sure choice needs no number."""
    beliefs = state.beliefs[0]
    count = beliefs["likely"] if only_likely else beliefs["candidates"]
    skip = int(rng.random() * count) if count > 1 else 0
    place = 0
    while only_likely and not state.likely[state.candidates[place]]:
        place += 1
    while skip > 0:
        place += 1
        skip -= not only_likely or state.likely[state.candidates[place]]
    return state.candidates[place]


@inline_kernel
def _challenger(state: CCBState, rng: np.random.Generator, left: int, only_feared: bool) -> int:
    """Return who beats ``left`` most likely, of those not sure to; ties are broken at random.

    Without ``only_feared`` the arm itself stands at 1/2. There may be nobody: -1.
    """
    verdicts = state.verdicts
    n_arms = state.likely.shape[0]
    best = -1.0
    right = -1
    ties = 0
    if not only_feared:
        best = 0.5
        right = left
        arm = verdicts.arms[left]
        if arm["losses"] + arm["victories"] == n_arms - 1:
            return left
    for arm in range(n_arms):
        if _may_challenge(state, left, arm, only_feared):
            bound = _bound(verdicts, arm, left)
            if bound >= best:
                ties = ties + 1 if bound == best else 1
                best = bound
                right = arm
    if ties > 1:
        skip = int(rng.random() * ties)
        for arm in range(n_arms):
            if _may_challenge(state, left, arm, only_feared) and (
                _bound(verdicts, arm, left) == best
            ):
                if skip == 0:
                    right = arm
                skip -= 1
    return right


@inline_kernel
def _may_challenge(state: CCBState, left: int, arm: int, only_feared: bool) -> bool:
    if arm == left or state.verdicts.beaten[left, arm]:
        return False
    return state.feared[left, arm] or not only_feared


@inline_kernel
def _bound(verdicts: Verdicts, arm: int, other: int) -> float:
    total = verdicts.wins[arm, other] + verdicts.wins[other, arm]
    if total == 0.0:
        return UNPLAYED
    return verdicts.wins[arm, other] / total + math.sqrt(verdicts.clock[0]["bonus"] / total)


@inline_kernel
def learn_ccb(state: CCBState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel; the hypotheses change only if a verdict does, or if they just changed."""
    changed = count_duel(state.verdicts, left, right, outcome)
    return changed or state.beliefs[0]["changed"] > 0


@kernel
def settle_ccb(state: CCBState, rng: np.random.Generator) -> None:
    """Take the hypotheses one round further."""
    beliefs = state.beliefs[0]
    beliefs["changed"] = 0
    _reset_if_disproven(state)
    _remove_losers(state)
    beliefs["candidates"] = list_least_beaten(state.verdicts, state.candidates)
    _add_winners(state, rng)
    n_arms = state.likely.shape[0]
    beliefs["likely"] = 0
    for place in range(beliefs["candidates"]):
        beliefs["likely"] += state.likely[state.candidates[place]]
    beliefs["open"] = 0
    for arm in range(n_arms):
        if state.n_feared[arm] > 0:
            for other in range(n_arms):
                if state.feared[arm, other] and _undecided(state, arm, other):
                    beliefs["open"] += 1


@kernel
def _reset_if_disproven(state: CCBState) -> None:
    n_arms = state.likely.shape[0]
    for arm in range(n_arms):
        if state.n_feared[arm] > 0:
            for other in range(n_arms):
                if state.feared[arm, other] and state.verdicts.beaten[other, arm]:
                    _reset(state)
                    return


@kernel
def _reset(state: CCBState) -> None:
    """Forget all hypotheses."""
    n_arms = state.likely.shape[0]
    for arm in range(n_arms):
        state.likely[arm] = True
        _fear_nobody(state, arm)
    state.beliefs[0]["losses"] = n_arms
    state.beliefs[0]["changed"] = 1


@kernel
def _fear_nobody(state: CCBState, arm: int) -> None:
    if state.n_feared[arm] > 0:
        state.n_feared[arm] = 0
        state.beliefs[0]["changed"] = 1
        for other in range(state.likely.shape[0]):
            state.feared[arm, other] = False


@kernel
def _remove_losers(state: CCBState) -> None:
    """Strike from B who cannot be a Copeland winner, and note who beats it."""
    beliefs = state.beliefs[0]
    arms = state.verdicts.arms
    n_arms = arms.shape[0]
    most = 0
    for arm in range(n_arms):
        most = max(most, arms[arm]["victories"])
    left = 0
    for arm in range(n_arms):
        if state.likely[arm] and n_arms - 1 - arms[arm]["losses"] < most:
            state.likely[arm] = False
            beliefs["changed"] = 1
            if state.n_feared[arm] != beliefs["losses"] + 1:
                state.n_feared[arm] = arms[arm]["losses"]
                for other in range(n_arms):
                    state.feared[arm, other] = state.verdicts.beaten[arm, other]
        left += state.likely[arm]
    if left == 0:
        _reset(state)


@kernel
def _add_winners(state: CCBState, rng: np.random.Generator) -> None:
    """Add to B every candidate whose comparisons are all decided, and cut every B_j to size."""
    beliefs = state.beliefs[0]
    arms = state.verdicts.arms
    n_arms = arms.shape[0]
    for place in range(beliefs["candidates"]):
        winner = state.candidates[place]
        losses = arms[winner]["losses"]
        if losses + arms[winner]["victories"] == n_arms - 1:
            if not state.likely[winner] or beliefs["losses"] != losses:
                beliefs["changed"] = 1
            state.likely[winner] = True
            beliefs["losses"] = losses
            _fear_nobody(state, winner)
            for arm in range(n_arms):
                if arm != winner and state.n_feared[arm] < losses + 1:
                    _fear_nobody(state, arm)
                elif arm != winner and state.n_feared[arm] > losses + 1:
                    _cut(state, rng, arm, losses + 1)


@kernel
def _cut(state: CCBState, rng: np.random.Generator, arm: int, size: int) -> None:
    """Keep a random choice of B_i."""
    remaining = state.n_feared[arm]
    wanted = size
    for other in range(state.likely.shape[0]):
        if state.feared[arm, other]:
            if rng.random() * remaining < wanted:
                wanted -= 1
            else:
                state.feared[arm, other] = False
            remaining -= 1
    state.n_feared[arm] = size
    state.beliefs[0]["changed"] = 1


@dataclass(frozen=True, eq=False)
class CCB(Learner):
    """Copeland confidence bound: hypotheses about who beats whom, for the arm that beats most.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the horizon does not matter. A Condorcet winner is a Copeland winner.
    alpha : float
        The factor of ln t in the confidence bounds, above 1/2.

    References
    ----------
    Copeland regret O(K^2 + K log T) if preferences do not change; no prior knowledge. Our own
    choices: the hypotheses start as all arms in B, every B_i empty and L_C = K; a challenger is
    looked for among all arms if B_i holds none. A round costs O(K), and O(K^2) when a comparison
    is decided or open again.

    Examples
    --------
    Rock, paper and scissors, which all beat the fourth arm; and paper beats the fifth, which
    beats the other two:

    >>> P = np.array([
    ...     [0.5, 0.0, 1.0, 1.0, 0.0],
    ...     [1.0, 0.5, 0.0, 1.0, 1.0],
    ...     [0.0, 1.0, 0.5, 1.0, 0.0],
    ...     [0.0, 0.0, 0.0, 0.5, 1.0],
    ...     [1.0, 0.0, 1.0, 0.0, 0.5],
    ... ])
    >>> learner = CCB(5, seed=1)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, P[duel.left, duel.right])
    >>> learner.best()
    1
    """

    _: KW_ONLY
    alpha: float = bounded(0.51, above=0.5)

    _literature: ClassVar = Literature(
        "Zoghi, Karnin, Whiteson & de Rijke, Copeland Dueling Bandits, NIPS 2015",
        "Copeland: O(K^2 + K log T), if nothing changes",
        "nothing",
        "O(K), O(K^2) when a comparison is decided",
    )
    _criteria = (Condorcet, Copeland)

    _ranges = CCB_RANGES
    _ticket = (ranges.UNKNOWN_CHANCE,)
    _choose = staticmethod(choose_ccb)
    _learn = staticmethod(learn_ccb)
    _settle = staticmethod(settle_ccb)

    def _allocate(self) -> CCBState:
        """Return a fresh state: every arm may be a Copeland winner."""
        beliefs = np.zeros(1, BELIEFS)
        beliefs["losses"] = beliefs["candidates"] = beliefs["likely"] = self.n_arms
        return CCBState(
            no_verdicts(self.n_arms, self.alpha),
            beliefs,
            np.ones(self.n_arms, np.bool_),
            np.zeros((self.n_arms, self.n_arms), np.bool_),
            np.zeros(self.n_arms, np.int64),
            np.arange(self.n_arms),
        )

    def _best_of(self, state: CCBState) -> int:
        """Return the candidate that is ahead of most arms, of those in B if there are any."""
        candidates = np.sort(state.candidates[: state.beliefs[0]["candidates"]])
        likely = candidates[state.likely[candidates]]
        candidates = likely if len(likely) > 0 else candidates
        wins = state.verdicts.wins
        return int(candidates[(wins > wins.T).sum(axis=1)[candidates].argmax()])
