"""What the arena costs: a lone vote, votes that wait together, over HTTP, a start from nothing.

Over HTTP the command is measured as a user starts it (`benchmarks._arena_http`).
All on this machine, in a folder that is removed after. A lone vote is held against the disk: the
median of as many writes of a page with fdatasync, by turns with the votes. The start is told apart:
reading the events, and folding them. ``--database postgresql://...`` measures that database, which
must be empty, instead of a file.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from threading import Thread

import numpy as np

from benchmarks._arena_http import over_http, several_processes
from driftduel.arena import service as arena
from driftduel.arena.replica import Replica
from driftduel.arena.service.copies import folded
from driftduel.arena.service.service import Service
from driftduel.arena.store import statements
from driftduel.arena.store.chain import next_hash
from driftduel.arena.store.connection import LONG
from driftduel.arena.store.migrations import m0003_chain
from driftduel.learners.driftpoll.learner import DriftPoll

CONNECTIONS = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=1_000_000, help="events of the start")
    parser.add_argument("--arms", type=int, default=4, help="arms of the start")
    parser.add_argument("--lone", type=int, default=300, help="votes one after the other")
    parser.add_argument("--together", type=int, default=6_400, help="votes of 64 threads")
    parser.add_argument("--database", help="an empty database, instead of a file")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each turn over HTTP")
    parser.add_argument("--http", action="store_true", help="what goes over HTTP, and no more")
    parser.add_argument("--many", action="store_true", help="votes of many arenas, and no more")
    options, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        url = options.database or f"sqlite:{folder}/arena.db"
        if options.many:
            with Service.open(url) as service:
                many_arenas(service)
            return
        with Service.open(url) as service:
            arena.create_arena(service, "few", "?", [f"arm {n}" for n in range(options.arms)])
            vote(service)  # compiles
            lone(service, options.lone, Path(folder) / "page")
            if not options.http:
                together(service, options.together)
        appending(options.together, Path(folder) / "log")
        over_http(url, options.seconds)
        several_processes(url, options.seconds)
        if options.http:
            return
        with Service.open(url) as service:
            fill(service, options.votes, options.arms)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # of no memory to fall back on
            pool.submit(start, url).result()
        looking(url)
        with Service.open(url) as service:
            hashing(service)
            choosing(service)
        with Service.open(url) as service:
            many_arenas(service)


def vote(service: Service, voter: str = "ann") -> None:
    asked = arena.ask(service, "few", voter)
    arena.tell(service, asked.duel, voter, "left")


def lone(service: Service, n: int, file: Path) -> None:
    """Tell votes one by one, and between them write a page to the disk."""
    told, synced = [], []
    with file.open("wb", buffering=0) as page:
        for _ in range(n):
            asked = arena.ask(service, "few", "ann")
            began = time.perf_counter()
            arena.tell(service, asked.duel, "ann", "left")
            told.append(time.perf_counter() - began)
            began = time.perf_counter()
            page.write(os.urandom(4096))
            os.fdatasync(page.fileno())
            synced.append(time.perf_counter() - began)
    p50, disk = 1e3 * median(told), 1e3 * median(synced)
    bar = 2 * disk + 5
    print(f"a lone vote: p50 {p50:.2f} ms; fdatasync {disk:.2f} ms; the bar is {bar:.2f} ms")


def appending(n: int, file: Path) -> None:
    """Append lines as long as a vote and flush each to the disk, one after the other."""
    line = b"x" * 300 + b"\n"
    with file.open("ab", buffering=0) as log, clock() as passed:
        for _ in range(n // 10):
            log.write(line)
            os.fsync(log.fileno())
    print(f"append and fsync, one after the other: {n // 10 / passed():,.0f} votes a second")


def together(service: Service, n: int) -> None:
    """Let 64 threads vote; each asks for its next duel in the same step."""
    commits, requests = service.writer.commits, service.writer.requests

    def work(voter: str) -> None:
        duel = arena.ask(service, "few", voter).duel
        for _ in range(n // CONNECTIONS):
            told = arena.tell(service, duel, voter, "right", wants_next=True)
            assert told.next is not None
            duel = told.next.duel

    threads = [Thread(target=work, args=(f"voter {n}",)) for n in range(CONNECTIONS)]
    with clock() as passed:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    batch = (service.writer.requests - requests) / (service.writer.commits - commits)
    print(f"{CONNECTIONS} threads: {n / passed():,.0f} votes a second, {batch:.1f} votes a commit")


def fill(service: Service, n: int, n_arms: int) -> None:
    """Append votes as if they had been told, without waiting for each."""
    rng = np.random.default_rng(1)
    ticket = np.array([1 / (n_arms * (n_arms - 1)), 1, 1]).tobytes()
    number = service.hosted("few").arena.id
    for done in range(0, n, 20_000):
        size = min(20_000, n - done)
        left = rng.integers(0, n_arms, size)
        right = (left + rng.integers(1, n_arms, size)) % n_arms
        verdicts = np.where(rng.random(size) < 0.5 + 0.1 * (right - left) / n_arms, "left", "right")
        rows = [
            {
                "at": 1_700_000_000_000_000 + 1_000_000 * (done + k),
                "kind": "vote",
                "duel": f"{done + k:022d}",
                "voter": f"{k % 997:032x}",
                "left": int(left[k]),
                "right": int(right[k]),
                "swapped": bool(k % 2),
                "ticket": ticket,
                "propensity": 1 / (n_arms * (n_arms - 1)),
                "generation": 1,
                "asked_at": 1_700_000_000_000_000 + 1_000_000 * (done + k) - 3_000_000,
                "verdict": str(verdicts[k]),
            }
            for k in range(size)
        ]
        with service.store.writing() as connection:
            locked = statements.lock_arenas(connection, [number])[number]
            statements.append(connection, locked, rows)


def start(url: str) -> None:
    """Time a service from nothing to its first duel, and what of it is folding."""
    poll = DriftPoll(3, seed=1)
    duel = poll.ask()
    poll.fold([duel.left], [duel.right], [list(duel.ticket or ())], [1.0])  # compiles
    seconds = 0.0
    fold = DriftPoll.fold

    def timed(self: DriftPoll, *columns: object) -> None:
        nonlocal seconds
        began = time.process_time()
        fold(self, *columns)  # type: ignore[arg-type]
        seconds += time.process_time() - began

    DriftPoll.fold = timed  # type: ignore[method-assign, assignment]
    try:
        cpu = time.process_time()
        with clock() as passed, Service.open(url) as service:
            with service.store.writing() as connection:
                connection.execute("DELETE FROM snapshot")
            before = resident()
            arena.ask(service, "few", "ann")
            whole, cpu, grown = passed(), time.process_time() - cpu, resident() - before
            votes = arena.status(service, "few").votes
            with service.store.reading() as connection:
                row = statements.arena_called(connection, "few")
                assert row is not None
                began = time.process_time()
                for _ in statements.pages(connection, row.id, 0, row.head):
                    pass
                read = time.process_time() - began
    finally:
        DriftPoll.fold = fold  # type: ignore[method-assign]
    print(
        f"a start with {votes:,} votes: {whole:.2f} s; of CPU {cpu:.2f} s, of which reading "
        f"{read:.2f} s and folding {seconds:.2f} s; memory grew by {grown / 1e6:.1f} MB"
    )


def looking(url: str) -> None:
    """Time what the owner's page reads: the first look of a process, and looks after a vote."""
    with Service.open(url) as service:
        arena.status(service, "few")
        began = time.process_time()
        found = arena.health(service, "few")
        first = time.process_time() - began
        times = []
        for _ in range(20):
            vote(service, "ann")
            began = time.process_time()
            arena.status(service, "few")
            arena.history(service, "few")
            arena.health(service, "few")
            times.append(time.process_time() - began)
    print(
        f"the owner's page, {found.head:,} events of {found.voters:,} voters: the first look of a "
        f"process {first:.2f} s of CPU, one after a vote {1e3 * median(times):.0f} ms"
    )


