"""Declaring changes: by the rare hazard alone, so that chance is seldom taken for one.

Every fourth vote. An arm that is clearly ahead of every other is *confirmed*. A change is declared
when it is likely that another arm is now the stronger one and that one of the two changed after
the confirmation; the other is confirmed then. The change is dated by the arm of the two that is
likelier to have changed: the median of the starts of its hypotheses since the confirmation.

A hypothesis that was merged with others stands for their starts too, and an arm that did not play
may have changed meanwhile. So each knows the rounds it stands for, and the range of rounds in which
the change happened goes from the earliest of the first likely hypothesis to the latest of the last.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.parts.arrays import Floats, Records
from driftduel.learners.parts.journal import (
    CHANGE,
    CHANGE_RANGES,
    JOURNAL_RANGES,
    Journal,
    no_journal,
    note_change,
    note_episode,
)
from driftduel.learners.polls.bank import RARE, Bank
from driftduel.learners.ranges import AN_ARM_OR_NONE, ANYTHING, COUNT, Ranges

EVERY = 4
"""Votes between looks."""

CLEAR = 3.0
"""Standard deviations by which a confirmed arm is ahead."""

SURE = 0.9
"""How likely a change is that is declared."""

LIKELY = 0.95
"""How likely the range holds the round of the change."""

NEGLIGIBLE = 1e-7
"""Hypotheses that weigh less do not matter here."""

LOGISTIC = 1.702
"""A normal variable is below z with a chance of about 1/(1 + exp(-1.702 z))."""

MOST_CHANGES = 64
"""So many of the latest changes are remembered."""

NONE = -1
"""No arm is confirmed."""

RECORD = np.dtype(
    [
        ("confirmed", "i8"),  # an arm, or NONE
        ("since", "i8"),  # the round of its confirmation
        ("count", "i8"),  # changes so far
    ],
    align=True,
)


class Declared(NamedTuple):
    """Who is confirmed, and the changes so far."""

    record: Records  # (1,) RECORD
    changes: Records  # (M,) CHANGE, the latest in a ring
    journal: Journal
    moments: Floats  # (2, K) scratch: means and variances by the rare hazard


DECLARED_RANGES: Ranges = {
    "record": {"confirmed": AN_ARM_OR_NONE, "since": COUNT, "count": COUNT},
    "changes": CHANGE_RANGES,
    "journal": JOURNAL_RANGES,
    "moments": ANYTHING,
}


def nothing_declared(n_arms: int) -> Declared:
    """Return what there is before the first vote."""
    record = np.zeros(1, RECORD)
    record["confirmed"] = NONE
    # A vote declares one change at most, whatever the number of arms.
    journal = no_journal(1)
    return Declared(record, np.zeros(MOST_CHANGES, CHANGE), journal, np.zeros((2, n_arms)))


@kernel
def look_for_change(declared: Declared, bank: Bank, round_: int) -> None:
    """Confirm an arm, or declare that another has taken over, after the vote of a round."""
    record = declared.record[0]
    leader = set_moments(declared, bank)
    confirmed = record["confirmed"]
    if confirmed == NONE:
        if is_clear(declared, leader):
            record["confirmed"] = leader
            record["since"] = round_
        return
    if leader == confirmed or chance_of_change(bank, confirmed, leader, record["since"]) <= SURE:
        return
    around, earliest, latest = date(bank, confirmed, leader, record["since"])
    note_change(
        declared.changes,
        record["count"],
        round_ + 1,
        around,
        earliest,
        latest,
        confirmed,
        leader,
    )
    note_episode(declared.journal, round_ + 1)
    record["count"] += 1
    record["confirmed"] = leader
    record["since"] = round_


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


@kernel
def is_clear(declared: Declared, leader: int) -> bool:
    """Tell whether an arm is clearly ahead of every other."""
    moments = declared.moments
    for arm in range(moments.shape[1]):
        if arm != leader:
            deviation = math.sqrt(moments[1, leader] + moments[1, arm])
            if moments[0, leader] - moments[0, arm] < CLEAR * deviation:
                return False
    return True


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
