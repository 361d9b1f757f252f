"""What is known of pairs and arms: evidence against an arm, scores, who is strongest, who leads.

Wins are counted without ties, which do not tell who is better; a graded outcome is partly either.
*Evidence against* arm i is the sum, over the arms j that won more often, of ``N kl(W_ij / N, 1/2)``
(Komiyama et al., RMED), for Condorcet less what is there by chance if many are as good as i: small
for an arm that may beat all others.

The *score* of arm i averages its chances against the others by the reference weight; here a tie is
half a win. Each chance is ``(W_ij + m_i) / (N + 1)``, where m_i is the mean of the arm's tosses, so
that a pair without duels counts as the arm's tosses do. Scores are on the scale on which the
uniform weight gives the mean chance against the other arms.
"""

from __future__ import annotations

import math

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftduel.state import DriftDuelState

TIE = 0.5
"""The outcome of a duel that nobody won."""

LEAST_SPREAD = 0.04
"""The variance of an outcome is taken to be so large at least."""

FRESH = 0.98
"""What is left of a recent duel after the next one of the arm."""

EXACT_EVERY = 500
"""After so many duels the evidence is summed again, against rounding."""

DUELS_BEFORE_TIES = 20.0
"""So many duels without a tie are assumed of every arm."""

LEAST_DECIDED = 0.02
"""At least this share of an arm's duels is taken to be no tie."""

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
    add_evidence(state, left, right, -1)
    fade_pair(state, left, right)
    decided = decisive(outcome)
    state.wins[left, right] += decided * (outcome > TIE)
    state.wins[right, left] += decided * (outcome < TIE)
    state.ties[left, right] += 1.0 - decided
    state.ties[right, left] = state.ties[left, right]
    add_evidence(state, left, right, 1)
    refresh(state, left, outcome)
    refresh(state, right, 1.0 - outcome)


@inline_kernel
def decisive(outcome: float) -> float:
    """Return how much of an outcome is a win of either arm; the rest is a tie."""
    return abs(2.0 * outcome - 1.0)


@inline_kernel
def fade_pair(state: DriftDuelState, left: int, right: int) -> None:
    """Let the duels of a pair fade if they are many; those of one that is undecided fade slower."""
    rule = state.rule[0]
    won = state.wins[left, right]
    lost = state.wins[right, left]
    most = rule["most"]
    duels = won + lost + state.ties[left, right]
    if duels <= most:
        return
    if even_evidence(won, lost) < hopeful(state):
        most *= rule["undecided"]
        if duels <= most:
            return
    fading = 1.0 - 1.0 / most
    state.wins[left, right] *= fading
    state.wins[right, left] *= fading
    state.ties[left, right] *= fading


@inline_kernel
def add_evidence(state: DriftDuelState, left: int, right: int, factor: int) -> None:
    """Add the evidence of a pair, or take it back, to the arm that lost more."""
    won = state.wins[left, right]
    lost = state.wins[right, left]
    if won != lost:
        loser = left if won < lost else right
        state.arms[loser]["against"] += factor * even_evidence(won, lost)
        state.arms[loser]["behind"] += factor
        state.arms[left + right - loser]["ahead"] += factor


@inline_kernel
def evidence_against(state: DriftDuelState, arm: int) -> float:
    """Return the evidence against an arm, less what so many arms are ahead by chance.

    An arm that is as good as many others is behind half of them by luck, which adds up, and ahead
    of as many. The first that is ahead of it counts in full.
    """
    record = state.arms[arm]
    lucky = max(0, min(record["behind"] - 1, record["ahead"]))
    return max(0.0, record["against"] - state.rule[0]["noise"] * lucky)


@inline_kernel
def hopeful(state: DriftDuelState) -> float:
    """Return the evidence below which an arm may beat all others."""
    return state.rule[0]["hope"] * math.log(age(state) + state.arms.shape[0])


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
        behind = 0
        ahead_of = 0
        for other in range(n_arms):
            won = state.wins[arm, other]
            lost = state.wins[other, arm]
            if lost > won:
                total += even_evidence(won, lost)
                behind += 1
            ahead_of += won > lost
        state.arms[arm]["against"] = total
        state.arms[arm]["behind"] = behind
        state.arms[arm]["ahead"] = ahead_of


@inline_kernel
def decided_share(state: DriftDuelState, arm: int) -> float:
    """Return what share of the duels of an arm is no tie; few ties are taken to be none."""
    duels = DUELS_BEFORE_TIES
    ties = 0.0
    for other in range(state.arms.shape[0]):
        tied = state.ties[arm, other]
        ties += tied
        duels += state.wins[arm, other] + state.wins[other, arm] + tied
    return max(LEAST_DECIDED, 1.0 - ties / duels)


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
    all_duels = DUELS_BEFORE_TIES
    all_ties = 0.0
    for other in range(n_arms):
        if other == arm:
            continue
        ties = state.ties[arm, other]
        duels = state.wins[arm, other] + state.wins[other, arm] + ties
        all_duels += duels
        all_ties += ties
        share = 1.0 / (duels + 1.0)
        chance = share * (state.wins[arm, other] + 0.5 * ties + prior)
        tied = share * ties
        spread = max(LEAST_SPREAD * (1.0 - tied), chance * (1.0 - chance) - 0.25 * tied)
        weight = mix[other]["weight"]
        total += weight * (chance - 0.5)
        weight *= share
        unseen += weight
        variance += weight * weight * duels * spread
    record["stale"] = 0
    scale = n_arms / (n_arms - 1.0)
    record["score"] = 0.5 + scale * total
    # Means of tosses vary the less the more are ties.
    unseen *= unseen * max(LEAST_DECIDED, 1.0 - all_ties / all_duels)
    record["variance"] = scale * scale * (0.25 * unseen / (n + 2.0) + variance)


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
    least = evidence_against(state, strongest)
    if least <= 0.0:
        return
    least -= state.rule[0]["depose"] * math.log(age(state) + n_arms)
    best_rate = -1.0
    found = strongest
    for arm in range(n_arms):
        record = state.arms[arm]
        against = evidence_against(state, arm)
        if arm == strongest or against > least + ROUNDING:
            continue
        rate = (record["recent_wins"] + 1.0) / (record["recent"] + 2.0)
        if against < least - ROUNDING or rate > best_rate:
            found = arm
            least = against
            best_rate = rate
    clock["strongest"] = found
