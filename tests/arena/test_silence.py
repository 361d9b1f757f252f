"""A database that goes silent, as a firewall or a lost machine lets it: 503, and soon service."""

from __future__ import annotations

import json
import threading

import httpx
import pytest

from driftduel.arena import errors
from driftduel.arena import service as arena
from driftduel.arena.service import writer
from driftduel.arena.store import postgres as store_of_postgres
from tests.arena.postgres import INSTALLED
from tests.arena.serving import ServerProcess, Site
from tests.arena.silence import Proxy
from tests.processes import wait_until

pytestmark = [
    pytest.mark.once,
    pytest.mark.usefixtures("quick_to_start"),
    pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed"),
]


@pytest.fixture
def proxy(postgres):
    postgres.emptied()
    opened = Proxy(f"{postgres.folder}/.s.PGSQL.5432")
    yield opened
    opened.close()


@pytest.fixture
def hasty(monkeypatch):
    """A service that waits for less than a second."""
    monkeypatch.setattr(store_of_postgres, "PATIENCE", 0.8)
    monkeypatch.setattr(store_of_postgres, "_FIRST", 0.3)
    monkeypatch.setattr(store_of_postgres, "_IDLE", 1.0)
    monkeypatch.setattr(store_of_postgres, "_PATIENCE", 0.5)
    monkeypatch.setattr(writer, "ANSWERED_WITHIN", 1.0)


def test_old_connections_that_fall_silent_are_given_up_for_new_ones(proxy, hasty):
    with arena.Service.open(proxy.url) as service:
        arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        duel = arena.ask(service, "drinks", "ann").duel
        proxy.silence(also_new=False)
        told = []

        def is_told():
            try:
                told.append(arena.tell(service, duel, "ann", "left"))
            except errors.Unavailable:
                return False
            return True

        wait_until(is_told)
        assert arena.status(service, "drinks").votes == 1


def test_a_connection_that_falls_silent_in_the_middle_is_given_up(proxy, hasty):
    with arena.Service.open(proxy.url) as service:

        def fall_silent():
            with service.store.writing() as connection:
                assert connection.scalar("SELECT 1") == 1
                proxy.silence(also_new=False)
                connection.scalar("SELECT 1")

        with pytest.raises(errors.Unavailable) as caught:
            fall_silent()
        assert "said nothing" in str(caught.value.__cause__)
        with service.store.writing() as connection:
            assert connection.scalar("SELECT 1") == 1


def test_what_waits_behind_something_slow_is_answered(service, monkeypatch):
    monkeypatch.setattr(writer, "ANSWERED_WITHIN", 0.1)
    held, let_go = threading.Event(), threading.Event()

    def slow(connection):
        held.set()
        let_go.wait(30)

    other = threading.Thread(target=service.writer.alone, args=(slow,), kwargs={"each": 60})
    other.start()
    held.wait(30)
    with pytest.raises(errors.Unavailable, match="does not answer"):
        service.writer.alone(lambda connection: None)
    let_go.set()
    other.join()
    service.writer.alone(lambda connection: None)


@pytest.mark.slow
def test_a_server_whose_database_goes_silent_says_so_and_goes_on_and_ends(proxy, postgres):
    with arena.Service.open(postgres.url) as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
    server = ServerProcess(proxy.url)
    site = Site(server.address, made)
    patient = httpx.Timeout(15.0)  # without deadlines nothing came in two minutes
    site.api.timeout = site.plain.timeout = patient
    duel = site.ask().json()["duel"]
    proxy.silence(also_new=True)
    assert [site.tell(duel, "left").status_code, site.ask().status_code] == [503, 503]
    assert site.plain.get("/health/ready").status_code == 503
    assert site.plain.get("/health/live").status_code == 200
    assert site.plain.get("/static/voter.js").status_code == 200
    proxy.restore()
    wait_until(lambda: site.tell(duel, "left").status_code in (200, 201))
    wait_until(lambda: site.plain.get("/health/ready").status_code == 200)
    assert site.status()["votes"] == 1
    proxy.silence(also_new=True)
    site.close()
    assert server.end() == 0
    lines = [json.loads(line) for line in server.logged]
    causes = [line["cause"] for line in lines if line["event"] == "unavailable"]
    assert causes
    assert len(causes) == len(set(causes))
