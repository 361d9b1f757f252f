"""The plan for the next rounds: who may challenge the leader, and the chance of each kind of duel.

Kinds of duels of two arms: the leader meets its *challenger*, who may beat it; a *look* tosses for
the leader; an *audit* tosses for an arm whose score may be the best; a *background* toss is any
arm's; an *extra* duel sets the leader against an arm that is close to it, or did oddly well against
it; a *trial* tosses for the leader of before, or for the arm that rose above it; a *retest* sets an
arm that the leader does not beat against who beat it most clearly, or tosses for a challenger that
is even with the leader for long; a *rise* tosses for an arm that did oddly well in its tosses. A
*toss* for an arm is a duel with an opponent drawn from the reference weight. Otherwise the leader
plays itself. The plan depends on what was told alone, so the chance of every pair is known.
"""

from __future__ import annotations

import math

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftduel.knowledge import (
    ROUNDING,
    age,
    ahead,
    decided_share,
    even_evidence,
    evidence_against,
    hopeful,
)
from driftduel.learners.driftduel.rises import weigh_rises
from driftduel.learners.driftduel.state import DriftDuelState
from driftduel.learners.driftduel.surprise import MOST_SURPRISE, largest
from driftduel.learners.parts.journal import note_activation, note_eviction

SMALLEST_LEAD, LARGEST_LEAD = 0.02, 0.5
"""A lead is taken to be between these where rates are tuned to it."""

USUAL_LEAD = 0.25

CONTEST = 6.0
"""An arm that won as many as it lost of so many duels with the leader is contested."""

CLEARLY_BEHIND = 10.0
"""An arm that is clearly behind by its score has a prospect so much smaller than any other's."""

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
    challengers, doubtful, lead = survey(state, int(rng.random() * n_arms))
    plan["audit"] = audit_rate(state, doubtful)
    usual = look_rate(state, lead)
    plan["look"] = min(1.0, usual * math.exp(rule["urge"] * min(largest(state), MOST_SURPRISE)))
    plan["background"] = background_rate(state, usual)
    plan["trial"] = 0.0
    plan["extra"] = 0.0
    plan["challenge"] = 0.0
    plan["rise"] = 0.0
    plan["retest"] = retest_rate(state)
    if challengers == 0:
        clock["settled"] = 1
        plan_watch(state, lead)
    else:
        plan_challenges(state)
    if rule["scored"] and plan["contested"] >= 0:
        plan["retest"] = 0.5 * plan["challenge"]
        plan["challenge"] *= 0.5
    total = plan["trial"] + plan["look"] + plan["audit"] + plan["background"]
    plan["total"] = total + plan["extra"] + plan["challenge"] + plan["retest"] + plan["rise"]
    # For weak regret the leader should be in every duel, and meets the strongest arm anyway.
    plan["witness"] = clock["by_scores"] * (1 - rule["weak"])
    clock["wake"] = next_wake(state)
    clock["due"] = clock["duels"] + 1
    if age(state) > rule["patience"] * n_arms:
        # Much was undecided for long, so the plan may hold for some duels.
        clock["due"] += max(challengers, doubtful) // PAUSE


@kernel
def plan_watch(state: DriftDuelState, lead: float) -> None:
    """Share the rounds among kinds of duels while nobody challenges the leader."""
    plan = state.plan[0]
    if is_trying(state):
        plan["trial"] = state.rule[0]["trial_share"]
    n_others = state.arms.shape[0] - 1.0
    plan["extra"] = min(1.0, plan["look"] * extra_weights(state, lead) / n_others)
    plan["rise"] = min(1.0, plan["background"] * weigh_rises(state) / (n_others + 1.0))
    rates = plan["look"] + plan["audit"] + plan["background"]
    rates += plan["extra"] + plan["retest"] + plan["rise"]
    share = (1.0 - plan["trial"]) / max(1.0, rates)
    plan["look"] *= share
    plan["audit"] *= share
    plan["background"] *= share
    plan["extra"] *= share
    plan["retest"] *= share
    plan["rise"] *= share
    if plan["challenger"] >= 0:
        # All who may beat the leader are clearly behind by their scores.
        spare = max(0.0, 1.0 - plan["trial"] - share * rates)
        plan["challenge"] = spare * state.rule[0]["behind_share"] * throttle(state, 0.0)