def hashing(service: Service, most: int = 100_000) -> None:
    """Time what the hash of the log costs a vote, and an upgrade that writes down all of them."""
    number = service.hosted("few").arena.id
    with service.store.reading(each=LONG) as connection:
        events = statements.events(connection, number, 1, most)
    rows = [event._asdict() for event in events]
    began = time.process_time()
    last = ""
    for row in rows:
        last = next_hash(last, row)
    each = (time.process_time() - began) / len(rows)
    with service.store.writing(each=LONG) as connection, clock() as passed:
        m0003_chain.fill(connection.execute)
        (head,) = statements.heads_of(connection, [number]).values()
    print(
        f"the hash of a vote: {1e6 * each:.1f} us of CPU; an upgrade that hashes {head:,} events: "
        f"{passed():.1f} s"
    )


def many_arenas(service: Service, n: int = 1_000, votes: int = 60, turns: int = 3) -> None:
    """Compare the CPU of a vote where 64 voters vote in many arenas with that in one."""
    slugs = [f"arena-{k}" for k in range(n)]
    for slug in ("one", *slugs):
        arena.create_arena(service, slug, "?", ["tea", "coffee", "milk", "cocoa"])
    of_voter = [[slugs[(16 * k + j) % n] for j in range(16)] for k in range(CONNECTIONS)]
    waiting = {
        (k, slug): arena.ask(service, slug, f"voter {k}").duel
        for k, mine in enumerate(of_voter)
        for slug in ("one", *mine)
    }

    async def client(k: int, mine: list[str]) -> None:
        for j in range(votes):
            place = (k, mine[j % len(mine)])
            told = await arena.tell_async(
                service, waiting[place], f"voter {k}", "left", wants_next=True
            )
            assert told.next is not None
            waiting[place] = told.next.duel

    async def everybody(of_voter: list[list[str]]) -> None:
        await asyncio.gather(*(client(k, mine) for k, mine in enumerate(of_voter)))

    def cost(of_voter: list[list[str]]) -> float:
        began = time.process_time()
        asyncio.run(everybody(of_voter))
        return (time.process_time() - began) / (votes * CONNECTIONS)

    cost(of_voter)  # compiles, and loads all
    costs = [(cost([["one"]] * CONNECTIONS), cost(of_voter)) for _ in range(turns)]
    one, many = (1e6 * median(column) for column in zip(*costs, strict=True))
    ratio = median(many / one for one, many in costs)
    print(
        f"CPU of a vote in one arena {one:.0f} us, in one of {n:,} {many:.0f} us: {ratio:.2f} times"
    )


