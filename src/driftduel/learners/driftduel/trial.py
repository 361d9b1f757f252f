"""The trial of a leader that lost its place, which tells whether the world changed.

At an alarm, or when a settled leader is deposed, the duels before that moment and those since are
kept apart. Once another arm leads and nobody challenges it, some rounds toss the *accused*, within
a budget. The evidence is the larger of two: the likelihood ratio of its tosses before and since
having one mean or two, and the Bayes factor of its pairs having one chance or two; less the
logarithm of how many looks there were for each toss. If the new leader has risen, it is tossed for
instead, and its tosses, the calm and the odd ones, are evidence in the same way. A change is
*likely* at a low threshold, after which the learner looks more often, and *proved* at a high one,
which begins an episode. Both need the new leader to be clearly ahead of the accused, and a proof
that nobody challenged it.
"""

from __future__ import annotations

import math

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel, log_gamma
from driftduel.learners.driftduel.knowledge import TIE, ahead, decisive, evidence_against
from driftduel.learners.driftduel.rises import calm_down, forget_rises
from driftduel.learners.driftduel.state import DriftDuelState
from driftduel.learners.driftduel.surprise import ratio, young_wins
from driftduel.learners.parts.dates import date_change
from driftduel.learners.parts.journal import note_change, note_episode
from driftduel.learners.parts.replays import schedule_replays
from driftduel.learners.parts.tally import count_anew

_lgamma = log_gamma()

ENOUGH = 12.0
"""Tosses of a leader that is put on trial without an alarm, or that another one rose above."""

FEW = 4.0
"""Tosses before and since that a likelihood ratio needs."""

SMALLEST_LEAD = 0.05
"""A lead is taken to be so large at least when the budget of a trial is set."""

REST = 3.0
"""What the budget of a trial adds to the threshold of a proof."""


