"""SCB, the scalable Copeland bandit: a Copeland winner found by a bandit over many arms.

It plays a bandit whose arm i pays the chance to beat a random other arm: a pull picks the other
arm at random and duels until it is known who wins. Arms are eliminated by KL confidence bounds of
their pay; the last one plays itself to the end of a phase.
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
from driftduel.learners.parts.arrays import Ints, Records
from driftduel.matrix.criteria import Condorcet, Copeland

PullTicket = tuple[float, float]


PHASE = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("end", "i8"),  # the round with which the phase ends
        ("length", "i8"),  # of the phase
        ("factor", "f8"),  # c
        ("pull", "i8"),  # number of the pull that is under way
        ("left", "i8"),  # its arm, and the other one
        ("right", "i8"),
        ("duels", "f8"),  # of this pull so far
        ("wins", "f8"),
        ("active", "i8"),  # how many arms are not eliminated
        ("winner", "i8"),  # the last arm left, now or in the phase before
    ],
    align=True,
)

BANDIT = np.dtype([("active", "i8"), ("pulls", "f8"), ("pay", "f8")], align=True)

LONGEST_PHASE = 2**60


class SCBState(NamedTuple):
    """The arrays of `SCB`."""

    phase: Records  # (1,) PHASE
    arms: Records  # (K,) BANDIT


SCB_RANGES: Ranges = {
    "arms": {
        "active": ranges.FLAG,
        "pulls": ranges.COUNT,
        "pay": ranges.whole(0, lambda known: known.state.arms["pulls"]),
    },
    "phase": {
        "round": ranges.COUNT,
        "length": ranges.whole(1, LONGEST_PHASE),
        "end": ranges.whole(
            lambda known: known.state.phase["round"][0] + 1,
            lambda known: known.state.phase["round"][0] + known.state.phase["length"][0],
        ),
        "factor": ranges.FIXED,
        "pull": ranges.whole(0, lambda known: known.told + 1),
        "left": ranges.AN_ARM,
        "right": ranges.AN_ARM,
        "duels": ranges.COUNT,
        "wins": ranges.halves(0, "phase.duels"),
        "active": ranges.such_that(
            "how many arms are active, 1 at least",
            lambda values, known: (values >= 1) & (values == known.state.arms["active"].sum()),
        ),
        "winner": ranges.AN_ARM,
    },
}


@inline_kernel
def choose_scb(state: SCBState, rng: np.random.Generator) -> tuple[int, int, PullTicket]:
    """Go on with the pull that is under way."""
    phase = state.phase[0]
    return phase["left"], phase["right"], (1.0, float(phase["pull"]))


@inline_kernel
def learn_scb(state: SCBState, left: int, right: int, ticket: PullTicket, outcome: float) -> bool:
    """Count a duel of the pull under way, and tell whether the pull or the phase is over."""
    phase = state.phase[0]
    _, pull = ticket
    phase["round"] += 1
    over = phase["round"] >= phase["end"]
    if left != right and pull == phase["pull"]:
        phase["duels"] += 1.0
        phase["wins"] += outcome
        over |= _known(phase["wins"], phase["duels"], _confidence(state))
    return over


@inline_kernel
def _confidence(state: SCBState) -> float:
    """Return c (ln(4 t K) + 2 max(1, ln ln t))."""
    phase = state.phase[0]
    log = math.log(phase["round"])
    twice = 2.0 * max(1.0, math.log(max(log, 1.0)))
    return phase["factor"] * (math.log(4.0 * state.arms.shape[0]) + log + twice)


@inline_kernel
def _known(wins: float, duels: float, confidence: float) -> bool:
    """Tell whether duels kl(wins / duels, 1/2) is above the confidence wanted."""
    return duels * _entropy(wins / duels, 0.5) > confidence


@inline_kernel
def _entropy(mean: float, other: float) -> float:
    """Return kl(mean, other) for 0 < other < 1."""
    result = 0.0
    if mean > 0.0:
        result += mean * math.log(mean / other)
    if mean < 1.0:
        result += (1.0 - mean) * math.log((1.0 - mean) / (1.0 - other))
    return result


@kernel
def settle_scb(state: SCBState, rng: np.random.Generator) -> None:
    """Book the pull and eliminate arms, or begin the next phase; then begin the next pull."""
    phase = state.phase[0]
    n_arms = state.arms.shape[0]
    if phase["round"] >= phase["end"]:
        long = phase["length"] > LONGEST_PHASE // phase["length"]
        phase["length"] = LONGEST_PHASE if long else phase["length"] * phase["length"]
        phase["end"] = phase["round"] + phase["length"]
        phase["active"] = n_arms
        phase["left"] = int(rng.random() * n_arms)
        for arm in range(n_arms):
            state.arms[arm]["active"] = 1
            state.arms[arm]["pulls"] = 0.0
            state.arms[arm]["pay"] = 0.0
    else:
        arm = state.arms[phase["left"]]
        arm["pulls"] += 1.0
        arm["pay"] += 1.0 * (2.0 * phase["wins"] > phase["duels"])
        _eliminate(state, _confidence(state))
    _next_pull(state, rng)


@kernel
def _eliminate(state: SCBState, confidence: float) -> None:
    """Eliminate every arm whose upper bound is below the lower bound of another."""
    highest = 0.0
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        if record["active"] and record["pulls"] > 0.0:
            highest = max(highest, _lower(record["pay"], record["pulls"], confidence))
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        if record["active"] and record["pulls"] > 0.0 and highest > 0.0:
            mean = record["pay"] / record["pulls"]
            if mean < highest and record["pulls"] * _entropy(mean, highest) > confidence:
                record["active"] = 0
                state.phase[0]["active"] -= 1


@kernel
def _lower(pay: float, pulls: float, confidence: float) -> float:
    """Return the least q with pulls kl(pay / pulls, q) <= confidence, from below."""
    low = 0.0
    high = pay / pulls
    for _ in range(40):
        middle = (low + high) / 2.0
        if 0.0 < middle < 1.0 and pulls * _entropy(pay / pulls, middle) <= confidence:
            high = middle
        else:
            low = middle
    return low


@kernel
def _next_pull(state: SCBState, rng: np.random.Generator) -> None:
    """Pull the next active arm in turn; the last one left plays itself."""
    phase = state.phase[0]
    n_arms = state.arms.shape[0]
    arm = (phase["left"] + 1) % n_arms
    while not state.arms[arm]["active"]:
        arm = (arm + 1) % n_arms
    phase["pull"] += 1
    phase["duels"] = 0.0
    phase["wins"] = 0.0
    phase["left"] = arm
    if phase["active"] == 1:
        phase["winner"] = arm
        phase["right"] = arm
    else:
        other = int(rng.random() * (n_arms - 1))
        phase["right"] = other + 1 if other >= arm else other


@dataclass(frozen=True, eq=False)
class SCB(Learner):
    """Scalable Copeland bandit: a bandit whose arms pay the chance to beat a random other arm.

    Parameters
    ----------
    n_arms, horizon, criterion, seed, labels
        As for every learner; the horizon does not matter. A Condorcet winner is a Copeland winner.
    factor : float
        c of the confidence ``c (ln(4 t K) + 2 max(1, ln ln t))`` that a duel is decided and that
        an arm is eliminated with.
    first_phase : int
        The rounds of the first phase; each later one has the square of the one before.

    References
    ----------
    Copeland regret O(K (L_C + log K) log T / Delta_min^2) if preferences do not change; told
    nothing. The paper's elimination is not known to us in detail, only others' code. Our own
    choices: active arms are pulled in turn from a random one on, every pull duels afresh, an arm is
    eliminated when its upper KL bound is below another's lower one, t counts all rounds, and a
    phase begins with nothing known. A round costs O(1), the end of a pull O(K).

    Examples
    --------
    >>> learner = SCB(3, seed=1)
    >>> for _ in range(999):
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.left == duel.right else float(duel.left < duel.right))
    >>> learner.best(), duel.left, duel.right
    (0, 0, 0)
    """

    _: KW_ONLY
    factor: float = bounded(0.51, above=0)
    first_phase: int = bounded(1000, least=2, most=2**30)

    _literature: ClassVar = Literature(
        "Zoghi, Karnin, Whiteson & de Rijke, Copeland Dueling Bandits, NIPS 2015",
        "Copeland: O(K (L_C + log K) log T / Delta_min^2), if nothing changes",
        "nothing",
        "O(1), O(K) when a pull ends",
    )
    _criteria = (Condorcet, Copeland)

    _ranges = SCB_RANGES
    _ticket = (ranges.CHANCE, ranges.NUMBER)
    _choose = staticmethod(choose_scb)
    _learn = staticmethod(learn_scb)
    _settle = staticmethod(settle_scb)

    def _allocate(self) -> SCBState:
        """Return a fresh state before the first pull."""
        phase = np.zeros(1, PHASE)
        phase["end"] = phase["length"] = self.first_phase
        phase["factor"] = self.factor
        phase["active"] = self.n_arms
        arms = np.zeros(self.n_arms, BANDIT)
        arms["active"] = 1
        return SCBState(phase, arms)

    def _begin(self, state: SCBState, rng: np.random.Generator) -> None:
        """Draw the first left arm and the first pull."""
        state.phase["left"] = int(rng.random() * self.n_arms)
        _next_pull(state, rng)

    def _active_of(self, state: SCBState) -> Ints:
        """Return the arms that the phase has not eliminated."""
        return np.flatnonzero(state.arms["active"])

    def _best_of(self, state: SCBState) -> int:
        """Return the last arm left; before, the best paid active one, ties to the last winner."""
        arms = state.arms
        pulled = np.maximum(arms["pulls"], 1)
        pay = np.where(arms["active"] == 1, arms["pay"] / pulled, -1.0)
        winner = int(state.phase[0]["winner"])
        return winner if pay[winner] == pay.max() else int(pay.argmax())
