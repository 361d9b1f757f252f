"""What is counted so that reports can prove something: votes of pairs, and tosses among them.

A *toss* for an arm is a duel with an opponent drawn by the reference weight from the other arms,
whatever made the learner toss for it; duels with a chosen rival are no tosses. Votes, tosses and
wins are counted by arm and opponent, since the last change that was declared or since the arms on
offer last changed, whichever was later; `driftduel.votes.proof.counts` keeps what was counted
before the arms changed, and `driftduel.learners.parts.findings` says what follows. For Condorcet
pairs alone are counted. What is counted here changes nothing that is played.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.ranges import AN_ARM_OR_NONE, COUNT, SUM, Ranges, halves
from driftduel.learners.parts.arrays import Floats, Ints, Records

REIGN = 30
"""Rounds that an arm led which is told as the one before."""

NOBODY = -1

LEADS = np.dtype(
    [
        ("since", "i8"),  # the round at which counting began
        ("leader", "i8"),
        ("led", "i8"),  # since which round
        ("before", "i8"),  # who led before for some time
        ("before_led", "i8"),
        ("earlier", "i8"),  # and before that
    ],
    align=True,
)


class Tally(NamedTuple):
    """Votes and tosses by arm and opponent, and who led."""

    leads: Records  # (1,) LEADS
    number: Ints  # (1,) how often the count began from nothing as the world changed
    pairs: Floats  # (K, K) wins of the row over the column
    tossed: Ints  # (K, K) tosses of the row that met the column, or nothing where pairs count
    won: Floats  # (K, K) and how many of them the row won


TALLY_RANGES: Ranges = {
    "leads": {
        **dict.fromkeys(("since", "led", "before_led"), COUNT),
        **dict.fromkeys(("leader", "before", "earlier"), AN_ARM_OR_NONE),
    },
    "number": COUNT,
    "pairs": SUM,
    "tossed": COUNT,
    "won": halves(0, "tossed"),
}


def no_tally(n_arms: int, *, of_pairs: bool = False, since: int = 0) -> Tally:
    """Return what there is before the first vote."""
    leads = np.zeros(1, LEADS)
    leads["since"] = since
    leads["leader"] = leads["before"] = leads["earlier"] = NOBODY
    side = 0 if of_pairs else n_arms
    return Tally(
        leads,
        np.zeros(1, np.int64),
        np.zeros((n_arms, n_arms)),
        np.zeros((side, side), np.int64),
        np.zeros((side, side)),
    )


@inline_kernel
def count_vote(
    tally: Tally, left: int, right: int, outcome: float, left_tossed: bool, right_tossed: bool
) -> None:
    """Count a duel of two arms, and for whom it is a toss."""
    tally.pairs[left, right] += outcome
    tally.pairs[right, left] += 1.0 - outcome
    if tally.tossed.shape[0] > 0:
        if left_tossed:
            tally.tossed[left, right] += 1
            tally.won[left, right] += outcome
        if right_tossed:
            tally.tossed[right, left] += 1
            tally.won[right, left] += 1.0 - outcome


@kernel
def note_leader(tally: Tally, leader: int, round_: int) -> None:
    """Note who leads after a round, and who did before; a short reign is as if it was not."""
    leads = tally.leads[0]
    if leader == leads["leader"]:
        return
    led = round_
    if leads["leader"] != NOBODY and round_ - leads["led"] >= REIGN:
        leads["earlier"] = leads["before"]
        leads["before"] = leads["leader"]
        leads["before_led"] = leads["led"]
    elif leads["before"] == leader:
        led = leads["before_led"]
        leads["before"] = leads["earlier"]
        leads["earlier"] = NOBODY
    leads["leader"] = leader
    leads["led"] = led


@kernel
def count_anew(tally: Tally, round_: int) -> None:
    """Begin another count after a round: votes so far were about another world."""
    tally.number[0] += 1
    tally.leads[0]["since"] = round_
    tally.pairs[:] = 0.0
    tally.tossed[:] = 0
    tally.won[:] = 0.0


def go_on_counting(before: Tally, fresh: Tally, round_: int) -> None:
    """Let the fresh tally of other arms on offer go on with a count after a round."""
    fresh.number[:] = before.number
    fresh.leads["since"] = round_
