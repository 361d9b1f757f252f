"""The service as one process runs it: a database, a writer, and copies that follow the log.

Every process is a replica. A thread looks at the heads a few times a second, and at once after a
commit of its own, reads the events that are new and folds them in.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock, Thread
from typing import Self

import numpy as np

from driftduel.arena import rules, versions
from driftduel.arena.changes import append_changes, append_rules, unsaid
from driftduel.arena.errors import ArenaError, Conflict, NotFound, Unavailable
from driftduel.arena.likely import Looks
from driftduel.arena.model import DAY, SLUG, Arena, OpenDuel
from driftduel.arena.replica import Replica
from driftduel.arena.service.snapshots import from_snapshot, keep_snapshot
from driftduel.arena.service.voter_counts import VoterCounts
from driftduel.arena.service.writer import Writer
from driftduel.arena.store import statements
from driftduel.arena.store.connection import PATIENCE, SLOW, Connection
from driftduel.arena.store.database import Store
from driftduel.arena.store.urls import DEFAULT
from driftduel.arena.versions import rules_of

_LOGGER = logging.getLogger(__name__)

_EVERY = 0.25
"""Seconds between two looks at the heads: other processes are followed within a second."""

_PAUSE = 0.1
"""Seconds between two looks at least: many commits are followed at once."""

KEPT_EXPIRED = 86_400_000_000
"""Microseconds for which a duel that expired is remembered, so that its voter is told so."""

_PURGE = 60.0
"""Seconds between two purges."""

_MANY, _VERY_MANY = 1_000, 100_000
"""Events after which a snapshot is kept, at the end and meanwhile."""

_AT_THE_END = 2.0
"""Seconds to wait for what would be good to have when a process ends."""

_TRIES = 10
"""How often newer rules are accepted again if votes are taken back meanwhile."""

_BEHIND = 5.0
"""Seconds without a look after which a process is not ready."""


@dataclass(frozen=True)
class Hosted:
    """An arena as this process knows it: its row, its learner, and the contexts of its cards."""

    arena: Arena
    replica: Replica
    contexts: dict[int, frozenset[str]]


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
        self._hosted: dict[int, Hosted] = {}
        self._numbers: dict[str, int] = {}
        self._snapshots: dict[int, int] = {}  # the event of the last snapshot of an arena
        self._said: dict[int, int] = {}  # up to which event all changes are in the log
        self._unwritten: set[int] = set()  # arenas with a change that could not be written
        self._trials: dict[int, Hosted] = {}  # by the newest rules, where these are not accepted
        self._trying = Lock()
        self._watches: dict[int, VoterCounts] = {}
        self._watching = Lock()
        self._looks: dict[int, Looks] = {}
        self._loading = Lock()
        self._wake = Event()
        self._stopping = Event()
        self._followed_at = time.monotonic()
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
        found = None if number is None else self._hosted.get(number)
        if found is not None:
            return found
        with self.store.reading() as connection:
            arena = statements.arena_called(connection, slug)
        if arena is None:
            raise NotFound(f"there is no arena {slug[:80]!r}")
        self._numbers[slug] = arena.id
        return self._load(arena.id)

    def hosted_by_number(self, number: int) -> Hosted | None:
        """Return an arena that is loaded, None if it is not."""
        return self._hosted.get(number)

    def follow(self) -> None:
        """Bring all copies up to the heads of the database, now, and say what they find."""
        self._catch_up()
        if self._accept_newest():
            self._catch_up()
        if self._say_changes():
            self._catch_up()

    def trial(self, slug: str) -> Hosted:
        """Return an arena as it would be by the newest rules; it is followed like any other."""
        number = self.hosted(slug).arena.id
        with self._trying, self.store.reading(each=PATIENCE) as connection:
            (arena,) = statements.arenas_of(connection, [number])
            arena = replace(arena, rules=versions.CURRENT)
            known = self._trials.get(number)
            if known is None:
                made, _ = _loaded(connection, arena, self._note_work)
            else:
                made = _followed(connection, known, arena, self._note_work)
            self._trials[number] = made
        return made

    def accept_rules(self, slug: str) -> None:
        """Let an arena have the newest rules, unless it has them."""
        for _ in range(_TRIES):
            hosted = self.hosted(slug)
            accept = partial(_accept, number=hosted.arena.id, replica=hosted.replica)
            done = self.writer.alone(accept)
            self._catch_up()
            if done:
                self._trials.pop(hosted.arena.id, None)
                self.follow()
                return
        raise Conflict("votes are being taken back, please try again")

    def keep_snapshots(self, least: int, within: float | None = None) -> None:
        """Keep snapshots of the copies that took in so many events since the last one.

        For each it is waited for so many seconds at most.
        """
        for number, hosted in list(self._hosted.items()):
            if hosted.replica.head - self._snapshots.get(number, 0) >= least:
                self._snapshots[number] = hosted.replica.head
                keep = partial(keep_snapshot, number=number, replica=hosted.replica)
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
        """Return what keeps the likely story of an arena between two looks."""
        return self._looks.setdefault(number, Looks())

    async def check_ready_async(self) -> None:
        """Raise Unavailable unless votes can be written and the copies are up to date.

        Nothing is written for that if votes just were. A copy that is folded again, as somebody was
        excluded, is waited for: meanwhile the old one asks, and votes are taken in.
        """
        if time.monotonic() - self.writer.committed_at > _BEHIND:
            await self.writer.do_async(_try_to_write, None)
        self._check_copies()

    def check_ready(self) -> None:
        """Do the same where no event loop runs."""
        self.writer.do(_try_to_write, None)
        self._check_copies()

    def _check_copies(self) -> None:
        if time.monotonic() - self._followed_at > _BEHIND:
            raise Unavailable("the copies of the learners are behind the log")

    def voter(self, name: str) -> str:
        """Return what is stored of a voter: a keyed hash of what its cookie or header says."""
        return rules.voter_hash(self.store.salt, name)

    def draw(
        self, hosted: Hosted, voter: str, seen: Collection[tuple[int, int]] = ()
    ) -> OpenDuel | None:
        """Return a duel to open that is not of a pair seen, None if there are not two arms."""
        with self.rng_lock:
            at = now_in_microseconds()
            contexts = hosted.contexts
            return rules.draw(hosted.arena, hosted.replica, contexts, self.rng, voter, at, seen)

    def _note_work(self) -> None:
        """Remember that the log was followed just now."""
        self._followed_at = time.monotonic()

    def _catch_up(self) -> None:
        with self._loading, self.store.reading(each=PATIENCE) as connection:
            for arena in statements.arenas_of(connection, self._hosted):
                hosted = self._hosted[arena.id]
                if arena.head == hosted.replica.head:
                    continue
                try:
                    self._hosted[arena.id] = _followed(connection, hosted, arena, self._note_work)
                except Conflict:  # a newer program let it have newer rules
                    del self._hosted[arena.id]
        self._note_work()

    def _accept_newest(self) -> bool:
        """Let arenas have the newest rules whose owners want them; tell whether there were any."""
        done = False
        for number, hosted in list(self._hosted.items()):
            if versions.awaits_newest(hosted.arena):
                accept = partial(_accept, number=number, replica=hosted.replica)
                with suppress(ArenaError):
                    self.writer.alone(accept)
                    done = True
        return done

    def _say_changes(self) -> bool:
        """Append the changes that copies found and logs do not have; tell whether there were any.

        To read does not fail because that cannot be written: the next look tries again, and the
        log of the process says why, once.
        """
        done = False
        for number, hosted in list(self._hosted.items()):
            replica = hosted.replica
            with replica.lock:
                head = replica.head
                news = [] if self._said.get(number) == head else unsaid(replica)
            if news:
                append = partial(append_changes, number=number, head=head, rows=news)
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

    def _load(self, number: int) -> Hosted:
        with self._loading:
            if number not in self._hosted:
                with self.store.reading(each=PATIENCE) as connection:
                    (arena,) = statements.arenas_of(connection, [number])
                    loaded, kept = _loaded(connection, arena, self._note_work)
                    self._hosted[number], self._snapshots[number] = loaded, kept
            return self._hosted[number]

    def _run(self) -> None:
        purged_at = time.monotonic()
        while not self._stopping.is_set():
            self._wake.wait(_EVERY)
            self._stopping.wait(_PAUSE)
            self._wake.clear()
            try:
                self.follow()
                if time.monotonic() - purged_at > _PURGE:
                    purged_at = time.monotonic()
                    purge(self)
                    self.keep_snapshots(_VERY_MANY)
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
    """Turn duels that expired a day ago into counts of what was shown; return how many."""
    now = now_in_microseconds()
    done: int = service.writer.alone(
        lambda connection: statements.purge(connection, now - KEPT_EXPIRED, now // DAY), each=SLOW
    )
    return done


def _loaded(
    connection: Connection, arena: Arena, working: Callable[[], None]
) -> tuple[Hosted, int]:
    """Return an arena from its log, and the event of the snapshot that helped, if one did."""
    kept = from_snapshot(connection, arena)
    head = 0 if kept is None else kept.head
    replica = folded(connection, arena, kept, working)
    return Hosted(arena, replica, statements.contexts_of(connection, arena.id)), head


def folded(
    connection: Connection,
    arena: Arena,
    start: Replica | None = None,
    working: Callable[[], None] = lambda: None,
) -> Replica:
    """Return a copy folded up to the head of an arena, from nothing or from an earlier copy.

    ``working`` is called again and again meanwhile.
    """
    replica = Replica(arena.seed, rules_of(arena.learner, arena.rules)) if start is None else start
    if start is not None:
        replica.keep_state()
    replica.mark(statements.marks_of(connection, arena.id, arena.head))
    for page in statements.pages(connection, arena.id, replica.head, arena.head):
        replica.follow(page)
        working()
    return replica


def _followed(
    connection: Connection, hosted: Hosted, arena: Arena, working: Callable[[], None]
) -> Hosted:
    """Return an arena as of its row, from what was known of it."""
    replica, contexts = hosted.replica, hosted.contexts
    if replica.rules != rules_of(arena.learner, arena.rules):  # others were accepted
        return _loaded(connection, arena, working)[0]
    touched = statements.first_touched(connection, arena.id, replica.head, arena.head)
    if touched is not None:
        marks = statements.marks_of(connection, arena.id, arena.head, replica.head, replica.marks)
        replica = replica.rewound(touched, marks)
    for page in statements.pages(connection, arena.id, replica.head, arena.head):
        replica.follow(page)
        working()
        if "settings" in page.kind:
            contexts = statements.contexts_of(connection, arena.id)
    return Hosted(arena, replica, contexts)


def now_in_microseconds() -> int:
    """Return the time in microseconds since 1970."""
    return rules.now()


def new_id() -> str:
    """Return 128 random bits, URL-safe."""
    return rules.new_id()
