"""CALIBRATED METABOSSE for a known weight: Borda and weighted Borda scores.

An exploring duel sets an arm i against an arm j of the reference weight and is a toss with the
score of i; only such duels count. Three kinds of round, drawn with chances that `set_rates`
computes: *full*, i drawn from all arms (under the uniform weight j's outcome counts as well);
*half*, i the leader or an active arm, with equal chances; otherwise the leader plays itself.
Sides are drawn too, so a voter's taste for a side cancels.

What is known of an arm is the mean of its tosses, older ones fading. The leader has the best mean;
an arm is active while it is less than ``doubt`` standard deviations behind.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.calibrated.watching import (
    LEVELS,
    STEPS,
    WATCHING_RANGES,
    Watching,
    activate,
    alarm_at,
    begin_random_replay,
    drop,
    evict,
    likelihood_ratio,
    set_fading,
    set_watch,
    weigh_proof,
)
from driftduel.learners.parts.arrays import Floats, Records, copy_sums
from driftduel.learners.parts.journal import note_replay
from driftduel.learners.parts.reference import (
    REFERENCE_RANGES,
    Reference,
    draw_reference,
    turn_reference,
)
from driftduel.learners.ranges import (
    CHANCE,
    COUNT,
    LARGEST,
    NUMBER,
    Known,
    Ranges,
    such_that,
    whole,
)

Ticket = tuple[float, float]

LEFT, RIGHT, BOTH = 1.0, -1.0, 2.0
"""Whose toss a duel is; 0 if nobody's."""

CLEAR = 2.5
"""Standard deviations by which a new leader must be ahead of the old one before a restart."""

MOMENT = np.dtype([("looks", "i8"), ("round", "i8")], align=True)

LEADER = np.dtype(
    [
        ("n", "f8"),  # the leader's tosses when it became leader
        ("sum", "f8"),
        ("n_then", "f8"),  # its counts of all time then
        ("sum_then", "f8"),
    ],
    align=True,
)


class ScoresState(NamedTuple):
    """The arrays; tables (2, K) hold sums of outcomes less 1/2, and numbers of tosses."""

    watching: Watching
    reference: Reference  # the known weights
    leader: Records  # (1,) LEADER
    known: Floats  # (2, K) fading, in growing units
    sums: Floats  # (2, K) of all time
    since: Floats  # (2, K) sums when the world may last have changed
    before: Floats  # (2, K) sums when it may have changed before that
    fresh: Floats  # (2, K) sums when the random replay began
    moments: Records  # (L, STEPS) MOMENT
    moment_sums: Floats  # (L, STEPS, 2, K) sums at these moments


def are_tosses(sums: Floats, numbers: Floats, most: float) -> NDArray[np.bool_]:
    """Tell whether so many tosses can have such sums of outcomes less 1/2."""
    good: NDArray[np.bool_] = (numbers >= 0) & (numbers <= most) & (np.abs(sums) <= numbers / 2)
    return good & (numbers == np.floor(numbers)) & (2 * sums == np.floor(2 * sums))


def _are_sums(sums: Floats, known: Known) -> bool:
    return bool(are_tosses(sums[0], sums[1], 2 * known.told).all())


def _are_earlier(sums: Floats, known: Known) -> bool:
    """Tell whether tables (..., 2, K) are of sums as they may have been before."""
    then, now = np.moveaxis(sums, -2, 0), known.state.sums
    most = 2 * known.told
    since = are_tosses(now[0] - then[0], now[1] - then[1], most)
    return bool(are_tosses(then[0], then[1], most).all() and since.all())


def _are_known(table: Floats, known: Known) -> bool:
    # Doubting what is old takes tosses back by their weight now, not by the one they had then.
    good = (table[1] >= 0) & (table[1] <= LARGEST) & (np.abs(table[0]) <= 2 * table[1])
    return bool(good.all())


_EARLIER = such_that("sums of an earlier round", _are_earlier)

