"""Limits that live in memory: how often an address may ask, and how much a voter leaves open.

The cap of votes by voter and day is in the log (`driftduel.arena.service.votes`).
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock

from driftduel.arena.errors import TooMany

_REMEMBERED = 100_000


class Waiting:
    """How many pairs wait for an answer of each voter, in memory only: there is a limit.

    Parameters
    ----------
    most : int
        Pairs of a voter that may be open at once in an arena.

    Examples
    --------
    >>> waiting = Waiting(most=2)
    >>> waiting.add(1, "ann", now=0, until=10_000_000); waiting.add(1, "ann", now=0, until=20)
    >>> waiting.add(1, "ann", now=10, until=30)
    Traceback (most recent call last):
        ...
    driftduel.arena.errors.TooMany: too many pairs wait for an answer of this voter
    >>> waiting.add(1, "ann", now=21, until=40)
    """

    def __init__(self, most: int = 1_000) -> None:
        self._most = most
        self._ends: OrderedDict[tuple[int, str], deque[int]] = OrderedDict()
        self._lock = Lock()

    def add(self, arena: int, voter: str, *, now: int, until: int) -> None:
        """Note a pair that is asked, and when it expires.

        Raises
        ------
        TooMany
            If as many wait as may.
        """
        with self._lock:
            ends = self._ends.setdefault((arena, voter), deque())
            self._ends.move_to_end((arena, voter))
            if len(ends) >= self._most:
                ends = self._ends[arena, voter] = deque(end for end in ends if end >= now)
            if len(ends) >= self._most:
                wait = min(60.0, (min(ends) - now) / 1e6)
                raise TooMany("too many pairs wait for an answer of this voter", wait)
            ends.append(until)
            while len(self._ends) > _REMEMBERED:
                self._ends.popitem(last=False)

    def take(self, arena: int, voter: str) -> None:
        """Note that one was answered."""
        with self._lock:
            if ends := self._ends.get((arena, voter)):
                ends.popleft()


class Buckets:
    """A token bucket for each key, in memory only.

    Parameters
    ----------
    rate : float
        Requests a second that are allowed in the long run.
    burst : int
        Requests that are allowed at once.
    clock : callable
        Seconds, from anywhere on.

    Examples
    --------
    >>> buckets = Buckets(rate=1, burst=2, clock=lambda: 0.0)
    >>> buckets.take("somebody"); buckets.take("somebody")
    >>> buckets.take("somebody")
    Traceback (most recent call last):
        ...
    driftduel.arena.errors.TooMany: too many requests, please wait a moment
    """

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, key: str) -> None:
        """Take one from the bucket of a key.

        Raises
        ------
        TooMany
            If it is empty.
        """
        now = self._clock()
        with self._lock:
            level, then = self._levels.get(key, (float(self._burst), now))
            level = min(self._burst, level + (now - then) * self._rate)
            if level < 1.0:
                wait = (1.0 - level) / self._rate
                raise TooMany("too many requests, please wait a moment", wait)
            self._levels[key] = (level - 1.0, now)
            self._levels.move_to_end(key)
            while len(self._levels) > _REMEMBERED:
                self._levels.popitem(last=False)
