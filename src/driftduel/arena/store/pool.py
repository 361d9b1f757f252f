"""Connections that are kept open and shared by threads, to either database.

A database that went away is noticed where a transaction begins: connections that were lost are
given up and a new one is made, so a server that was restarted is found again, and one that is dead
is said to be so at once. One that says nothing is given up after a moment, and none is kept for
ever: what stands between here and there may have forgotten it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Lock

from driftduel.arena.errors import Unavailable
from driftduel.arena.store.connection import Connection

_KEPT = 8
"""Connections that are kept open while nobody needs them."""

_MOST = 48
"""Connections that are open at the same time."""

_PATIENCE = 4.0
"""Seconds to wait for one of them."""

_OLD = 1_800.0
"""Seconds after which a connection is not kept any more."""


class Pool:
    """Connections to a database.

    Parameters
    ----------
    connect : callable
        Makes one.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._idle: list[Connection] = []
        self._lock = Lock()
        self._places = BoundedSemaphore(_MOST)
        self._closed = False

    @contextmanager
    def transaction(self, *, writing: bool, each: float | None = None) -> Iterator[Connection]:
        """Yield a connection in a transaction, which is committed unless the block raises."""
        if not self._places.acquire(timeout=_PATIENCE):
            raise Unavailable("the database is busy, please try again")
        try:
            connection = self._begun(writing, each)
            try:
                yield connection
                connection.commit()
            except BaseException:
                with suppress(Exception):  # one that cannot go back is closed below
                    connection.rollback()
                raise
            finally:
                self._give_back(connection)
        finally:
            self._places.release()

    def close(self) -> None:
        """Close all connections, those in use when they are given back."""
        with self._lock:
            self._closed = True
        self._clear()

    def _begun(self, writing: bool, each: float | None) -> Connection:
        while True:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            connection = kept or self._made()
            try:
                connection.begin(writing=writing, each=each)
            except BaseException:
                lost = not connection.is_usable
                self._give_back(connection)
                if kept is None or not lost:
                    raise
                self._clear()  # whatever ended this one ended the others
            else:
                return connection

    def _made(self) -> Connection:
        connection = self._connect()
        connection.made_at = time.monotonic()
        return connection

    def _give_back(self, connection: Connection) -> None:
        young = time.monotonic() - connection.made_at < _OLD
        with self._lock:
            keeps = not self._closed and connection.is_usable and len(self._idle) < _KEPT and young
            if keeps:
                self._idle.append(connection)
        if not keeps:
            connection.close()

    def _clear(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
