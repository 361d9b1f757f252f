"""Limits that live in memory: how often one address may ask.

The cap of votes by voter and day is in the log (`driftduel.arena.service.votes`).
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from driftduel.arena.errors import TooMany

_REMEMBERED = 100_000


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
