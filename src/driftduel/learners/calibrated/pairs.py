"""CALIBRATED METABOSSE for unknown weights: the Condorcet winner.

The leader meets whoever may still beat it: arms j with u = w/N + sqrt(optimism ln n / N) >= 1/2,
RUCB's upper bounds with a small factor and counts that fade (`driftduel.learners.parts.optimism`);
fading makes an arm a challenger again before long, which is how a rise is noticed. When nobody may,
the leader plays itself, or now and then *watches*: it meets an arm drawn from all, a toss with its
Borda score, whose drop sets off an alarm.

When the leader is deposed it is *on trial*: every other round repeats what spoke for it, its duels
with the new leader if there were enough of them, otherwise its tosses against all arms, until the
change is proved or the trial has cost enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.calibrated.scores import are_tosses
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
    set_fading,
    set_watch,
    weigh_proof,
)
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.journal import note_replay
from driftduel.learners.parts.memory import HEAVIEST, no_fading
from driftduel.learners.parts.optimism import (
    FADING_OPTIMISM_RANGES,
    Optimism,
    choose_optimistically,
    find_hopeful,
    lighten,
    weigh,
)
from driftduel.learners.parts.verdicts import lift
from driftduel.learners.ranges import (
    AN_ARM,
    CHANCE,
    COUNT,
    FLAG,
    NUMBER,
    Known,
    Ranges,
    real,
    such_that,
    whole,
)

Ticket = tuple[float, float]

PLAIN, WATCH = 0.0, 1.0
"""What a duel is for; a watching one tosses for the score of its left arm."""

BY_PAIR, BY_SCORE = 1, 2
"""What a leader on trial is tried by."""

ENOUGH = 12
"""Tosses from before a change that a trial can build on."""

TRIAL = np.dtype(
    [
        ("by", "i8"),  # 0 if nobody is on trial, BY_PAIR or BY_SCORE
        ("new", "i8"),  # who took over
        ("pair_n", "f8"),  # duels of the two before, and their sum for the old leader
        ("pair_sum", "f8"),
        ("score_n", "f8"),  # tosses of the old leader before, and their sum
        ("score_sum", "f8"),
        ("end", "f8"),  # tosses after which the trial ends
    ],
    align=True,
)

MOMENT = np.dtype([("looks", "i8"), ("round", "i8"), ("n", "f8"), ("sum", "f8")], align=True)


class PairsState(NamedTuple):
    """RUCB's bounds, in growing units, and what watching and trials need."""

    watching: Watching  # active are the leader and those who may beat it
    optimism: Optimism
    fading: Records  # (1,) FADING of parts.memory
    trial: Records  # (1,) TRIAL
    totals: Floats  # (2, K, K) sums of outcomes less 1/2 and duels of pairs in this episode
    scores: Floats  # (2, K) the same of tosses
    watched: Floats  # (2,) the same of the leader's tosses since it is watched
    fresh: Floats  # (2, K) the leader's row of totals when the random replay began
    moments: Records  # (L, STEPS) MOMENT


def _are_totals(totals: Floats, known: Known) -> bool:
    return bool(are_tosses(totals[0], totals[1], known.told).all())


def _is_row(fresh: Floats, known: Known) -> bool:
    """Tell whether it is the leader's row of totals as it may have been when a replay began."""
    clock = known.state.watching.clock[0]
    row = known.state.totals[:, clock["leader"]] - fresh
    since = are_tosses(row[0], row[1], known.told).all()
    return _are_totals(fresh, known) and bool(since or clock["replay_end"] <= clock["round"])


def _looks(known: Known) -> int:
    clock = known.state.watching.clock[0]
    return int(clock["looks"] - clock["since_looks"])


_TOSSES = such_that("sums and numbers of duels", _are_totals)

PAIRS_RANGES: Ranges = {
    "watching": WATCHING_RANGES,
    "optimism": FADING_OPTIMISM_RANGES,
    "fading": {
        "unit": real(1, HEAVIEST**1.4),
        "growth": real(1, 1.1),
        "rounds": real(0, lambda known: known.told + 1),
    },
    "trial": {
        "by": whole(0, BY_SCORE),
        "new": AN_ARM,
        **dict.fromkeys(("pair_n", "pair_sum", "score_n", "score_sum", "end"), NUMBER),
    },
    "totals": _TOSSES,
    "scores": _TOSSES,
    "watched": _TOSSES,
    "fresh": such_that("the leader's totals of an earlier round", _is_row),
    "moments": {"looks": whole(-1, _looks), "round": COUNT, "n": NUMBER, "sum": NUMBER},
}
PAIRS_TICKET = (
    such_that(
        "a chance above 0 and at most 1, or nan",
        lambda values, known: CHANCE.holds(values, known) | np.isnan(values),
    ),
    FLAG,
)


