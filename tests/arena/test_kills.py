"""Servers and PostgreSQL are killed while people vote: what was acknowledged is there, once.

Four processes vote over HTTP at two servers of one database and write every acknowledgement down.
Round for round one of the servers, or PostgreSQL, is ended by SIGKILL and started again.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from driftduel.arena import service as arena
from tests.arena.serving import ServerProcess
from tests.arena.voting import events, state, state_from_nothing
from tests.modes import often
from tests.processes import wait_until

CLIENTS = 4


pytestmark = pytest.mark.usefixtures("quick_to_start")


def written(journals):
    """The lines that are whole: duel, verdict and seq."""
    lines = [line for file in journals if file.exists() for line in file.read_text().splitlines(1)]
    return [line.split() for line in lines if line.endswith("\n")]


def voting(addresses, key, journals):
    command = [sys.executable, "-m", "tests.arena.working", "clients", ",".join(addresses), key]
    return [
        subprocess.Popen([*command, file, f"voter {n}"], env=os.environ)
        for n, file in enumerate(journals)
    ]


def kill_and_count(url, key, tmp_path, rounds, postgres):
    """Kill something in every round; return how often what was, and all acknowledgements."""
    chance = random.Random(1)
    servers = [ServerProcess(url) for _ in range(2)]
    ports = [int(server.address.rpartition(":")[2]) for server in servers]
    journals = [tmp_path / f"journal-{n}" for n in range(CLIENTS)]
    clients = voting([server.address for server in servers], key, journals)
    victims = [0, 1] if postgres is None else [0, 1, "postgresql"]
    killed = dict.fromkeys(victims, 0)
    try:
        for n in range(rounds):
            wait_for_more(journals)
            time.sleep(chance.random() * 0.1)
            victim = victims[n] if n < len(victims) else chance.choice(victims)
            if victim == "postgresql":
                postgres.kill()
                postgres.start()
            else:
                assert servers[victim].end(signal.SIGKILL) == -signal.SIGKILL
                servers[victim] = ServerProcess(url, port=ports[victim])
            killed[victim] += 1
        wait_for_more(journals)
        assert [client.poll() for client in clients] == [None] * CLIENTS
    finally:
        for client in clients:
            client.kill()
            client.wait()
        for server in servers:
            server.end(signal.SIGKILL)
    return killed, written(journals)


def wait_for_more(journals):
    before = len(written(journals))
    wait_until(lambda: len(written(journals)) > before + 20)


def check(url, acknowledged):
    with arena.Service.open(url) as service:
        rows = events(service)
        told = {row.duel: (row.verdict, row.seq) for row in rows if row.duel}
        assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
        assert len(told) == len(rows) - 1
        for duel, word, seq in acknowledged:
            assert told[duel] == (word, int(seq))
        # A client writes down what it was told last, or was killed before it could.
        assert len(rows) - 1 - len(acknowledged) <= CLIENTS
        (found,) = arena.verify(service.store)
        assert found.votes == sum(row.kind == "vote" for row in rows)
        assert state(service) == state_from_nothing(service)


def play(request, url, made, tmp_path, rounds):
    postgres = request.getfixturevalue("postgres") if url.startswith("postgresql") else None
    killed, acknowledged = kill_and_count(url, made.embed_key, tmp_path, rounds, postgres)
    assert sum(killed.values()) == rounds
    assert min(killed.values()) > 0
    check(url, acknowledged)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_and_nothing_counts_twice(request, url, made, tmp_path):
    assert play(request, url, made, tmp_path, rounds=often(20, 100)) is None