@kernel
def plan_challenges(state: DriftDuelState) -> None:
    """Share the rounds among kinds of duels while arms challenge the leader."""
    plan = state.plan[0]
    audit = plan["audit"]
    share = throttle(state, audit + plan["look"])
    background = min(plan["background"], 1.0 - audit)
    rest = share * (1.0 - audit - background)
    look = max(plan["look"], state.rule[0]["mixed"])
    plan["retest"] = rest * (1.0 - look) * min(0.5, plan["retest"])
    plan["challenge"] = rest * (1.0 - look) - plan["retest"]
    plan["look"] = rest * look
    plan["audit"] = share * audit
    plan["background"] = share * background


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
def survey(state: DriftDuelState, offset: int) -> tuple[int, int, float]:
    """Go through all arms: who may beat the leader, whose score may be better, who is active.

    Sets the challenger, the arm with the best prospect of beating the leader, who is contested and
    who is audited. Returns how many may beat the leader, how many scores are in doubt, and the
    leader's mean lead.
    """
    clock = state.clock[0]
    rule = state.rule[0]
    plan = state.plan[0]
    n_arms = state.arms.shape[0]
    leader = clock["leader"]
    own = state.arms[leader]
    plan["challenger"] = -1
    plan["contested"] = -1
    plan["audited"] = leader
    hope = hopeful(state)
    bar = hope + rule["share"] * evidence_against(state, leader)
    bonus = 0.5 * hope
    prior = rule["prior"]
    best = -2.0 * CLEARLY_BEHIND
    least = math.inf
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
        ties = state.ties[arm, leader]
        lead += 0.5 - (won + 0.5 * ties + 1.0) / (duels + ties + 2.0)
        active = False
        spread = own["variance"] + record["variance"]
        behind = own["score"] - record["score"]
        against = evidence_against(state, arm)
        if clock["by_scores"] == 0 and against < bar:
            rate = (record["recent_wins"] + 1.0) / (record["recent"] + 2.0)
            share = 1.0 / (duels + prior)
            prospect = share * (won + prior * rate) + math.sqrt(bonus * share)
            if rule["scored"] and is_behind(behind, spread, rule["behind"]):
                prospect -= CLEARLY_BEHIND
            else:
                active = True
                challengers += 1
            if prospect > best:
                best = prospect
                plan["challenger"] = arm
                # Tosses may tell sooner whether the score of an arm like the leader is as good.
                if rule["scored"]:
                    long = duels > rule["even_duels"] and is_behind(behind, spread, 1.0)
                    plan["contested"] = arm if long else -1
        elif (
            rule["scored"] == 0
            and against < least - ROUNDING
            and duels >= CONTEST
            and won >= 0.5 * (duels - math.sqrt(duels))
        ):
            least = against
            plan["contested"] = arm
        if rule["scored"]:
            doubt = rule["doubt"]
            if clock["by_scores"] and arm == clock["strongest"]:
                doubt = rule["return_doubt"]
            if not is_behind(behind, spread, doubt):
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


@inline_kernel
def is_behind(behind: float, spread: float, deviations: float) -> bool:
    """Tell whether a score is behind by at least so many standard deviations."""
    return behind > 0.0 and behind * behind >= deviations * deviations * spread


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
def throttle(state: DriftDuelState, others: float) -> float:
    """Return the share of rounds that are not the leader's against itself while arms challenge."""
    patience = state.rule[0]["patience"] * state.arms.shape[0]
    if age(state) <= patience:
        return 1.0
    if evidence_against(state, state.clock[0]["leader"]) >= hopeful(state):
        return 1.0
    return min(1.0, (patience / age(state)) ** state.rule[0]["throttle"] + others)


