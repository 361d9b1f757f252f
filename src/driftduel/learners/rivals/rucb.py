"""RUCB and MergeRUCB: optimism about pairs, for a Condorcet winner that does not change.

With u_ij = w_ij/N_ij + sqrt(alpha ln t / N_ij), where a fraction x/0 is 1 and u_ii = 1/2:

RUCB plays as left arm one of the arms C = {c : u_cj >= 1/2 for all j} that may be the winner. It
keeps a favourite (the set B of the paper, which has one arm or none): the arm that was once alone
in C and has not left it since. The right arm is the one most likely to beat the left one,
argmax_j u_jc. MergeRUCB does this within small batches of arms, in turn; an arm that is beaten
within its batch is dropped for ever, and when half of the arms are gone, batches are merged.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from driftduel._support.checks import BadParameter
from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract import ranges
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Ints, Records
from driftduel.learners.parts.optimism import (
    OPTIMISM_RANGES,
    UNPLAYED,
    Optimism,
    choose_optimistically,
    favourite_of,
    find_hopeful,
    no_bounds,
)
from driftduel.learners.parts.verdicts import (
    VERDICT_RANGES,
    Verdicts,
    count_duel,
    likely_winner,
    no_verdicts,
)
from driftduel.matrix.criteria import Condorcet

Ticket = tuple[float]


@inline_kernel
def learn_rucb(optimism: Optimism, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count the duel; who may be the winner is found again if a verdict changed."""
    changed = count_duel(optimism.verdicts, left, right, outcome)
    if left != right:
        wins = optimism.verdicts.wins
        total = wins[left, right] + wins[right, left]
        optimism.rate[left, right] = wins[right, left] / total
        optimism.rate[right, left] = wins[left, right] / total
        optimism.width[left, right] = optimism.width[right, left] = 1.0 / math.sqrt(total)
    return changed


@kernel
def settle_rucb(optimism: Optimism, rng: np.random.Generator) -> None:
    """Find out again who may be the winner."""
    find_hopeful(optimism)


@dataclass(frozen=True, eq=False)
class RUCB(Learner):
    """Relative upper confidence bound: plays who may be the winner against who may beat it.

    Parameters
    ----------
    alpha : float
        The factor of ln t, above 1/2. Everyone's code uses 0.51; larger explores more.

    References
    ----------
    Condorcet regret O(K^2 + K log T) if one arm stays Condorcet winner. We read "x/0 = 1" for each
    of the two fractions, so a pair that never met has u = 2. A round costs O(K), and O(1) while the
    winner plays itself.

    Examples
    --------
    >>> learner = RUCB(3, seed=1)
    >>> for _ in range(300):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    _: KW_ONLY
    alpha: float = bounded(0.51, above=0.5)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        "Zoghi, Whiteson, Munos & de Rijke, Relative Upper Confidence Bound for the K-Armed "
        "Dueling Bandit Problem, ICML 2014",
        "Condorcet: O(K^2 + K log T), if the winner does not change",
        "nothing",
        "O(K), O(1) while the winner plays itself",
    )
    _criteria = (Condorcet,)

    _ranges = OPTIMISM_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_optimistically)
    _learn = staticmethod(learn_rucb)
    _settle = staticmethod(settle_rucb)

    def _allocate(self) -> Optimism:
        """Return a fresh state: every arm may be the winner."""
        return no_bounds(self.n_arms, self.alpha, UNPLAYED)

    def _best_of(self, state: Optimism) -> int:
        """Return the favourite, or else the arm that is ahead of most others."""
        return favourite_of(state)


TURN = np.dtype(
    [
        ("batch", "i8"),  # the batch whose turn it is
        ("batches", "i8"),  # how many there are
        ("left", "i8"),  # arms that were not dropped
        ("stage", "i8"),
        ("batch_size", "i8"),  # p
    ],
    align=True,
)


class MergeRUCBState(NamedTuple):
    """The arrays of `MergeRUCB`. There are never more batches than at the start, b."""

    verdicts: Verdicts
    turn: Records  # (1,) TURN
    members: Ints  # (b, K) the arms of each batch first
    sizes: Ints  # (b,)
    order: Ints  # (b,) scratch: batches by size


def _are_members(members: Ints, known: Known) -> bool:
    if not ((members >= 0) & (members < known.n_arms)).all():
        return False
    listed = [row[:size] for row, size in zip(members, known.state.sizes, strict=True)]
    return len(np.unique(np.concatenate(listed))) == sum(map(len, listed))


def _are_sizes(sizes: Ints, known: Known) -> Flags:
    used = np.arange(len(sizes)) < known.state.turn["batches"]
    return np.where(used, (sizes >= 1) & (sizes <= known.n_arms), sizes == 0)


MERGE_RANGES: Ranges = {
    "verdicts": VERDICT_RANGES,
    "order": ranges.ANYTHING,
    "turn": {
        "batches": ranges.whole(1, lambda known: len(known.state.sizes)),
        "batch": ranges.below("turn.batches"),
        "left": ranges.equal_to("the arms of all batches", lambda known: known.state.sizes.sum()),
        "stage": ranges.whole(1, lambda known: len(known.state.sizes)),
        "batch_size": ranges.FIXED,
    },
    "sizes": ranges.such_that("at least 1 for a batch there is, and 0 for others", _are_sizes),
    "members": ranges.such_that("different arms that exist", _are_members),
}


@inline_kernel
def choose_merge_rucb(state: MergeRUCBState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Draw the left arm from the batch whose turn it is; reply with its best challenger there."""
    turn = state.turn[0]
    size = state.sizes[turn["batch"]]
    members = state.members[turn["batch"]]
    if size == 1:
        return members[0], members[0], (1.0,)
    left = members[int(rng.random() * size)]
    best = -1.0
    ties = 0
    right = left
    for place in range(size):
        arm = members[place]
        if arm != left:
            bound = _bound(state.verdicts, arm, left)
            if bound >= best:
                ties = ties + 1 if bound == best else 1
                best = bound
                right = arm
    if ties > 1:
        skip = int(rng.random() * ties)
        for place in range(size):
            arm = members[place]
            if arm != left and _bound(state.verdicts, arm, left) == best:
                if skip == 0:
                    right = arm
                skip -= 1
    return left, right, (1.0 / (size * ties),)