def start_pairs(watching: Watching, optimism: Optimism) -> PairsState:
    """Return the state before the first round."""
    n_arms = len(watching.arms)
    moments = np.zeros((LEVELS, STEPS), MOMENT)
    moments["looks"] = -1
    return PairsState(
        watching=watching,
        optimism=optimism,
        fading=no_fading(1.0),
        trial=np.zeros(1, TRIAL),
        totals=np.zeros((2, n_arms, n_arms)),
        scores=np.zeros((2, n_arms)),
        watched=np.zeros(2),
        fresh=np.zeros((2, n_arms)),
        moments=moments,
    )


@inline_kernel
def choose(state: PairsState, rng: np.random.Generator) -> tuple[int, int, Ticket]:
    """Try the old leader, let the leader meet a challenger, watch it, or let it play itself."""
    clock = state.watching.clock[0]
    trial = state.trial[0]
    n_arms = state.optimism.hopeful.shape[0]
    share = 1.0
    if trial["by"] > 0:
        share = 0.5
        if rng.random() < 0.5:
            if trial["by"] == BY_PAIR:
                return trial["new"], clock["accused"], (np.nan, PLAIN)
            return clock["accused"], int(rng.random() * n_arms), (np.nan, WATCH)
    if clock["replay_end"] > clock["round"] and clock["n_active"] > 1:
        others = clock["n_active"] - 1
        place = min(int(rng.random() * others), others - 1)
        right = state.watching.active[place]
        if right >= clock["leader"]:
            right = state.watching.active[place + 1]
        return clock["leader"], right, (1.0 / others if share == 1.0 else np.nan, PLAIN)
    left, right, (chance,) = choose_optimistically(state.optimism, rng)
    purpose = PLAIN
    if left == right:
        watch = clock["watch"]
        number = rng.random()
        if number < watch:
            right = min(int(number / watch * n_arms), n_arms - 1)
            purpose = WATCH
        chance *= watch / n_arms + (1.0 - watch) * (left == right)
    return left, right, (chance if share == 1.0 else np.nan, purpose)


@inline_kernel
def learn(state: PairsState, left: int, right: int, ticket: Ticket, outcome: float) -> bool:
    """Count a duel; say if a verdict changed, something was tossed or the time has come."""
    verdicts = state.optimism.verdicts.clock[0]
    fading = state.fading[0]
    clock = state.watching.clock[0]
    fading["unit"] *= fading["growth"]
    fading["rounds"] = fading["rounds"] / fading["growth"] + 1.0
    verdicts["round"] += 1
    clock["round"] += 1
    set_bonus(state)
    work = clock["round"] >= clock["wake"] or fading["unit"] > HEAVIEST
    # An arm against itself is even, whatever the voter says.
    value = 0.0 if left == right else outcome - 0.5
    _, purpose = ticket
    if purpose == WATCH:
        state.scores[0, left] += value
        state.scores[1, left] += 1.0
        if left == clock["leader"]:
            state.watched[0] += value
            state.watched[1] += 1.0
            clock["looks"] += 1
        work = True
    if left != right:
        state.totals[0, left, right] += value
        state.totals[0, right, left] -= value
        state.totals[1, left, right] += 1.0
        state.totals[1, right, left] += 1.0
        work |= weigh(state.optimism, left, right, outcome, fading["unit"])
        work |= state.trial[0]["by"] > 0 or clock["replay_end"] > 0
    if verdicts["bonus"] >= verdicts["next"]:
        work |= lift(state.optimism.verdicts)
    return bool(work)


@inline_kernel
def set_bonus(state: PairsState) -> None:
    """Compute the squared width of the bounds, in units of a new duel."""
    fading = state.fading[0]
    verdicts = state.optimism.verdicts.clock[0]
    verdicts["bonus"] = verdicts["alpha"] * math.log(fading["rounds"] + 1.0) * fading["unit"]


