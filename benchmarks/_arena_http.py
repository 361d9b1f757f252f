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
from driftduel.arena.web.security import Guard
from driftduel.arena.web.serving import SETTINGS

CONNECTIONS = 64
_COMMAND = "import sys; from driftduel.cli import main; sys.exit(main())"


def over_http(service: Service, seconds: float, turns: int = 3) -> None:
    """Print what votes cost beside a POST that does nothing, and how many share a commit."""
    made = arena.create_arena(service, "http", "?", ["tea", "coffee", "milk", "cocoa"])
    app = create_app(Guard(service))

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
        _server(url) as one,
        _server(url) as other,
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


async def _load(
    ports: list[int], key: str, connections: int, seconds: float, what: str
) -> list[float]:
    taken: list[float] = []
    until = time.perf_counter() + seconds

    async def client(number: int) -> None:
        port = ports[number % len(ports)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        async def send(method: str, path: str, body: bytes = b"") -> Any:
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
                f"Authorization: Bearer {key}\r\nX-Voter: voter {number}\r\n"
                "Content-Type: application/json\r\n\r\n"
            )
            writer.write(head.encode() + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(answer.partition("content-length: ")[2].partition("\r\n")[0])
            content = await reader.readexactly(length)
            if not answer.startswith("http/1.1 20"):
                raise RuntimeError(content.decode())
            return json.loads(content)

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
        writer.close()

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
def _server(url: str) -> Iterator[int]:
    """Serve a database by the command; yield the port."""
    words = ["arena", "serve", url, "--port", "0"]
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    yield int(process.stdout.readline().split()[1].split(":")[2].partition("/")[0])
    process.terminate()
    process.wait()