@inline_kernel
def _bound(verdicts: Verdicts, arm: int, other: int) -> float:
    total = verdicts.wins[arm, other] + verdicts.wins[other, arm]
    if total == 0.0:
        return UNPLAYED
    return verdicts.wins[arm, other] / total + math.sqrt(verdicts.clock[0]["bonus"] / total)


@inline_kernel
def learn_merge_rucb(
    state: MergeRUCBState, left: int, right: int, ticket: Ticket, outcome: float
) -> bool:
    """Count the duel; there is a next batch to look at until one arm is left."""
    count_duel(state.verdicts, left, right, outcome)
    return state.turn[0]["left"] > 1


@kernel
def settle_merge_rucb(state: MergeRUCBState, rng: np.random.Generator) -> None:
    """Merge batches if enough arms are gone, then drop the beaten arms of the batch to come."""
    turn = state.turn[0]
    n_arms = state.members.shape[1]
    alone = turn["left"] == turn["batches"]
    if turn["batches"] > 1 and (alone or turn["left"] * 2.0 ** turn["stage"] <= n_arms):
        _merge(state)
        turn["stage"] += 1
    first = (state.verdicts.clock[0]["round"] + 1) % turn["batches"]
    for step in range(turn["batches"]):
        turn["batch"] = (first + step) % turn["batches"]
        _drop(state, turn["batch"])
        if state.sizes[turn["batch"]] > 1:
            break


@kernel
def _drop(state: MergeRUCBState, batch: int) -> None:
    """Drop every arm that another arm of the batch beats; all are judged before any is dropped."""
    members = state.members[batch]
    size = state.sizes[batch]
    kept = 0
    for place in range(size):
        # A kept arm changes places with a dropped one, so that all are still there to judge.
        arm = members[place]
        beaten = False
        for other in range(size):
            beaten |= state.verdicts.beaten[arm, members[other]]
        if not beaten:
            for back in range(place, kept, -1):
                members[back] = members[back - 1]
            members[kept] = arm
            kept += 1
    # A cycle of verdicts would leave nobody; then the batch stays as it is.
    if kept > 0:
        state.turn[0]["left"] -= size - kept
        state.sizes[batch] = kept


@kernel
def _merge(state: MergeRUCBState) -> None:
    """Join the smallest batch to the largest, the next to the next, where that is not too large."""
    turn = state.turn[0]
    order = state.order
    n_batches = turn["batches"]
    for place in range(n_batches):
        back = place
        while back > 0 and state.sizes[order[back - 1]] > state.sizes[place]:
            order[back] = order[back - 1]
            back -= 1
        order[back] = place
    low = 0
    high = n_batches - 1
    merged = 0
    while low < high:
        together = state.sizes[order[low]] + state.sizes[order[high]]
        if 2 * together <= 3 * turn["batch_size"]:
            _join(state, order[high], order[low])
            merged += 1
            low += 1
        high -= 1
    if merged == 0:
        _join(state, order[n_batches - 1], order[0])
    kept = 0
    for batch in range(n_batches):
        if state.sizes[batch] > 0:
            if kept < batch:
                state.sizes[kept] = 0
                _join(state, kept, batch)
            kept += 1
    turn["batches"] = kept


