"""An arena in one file, as a command at a prompt uses it: no server, and quick to start.

The file is one that `driftduel.arena.service` can serve, at the same time too. Whoever has the file
owns the arena, so no token is asked for.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from shlex import quote
from typing import Any, Self

import driftduel
from driftduel.arena import rules, versions
from driftduel.arena.errors import ArenaError, Conflict, NotFound, Unavailable
from driftduel.arena.fields import Fields, as_fields
from driftduel.arena.model import Arena, OpenDuel, Verdict
from driftduel.arena.store import cards, snapshots, statements
from driftduel.arena.store.migrations import SCHEMA, checked, migrate
from driftduel.arena.store.sqlite import SQLite

_HEADER = b"SQLite format 3\x00"
_PATIENCE = 5.0
_MANY = 1_000
"""Events that are worth a process that compiles: to interpret them takes as long."""

_KEEP = 16
"""Events after which the state is kept, so that the next command need not fold them."""


class Local:
    """A file that holds one arena; use it as a context.

    Parameters
    ----------
    path : path
        The file, as ``driftduel new`` makes it.

    Raises
    ------
    ValueError
        If it is no such file.
    FileNotFoundError
        If there is none.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        _check_file(self.path)
        with _translated(self.path):
            self.connection = SQLite(self.path, _PATIENCE)
        try:
            with self._transaction(writing=False):
                version = self._version()
            if version < SCHEMA:
                with self._transaction(writing=True):
                    migrate(self.connection.execute, "sqlite", self._version())
            with self._transaction(writing=False):
                self._check()
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.connection.close()

    def ask(self, voter: str = "", fields: Fields | None = None) -> tuple[OpenDuel, str, str]:
        """Open a duel; return it and the names of the arms, left and right."""
        import numpy as np

        said = as_fields(fields)
        with self._copy(writing=True) as (arena, replica, kept):
            if (state := arena.state_at(rules.now())) != "open":
                raise rules.not_open(state)
            hashed = rules.voter_hash(self._meta["salt"], voter)
            contexts = cards.contexts_of(self.connection, arena.id)
            rng = np.random.default_rng()
            poll = (arena, replica, contexts)
            duel = rules.draw(*poll, rng, hashed, rules.now(), fields=said)
            if duel is None:
                raise Conflict("the arena offers fewer than two arms")
            statements.insert_duels(self.connection, [duel])
            if replica.head - kept >= _KEEP:
                self._keep(arena, replica)
        return duel, replica.arms[duel.left].name, replica.arms[duel.right].name

    def find(self, start: str) -> tuple[str, str, str]:
        """Return the id of a duel that begins so, and the names of its arms, left and right.

        Raises
        ------
        NotFound
            If none was asked, or several begin so.
        """
        with self._transaction(writing=False):
            ids = (
                sorted(set(statements.ids_like(self.connection, start))) if len(start) >= 4 else []
            )
            if start in ids:
                ids = [start]
            if len(ids) != 1:
                several = ", which several begin with" if ids else ""
                raise NotFound(f"no duel {start[:40]!r} was asked{several}")
            duel = statements.find_duels(self.connection, ids).get(ids[0])
            answer = statements.find_answers(self.connection, ids).get(ids[0], {})
            pair = (answer["left"], answer["right"]) if duel is None else (duel.left, duel.right)
            (arena,) = statements.find_arenas(self.connection)
            names = {arm.id: arm.name for arm in statements.arms_of(self.connection, arena.id)}
        return ids[0], names[pair[0]], names[pair[1]]

    def tell(self, duel: str, verdict: Verdict, fields: Fields | None = None) -> rules.Outcome:
        """Take in a verdict; when this returns it is on the disk."""
        said = as_fields(fields)
        with self._transaction(writing=True):
            found = statements.find_duels(self.connection, [duel]).get(duel)
            before = statements.find_answers(self.connection, [duel]).get(duel)
            voter = found.voter if found is not None else (before or {}).get("voter", "")
            tell = rules.Tell(duel, voter, verdict, rules.now(), None, fields=said)
            (result,) = rules.tell_all(self.connection, [tell])
        if isinstance(result, ArenaError):
            raise result
        return result

    def undo(self, duel: str) -> int:
        """Take a verdict back; return the number of the event that does."""
        with self._transaction(writing=True):
            return rules.take_back(self.connection, duel, rules.now(), _allow)

    def status(self) -> tuple[Any, list[tuple[OpenDuel, str, str]]]:
        """Return what is known, as a `driftduel.arena.status.Status`, and the open duels."""
        from driftduel.arena.changes import unsaid
        from driftduel.arena.status import status_of

        with self._copy(writing=False) as (arena, replica, _):
            waiting = statements.open_duels(self.connection, arena.id, rules.now())
        if unsaid(replica) or versions.awaits_newest(arena):
            with suppress(Unavailable), self._copy(writing=True) as (arena, replica, _):
                waiting = statements.open_duels(self.connection, arena.id, rules.now())
        names = {arm.id: arm.name for arm in replica.arms.values()}
        shown = [(duel, names[duel.left], names[duel.right]) for duel in waiting]
        return status_of(arena, replica), shown

    def refresh(self) -> None:
        """Fold what is new and keep the state."""
        with self._copy(writing=True) as (arena, replica, _):
            self._keep(arena, replica)

    @contextmanager
    def _copy(self, *, writing: bool, waited: bool = False) -> Iterator[tuple[Arena, Any, int]]:
        """Yield the arena, a copy as of its head, and the event of the snapshot it began with."""
        from driftduel._support.compile.jit import interprets
        from driftduel.arena import states  # noqa: F401  before the file is locked
        from driftduel.arena.changes import append_rules

        with self._transaction(writing=writing):
            (arena,) = statements.find_arenas(self.connection)
            replica = self._start(arena)
            many = not waited and interprets() and arena.head - replica.head > _MANY
            if not many:
                kept = replica.head
                self._follow(arena, replica)
                upgrades = writing and versions.awaits_newest(arena)
                if upgrades:
                    append_rules(self.connection, arena, replica, versions.CURRENT)
                else:
                    arena = self._say_changes(arena, replica) if writing else arena
                    yield arena, replica, kept
        if many:  # another process, which compiles, is quicker
            script = "import sys; from driftduel.arena.file import Local\n"
            script += "with Local(sys.argv[1]) as one: one.refresh()"
            subprocess.run([sys.executable, "-c", script, str(self.path)], check=True)
            with self._copy(writing=writing, waited=True) as found:
                yield found
        elif upgrades:
            with self._copy(writing=writing) as found:
                yield found

    def _follow(self, arena: Arena, replica: Any) -> None:
        for page in statements.pages(self.connection, arena.id, replica.head, arena.head):
            replica.follow(page)

    def _say_changes(self, arena: Arena, replica: Any) -> Arena:
        """Append changes that the copy finds and the log does not have; return the arena then."""
        from driftduel.arena.changes import append_changes, unsaid

        news = unsaid(replica)
        if news:
            from driftduel.arena.messages import telling

            tell = telling(arena, replica)
            append_changes(self.connection, arena.id, replica.head, news, tell)
            (arena,) = statements.find_arenas(self.connection)
            self._follow(arena, replica)
        return arena

    def _start(self, arena: Arena) -> Any:
        """Return the copy of the snapshot if that is to be trusted, else a new one."""
        from driftduel.arena.replica import Replica
        from driftduel.arena.states import unpacked

        fold_by = versions.rules_of(arena.learner, arena.rules)
        found = snapshots.snapshot_of(self.connection, arena.id)
        replica = Replica(arena.seed, fold_by)
        if found and found[0] <= arena.head and found[1] == f"{self._code()} {fold_by.name}":
            seq, _, state = found
            touched = statements.first_touched(self.connection, arena.id, seq, arena.head)
            if touched is None or touched > seq:
                with suppress(ValueError, LookupError, TypeError, zlib.error):
                    replica = unpacked(state, arena.seed, fold_by)
        replica.mark(statements.marks_of(self.connection, arena.id, arena.head))
        return replica

    def _keep(self, arena: Arena, replica: Any) -> None:
        from driftduel.arena.states import packed

        key = f"{self._code()} {replica.rules.name}"
        state = packed(replica)
        snapshots.keep_snapshot(self.connection, arena.id, replica.head, key, state)
        statements.set_meta(self.connection, "code", f"{_stamp()} {self._code()}")

    def _code(self) -> str:
        """Return the version of the code, looked up if its files are as they were.

        To find out the version takes longer than all the rest.
        """
        stamp, _, code = self._meta.get("code", "").partition(" ")
        if stamp != _stamp():
            from driftduel.arena.states import code as code_now

            code = code_now()
            self._meta["code"] = f"{_stamp()} {code}"
        return code

    def _version(self) -> int:
        """Return the version of the tables, and keep what else is known of the file."""
        self._meta = statements.meta(self.connection)
        try:
            return checked(self._meta["schema"])
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def _check(self) -> None:
        n = len(statements.find_arenas(self.connection))
        if n != 1:
            raise ValueError(f"{self.path}: holds {n} arenas; driftduel arena --help knows them")

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[None]:
        with _translated(self.path):
            self.connection.begin(writing=writing)
            try:
                yield
                self.connection.commit()
            except BaseException:
                self.connection.rollback()
                raise


def _allow(row: rules.Row, again: bool) -> None:
    """Let any verdict be taken back."""


def _check_file(path: Path) -> None:
    if not path.exists():
        raise FileNotFoundError(
            f"{path}: there is no such file; "
            f"driftduel new {quote(str(path))} --arms A,B,C makes one"
        )
    with path.open("rb") as file:
        start = file.read(len(_HEADER))
    if start != _HEADER:
        saved = "; dd.load_learner reads what Python saved" if start[:1] == b"{" else ""
        raise ValueError(f"{path}: is no arena, as driftduel new makes one{saved}")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Say in a sentence what is wrong with a file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            raise ValueError(f"{path}: is no arena, as driftduel new makes one") from None
        raise Unavailable(f"{path}: {error}") from None
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path}: {error}") from None


@cache
def _stamp() -> str:
    """Return what changes if a file of the package does: their names, sizes and times."""
    found = hashlib.sha256()
    for folder, _, names in sorted(os.walk(Path(driftduel.__file__).parent)):
        for name in sorted(names):
            if name.endswith(".py"):
                facts = os.stat(os.path.join(folder, name))
                found.update(f"{folder}/{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return found.hexdigest()[:16]
