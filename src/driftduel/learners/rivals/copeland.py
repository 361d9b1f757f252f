"""CCB and SCB: Copeland winners, the arms that beat most others, which always exist.

CCB (Copeland confidence bound) holds upper and lower bounds of every preference against 1/2, as
`driftduel.learners.parts.verdicts` keeps them: U_i arms may be beaten by i, L_i arms are. It keeps
hypotheses: B, the arms that may be Copeland winners; B_i, arms that are thought to beat i; and
how many losses a Copeland winner has. It plays an arm of largest U against who may beat it.

SCB (scalable Copeland bandit) plays a bandit whose arm i pays the chance to beat a random other
arm: a pull picks the other arm at random and duels until it is known who wins. Arms are
eliminated by KL confidence bounds of their pay; the last one plays itself to the end of a phase.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import (
    AN_ARM,
    CHANCE,
    COUNT,
    FIXED,
    FLAG,
    NUMBER,
    UNKNOWN_CHANCE,
    Ranges,
    arms_first,
    equal_to,
    halves,
    is_listed,
    such_that,
    whole,
)
from driftduel.learners.parts.verdicts import VERDICT_RANGES, Verdicts, count_duel, no_verdicts
from driftduel.matrix.criteria import Condorcet, Copeland

Ticket = tuple[float]
PullTicket = tuple[float, float]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

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
    beliefs: NDArray[np.void]  # (1,) BELIEFS
    likely: Flags  # (K,) B
    feared: Flags  # (K, K) whether the column is in B_i of the row
    n_feared: Ints  # (K,) the size of B_i
    candidates: Ints  # (K,) the arms with the largest U first, in order


CCB_RANGES: Ranges = {
    "verdicts": VERDICT_RANGES,
    "likely": FLAG,
    "feared": FLAG,
    "n_feared": equal_to("how many are feared", lambda known: known.state.feared.sum(axis=1)),
    "candidates": arms_first("beliefs.candidates"),
    "beliefs": {
        "candidates": whole(1, "arms"),
        "losses": whole(0, "arms"),
        "open": whole(0, lambda known: known.n_arms**2),
        "likely": equal_to(
            "how many candidates are likely",
            lambda known: is_listed(known, "candidates", "beliefs.candidates")[
                known.state.likely
            ].sum(),
        ),
        "changed": FLAG,
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
    _find_candidates(state)
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
def _find_candidates(state: CCBState) -> None:
    arms = state.verdicts.arms
    fewest = arms[0]["losses"]
    for arm in range(arms.shape[0]):
        fewest = min(fewest, arms[arm]["losses"])
    count = 0
    for arm in range(arms.shape[0]):
        if arms[arm]["losses"] == fewest:
            state.candidates[count] = arm
            count += 1
    state.beliefs[0]["candidates"] = count


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
    _ticket = (UNKNOWN_CHANCE,)
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

    phase: NDArray[np.void]  # (1,) PHASE
    arms: NDArray[np.void]  # (K,) BANDIT


SCB_RANGES: Ranges = {
    "arms": {
        "active": FLAG,
        "pulls": COUNT,
        "pay": whole(0, lambda known: known.state.arms["pulls"]),
    },
    "phase": {
        "round": COUNT,
        "length": whole(1, LONGEST_PHASE),
        "end": whole(
            lambda known: known.state.phase["round"][0] + 1,
            lambda known: known.state.phase["round"][0] + known.state.phase["length"][0],
        ),
        "factor": FIXED,
        "pull": whole(0, lambda known: known.told + 1),
        "left": AN_ARM,
        "right": AN_ARM,
        "duels": COUNT,
        "wins": halves(0, "phase.duels"),
        "active": such_that(
            "how many arms are active, 1 at least",
            lambda values, known: (values >= 1) & (values == known.state.arms["active"].sum()),
        ),
        "winner": AN_ARM,
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
    _ticket = (CHANCE, NUMBER)
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
