"""The arrays of DriftPoll: what is believed, what is suspected, and what is asked next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel.learners.contract import ranges
from driftduel.learners.contract.ranges import Known, Ranges
from driftduel.learners.driftpoll.bank import (
    BANK_RANGES,
    Bank,
)
from driftduel.learners.driftpoll.changes import (
    DECLARED_RANGES,
    Declared,
)
from driftduel.learners.driftpoll.guard import (
    GUARD_RANGES,
    Guard,
    chance_of,
)
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.tally import (
    TALLY_RANGES,
    Tally,
)

Ticket = tuple[float, float, float]


ANY = 0.1
"""The least share of questions with a uniformly random pair."""

MANY = 8.0
"""With more arms than this, suspicion alone never makes all pairs random."""


KEPT = 8
"""How many draws of all strengths are kept: more would be stale by the time they are used."""


LEAST_PRIOR, MOST_PRIOR, PRIOR_PACE = 0.0036, 0.25, 0.002
"""Bounds of the variance of strengths, and how quickly it follows those of the arms."""

SPREAD_START, SPREAD_MOST = 20.0, 2000.0
"""Votes by which outcomes spread like coins at first, and after how many half are forgotten."""

LEAST_SPREAD, WIDEST = 0.05, 33.0
"""Ties make outcomes spread less than coins do, but not less than this; and never more."""


CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes learned
        ("leader", "i8"),  # who is best
        ("led", "i8"),  # since which round
        ("drawn", "i8"),  # draws of all strengths so far
        ("any", "f8"),  # the chance to ask a uniformly random pair
        ("prior", "f8"),  # the variance of strengths
        ("squares", "f8"),  # summed squared errors over those of coins, fading
        ("votes", "f8"),  # of how many votes
    ],
    align=True,
)

PLAN = np.dtype(
    [
        ("direct", "f8"),  # the chance of a direct duel of the best arm with this one
        ("scouted", "f8"),  # the chance that this arm plays a random one
    ],
    align=True,
)


DISCOUNTS = {1: 0.0, 2: 1 / 300}
"""How much less a direct duel counts with each vote on its pair, by version of the rules.

Many duels of the same two say less of their strengths, over all arms, than they seem to: strengths
may not explain that pair. Rules 1, of files and polls of before, do not mind.
"""


class PollState(NamedTuple):
    """The arrays of `DriftPoll`."""

    clock: Records  # (1,) CLOCK
    bank: Bank
    guard: Guard
    declared: Declared
    draws: Ints  # (KEPT, 2) the two strongest arms of the latest draws, in a ring
    plan: Records  # (K,) PLAN, given that the pair is not a uniformly random one
    tally: Tally
    discount: Floats  # (1,) how much less a direct duel counts with each vote on its pair


def _are_two_arms(draws: Ints, known: Known) -> bool:
    exist = (draws >= 0) & (draws < known.n_arms)
    return bool(exist.all() and (draws[:, 0] != draws[:, 1]).all())


def _any_pair(known: Known) -> float:
    if known.n_arms == 2 or known.state.clock["drawn"][0] == 0:
        return 1.0
    return max(ANY, chance_of(known.state.guard.odds[0]) * min(1.0, MANY / known.n_arms))


_ROUND = ranges.whole(0, "clock.round")

POLL_RANGES: Ranges = {
    "guard": GUARD_RANGES,
    "clock": {
        "round": ranges.COUNT,
        "leader": ranges.AN_ARM,
        "led": _ROUND,
        "drawn": ranges.COUNT,
        "any": ranges.equal_to("what suspicion gives", _any_pair),
        "prior": ranges.real(LEAST_PRIOR - 1e-9, MOST_PRIOR + 1e-9),
        "votes": ranges.real(SPREAD_START, SPREAD_MOST),
        "squares": ranges.real(0, lambda known: WIDEST * known.state.clock["votes"][0]),
    },
    "bank": BANK_RANGES,
    "bank.arms.last": _ROUND,
    "declared": DECLARED_RANGES,
    "draws": ranges.such_that("two different arms in each row", _are_two_arms),
    "plan": {"direct": ranges.real(0, 1 + 1e-9), "scouted": ranges.real(0, 1 + 1e-9)},
    "tally": TALLY_RANGES,
    "discount": ranges.FIXED,
}
POLL_TICKET = (ranges.CHANCE, ranges.real(0, 1), ranges.real(0, 1))


def uniform_ticket(n_arms: int) -> tuple[float, float, float]:
    """Return the ticket of a vote on a pair that was as likely as any other of so many arms.

    Examples
    --------
    >>> uniform_ticket(3)
    (0.16666666666666666, 1.0, 1.0)
    """
    return 1.0 / (n_arms * (n_arms - 1.0)), 1.0, 1.0


def tosses_in(tickets: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for which of the two arms each vote is a toss, from its ticket.

    Trust is below 1, so what counts in full had an opponent drawn at random.

    Examples
    --------
    >>> left, right = tosses_in(np.array([uniform_ticket(3), (0.2, 1.0, 0.4)]))
    >>> left.tolist(), right.tolist()
    ([True, True], [True, False])
    """
    return tickets[:, 1] == 1.0, tickets[:, 2] == 1.0
