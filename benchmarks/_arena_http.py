"""Votes over HTTP, of the command as a user starts it, beside the least that a server can do.

Three processes: ``driftduel arena serve``, an application of FastAPI whose one route takes a POST
and does nothing, served by uvicorn as it comes, and clients that speak as little HTTP as they can.
Who is not measured waits. A vote asks for the next duel, so it is one request.
"""

from __future__ import annotations

import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from driftduel.arena import service as arena
from driftduel.arena.service import Service

CONNECTIONS = 64
_COMMAND = "import sys; from driftduel.cli import main; sys.exit(main())"
_EMPTY = "from benchmarks._arena_http import serve_nothing; serve_nothing()"


def over_http(url: str, seconds: float, turns: int = 3) -> None:
    """Print what votes cost beside a POST that does nothing, and how many share a commit."""
    with Service.open(url) as service:
        cards = ["tea", "coffee", "milk", "cocoa"]
        key = arena.create_arena(service, "http", "?", cards).embed_key
    votes, posts, batches, spent = [], [], [], []
    with (
        server(url) as (port, process),
        _nothing() as (empty, other),
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
    ):

        def turn(
            port: int, what: str, connections: int = CONNECTIONS, seconds: float = seconds
        ) -> list[float]:
            return pool.submit(load, port, key, connections, seconds, what).result()

        turn(port, "vote", 2)
        turn(empty, "empty", 2)
        for _ in range(turns):
            began = _cpu(other)
            posts.append(len(turn(empty, "empty")))
            cost = (_cpu(other) - began) / posts[-1]
            before, began = _commits(port), _cpu(process)
            votes.append(len(turn(port, "vote")))
            spent.append(cost / ((_cpu(process) - began) / votes[-1]))
            commits, writes = (now - then for now, then in zip(_commits(port), before, strict=True))
            batches.append(writes / commits)
        alone, nothing, synced = [], [], []
        for _ in range(2 * turns):
            alone += turn(port, "vote", 1, 0.5)
            nothing += turn(empty, "empty", 1, 0.2)
            synced += _syncing(0.5)
    ratios = [one / other for one, other in zip(votes, posts, strict=True)]
    print(
        f"{CONNECTIONS} connections: {median(votes) / seconds:,.0f} votes a second, "
        f"{median(posts) / seconds:,.0f} POSTs that do nothing, {median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f}; {median(spent):.2f} by processor time); "
        f"{median(batches):.1f} votes a commit"
    )
    disk = 1e3 * median(synced)
    print(
        f"a lone vote over HTTP: p50 {1e3 * median(alone):.2f} ms; fdatasync by turns with it "
        f"{disk:.2f} ms, so the bar is {2 * disk + 2:.2f} ms; a POST that does nothing: "
        f"{1e3 * median(nothing):.2f} ms"
    )


def _syncing(seconds: float) -> list[float]:
    """Return the seconds that it took to write a page to the disk, again and again."""
    taken = []
    until = time.perf_counter() + seconds
    with tempfile.TemporaryFile(buffering=0) as file:
        while (began := time.perf_counter()) < until:
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return taken


def several_processes(url: str, seconds: float, turns: int = 3) -> None:
    """Print how many votes a server with two workers takes in, over one with one."""
    with Service.open(url) as service:
        key = arena.create_arena(service, "several", "?", ["tea", "coffee", "milk"]).embed_key
    with (
        server(url) as (one, _),
        server(url, "--workers", "2") as (two, _),
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
    ):
        ratios = []
        for port in (one, two):
            pool.submit(load, port, key, CONNECTIONS, 1.0, "vote").result()
        for _ in range(turns):
            counts = [
                len(pool.submit(load, port, key, CONNECTIONS, seconds, "vote").result())
                for port in (one, two)
            ]
            ratios.append(counts[1] / counts[0])
    print(
        f"two workers take in {median(ratios):.2f} times the votes of one "
        f"({min(ratios):.2f} to {max(ratios):.2f})"
    )


