"""What is known of pairs and arms: evidence against an arm, scores, who is strongest, who leads.

*Evidence against* arm i is the sum, over the arms j that won more often, of ``N kl(W_ij / N, 1/2)``
(Komiyama et al., RMED): small for an arm that may beat all others.

The *score* of arm i averages its chances against the others by the reference weight. Each chance
is ``(W_ij + m_i) / (N + 1)``, where m_i is the mean of the arm's tosses, so that a pair without
duels counts as the arm's tosses do. Scores are on the scale on which the uniform weight gives the
mean chance against the other arms.
"""

from __future__ import annotations

import math

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftduel.state import DriftDuelState

LEAST_SPREAD = 0.04
"""The variance of an outcome is taken to be so large at least."""

FRESH = 0.98
"""What is left of a recent duel after the next one of the arm."""

EXACT_EVERY = 500
"""After so many duels the evidence is summed again, against rounding."""

TOSSES_TO_LEAD = 3.0
"""An arm that leads by its score has more tosses."""

ROUNDING = 1e-9
"""Sums that differ by less are the same but for rounding."""


@inline_kernel
def even_evidence(wins: float, losses: float) -> float:
    """Return N kl(wins / N, 1/2), the evidence that a pair is not even."""
    n = wins + losses
    evidence = n * 0.6931471805599453
    # A win that faded for long is the least of all numbers, and 0 as a share.
    if wins > 0.0 and wins / n > 0.0:
        evidence += wins * math.log(wins / n)
    if losses > 0.0 and losses / n > 0.0:
        evidence += losses * math.log(losses / n)
    return evidence


@inline_kernel
def count_duel(state: DriftDuelState, left: int, right: int, outcome: float) -> None:
    """Add a duel to what is known of the pair and of both arms."""
    rule = state.rule[0]
    wins = state.wins
    add_evidence(state, left, right, -1.0)
    if wins[left, right] + wins[right, left] > rule["most"]:
        fading = 1.0 - 1.0 / rule["most"]
        wins[left, right] *= fading
        wins[right, left] *= fading
    wins[left, right] += outcome
    wins[right, left] += 1.0 - outcome
    add_evidence(state, left, right, 1.0)
    refresh(state, left, outcome)
    refresh(state, right, 1.0 - outcome)


@inline_kernel
def add_evidence(state: DriftDuelState, left: int, right: int, factor: float) -> None:
    """Add the evidence of a pair, or take it back, to the arm that lost more."""
    won = state.wins[left, right]
    lost = state.wins[right, left]
    if won != lost:
        loser = left if won < lost else right
        state.arms[loser]["against"] += factor * even_evidence(won, lost)


@inline_kernel
def refresh(state: DriftDuelState, arm: int, value: float) -> None:
    """Let the recent duels of an arm fade and add one."""
    record = state.arms[arm]
    record["recent_wins"] = record["recent_wins"] * FRESH + value
    record["recent"] = record["recent"] * FRESH + 1.0


@kernel
def sum_evidence(state: DriftDuelState) -> None:
    """Sum the evidence against each arm again."""
    n_arms = state.arms.shape[0]
    state.clock[0]["exact"] = state.clock[0]["duels"]
    for arm in range(n_arms):
        total = 0.0
        for other in range(n_arms):
            if other != arm and state.wins[other, arm] > state.wins[arm, other]:
                total += even_evidence(state.wins[arm, other], state.wins[other, arm])
        state.arms[arm]["against"] = total


@kernel
def score(state: DriftDuelState, arm: int) -> None:
    """Compute the score of an arm and its variance."""
    n_arms = state.arms.shape[0]
    record = state.arms[arm]
    mix = state.reference.mix[state.reference.turn[0]["row"]]
    n = record["n"]
    prior = (record["sum"] + 1.0) / (n + 2.0)
    total = 0.0
    unseen = 0.0
    variance = 0.0
    for other in range(n_arms):
        if other == arm:
            continue
        won = state.wins[arm, other]
        duels = won + state.wins[other, arm]
        share = 1.0 / (duels + 1.0)
        chance = share * (won + prior)
        weight = mix[other]["weight"]
        total += weight * (chance - 0.5)
        weight *= share
        unseen += weight
        variance += weight * weight * duels * max(LEAST_SPREAD, chance * (1.0 - chance))
    record["stale"] = 0
    scale = n_arms / (n_arms - 1.0)
    record["score"] = 0.5 + scale * total
    record["variance"] = scale * scale * (0.25 * unseen * unseen / (n + 2.0) + variance)


@kernel
def score_all(state: DriftDuelState) -> None:
    """Compute all scores."""
    for arm in range(state.arms.shape[0]):
        score(state, arm)


@inline_kernel
def ahead(state: DriftDuelState, arm: int, other: int) -> float:
    """Return by how many standard deviations the score of an arm is above another's."""
    one = state.arms[arm]
    two = state.arms[other]
    return (one["score"] - two["score"]) / math.sqrt(one["variance"] + two["variance"])


@inline_kernel
def age(state: DriftDuelState) -> float:
    """Return the rounds since the last alarm, from 1."""
    return state.clock[0]["round"] - state.clock[0]["alarmed"] + 1.0


@kernel
def find_leader(state: DriftDuelState) -> None:
    """Set the strongest arm, and the leader: the strongest, or who has a better score than it."""
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    find_strongest(state)
    strongest = clock["strongest"]
    if state.rule[0]["scored"] == 0:
        clock["leader"] = strongest
        return
    best = clock["leader"] if clock["by_scores"] else strongest
    for arm in range(n_arms):
        if (
            state.arms[arm]["score"] > state.arms[best]["score"]
            and state.arms[arm]["n"] > TOSSES_TO_LEAD
        ):
            best = arm
    if clock["by_scores"]:
        clock["leader"] = best
        if state.arms[strongest]["score"] >= state.arms[best]["score"]:
            clock["by_scores"] = 0
            clock["by_scores_since"] = 0
            clock["leader"] = strongest
    else:
        clock["leader"] = strongest
        if best != strongest and ahead(state, best, strongest) > state.rule[0]["sway"]:
            clock["by_scores"] = 1
            clock["by_scores_since"] = clock["round"]
            clock["leader"] = best


@kernel
def find_strongest(state: DriftDuelState) -> None:
    """Keep the strongest arm unless there is clearly less evidence against another."""
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    strongest = clock["strongest"]
    if state.arms[strongest]["against"] <= 0.0:
        return
    least = state.arms[strongest]["against"] - state.rule[0]["depose"] * math.log(
        age(state) + n_arms
    )
    best_rate = -1.0
    found = strongest
    for arm in range(n_arms):
        record = state.arms[arm]
        if arm == strongest or record["against"] > least + ROUNDING:
            continue
        rate = (record["recent_wins"] + 1.0) / (record["recent"] + 2.0)
        if record["against"] < least - ROUNDING or rate > best_rate:
            found = arm
            least = record["against"]
            best_rate = rate
    clock["strongest"] = found
