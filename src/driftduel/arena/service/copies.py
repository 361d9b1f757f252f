"""Copies of learners that follow the log, each under a lock of its own: no arena waits for another.

A few new events are folded in by whoever needs them. Very many, after a start or because somebody
was excluded, are folded in a thread of their own; meanwhile the copy that is there asks, and who
waits for the new one is told after a moment how far it is.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread

import numpy as np

from driftduel.arena.errors import Conflict, NotFound, Unavailable
from driftduel.arena.model import GONE, Arena
from driftduel.arena.replica import Replica
from driftduel.arena.service.snapshots import from_snapshot
from driftduel.arena.store import cards, statements
from driftduel.arena.store.connection import PATIENCE, Connection
from driftduel.arena.store.database import Store
from driftduel.arena.versions import rules_of

_LOGGER = logging.getLogger(__name__)

_FAR = 20_000
"""Events that take long to fold, about a tenth of a second."""

_A_ROUND = 32
"""Arenas that are followed between two looks at the heads, those that wait longest first: of many
each then gets several votes at once, which cost as much as one."""

_SAY = 10.0
"""Seconds between two lines about a fold that takes long."""

_END = "the service is shutting down"


@dataclass(frozen=True)
class Hosted:
    """An arena as this process knows it: its row, its learner, and the contexts of its cards."""

    arena: Arena
    replica: Replica
    contexts: dict[int, frozenset[str]]


class Copies:
    """The copies of a process.

    Attributes
    ----------
    patience : float or None
        Seconds for which somebody waits for a fold that takes long; None for as long as it takes.
    snapshots : dict of int to int
        The event of the last snapshot of an arena.
    """

    def __init__(self, store: Store) -> None:
        self.patience: float | None = None
        self.snapshots: dict[int, int] = {}
        self._store = store
        self._hosted: dict[int, Hosted] = {}
        self._locks: dict[int, Lock] = {}
        self._far: dict[int, tuple[int, int]] = {}  # folded of how many, where it takes long
        self._began: dict[int, float] = {}  # since when
        self._waits: dict[int, float] = {}  # since when an arena is behind its log
        self._failed: dict[int, Exception] = {}
        self._looked_at = time.monotonic()
        self._warming = False
        self._stopping = Event()

    def __iter__(self) -> Iterator[tuple[int, Hosted]]:
        """Yield the arenas that are loaded, by their numbers."""
        return iter(list(self._hosted.items()))

    def get(self, number: int) -> Hosted | None:
        """Return an arena that is loaded, None if it is not."""
        return self._hosted.get(number)

    def drop(self, number: int) -> None:
        """Forget an arena that was deleted."""
        self._hosted.pop(number, None)

    def stop(self) -> None:
        """Let folds end where they are."""
        self._stopping.set()

    def load(self, number: int) -> Hosted:
        """Return an arena, loaded by the first of those who come at once."""
        return self._hosted.get(number) or self.follow(number, loads=True)

    def follow(self, number: int, *, loads: bool = False) -> Hosted:
        """Load an arena, or bring its copy up to the head, for somebody who waits.

        Whoever only ``loads`` is content with a copy that somebody else loaded meanwhile.

        Raises
        ------
        Unavailable
            If that takes longer than `patience`, or the database fails.
        """
        lock = self._lock_of(number)
        patience = self._patience(number)
        if not lock.acquire(timeout=-1 if patience is None else patience):
            raise Unavailable(self._words(number))
        thread = None
        try:
            if loads and (found := self._hosted.get(number)) is not None:
                return found
            with self._store.reading(each=PATIENCE) as connection:
                (arena,) = statements.arenas_of(connection, [number])
                if self.patience is None or not self._is_far(connection, arena):
                    self._fold(connection, arena)
                else:
                    thread = self._in_a_thread(number, lock)
        finally:
            if thread is None:
                lock.release()
        if thread is not None:
            thread.join(self.patience)
            if thread.is_alive():
                raise Unavailable(self._words(number))
            if number in self._failed:
                raise self._failed[number]
        return self._hosted[number]

    def _patience(self, number: int) -> float | None:
        """Return for how long a fold is waited for: those who come later wait no longer.

        Else many who ask for one arena would take the threads of all.
        """
        if self.patience is None or number not in self._far:
            return self.patience
        return max(0.0, self.patience - (time.monotonic() - self._began.get(number, 0.0)))

    def follow_some(self) -> bool:
        """Bring copies up to the heads that have moved; tell whether any had to wait.

        Who is being folded by somebody else is left alone.
        """
        left = False
        with self._store.reading(each=PATIENCE) as connection:
            heads = statements.heads_of(connection, list(self._hosted))
            known = {number: hosted.replica.head for number, hosted in self}
            behind = [number for number, head in heads.items() if known.get(number) != head]
            now = time.monotonic()
            self._waits = {number: self._waits.get(number, now) for number in behind}
            turn = sorted(behind, key=self._waits.__getitem__)[:_A_ROUND]
            for arena in statements.arenas_of(connection, turn) if turn else ():
                lock = self._lock_of(arena.id)
                if not lock.acquire(blocking=False):
                    left = True
                    continue
                thread = None
                try:
                    if self._is_far(connection, arena):
                        thread = self._in_a_thread(arena.id, lock)
                        left = True
                    else:
                        with suppress(Conflict, NotFound):
                            self._fold(connection, arena)
                finally:
                    if thread is None:
                        lock.release()
            self._looked_at = time.monotonic()
        return left or len(behind) > len(turn)

    def warm(self) -> None:
        """Load arenas with many votes and the last few, and compiled code, in a thread.

        Nobody is to wait for that when they are asked.
        """
        self._warming = True
        Thread(target=self._warm, name="arena-warm", daemon=True).start()

    def check(self, behind: float) -> None:
        """Raise Unavailable unless the log was looked at in so many seconds, and all is loaded."""
        if self._warming:
            raise Unavailable(" ".join(map(self._words, self._far)) or "votes are being counted")
        if time.monotonic() - self._looked_at > behind:
            raise Unavailable("the copies of the learners are behind the log")

    def _warm(self) -> None:
        while not self._stopping.is_set():
            try:
                with self._store.reading(each=PATIENCE) as connection:
                    arenas = statements.find_arenas(connection)
                going = [arena for arena in arenas if arena.status == "open"]
                last = {arena.id for arena in going[-_A_ROUND:]}
                for arena in going:
                    if arena.head >= _FAR or arena.id in last:
                        with suppress(Conflict):  # it has newer rules; who asks for it is told
                            self._load_in_this_thread(arena.id)
                break
            except Unavailable:
                self._stopping.wait(1.0)
            except Exception:  # a log that was damaged; who asks for its arena is told
                _LOGGER.exception("an arena cannot be loaded")
                break
        self._warming = False

    def _load_in_this_thread(self, number: int) -> None:
        with self._lock_of(number), self._store.reading(each=PATIENCE) as connection:
            if number not in self._hosted:
                (arena,) = statements.arenas_of(connection, [number])
                self._began[number] = time.monotonic()
                self._far[number] = (0, arena.head)
                try:
                    self._fold(connection, arena)
                    self._hosted[number].replica.draw(np.random.default_rng())
                finally:
                    self._far.pop(number, None)

    def _lock_of(self, number: int) -> Lock:
        return self._locks.setdefault(number, Lock())

    def _is_far(self, connection: Connection, arena: Arena) -> bool:
        """Tell whether there are so many events to fold that somebody would notice."""
        if arena.slug.startswith(GONE):
            return False
        known = self._hosted.get(arena.id)
        try:
            anew = known is None or known.replica.rules != rules_of(arena.learner, arena.rules)
        except Conflict:  # newer than this program: it is dropped, where it is folded
            return False
        if known is None or anew:
            return arena.head > _FAR
        head = known.replica.head
        if head == arena.head:
            return False
        touched = statements.first_touched(connection, arena.id, head, arena.head)
        begins = head if touched is None else known.replica.kept_before(touched)
        return arena.head - begins > _FAR

    def _in_a_thread(self, number: int, lock: Lock) -> Thread:
        """Fold what is new of an arena in a thread, which gives back its lock."""

        def work() -> None:
            try:
                self._failed.pop(number, None)
                with self._store.reading(each=PATIENCE) as connection:
                    (arena,) = statements.arenas_of(connection, [number])
                    self._began[number] = time.monotonic()
                    self._far[number] = (0, arena.head)
                    self._fold(connection, arena)
            except Exception as error:
                self._failed[number] = error
                if not isinstance(error, Unavailable):
                    _LOGGER.exception("an arena cannot be folded")
            finally:
                self._far.pop(number, None)
                lock.release()

        thread = Thread(target=work, name="arena-fold", daemon=True)
        thread.start()
        return thread

    def _fold(self, connection: Connection, arena: Arena) -> None:
        """Fold what is new of an arena, of which this thread has the lock."""
        if arena.slug.startswith(GONE):
            self._hosted.pop(arena.id, None)
            raise NotFound("there is no such arena")
        known = self._hosted.get(arena.id)
        if known is not None and known.replica.head == arena.head:
            return
        said_at = time.monotonic()

        def working(done: int) -> None:
            nonlocal said_at
            if self._stopping.is_set():
                raise Unavailable(_END)
            if arena.id in self._far:
                self._far[arena.id] = (done, arena.head)
                if time.monotonic() - said_at > _SAY:
                    said_at = time.monotonic()
                    _LOGGER.info(self._words(arena.id))

        if known is None:
            made, kept = _loaded(connection, arena, working)
            self.snapshots.setdefault(arena.id, kept)
            self._hosted[arena.id] = made
            return
        try:
            self._hosted[arena.id] = _followed(connection, known, arena, working)
        except Conflict:  # a newer program let it have newer rules
            del self._hosted[arena.id]
            raise

    def _words(self, number: int) -> str:
        done, whole = self._far.get(number, (0, 0))
        share = f": {done / whole:.0%} so far" if whole else ""
        return f"the votes are being counted again{share}, please try again"


def folded(
    connection: Connection,
    arena: Arena,
    start: Replica | None = None,
    working: Callable[[int], None] = lambda _: None,
) -> Replica:
    """Return a copy folded up to the head of an arena, from nothing or from an earlier copy.

    ``working`` is called again and again meanwhile, with the last event.
    """
    replica = Replica(arena.seed, rules_of(arena.learner, arena.rules)) if start is None else start
    if start is not None:
        replica.keep_state()
    replica.mark(statements.marks_of(connection, arena.id, arena.head))
    for page in statements.pages(connection, arena.id, replica.head, arena.head):
        replica.follow(page)
        working(replica.head)
    return replica


def followed_by(connection: Connection, known: Hosted | None, arena: Arena) -> Hosted:
    """Return an arena as of a row, from what was known of it, if anything was."""
    if known is None:
        return _loaded(connection, arena, lambda _: None)[0]
    return _followed(connection, known, arena, lambda _: None)


def _loaded(
    connection: Connection, arena: Arena, working: Callable[[int], None]
) -> tuple[Hosted, int]:
    """Return an arena from its log, and the event of the snapshot that helped, if one did."""
    kept = from_snapshot(connection, arena)
    head = 0 if kept is None else kept.head
    replica = folded(connection, arena, kept, working)
    return Hosted(arena, replica, cards.contexts_of(connection, arena.id)), head


def _followed(
    connection: Connection, hosted: Hosted, arena: Arena, working: Callable[[int], None]
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
        working(replica.head)
        if "settings" in page.kind:
            contexts = cards.contexts_of(connection, arena.id)
    return Hosted(arena, replica, contexts)