def resident() -> int:
    """Return the memory of this process that is not swapped out, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def choosing(service: Service, n_arms: int = 1_000, n: int = 300) -> None:
    """Time how long a pair of many arms takes to be chosen."""
    arena.create_arena(service, "many", "?", [f"arm {n}" for n in range(n_arms)])
    for k in range(20):
        asked = arena.ask(service, "many", "ann")
        arena.tell(service, asked.duel, "ann", ("left", "right")[k % 2])
    with service.store.reading() as connection:
        row = statements.arena_called(connection, "many")
        assert row is not None
        replica: Replica = folded(connection, row)
    times = []
    for _ in range(n):
        began = time.perf_counter()
        replica.draw(service.rng)
        times.append(time.perf_counter() - began)
    print(f"choosing a pair of {n_arms:,} arms: median {1e3 * median(times):.3f} ms")


@contextmanager
def clock() -> Iterator[Clock]:
    """Yield a function that tells the seconds since the block began, or that it took."""
    passed = Clock()
    yield passed
    passed.took = passed()


class Clock:
    """Seconds since it was made, until it is stopped."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.took: float | None = None

    def __call__(self) -> float:
        """Return the seconds."""
        return time.perf_counter() - self.began if self.took is None else self.took


if __name__ == "__main__":
    main()
