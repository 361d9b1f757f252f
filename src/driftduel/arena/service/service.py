"""The service as one process runs it: a database, a writer, and copies that follow the log.

Every process is a replica. A thread looks at the heads a few times a second, and at once after a
commit of its own, reads the events that are new and folds them in.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Event, Lock, Thread
from typing import Self

import numpy as np

from driftduel.arena import rules, versions
from driftduel.arena.changes import append_changes, append_rules, unsaid
from driftduel.arena.errors import ArenaError, Conflict, NotFound, Unavailable
from driftduel.arena.likely import Looks
from driftduel.arena.messages import telling
from driftduel.arena.model import DAY, SLUG, OpenDuel
from driftduel.arena.replica import Replica
from driftduel.arena.service.admission import Newcomers
from driftduel.arena.service.copies import Copies, Hosted, followed_by
from driftduel.arena.service.limits import Waiting
from driftduel.arena.service.post import Post
from driftduel.arena.service.sending import Sender
from driftduel.arena.service.snapshots import keep_snapshot, snapshot_of
from driftduel.arena.service.voter_counts import VoterCounts
from driftduel.arena.service.writer import Writer
from driftduel.arena.store import deleting, statements
from driftduel.arena.store.connection import PATIENCE, SLOW, Connection
from driftduel.arena.store.database import Store
from driftduel.arena.store.urls import DEFAULT

_LOGGER = logging.getLogger(__name__)

_EVERY = 0.25
"""Seconds between two looks at the heads: other processes are followed within a second."""

_PAUSE = 0.1
"""Seconds between two looks at least: many commits are followed at once."""

KEPT_EXPIRED = 86_400_000_000
"""Microseconds for which a duel that expired is remembered, so that its voter is told so."""

PURGED = 2_000
"""Duels that are purged in one transaction: meanwhile voters wait."""

_PURGE = 60.0
"""Seconds between two purges."""

_MANY, _VERY_MANY = 1_000, 100_000
"""Events after which a snapshot is kept, at the end and meanwhile."""

_AT_THE_END = 2.0
"""Seconds to wait for what would be good to have when a process ends."""

_SENDING = 1.0
"""Seconds to wait for messages under way when a process ends: others send them again."""

MOST_LOOKS = 50
"""Likely stories that are kept for the next look, a megabyte or two each."""

_TRIES = 10
"""How often newer rules are accepted again if votes are taken back meanwhile."""

_BEHIND = 5.0
"""Seconds without a look after which a process is not ready."""


class Service:
    """All arenas of a database, for one process; threads may share it.

    Functions of this package take it first. Use it as a context, or call `close`.

    Parameters
    ----------
    store : Store
        The database; see `Service.open`.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.rng = np.random.default_rng()  # seeded by the system, so nobody can foresee pairs
        self.rng_lock = Lock()
        self.waiting = Waiting()
        self.newcomers = Newcomers()
        self.copies = Copies(store)
        self._numbers: dict[str, int] = {}
        self._said: dict[int, int] = {}  # up to which event all changes are in the log
        self._unwritten: set[int] = set()  # arenas with a change that could not be written
        self._trials: dict[int, Hosted] = {}  # by the newest rules, where these are not accepted
        self._trying = Lock()
        self._watches: dict[int, VoterCounts] = {}
        self._watching = Lock()
        self._looks: dict[int, Looks] = {}
        self._looking = Lock()
        self._wake = Event()
        self._stopping = Event()
        self.post = Post()
        self._sender: Sender | None = None
        self.writer = Writer(store, self._wake.set)
        self._thread = Thread(target=self._run, name="arena-follower", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, url: str = DEFAULT, *, create: bool = True) -> Self:
        """Open a database by its address; see `driftduel.arena.store.urls`."""
        return cls(Store.open(url, create=create))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish what waits and close the database."""
        with suppress(Unavailable):
            self.keep_snapshots(_MANY, within=_AT_THE_END)
        self._stopping.set()
        if self._sender is not None:
            self._sender.stop(_SENDING)
        self.copies.stop()
        self._wake.set()
        self.writer.close()
        self._thread.join(_AT_THE_END)
        self.store.close()

    def hosted(self, slug: str) -> Hosted:
        """Return an arena by its slug, loaded on first use.

        Raises
        ------
        NotFound
            If there is none.
        """
        if not SLUG.fullmatch(slug):
            raise NotFound("there is no such arena")
        number = self._numbers.get(slug)
        found = None if number is None else self.copies.get(number)
        if found is not None:
            return found
        with self.store.reading() as connection:
            arena = statements.arena_called(connection, slug)
        if arena is None:
            raise NotFound(f"there is no arena {slug[:80]!r}")
        self._numbers[slug] = arena.id
        return self.copies.load(arena.id)

    def hosted_by_number(self, number: int) -> Hosted | None:
        """Return an arena that is loaded, None if it is not."""
        return self.copies.get(number)

    def serve(self) -> None:
        """Let nobody wait long for a copy, begin with those that take longest, and send messages.

        How these leave the machine is in ``post``.
        """
        self.copies.patience = PATIENCE
        self.copies.warm()
        self._sender = Sender(self)

    def follow(self, slug: str | None = None) -> None:
        """Bring the copy of an arena, or all, up to the head now, and say what it finds."""
        mine = [number for number, _ in self.copies]
        if slug is not None:
            mine = [self.hosted(slug).arena.id]
        for number in mine:
            # A newer program let it have newer rules; of all, some may have been deleted.
            with suppress(Conflict, *([NotFound] if slug is None else [])):
                self.copies.follow(number)
                if self._accept_newest([number]):
                    self.copies.follow(number)
                if self._say_changes([number]):
                    self.copies.follow(number)

    def forget(self, slug: str) -> None:
        """Drop the copy of an arena that was deleted; other processes do when they look."""
        number = self._numbers.pop(slug, None)
        if number is not None:
            self.copies.drop(number)
            self._trials.pop(number, None)
            self._looks.pop(number, None)
            self._watches.pop(number, None)

    def erase(self) -> bool:
        """Erase some of what is left of arenas that were deleted; tell whether there was any."""
        with self.store.reading() as connection:
            left = deleting.buried(connection)
        for number in left[:1]:
            self.writer.alone(partial(deleting.erase, number=number), each=SLOW)
        return bool(left)

    def follow_soon(self, slug: str) -> None:
        """Do the same after something was written; if that takes long it goes on without us."""
        with suppress(Unavailable):
            self.follow(slug)

    def trial(self, slug: str) -> Hosted:
        """Return an arena as it would be by the newest rules; it is followed like any other."""
        number = self.hosted(slug).arena.id
        with self._trying, self.store.reading(each=PATIENCE) as connection:
            (arena,) = statements.arenas_of(connection, [number])
            arena = replace(arena, rules=versions.CURRENT)
            known = self._trials.get(number)
            made = self._trials[number] = followed_by(connection, known, arena)
        return made

    def accept_rules(self, slug: str) -> None:
        """Let an arena have the newest rules, unless it has them."""
        for _ in range(_TRIES):
            hosted = self.hosted(slug)
            accept = partial(_accept, number=hosted.arena.id, replica=hosted.replica)
            done = self.writer.alone(accept)
            self.copies.follow(hosted.arena.id)
            if done:
                self._trials.pop(hosted.arena.id, None)
                self.follow(slug)
                return
        raise Conflict("votes are being taken back, please try again")

    def keep_snapshots(self, least: int, within: float | None = None) -> None:
        """Keep snapshots of the copies that took in so many events since the last one.

        For each it is waited for so many seconds at most.
        """
        for number, hosted in self.copies:
            if hosted.replica.head - self.copies.snapshots.get(number, 0) >= least:
                self.copies.snapshots[number] = hosted.replica.head
                snapshot = snapshot_of(hosted.replica)  # before voters have to wait for it
                keep = partial(keep_snapshot, number=number, snapshot=snapshot)
                self.writer.alone(keep, each=SLOW, within=within)

    @contextmanager
    def watching(self, number: int, head: int) -> Iterator[VoterCounts]:
        """Yield the counts of voters and days of an arena, up to an event at least."""
        with self._watching:
            watch = self._watches.setdefault(number, VoterCounts())
            if watch.head < head:
                with self.store.reading(each=SLOW) as connection:
                    watch = watch.followed(connection, number, head)
                    self._watches[number] = watch
            yield watch

    def looks(self, number: int) -> Looks:
        """Return what keeps the likely story of an arena between two looks, of some arenas."""
        with self._looking:
            found = self._looks.pop(number, None) or Looks()
            self._looks[number] = found  # the last one looked at is the last to go
            while len(self._looks) > MOST_LOOKS:
                del self._looks[next(iter(self._looks))]
            return found

    async def check_ready_async(self) -> None:
        """Raise Unavailable unless votes can be written and the copies are up to date.

        A copy that is folded again, as somebody was
        excluded, is waited for: meanwhile the old one asks, and votes are taken in.
        """
        await self.writer.do_async(_try_to_write, None)
        self.copies.check(_BEHIND)

    def check_ready(self) -> None:
        """Do the same where no event loop runs."""
        self.writer.do(_try_to_write, None)
        self.copies.check(_BEHIND)

    def voter(self, name: str) -> str:
        """Return what is stored of a voter: a keyed hash of what its cookie or header says."""
        return rules.voter_hash(self.store.salt, name)

    def draw(
        self,
        hosted: Hosted,
        voter: str,
        seen: Collection[tuple[int, int]] = (),
        fields: str | None = None,
    ) -> OpenDuel | None:
        """Return a duel to open that is not of a pair seen, None if there are not two arms."""
        with self.rng_lock:
            at = now_in_microseconds()
            poll = (hosted.arena, hosted.replica, hosted.contexts)
            return rules.draw(*poll, self.rng, voter, at, seen, fields)

    def draw_many(self, hosted: Hosted, askers: Sequence[rules.Asker]) -> list[OpenDuel]:
        """Return a duel for each of several voters, none if there are not two arms."""
        with self.rng_lock:
            at = now_in_microseconds()
            arena, replica, contexts = hosted.arena, hosted.replica, hosted.contexts
            return rules.draw_many(arena, replica, contexts, self.rng, askers, at)

    def _accept_newest(self, numbers: Iterable[int]) -> bool:
        """Let arenas have the newest rules whose owners want them; tell whether there were any."""
        done = False
        for number in numbers:
            hosted = self.copies.get(number)
            if hosted is not None and versions.awaits_newest(hosted.arena):
                accept = partial(_accept, number=number, replica=hosted.replica)
                with suppress(ArenaError):
                    self.writer.alone(accept)
                    done = True
        return done

    def _say_changes(self, numbers: Iterable[int]) -> bool:
        """Append the changes that copies found and logs do not have; tell whether there were any.

        To read does not fail because that cannot be written: the next look tries again, and the
        log of the process says why, once.
        """
        done = False
        for number in numbers:
            hosted = self.copies.get(number)
            if hosted is None or self._said.get(number) == hosted.replica.head:
                continue
            replica = hosted.replica
            with replica.lock:
                head = replica.head
                news = unsaid(replica)
                tell = telling(hosted.arena, replica, self.looks(number)) if news else None
            if tell is not None:
                append = partial(append_changes, number=number, head=head, rows=news, also=tell)
                try:
                    self.writer.alone(append)
                except ArenaError as error:
                    if number not in self._unwritten:
                        self._unwritten.add(number)
                        reason = error.__cause__ or error
                        slug = hosted.arena.slug
                        _LOGGER.warning("a change of %s cannot be written yet: %s", slug, reason)
                    continue
                self._unwritten.discard(number)
                done = True  # by this process or by one that was quicker
            self._said[number] = head
        return done

    def _run(self) -> None:
        purged_at = time.monotonic()
        while not self._stopping.is_set():
            self._wake.wait(_EVERY)
            self._stopping.wait(_PAUSE)
            self._wake.clear()
            try:
                if self.copies.follow_some():
                    self._wake.set()  # the others have their turn
                mine = [number for number, _ in self.copies]
                self._accept_newest(mine)
                self._say_changes(mine)
                if time.monotonic() - purged_at > _PURGE:
                    purged_at = time.monotonic()
                    while purge(self) == PURGED and not self._stopping.is_set():
                        pass  # who makes very many must not make them faster than they go
                    self.keep_snapshots(_VERY_MANY)
                    while self.erase() and not self._stopping.is_set():
                        pass
            except Unavailable:  # `check_ready` says so, and the next look may succeed
                self._stopping.wait(_EVERY)
            except Exception:  # a log that was damaged; `driftduel.arena.service.verify` says where
                _LOGGER.exception("the log cannot be followed")
                self._stopping.wait(_BEHIND)


def _try_to_write(connection: Connection, requests: Sequence[None]) -> list[None]:
    """Write something, so that a disk that is full says so: a handler of the writer."""
    statements.set_meta(connection, "tried", str(now_in_microseconds()))
    return [None] * len(requests)


def _accept(connection: Connection, number: int, replica: Replica) -> bool:
    """Let an arena have the newest rules; tell whether that is done, or what counts has changed."""
    arena = statements.lock_arenas(connection, [number])[number]
    if arena.rules >= versions.CURRENT:
        return True
    if statements.is_retold(connection, number, replica.head, arena.head):
        return False
    append_rules(connection, arena, replica, versions.CURRENT)
    return True


def purge(service: Service) -> int:
    """Turn some duels that expired a day ago into counts of what was shown; return how many."""
    now = now_in_microseconds()

    def act(connection: Connection) -> int:
        return statements.purge(connection, now - KEPT_EXPIRED, now // DAY, PURGED)

    done: int = service.writer.alone(act, each=SLOW)
    return done


def now_in_microseconds() -> int:
    """Return the time in microseconds since 1970."""
    return rules.now()


def new_id() -> str:
    """Return 128 random bits, URL-safe."""
    return rules.new_id()
