"""Successive elimination by Borda scores: arms leave one by one, the last is played for ever.

In each step every arm in play duels the same opponent, drawn from all arms.
`SparseBordaElimination` also looks at the few opponents against which two arms differ most.
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
from driftduel.learners.parts.failure import failure_of
from driftduel.matrix.criteria import Borda

Ticket = tuple[float]


class TurnsState(NamedTuple):
    """The arrays of `BordaElimination`."""

    clock: Records  # (1,)
    active: Ints  # (K,) the arms still in play come first
    sums: Floats  # (K,) summed outcomes of each arm
    wins: Floats  # (K, K) the same by opponent, for the sparse rule
    met: Ints  # (K,) steps in which each arm was the opponent
    marks: Flags  # (K,) scratch: arms to remove


TURNS = np.dtype(
    [
        ("step", "i8"),  # steps finished; in each step every arm in play has its turn
        ("turn", "i8"),  # whose turn it is, a place in the list of arms
        ("n_active", "i8"),
        ("opponent", "i8"),  # of all arms in this step
        ("choice", "i8"),  # the arm committed to, or -1
        ("width", "f8"),  # factor of the confidence width
        ("failure", "f8"),  # delta
        ("sparsity", "i8"),  # k, or 0 without the sparse rule
        ("sparse_after", "i8"),  # T0
        ("sparse_width", "f8"),
        ("most_met", "i8"),  # the largest entry of met
    ],
    align=True,
)


def _most_steps(known: Known) -> int:
    """Return after how many steps the logarithm is no longer of a whole number."""
    return min(known.told, math.isqrt(2**60) // known.n_arms)


def _is_turn(turn: Ints, known: Known) -> bool:
    clock = known.state.clock[0]
    return bool(0 <= turn[0] < clock["n_active"] + (clock["n_active"] == 1))


def _choice(known: Known) -> int:
    return known.state.active[0] if known.state.clock["n_active"][0] == 1 else -1


TURNS_RANGES: Ranges = {
    "active": ranges.arms_first("clock.n_active"),
    "clock": {
        "n_active": ranges.whole(1, "arms"),
        "step": ranges.whole(0, _most_steps),
        "turn": ranges.such_that("a place among the arms in play", _is_turn),
        "opponent": ranges.AN_ARM,
        "choice": ranges.equal_to("the only arm in play, or -1", _choice),
        **dict.fromkeys(
            ("width", "failure", "sparsity", "sparse_after", "sparse_width"), ranges.FIXED
        ),
        "most_met": ranges.COUNT,
    },
    "sums": ranges.SUM,
    "wins": ranges.SUM,
    "met": ranges.COUNT,
    "marks": ranges.ANYTHING,
}


@inline_kernel
def choose_next_turn(state: TurnsState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Return the arm whose turn it is and the opponent of this step."""
    clock = state.clock[0]
    choice = clock["choice"]
    if choice >= 0:
        return choice, choice, (1.0,)
    return state.active[clock["turn"]], clock["opponent"], (1.0,)


