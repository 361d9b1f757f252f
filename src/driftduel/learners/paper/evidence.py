"""Evidence against arms: the tests over intervals of rounds that evict them.

A test over the rounds [first, now] compares the summed estimates of the arms that were active
throughout, for one reference weight w at a time, and finds arm a bad if

    max_b sum (bhat(b, w) - bhat(a, w)) >= C log(T) F,
    F = max(d (length - 1)^p, sqrt(v sum 1/eta) + r max 1/eta),  p = 2/3,

with d, v, r = K^(1/3), K, K for a known weight and K^(2/3), K^2, K^2 for unknown weights
(Suk & Agarwal, parameter specifications; the paper writes r = K in both, but a point mass makes
the estimate as large as K^2/eta). ``eta`` is the exploration rate used in each round.

ANACONDA and METASWIFT compare pairs of arms, or a candidate with every arm, against a threshold of
the same form (p = 1/2 instead of 2/3 and no exploration); they share everything else.

Which intervals end now is the business of `check_grid`, blocks of length 2^k at every fraction
of their length and the life of the active base, in amortised constant time a round; or of
`check_all`, every interval, the paper's rule and the reference. What they find waits in
``found`` until the round is over, so that evictions of one round do not influence each
other.
"""

from __future__ import annotations

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.paper.state import TEST_PAIRS, TEST_SCORES, EpisodicState
from driftduel.learners.parts.arrays import NEVER, Floats, Ints, copy_sums

ROUNDING = 1 + 1e-9
"""Sums of many numbers may be this much off, relatively."""


@inline_kernel
def threshold_of(
    state: EpisodicState, drift: float, inverse_sum: float, inverse_max: float
) -> float:
    """Return ``C log(T) F`` of an interval; ``drift`` is ``(length - 1)^p``."""
    rule = state.rule[0]
    noise = np.sqrt(rule["variance"] * inverse_sum) + rule["range"] * inverse_max
    return state.clock[0]["scale"] * max(rule["drift"] * drift, noise)


@inline_kernel
def examine(state: EpisodicState, first: int, sums_then: Floats, threshold: float) -> float:
    """Test the rounds from ``first`` until now; return how far behind any arm was.

    ``sums_then`` are the sums before ``first``. Arms that were active throughout are compared;
    those that were evicted over a later interval already can only be ahead.
    """
    clock = state.clock[0]
    valid = state.active
    n_valid = clock["n_active"]
    n_open = n_valid
    if clock["last_absent"] >= first or clock["last_evidence"] >= first:
        valid = state.valid
        n_valid = 0
        for passed in range(2):
            for n in range(clock["n_active"]):
                arm = state.arms[state.active[n]]
                valid[n_valid] = state.active[n]
                n_valid += arm["absent"] < first and (arm["evidence"] >= first) == passed
            if passed == 0:
                n_open = n_valid
    farthest = 0.0
    if n_valid < 2:
        return farthest
    if state.rule[0]["test"] != TEST_SCORES:
        return examine_others(state, first, sums_then, threshold, valid[:n_valid], n_open)
    sums = state.sums
    for weight in range(sums.shape[0]):
        most = -np.inf
        least = np.inf
        for n in range(n_open):
            lead = sums[weight, valid[n]] - sums_then[weight, valid[n]]
            most = max(most, lead)
            least = min(least, lead)
        for n in range(n_open, n_valid):
            most = max(most, sums[weight, valid[n]] - sums_then[weight, valid[n]])
        farthest = max(farthest, most - least)
        if most - least >= threshold:
            blame(state, first, sums_then, weight, valid[:n_valid], most, threshold)
    return farthest


@kernel
def blame(
    state: EpisodicState,
    first: int,
    sums_then: Floats,
    weight: int,
    valid: Ints,
    most: float,
    threshold: float,
) -> None:
    """Note the arms that are at least ``threshold`` behind the best one."""
    sums = state.sums
    leader = -1
    for arm in valid:
        if leader < 0 and sums[weight, arm] - sums_then[weight, arm] == most:
            leader = arm
    for arm in valid:
        behind = most - (sums[weight, arm] - sums_then[weight, arm])
        if behind >= threshold:
            note_found(state, arm, first, leader, weight, behind, threshold)


@kernel
def note_found(
    state: EpisodicState,
    arm: int,
    first: int,
    beaten_by: int,
    weight: int,
    statistic: float,
    threshold: float,
) -> None:
    """Note that an arm was found bad, unless it was over a later interval already."""
    record = state.arms[arm]
    if first > record["found"]:
        record["found"] = first
        record["beaten_by"] = beaten_by
        record["weight"] = weight
        record["statistic"] = statistic
        record["threshold"] = threshold
        state.clock[0]["n_found"] += 1


@kernel
def examine_others(
    state: EpisodicState,
    first: int,
    sums_then: Floats,
    threshold: float,
    valid: Ints,
    n_open: int,
) -> float:
    """Test every pair of arms, or the candidate against every arm; see `examine`.

    ``sums[b, a]`` of a pair, or ``sums[0, a]``, is how far b or the candidate is ahead of a.
    """
    clock = state.clock[0]
    # The raw estimate of ANACONDA takes 1/2 off every round, the centred one off every duel.
    offset = (0.5 - state.rule[0]["centre"]) * (clock["round"] - first)
    farthest = 0.0
    for n in range(n_open):
        arm = valid[n]
        if state.rule[0]["test"] == TEST_PAIRS:
            for other in valid:
                ahead = state.sums[other, arm] - sums_then[other, arm] - offset
                farthest = max(farthest, ahead)
                if ahead >= threshold:
                    note_found(state, arm, first, other, other, ahead, threshold)
        else:
            ahead = state.sums[0, arm] - sums_then[0, arm] - offset
            farthest = max(farthest, abs(ahead))
            if ahead >= threshold:
                note_found(state, arm, first, clock["candidate"], 0, ahead, threshold)
            challenged = first >= clock["candidate_since"] and arm != clock["candidate"]
            if challenged and -ahead >= threshold * state.rule[0]["switch"]:
                note_found(state, clock["candidate"], first, arm, 0, -ahead, threshold)
                clock["candidate"] = arm
                clock["candidate_since"] = clock["round"]
    return farthest


