"""Votes over HTTP, of the command as a user starts it, beside the least that a server can do.

Three processes: ``driftduel arena serve``, an application of FastAPI whose one route takes a POST
and does nothing, served by uvicorn as it comes, and clients that speak as little HTTP as they can.
Who is not measured waits. A vote asks for the next duel, so it is one request.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import uvloop

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

        def turn(port: int, what: str, connections: int = CONNECTIONS) -> list[float]:
            return pool.submit(load, [port], key, connections, seconds, what).result()

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
        alone = 1e3 * median(turn(port, "vote", 1))
        nothing = 1e3 * median(turn(empty, "empty", 1))
    ratios = [one / other for one, other in zip(votes, posts, strict=True)]
    print(
        f"{CONNECTIONS} connections: {median(votes) / seconds:,.0f} votes a second, "
        f"{median(posts) / seconds:,.0f} POSTs that do nothing, {median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f}; {median(spent):.2f} by processor time); "
        f"{median(batches):.1f} votes a commit"
    )
    print(f"a lone vote over HTTP: p50 {alone:.2f} ms; a POST that does nothing: {nothing:.2f} ms")


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
            pool.submit(load, [port], key, CONNECTIONS, 1.0, "vote").result()
        for _ in range(turns):
            counts = [
                len(pool.submit(load, [port], key, CONNECTIONS, seconds, "vote").result())
                for port in (one, two)
            ]
            ratios.append(counts[1] / counts[0])
    print(
        f"two workers take in {median(ratios):.2f} times the votes of one "
        f"({min(ratios):.2f} to {max(ratios):.2f})"
    )


def load(ports: list[int], key: str, connections: int, seconds: float, what: str) -> list[float]:
    """Return the seconds that requests took: votes, of which each asks the next, or nothing."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_load(ports, key, connections, seconds, what))


class Connection(asyncio.Protocol):
    """A connection to a server that is kept, for the requests of one voter after the other."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._seen = b""
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    @classmethod
    async def open(cls, port: int, key: str) -> Connection:
        """Return a connection to a port of this machine."""
        loop = asyncio.get_running_loop()
        made = await loop.create_connection(lambda: cls(key), "127.0.0.1", port)
        return made[1]

    def connection_made(self, transport: Any) -> None:
        """Keep what to write to."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Hand an answer over when all of it is there."""
        self._seen += data
        head, end, body = self._seen.partition(b"\r\n\r\n")
        if not end or self._answer is None:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) >= length:
            self._seen = b""
            self._answer.set_result((int(head[9:12]), body))

    def connection_lost(self, error: Exception | None) -> None:
        """Tell who waits."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionError("the server hung up"))

    async def send(
        self, method: str, path: str, voter: str, body: bytes = b""
    ) -> tuple[int, dict[str, Any]]:
        """Return the status and the content of the answer."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
            f"Authorization: Bearer {self._key}\r\nX-Voter: {voter}\r\n"
            "Content-Type: application/json\r\n\r\n"
        )
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(head.encode() + body)
        status, content = await self._answer
        return status, json.loads(content)

    def close(self) -> None:
        """Close it."""
        self._transport.close()


async def _load(
    ports: list[int], key: str, connections: int, seconds: float, what: str
) -> list[float]:
    taken: list[float] = []
    until = time.perf_counter() + seconds

    async def client(number: int) -> None:
        connection = await Connection.open(ports[number % len(ports)], key)

        async def send(method: str, path: str, body: bytes = b"") -> dict[str, Any]:
            status, content = await connection.send(method, path, f"voter {number}", body)
            if status not in (200, 201):
                raise RuntimeError(str(content))
            return content

        duel = None
        if what == "vote":
            slug = (await send("GET", "/api/v1/key"))["arena"]
            duel = await send("POST", f"/api/v1/arenas/{slug}/duels")
        while (began := time.perf_counter()) < until:
            if duel is None:
                await send("POST", "/empty", b'{"verdict": "left", "next": true}')
            else:
                path = f"/api/v1/duels/{duel['duel']}/verdict"
                duel = (await send("PUT", path, b'{"verdict": "left", "next": true}'))["next"]
            taken.append(time.perf_counter() - began)
        connection.close()

    await asyncio.gather(*(client(number) for number in range(connections)))
    return taken


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
