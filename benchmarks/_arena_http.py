"""Votes over HTTP beside a POST that does nothing: one server, 64 connections, by turns.

The clients are a process of their own and speak as little HTTP as they can, so that the server is
measured. A vote asks for the next duel, so it is one request.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from statistics import median
from typing import Any

import uvicorn

from driftduel.arena import service as arena
from driftduel.arena.service import Service
from driftduel.arena.web.app import create_app, keep_what_is_there
from driftduel.arena.web.security import Access
from driftduel.arena.web.serving import SETTINGS

CONNECTIONS = 64
_COMMAND = "import sys; from driftduel.cli import main; sys.exit(main())"


def over_http(service: Service, seconds: float, turns: int = 3) -> None:
    """Print what votes cost beside a POST that does nothing, and how many share a commit."""
    made = arena.create_arena(service, "http", "?", ["tea", "coffee", "milk", "cocoa"])
    app = create_app(Access(service))

    @app.post("/empty")
    async def empty() -> dict[str, bool]:
        return {"done": True}

    ratios, batches, spent = [], [], []
    with _serving(app) as port, ProcessPoolExecutor(1, get_context("spawn")) as pool:

        def turn(what: str, connections: int = CONNECTIONS) -> list[float]:
            arguments = ([port], made.embed_key, connections, seconds, what)
            return pool.submit(load, *arguments).result()

        turn("vote", 2)
        keep_what_is_there()
        for _ in range(turns):
            began = time.process_time()
            nothing = len(turn("empty"))
            between = time.process_time()
            commits, requests = service.writer.commits, service.writer.requests
            votes = len(turn("vote"))
            spent.append((between - began) / nothing / ((time.process_time() - between) / votes))
            ratios.append(votes / nothing)
            batch = service.writer.requests - requests
            batches.append(batch / (service.writer.commits - commits))
        alone = 1e3 * median(turn("vote", 1))
    print(
        f"{CONNECTIONS} connections: votes a second {median(ratios):.2f} of POSTs that do nothing "
        f"({median(spent):.2f} by processor time), {median(batches):.1f} votes a commit"
    )
    print(f"a lone vote over HTTP: p50 {alone:.2f} ms")


def several_processes(url: str, seconds: float, turns: int = 2) -> None:
    """Print how many votes two servers on a database take in, over one."""
    with Service.open(url) as service:
        key = arena.create_arena(service, "several", "?", ["tea", "coffee", "milk"]).embed_key
    with (
        server(url) as (one, _),
        server(url) as (other, _),
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
    ):
        ratios = []
        for _ in range(turns):
            counts = [
                len(pool.submit(load, ports, key, CONNECTIONS, seconds, "vote").result())
                for ports in ([one], [one, other])
            ]
            ratios.append(counts[1] / counts[0])
    print(f"two processes take in {median(ratios):.2f} times the votes of one")


def load(ports: list[int], key: str, connections: int, seconds: float, what: str) -> list[float]:
    """Return the seconds that requests took: votes, of which each asks the next, or nothing."""
    return asyncio.run(_load(ports, key, connections, seconds, what))


class Connection:
    """A connection to a server that is kept, for the requests of one voter after the other."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: str
    ) -> None:
        self._reader, self._writer, self._key = reader, writer, key

    @classmethod
    async def open(cls, port: int, key: str) -> Connection:
        """Return a connection to a port of this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port), key)

    async def send(
        self, method: str, path: str, voter: str, body: bytes = b""
    ) -> tuple[int, dict[str, Any]]:
        """Return the status and the content of the answer."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
            f"Authorization: Bearer {self._key}\r\nX-Voter: {voter}\r\n"
            "Content-Type: application/json\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.partition("content-length: ")[2].partition("\r\n")[0])
        content = await self._reader.readexactly(length)
        return int(answer[9:12]), json.loads(content)

    def close(self) -> None:
        """Close it."""
        self._writer.close()


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


@contextmanager
def _serving(app: Any) -> Iterator[int]:
    """Serve an application in a thread; yield its port."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, **SETTINGS))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


@contextmanager
def server(url: str) -> Iterator[tuple[int, int]]:
    """Serve a database by the command; yield the port, and the number of the process."""
    words = ["arena", "serve", url, "--port", "0"]
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
