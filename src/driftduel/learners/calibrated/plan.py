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

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.calibrated.knowledge import age, ahead
from driftduel.learners.calibrated.state import DriftDuelState
from driftduel.learners.calibrated.surprise import largest
from driftduel.learners.parts.journal import note_activation, note_eviction

MOST_SURPRISE = 20.0
"""A surprise multiplies the rate of looks by exp of so much at most."""

SMALLEST_LEAD, LARGEST_LEAD = 0.02, 0.5
"""A lead is taken to be between these where rates are tuned to it."""

USUAL_LEAD = 0.25

STRETCH = 16
"""A plan holds for this part of the rounds since the last alarm, unless something happens."""


@kernel
def make_plan(state: DriftDuelState, rng: np.random.Generator) -> None:
    """Find the challenger and the arms that may be best, and set the chances."""
    clock = state.clock[0]
    plan = state.plan[0]
    hopeful = state.rule[0]["hope"] * math.log(age(state) + state.arms.shape[0])
    offset = int(rng.random() * state.arms.shape[0])
    challengers = find_challenger(state, hopeful, offset)
    if challengers == 0:
        clock["settled"] = 1
    audit = audit_rate(state, offset)
    look = look_rate(state)
    usual = look
    look = min(1.0, look * math.exp(state.rule[0]["urge"] * min(largest(state), MOST_SURPRISE)))
    background = background_rate(state, usual)
    trial = 0.0
    if challengers == 0 and is_trying(state):
        trial = state.rule[0]["trial_share"]
    plan["trial"] = trial
    if challengers == 0:
        extra = look * extra_weights(state) / (state.arms.shape[0] - 1.0)
        extra = min(1.0, extra)
        share = (1.0 - trial) / max(1.0, look + audit + background + extra)
        plan["challenge"] = 0.0
        plan["look"] = share * look
        plan["audit"] = share * audit
        plan["background"] = share * background
        plan["extra"] = share * extra
    else:
        share = throttle(state, hopeful, audit + look)
        look = max(look, state.rule[0]["mixed"])
        background = min(background, 1.0 - audit)
        plan["extra"] = 0.0
        plan["audit"] = share * audit
        plan["background"] = share * background
        rest = share * (1.0 - audit - background)
        plan["look"] = rest * look
        plan["challenge"] = rest * (1.0 - look)
    plan["total"] = (
        plan["trial"]
        + plan["look"]
        + plan["audit"]
        + plan["background"]
        + plan["extra"]
        + plan["challenge"]
    )
    plan["witness"] = clock["by_scores"]
    set_active(state, hopeful)
    clock["wake"] = next_wake(state)


