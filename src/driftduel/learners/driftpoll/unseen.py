"""A pair for somebody who has seen some pairs already: one of the others, with its exact chance.

Let pi be the chance of each ordered pair (`driftduel.learners.driftpoll.questions`), S the pairs
seen, r the chance that a pair drawn by pi is in S, and E how many ordered pairs are not. Up to
`TRIES` pairs are drawn by pi, and the first that is not in S is asked; if all were, a uniformly
random one of the others is. So the chance of a pair that is not in S is

    pi (1 - r^TRIES) / (1 - r) + r^TRIES / E

and that of one in S is 0. Where some pairs are *anchors*, which are asked whatever the learner
wants, a question is one of those that are not in S with the chance `ANCHORED`, each alike, in
either order; else it is drawn as above. Which of these it is a coin of its own decides, so that
tosses stay what they are; an anchor is none.

A vote is a toss for an arm if its opponent was drawn uniformly from all others (see
`driftduel.learners.parts.tally`). Here it was drawn uniformly from those with which the arm was not
seen yet. So the vote stays a toss for an arm of which no pair is in S, which is known before the
draw, and for no other: of these it counts a hair's breadth less than in full.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from driftduel._support.compile.jit import kernel
from driftduel.learners.contract.session import draw_pair
from driftduel.learners.driftpoll.questions import pair_chance
from driftduel.learners.driftpoll.state import PollState
from driftduel.learners.parts.arrays import Ints

if TYPE_CHECKING:
    from driftduel.learners.contract.base import Learner

TRIES = 16
"""Pairs that are drawn before a uniformly random one that was not seen is taken."""

ANCHORED = 0.05
"""The share of questions that are anchors, if there are any that were not seen."""

NO_TOSS = float(np.nextafter(1.0, 0.0))
"""What a vote counts for an arm of which it is no toss, but would be if nothing had been seen."""


@kernel
def summed_chance(state: PollState, one: Ints, other: Ints) -> float:
    """Return the chance that one of these pairs is drawn, in either order."""
    chance = 0.0
    for place in range(len(one)):
        chance += pair_chance(state, one[place], other[place])
        chance += pair_chance(state, other[place], one[place])
    return chance


def draw_unseen(
    learner: Learner,
    rng: np.random.Generator,
    seen: Collection[tuple[int, int]],
    anchors: Collection[tuple[int, int]] = (),
) -> tuple[int, int, tuple[float, ...]]:
    """Return the arms and the ticket of a pair that is not among those seen; no duel is opened.

    Parameters
    ----------
    learner : DriftPoll
        Whose pairs these are.
    rng : Generator
        That draws.
    seen : collection of (int, int)
        Pairs of arms on offer, each once, in whatever order its two arms stand; not all there are.
    anchors : collection of (int, int)
        Pairs of arms on offer, each once, that are asked now and then whatever the learner wants.
    """
    known = {frozenset(pair) for pair in seen}
    fresh = [pair for pair in anchors if frozenset(pair) not in known]
    if not fresh:
        return _draw(learner, rng, known)
    with learner._session.lock:
        if anchored := rng.random() < ANCHORED:
            one, other = fresh[int(rng.random() * len(fresh))]
            if rng.random() < 0.5:
                one, other = other, one
            ticket: tuple[float, ...] = (
                _chance_unseen(learner, one, other, known),
                NO_TOSS,
                NO_TOSS,
            )
        else:
            one, other, ticket = _draw(learner, rng, known)
        chance = (1.0 - ANCHORED) * ticket[0]
        if anchored or {one, other} in [{*pair} for pair in fresh]:
            chance += ANCHORED / (2 * len(fresh))
    return one, other, (chance, *ticket[1:])


def _draw(
    learner: Learner, rng: np.random.Generator, known: Collection[frozenset[int]]
) -> tuple[int, int, tuple[float, ...]]:
    """Draw a pair that is not known, as the learner wants it."""
    if not known:
        return draw_pair(learner, rng)
    with learner._session.lock:
        offered = learner._session.offered(learner)
        if 2 * len(known) >= len(offered) * (len(offered) - 1):
            raise ValueError("all pairs were seen")
        for _ in range(TRIES):
            one, other, ticket = draw_pair(learner, rng)
            if {one, other} not in known:
                break
        else:
            one, other = _any_unseen(offered, known, rng)
            ticket = (0.0, 1.0, 1.0)
        chance = _chance_unseen(learner, one, other, known)
    touched = {arm for pair in known for arm in pair}
    weights = [
        NO_TOSS if weight == 1.0 and arm in touched else weight
        for arm, weight in zip((one, other), ticket[1:], strict=True)
    ]
    return one, other, (chance, *weights)


def _chance_unseen(
    learner: Learner, one: int, other: int, known: Collection[frozenset[int]]
) -> float:
    """Return the chance that `_draw` draws a pair, which is not known, in this order."""
    row = {arm: n for n, arm in enumerate(learner._session.offered(learner))}
    # Both orders are as likely.
    places = np.array([row[one]]), np.array([row[other]])
    drawn = 0.5 * float(summed_chance(learner._session.state, *places))
    if not known:
        return drawn
    again = _chance_of(learner, np.array([[row[arm] for arm in pair] for pair in known]))
    missed = again**TRIES
    n_left = len(row) * (len(row) - 1) - 2 * len(known)
    return drawn * (1.0 - missed) / (1.0 - again) + missed / n_left


def _chance_of(learner: Learner, pairs: Ints) -> float:
    """Return the chance that one of the pairs is drawn, which is not certain."""
    one, other = np.ascontiguousarray(pairs.T)
    return min(float(summed_chance(learner._session.state, one, other)), _NEARLY_ONE)


_NEARLY_ONE = 1.0 - 1e-9
"""Each pair has a chance of its own, so only rounding can say more."""


def _any_unseen(
    offered: tuple[int, ...], known: Collection[frozenset[int]], rng: np.random.Generator
) -> tuple[int, int]:
    """Draw one of the ordered pairs that were not seen, each as likely as the others."""
    arms = np.array(offered)
    fresh = ~np.eye(len(arms), dtype=np.bool_)
    place = {arm: n for n, arm in enumerate(offered)}
    for pair in known:
        low, high = (place[arm] for arm in pair)
        fresh[low, high] = fresh[high, low] = False
    one, other = np.unravel_index(rng.choice(np.flatnonzero(fresh)), fresh.shape)
    return int(arms[one]), int(arms[other])
