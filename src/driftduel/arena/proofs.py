"""What votes of a poll prove at every look: what fell, rose or turned, and that tastes drifted.

Pairs are chosen by what votes said before, so each pair is a stream of its own
(`driftduel.votes.proof.changes`), for which that does not matter; nor does it matter that options
come and go. The tosses of an option are another, as long as the options are the same. Votes are
taken in the order in which they came. Of many votes only up to some last one is looked at, some 250
to an octave, so that most looks cost nothing: what a part of the votes proves all of them prove.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np

from driftduel.arena.replica import Cast
from driftduel.verdict.proved import Drifted, Turned
from driftduel.verdict.standing import Moment
from driftduel.votes.log import Log
from driftduel.votes.proof.changes import turns
from driftduel.votes.proof.drift import drift
from driftduel.votes.proof.tosses import tosses

FEWEST = 100
"""Of fewer votes nothing is looked for."""

MOST_ARMS = 64
MOST_VOTES = 500_000
"""With more of them the first so many votes are looked at."""

_PER_OCTAVE = 256


class Proofs(NamedTuple):
    """What is proved whoever looked when; options by their place among all."""

    turned: tuple[Turned, ...] = ()
    drifted: Drifted | None = None


class ProofCache:
    """The proofs of the last look, for as long as the votes that they are of are the same."""

    def __init__(self) -> None:
        self._last: tuple[int, int, Proofs] = (0, 0, Proofs())

    def prove(self, votes: Cast, arms: Sequence[int], *, by_tosses: bool = True) -> Proofs:
        """Return what is proved of votes, by those of pairs and by tosses or by pairs alone.

        ``arms`` are the numbers of all options, in order.
        """
        n = looked_at(len(votes.time))
        if n == 0 or not 2 <= len(arms) <= MOST_ARMS:
            return Proofs()
        key = int(by_tosses)
        for column in (*votes[:3], *votes[4:6]):
            key = crc32(np.ascontiguousarray(column[:n]).tobytes(), key)
        if self._last[:2] != (n, key):
            self._last = (n, key, _proofs(votes, n, arms, by_tosses))
        return self._last[2]


def looked_at(n_votes: int) -> int:
    """Return how many of the votes are looked at.

    Examples
    --------
    >>> [looked_at(n) for n in (99, 100, 511, 513, 100_001)]
    [0, 100, 511, 512, 99840]
    """
    if n_votes < FEWEST:
        return 0
    most = min(n_votes, MOST_VOTES)
    return most - most % max(1, 2 ** (most.bit_length() - 1) // _PER_OCTAVE)


def _proofs(votes: Cast, n: int, arms: Sequence[int], by_tosses: bool) -> Proofs:
    order = np.argsort(arms)
    left, right = (
        order[np.searchsorted(arms, column[:n], sorter=order)]
        for column in (votes.left, votes.right)
    )
    names = [str(arm) for arm in arms]
    log = Log(names, np.arange(n), left, right, votes.outcome[:n])

    def at(round_: object) -> Moment:
        assert isinstance(round_, float | int)
        return Moment.time(int(votes.time[int(round_)]))

    if by_tosses:
        tossed = votes.tossed[:n]
        known, offered = votes.known.T
        drawn = tosses((tossed & 1) > 0, (tossed & 2) > 0, votes.era[:n], offered)
        changes = turns(log, tosses=drawn, first_arms=int(known[votes.era[0]]))[0]
    else:
        changes = turns(log)[0]
    turned = tuple(
        Turned(
            kind=one.kind,
            option=one.arm,
            other=one.other,
            proved=at(one.proved),
            likeliest=at(one.likeliest),
        )
        for one in changes
    )
    found = drift(log)
    drifted = None
    if found.proved is not None:
        drifted = Drifted(proved=at(found.proved), of_strengths=found.of_strengths)
    return Proofs(turned, drifted)
