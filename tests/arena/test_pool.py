"""Connections that threads share: kept, given up when they were lost, and never too many."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from driftduel.arena.errors import Unavailable
from driftduel.arena.store import pool as pools
from driftduel.arena.store.pool import Pool


class Scripted:
    """A connection that fails where it is told to."""

    def __init__(self):
        self.did = []
        self.is_usable = True
        self.failing = ()

    def begin(self, *, writing, each=None):
        self._do("begin writing" if writing else "begin")

    def commit(self):
        self._do("commit")

    def rollback(self):
        self._do("rollback")

    def close(self):
        self.did.append("close")
        self.is_usable = False

    def _do(self, what):
        self.did.append(what)
        if what in self.failing:
            raise ConnectionError(what)


@pytest.fixture
def made():
    return []


@pytest.fixture
def pool(made):
    def connect():
        made.append(Scripted())
        return made[-1]

    return Pool(connect)


def use(pool, *, writing=False):
    with pool.transaction(writing=writing) as connection:
        return connection


def test_a_connection_is_used_again(pool, made):
    use(pool)
    use(pool, writing=True)
    assert [one.did for one in made] == [["begin", "commit", "begin writing", "commit"]]
    pool.close()
    assert made[0].did[-1] == "close"


def test_what_raises_is_undone_and_the_connection_kept(pool, made):
    def fail():
        with pool.transaction(writing=True):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    use(pool)
    assert [one.did for one in made] == [["begin writing", "rollback", "begin", "commit"]]


def test_lost_connections_are_given_up_and_a_new_one_is_made(pool, made):
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(pool.transaction(writing=False))
    for one in made:
        one.is_usable, one.failing = False, ("begin",)
    assert use(pool) is made[3]
    assert sum(one.did.count("begin") for one in made[:3]) == 4  # one was asked, the others closed
    assert all(one.did[-1] == "close" for one in made[:3])


def test_a_database_that_is_away_fails_at_once(pool, made):
    def refused():
        raise ConnectionError("refused")

    use(pool)
    made[0].is_usable, made[0].failing = False, ("begin",)
    pool._connect = refused
    with pytest.raises(ConnectionError, match="refused"):
        use(pool)
    assert made[0].did[-1] == "close"


def test_a_database_that_is_locked_keeps_its_connections(pool, made):
    use(pool)
    made[0].failing = ("begin writing",)
    with pytest.raises(ConnectionError):
        use(pool, writing=True)
    assert use(pool) is made[0]


def test_a_connection_that_cannot_go_back_is_closed_and_the_first_error_told(pool, made):
    def fail():
        with pool.transaction(writing=True) as connection:
            connection.failing, connection.is_usable = ("rollback",), False
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert made[0].did[-1] == "close"
    assert use(pool) is made[1]


def test_a_few_connections_are_kept(pool, made):
    with ExitStack() as stack:
        for _ in range(12):
            stack.enter_context(pool.transaction(writing=False))
    assert sum(one.did[-1] == "close" for one in made) == 4


def test_who_waits_too_long_for_a_connection_is_told_so(made, monkeypatch):
    monkeypatch.setattr(pools, "_MOST", 2)
    monkeypatch.setattr(pools, "_PATIENCE", 0.01)
    pool = Pool(Scripted)
    with (
        pool.transaction(writing=False),
        pool.transaction(writing=False),
        pytest.raises(Unavailable, match="busy"),
    ):
        use(pool)
    use(pool)


def test_a_connection_in_use_is_closed_when_it_comes_back(pool, made):
    with pool.transaction(writing=False):
        pool.close()
        assert "close" not in made[0].did
    assert made[0].did[-1] == "close"
