"""The meta-algorithm: episodes, bases on a stack, replays, and who is active.

``evidence[a]`` is the largest start of an interval that evicted arm a in this episode, -1 if
there is none. The active arms of a base that started at s are ``{a : evidence[a] < s}`` and the
global ones ``{a : evidence[a] < episode}``, so neither starting a replay nor returning from one
moves any set. When no arm is global a new episode starts.

A replay of length m is due at round s of an episode that began at t with probability
``m^(-1/3) (s - t)^(-2/3)``, m = 2, 4, 8, ... for METABOSSE, ``m^(-1/2) (s - t)^(-1/2)`` for
ANACONDA and METASWIFT; see `driftduel.learners.parts.replays`.
"""

from __future__ import annotations

import math

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.paper.evidence import check_all, check_grid, note_rates
from driftduel.learners.paper.state import TEST_CANDIDATE, EpisodicState
from driftduel.learners.parts.arrays import NEVER, copy_sums
from driftduel.learners.parts.journal import (
    journal_full,
    note_activation,
    note_episode,
    note_eviction,
    note_replay,
)
from driftduel.learners.parts.reference import turn_reference
from driftduel.learners.parts.replays import schedule_replays, take_due_replays


@inline_kernel
def settle(state: EpisodicState, rng: np.random.Generator) -> None:
    """Do what is due after a round: tests, restart, ends of bases, replays, rates."""
    clock = state.clock[0]
    rule = state.rule[0]
    now = clock["round"]
    doubt_stale_arms(state)
    if now >= state.reference.turn[0]["next"]:
        turn_reference(state.reference)
    changed = False
    if (now - clock["episode"]) & ((1 << rule["tick_power"]) - 1) == 0:
        if rule["anytime"]:
            clock["scale"] = rule["constant"] * math.log(max(now, rule["least"]))
        if rule["all"]:
            check_all(state)
        else:
            check_grid(state)
        if clock["n_found"] > 0:
            changed = evict_found(state)
            if changed and rule["restarts"] and nobody_is_global(state):
                begin_episode(state, rng)
                return
    while state.bases[clock["depth"] - 1]["end"] < now:
        clock["depth"] -= 1
        changed = True
    if now >= state.replays.schedule[0]["next"]:
        begin_replay(state, rng)
        changed = True
    if changed:
        set_active(state)
    if changed or now >= clock["refresh"]:
        set_rate(state)
    set_wake(state)


@inline_kernel
def doubt_stale_arms(state: EpisodicState) -> None:
    """Count an arm as absent if it may not have been active when the duel was asked.

    A duel told late was drawn from an older active set. Arms active now whose turn began since
    then are taken to have been inactive: that can only delay an eviction, never cause one.
    """
    clock = state.clock[0]
    if clock["stale"] == clock["version"]:
        return
    for n in range(clock["n_active"]):
        arm = state.arms[state.active[n]]
        if arm["since"] > clock["stale"]:
            arm["absent"] = clock["round"] - 1
            clock["last_absent"] = clock["round"] - 1
    clock["stale"] = clock["version"]


@kernel
def evict_found(state: EpisodicState) -> bool:
    """Turn what the tests found into evidence; tell whether any set changed."""
    clock = state.clock[0]
    clock["n_found"] = 0
    base = state.bases[clock["depth"] - 1]["start"]
    if not state.rule[0]["restarts"]:
        spare_last_arm(state)
    changed = False
    for number in range(state.arms.shape[0]):
        arm = state.arms[number]
        first = arm["found"]
        arm["found"] = -1
        before = arm["evidence"]
        if first <= before:
            continue
        arm["evidence"] = first
        clock["last_evidence"] = max(clock["last_evidence"], first)
        if before < clock["episode"] or first >= base:
            changed = True
            arm["out"] = 1
            note_eviction(
                state.journal,
                clock["round"] - 1,
                number,
                arm["beaten_by"],
                arm["weight"] if state.rule[0]["unknown"] else -1,
                first,
                base,
                arm["statistic"],
                arm["threshold"],
            )
    return changed


@kernel
def spare_last_arm(state: EpisodicState) -> None:
    """Without restarts one arm must stay: the one that won the latest evicting interval."""
    clock = state.clock[0]
    latest = state.active[0]
    for n in range(clock["n_active"]):
        arm = state.active[n]
        if state.arms[arm]["found"] < 0:
            return
        if state.arms[arm]["found"] > state.arms[latest]["found"]:
            latest = arm
    state.arms[state.arms[latest]["beaten_by"]]["found"] = -1


@kernel
def nobody_is_global(state: EpisodicState) -> bool:
    """Tell whether every arm was evicted in this episode."""
    episode = state.clock[0]["episode"]
    for arm in range(state.arms.shape[0]):
        if state.arms[arm]["evidence"] < episode:
            return False
    return True


