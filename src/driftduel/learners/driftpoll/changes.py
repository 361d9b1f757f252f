"""Declaring changes: by the rare hazard alone, so that chance is seldom taken for one.

Every fourth vote. The leader is noted *above* every arm that it is clearly ahead of, the first one
with the round at which that was seen. A change is declared when an arm leads that had another above
it, and it is likely that it is now the stronger of the two and that one of the two changed since;
all is noted again then. So a leader need not be ahead of all: where the best are close, it is a
change too that an arm leads which was known to be worse. The change is dated by the arm of the two
that is likelier to have changed: the median of the starts of its hypotheses since then.

A hypothesis that was merged with others stands for their starts too, and an arm that did not play
may have changed meanwhile. So each knows the rounds it stands for, and the range of rounds in which
the change happened goes from the earliest of the first likely hypothesis to the latest of the last.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.ranges import AN_ARM_OR_NONE, ANYTHING, COUNT, Ranges
from driftduel.learners.driftpoll.bank import LOGISTIC, RARE, Bank
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.journal import (
    CHANGE,
    CHANGE_RANGES,
    JOURNAL_RANGES,
    Journal,
    no_journal,
    note_change,
    note_episode,
)

EVERY = 4
"""Votes between looks."""

CLEAR = 3.0
"""Standard deviations by which an arm is clearly ahead of another."""

SURE = 0.9
"""How likely a change is that is declared."""

LIKELY = 0.95
"""How likely the range holds the round of the change."""

NEGLIGIBLE = 1e-7
"""Hypotheses that weigh less do not matter here."""

MOST_CHANGES = 64
"""So many of the latest changes are remembered."""

NONE = -1
"""No arm was clearly ahead."""

KNOWN = np.dtype(
    [
        ("above", "i8"),  # an arm that was clearly ahead of this one, or NONE
        ("since", "i8"),  # the round at which that was seen
    ],
    align=True,
)


class Declared(NamedTuple):
    """Who was known to be worse than whom, and the changes so far."""

    counted: Ints  # (1,) changes so far
    known: Records  # (K,) KNOWN
    changes: Records  # (M,) CHANGE, the latest in a ring
    journal: Journal
    moments: Floats  # (2, K) scratch: means and variances by the rare hazard


DECLARED_RANGES: Ranges = {
    "counted": COUNT,
    "known": {"above": AN_ARM_OR_NONE, "since": COUNT},
    "changes": CHANGE_RANGES,
    "journal": JOURNAL_RANGES,
    "moments": ANYTHING,
}


def nothing_declared(n_arms: int) -> Declared:
    """Return what there is before the first vote."""
    known = np.zeros(n_arms, KNOWN)
    known["above"] = NONE
    return Declared(
        np.zeros(1, np.int64),
        known,
        np.zeros(MOST_CHANGES, CHANGE),
        no_journal(1),  # a vote declares one change at most, whatever the number of arms
        np.zeros((2, n_arms)),
    )


@kernel
def look_for_change(declared: Declared, bank: Bank, round_: int) -> None:
    """Declare that an arm has taken over, or note who is worse, after the vote of a round."""
    leader = set_moments(declared, bank)
    known = declared.known
    above = known[leader]["above"]
    since = known[leader]["since"]
    if above == NONE or chance_of_change(bank, above, leader, since) <= SURE:
        for arm in range(known.shape[0]):
            if known[arm]["above"] == NONE and is_clear(declared, leader, arm):
                known[arm]["above"] = leader
                known[arm]["since"] = round_
        return
    around, earliest, latest = date(bank, above, leader, since)
    note_change(
        declared.changes, declared.counted[0], round_ + 1, around, earliest, latest, above, leader
    )
    note_episode(declared.journal, round_ + 1)
    declared.counted[0] += 1
    for arm in range(known.shape[0]):
        known[arm]["above"] = NONE
    known[above]["above"] = leader
    known[above]["since"] = round_


@kernel
def set_moments(declared: Declared, bank: Bank) -> int:
    """Compute means and variances by the rare hazard; return the arm with the best mean."""
    moments = declared.moments
    n_arms = moments.shape[1]
    leader = 0
    for arm in range(n_arms):
        mean = 0.0
        square = 0.0
        # The second of two arms stands at 0.
        used = bank.arms[arm]["used"] if n_arms > 2 or arm == 0 else 0
        for place in range(used):
            one = bank.hypotheses[arm, place]
            weight = bank.weights[arm, place, RARE]
            mean += weight * one["mean"]
            square += weight * (1.0 / one["precision"] + one["mean"] * one["mean"])
        moments[0, arm] = mean
        moments[1, arm] = max(1e-9, square - mean * mean) if used > 0 else 0.0
        if moments[0, arm] > moments[0, leader]:
            leader = arm
    return leader


@inline_kernel
def is_clear(declared: Declared, leader: int, arm: int) -> bool:
    """Tell whether the leader is clearly ahead of an arm."""
    moments = declared.moments
    deviation = math.sqrt(moments[1, leader] + moments[1, arm])
    return arm != leader and moments[0, leader] - moments[0, arm] >= CLEAR * deviation


@kernel
def chance_of_change(bank: Bank, old: int, new: int, since: int) -> float:
    """Return the chance that an arm is stronger than another, one of them having changed."""
    if bank.arms.shape[0] == 2:
        return chance_of_difference(bank, old == 0, since)
    total = 0.0
    for place in range(bank.arms[old]["used"]):
        before = bank.hypotheses[old, place]
        weight = bank.weights[old, place, RARE]
        if weight >= NEGLIGIBLE:
            for other in range(bank.arms[new]["used"]):
                after = bank.hypotheses[new, other]
                share = bank.weights[new, other, RARE]
                changed = before["start"] > since or after["start"] > since
                if changed and share >= NEGLIGIBLE:
                    variance = 1.0 / before["precision"] + 1.0 / after["precision"]
                    z = (after["mean"] - before["mean"]) / math.sqrt(variance)
                    total += weight * share / (1.0 + math.exp(-LOGISTIC * z))
    return total


@kernel
def chance_of_difference(bank: Bank, fell: bool, since: int) -> float:
    """Return the same for two arms: that the difference changed, and fell below 0 or rose above."""
    total = 0.0
    for place in range(bank.arms[0]["used"]):
        one = bank.hypotheses[0, place]
        weight = bank.weights[0, place, RARE]
        if one["start"] > since and weight >= NEGLIGIBLE:
            z = one["mean"] * math.sqrt(one["precision"])
            total += weight / (1.0 + math.exp(LOGISTIC * (z if fell else -z)))
    return total


@kernel
def date(bank: Bank, old: int, new: int, since: int) -> tuple[int, int, int]:
    """Return around which round a change happened, and the range of rounds that is likely."""
    arm = 0
    if bank.arms.shape[0] > 2:
        arm = new if weight_since(bank, new, since) > weight_since(bank, old, since) else old
    whole = weight_since(bank, arm, since)
    around = place_at(bank, arm, since, 0.5 * whole)
    first = place_at(bank, arm, since, 0.5 * (1.0 - LIKELY) * whole)
    last = place_at(bank, arm, since, (1.0 - 0.5 * (1.0 - LIKELY)) * whole)
    hypotheses = bank.hypotheses[arm]
    return hypotheses[around]["start"], hypotheses[first]["earliest"], hypotheses[last]["latest"]


@inline_kernel
def weight_since(bank: Bank, arm: int, since: int) -> float:
    """Return how likely an arm changed after a round."""
    total = 0.0
    for place in range(bank.arms[arm]["used"]):
        if bank.hypotheses[arm, place]["start"] > since:
            total += bank.weights[arm, place, RARE]
    return total


@inline_kernel
def place_at(bank: Bank, arm: int, since: int, share: float) -> int:
    """Return the hypothesis at which those that start after a round have so much weight."""
    total = 0.0
    for place in range(bank.arms[arm]["used"]):
        if bank.hypotheses[arm, place]["start"] > since:
            total += bank.weights[arm, place, RARE]
            if total >= share:
                return place
    return int(bank.arms[arm]["used"] - 1)
