"""Rises: tosses of an arm that are clearly better than they used to be, whoever leads.

Duels with the leader do not tell of an arm that rises against everybody else. For each arm two sums
of log-likelihood ratios of its tosses are kept at 0 or above (Page's CUSUM): the mean is that of
the leader's score now, or half way from there to certain wins, against the arm's own mean. While a
sum is large the arm is tossed for more often; above a threshold the arm has *risen*: what is known
of its tosses and of its duels with others than the leader counts for little. Tosses until nothing
was odd, the *calm* ones, and those since, the *odd* ones, tell a trial whether it rose.
"""

from __future__ import annotations

import math

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftduel.knowledge import (
    ROUNDING,
    decided_share,
    score_all,
    sum_evidence,
)
from driftduel.learners.driftduel.state import DriftDuelState
from driftduel.learners.driftduel.surprise import MOST_SURPRISE, SHRUNK, ratio

SMALLEST, LARGEST = 0.05, 0.95
"""A mean is taken to be between these."""


@inline_kernel
def among_decided(mean: float, decided: float) -> float:
    """Return the mean of the outcomes that are no ties."""
    return min(LARGEST, max(SMALLEST, 0.5 + (mean - 0.5) / decided))


@inline_kernel
def watch_rise(state: DriftDuelState, arm: int, value: float) -> None:
    """Add what is odd about a toss for an arm, before it is counted."""
    leader = state.clock[0]["leader"]
    record = state.arms[arm]
    goal = min(LARGEST, max(SMALLEST, state.arms[leader]["score"]))
    old = (record["sum"] + SHRUNK) / (record["n"] + 2.0 * SHRUNK)
    old = min(LARGEST, max(SMALLEST, old))
    if arm != leader and old < goal - ROUNDING:
        # A tie does not tell who is better, so means are taken of the others alone.
        decided = decided_share(state, arm)
        old = among_decided(old, decided)
        new = among_decided(goal, decided)
        record["rise"] = max(0.0, record["rise"] + ratio(value, new, old))
        new = among_decided(0.5 + 0.5 * goal, decided)
        record["leap"] = max(0.0, record["leap"] + ratio(value, new, old))
    else:
        record["rise"] = 0.0
        record["leap"] = 0.0
    record["odd_n"] += 1.0
    record["odd_sum"] += value
    if max(record["rise"], record["leap"]) <= ROUNDING and record["risen"] == 0:
        calm_down(state, arm)


@inline_kernel
def calm_down(state: DriftDuelState, arm: int) -> None:
    """Take odd tosses for usual ones."""
    record = state.arms[arm]
    record["calm_n"] += record["odd_n"]
    record["calm_sum"] += record["odd_sum"]
    record["odd_n"] = 0.0
    record["odd_sum"] = 0.0
    record["risen"] = 0


@kernel
def forget_rises(state: DriftDuelState) -> None:
    """Forget which tosses were odd."""
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        record["rise"] = 0.0
        record["leap"] = 0.0
        record["risen"] = 0
        record["calm_n"] = 0.0
        record["calm_sum"] = 0.0
        record["odd_n"] = 0.0
        record["odd_sum"] = 0.0


@kernel
def weigh_rises(state: DriftDuelState) -> float:
    """Set by how much more often each arm is tossed for because its tosses look oddly good."""
    total = 0.0
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        record["again"] = 0.0
        if arm != state.clock[0]["leader"]:
            odd = max(record["rise"], record["leap"])
            record["again"] = math.exp(min(odd, MOST_SURPRISE)) - 1.0
            total += record["again"]
    state.plan[0]["rises"] = total
    return total


@inline_kernel
def draw_rise(state: DriftDuelState, rng: np.random.Generator) -> int:
    """Draw an arm of which tosses look oddly good."""
    number = rng.random() * state.plan[0]["rises"]
    last = 0
    for arm in range(state.arms.shape[0]):
        if state.arms[arm]["again"] > 0.0:
            last = arm
            number -= state.arms[arm]["again"]
            if number < 0.0:
                break
    return last


@kernel
def judge_rises(state: DriftDuelState) -> None:
    """Let what was known of an arm count for little if it has risen."""
    bar = state.rule[0]["rise"] + math.log(state.arms.shape[0])
    changed = False
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        if arm != state.clock[0]["leader"] and max(record["rise"], record["leap"]) > bar:
            believe_rise(state, arm)
            changed = True
    if changed:
        sum_evidence(state)
        score_all(state)


@kernel
def believe_rise(state: DriftDuelState, arm: int) -> None:
    """Let older tosses of an arm, and its duels with others than the leader, count for little."""
    record = state.arms[arm]
    keep = state.rule[0]["keep"]
    record["rise"] = 0.0
    record["leap"] = 0.0
    record["risen"] = 1
    old = max(0.0, record["n"] - record["odd_n"])
    old_sum = min(old, max(0.0, record["sum"] - record["odd_sum"]))
    record["n"] = record["odd_n"] + keep * old
    record["sum"] = record["odd_sum"] + keep * old_sum
    for other in range(state.arms.shape[0]):
        if other not in (arm, state.clock[0]["leader"]):
            state.wins[arm, other] *= keep
            state.wins[other, arm] *= keep
            state.ties[arm, other] *= keep
            state.ties[other, arm] *= keep