@kernel
def begin_episode(state: EpisodicState, rng: np.random.Generator) -> None:
    """Forget the last episode and start the next one with a root base and a new schedule."""
    clock = state.clock[0]
    now = clock["round"]
    clock["episode"] = now
    if now > 0:
        note_episode(state.journal, now)
    clock["inverse_sum"] = 0.0
    clock["inverse_max"] = 0.0
    clock["tick_max"] = 0.0
    for arm in range(state.arms.shape[0]):
        state.arms[arm]["evidence"] = -1
        come_back(state, arm)
    state.sums[:] = 0.0
    if state.rule[0]["all"]:
        state.past_sums[now] = 0.0
        state.past[now]["inverse_sum"] = 0.0
        state.past[now]["jumps"] = 0.0
        state.past[now]["slack"] = 0.0
    for level in range(state.level_sums.shape[0]):
        state.level_sums[level, 0] = 0.0
        state.snapshots[level, 0]["inverse_sum"] = 0.0
    if state.rule[0]["test"] == TEST_CANDIDATE:
        clock["candidate"] = int(rng.random() * state.arms.shape[0])
        clock["candidate_since"] = now
    clock["depth"] = 0
    push_base(state, NEVER)
    schedule_replays(state.replays, rng, now)
    set_active(state)
    set_rate(state)
    set_wake(state)


@kernel
def begin_replay(state: EpisodicState, rng: np.random.Generator) -> None:
    """Start the longest replay that is due."""
    clock = state.clock[0]
    now = clock["round"]
    longest = take_due_replays(state.replays, rng, now, clock["episode"])
    note_replay(state.journal, now, longest)
    # A base that ends no later than the replay could never play again; dropping it bounds the
    # depth of the stack.
    while state.bases[clock["depth"] - 1]["end"] <= now + longest:
        clock["depth"] -= 1
    push_base(state, now + longest)


@kernel
def push_base(state: EpisodicState, end: int) -> None:
    """Put a base on the stack that starts now and plays until round ``end``."""
    clock = state.clock[0]
    now = clock["round"]
    smallest_block = state.rule[0]["steps"] << state.rule[0]["tick_power"]
    note_rates(state)
    depth = clock["depth"]
    base = state.bases[depth]
    base["start"] = now
    base["end"] = end
    base["next_test"] = NEVER
    if end - now >= smallest_block and state.rule[0]["prefix"] > 0.0:
        base["next_test"] = now + smallest_block
        base["inverse_sum"] = clock["inverse_sum"]
        base["inverse_max"] = 0.0
        copy_sums(state.base_sums[depth], state.sums)
    clock["depth"] = depth + 1


@kernel
def set_active(state: EpisodicState) -> None:
    """Read the active set of the top base from the evidence."""
    clock = state.clock[0]
    start = state.bases[clock["depth"] - 1]["start"]
    clock["version"] += 1
    clock["stale"] = clock["version"]
    n_active = 0
    last_absent = -1
    last_evidence = -1
    for number in range(state.arms.shape[0]):
        arm = state.arms[number]
        active = arm["evidence"] < start
        if active:
            if not state.is_active[number]:
                arm["absent"] = clock["round"] - 1
                arm["since"] = clock["version"]
                come_back(state, number)
            state.active[n_active] = number
            n_active += 1
            last_absent = max(last_absent, arm["absent"])
            last_evidence = max(last_evidence, arm["evidence"])
        state.is_active[number] = active
    clock["n_active"] = n_active
    clock["last_absent"] = last_absent
    clock["last_evidence"] = last_evidence


@inline_kernel
def come_back(state: EpisodicState, arm: int) -> None:
    """Note that an arm is in play again if it was evicted."""
    if state.arms[arm]["out"]:
        state.arms[arm]["out"] = 0
        note_activation(state.journal, state.clock[0]["round"], arm)


@kernel
def set_rate(state: EpisodicState) -> None:
    """Compute the exploration rate of the top base from its age, and what depends on it."""
    clock = state.clock[0]
    rule = state.rule[0]
    age = clock["round"] - state.bases[clock["depth"] - 1]["start"]
    rate = rule["cap"]
    if age > 0:
        rate = min(rate, rule["rate"] * float(age) ** (-1.0 / 3.0))
    clock["refresh"] = clock["round"] + max(1, int(age * rule["refresh"]))
    n_arms = state.arms.shape[0]
    clock["rate"] = rate
    clock["inverse_rate"] = 1.0 / rate if rate > 0.0 else 1.0
    clock["explore_scale"] = n_arms * clock["inverse_rate"]
    clock["exploit_scale"] = clock["n_active"] / (1.0 - rate) if rate < 1.0 else 0.0
    clock["q_active"] = (1.0 - rate) / clock["n_active"]
    clock["q_out"] = rate / n_arms
    clock["q_in"] = clock["q_out"] + clock["q_active"]


@inline_kernel
def set_wake(state: EpisodicState) -> None:
    """Compute the next round at which there is something to settle."""
    clock = state.clock[0]
    power = state.rule[0]["tick_power"]
    age = clock["round"] - clock["episode"]
    wake = clock["episode"] + (((age >> power) + 1) << power)
    wake = min(wake, state.bases[clock["depth"] - 1]["end"] + 1)
    wake = min(wake, state.replays.schedule[0]["next"])
    wake = min(wake, state.reference.turn[0]["next"])
    clock["wake"] = min(wake, clock["refresh"])


@inline_kernel
def full(state: EpisodicState) -> bool:
    """Tell whether the journal must be read before the next round."""
    return journal_full(state.journal, state.arms.shape[0])
