"""A round of DRIFTDUEL: choose a pair by the plan, take in its outcome, draw the consequences."""

from __future__ import annotations

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.driftduel.knowledge import (
    EXACT_EVERY,
    count_duel,
    find_leader,
    score,
    score_all,
    sum_evidence,
)
from driftduel.learners.driftduel.plan import make_plan
from driftduel.learners.driftduel.rises import draw_rise, forget_rises, judge_rises, watch_rise
from driftduel.learners.driftduel.state import BOTH, LEFT, NOBODY, RIGHT, DriftDuelState, Ticket
from driftduel.learners.driftduel.surprise import (
    calm,
    doubt_the_old,
    is_alarm,
    surprise_by,
    watch_anew,
)
from driftduel.learners.driftduel.trial import ENOUGH, decide, observe, open_test, tried
from driftduel.learners.parts.dates import forget_tosses, record_toss
from driftduel.learners.parts.journal import journal_full, note_replay
from driftduel.learners.parts.reference import turn_reference
from driftduel.learners.parts.replays import take_due_replays
from driftduel.learners.parts.tally import count_anew, count_vote, note_leader


@inline_kernel
def choose(state: DriftDuelState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Let the leader play itself, or now and then two arms meet, as planned."""
    plan = state.plan[0]
    number = rng.random()
    if number >= plan["total"]:
        if state.rule[0]["weak"]:
            return toss_leader(state, rng)
        leader = state.clock[0]["leader"]
        return leader, leader, (1.0 - plan["total"], NOBODY)
    return choose_two(state, rng, number)


@kernel
def toss_leader(state: DriftDuelState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Toss for the leader where it would play itself, which is free if the better arm counts."""
    leader = state.clock[0]["leader"]
    other = draw_opponent(state, leader, rng)
    chance = pair_chance(state, leader, other)
    if rng.random() < 0.5:
        return leader, other, (chance, LEFT)
    return other, leader, (chance, RIGHT)


@kernel
def choose_two(
    state: DriftDuelState, rng: np.random.Generator, number: float
) -> tuple[int, int, Ticket]:
    """Draw the kind of duel with a number below the total of the plan, then arms and sides."""
    plan = state.plan[0]
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    arm = clock["leader"]
    tossed = LEFT
    other = -1
    number -= plan["trial"]
    if number < 0.0:
        arm = tried(state)
    else:
        number -= plan["look"]
        if number < 0.0:
            if plan["witness"] and rng.random() < 0.5:
                arm = clock["strongest"]
            if state.rule[0]["uniform"] == 0 and rng.random() < 0.5:
                # A rise of an arm that weighs nothing is seen in its duels with the leader only.
                other = draw_any(n_arms, arm, rng)
                tossed = NOBODY
        else:
            number -= plan["audit"]
            if number < 0.0:
                arm = plan["audited"]
            else:
                number -= plan["background"]
                if number < 0.0:
                    arm = int(rng.random() * n_arms)
                    tossed = BOTH if state.rule[0]["uniform"] else LEFT
                else:
                    arm, other, tossed = choose_rare(state, rng, number)
    if other < 0:
        other = draw_opponent(state, arm, rng)
    chance = pair_chance(state, arm, other)
    if rng.random() < 0.5:
        return arm, other, (chance, tossed)
    return other, arm, (chance, -tossed if tossed == LEFT else tossed)


@kernel
def choose_rare(
    state: DriftDuelState, rng: np.random.Generator, number: float
) -> tuple[int, int, float]:
    """Draw the kind among the others: an arm, its opponent or -1, and whose toss it is."""
    plan = state.plan[0]
    leader = state.clock[0]["leader"]
    number -= plan["extra"]
    if number < 0.0:
        return leader, draw_extra(state, rng), NOBODY
    number -= plan["challenge"]
    if number < 0.0:
        return leader, plan["challenger"], NOBODY
    number -= plan["retest"]
    if number < 0.0:
        if plan["blocker"] >= 0:
            return plan["contested"], plan["blocker"], NOBODY
        return plan["contested"], -1, LEFT
    if plan["rise"] > 0.0:
        return draw_rise(state, rng), -1, LEFT
    return leader, -1, LEFT  # by rounding


@inline_kernel
def draw_any(n_arms: int, arm: int, rng: np.random.Generator) -> int:
    """Draw one of the other arms."""
    other = int(rng.random() * (n_arms - 1))
    return other + (other >= arm)


@kernel
def draw_opponent(state: DriftDuelState, arm: int, rng: np.random.Generator) -> int:
    """Draw one of the other arms by the reference weight."""
    n_arms = state.arms.shape[0]
    mix = state.reference.mix[state.reference.turn[0]["row"]]
    others = 1.0 - mix[arm]["weight"]
    if state.rule[0]["uniform"] or others < ALONE:
        return draw_any(n_arms, arm, rng)
    number = rng.random() * others
    last = -1
    for other in range(n_arms):
        if other != arm and mix[other]["weight"] > 0.0:
            last = other
            number -= mix[other]["weight"]
            if number < 0.0:
                break
    return last


ALONE = 1e-9
"""Where all other arms weigh less, an opponent is drawn from all of them."""


@inline_kernel
def opponent_chance(state: DriftDuelState, arm: int, other: int) -> float:
    """Return the chance that a toss for an arm is against this other one."""
    n_arms = state.arms.shape[0]
    mix = state.reference.mix[state.reference.turn[0]["row"]]
    others = 1.0 - mix[arm]["weight"]
    if state.rule[0]["uniform"] or others < ALONE:
        return 1.0 / (n_arms - 1.0)
    return mix[other]["weight"] / others


@inline_kernel
def draw_extra(state: DriftDuelState, rng: np.random.Generator) -> int:
    """Draw an arm that did oddly well against the leader."""
    number = rng.random() * state.plan[0]["extras"]
    last = -1
    for arm in range(state.arms.shape[0]):
        if state.arms[arm]["extra"] > 0.0:
            last = arm
            number -= state.arms[arm]["extra"]
            if number < 0.0:
                break
    return last


@inline_kernel
def pair_chance(state: DriftDuelState, left: int, right: int) -> float:
    """Return the chance of an ordered pair of two arms, either side being as likely."""
    return 0.5 * (first_chance(state, left, right) + first_chance(state, right, left))


@inline_kernel
def first_chance(state: DriftDuelState, arm: int, other: int) -> float:
    """Return the chance that a round is for an arm, and against this other one."""
    plan = state.plan[0]
    clock = state.clock[0]
    n_arms = state.arms.shape[0]
    leads = arm == clock["leader"]
    retested = 0.0
    look = plan["look"] * leads
    if plan["witness"]:
        look = 0.5 * plan["look"] * (leads + (arm == clock["strongest"]))
    tosses = plan["background"] / n_arms
    tosses += plan["trial"] * (arm == tried(state))
    tosses += plan["audit"] * (arm == plan["audited"])
    if plan["rise"] > 0.0:
        tosses += plan["rise"] * state.arms[arm]["again"] / plan["rises"]
    if arm == plan["contested"]:
        if plan["blocker"] < 0:
            tosses += plan["retest"]
        elif other == plan["blocker"]:
            retested = plan["retest"]
    chance = retested
    if state.rule[0]["uniform"] == 0:
        look *= 0.5
        chance += look / (n_arms - 1.0)
    if state.rule[0]["weak"] and leads:
        tosses += max(0.0, 1.0 - plan["total"])
    chance += (tosses + look) * opponent_chance(state, arm, other)
    if leads and plan["challenge"] > 0.0 and other == plan["challenger"]:
        chance += plan["challenge"]
    if leads and plan["extra"] > 0.0:
        chance += plan["extra"] * state.arms[other]["extra"] / plan["extras"]
    return chance


@inline_kernel
def learn(state: DriftDuelState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count a duel of two arms; the plan is made again when enough of them or of rounds passed."""
    clock = state.clock[0]
    clock["round"] += 1
    if left == right:
        return bool(clock["round"] >= clock["wake"])
    _, tossed = ticket
    if tossed > NOBODY:
        toss(state, left, outcome)
    if tossed in (RIGHT, BOTH):
        toss(state, right, 1.0 - outcome)
    count_vote(state.tally, left, right, outcome, tossed > NOBODY, tossed in (RIGHT, BOTH))
    surprise_by(state, left, right, outcome)
    observe(state, left, right, outcome)
    count_duel(state, left, right, outcome)
    clock["duels"] += 1
    calm(state)
    state.arms[left]["stale"] = 1
    state.arms[right]["stale"] = 1
    return bool(clock["duels"] >= clock["due"] or clock["round"] >= clock["wake"])


@inline_kernel
def toss(state: DriftDuelState, arm: int, value: float) -> None:
    """Add a toss for an arm."""
    record_toss(state.timeline, state.clock[0]["round"] - 1, arm, value)
    if state.rule[0]["scored"]:
        watch_rise(state, arm, value)
    state.arms[arm]["n"] += 1.0
    state.arms[arm]["sum"] += value
    if arm == state.clock[0]["leader"]:
        state.surprise[0]["n"] += 1.0
        state.surprise[0]["sum"] += value
    trial = state.trial[0]
    if trial["on"] and arm == trial["accused"]:
        trial["n1"] += 1.0
        trial["sum1"] += value
    if trial["on"] and arm == tried(state):
        trial["spent"] += 1.0


@kernel
def settle(state: DriftDuelState, rng: np.random.Generator) -> None:
    """Draw the consequences of what was told, and plan."""
    clock = state.clock[0]
    now = clock["round"]
    if clock["duels"] > clock["weighed"]:
        clock["weighed"] = clock["duels"]
        weigh_duels(state, rng)
    if now >= state.reference.turn[0]["next"]:
        turn_weight(state)
        lead_on(state)
    if now >= state.replays.schedule[0]["next"]:
        longest = take_due_replays(state.replays, rng, now, clock["episode"])
        note_replay(state.journal, now, longest)
        clock["replay_start"] = now
        clock["replay_end"] = max(clock["replay_end"], now + longest)
    make_plan(state, rng)


@kernel
def weigh_duels(state: DriftDuelState, rng: np.random.Generator) -> None:
    """Draw the consequences of duels of two arms."""
    clock = state.clock[0]
    if state.rule[0]["scored"]:
        for arm in range(state.arms.shape[0]):
            if state.arms[arm]["stale"]:
                score(state, arm)
    if clock["duels"] - clock["exact"] > EXACT_EVERY:
        sum_evidence(state)
    if state.rule[0]["scored"]:
        judge_rises(state)
    if is_alarm(state):
        # A trial that another leader's claim began goes on.
        if state.trial[0]["on"] == 0 or state.trial[0]["accused"] == clock["leader"]:
            open_test(state, clock["leader"])
        doubt_the_old(state)
    lead_on(state)
    decide(state, rng)


@kernel
def lead_on(state: DriftDuelState) -> None:
    """Find the leader; one that lost its place after a settled time is put on trial."""
    clock = state.clock[0]
    old = clock["leader"]
    find_leader(state)
    note_leader(state.tally, clock["leader"], clock["round"])
    if clock["leader"] == old:
        return
    if clock["settled"] and state.surprise[0]["old_n"] >= ENOUGH:
        trial = state.trial[0]
        if trial["on"] == 0:
            open_test(state, old)
        elif trial["accused"] == old and state.surprise[0]["old_n"] > trial["n0"]:
            # What it was accused of did not come true for long; that it lost its place is new.
            open_test(state, old)
    watch_anew(state)
    clock["settled"] = 0
    clock["led"] = clock["round"]


@kernel
def turn_weight(state: DriftDuelState) -> None:
    """Go on to the next weight."""
    turn_reference(state.reference)
    forget_scores(state)
    score_all(state)


@kernel
def forget_scores(state: DriftDuelState) -> None:
    """Let tosses so far count for little: they were about another score."""
    forget_tosses(state.timeline)
    count_anew(state.tally, state.clock[0]["round"])
    keep = state.rule[0]["keep"]
    for arm in range(state.arms.shape[0]):
        state.arms[arm]["n"] *= keep
        state.arms[arm]["sum"] *= keep
    forget_rises(state)
    surprise = state.surprise[0]
    surprise["n"] = 0.0
    surprise["sum"] = 0.0
    surprise["old_n"] = 0.0
    surprise["old_sum"] = 0.0
    trial = state.trial[0]
    trial["n0"] = 0.0
    trial["sum0"] = 0.0
    trial["n1"] = 0.0
    trial["sum1"] = 0.0


@inline_kernel
def full(state: DriftDuelState) -> bool:
    """Tell whether the journal must be read before the next round."""
    return journal_full(state.journal, state.arms.shape[0])