SCORES_RANGES: Ranges = {
    "watching": WATCHING_RANGES,
    "reference": REFERENCE_RANGES,
    "leader": dict.fromkeys(LEADER.names or (), NUMBER),
    "sums": such_that("sums and numbers of tosses", _are_sums),
    "known": such_that("sums and numbers of tosses", _are_known),
    "since": _EARLIER,
    "before": _EARLIER,
    "fresh": _EARLIER,
    "moments": {"looks": whole(-1, "watching.clock.looks"), "round": COUNT},
    "moment_sums": _EARLIER,
}
SCORES_TICKET = (CHANCE, whole(RIGHT, BOTH))


def start_scores(watching: Watching, reference: Reference) -> ScoresState:
    """Return the state before the first round."""
    n_arms = len(watching.arms)
    moments = np.zeros((LEVELS, STEPS), MOMENT)
    moments["looks"][:, 1:] = -1
    return ScoresState(
        watching=watching,
        reference=reference,
        leader=np.zeros(1, LEADER),
        known=np.zeros((2, n_arms)),
        sums=np.zeros((2, n_arms)),
        since=np.zeros((2, n_arms)),
        before=np.zeros((2, n_arms)),
        fresh=np.zeros((2, n_arms)),
        moments=moments,
        moment_sums=np.zeros((LEVELS, STEPS, 2, n_arms)),
    )