@inline_kernel
def note_rates(state: EpisodicState) -> None:
    """Fold the largest 1/eta since the last call into the current tick and the open bases."""
    clock = state.clock[0]
    largest = clock["inverse_max"]
    clock["inverse_max"] = 0.0
    clock["tick_max"] = max(clock["tick_max"], largest)
    for depth in range(clock["depth"]):
        base = state.bases[depth]
        base["inverse_max"] = max(base["inverse_max"], largest)


@inline_kernel
def check_grid(state: EpisodicState) -> None:
    """Test the blocks that end now, keep the sums for later ones, test the base's life.

    Called at every multiple of the tick, counted from the start of the episode. Level k has
    blocks of ``steps * tick * 2^k`` rounds that start at every multiple of ``tick * 2^k``; a
    ring of ``steps`` snapshots is enough, for the oldest one is where the block began. All these
    numbers are powers of 2, so remainders are masks.
    """
    clock = state.clock[0]
    rule = state.rule[0]
    note_rates(state)
    now = clock["round"]
    age = now - clock["episode"]
    steps = rule["steps"]
    ring = state.snapshots.shape[1]
    index = age >> rule["tick_power"]
    largest = clock["tick_max"]
    clock["tick_max"] = 0.0
    for level in range(state.level_sums.shape[0]):
        pieces = state.snapshots[level]
        slot = index & (steps - 1)
        oldest = pieces[slot]
        pieces[index & (ring - 1)]["inverse_max"] = largest
        if index >= steps:
            inverse_max = 0.0
            for piece in range(steps):
                inverse_max = max(inverse_max, pieces[(index - piece) & (ring - 1)]["inverse_max"])
            inverse_sum = clock["inverse_sum"] - oldest["inverse_sum"]
            first = now - (steps << (rule["tick_power"] + level))
            threshold = threshold_of(state, oldest["drift"], inverse_sum, inverse_max)
            examine(state, first, state.level_sums[level, slot], threshold)
        copy_sums(state.level_sums[level, slot], state.sums)
        oldest["inverse_sum"] = clock["inverse_sum"]
        if index & 1:
            break
        largest = max(largest, pieces[(index - 1) & (ring - 1)]["inverse_max"])
        index >>= 1
    top = clock["depth"] - 1
    base = state.bases[top]
    if now >= base["next_test"]:
        start = base["start"]
        drift = float(now - 1 - start) ** rule["power"]
        inverse_sum = clock["inverse_sum"] - base["inverse_sum"]
        threshold = threshold_of(state, drift, inverse_sum, base["inverse_max"])
        examine(state, start, state.base_sums[top], threshold)
        base["next_test"] = now + int((now - start) * rule["prefix"])


@kernel
def check_all(state: EpisodicState) -> None:
    """Test every interval of two rounds or more that ends now and lies inside the episode.

    Two cuts make the paper's rule affordable and change no result. An interval needs two arms
    that were active throughout, so it cannot start before the second smallest ``absent``. And a
    round moves one sum only: an arm is no further behind over an interval than when it was last
    examined plus all jumps since, so it is examined again when that could reach the threshold.
    ``slack`` is the former less the jumps until then.
    """
    clock = state.clock[0]
    now = clock["round"]
    here = state.past[now]
    before = state.past[now - 1]
    here["inverse_sum"] = clock["inverse_sum"]
    here["jumps"] = before["jumps"] + largest_difference(state.sums, state.past_sums[now - 1])
    if state.rule[0]["test"] != TEST_SCORES:
        here["jumps"] += 0.5 - state.rule[0]["centre"]  # the offset of examine_others
    here["slack"] = -here["jumps"]
    before["inverse_rate"] = clock["inverse_max"]
    copy_sums(state.past_sums[now], state.sums)
    earliest = max(clock["episode"], second_smallest_absent(state) + 1)
    largest = clock["inverse_max"]
    clock["inverse_max"] = 0.0
    for first in range(now - 2, earliest - 1, -1):
        begin = state.past[first]
        largest = max(largest, begin["inverse_rate"])
        inverse_sum = clock["inverse_sum"] - begin["inverse_sum"]
        drift = state.past[now - 1 - first]["drift"]
        threshold = threshold_of(state, drift, inverse_sum, largest)
        if (begin["slack"] + here["jumps"]) * ROUNDING >= threshold:
            behind = examine(state, first, state.past_sums[first], threshold)
            begin["slack"] = behind - here["jumps"]


@kernel
def largest_difference(one: Floats, other: Floats) -> float:
    """Return the largest difference of two arrays (W, K)."""
    largest = 0.0
    for weight in range(one.shape[0]):
        for arm in range(one.shape[1]):
            largest = max(largest, abs(one[weight, arm] - other[weight, arm]))
    return largest


@kernel
def second_smallest_absent(state: EpisodicState) -> int:
    """Return the second smallest ``absent`` of the active arms; very large if there is one."""
    smallest = NEVER
    second = NEVER
    for n in range(state.clock[0]["n_active"]):
        absent = state.arms[state.active[n]]["absent"]
        if absent < smallest:
            second = smallest
            smallest = absent
        elif absent < second:
            second = absent
    return second
