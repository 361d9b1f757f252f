"""Surprises: sums of log-likelihood ratios that grow while duels are not as they used to be.

Each sum is kept at 0 or above (Page's CUSUM). One is about all pairs: how much better duels since
the sum was last 0, the *young* ones, predict the next than the older ones do. Three are about the
leader's pairs that it used to win with chance p: the chance is 1/2 now, or 1 - p, or, for a single
pair, half way between. A surprise makes the learner look more often; a large one is an *alarm*:
older duels then count for little. Ties are left out.
"""

from __future__ import annotations

import math

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftduel.knowledge import (
    ROUNDING,
    TIE,
    decisive,
    score_all,
    sum_evidence,
)
from driftduel.learners.driftduel.state import DriftDuelState

MOST_SURPRISE = 20.0
"""A surprise multiplies the rate of looks by exp of so much at most."""

SHRUNK = 2.0
"""Duels won and lost that the chance of the leader is shrunk by."""


@inline_kernel
def largest(state: DriftDuelState) -> float:
    """Return the largest surprise that may become an alarm."""
    surprise = state.surprise[0]
    return max(surprise["any"], surprise["level"], surprise["turned"])


@inline_kernel
def ratio(outcome: float, new: float, old: float) -> float:
    """Return the log of how much better a chance predicts who won than an old one does."""
    if outcome == TIE:
        return 0.0
    if outcome > TIE:
        return decisive(outcome) * math.log(new / old)
    return decisive(outcome) * math.log((1.0 - new) / (1.0 - old))


@inline_kernel
def young_wins(state: DriftDuelState, arm: int, other: int) -> float:
    """Return the wins of an arm over another since ``surprise.any`` was 0."""
    if state.generation[arm, other] != state.surprise[0]["generation"]:
        return 0.0
    return state.young[arm, other]


@inline_kernel
def young_ties(state: DriftDuelState, arm: int, other: int) -> float:
    """Return the same of ties."""
    if state.generation[arm, other] != state.surprise[0]["generation"]:
        return 0.0
    return state.young_ties[arm, other]


@inline_kernel
def surprise_by(state: DriftDuelState, left: int, right: int, outcome: float) -> None:
    """Add what is odd about a duel; to be called before it is counted."""
    surprise = state.surprise[0]
    leader = state.clock[0]["leader"]
    young_won = young_wins(state, left, right)
    young_lost = young_wins(state, right, left)
    won = state.wins[left, right]
    lost = state.wins[right, left]
    old_won = max(0.0, won - young_won)
    old_lost = max(0.0, lost - young_lost)
    old = (old_won + 1.0) / (old_won + old_lost + 2.0)
    new = (young_won + 1.0) / (young_won + young_lost + 2.0)
    surprise["any"] += ratio(outcome, new, old)
    decided = decisive(outcome)
    tied = young_ties(state, left, right) + 1.0 - decided
    state.young_ties[left, right] = tied
    state.young_ties[right, left] = tied
    state.young[left, right] = young_won + decided * (outcome > TIE)
    state.young[right, left] = young_lost + decided * (outcome < TIE)
    state.generation[left, right] = surprise["generation"]
    state.generation[right, left] = surprise["generation"]
    if leader not in (left, right):
        return
    other = right
    if right == leader:
        other = left
        won, lost, outcome = lost, won, 1.0 - outcome
    arm = state.arms[other]
    lasting = state.rule[0]["lasting"]
    arm["met"] = lasting * arm["met"] + decided
    arm["met_lost"] = lasting * arm["met_lost"] + decided * (outcome > TIE)
    chance = (won + SHRUNK) / (won + lost + 2.0 * SHRUNK)
    if chance > 0.5:
        arm["surprise"] = max(0.0, arm["surprise"] + ratio(outcome, 0.75 - 0.5 * chance, chance))
        surprise["level"] = max(0.0, surprise["level"] + ratio(outcome, 0.5, chance))
        surprise["turned"] = max(0.0, surprise["turned"] + ratio(outcome, 1.0 - chance, chance))
    else:
        # The leader is not expected to win any more, so nothing is odd about that.
        arm["surprise"] = 0.0


@inline_kernel
def calm(state: DriftDuelState) -> None:
    """Begin a new generation of young duels if nothing is odd about the present one."""
    surprise = state.surprise[0]
    # Ratios whose product is 1 add up to 0 but for rounding.
    if surprise["any"] <= ROUNDING:
        surprise["any"] = 0.0
        surprise["generation"] += 1
        surprise["old_n"] = surprise["n"]
        surprise["old_sum"] = surprise["sum"]


@kernel
def is_alarm(state: DriftDuelState) -> bool:
    """Tell whether a surprise is an alarm."""
    rule = state.rule[0]
    if largest(state) <= rule["alarm"]:
        return False
    threshold = rule["alarm"] + rule["more_alarm"] * math.log(1.0 + state.clock[0]["alarms"])
    return largest(state) > threshold


@kernel
def doubt_the_old(state: DriftDuelState) -> None:
    """Let what is older than the young duels count for little: the alarm's consequence."""
    clock = state.clock[0]
    keep = state.rule[0]["keep"]
    n_arms = state.arms.shape[0]
    for arm in range(n_arms):
        state.arms[arm]["n"] *= keep
        state.arms[arm]["sum"] *= keep
        for other in range(n_arms):
            young = young_wins(state, arm, other)
            old = max(0.0, state.wins[arm, other] - young)
            state.wins[arm, other] = keep * old + young
            young = young_ties(state, arm, other)
            state.ties[arm, other] = keep * max(0.0, state.ties[arm, other] - young) + young
    surprise = state.surprise[0]
    surprise["any"] = 0.0
    surprise["generation"] += 1
    clock["alarms"] += 1
    clock["alarmed"] = clock["round"]
    watch_anew(state)
    sum_evidence(state)
    if state.rule[0]["scored"]:
        score_all(state)


@kernel
def watch_anew(state: DriftDuelState) -> None:
    """Forget what was odd about the leader's duels, and its tosses."""
    surprise = state.surprise[0]
    surprise["level"] = 0.0
    surprise["turned"] = 0.0
    leader = state.clock[0]["leader"]
    most = 1.0 / (1.0 - state.rule[0]["lasting"])
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        record["surprise"] = 0.0
        lost = state.wins[leader, arm]
        duels = lost + state.wins[arm, leader]
        share = most / max(most, duels)
        record["met"] = share * duels
        record["met_lost"] = share * lost
    surprise["n"] = 0.0
    surprise["sum"] = 0.0
    surprise["old_n"] = 0.0
    surprise["old_sum"] = 0.0
