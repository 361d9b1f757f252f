"""No arena waits for another: what takes long for one is nothing to the others."""

from __future__ import annotations

import threading

import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.service import copies
from driftduel.arena.store import statements
from tests.arena.voting import prefer, state, state_from_nothing
from tests.processes import wait_until


class Held:
    """Folds of an arena that do not go on until `let_go`."""

    def __init__(self, monkeypatch, number):
        self.reached, self.let_go = threading.Event(), threading.Event()
        pages = statements.pages

        def held(connection, of, low, high):
            for page in pages(connection, of, low, high):
                yield page
                if of == number:
                    self.reached.set()
                    assert self.let_go.wait(60)

        monkeypatch.setattr(statements, "pages", held)
        monkeypatch.setattr(statements, "PAGE", 2)
        monkeypatch.setattr(copies, "_FAR", 3)


@pytest.fixture
def two(drinks):
    """A service with arenas ``drinks``, of some votes, and ``fruit``."""
    prefer(drinks, "tea", 6)
    arena.create_arena(drinks, "fruit", "Which?", ["apple", "pear"])
    drinks.copies.patience = 0.2
    return drinks


def vote_in(service, slug):
    asked = arena.ask(service, slug, "bob")
    return arena.tell(service, asked.duel, "bob", "left")


def test_a_fold_that_takes_long_holds_up_nobody(two, monkeypatch):
    (voter,) = {one.voter for one in arena.voters(two, "drinks")}
    held = Held(monkeypatch, two.hosted("drinks").arena.id)
    arena.exclude(two, "drinks", voter)
    assert held.reached.wait(60)
    assert vote_in(two, "fruit").first
    assert arena.status(two, "fruit").votes == 1
    assert vote_in(two, "drinks").first  # by the copy that is there
    with pytest.raises(errors.Unavailable, match="being counted again"):
        arena.status(two, "drinks")
    two.check_ready()
    held.let_go.set()
    two.copies.patience = None
    assert arena.status(two, "drinks").votes == 1
    assert state(two) == state_from_nothing(two)


def test_the_first_look_at_a_large_arena_holds_up_nobody(two, url, monkeypatch):
    with arena.Service.open(url) as service:
        service.copies.patience = 0.2
        with service.store.writing() as connection:
            connection.execute("DELETE FROM snapshot")
        held = Held(monkeypatch, 1)
        with pytest.raises(errors.Unavailable, match="being counted again"):
            arena.ask(service, "drinks", "ann")
        assert vote_in(service, "fruit").first
        held.let_go.set()
        service.copies.patience = None
        assert vote_in(service, "drinks").first


def test_a_server_is_ready_when_large_arenas_are_loaded(two, url, monkeypatch):
    with arena.Service.open(url) as service:
        with service.store.writing() as connection:
            connection.execute("DELETE FROM snapshot")
        held = Held(monkeypatch, 1)
        service.serve()
        assert held.reached.wait(60)
        with pytest.raises(errors.Unavailable, match=r"counted again: \d+% so far"):
            service.check_ready()
        assert vote_in(service, "fruit").first
        held.let_go.set()

        def is_ready():
            try:
                service.check_ready()
            except errors.Unavailable:
                return False
            return True

        wait_until(is_ready)
        assert service.copies.get(1) is not None


def test_a_fold_ends_where_it_is_when_the_service_is_closed(two, url, monkeypatch):
    with arena.Service.open(url) as service:
        with service.store.writing() as connection:
            connection.execute("DELETE FROM snapshot")
        held = Held(monkeypatch, 1)
        service.serve()
        assert held.reached.wait(60)
        service.copies.stop()
        held.let_go.set()
        wait_until(lambda: not service.copies._far)
        assert service.copies.get(1) is None


def test_of_very_many_arenas_each_has_its_turn(drinks, monkeypatch):
    monkeypatch.setattr(copies, "_A_ROUND", 2)
    slugs = [f"poll-{n}" for n in range(5)]
    for slug in slugs:
        arena.create_arena(drinks, slug, "?", ["one", "other"])
        vote_in(drinks, slug)
    wait_until(lambda: all(drinks.hosted(slug).replica.head == 2 for slug in slugs))