@kernel
def settle(state: PairsState, rng: np.random.Generator) -> None:
    """Do what is due: verdicts, tests, replays, leader, trial, rates."""
    clock = state.watching.clock[0]
    now = clock["round"]
    if state.fading[0]["unit"] > HEAVIEST:
        lighten(state.optimism, state.fading)
    find_hopeful(state.optimism)
    if clock["looks"] >= clock["next_check"]:
        clock["next_check"] = clock["looks"] + state.watching.rule[0]["tick"]
        check_blocks(state, rng)
    if now >= state.watching.replays.schedule[0]["next"]:
        begin_random_replay(state.watching, rng)
        remember_row(state)
    if now < clock["replay_end"]:
        judge_replay(state, rng)
    leader = clock["leader"]
    set_leader(state)
    if state.trial[0]["by"] > 0:
        hear_trial(state, rng)
    set_active(state)
    if now >= clock["wake"] or clock["leader"] != leader:
        set_rates(state)


@kernel
def check_blocks(state: PairsState, rng: np.random.Generator) -> None:
    """Test the blocks of looks that end now, and keep the moment for later ones.

    Blocks are counted from the first look at this leader.
    """
    clock = state.watching.clock[0]
    looks = clock["looks"] - clock["since_looks"]
    index = looks // state.watching.rule[0]["tick"]
    changed = -1
    for level in range(state.moments.shape[0]):
        moment = state.moments[level, index & (STEPS - 1)]
        if moment["looks"] >= 0:
            n1 = state.watched[1] - moment["n"]
            statistic = drop(moment["n"], moment["sum"], n1, state.watched[0] - moment["sum"])
            if statistic >= alarm_at(state.watching, looks, looks - moment["looks"]):
                changed = moment["round"]
                break
        moment["looks"] = looks
        moment["round"] = clock["round"]
        moment["n"] = state.watched[1]
        moment["sum"] = state.watched[0]
        if index & 1:
            break
        index >>= 1
    if changed >= 0:
        look_again(state, rng, changed)


@kernel
def look_again(state: PairsState, rng: np.random.Generator, changed: int) -> None:
    """Doubt all that is known: a new duel counts for many old ones."""
    clock = state.watching.clock[0]
    fading = state.fading[0]
    fading["unit"] /= state.watching.rule[0]["keep"]
    fading["rounds"] *= state.watching.rule[0]["keep"]
    set_bonus(state)
    lift(state.optimism.verdicts)
    find_hopeful(state.optimism)
    clock["replay_end"] = 0
    clock["alarms"] += 1
    clock["changed"] = changed
    clock["base"] = clock["round"]
    note_replay(state.watching.journal, clock["round"], clock["round"] - changed)
    watch_from_here(state)


@kernel
def watch_from_here(state: PairsState) -> None:
    """Begin to watch the leader."""
    clock = state.watching.clock[0]
    clock["since_looks"] = clock["looks"]
    clock["next_check"] = clock["looks"] + state.watching.rule[0]["tick"]
    state.watched[0] = 0.0
    state.watched[1] = 0.0
    for level in range(state.moments.shape[0]):
        for slot in range(STEPS):
            state.moments[level, slot]["looks"] = -1


@kernel
def judge_replay(state: PairsState, rng: np.random.Generator) -> None:
    """Look again if in the random replay's own duels an arm clearly beats the leader."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    for arm in range(state.fresh.shape[1]):
        n = state.totals[1, leader, arm] - state.fresh[1, arm]
        total = state.totals[0, leader, arm] - state.fresh[0, arm]
        if total < 0.0 and 2.0 * total * total >= state.watching.rule[0]["likely"] * n:
            look_again(state, rng, clock["replay_start"])
            return


@kernel
def remember_row(state: PairsState) -> None:
    """Keep the leader's row of totals, to tell fresh duels from older ones."""
    leader = state.watching.clock[0]["leader"]
    for arm in range(state.fresh.shape[1]):
        state.fresh[0, arm] = state.totals[0, leader, arm]
        state.fresh[1, arm] = state.totals[1, leader, arm]