@inline_kernel
def learn_turn(state: TurnsState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Take in the outcome that is awaited, and no other; say when the step is over."""
    clock = state.clock[0]
    turn = clock["turn"]
    if clock["choice"] >= 0 or left != state.active[turn] or right != clock["opponent"]:
        return False
    state.sums[left] += outcome
    if clock["sparsity"] > 0:
        state.wins[left, right] += outcome  # only the sparse rule asks against whom
    turn += 1
    if turn < clock["n_active"] and state.active[turn] == right:
        turn += 1
    clock["turn"] = turn
    return bool(turn >= clock["n_active"])


@kernel
def end_step(state: TurnsState, rng: np.random.Generator) -> None:
    """Remove the arms that are clearly worse and begin the next step."""
    clock = state.clock[0]
    clock["step"] += 1
    step = clock["step"]
    n_arms = state.active.shape[0]
    state.met[clock["opponent"]] += 1
    clock["most_met"] = max(clock["most_met"], state.met[clock["opponent"]])
    level = math.log(4 * n_arms * step * step / clock["failure"])
    width = clock["width"] * step * math.sqrt(2 * level / step)
    leader = state.active[0]
    for place in range(clock["n_active"]):
        if state.sums[state.active[place]] > state.sums[leader]:
            leader = state.active[place]
    # An arm is judged by all arms of the step, also by those that fall with it.
    for place in range(clock["n_active"]):
        arm = state.active[place]
        state.marks[arm] = state.sums[leader] > state.sums[arm] + width
    if clock["sparsity"] > 0 and step > clock["sparse_after"]:
        mark_sparse(state)
        # The sparse rule may go round in a circle; somebody has to stay.
        n_marked = 0
        for place in range(clock["n_active"]):
            n_marked += state.marks[state.active[place]]
        if n_marked == clock["n_active"]:
            state.marks[leader] = False
    n_left = 0
    for place in range(clock["n_active"]):
        arm = state.active[place]
        if not state.marks[arm]:
            state.active[place] = state.active[n_left]
            state.active[n_left] = arm
            n_left += 1
    clock["n_active"] = n_left
    if n_left == 1:
        clock["choice"] = state.active[0]
    begin_step(state, rng)


@inline_kernel
def begin_step(state: TurnsState, rng: np.random.Generator) -> None:
    """Draw the opponent of a step; an arm does not duel itself."""
    clock = state.clock[0]
    clock["opponent"] = int(rng.random() * state.active.shape[0])
    clock["turn"] = 1 if state.active[0] == clock["opponent"] else 0


@kernel
def mark_sparse(state: TurnsState) -> None:
    """Mark the arms that some arm beats on the few opponents where the two differ most."""
    clock = state.clock[0]
    step = clock["step"]
    n_arms = state.active.shape[0]
    sparsity = clock["sparsity"]
    level = math.log(4 * n_arms * n_arms * step * step / clock["failure"])
    rounds = step / n_arms
    width = math.sqrt(2 * level / rounds) + 2 * level / (3 * rounds)
    needed = clock["sparse_width"] * (sparsity + 1) * width
    # No estimate of a chance exceeds the share of steps, times K, in which an opponent came.
    if needed >= (sparsity + 2) * clock["most_met"] * n_arms / step - 1:
        return
    for worse in range(clock["n_active"]):
        for better in range(clock["n_active"]):
            j = state.active[worse]
            if worse != better and not state.marks[j]:
                lead = sparse_lead(state.wins, state.active[better], j, sparsity, n_arms / step)
                state.marks[j] = lead > needed


@kernel
def sparse_lead(wins: Floats, i: int, j: int, sparsity: int, scale: float) -> float:
    """Return ``2(p_ij - 1/2)`` plus the k largest differences ``p_iw - p_jw`` in size."""
    lead = 2 * (wins[i, j] * scale - 0.5)
    last_size = np.inf
    last = -1
    n_taken = 0
    while n_taken < sparsity:
        best = -1
        best_size = -1.0
        for other in range(wins.shape[0]):
            if other not in (i, j):
                size = abs(wins[i, other] - wins[j, other])
                later = size < last_size or (size == last_size and other > last)
                if later and size > best_size:
                    best = other
                    best_size = size
        if best < 0:
            break
        lead += (wins[i, best] - wins[j, best]) * scale
        last = best
        last_size = best_size
        n_taken += 1
    return lead


@dataclass(frozen=True, eq=False)
class BordaElimination(Learner):
    """Successive elimination: all arms against the same random opponent, the worse ones leave.

    In each step an opponent is drawn from all arms and every arm in play duels it. After t steps
    an arm leaves if another in play is ahead of it by ``width sqrt(2 ln(4 K t^2 / delta) / t)``
    in the mean. The last arm is played for ever. The learner waits for one duel at a time:
    an outcome of another one, asked before, changes nothing.

    Parameters
    ----------
    failure : float, optional
        The probability delta of a wrong choice; by default 1/T, or 0.01 without a horizon.
    width : float
        The factor of the confidence width; the paper's is 1.
    sparse : bool
        Also compare arms by the few opponents against which they differ most.
    sparsity : int, optional
        The number k of these opponents; by default 5, or K - 2 if that is less.
    sparse_after : int
        The number T0 of steps after which the sparse rule is used.
    sparse_width : float
        The factor of the width of the sparse rule; the paper's is 6.

    References
    ----------
    Jamieson, Katariya, Deshpande & Nowak, Sparse Dueling Bandits, AISTATS 2015, Algorithm 1; its
    rule (2) alone is the plain learner. It finds the best arm within
    ``sum_j gap_j^-2 log(K / (delta gap_j^2))`` duels with probability 1 - delta; that it then
    plays this arm, delta = 1/T, k = 5 and T0 = 0 are our choices. If the sparse rule would
    remove all arms, the leader stays. A round costs O(1), with the sparse rule O(k K |A|) once
    its width is small enough to matter.

    Examples
    --------
    >>> learner = BordaElimination(3, 2000, seed=1)
    >>> for _ in range(2000):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left > duel.right))
    >>> learner.best(), learner.active
    (2, array([2]))
    """

    _: KW_ONLY
    failure: float | None = bounded(None, above=0, below=1)
    width: float = bounded(1.0, above=0)
    sparse: bool = False
    sparsity: int | None = bounded(None, least=1)
    sparse_after: int = bounded(0, least=0)
    sparse_width: float = bounded(6.0, above=0)

    _graded: ClassVar = True
    _literature: ClassVar = Literature(
        paper="Jamieson et al., Sparse Dueling Bandits, AISTATS 2015, rule (2)",
        bound="sum of log(T)/gap Borda, stationary (from its sample complexity)",
        needs="T or delta",
        cost="O(1)",
    )
    _criteria = (Borda,)

    _ranges = TURNS_RANGES
    _ticket = (ranges.CHANCE,)
    _choose = staticmethod(choose_next_turn)
    _learn = staticmethod(learn_turn)
    _settle = staticmethod(end_step)

    def _allocate(self) -> TurnsState:
        """Return a fresh state before the first step."""
        k = self.n_arms
        state = TurnsState(
            np.zeros(1, TURNS),
            np.arange(k),
            np.zeros(k),
            np.zeros((k, k) if self.sparse else (1, 1)),
            np.zeros(k, np.int64),
            np.zeros(k, np.bool_),
        )
        clock = state.clock[0]
        clock["n_active"] = k
        clock["choice"] = -1
        clock["width"] = self.width
        clock["failure"] = failure_of(self.failure, self.horizon)
        clock["sparsity"] = (self.sparsity or min(5, max(1, k - 2))) if self.sparse else 0
        clock["sparse_after"] = self.sparse_after
        clock["sparse_width"] = self.sparse_width
        return state

    def _begin(self, state: TurnsState, rng: np.random.Generator) -> None:
        """Begin the first step."""
        begin_step(state, rng)

    def _best_of(self, state: TurnsState) -> int:
        """Return the arm in play that is ahead."""
        arms = self._active_of(state)
        return int(arms[np.argmax(state.sums[arms])])

    def _active_of(self, state: TurnsState) -> Ints:
        """Return the arms still in play."""
        return np.array(state.active[: state.clock[0]["n_active"]])


@dataclass(frozen=True, eq=False)
class SparseBordaElimination(BordaElimination):
    """Successive elimination with the sparse rule: few opponents tell good arms from bad ones.

    Parameters
    ----------
    failure, width, sparse, sparsity, sparse_after, sparse_width
        As for `BordaElimination`.

    References
    ----------
    As for `BordaElimination`: SECS of Jamieson et al., rules (1) and (2). With the paper's
    factor 6 the sparse rule cannot act before some 72 K log(T) steps of up to K duels.

    Examples
    --------
    >>> SparseBordaElimination(10, 1000).sparse
    True
    """

    _: KW_ONLY
    sparse: bool = True

    _literature: ClassVar = Literature(
        paper="Jamieson et al., Sparse Dueling Bandits, AISTATS 2015, Algorithm 1 (SECS)",
        bound="as BordaElimination, less for gaps that few opponents make",
        needs="T or delta; k",
        cost="O(k K |A|) once the sparse rule can act, before that O(1)",
    )