@kernel
def retest_rate(state: DriftDuelState) -> float:
    """Find who beat the contested arm most clearly; return how often they meet again.

    The evidence against an arm is of duels with arms that led once. It may be bad luck, and nothing
    else tests it again.
    """
    plan = state.plan[0]
    plan["blocker"] = -1
    arm = plan["contested"]
    if arm < 0 or state.rule[0]["scored"]:
        return 0.0
    most = 0.0
    n_arms = state.arms.shape[0]
    for other in range(n_arms):
        won = state.wins[arm, other]
        lost = state.wins[other, arm]
        if other not in (arm, state.clock[0]["leader"]) and lost > won:
            evidence = even_evidence(won, lost)
            if evidence > most + ROUNDING:
                most = evidence
                plan["blocker"] = other
    if plan["blocker"] < 0 or most >= math.log(age(state) + n_arms):
        plan["blocker"] = -1
        plan["contested"] = -1
        return 0.0
    return min(1.0, state.rule[0]["retest"] * plan["look"])


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
    decided = decided_share(state, clock["leader"])
    rate = ((doubtful + 1.0) * decided / (since * lead * lead)) ** (1 / 3)
    return min(1.0, state.rule[0]["audit"] * rate)


@kernel
def look_rate(state: DriftDuelState, lead: float) -> float:
    """Return how often the leader is looked at while nothing is odd."""
    clock = state.clock[0]
    rule = state.rule[0]
    lead = min(LARGEST_LEAD, max(SMALLEST_LEAD, lead))
    shifts = clock["shifts"] ** rule["shift_power"] if clock["shifts"] > 0 else 0.0
    hazard = (rule["hazard"] + rule["shift_hazard"] * shifts) / (clock["round"] + 1.0)
    return rule["watch"] * math.sqrt(hazard * (state.arms.shape[0] - 1.0) * USUAL_LEAD / lead)


@inline_kernel
def background_rate(state: DriftDuelState, look: float) -> float:
    """Return the rate of tosses of any arm; a replay explores as BOSSE does."""
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    rate = 0.0
    if state.rule[0]["scored"]:
        # Without a floor, an arm that rises against all but the leader would never be seen.
        aged = clock["round"] - clock["episode"] + n_arms
        rate = state.rule[0]["floor"] * (n_arms / aged) ** (1 / 3)
        rate = max(rate, state.rule[0]["background"] * look)
    if clock["round"] < clock["replay_end"]:
        played = clock["round"] - clock["replay_start"] + 1.0
        rate = max(rate, (n_arms / played) ** (1 / 3))
    return min(1.0, rate)


@kernel
def extra_weights(state: DriftDuelState, lead: float) -> float:
    """Set by how much more often than others the leader meets each arm.

    One that is close to it, because more duels are needed to see that it is better by now, and one
    that did oddly well.
    """
    total = 0.0
    rule = state.rule[0]
    lead = min(LARGEST_LEAD, max(SMALLEST_LEAD, lead))
    for arm in range(state.arms.shape[0]):
        record = state.arms[arm]
        record["extra"] = 0.0
        if arm == state.clock[0]["leader"]:
            continue
        own = (record["met_lost"] + 1.0) / (record["met"] + 2.0) - 0.5
        own = min(LARGEST_LEAD, max(SMALLEST_LEAD, own))
        if record["surprise"] > 0.0 or own < lead:
            odd = math.exp(rule["pair_urge"] * min(record["surprise"], MOST_SURPRISE))
            record["extra"] = max(0.0, odd * (lead / own) ** rule["close"] - 1.0)
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
    statistic = evidence_against(state, arm)
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