@kernel
def next_wake(state: DriftDuelState) -> int:
    """Return the round at which the plan is made anew, whatever happens."""
    clock = state.clock[0]
    now = clock["round"]
    stretch = max(1, min(now, int(age(state))) // STRETCH)
    wake = min(now + stretch, state.reference.turn[0]["next"])
    wake = min(wake, state.replays.schedule[0]["next"])
    if clock["replay_end"] > now:
        wake = min(wake, clock["replay_end"])
    return wake


@kernel
def find_challenger(state: DriftDuelState, hopeful: float, offset: int) -> int:
    """Set who has the best prospect of beating the leader; return how many may."""
    clock = state.clock[0]
    rule = state.rule[0]
    plan = state.plan[0]
    plan["challenger"] = -1
    if clock["by_scores"]:
        return 0
    n_arms = state.arms.shape[0]
    leader = clock["leader"]
    bar = hopeful + rule["share"] * state.arms[leader]["against"]
    best = -1.0
    found = 0
    for step in range(n_arms):
        arm = step + offset
        if arm >= n_arms:
            arm -= n_arms
        record = state.arms[arm]
        if arm == leader or record["against"] >= bar:
            continue
        found += 1
        duels = state.wins[leader, arm] + state.wins[arm, leader] + rule["prior"]
        rate = (record["recent_wins"] + 1.0) / (record["recent"] + 2.0)
        prospect = (state.wins[arm, leader] + rule["prior"] * rate) / duels
        prospect += math.sqrt(0.5 * hopeful / duels)
        if prospect > best:
            best = prospect
            plan["challenger"] = arm
    return found


@kernel
def throttle(state: DriftDuelState, hopeful: float, others: float) -> float:
    """Return the share of rounds that are not the leader's against itself while arms challenge."""
    rule = state.rule[0]
    patience = rule["patience"] * state.arms.shape[0]
    if state.arms[state.clock[0]["leader"]]["against"] >= hopeful or age(state) <= patience:
        return 1.0
    return min(1.0, (patience / age(state)) ** rule["throttle"] + others)


@kernel
def audit_rate(state: DriftDuelState, offset: int) -> float:
    """Return the rate of tosses while scores are in doubt, and set whose."""
    rule = state.rule[0]
    clock = state.clock[0]
    plan = state.plan[0]
    leader = clock["leader"]
    plan["audited"] = leader
    if rule["scored"] == 0:
        return 0.0
    n_arms = state.arms.shape[0]
    doubtful = 0
    widest = -1.0
    other = leader
    for step in range(n_arms):
        arm = step + offset
        if arm >= n_arms:
            arm -= n_arms
        if arm == leader or not is_doubtful(state, arm):
            continue
        doubtful += 1
        if state.arms[arm]["variance"] > widest:
            widest = state.arms[arm]["variance"]
            other = arm
    if doubtful == 0:
        return 0.0
    own = state.arms[leader]
    if widest > own["variance"] * math.sqrt(doubtful):
        plan["audited"] = other
    lead = own["score"] - 0.5 - 0.5 * math.sqrt(own["variance"])
    lead = min(LARGEST_LEAD, max(SMALLEST_LEAD, lead))
    since = min(age(state), clock["round"] - clock["by_scores_since"] + 1.0)
    rate = rule["audit"] * (lead / USUAL_LEAD) ** (-2 / 3) * ((doubtful + 1.0) / since) ** (1 / 3)
    return min(1.0, rate)


@inline_kernel
def is_doubtful(state: DriftDuelState, arm: int) -> bool:
    """Tell whether the score of an arm may be above the leader's."""
    clock = state.clock[0]
    rule = state.rule[0]
    doubt = rule["doubt"]
    if clock["by_scores"] and arm == clock["strongest"]:
        doubt = rule["return_doubt"]
    return ahead(state, clock["leader"], arm) < doubt


@kernel
def look_rate(state: DriftDuelState) -> float:
    """Return how often the leader is looked at while nothing is odd."""
    clock = state.clock[0]
    rule = state.rule[0]
    n_arms = state.arms.shape[0]
    leader = clock["leader"]
    total = 0.0
    for arm in range(n_arms):
        if arm != leader:
            won = state.wins[leader, arm] + 1.0
            total += won / (won + state.wins[arm, leader] + 1.0) - 0.5
    lead = min(LARGEST_LEAD, max(SMALLEST_LEAD, total / (n_arms - 1.0)))
    hazard = (rule["hazard"] + rule["shift_hazard"] * clock["shifts"]) / (clock["round"] + 1.0)
    rate = rule["watch"] * math.sqrt(hazard) * (n_arms - 1.0) ** rule["arms_power"]
    return rate * (USUAL_LEAD / lead) ** rule["lead_power"]


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
def set_active(state: DriftDuelState, hopeful: float) -> None:
    """List the leader and the arms that may be better; note who goes and who comes back."""
    clock = state.clock[0]
    rule = state.rule[0]
    leader = clock["leader"]
    bar = hopeful + rule["share"] * state.arms[leader]["against"]
    count = 0
    for arm in range(state.arms.shape[0]):
        active = arm == leader
        if not active and clock["by_scores"] == 0:
            active = state.arms[arm]["against"] < bar
        if not active and rule["scored"]:
            active = is_doubtful(state, arm)
        if active:
            state.active[count] = arm
            count += 1
        if active != state.is_active[arm]:
            state.is_active[arm] = active
            if active:
                note_return(state, arm)
            else:
                note_exit(state, arm, bar)
    clock["n_active"] = count


@kernel
def note_exit(state: DriftDuelState, arm: int, bar: float) -> None:
    """Note that an arm was set aside, once after each alarm."""
    clock = state.clock[0]
    record = state.arms[arm]
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
    first = min(start, last)
    note_eviction(state.journal, last, arm, clock["leader"], -1, first, start, statistic, threshold)


@kernel
def note_return(state: DriftDuelState, arm: int) -> None:
    """Note that an arm whose exit was noted may be best again, once for each exit."""
    record = state.arms[arm]
    if record["back"] < record["noted"]:
        record["back"] = record["noted"]
        note_activation(state.journal, state.clock[0]["round"], arm)