@inline_kernel
def choose(state: ScoresState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Let the leader play itself, or now and then toss for an arm's score."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    full = clock["full"]
    explore = full + clock["half"]
    number = rng.random()
    if number >= explore:
        return leader, leader, (pair_chance(state, leader, leader), 0.0)
    n_arms = state.watching.active.shape[0]
    arm = leader
    credit = LEFT
    if number < full:
        arm = min(int(number / full * n_arms), n_arms - 1)
        credit = BOTH if state.watching.rule[0]["uniform"] else LEFT
    else:
        place = (number - full) / clock["half"] * 2.0
        if place >= 1.0:
            arm = state.watching.active[
                min(int((place - 1.0) * clock["n_active"]), clock["n_active"] - 1)
            ]
    other = draw_other(state, rng.random())
    chance = pair_chance(state, arm, other)
    if rng.random() < 0.5:
        return arm, other, (chance, credit)
    return other, arm, (chance, RIGHT if credit == LEFT else BOTH)


@inline_kernel
def draw_other(state: ScoresState, number: float) -> int:
    """Draw an arm from the reference weight."""
    n_arms = state.watching.active.shape[0]
    if state.watching.rule[0]["uniform"]:
        return min(int(number * n_arms), n_arms - 1)
    return draw_reference(state.reference, number * n_arms)


@inline_kernel
def pair_chance(state: ScoresState, left: int, right: int) -> float:
    """Return the chance of an ordered pair, either side being as likely."""
    clock = state.watching.clock[0]
    mix = state.reference.mix[state.reference.turn[0]["row"]]
    chance = toss_chance(state, left) * mix[right]["weight"]
    chance = 0.5 * (chance + toss_chance(state, right) * mix[left]["weight"])
    if left == right and left == clock["leader"]:
        chance += 1.0 - clock["full"] - clock["half"]
    return chance


@inline_kernel
def toss_chance(state: ScoresState, arm: int) -> float:
    """Return the chance that a round is a toss for the score of an arm."""
    clock = state.watching.clock[0]
    chance = clock["full"] / state.watching.active.shape[0]
    chance += 0.5 * clock["half"] * (arm == clock["leader"])
    return chance + 0.5 * clock["half"] * state.watching.is_active[arm] / clock["n_active"]


@inline_kernel
def learn(state: ScoresState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count a toss; the rest is due only now and then."""
    clock = state.watching.clock[0]
    clock["round"] += 1
    _, credit = ticket
    if credit != 0.0:
        age_memory(state)
        # An arm against itself is even, whatever the voter says.
        value = 0.0 if left == right else outcome - 0.5
        if credit > 0.0:
            toss(state, left, value)
        if credit != LEFT:
            toss(state, right, -value)
        clock["looks"] += 1
        if clock["looks"] >= clock["next_check"]:
            return True
    return bool(clock["round"] >= clock["wake"])


@inline_kernel
def age_memory(state: ScoresState) -> None:
    """Let the weight of a new outcome grow with the rounds since the last one."""
    clock = state.watching.clock[0]
    clock["unit"] *= 1.0 + clock["fading"] * (clock["round"] - clock["faded"])
    clock["faded"] = clock["round"]


@inline_kernel
def toss(state: ScoresState, arm: int, value: float) -> None:
    """Add a toss for an arm."""
    unit = state.watching.clock[0]["unit"]
    state.sums[0, arm] += value
    state.sums[1, arm] += 1.0
    state.known[0, arm] += unit * value
    state.known[1, arm] += unit


@kernel
def settle(state: ScoresState, rng: np.random.Generator) -> None:
    """Do what is due: tests, replays, weights, leader, active arms, rates."""
    clock = state.watching.clock[0]
    now = clock["round"]
    if clock["looks"] >= clock["next_check"]:
        clock["next_check"] = clock["looks"] + state.watching.rule[0]["tick"]
        check_blocks(state)
    if now >= state.reference.turn[0]["next"]:
        turn_reference(state.reference)
    if now >= state.watching.replays.schedule[0]["next"]:
        begin_random_replay(state.watching, rng)
        copy_sums(state.fresh, state.sums)
    if now < clock["replay_end"]:
        judge_replay(state)
    lighten(state)
    set_leader(state)
    if clock["suspect"]:
        seek_proof(state, rng)
    set_active(state)
    set_rates(state)


@kernel
def check_blocks(state: ScoresState) -> None:
    """Test the blocks of looks that end now, and keep the moment for later ones.

    Level k has blocks of ``STEPS * tick * 2^k`` looks that start at every multiple of
    ``tick * 2^k``, counted from the first look, as METABOSSE's blocks of rounds do.
    """
    clock = state.watching.clock[0]
    looks = clock["looks"]
    index = looks // state.watching.rule[0]["tick"]
    alarm = False
    for level in range(state.moments.shape[0]):
        slot = index & (STEPS - 1)
        moment = state.moments[level, slot]
        if moment["looks"] >= clock["since_looks"]:
            statistic = leader_drop(state, state.moment_sums[level, slot])
            length = looks - moment["looks"]
            alarm |= statistic >= alarm_at(state.watching, looks - clock["since_looks"], length)
        if alarm:
            break
        copy_sums(state.moment_sums[level, slot], state.sums)
        moment["looks"] = looks
        moment["round"] = clock["round"]
        if index & 1:
            break
        index >>= 1
    if alarm:
        doubt_since_drop(state)


@kernel
def leader_drop(state: ScoresState, then: Floats) -> float:
    """Return the likelihood ratio of a drop of the leader's score at a moment."""
    leader = state.watching.clock[0]["leader"]
    reference = state.leader[0]
    n0 = reference["n"] + then[1, leader] - reference["n_then"]
    sum0 = reference["sum"] + then[0, leader] - reference["sum_then"]
    n1 = state.sums[1, leader] - then[1, leader]
    return drop(n0, sum0, n1, state.sums[0, leader] - then[0, leader])


@kernel
def doubt_since_drop(state: ScoresState) -> None:
    """Look again, from the moment that explains the drop of the leader best."""
    clock = state.watching.clock[0]
    looks = clock["looks"]
    best = 0.0
    best_level = 0
    best_slot = 0
    for level in range(state.moments.shape[0]):
        for slot in range(STEPS):
            moment = state.moments[level, slot]
            if clock["since_looks"] <= moment["looks"] < looks:
                statistic = leader_drop(state, state.moment_sums[level, slot])
                if statistic > best:
                    best = statistic
                    best_level = level
                    best_slot = slot
    since = state.moments[best_level, best_slot]["round"]
    look_again(state, state.moment_sums[best_level, best_slot], since)


@kernel
def look_again(state: ScoresState, then: Floats, since: int) -> None:
    """Doubt what is known from before a moment, the round ``since`` with the sums ``then``."""
    clock = state.watching.clock[0]
    # A second alarm about the same leader moves the suspected change, not what was before it.
    if clock["suspect"] == 0 or clock["accused"] != clock["leader"]:
        copy_sums(state.before, state.since)
    copy_sums(state.since, then)
    keep = state.watching.rule[0]["keep"] / clock["unit"]
    for row in range(2):
        for arm in range(state.known.shape[1]):
            fresh = state.sums[row, arm] - then[row, arm]
            # Fading may have made what is known lighter than what is fresh.
            rest = state.known[row, arm] - clock["unit"] * fresh
            lighter = state.known[1, arm] < clock["unit"] * (state.sums[1, arm] - then[1, arm])
            state.known[row, arm] = fresh + (0.0 if lighter else keep * rest)
    clock["unit"] = 1.0
    clock["replay_end"] = 0
    clock["suspect"] = 1
    clock["counted"] = 0
    clock["accused"] = clock["leader"]
    clock["changed"] = since
    clock["base"] = clock["round"]
    clock["alarms"] += 1
    note_replay(state.watching.journal, clock["round"], clock["round"] - since)
    leader = clock["leader"]
    watch_from_here(
        state,
        leader,
        state.sums[1, leader] - then[1, leader],
        state.sums[0, leader] - then[0, leader],
    )


@kernel
def judge_replay(state: ScoresState) -> None:
    """Look again if by the random replay's own tosses the leader is clearly behind an arm."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    n_leader, sum_leader = tosses(state, leader, True)
    for arm in range(state.known.shape[1]):
        n, total = tosses(state, arm, True)
        if n > 0.0 and n_leader > 0.0:
            ahead = total / n - sum_leader / n_leader
            variance = 0.25 / n + 0.25 / n_leader
            if ahead > 0.0 and ahead * ahead >= 2.0 * state.watching.rule[0]["likely"] * variance:
                look_again(state, state.fresh, clock["replay_start"])
                return


@kernel
def watch_from_here(state: ScoresState, leader: int, n: float, total: float) -> None:
    """Begin to watch a leader, of whom ``n`` tosses with a sum are known already."""
    reference = state.leader[0]
    reference["n"] = n
    reference["sum"] = total
    reference["n_then"] = state.sums[1, leader]
    reference["sum_then"] = state.sums[0, leader]
    state.watching.clock[0]["since_looks"] = state.watching.clock[0]["looks"]


@kernel
def lighten(state: ScoresState) -> None:
    """Count what is known in units of a new outcome, and let memory fade on."""
    clock = state.watching.clock[0]
    age_memory(state)
    unit = clock["unit"]
    if unit > 1.0:
        for arm in range(state.known.shape[1]):
            state.known[0, arm] /= unit
            state.known[1, arm] /= unit
        clock["unit"] = 1.0
    set_fading(state.watching)


@kernel
def set_leader(state: ScoresState) -> None:
    """Find the arm with the best mean; the leader stays if it has it too."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    best = leader
    best_mean = -1.0
    if state.known[1, leader] > 0.0:
        best_mean = state.known[0, leader] / state.known[1, leader]
    for arm in range(state.known.shape[1]):
        n = state.known[1, arm]
        if n > 0.0 and state.known[0, arm] / n > best_mean:
            best_mean = state.known[0, arm] / n
            best = arm
    if best != leader:
        clock["leader"] = best
        clock["led"] = clock["round"]
        watch_from_here(state, best, state.known[1, best], state.known[0, best])


@kernel
def seek_proof(state: ScoresState, rng: np.random.Generator) -> None:
    """Begin an episode if the old leader's fall or the new one's rise is beyond chance."""
    clock = state.watching.clock[0]
    accused = clock["accused"]
    leader = clock["leader"]
    if leader == accused:
        return
    n_old = state.sums[1, accused] - state.since[1, accused]
    n_new = state.sums[1, leader] - state.since[1, leader]
    if n_old < 1.0 or n_new < 1.0:
        return
    ahead = (state.sums[0, leader] - state.since[0, leader]) / n_new
    ahead -= (state.sums[0, accused] - state.since[0, accused]) / n_old
    # That a score changed is no reason to restart while the same arm stays best.
    if ahead < CLEAR * math.sqrt(0.25 / n_old + 0.25 / n_new):
        return
    fall = change_of(state, accused)
    rise = change_of(state, leader)
    # The two are tosses of different arms; that both are large is worth more than either.
    both = fall + rise - 5.0 - math.log(state.sums.shape[1])
    weigh_proof(state.watching, rng, max(fall, rise, both), clock["looks"], n_old + n_new)


@kernel
def change_of(state: ScoresState, arm: int) -> float:
    """Return the likelihood ratio of a change of an arm's score at the suspected moment."""
    return likelihood_ratio(
        state.since[1, arm] - state.before[1, arm],
        state.since[0, arm] - state.before[0, arm],
        state.sums[1, arm] - state.since[1, arm],
        state.sums[0, arm] - state.since[0, arm],
    )


@kernel
def set_active(state: ScoresState) -> None:
    """Find the arms that may be as good as the leader; in a random replay, by fresh tosses."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    replaying = clock["round"] < clock["replay_end"]
    if not replaying:
        clock["replay_end"] = 0
    start = clock["replay_start"] if replaying else clock["base"]
    doubt = state.watching.rule[0]["doubt"]
    n_leader, sum_leader = tosses(state, leader, replaying)
    n_active = 0
    for arm in range(state.watching.active.shape[0]):
        n, total = tosses(state, arm, replaying)
        active = True
        if arm != leader and n > 0.0 and n_leader > 0.0:
            behind = sum_leader / n_leader - total / n
            threshold = doubt * math.sqrt(0.25 / n + 0.25 / n_leader)
            active = behind < threshold
            if not active and state.watching.is_active[arm]:
                evict(state.watching, arm, start, -1, behind, threshold)
        if active:
            activate(state.watching, arm)
            state.watching.active[n_active] = arm
            n_active += 1
        state.watching.is_active[arm] = active
    clock["n_active"] = n_active


@inline_kernel
def tosses(state: ScoresState, arm: int, replaying: bool) -> tuple[float, float]:
    """Return the tosses that count for an arm now, and their sum."""
    if replaying:
        n = state.sums[1, arm] - state.fresh[1, arm]
        return n, state.sums[0, arm] - state.fresh[0, arm]
    return state.known[1, arm], state.known[0, arm]


@kernel
def set_rates(state: ScoresState) -> None:
    """Compute the chances to explore, and the next round at which there is work."""
    clock = state.watching.clock[0]
    rule = state.watching.rule[0]
    n_arms = state.watching.active.shape[0]
    now = clock["round"]
    leader = clock["leader"]
    n = state.known[1, leader]
    lead = 0.0
    if n > 0.0:
        lead = state.known[0, leader] / n - 0.5 / math.sqrt(n)
    set_watch(state.watching, lead)
    start = clock["replay_start"] if now < clock["replay_end"] else clock["base"]
    age = now - start + 1.0
    full = 0.1 * clock["watch"]
    half = 0.9 * clock["watch"]
    if clock["n_active"] > 1:
        ease = (4.0 * clock["gap"]) ** (-2.0 / 3.0)
        full = max(full, rule["spread"] * ease * (n_arms / age) ** (1.0 / 3.0))
        half = max(half, rule["learn"] * ease * (clock["n_active"] / age) ** (1.0 / 3.0))
    clock["full"] = min(1.0, full)
    clock["half"] = min(1.0 - clock["full"], half)
    wake = now + max(1, int(age / 16.0))
    wake = min(wake, state.watching.replays.schedule[0]["next"])
    wake = min(wake, state.reference.turn[0]["next"])
    if now < clock["replay_end"]:
        wake = min(wake, clock["replay_end"])
    clock["wake"] = wake
