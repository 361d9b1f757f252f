"""What is carried over when arms come and go: all that is known of the arms that stay.

A new arm starts as all arms did, with the variance of strengths that was learned since. Two arms
have one strength, their difference: where a third one joins, each gets one half of it, and where
the third one leaves, the difference of two strengths is believed as a whole, with no memory of when
each may have changed.
"""

from __future__ import annotations

import numpy as np

from driftduel.learners.driftpoll.bank import STRONGEST, Bank, sum_up
from driftduel.learners.driftpoll.changes import Declared
from driftduel.learners.driftpoll.guard import Guard
from driftduel.learners.parts.arrays import Ints


def carry_bank(old: Bank, new: Bank, kept: Ints, round_: int, prior: float) -> None:
    """Fill a fresh bank; ``kept`` has the old row of each arm, or -1."""
    new.credits[:] = old.credits
    stay = np.flatnonzero(kept >= 0)
    joined = np.flatnonzero(kept < 0)
    if len(kept) == 2:
        _carry_difference(old, new, kept, round_, 2.0 * prior)
        return
    new.arms["last"][joined] = round_
    new.arms["variance"][joined] = prior
    new.hypotheses["precision"][joined, 0] = 1.0 / prior
    for moment in ("start", "earliest", "latest"):
        new.hypotheses[moment][joined, 0] = round_
    if len(old.arms) > 2:
        new.arms[stay] = old.arms[kept[stay]]
        new.hypotheses[stay] = old.hypotheses[kept[stay]]
        new.weights[stay] = old.weights[kept[stay]]
        return
    for arm in stay.tolist():
        new.arms[arm] = old.arms[0]
        new.hypotheses[arm] = old.hypotheses[0]
        new.weights[arm] = old.weights[0]
        new.hypotheses["mean"][arm] *= 0.5 if kept[arm] == 0 else -0.5
        new.hypotheses["precision"][arm] *= 2.0
        sum_up(new, arm)


def _carry_difference(old: Bank, new: Bank, kept: Ints, round_: int, prior: float) -> None:
    """Fill the bank of two arms, which holds the strength of the first less that of the second."""
    mean, variance = 0.0, 0.0
    for row, sign in zip(kept, (1.0, -1.0), strict=True):
        if row < 0 or len(old.arms) == 2:
            variance += 0.5 * prior
        else:
            mean += sign * float(old.arms[row]["mean"])
            variance += float(old.arms[row]["variance"])
    one = new.hypotheses[0, 0]
    one["mean"] = min(STRONGEST, max(-STRONGEST, mean))
    one["precision"] = max(1.0, 1.0 / variance)
    new.arms["last"] = round_
    sum_up(new, 0)


def carry_guard(old: Guard, new: Guard, kept: Ints) -> None:
    """Fill a fresh guard with what is known of the pairs that stay."""
    new.odds[:] = old.odds
    later, earlier = np.tril_indices(len(kept), -1)
    stay = (kept[later] >= 0) & (kept[earlier] >= 0)
    rows = kept[later[stay]], kept[earlier[stay]]
    # The arms that stay are in the order that they were in.
    new.pairs[stay] = old.pairs[rows[0] * (rows[0] - 1) // 2 + rows[1]]


def carry_known(old: Declared, new: Declared, kept: Ints) -> None:
    """Keep who was clearly ahead of whom, of the arms that stay.

    Neither an arm that takes over by joining nor one that does because another left is a change of
    taste.
    """
    place = {int(row): arm for arm, row in enumerate(kept) if row >= 0}
    for row, arm in place.items():
        above = place.get(int(old.known[row]["above"]))
        if above is not None:
            new.known[arm]["above"] = above
            new.known[arm]["since"] = old.known[row]["since"]
