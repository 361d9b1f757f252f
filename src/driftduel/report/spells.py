"""Who wins when: the spells of a stream during which one and the same arm is best.

Ties are counted as in the measures S_B and S_C. A spell goes on while some arm has won all its
rounds, so there is one spell more than there are changes of winner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from driftduel.criteria import Borda
from driftduel.preferences import TIE
from driftduel.streams.stream import Stream


@dataclass(frozen=True)
class Spell:
    """Rounds ``start`` to ``end - 1``, and the arms that win all of them; none if nobody does."""

    start: int
    end: int
    arms: tuple[int, ...]


def borda_spells(stream: Stream) -> list[Spell]:
    """Return the spells of the Borda winners.

    Examples
    --------
    >>> P, Q = [[0.5, 0.6], [0.4, 0.5]], [[0.5, 0.3], [0.7, 0.5]]
    >>> borda_spells(Stream.piecewise([P, Q], starts=[0, 40], horizon=100))
    [Spell(start=0, end=40, arms=(0,)), Spell(start=40, end=100, arms=(1,))]
    """
    scores = Borda().score_table(stream.palette)
    return _spells(stream, scores >= scores.max(axis=1, keepdims=True) - TIE)


def condorcet_spells(stream: Stream) -> list[Spell]:
    """Return the spells of the Condorcet winners; rounds that have none are spells of nobody.

    Examples
    --------
    >>> rock = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    >>> condorcet_spells(Stream.stationary(rock, horizon=10))
    [Spell(start=0, end=10, arms=())]
    """
    return _spells(stream, stream.palette.min(axis=2) >= 0.5 - TIE)


def _spells(stream: Stream, winners: NDArray[np.bool_]) -> list[Spell]:
    """Return the spells for a table (M, K) of who wins under each matrix."""
    # A set of arms as a whole number: a world may change in each of a million rounds.
    sets = [int.from_bytes(row.tobytes()) for row in np.packbits(winners, axis=1)]
    unbroken = [sets[stream.which[0]]]
    starts = [0]
    for start, matrix in zip(stream.starts.tolist(), stream.which.tolist(), strict=True):
        now, before = sets[matrix], unbroken[-1]
        if now & before or now == before == 0:
            unbroken[-1] = now & before
        else:
            unbroken.append(now)
            starts.append(start)
    ends = [*starts[1:], stream.horizon]
    n_bytes = -(-stream.n_arms // 8)
    arms_of = {arms: _members(arms.to_bytes(n_bytes)) for arms in set(unbroken)}
    return [
        Spell(start, end, arms_of[arms])
        for start, end, arms in zip(starts, ends, unbroken, strict=True)
    ]


def _members(packed: bytes) -> tuple[int, ...]:
    bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8))
    return tuple(int(arm) for arm in np.flatnonzero(bits))
