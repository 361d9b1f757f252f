from __future__ import annotations

import time
from threading import Event, Thread
from types import SimpleNamespace

import pytest

from driftduel.arena import errors, replica, rules
from driftduel.arena import service as arena
from driftduel.arena.rules import take_back
from driftduel.arena.service import service as running
from driftduel.arena.service import snapshots
from tests.arena.voting import prefer, state, state_from_nothing, vote


@pytest.fixture
def folds(monkeypatch):
    """How many events copies took in."""
    seen = []
    follow = replica.Replica.follow

    def counting(self, page):
        seen.extend(page.seq)
        follow(self, page)

    monkeypatch.setattr(replica.Replica, "follow", counting)
    monkeypatch.setattr(running, "_MANY", 5)
    return seen


def test_a_start_goes_on_from_the_snapshot(url, folds):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
        arena.change_arms(service, "drinks", add=["mate"], pause=["milk"])
        prefer(service, "mate", 6)
        before = state(service)
    folds.clear()
    with arena.Service.open(url) as service:
        assert state_of_hosted(service) == before
        assert folds == []
        vote(service)
        assert state(service) == state_from_nothing(service)
        assert arena.status(service, "drinks").arms[0].duels > 0
        arena.verify(service.store)


def state_of_hosted(service):
    from driftduel.arena.service.verify import state_of

    return state_of(service.hosted("drinks").replica)


def test_a_snapshot_of_other_code_is_not_used(url, folds, monkeypatch):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
        before = state(service)
    monkeypatch.setattr(snapshots, "code", lambda: "another")
    folds.clear()
    with arena.Service.open(url) as service:
        assert state_of_hosted(service) == before
        assert folds == list(range(1, 8))
    with arena.Service.open(url) as service:  # the new one is
        folds.clear()
        assert state_of_hosted(service) == before
        assert folds == []


def test_a_snapshot_is_not_used_if_what_is_before_it_counts_otherwise(url, folds):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        asked = arena.ask(service, "drinks", "bot")
        arena.tell(service, asked.duel, "bot", "left")
        prefer(service, "tea", 6)
        state(service)
    with arena.Service.open(url) as service:
        arena.retract(service, asked.duel, "bot")
    with arena.Service.open(url) as service:
        assert state_of_hosted(service) == state_from_nothing(service)
        assert arena.status(service, "drinks").votes == 6


@pytest.mark.parametrize("damage", [b"", b"nonsense"])
def test_a_damaged_snapshot_is_not_used(url, folds, damage):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
        before = state(service)
    with arena.Service.open(url) as service:
        with service.store.writing() as connection:
            connection.execute("UPDATE snapshot SET bytes = :damage", damage=damage)
        assert state_of_hosted(service) == before


def test_verify_notices_a_snapshot_of_something_else(url, folds):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
        state(service)
    with arena.Service.open(url) as service:
        copy = service.hosted("drinks").replica
        copy.times[0] += 1
        with service.store.writing() as connection:
            snapshots.keep_snapshot(connection, 1, snapshots.snapshot_of(copy))
        with pytest.raises(errors.Violation, match="its snapshot is not the fold of its 7 events"):
            arena.verify(service.store)


def test_to_take_back_a_late_vote_does_not_begin_anew(drinks, folds, monkeypatch):
    monkeypatch.setattr(replica, "KEEP", 5)
    for _ in range(15):
        vote(drinks)
        drinks.follow()
    asked = arena.ask(drinks, "drinks", "ann")
    arena.tell(drinks, asked.duel, "ann", "left")
    drinks.follow()
    folds.clear()
    arena.retract(drinks, asked.duel, "ann")
    after = state(drinks)
    assert min(folds) > 5
    assert after == state_from_nothing(drinks)


def test_after_a_start_from_a_snapshot_to_take_back_a_vote_does_not_begin_anew(url, folds):
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        prefer(service, "tea", 6)
        service.follow()
    with arena.Service.open(url) as service:
        asked = arena.ask(service, "drinks", "ann")
        told = arena.tell(service, asked.duel, "ann", "left")
        service.follow()
        folds.clear()
        arena.retract(service, asked.duel, "ann")
        after = state(service)
        assert min(folds) == told.seq
        assert after == state_from_nothing(service)


def test_two_processes_may_keep_a_snapshot_at_once(drinks, url):
    vote(drinks)
    drinks.follow()
    copy = drinks.hosted("drinks").replica
    began, failed = Event(), []

    def keep():
        began.set()
        try:
            other.writer.alone(
                lambda connection: snapshots.keep_snapshot(
                    connection, 1, snapshots.snapshot_of(copy)
                )
            )
        except errors.ArenaError as error:
            failed.append(error)

    with arena.Service.open(url) as other:
        with drinks.store.writing() as connection:
            snapshots.keep_snapshot(connection, 1, snapshots.snapshot_of(copy))
            thread = Thread(target=keep)
            thread.start()
            began.wait()
            time.sleep(0.2)  # so that it meets what is not yet committed
        thread.join()
    assert failed == []
    arena.verify(drinks.store)


def test_a_snapshot_stays_of_use_when_a_vote_before_it_is_taken_back(url, folds, monkeypatch):
    monkeypatch.setattr(replica, "KEEP", 4)
    with arena.Service.open(url) as service:
        arena.create_arena(service, "drinks", "?", ["tea", "coffee", "milk"], seed=1)
        for _ in range(20):
            asked = arena.ask(service, "drinks", "ann")
            told = arena.tell(service, asked.duel, "ann", "left")
            service.follow()
        vote(service)
    with arena.Service.open(url) as service:
        with service.store.writing() as connection:  # as another process does
            take_back(connection, asked.duel, rules.now(), lambda row, again: None)
        folds.clear()
        service.hosted("drinks")
        after = state(service)
        assert min(folds) > 10
        assert min(folds) <= told.seq
        assert after == state_from_nothing(service)
        arena.verify(service.store)


@pytest.mark.parametrize("keep", [1, 7])
def test_states_are_kept_by_age(monkeypatch, keep):
    monkeypatch.setattr(replica, "KEEP", keep)
    states: list = []
    for head in range(keep, 300 * keep, keep):
        states = replica.thinned([*states, SimpleNamespace(head=head)], head, 16)
        assert len(states) <= 10
        for touched in range(1, head + 1, max(1, head // 50)):
            begins = max([0, *(one.head for one in states if one.head < touched)])
            assert head - begins <= 4 * (head - touched) + 2 * keep
    assert [one.head for one in replica.thinned(states, head, 2)] == [
        one.head for one in states[-2:]
    ]