@kernel
def _join(state: MergeRUCBState, batch: int, other: int) -> None:
    """Move the arms of ``other`` to the end of ``batch``."""
    size = state.sizes[batch]
    for place in range(state.sizes[other]):
        state.members[batch, size + place] = state.members[other, place]
    state.sizes[batch] += state.sizes[other]
    state.sizes[other] = 0


@dataclass(frozen=True, eq=False)
class MergeRUCB(Learner):
    """RUCB in small batches that are merged as arms are dropped; for many arms.

    Parameters
    ----------
    alpha : float
        The factor of the logarithm, above 1/2.
    batch_size : int
        The largest batch at the start, at least 4.
    failure : float
        The probability epsilon with which the winner may be lost; it sets the offset
        ``ceil(((4 alpha - 1) K^2 / ((2 alpha - 1) epsilon))^(1 / (2 alpha - 1)))`` that is
        added to t under the logarithm.
    offset : float, optional
        That offset itself, if it is to be another; the paper's is careful.

    References
    ----------
    Condorcet regret O(K log T) if one arm stays Condorcet winner; told a failure probability. The
    paper itself is not known to us, only others' code. Our own choices: batches start of nearly
    equal size; a batch of one arm is passed over; batches are merged, the smallest with the largest
    and so on, if together they have at most 3/2 ``batch_size`` arms, when at most K/2^stage arms
    are left or every batch is down to one arm. A round costs O(batch_size^2).

    Examples
    --------
    >>> learner = MergeRUCB(5, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), learner.active
    (0, array([0]))
    """

    _: KW_ONLY
    alpha: float = bounded(1.01, above=0.5)
    batch_size: int = bounded(4, least=4)
    failure: float = bounded(0.01, above=0, most=1)
    offset: float | None = bounded(None, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        "Zoghi, Whiteson & de Rijke, MergeRUCB: A Method for Large-Scale Online Ranker "
        "Evaluation, WSDM 2015",
        "Condorcet: O(K log T), if the winner does not change",
        "a failure probability",
        "O(p^2) for batches of p arms",
    )
    _criteria = (Condorcet,)

    _ranges = MERGE_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_merge_rucb)
    _learn = staticmethod(learn_merge_rucb)
    _settle = staticmethod(settle_merge_rucb)

    def _validate(self) -> None:
        """Raise BadParameter if the offset would not be finite."""
        if not math.isfinite(self._careful_offset()):
            raise BadParameter(
                "alpha", f"is {self.alpha}, too close to 1/2 for the offset; give one"
            )

    def _careful_offset(self) -> float:
        """Return what is added to t under the logarithm."""
        if self.offset is not None:
            return float(self.offset)
        twice = 2 * self.alpha - 1
        base = math.log((4 * self.alpha - 1) * self.n_arms**2 / (twice * self.failure))
        return math.ceil(math.exp(base / twice)) if base / twice < 700 else math.inf

    def _allocate(self) -> MergeRUCBState:
        """Return a fresh state: empty batches, the turn of the second (t = 1) or the only one."""
        n_batches = -(-self.n_arms // self.batch_size)
        turn = np.zeros(1, TURN)
        turn["batch"] = 1 % n_batches
        turn["batches"] = n_batches
        turn["left"] = self.n_arms
        turn["stage"] = 1
        turn["batch_size"] = self.batch_size
        verdicts = no_verdicts(self.n_arms, self.alpha, self._careful_offset())
        members = np.zeros((n_batches, self.n_arms), np.int64)
        sizes = np.zeros(n_batches, np.int64)
        return MergeRUCBState(verdicts, turn, members, sizes, sizes.copy())

    def _begin(self, state: MergeRUCBState, rng: np.random.Generator) -> None:
        """Deal the arms out to the batches at random."""
        for place, arm in enumerate(rng.permutation(self.n_arms)):
            batch = place % len(state.sizes)
            state.members[batch, state.sizes[batch]] = arm
            state.sizes[batch] += 1

    def _active_of(self, state: MergeRUCBState) -> Ints:
        """Return the arms that were not dropped."""
        n_batches = state.turn[0]["batches"]
        parts = [state.members[batch, : state.sizes[batch]] for batch in range(n_batches)]
        return np.sort(np.concatenate(parts))

    def _best_of(self, state: MergeRUCBState) -> int:
        """Return the arm, of those not dropped, that is ahead of most of the others."""
        arms = self._active_of(state)
        return int(arms[likely_winner(state.verdicts.wins[np.ix_(arms, arms)])])
