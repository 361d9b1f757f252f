"""Votes over HTTP beside a POST that does nothing: one server, 64 connections, by turns.

Printed are votes a second over POSTs a second of an empty endpoint, and votes a commit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median
from typing import Any

Round = Callable[["Connection"], Awaitable[None]]


class Connection:
    """A connection that stays; as little of HTTP as is needed, so that the server is measured."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, method: str, path: str, head: str = "", body: bytes = b"") -> Any:
        """Send a request; return what is answered."""
        lines = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{head}\r\n"
        self.writer.write(lines.encode() + body)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.partition("content-length: ")[2].partition("\r\n")[0])
        content = await self.reader.readexactly(length)
        assert answer.startswith("http/1.1 20"), answer + content.decode()
        return json.loads(content)


async def _load(port: int, key: str, connections: int, seconds: float, what: str) -> list[float]:
    """Return the seconds that requests took: votes, of which each asks the next, or nothing."""
    taken: list[float] = []
    until = time.perf_counter() + seconds

    async def client(number: int) -> None:
        connection = Connection(*await asyncio.open_connection("127.0.0.1", port))
        head = (
            f"Authorization: Bearer {key}\r\nX-Voter: voter {number}\r\n"
            "Content-Type: application/json\r\n"
        )
        body = b'{"verdict": "left", "next": true}'
        duel = None
        if what == "vote":
            duel = await connection.send("POST", "/api/v1/arenas/drinks/duels", head)
        while (began := time.perf_counter()) < until:
            if duel is None:
                await connection.send("POST", "/empty", head, body)
            else:
                path = f"/api/v1/duels/{duel['duel']}/verdict"
                duel = (await connection.send("PUT", path, head, body))["next"]
            taken.append(time.perf_counter() - began)
        connection.writer.close()

    await asyncio.gather(*(client(number) for number in range(connections)))
    return taken


def load(port: int, key: str, connections: int, seconds: float, what: str) -> list[float]:
    return asyncio.run(_load(port, key, connections, seconds, what))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", help="an empty one; a file of SQLite if left out")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each turn")
    parser.add_argument("--turns", type=int, default=3)
    options, _ = parser.parse_known_args()
    import uvicorn

    from driftduel.arena import service as arena
    from driftduel.arena.web.app import create_app, keep_what_is_there
    from driftduel.arena.web.security import Guard
    from driftduel.arena.web.serving import SETTINGS

    with tempfile.TemporaryDirectory() as folder:
        url = options.database or f"sqlite:{folder}/arena.db"
        with arena.Service.open(url) as service:
            made = arena.create_arena(service, "drinks", "Which?", ["tea", "coffee", "milk"])
            app = create_app(Guard(service))

            @app.post("/empty")
            async def empty() -> dict[str, bool]:
                return {"done": True}

            server = uvicorn.Server(uvicorn.Config(app, port=0, **SETTINGS))
            thread = threading.Thread(target=server.run)
            thread.start()
            while not server.started:
                time.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            keep_what_is_there()
            ratios, batches, votes = [], [], []
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:

                def turn(what: str, connections: int) -> list[float]:
                    arguments = (port, made.embed_key, connections, options.seconds, what)
                    return pool.submit(load, *arguments).result()

                turn("vote", 2)
                for _ in range(options.turns):
                    nothing = len(turn("empty", options.connections))
                    before = service.writer.commits, service.writer.requests
                    told = len(turn("vote", options.connections))
                    commits = service.writer.commits - before[0]
                    ratios.append(told / nothing)
                    batches.append((service.writer.requests - before[1]) / commits)
                    votes.append(told / options.seconds)
                alone = median(turn("vote", 1))
            server.should_exit = True
            thread.join()
    print(f"votes a second over POSTs of nothing  {median(ratios):6.2f}")
    print(f"votes a commit                        {median(batches):6.1f}")
    print(f"votes a second                        {median(votes):6.0f}")
    print(f"p50 of a lone vote, ms                {alone * 1e3:6.1f}")


if __name__ == "__main__":
    main()
