"""What a server does with the connections to it, as the system sees them."""

from __future__ import annotations

import ctypes
import logging
import os
import re
import socket
import sys
from pathlib import Path

import pytest

from driftduel.arena import service as arena
from driftduel.arena.web import connections
from driftduel.arena.web.metrics import Sparing
from tests.arena.serving import COMMAND, ServerProcess, Site, served
from tests.processes import wait_until

pytestmark = [
    pytest.mark.once,
    pytest.mark.usefixtures("quick_to_start"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

_PIDFD_GETFD = 438


def _end_of_server(client: socket.socket, process: int) -> socket.socket:
    """Return the other end of a connection, which a process or a child of it has accepted."""
    port, server_port = client.getsockname()[1], client.getpeername()[1]
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inode = next(
        row[9]
        for row in rows
        if row[1].endswith(f":{server_port:04X}") and row[2].endswith(f":{port:04X}")
    )
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for number in (process, *map(int, children)):
        for file in Path(f"/proc/{number}/fd").iterdir():
            if os.readlink(file) == f"socket:[{inode}]":
                handle = os.pidfd_open(number)
                copied = ctypes.CDLL(None, use_errno=True).syscall(
                    _PIDFD_GETFD, handle, int(file.name), 0
                )
                os.close(handle)
                if copied < 0:
                    pytest.skip("the system does not let a process look into its child")
                return socket.socket(fileno=copied)
    raise AssertionError("no process has the other end")


@pytest.mark.parametrize("options", [[], ["--workers", "2"]], ids=["alone", "workers"])
def test_an_answer_does_not_wait_until_the_one_before_is_confirmed(tmp_path, options):
    server = ServerProcess(f"sqlite:{tmp_path}/arena.db", *options)
    host, port = re.fullmatch("http://(.*):(.*)", server.address).groups()
    with socket.create_connection((host, int(port))) as client:
        client.sendall(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        with _end_of_server(client, server.process.pid) as other:
            assert other.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert server.end() == 0


HALF = b"PUT /api/v1/duels/x/verdict HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture
def site(tmp_path):
    with arena.Service.open(f"sqlite:{tmp_path}/arena.db") as service:
        made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
        with served(service) as address:
            site = Site(address, made)
            yield site
            site.close()


def opened(site, sent):
    host, port = re.fullmatch("http://(.*):(.*)", site.address).groups()
    client = socket.create_connection((host, int(port)), timeout=60)
    client.sendall(sent)
    return client


def end_of(client):
    """Wait until a connection is closed; return what came before."""
    with client:
        try:
            return b"".join(iter(lambda: client.recv(65_536), b""))
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"P",
        HALF,
        HALF + b"X-Voter: a\r\nContent-Length: 100\r\n\r\n{",
        HALF + b"A: " + b"b" * 70_000,
    ],
    ids=["nothing", "a letter", "half of the headers", "a part of the body", "endless headers"],
)
def test_a_request_that_is_half_sent_is_not_waited_for(site, monkeypatch, sent):
    monkeypatch.setattr(connections, "LOOK", 0.02)
    assert end_of(opened(site, sent)) == b""
    assert site.ask().status_code == 201


def test_a_connection_that_asks_again_is_kept(site, monkeypatch):
    missed = []
    look = connections.PatientProtocol._look

    def watched(self):
        look(self)
        missed.append(self._missed)

    monkeypatch.setattr(connections.PatientProtocol, "_look", watched)
    monkeypatch.setattr(connections, "LOOK", 0.02)
    monkeypatch.setattr(connections, "PATIENCE", 10**6)
    with opened(site, b"") as client:
        for _ in range(3):
            wait_until(lambda: missed[-1:] > [2])
            before = len(missed)
            client.sendall(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(1_000).startswith(b"HTTP/1.1 200")
            wait_until(lambda: 0 in missed[before:])  # noqa: B023  as good as new


def test_of_too_many_connections_those_that_sent_no_request_are_cut_off(site, monkeypatch):
    monkeypatch.setattr(connections, "most_connections", lambda: 40)
    with site.plain.stream("GET", "/metrics") as kept:
        flood = [opened(site, HALF) for _ in range(200)]
        asked = site.ask().json()
        assert site.tell(asked["duel"], "left").status_code == 201
        assert b"arena" in kept.read()
    for one in flood[:100]:
        assert end_of(one) == b""
    for one in flood[100:]:
        one.close()


def test_more_connections_than_there_may_be_files_end_no_server(tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)); "
    command = [*COMMAND[:2], limit + COMMAND[2]]
    server = ServerProcess(f"sqlite:{tmp_path}/arena.db", command=command)
    flood = [opened(server, HALF) for _ in range(600)]
    with opened(
        server, b"GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    ) as one:
        assert end_of(one).startswith(b"HTTP/1.1 200")
    assert server.end() == 0
    assert len(server.logged) < 40
    for client in flood:
        client.close()


def test_lines_of_a_kind_are_written_now_and_then():
    sparing = Sparing(most=3, seconds=10.0)

    def passes(at, words="too many", level=logging.WARNING):
        record = logging.LogRecord("asyncio", level, "", 0, words, (), None)
        record.created = at
        return sparing.filter(record) and getattr(record, "facts", {}).get("kept_back", 0)

    said = [passes(n / 10) for n in range(8)]
    assert said == [0, 0, 0, False, False, False, False, False]
    assert [passes(1.0, level=logging.INFO) for _ in range(9)] == [0] * 9
    assert passes(1.0, "another kind") == 0
    assert passes(11.0) == 5
    assert passes(11.1) == 0
    for n in range(2_000):
        passes(12.0, f"kind {n}")
    assert len(sparing._kinds) < 1_100