def load(port: int, key: str, connections: int, seconds: float, what: str) -> list[float]:
    """Return the seconds that requests took: votes, of which each asks the next, or nothing.

    Server and clients share the cores of the machine, so a client is a socket and few lines.
    """
    clients = [Client(port, key, number, what) for number in range(connections)]
    by_file = {client.socket.fileno(): client for client in clients}
    taken: list[float] = []
    with select.epoll() as watched:
        for number in by_file:
            watched.register(number, select.EPOLLIN)
        until = time.perf_counter() + seconds
        for client in clients:
            client.send()
        while (now := time.perf_counter()) < until:
            for number, _ in watched.poll(0.1):
                client = by_file[number]
                if client.has_answer():
                    taken.append(time.perf_counter() - client.sent)
                    client.send()
    if now > until + 1:
        raise RuntimeError("the clients did not keep up")
    for client in clients:
        client.socket.close()
    return taken


class Client:
    """A connection to a server that is kept, for one request of a voter after the other."""

    def __init__(self, port: int, key: str, number: int, what: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent = 0.0
        body = b'{"verdict": "left", "next": true}'
        self._head = (
            f" HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
            f"X-Voter: voter {number}\r\nContent-Type: application/json\r\nContent-Length: "
        ).encode()
        self._tail = self._head + b"%d\r\n\r\n%b" % (len(body), body)
        self._line = b"POST /empty"
        self._seen = b""
        self._votes = what == "vote"
        if self._votes:
            slug = json.loads(self._asked(b"GET /api/v1/key"))["arena"]
            self._take(self._asked(b"POST /api/v1/arenas/%b/duels" % slug.encode()))

    def send(self) -> None:
        """Send the next request."""
        self.sent = time.perf_counter()
        self.socket.send(self._line + self._tail)

    def has_answer(self) -> bool:
        """Read what came; tell whether that was the last of the answer."""
        self._seen += self.socket.recv(65_536)
        head, end, body = self._seen.partition(b"\r\n\r\n")
        if not end or len(body) < int(_LENGTH.search(head)[1]):  # type: ignore[index]
            return False
        if head[9:12] not in (b"200", b"201"):
            raise RuntimeError(self._seen.decode())
        self._seen = b""
        if self._votes:
            self._take(body)
        return True

    def _take(self, body: bytes) -> None:
        """Take the number of the next pair from an answer."""
        duel = body.rpartition(b'"duel":"')[2][:22]
        self._line = b"PUT /api/v1/duels/%b/verdict" % duel

    def _asked(self, line: bytes) -> bytes:
        self.socket.sendall(line + self._head + b"0\r\n\r\n")
        while b"\r\n\r\n" not in self._seen:
            self._seen += self.socket.recv(65_536)
        head, _, body = self._seen.partition(b"\r\n\r\n")
        length = int(_LENGTH.search(head)[1])  # type: ignore[index]
        while len(body) < length:
            body += self.socket.recv(65_536)
        if head[9:12] not in (b"200", b"201"):
            raise RuntimeError((head + body).decode())
        self._seen = b""
        return body


_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.I)


def serve_nothing() -> None:
    """Serve, at a free port that is printed, an application whose POST does nothing."""
    import uvicorn
    from fastapi import FastAPI

    app = FastAPI()

    @app.post("/empty")
    async def empty() -> dict[str, bool]:
        return {"done": True}

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, access_log=False)).run(sockets=[listening])


@contextmanager
def _nothing() -> Iterator[tuple[int, int]]:
    """Let a process serve nothing; yield its port and its number."""
    with subprocess.Popen(
        [sys.executable, "-c", _EMPTY],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        try:
            yield port, process.pid
        finally:
            process.terminate()


def _cpu(process: int) -> float:
    """Return the seconds of processor time that a process has taken."""
    columns = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")


def _commits(port: int) -> tuple[float, float]:
    """Return how many transactions a server wrote, and how many requests they did."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    found = [re.search(rf"^arena_{name}_total (.*)$", text, re.M) for name in ("commits", "writes")]
    return tuple(float(one[1]) if one else 0.0 for one in found)  # type: ignore[return-value]


@contextmanager
def server(url: str, *options: str) -> Iterator[tuple[int, int]]:
    """Serve a database by the command; yield the port, and the number of the process."""
    words = ["arena", "serve", url, "--port", "0", *options]
    with subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield int(line.split()[1].split(":")[2].partition("/")[0]), process.pid
        finally:
            process.terminate()
