"""The plan for the next rounds: who may challenge the leader, and the chance of each kind of duel.

Kinds of duels of two arms: the leader meets its *challenger*, who may beat it; a *look* tosses for
the leader; an *audit* tosses for an arm whose score may be the best; a *background* toss is any
arm's; an *extra* duel sets the leader against an arm that did oddly well against it; a *trial*
tosses for the leader of before. A *toss* for an arm is a duel with an opponent drawn from the
reference weight. Otherwise the leader plays itself. The plan depends on what was told alone, so
the chance of every pair is known.
"""

from __future__ import annotations

import math

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftduel.knowledge import age, ahead
from driftduel.learners.driftduel.state import DriftDuelState
from driftduel.learners.driftduel.surprise import largest
from driftduel.learners.parts.journal import note_activation, note_eviction

MOST_SURPRISE = 20.0
"""A surprise multiplies the rate of looks by exp of so much at most."""

SMALLEST_LEAD, LARGEST_LEAD = 0.02, 0.5
"""A lead is taken to be between these where rates are tuned to it."""

USUAL_LEAD = 0.25

SAME = 1.0 + 1e-9
"""Variances within this factor are the same but for rounding."""

PAUSE = 2
"""A plan holds for a duel more for each so many arms that nothing was decided about for long."""

STRETCH = 16
"""A plan holds for this part of the rounds since the last alarm, unless something happens."""


@kernel
def make_plan(state: DriftDuelState, rng: np.random.Generator) -> None:
    """Find the challenger and the arms that may be best, and set the chances."""
    clock = state.clock[0]
    plan = state.plan[0]
    rule = state.rule[0]
    n_arms = state.arms.shape[0]
    hopeful = rule["hope"] * math.log(age(state) + n_arms)
    challengers, doubtful, lead = survey(state, hopeful, int(rng.random() * n_arms))
    if challengers == 0:
        clock["settled"] = 1
    audit = audit_rate(state, doubtful)
    usual = look_rate(state, lead)
    look = min(1.0, usual * math.exp(rule["urge"] * min(largest(state), MOST_SURPRISE)))
    background = background_rate(state, usual)
    plan["trial"] = 0.0
    plan["extra"] = 0.0
    plan["challenge"] = 0.0
    share = 1.0
    if challengers == 0:
        if is_trying(state):
            plan["trial"] = rule["trial_share"]
        extra = min(1.0, look * extra_weights(state) / (n_arms - 1.0))
        share = (1.0 - plan["trial"]) / max(1.0, look + audit + background + extra)
        plan["extra"] = share * extra
    else:
        share = throttle(state, hopeful, audit + look)
        background = min(background, 1.0 - audit)
        rest = 1.0 - audit - background
        look = max(look, rule["mixed"])
        plan["challenge"] = share * rest * (1.0 - look)
        look *= rest
    plan["look"] = share * look
    plan["audit"] = share * audit
    plan["background"] = share * background
    total = plan["trial"] + plan["look"] + plan["audit"]
    plan["total"] = total + plan["background"] + plan["extra"] + plan["challenge"]
    # For weak regret the leader should be in every duel, and meets the strongest arm anyway.
    plan["witness"] = clock["by_scores"] * (1 - rule["weak"])
    clock["wake"] = next_wake(state)
    clock["due"] = clock["duels"] + 1
    if age(state) > rule["patience"] * n_arms:
        # Much was undecided for long, so the plan may hold for some duels.
        clock["due"] += max(challengers, doubtful) // PAUSE


