"""The winner of a duel stays: pairs by wins minus losses, and races of an incumbent.

`driftduel.learners.rivals.winner_stays` has the learners and says where they come from;
`driftduel.learners.rivals.detection` plays them inside learners that look out for changes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.parts.arrays import Flags, Floats, Ints, Records

_LONG = 10**15
"""More rounds than anyone plays; no rest is longer."""


@inline_kernel
def rest_after(growth: float, number: int) -> int:
    """Return ``floor(growth^number)``, the rounds of rest after a stage; 0 for weak forms."""
    if growth == 0.0:
        return 0
    return int(growth**number) if number * math.log(growth) < 34.0 else _LONG


# Winner Stays.

LEADER = np.dtype(
    [
        ("first", "i8"),  # the arm in front
        ("second", "i8"),
        ("stage", "i8"),  # the stage being played, from 1
        ("rest", "i8"),  # rounds for which the arm in front still plays itself
        ("growth", "f8"),  # of rests; 0 for none
        ("outside", "f8"),  # the largest lead of the arms outside the pair
    ],
    align=True,
)

LeadTicket = tuple[float]


class LeadState(NamedTuple):
    """The arrays of `WinnerStays`."""

    clock: Records  # (1,) LEADER
    leads: Floats  # (K,) wins minus losses


def _are_leads(leads: Floats, known: Known) -> Flags:
    """Tell whether leads are whole numbers, and the stage of the leader has not ended."""
    most = (known.n_arms - 1) * known.state.clock["stage"]
    good: Flags = (np.abs(leads) <= known.told) & (leads == np.floor(leads))
    return good & (leads < most)


LEAD_RANGES: Ranges = {
    "clock": {
        "first": ranges.AN_ARM,
        "second": ranges.AN_ARM,
        "stage": ranges.whole(1, lambda known: known.told + 1),
        "rest": ranges.whole(0, _LONG),
        "growth": ranges.FIXED,
        "outside": ranges.such_that(
            "a lead, or -inf without other arms",
            lambda values, known: (np.abs(values) <= known.told) | (values == -np.inf),
        ),
    },
    "leads": ranges.such_that("wins minus losses of an unfinished stage", _are_leads),
}


@kernel
def begin_leads(state: LeadState, rng: np.random.Generator) -> None:
    """Forget everything and draw a pair; the growth stays."""
    for arm in range(state.leads.shape[0]):
        state.leads[arm] = 0.0
    clock = state.clock[0]
    clock["stage"] = 1
    clock["rest"] = 0
    clock["first"] = -1
    clock["second"] = -1
    pick_pair(state, rng)


@inline_kernel
def choose_leaders(state: LeadState, rng: np.random.Generator) -> tuple[int, int, LeadTicket]:
    """Return the two arms in front, or in a rest the first of them twice."""
    clock = state.clock[0]
    right = clock["first"] if clock["rest"] > 0 else clock["second"]
    return clock["first"], right, (1.0,)


@inline_kernel
def learn_lead(state: LeadState, left: int, right: int, ticket: LeadTicket, outcome: float) -> bool:
    """Count a win and a loss; a new pair or a rest is due if others may be in front now."""
    clock = state.clock[0]
    if left == right:
        clock["rest"] -= min(1, clock["rest"])
        return False
    state.leads[left] += 2.0 * outcome - 1.0
    state.leads[right] -= 2.0 * outcome - 1.0
    first, second = clock["first"], clock["second"]
    if min(left, right) != min(first, second) or max(left, right) != max(first, second):
        return True
    if min(state.leads[first], state.leads[second]) < clock["outside"]:
        return True
    if state.leads[second] > state.leads[first]:
        clock["first"], clock["second"] = second, first
    return state.leads[clock["first"]] >= (state.leads.shape[0] - 1) * clock["stage"]


@kernel
def settle_leads(state: LeadState, rng: np.random.Generator) -> None:
    """Pick the pair, and rest if the arm in front has won a stage against all others."""
    pick_pair(state, rng)
    clock = state.clock[0]
    others = state.leads.shape[0] - 1
    while state.leads[clock["first"]] >= others * clock["stage"]:
        rest = clock["rest"] + rest_after(clock["growth"], clock["stage"])
        clock["rest"] = min(rest, _LONG)
        clock["stage"] += 1


@kernel
def pick_pair(state: LeadState, rng: np.random.Generator) -> None:
    """Make the arms with the largest leads the pair, and note the largest lead of the others."""
    clock = state.clock[0]
    first = front(state, rng, -1)
    second = front(state, rng, first)
    clock["first"], clock["second"] = first, second
    outside = -np.inf
    for arm in range(state.leads.shape[0]):
        if arm not in (first, second):
            outside = max(outside, state.leads[arm])
    clock["outside"] = outside


@kernel
def front(state: LeadState, rng: np.random.Generator, but: int) -> int:
    """Return the arm with the largest lead but one; equals go to the old pair, then to chance."""
    clock = state.clock[0]
    most = -np.inf
    n_equal = 0
    for arm in range(state.leads.shape[0]):
        if arm == but:
            continue
        if state.leads[arm] > most:
            most = state.leads[arm]
            n_equal = 1
        elif state.leads[arm] == most:
            n_equal += 1
    for old in (clock["first"], clock["second"]):
        if old >= 0 and old != but and state.leads[old] == most:
            return old
    skip = int(rng.random() * n_equal) if n_equal > 1 else 0
    for arm in range(state.leads.shape[0]):
        if arm != but and state.leads[arm] == most:
            if skip == 0:
                return arm
            skip -= 1
    return but


def no_leads(n_arms: int, growth: float) -> LeadState:
    """Return the state of Winner Stays before `begin_leads`."""
    state = LeadState(np.zeros(1, LEADER), np.zeros(n_arms))
    state.clock[0]["growth"] = growth
    return state


# Beat the Winner, with and without reset.

RACE = np.dtype(
    [
        ("incumbent", "i8"),
        ("challenger", "i8"),
        ("length", "i8"),  # wins it takes to win the race
        ("version", "i8"),  # number of the race
        ("head", "i8"),  # of the queue, which is a ring
        ("rest", "i8"),  # rounds for which the incumbent still plays itself
        ("resets", "i8"),  # 1 if a challenger's win makes the next race short again
        ("growth", "f8"),  # of rests; 0 for none
        ("incumbent_wins", "f8"),
        ("challenger_wins", "f8"),
    ],
    align=True,
)

RaceTicket = tuple[float, float]
"""Propensity and number of the race."""


class RaceState(NamedTuple):
    """The arrays of `BeatTheWinnerReset`."""

    clock: Records  # (1,) RACE
    queue: Ints  # (K,) the arms that wait, K - 2 of them from the head on


_RACE_WINS = ranges.halves(0, "clock.length")

RACE_RANGES: Ranges = {
    "clock": {
        "incumbent": ranges.AN_ARM,
        "challenger": ranges.AN_ARM,
        "length": ranges.whole(1, lambda known: known.told + 1),
        "version": ranges.whole(0, lambda known: known.told + 1),
        "head": ranges.below("arms"),
        "rest": ranges.whole(0, _LONG),
        "resets": ranges.FIXED,
        "growth": ranges.FIXED,
        "incumbent_wins": _RACE_WINS,
        "challenger_wins": _RACE_WINS,
    },
    "queue": ranges.AN_ARM,
}


@kernel
def begin_races(state: RaceState, rng: np.random.Generator) -> None:
    """Forget everything and shuffle the arms; the rules stay, and so does the count of races."""
    n_arms = state.queue.shape[0]
    for place in range(n_arms):
        state.queue[place] = place
    for place in range(n_arms - 1, 0, -1):
        other = int(rng.random() * (place + 1))
        kept = state.queue[place]
        state.queue[place] = state.queue[other]
        state.queue[other] = kept
    clock = state.clock[0]
    clock["incumbent"] = state.queue[0]
    clock["challenger"] = state.queue[1]
    clock["head"] = 2 % n_arms
    clock["length"] = 1
    clock["rest"] = 0
    clock["incumbent_wins"] = 0.0
    clock["challenger_wins"] = 0.0
    clock["version"] += 1


@inline_kernel
def choose_race(state: RaceState, rng: np.random.Generator) -> tuple[int, int, RaceTicket]:
    """Return incumbent and challenger, or in a rest the incumbent twice."""
    clock = state.clock[0]
    right = clock["incumbent"] if clock["rest"] > 0 else clock["challenger"]
    return clock["incumbent"], right, (1.0, float(clock["version"]))


@inline_kernel
def learn_race(state: RaceState, left: int, right: int, ticket: RaceTicket, outcome: float) -> bool:
    """Count a win of the race; outcomes of races that are over do not count."""
    clock = state.clock[0]
    _, version = ticket
    if version != clock["version"]:
        return False
    if left == right:
        clock["rest"] -= min(1, clock["rest"])
        return False
    clock["incumbent_wins"] += outcome
    clock["challenger_wins"] += 1.0 - outcome
    if max(clock["incumbent_wins"], clock["challenger_wins"]) >= clock["length"]:
        finish_race(state)
    return False


@kernel
def finish_race(state: RaceState) -> None:
    """Send the loser to the back of the queue and call the next challenger."""
    clock = state.clock[0]
    length = clock["length"]
    clock["length"] = length + 1
    loser = clock["challenger"]
    # Ties can bring both home at once; then the incumbent was not beaten.
    if clock["incumbent_wins"] < length:
        loser = clock["incumbent"]
        clock["incumbent"] = clock["challenger"]
        if clock["resets"] == 1:
            clock["length"] = 1
    n_arms = state.queue.shape[0]
    state.queue[(clock["head"] + n_arms - 2) % n_arms] = loser
    clock["challenger"] = state.queue[clock["head"]]
    clock["head"] = (clock["head"] + 1) % n_arms
    clock["incumbent_wins"] = 0.0
    clock["challenger_wins"] = 0.0
    clock["version"] += 1
    clock["rest"] = rest_after(clock["growth"], length)


def no_races(n_arms: int, growth: float, *, resets: bool = True) -> RaceState:
    """Return the state of Beat the Winner before `begin_races`."""
    state = RaceState(np.zeros(1, RACE), np.zeros(n_arms, np.int64))
    state.clock[0]["growth"] = growth
    state.clock[0]["resets"] = resets
    return state
