"""Who wins when: the spells of a stream during which one and the same arm is best.

Ties are counted as in the measures S_B and S_C. A spell goes on while some arm has won all its
rounds, so there is one spell more than there are changes of winner.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from driftduel.matrix.criteria import Condorcet, Criterion, as_criterion
from driftduel.matrix.preferences import unbeaten
from driftduel.worlds.measures.shown import shown
from driftduel.worlds.stream import Stream
from driftduel.worlds.timelines import Ints


@dataclass(frozen=True)
class Spell:
    """Rounds ``start`` to ``end - 1``, and the arms that win all of them; none if nobody does."""

    start: int
    end: int
    arms: tuple[int, ...]


def spells(stream: Stream, criterion: Criterion | str = "borda") -> Iterator[Spell]:
    """Yield who wins when, from the first round on.

    Rounds without a Condorcet winner are spells of nobody.

    Examples
    --------
    >>> P, Q = [[0.5, 0.6], [0.4, 0.5]], [[0.5, 0.3], [0.7, 0.5]]
    >>> list(spells(Stream.piecewise([P, Q], starts=[0, 40], horizon=100)))
    [Spell(start=0, end=40, arms=(0,)), Spell(start=40, end=100, arms=(1,))]
    >>> rock = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    >>> list(spells(Stream.stationary(rock, horizon=10), "condorcet"))
    [Spell(start=0, end=10, arms=())]
    """
    winners, which, begins = _winners(stream, as_criterion(criterion))
    # A set of arms as a whole number: a world may change in each of a million rounds.
    sets = [int.from_bytes(row.tobytes()) for row in np.packbits(winners, axis=1)]
    start, unbroken = 0, sets[which[0]]
    for begin, row in zip(begins[1:].tolist(), which[1:].tolist(), strict=True):
        now = sets[row]
        if now & unbroken or now == unbroken == 0:
            unbroken &= now
        else:
            yield Spell(start, begin, _members(unbroken, stream.n_arms))
            start, unbroken = begin, now
    yield Spell(start, stream.horizon, _members(unbroken, stream.n_arms))


def _winners(stream: Stream, criterion: Criterion) -> tuple[NDArray[np.bool_], Ints, Ints]:
    """Return rows of who wins (R, K), which of them hold one after the other, and from when on."""
    if isinstance(criterion, Condorcet):
        world = shown(stream)
        return unbeaten(world.palette), world.which, world.starts
    if len(criterion.changes()) == 1 and stream.offered is None:
        return criterion.loss_table(stream.palette) == 0, stream.which, stream.starts
    losses, begins = stream.gap_rows(criterion, binary=True)
    return losses == 0, np.arange(len(begins)), begins


@lru_cache(maxsize=4096)
def _members(arms: int, n_arms: int) -> tuple[int, ...]:
    """Return the arms of a set whose first arm is its highest bit."""
    width = 8 * -(-n_arms // 8)
    return tuple(arm for arm in range(n_arms) if arms >> (width - 1 - arm) & 1)