@inline_kernel
def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the Beta function."""
    return _lgamma(a) + _lgamma(b) - _lgamma(a + b)


@kernel
def bayes_factor(won0: float, lost0: float, won1: float, lost1: float) -> float:
    """Return the log of how much likelier later duels are with a chance of their own."""
    apart = log_beta(1.0 + won1, 1.0 + lost1)
    together = log_beta(1.0 + won0 + won1, 1.0 + lost0 + lost1) - log_beta(1.0 + won0, 1.0 + lost0)
    return apart - together


@kernel
def divergence(p: float, q: float) -> float:
    """Return the relative entropy of coins with chances p and q."""
    p = min(max(p, 1e-9), 1.0 - 1e-9)
    q = min(max(q, 1e-9), 1.0 - 1e-9)
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


@kernel
def drop(n0: float, sum0: float, n1: float, sum1: float) -> float:
    """Return how much better two means explain tosses than one, if the mean fell; otherwise 0."""
    if n0 < FEW or n1 < FEW or sum1 * n0 >= sum0 * n1:
        return 0.0
    mean = (sum0 + sum1) / (n0 + n1)
    return n0 * divergence(sum0 / n0, mean) + n1 * divergence(sum1 / n1, mean)


@inline_kernel
def tried(state: DriftDuelState) -> int:
    """Return for whom a trial tosses: the leader if it has risen, or the accused."""
    leader = state.clock[0]["leader"]
    if state.arms[leader]["risen"]:
        return int(leader)
    return int(state.trial[0]["accused"])


@kernel
def open_test(state: DriftDuelState, leader: int) -> None:
    """Put a leader on trial; the moment is when the young duels began.

    A second alarm about the same leader, before another one leads, only moves the moment.
    """
    surprise = state.surprise[0]
    trial = state.trial[0]
    again = trial["on"] and trial["accused"] == leader
    n = surprise["n"] - surprise["old_n"]
    total = surprise["sum"] - surprise["old_sum"]
    if again:
        trial["n0"] += trial["n1"] - n
        trial["sum0"] += trial["sum1"] - total
    else:
        trial["n0"] = surprise["old_n"]
        trial["sum0"] = surprise["old_sum"]
    trial["n1"] = n
    trial["sum1"] = total
    trial["on"] = 1
    trial["accused"] = leader
    trial["counted"] = 0
    trial["budget"] = 0.0
    trial["spent"] = 0.0
    n_arms = state.arms.shape[0]
    for arm in range(n_arms):
        for other in range(n_arms):
            young = young_wins(state, arm, other)
            known = state.wins[arm, other]
            if again:
                known = state.before[arm, other] + state.since[arm, other]
            state.before[arm, other] = max(0.0, known - young)
            state.since[arm, other] = young
    trial["pairs"] = 0.0
    for other in range(n_arms):
        if other != leader and is_known(state, leader, other):
            trial["pairs"] += bayes_factor(
                state.before[leader, other],
                state.before[other, leader],
                state.since[leader, other],
                state.since[other, leader],
            )


@inline_kernel
def is_known(state: DriftDuelState, arm: int, other: int) -> bool:
    """Tell whether there were enough duels of a pair before the moment."""
    duels = state.before[arm, other] + state.before[other, arm]
    return duels >= state.rule[0]["old_duels"]


@inline_kernel
def observe(state: DriftDuelState, left: int, right: int, outcome: float) -> None:
    """Add a duel to those since the moment."""
    trial = state.trial[0]
    if trial["on"] == 0:
        return
    accused = trial["accused"]
    if accused in (left, right) and is_known(state, left, right):
        won1 = state.since[left, right] + 1.0
        duels1 = won1 + state.since[right, left] + 1.0
        won = won1 + state.before[left, right]
        duels = duels1 + state.before[left, right] + state.before[right, left]
        trial["pairs"] += ratio(outcome, won1 / duels1, won / duels)
    decided = decisive(outcome)
    state.since[left, right] += decided * (outcome > TIE)
    state.since[right, left] += decided * (outcome < TIE)


@kernel
def set_budget(state: DriftDuelState) -> None:
    """Say what the trial may cost, when it begins in earnest: a small lead takes more tosses."""
    rule = state.rule[0]
    trial = state.trial[0]
    lead = SMALLEST_LEAD
    if trial["n0"] > 0.0:
        lead = max(lead, trial["sum0"] / trial["n0"] - 0.5)
    enough = rule["trial_cost"] * (rule["proved_at"] + REST) / (2.0 * lead * lead)
    trial["budget"] = max(1.0, min(rule["most_trial"] / (1.0 + trial["failed"]), enough))
    trial["spent"] = 0.0


@kernel
def decide(state: DriftDuelState, rng: np.random.Generator) -> None:
    """Count a likely change, prove one, or end a trial that has cost enough."""
    clock = state.clock[0]
    trial = state.trial[0]
    if trial["on"] == 0 or clock["leader"] == trial["accused"]:
        return
    if trial["budget"] == 0.0:
        set_budget(state)
    evidence = max(evidence_of_fall(state), evidence_of_rise(state))
    if evidence >= state.rule[0]["likely_at"] and is_clear(state):
        if trial["counted"] == 0:
            trial["counted"] = 1
            clock["shifts"] += 1
        # While others may still beat the leader it may not be who took over.
        if clock["settled"] and evidence >= state.rule[0]["proved_at"]:
            restart(state, rng)
            return
    if trial["spent"] >= trial["budget"]:
        trial["on"] = 0
        trial["failed"] += 1
        calm_down(state, clock["leader"])


@inline_kernel
def evidence_of_fall(state: DriftDuelState) -> float:
    """Return the evidence that the accused is worse since the moment."""
    trial = state.trial[0]
    evidence = drop(trial["n0"], trial["sum0"], trial["n1"], trial["sum1"])
    looks = 1.0 + state.clock[0]["duels"] / max(1.0, trial["n1"])
    return max(evidence, trial["pairs"]) - math.log(looks)


@inline_kernel
def evidence_of_rise(state: DriftDuelState) -> float:
    """Return the evidence that the leader is better since its tosses became odd."""
    new = state.arms[state.clock[0]["leader"]]
    # Who led for a moment only is not the one whose place it took.
    if new["risen"] == 0 or state.trial[0]["n0"] < ENOUGH:
        return -math.inf
    lost = new["calm_n"] - new["calm_sum"]
    evidence = drop(new["calm_n"], lost, new["odd_n"], new["odd_n"] - new["odd_sum"])
    return evidence - math.log(1.0 + state.clock[0]["duels"] / max(1.0, new["odd_n"]))


@kernel
def is_clear(state: DriftDuelState) -> bool:
    """Tell whether the leader is clearly ahead of the accused."""
    clear = state.rule[0]["clear"]
    leader = state.clock[0]["leader"]
    accused = state.trial[0]["accused"]
    if state.rule[0]["scored"]:
        return ahead(state, leader, accused) > clear
    lead = evidence_against(state, accused) - evidence_against(state, leader)
    return lead >= 0.5 * clear * clear


@kernel
def restart(state: DriftDuelState, rng: np.random.Generator) -> None:
    """Begin an episode: a change is proved."""
    clock = state.clock[0]
    trial = state.trial[0]
    now = clock["round"]
    note_episode(state.journal, now)
    accused = trial["accused"]
    leader = clock["leader"]
    earliest, latest = date_change(state.timeline, clock["changed"], accused, leader)
    number = clock["restarts"]
    around = (earliest + latest) // 2
    note_change(state.changes, number, now, around, earliest, latest, accused, leader)
    count_anew(state.tally, now)
    clock["changed"] = latest
    clock["restarts"] += 1
    clock["episode"] = now
    clock["alarms"] = 0
    trial["on"] = 0
    trial["failed"] = 0
    forget_rises(state)
    schedule_replays(state.replays, rng, now)
