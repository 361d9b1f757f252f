"""Sending: threads take messages out of the outbox and write down what became of each.

A message is claimed first, for longer than sending takes. Of several processes one claims it; if
that one is killed the message is due again, so each is sent at least once. What is not taken is
tried again after twice the time, half of it more or less by chance, until it is given up.
"""

from __future__ import annotations

import logging
import random
import time
from contextlib import suppress
from dataclasses import replace
from threading import Event, Thread
from typing import TYPE_CHECKING

import numpy as np

from driftduel.arena.errors import ArenaError, Unavailable
from driftduel.arena.messages import WEEK, digest_of, message
from driftduel.arena.model import DAY
from driftduel.arena.rules import now
from driftduel.arena.service.webhooks import Answer
from driftduel.arena.status import status_of
from driftduel.arena.store import messages as table
from driftduel.arena.store.connection import Connection
from driftduel.arena.store.messages import Message, Receiver

if TYPE_CHECKING:
    from driftduel.arena.service.service import Service

_LOGGER = logging.getLogger(__name__)

GIVEN_UP = 3 * DAY
"""Microseconds after which a message that nobody took is given up."""

KEPT = 30 * DAY
"""Microseconds for which it is kept what became of a message."""

_SECOND = 1_000_000
LEASE = 120 * _SECOND
"""Microseconds for which a message is claimed: sending takes less, names that nobody knows too."""

_FIRST, _LONGEST = 10 * _SECOND, 6 * 3600 * _SECOND
_AT_ONCE = 8
_EVERY = 1.0
_RARELY = 60.0
_MOST_SAID = 300


def next_try(tries: int, chance: float) -> int:
    """Return in how many microseconds to try again after so many tries.

    Examples
    --------
    >>> [next_try(tries, 0.5) // 1_000_000 for tries in (1, 2, 3, 20)]
    [10, 20, 40, 21600]
    >>> next_try(1, 0.0) // 1_000_000, next_try(1, 1.0) // 1_000_000
    (5, 15)
    """
    return int(min(_FIRST * 2.0 ** min(tries - 1, 60), _LONGEST) * (0.5 + chance))


def after(one: Message, answer: Answer, at: int) -> Message:
    """Return a message as it is after a try."""
    found = replace(one, said=answer.said[:_MOST_SAID], tried_at=at)
    if answer.taken:
        return replace(found, state="sent", due_at=at)
    due = at + next_try(one.tries, random.random())
    if due - one.made_at > GIVEN_UP:
        return replace(found, state="given up", due_at=at)
    return replace(found, due_at=due)


class Sender:
    """Sends what is due, in threads of its own.

    Parameters
    ----------
    service : Service
        Whose messages.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._stopping = Event()
        self._rarely = 0.0
        self._thread = Thread(target=self._run, name="arena-sender", daemon=True)
        self._thread.start()

    def stop(self, within: float) -> None:
        """Begin nothing more; what is under way is not waited for longer."""
        self._stopping.set()
        self._thread.join(within)

    def round(self) -> int:
        """Send what is due; return how many messages that were."""
        service = self._service
        with service.store.reading() as connection:
            ids = table.next_messages(connection, now(), _AT_ONCE)
        if not ids:
            return 0
        at = now()
        claimed = service.writer.alone(
            lambda connection: table.claim(connection, ids, at, at + LEASE)
        )
        threads = [Thread(target=self._send, args=(one,), daemon=True) for one in claimed]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(claimed)

    def write_digests(self) -> None:
        """Write the digests that are due; of several processes one writes each."""
        service = self._service
        with service.store.reading() as connection:
            due = table.next_digests(connection, now())
        for receiver in due:
            service.follow(service.copies.load(receiver.arena).arena.slug)
            hosted = service.copies.load(receiver.arena)
            found = status_of(hosted.arena, hosted.replica, service.looks(receiver.arena))
            times = np.array(hosted.replica.times, np.int64)
            body = digest_of(found, int((times > now() - WEEK).sum()))

            def write(
                connection: Connection,
                receiver: Receiver = receiver,
                body: dict[str, object] = body,
            ) -> None:
                at = receiver.digest_at or 0
                while at <= now():
                    at += WEEK
                if table.claim_digest(connection, receiver, at):
                    made = message(receiver.id, receiver.arena, "digest", body)
                    table.insert_messages(connection, [made])

            service.writer.alone(write)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if time.monotonic() > self._rarely:
                    self._rarely = time.monotonic() + _RARELY
                    self.write_digests()
                    self._service.writer.alone(
                        lambda connection: table.delete_old(connection, now() - KEPT)
                    )
                if self.round() == 0:
                    self._stopping.wait(_EVERY)
            except Unavailable:  # the database; the next round may succeed
                self._stopping.wait(_EVERY)
            except Exception:
                _LOGGER.exception("messages cannot be sent")
                self._stopping.wait(_RARELY)

    def _send(self, one: Message) -> None:
        """Send a message and write down what became of it."""
        service = self._service
        try:
            with service.store.reading() as connection:
                receiver = table.find_receiver(connection, one.receiver)
            if receiver is None:  # removed just now, and its messages with it
                return
            answer = service.post.deliver(one.id, receiver, one.body)
        except ArenaError:
            return  # it is due again
        except Exception:
            _LOGGER.exception("a message cannot be sent")
            answer = Answer(False, "it could not be sent")
        done = after(one, answer, now())
        with suppress(ArenaError):  # it is due again
            service.writer.alone(lambda connection: table.settle(connection, done))
