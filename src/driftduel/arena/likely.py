"""The likely story of a poll: what the model makes of the votes that count, kept for the next look.

A look costs what came in since the one before (see `driftduel.votes.likely.growing`), and nothing
if nothing did. Pausing, joining and resuming change who is on offer, and nothing that was known.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel.arena.proofs import ProofCache, Proofs
from driftduel.arena.replica import Cast, Replica
from driftduel.verdict.standing import Moment
from driftduel.votes.likely.growing import MOST_ARMS, Growing
from driftduel.votes.likely.telling import Telling


class Known(NamedTuple):
    """What a copy knows that the story is told of, all of one head."""

    head: int
    votes: Cast
    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    offers: list[tuple[float, NDArray[np.bool_]]]

    @property
    def is_enough(self) -> bool:
        """Whether there is a story: of votes, with two arms on offer, and not of too many."""
        n_offered = int(self.offers[-1][1].sum()) if self.offers else 0
        return bool(len(self.votes.time)) and n_offered > 1 and len(self.names) <= MOST_ARMS


def known_of(replica: Replica) -> Known:
    """Return what the story of a copy is told of."""
    with replica.lock:
        numbers = np.array(list(replica.arms), np.int64)
        names = tuple(arm.name for arm in replica.arms.values())
        place = {int(number): n for n, number in enumerate(numbers)}
        offered = np.zeros(len(numbers), np.bool_)
        offers = []
        for at, arms in replica.offers:  # each names the arms that changed
            for number, _, _, now in arms:
                offered[place[number]] = now
            offers.append((float(at), offered.copy()))
        return Known(replica.head, replica.cast(), names, numbers, offers)


class Looks:
    """What was told of an arena at the last look; threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._growing = Growing()
        self._proofs = ProofCache()
        self._last: tuple[int, Telling | None] = (-1, None)

    def tell(self, known: Known) -> Telling | None:
        """Return the story; None if there is none."""
        with self._lock:
            if known.head != self._last[0]:
                self._last = (known.head, self._told(known) if known.is_enough else None)
            return self._last[1]

    def prove(self, known: Known, *, by_tosses: bool = True) -> Proofs:
        """Return what is proved at every look; see `ProofCache.prove`."""
        with self._lock:
            arms = known.numbers.tolist()
            return self._proofs.prove(known.votes, arms, by_tosses=by_tosses)

    def _told(self, known: Known) -> Telling:
        order = np.argsort(known.votes.time, kind="stable")  # some may be imported, and older
        votes = known.votes
        places = np.zeros(int(known.numbers.max()) + 1, np.int64)
        places[known.numbers] = np.arange(len(known.numbers))
        story = self._growing.tell(
            places[votes.left[order]],
            places[votes.right[order]],
            votes.outcome[order],
            votes.time[order].astype(np.float64),
            len(known.names),
            known.offers,
        )
        return Telling(story, known.names, lambda at: Moment.time(int(at)), True, len(order))
