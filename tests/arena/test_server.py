"""Servers as people run them: processes that are killed, that share a database, that lose it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import threading
import time

import httpx
import pytest

from driftduel.arena import Client, errors
from driftduel.arena import service as arena
from driftduel.arena.store import sqlite
from driftduel.cli import main
from tests.arena.postgres import INSTALLED
from tests.arena.serving import COMMAND, ServerProcess, Site, served
from tests.arena.voting import events
from tests.processes import wait_until

pytestmark = pytest.mark.usefixtures("quick_to_start")


def test_a_link_that_was_just_printed_is_answered(tmp_path):
    words = ["arena", "serve", f"sqlite:{tmp_path}/arena.db", "--port", "0"]
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        link = process.stdout.readline().split()[1]
        try:
            assert httpx.get(link, timeout=60).status_code == 200
        finally:
            process.terminate()


class Voting:
    """Clients that vote until they are told to end, and write down every answer."""

    def __init__(self, addresses, key, n=8):
        self.answers = []
        self.going = True
        self.threads = [
            threading.Thread(target=self._vote, args=(addresses[k % len(addresses)], key, k))
            for k in range(n)
        ]
        for thread in self.threads:
            thread.start()

    def _vote(self, address, key, number):
        client = Client(address, key, patience=60)
        words = ["left", "right", "tie", "bad", "skip"]
        while self.going:
            duel = client.ask(f"voter {number}")
            word = words[len(self.answers) % len(words)]
            told = client.tell(duel, word)
            self.answers.append((duel.id, word, told.seq))

    def wait_for_more(self, n):
        before = len(self.answers)
        wait_until(lambda: len(self.answers) > before + n)

    def end(self):
        self.going = False
        for thread in self.threads:
            thread.join()
        return self.answers


def check_log(url, answers):
    with arena.Service.open(url) as service:
        rows = events(service)
        told = {row.duel: (row.verdict, row.seq) for row in rows if row.duel}
        assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
        assert len(told) == len(rows) - 1
        for duel, word, seq in answers:
            assert told[duel] == (word, seq)
        (found,) = arena.verify(service.store)
        assert found.votes == sum(row.kind == "vote" for row in rows)


@pytest.mark.slow
def test_two_servers_on_one_database_see_each_other(url, made):
    servers = [ServerProcess(url) for _ in range(2)]
    sites = [Site(server.address, made) for server in servers]
    duel = sites[0].ask().json()["duel"]
    assert sites[1].tell(duel, "left").status_code == 201
    assert sites[0].tell(duel, "left").status_code == 200
    assert sites[0].status() == sites[1].status()
    assert sites[0].status()["votes"] == 1
    voting = Voting([server.address for server in servers], made.embed_key)
    voting.wait_for_more(20)
    answers = voting.end()
    assert sites[0].status()["head"] == sites[1].status()["head"] == len(answers) + 2
    for site in sites:
        site.close()
    assert [server.end() for server in servers] == [0, 0]
    check_log(url, answers)


def workers_of(server):
    """Return the processes that a server ever had."""
    lines = [json.loads(line) for line in server.logged]
    begun = [line["event"] for line in lines if "Started server process" in line["event"]]
    return [int(event.partition("[")[2].rstrip("]")) for event in begun]


def test_a_server_at_all_addresses_of_ipv6_takes_ipv4_for_what_it_is(tmp_path):
    """Whoever comes by IPv4 is known by that address: this machine is not limited as a stranger."""
    url = f"sqlite:{tmp_path}/arena.db"
    with arena.Service.open(url) as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
    server = ServerProcess(url, "--host", "::", "--rate", "1")
    port = server.address.rpartition(":")[2]
    answers = []
    for host in ("127.0.0.1", "[::1]"):
        site = Site(f"http://{host}:{port}", made)
        answers += [site.ask().status_code for _ in range(8)]
        new = {"slug": "films", "question": "Which?"}
        answers.append(site.api.post("/arenas", json=new).status_code)  # others reach it, too
        site.close()
    assert server.end() == 0
    assert answers == 2 * ([201] * 8 + [401])


def test_a_server_that_is_killed_leaves_no_process_behind(tmp_path):
    server = ServerProcess(f"sqlite:{tmp_path}/arena.db", "--workers", "2")
    wait_until(lambda: len(workers_of(server)) == 2)
    server.process.kill()
    server.reader.join(30)  # until nobody can write to its log any more
    alive = server.reader.is_alive()
    if alive:
        for worker in workers_of(server):
            os.kill(worker, signal.SIGKILL)
    assert server.end(0) == -signal.SIGKILL
    assert not alive


@pytest.mark.slow
def test_a_process_of_a_server_that_dies_is_replaced(tmp_path):
    url = f"sqlite:{tmp_path}/arena.db"
    with arena.Service.open(url) as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
    server = ServerProcess(url, "--workers", "2")
    wait_until(lambda: len(workers_of(server)) == 2)
    voting = Voting([server.address], made.embed_key, n=4)
    voting.wait_for_more(10)
    os.kill(workers_of(server)[0], signal.SIGKILL)
    wait_until(lambda: len(workers_of(server)) == 3)
    voting.wait_for_more(10)
    answers = voting.end()
    assert server.end(signal.SIGINT) == 0
    check_log(url, answers)


def test_logs_are_lines_of_json_without_addresses_voters_or_duels(tmp_path):
    server = ServerProcess(f"sqlite:{tmp_path}/arena.db")
    key = next(line for line in _said(server) if line.startswith("embed key")).split()[-1]
    duel = Client(server.address, key).ask("a-voter-by-name")
    Client(server.address, key).tell(duel, "left")
    assert server.end() == 0
    lines = [json.loads(line) for line in server.logged]
    routes = [line["route"] for line in lines if line["event"] == "requests"]
    assert any(route.endswith("/duels/{duel}/verdict") for route in routes)
    text = "".join(server.logged)
    for secret in ("127.0.0.1", "a-voter-by-name", duel.id, key):
        assert secret not in text


def _said(server, lines=5):
    """What a server of a new database prints after the voters' link."""
    return [server.process.stdout.readline() for _ in range(lines)]


