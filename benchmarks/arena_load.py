"""The arena under load for two minutes: 1,000 voters over 32 connections, on both databases.

All on this machine, in folders that are removed after, bounded in time and in votes. A voter asks,
votes ten times, and leaves its last pair unanswered; then it is the turn of another voter of the
connection, until the time is over. Every fiftieth verdict is told twice, as after a lost answer. At
the end the log must hold each verdict that was acknowledged, once, and nothing else; ``verify``
must find all well; and the server must hold at most 1.2 times the memory that it held after a
quarter of the time. PostgreSQL is left out, which is said, where it is not installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks._arena_http import server
from driftduel.arena import service as arena
from driftduel.arena.service import Service
from tests.arena import postgres

CONNECTIONS, VOTERS = 32, 1_000
VOTES_OF_A_TURN = 10
TWICE = 50
MOST_VOTES = 500_000
GROWTH = 1.2


@dataclass
class Seen:
    """What the voters saw: acknowledged verdicts by their duels, and what went wrong."""

    told: dict[str, int] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    voters: set[int] = field(default_factory=set)
    twice: int = 0
    errors: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="of load on each database")
    options, _ = parser.parse_known_args()
    names = ("votes", "a second", "voters", "told twice", "p50 ms", "p99 ms")
    print("database    " + "".join(f"{name:>12}" for name in (*names, "MB at 1/4", "MB", "errors")))
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        wrong += soak("sqlite", f"sqlite:{folder}/arena.db", options.seconds)
    if postgres.INSTALLED:
        with _postgres() as url:
            wrong += soak("postgresql", url, options.seconds)
    else:
        print("postgresql  left out: it is not installed")
    print("\n".join(wrong) or "no vote lost or doubled, no error, and memory stays: all is well")
    if wrong:
        sys.exit(1)


def soak(name: str, url: str, seconds: float) -> list[str]:
    """Print what a server did under load; return what was wrong."""
    with Service.open(url) as service:
        key = arena.create_arena(service, "load", "?", ["tea", "coffee", "milk", "cocoa"]).embed_key
    with server(url) as (port, process), ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(load, port, key, 1.0, "warm").result()
        began = time.perf_counter()
        running = pool.submit(load, port, key, seconds, "voter")
        time.sleep(seconds / 4)
        early = _megabytes(process)
        seen = running.result()
        took = time.perf_counter() - began
        late = _megabytes(process)
    p50, p99 = 1e3 * np.quantile(seen.seconds, [0.5, 0.99])
    counts = (len(seen.told), len(seen.told) / took, len(seen.voters), seen.twice)
    print(
        f"{name:12}"
        + "".join(f"{count:12,.0f}" for count in counts)
        + f"{p50:12.1f}{p99:12.1f}{early:12.0f}{late:12.0f}{len(seen.errors):12}",
        flush=True,
    )
    wrong = [f"{name}: {error}" for error in seen.errors[:5]] + [
        f"{name}: {problem}" for problem in _compare(url, seen)
    ]
    if late > GROWTH * early:
        wrong.append(f"{name}: memory grew from {early:.0f} to {late:.0f} MB, over {GROWTH} times")
    return wrong


def _compare(url: str, seen: Seen) -> list[str]:
    """Return how the log differs from what was acknowledged."""
    with Service.open(url) as service:
        number = service.hosted("load").arena.id
        query = (
            "SELECT duel, seq FROM event "
            "WHERE arena = :number AND kind = 'vote' AND voter = ANY(:voters)"
        )
        with service.store.reading() as connection:
            rows = connection.execute(query, number=number, voters=_hashes(service))
        stored: dict[str, int] = dict(rows)
        problems = []
        if lost := seen.told.items() - stored.items():
            problems.append(f"{len(lost)} votes were acknowledged and are not in the log")
        if len(rows) != len(seen.told):
            problems.append(f"{len(rows)} votes are in the log, {len(seen.told)} were acknowledged")
        arena.verify(service.store)
    return problems


def _hashes(service: Service) -> list[str]:
    return [service.voter(f"voter {n}") for n in range(VOTERS)]


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


def load(port: int, key: str, seconds: float, name: str) -> Seen:
    """Vote for some seconds; return what was seen."""
    return asyncio.run(_load(port, key, seconds, name))


async def _load(port: int, key: str, seconds: float, name: str) -> Seen:
    seen = Seen()
    until = time.perf_counter() + seconds

    async def connect(number: int) -> None:
        connection = await Connection.open(port, key)
        while True:
            for voter in range(number, VOTERS, CONNECTIONS):
                if time.perf_counter() > until or len(seen.told) >= MOST_VOTES:
                    connection.close()
                    return
                try:
                    await _turn(connection, f"{name} {voter}", seen)
                except RuntimeError as error:
                    seen.errors.append(str(error))
                seen.voters.add(voter)

    await asyncio.gather(*(connect(number) for number in range(CONNECTIONS)))
    return seen


async def _turn(connection: Connection, voter: str, seen: Seen) -> None:
    """Let a voter ask, vote ten times, and go."""
    status, duel = await connection.send("POST", "/api/v1/arenas/load/duels", voter)
    _expect(status, 201, duel)
    for vote in range(VOTES_OF_A_TURN):
        path = f"/api/v1/duels/{duel['duel']}/verdict"
        body = b'{"verdict": "%s", "next": true}' % (b"left", b"right", b"tie")[vote % 3]
        began = time.perf_counter()
        status, told = await connection.send("PUT", path, voter, body)
        seen.seconds.append(time.perf_counter() - began)
        _expect(status, 201, told)
        seen.told[duel["duel"]] = told["seq"]
        if len(seen.told) % TWICE == 0:
            status, again = await connection.send("PUT", path, voter, body)
            _expect(status, 200, again)
            if again["seq"] != told["seq"]:
                raise RuntimeError(f"told twice, a verdict is {told['seq']} and {again['seq']}")
            seen.twice += 1
        duel = told["next"]


def _expect(status: int, wanted: int, content: dict[str, object]) -> None:
    if status != wanted:
        raise RuntimeError(f"status {status}, not {wanted}: {content}")


def _megabytes(process: int) -> float:
    """Return the memory that a process holds."""
    command = ["ps", "-o", "rss=", "-p", str(process)]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) / 1024


@contextmanager
def _postgres() -> Iterator[str]:
    """Run a server that writes to the disk as it should; yield its address."""
    started = postgres.Server(fsync=True)
    try:
        yield started.url
    finally:
        started.close()


if __name__ == "__main__":
    main()