@kernel
def set_leader(state: PairsState) -> None:
    """Follow RUCB's favourite; without one the leader stays while nobody beats it."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    best = state.optimism.hopes[0]["favourite"]
    if best < 0:
        best = leader
        if (
            state.optimism.verdicts.arms[leader]["losses"] > 0
            and state.optimism.hopes[0]["count"] > 0
        ):
            best = state.optimism.hopeful[0]
    if best == leader:
        return
    if state.trial[0]["by"] == 0:
        open_trial(state, leader, best)
    clock["leader"] = best
    clock["led"] = clock["round"]
    clock["replay_end"] = 0
    watch_from_here(state)


@kernel
def open_trial(state: PairsState, old: int, new: int) -> None:
    """Put a deposed leader on trial if what spoke for it can be told from what speaks now."""
    clock = state.watching.clock[0]
    trial = state.trial[0]
    trial["pair_n"] = state.totals[1, old, new]
    trial["pair_sum"] = state.totals[0, old, new]
    trial["score_n"] = state.scores[1, old]
    trial["score_sum"] = state.scores[0, old]
    clear = 0.0
    if trial["pair_n"] >= 3.0:
        clear = 2.0 * trial["pair_sum"] / math.sqrt(trial["pair_n"])
    if (trial["pair_n"] >= ENOUGH and clear > 2.0) or (trial["score_n"] < ENOUGH and clear > 1.5):
        trial["by"] = BY_PAIR
        mean = trial["pair_sum"] / trial["pair_n"]
    elif trial["score_n"] >= ENOUGH:
        trial["by"] = BY_SCORE
        mean = trial["score_sum"] / trial["score_n"]
    else:
        return
    trial["new"] = new
    least = max(0.05, mean)
    trial["end"] = 2.0 * max(1.0, state.watching.rule[0]["proof"]) / (least * least)
    clock["accused"] = old
    clock["counted"] = 0
    if clock["alarms"] == 0 or clock["base"] < clock["led"]:
        clock["changed"] = clock["round"]  # no alarm said when


@kernel
def hear_trial(state: PairsState, rng: np.random.Generator) -> None:
    """Begin an episode if the fall of the leader on trial is beyond chance, or end the trial."""
    clock = state.watching.clock[0]
    trial = state.trial[0]
    old = clock["accused"]
    if trial["by"] == BY_PAIR:
        n0 = trial["pair_n"]
        sum0 = trial["pair_sum"]
        n1 = state.totals[1, old, trial["new"]] - n0
        sum1 = state.totals[0, old, trial["new"]] - sum0
        refuted = n1 >= 4.0 and 2.0 * sum1 > math.sqrt(n1)
    else:
        n0 = trial["score_n"]
        sum0 = trial["score_sum"]
        n1 = state.scores[1, old] - n0
        sum1 = state.scores[0, old] - sum0
        refuted = n1 >= 8.0 and sum1 * n0 >= sum0 * n1
    if clock["leader"] == old or refuted or n1 > trial["end"]:
        trial["by"] = 0
    elif weigh_proof(state.watching, rng, drop(n0, sum0, n1, sum1), n0 + n1, n1):
        trial["by"] = 0
        clock["base"] = clock["round"]
        state.totals[:] = 0.0
        state.scores[:] = 0.0
        remember_row(state)


@kernel
def set_active(state: PairsState) -> None:
    """List the leader and the arms that may beat it; in a random replay, by fresh duels."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    replaying = clock["round"] < clock["replay_end"]
    if not replaying:
        clock["replay_end"] = 0
    n_active = 0
    for arm in range(state.watching.active.shape[0]):
        active = arm == leader
        if not active and replaying:
            n = state.totals[1, leader, arm] - state.fresh[1, arm]
            total = state.totals[0, leader, arm] - state.fresh[0, arm]
            active = n == 0.0 or 2.0 * total < state.watching.rule[0]["doubt"] * math.sqrt(n)
        elif not active:
            active = not state.optimism.verdicts.beaten[arm, leader]
        if active:
            activate(state.watching, arm)
            state.watching.active[n_active] = arm
            n_active += 1
        elif state.watching.is_active[arm]:
            start = clock["replay_start"] if replaying else clock["base"]
            unit = state.fading[0]["unit"]
            margin = state.optimism.verdicts.margin[arm, leader] / unit
            bonus = state.optimism.verdicts.clock[0]["bonus"] / unit
            evict(state.watching, arm, start, arm, margin, bonus)
        state.watching.is_active[arm] = active
    clock["n_active"] = n_active


@kernel
def set_rates(state: PairsState) -> None:
    """Compute how fast memory fades, how often to watch, and the next round with work."""
    clock = state.watching.clock[0]
    leader = clock["leader"]
    wins = state.optimism.verdicts.wins
    lead = 0.0
    met = 0
    for arm in range(wins.shape[0]):
        n = wins[leader, arm] + wins[arm, leader]
        if arm != leader and n > 0.0:
            lead += max(0.0, wins[leader, arm] / n - 0.5)
            met += 1
    set_watch(state.watching, lead / max(1, met))
    set_fading(state.watching)
    state.fading[0]["growth"] = 1.0 + clock["fading"]
    now = clock["round"]
    wake = min(now + max(1, now // 16), state.watching.replays.schedule[0]["next"])
    if now < clock["replay_end"]:
        wake = min(wake, clock["replay_end"])
    clock["wake"] = wake