def test_a_locked_database_is_503_and_service_resumes(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "PATIENCE", 0.1)
    file = tmp_path / "arena.db"
    with arena.Service.open(f"sqlite:{file}") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with served(service) as address:
            site = Site(address, made)
            duel = site.ask().json()["duel"]
            other = sqlite3.connect(file, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            refused = [site.ask(), site.tell(duel, "left")]
            other.execute("ROLLBACK")
            other.close()
            for answer in refused:
                assert answer.status_code == 503
                assert answer.headers["retry-after"] == "1"
                assert "database" in answer.json()["detail"]
            assert site.status()["votes"] == 0
            assert site.tell(duel, "left").status_code == 201
            assert site.status()["votes"] == 1
            site.close()


def test_a_disk_without_room_is_503_and_service_resumes(tmp_path):
    url = f"sqlite:{tmp_path}/arena.db"
    with arena.Service.open(url) as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
    server = ServerProcess(url)
    site = Site(server.address, made)
    duel = site.ask().json()["duel"]
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, before[1]))
    refused = [site.ask(), site.tell(duel, "left"), site.tell(duel, "left")]
    ready = site.plain.get("/health/ready").status_code
    alive = site.plain.get("/health/live").status_code
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
    assert [answer.status_code for answer in refused] == [503] * 3
    assert (ready, alive) == (503, 200)
    assert site.status()["votes"] == 0
    assert site.tell(duel, "left").status_code == 201
    assert site.status()["votes"] == 1
    site.close()
    assert server.end() == 0
    check_log(url, [])


@pytest.mark.skipif(not INSTALLED, reason="PostgreSQL is not installed")
def test_a_dead_postgresql_is_503_and_service_resumes_without_a_restart(postgres):
    url = postgres.emptied()
    with arena.Service.open(url) as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with served(service) as address:
            site = Site(address, made)
            duel = site.ask().json()["duel"]
            postgres.stop()
            try:
                refused = [site.ask(), site.tell(duel, "left"), site.plain.get("/health/ready")]
                alive = site.plain.get("/health/live").status_code
            finally:
                postgres.start()
            assert [answer.status_code for answer in refused] == [503] * 3
            assert alive == 200
            until = time.monotonic() + 30
            while site.plain.get("/health/ready").status_code != 200:
                assert time.monotonic() < until
            assert site.status()["votes"] == 0
            assert site.tell(duel, "left").status_code == 201
            assert site.status()["votes"] == 1
            site.close()


def test_a_client_that_goes_away_in_the_middle_leaves_nothing_behind(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with served(service) as address:
            site = Site(address, made)
            duel = site.ask().json()["duel"]
            host, port = address.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port))) as half:
                lines = (
                    f"PUT /api/v1/duels/{duel}/verdict HTTP/1.1\r\nHost: x\r\n"
                    f"Authorization: Bearer {made.embed_key}\r\nX-Voter: ann\r\n"
                    'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"verdict"'
                )
                half.sendall(lines.encode())
            assert site.status()["votes"] == 0
            assert site.tell(duel, "left").status_code == 201
            site.close()


def refused(*words):
    command = [*COMMAND, "arena", "serve", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_server_for_others_needs_an_owner(tmp_path):
    sentence = refused(f"sqlite:{tmp_path}/arena.db", "--host", "0.0.0.0", "--port", "0")
    assert "no arena has an owner yet" in sentence


def test_a_port_that_is_taken_is_one_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sentence = refused(f"sqlite:{tmp_path}/arena.db", "--port", str(port))
    assert f"127.0.0.1, port {port}: address already in use" in sentence


def test_a_new_user_gets_an_arena_two_links_and_a_counted_vote(tmp_path):
    server = ServerProcess(folder=tmp_path)
    assert server.address.startswith("http://127.0.0.1:")
    owner, *_, embed, token = (line.split() for line in _said(server))
    assert owner == ["owner", f"{server.address}/drinks/owner#{token[-1]}"]
    client = Client(server.address, embed[-1])
    assert client.tell(client.ask("me"), "left").counted
    assert Client(server.address, token[-1]).status()["votes"] == 1
    with pytest.raises(errors.Forbidden):
        client.status()
    assert httpx.get(f"{server.address}/drinks").status_code == 200
    assert server.end() == 0
    check_log(f"sqlite:{tmp_path}/arena.db", [])
    again = ServerProcess(folder=tmp_path)
    assert "arena token drinks --role owner" in _said(again, 2)[1]
    assert again.end() == 0


def test_the_file_of_a_prompt_is_served_later(tmp_path, capsys):
    file = str(tmp_path / "lunch.db")
    assert main(["new", file, "--arms", "soup,salad,pie"]) == 0
    capsys.readouterr()
    assert main(["ask", file]) == 0
    duel = capsys.readouterr().out.split("\t")[0]
    assert main(["tell", file, duel, "left"]) == 0
    token = ["arena", "token", "lunch", "--role", "owner", "--database", file]
    capsys.readouterr()
    assert main(token) == 0
    owner = capsys.readouterr().out.strip()
    server = ServerProcess(file)
    client = Client(server.address, owner)
    client.tell(client.ask("me"), "right")
    assert client.status()["votes"] == 2
    assert server.end() == 0
    assert main(["undo", file, duel]) == 0
    capsys.readouterr()
    assert main(["status", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["votes"] == 1