@kernel
def next_wake(state: DriftDuelState) -> int:
    """Return the round at which the plan is made again, whatever happens."""
    clock = state.clock[0]
    now = clock["round"]
    stretch = max(1, min(now, int(age(state))) // STRETCH)
    wake = min(now + stretch, state.reference.turn[0]["next"])
    wake = min(wake, state.replays.schedule[0]["next"])
    if clock["replay_end"] > now:
        wake = min(wake, clock["replay_end"])
    return wake


@kernel
def survey(state: DriftDuelState, hopeful: float, offset: int) -> tuple[int, int, float]:
    """Go through all arms: who may beat the leader, whose score may be better, who is active.

    Sets the challenger, the arm with the best prospect of beating the leader, and who is audited.
    Returns how many may beat it, how many scores are in doubt, and the leader's mean lead.
    """
    clock = state.clock[0]
    rule = state.rule[0]
    plan = state.plan[0]
    n_arms = state.arms.shape[0]
    leader = clock["leader"]
    own = state.arms[leader]
    plan["challenger"] = -1
    plan["audited"] = leader
    bar = hopeful + rule["share"] * own["against"]
    bonus = 0.5 * hopeful
    prior = rule["prior"]
    best = -1.0
    challengers = 0
    doubtful = 0
    widest = -1.0
    lead = 0.0
    for step in range(n_arms):
        arm = step + offset
        if arm >= n_arms:
            arm -= n_arms
        if arm == leader:
            if not state.is_active[arm]:
                note_return(state, arm)
            continue
        record = state.arms[arm]
        won = state.wins[arm, leader]
        duels = won + state.wins[leader, arm]
        lead += 0.5 - (won + 1.0) / (duels + 2.0)
        active = False
        if clock["by_scores"] == 0 and record["against"] < bar:
            active = True
            challengers += 1
            rate = (record["recent_wins"] + 1.0) / (record["recent"] + 2.0)
            share = 1.0 / (duels + prior)
            prospect = share * (won + prior * rate) + math.sqrt(bonus * share)
            if prospect > best:
                best = prospect
                plan["challenger"] = arm
        if rule["scored"]:
            doubt = rule["doubt"]
            if clock["by_scores"] and arm == clock["strongest"]:
                doubt = rule["return_doubt"]
            behind = own["score"] - record["score"]
            spread = own["variance"] + record["variance"]
            if behind <= 0.0 or behind * behind < doubt * doubt * spread:
                active = True
                doubtful += 1
                if record["variance"] > widest * SAME:
                    widest = record["variance"]
                    plan["audited"] = arm
        if active != state.is_active[arm]:
            if active:
                note_return(state, arm)
            else:
                note_exit(state, arm, bar)
    if doubtful > 0 and widest <= own["variance"] * math.sqrt(doubtful) * SAME:
        plan["audited"] = leader
    if clock["n_active"] == 0:
        list_active(state)
    return challengers, doubtful, lead / (n_arms - 1.0)


@kernel
def list_active(state: DriftDuelState) -> None:
    """List the active arms in order."""
    count = 0
    for arm in range(state.arms.shape[0]):
        if state.is_active[arm]:
            state.active[count] = arm
            count += 1
    state.clock[0]["n_active"] = count


@kernel
def throttle(state: DriftDuelState, hopeful: float, others: float) -> float:
    """Return the share of rounds that are not the leader's against itself while arms challenge."""
    rule = state.rule[0]
    patience = rule["patience"] * state.arms.shape[0]
    if state.arms[state.clock[0]["leader"]]["against"] >= hopeful or age(state) <= patience:
        return 1.0
    return min(1.0, (patience / age(state)) ** rule["throttle"] + others)


@kernel
def audit_rate(state: DriftDuelState, doubtful: int) -> float:
    """Return the rate of tosses while so many scores are in doubt."""
    if doubtful == 0:
        return 0.0
    clock = state.clock[0]
    own = state.arms[clock["leader"]]
    lead = own["score"] - 0.5 - 0.5 * math.sqrt(own["variance"])
    lead = min(LARGEST_LEAD, max(SMALLEST_LEAD, lead)) / USUAL_LEAD
    since = min(age(state), clock["round"] - clock["by_scores_since"] + 1.0)
    rate = ((doubtful + 1.0) / (since * lead * lead)) ** (1 / 3)
    return min(1.0, state.rule[0]["audit"] * rate)


@kernel
def look_rate(state: DriftDuelState, lead: float) -> float:
    """Return how often the leader is looked at while nothing is odd."""
    clock = state.clock[0]
    rule = state.rule[0]
    lead = min(LARGEST_LEAD, max(SMALLEST_LEAD, lead))
    hazard = (rule["hazard"] + rule["shift_hazard"] * clock["shifts"]) / (clock["round"] + 1.0)
    return rule["watch"] * math.sqrt(hazard * (state.arms.shape[0] - 1.0) * USUAL_LEAD / lead)


@inline_kernel
def background_rate(state: DriftDuelState, look: float) -> float:
    """Return the rate of tosses of any arm; a replay explores as BOSSE does."""
    clock = state.clock[0]
    rate = state.rule[0]["background"] * look if state.rule[0]["scored"] else 0.0
    if clock["round"] < clock["replay_end"]:
        played = clock["round"] - clock["replay_start"] + 1.0
        rate = max(rate, (state.arms.shape[0] / played) ** (1 / 3))
    return min(1.0, rate)


@kernel
def extra_weights(state: DriftDuelState) -> float:
    """Set by how much each arm that did oddly well against the leader meets it more often."""
    total = 0.0
    urge = state.rule[0]["pair_urge"]
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        record["extra"] = 0.0
        if record["surprise"] > 0.0:
            record["extra"] = math.exp(urge * min(record["surprise"], MOST_SURPRISE)) - 1.0
            total += record["extra"]
    state.plan[0]["extras"] = total
    return total


@inline_kernel
def is_trying(state: DriftDuelState) -> bool:
    """Tell whether the leader of before is to be tossed for."""
    trial = state.trial[0]
    if trial["on"] == 0 or trial["accused"] == state.clock[0]["leader"]:
        return False
    return trial["spent"] < trial["budget"]


@kernel
def note_exit(state: DriftDuelState, arm: int, bar: float) -> None:
    """Set an arm aside, and note it once after each alarm; the list is made again."""
    clock = state.clock[0]
    record = state.arms[arm]
    state.is_active[arm] = False
    clock["n_active"] = 0
    start = max(clock["alarmed"], clock["episode"])
    if record["noted"] >= start:
        return
    record["noted"] = start
    last = clock["round"] - 1
    statistic = record["against"]
    threshold = bar
    if state.rule[0]["scored"]:
        statistic = ahead(state, clock["leader"], arm)
        threshold = state.rule[0]["doubt"]
        if clock["by_scores"] and arm == clock["strongest"]:
            threshold = state.rule[0]["return_doubt"]
    first = min(start, last)
    note_eviction(state.journal, last, arm, clock["leader"], -1, first, start, statistic, threshold)


@kernel
def note_return(state: DriftDuelState, arm: int) -> None:
    """Take an arm back, and note it once for each exit that was noted."""
    record = state.arms[arm]
    state.is_active[arm] = True
    state.clock[0]["n_active"] = 0
    if record["back"] < record["noted"]:
        record["back"] = record["noted"]
        note_activation(state.journal, state.clock[0]["round"], arm)
