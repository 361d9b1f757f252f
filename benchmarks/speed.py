"""What a round costs, of METABOSSE and DRIFTDUEL, as a multiple of drawing three random numbers.

Thread CPU time, the minimum of several runs, the floor measured between them with the same kind of
generator. Two worlds: ties, where every arm stays in play, and three phases with one winner by .4,
where arms go and come back. The second is dearer, above all in short runs: a round that changes
who is in play costs more, what was done is told as Python's objects, and both are the rarer the
longer the run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

import driftduel as dd
from driftduel._support.compile.jit import jit

REPEATS = 3
SHORT = 300_000
"""Rounds of a short run, which is repeated ten times as often."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10**7)
    options, _ = parser.parse_known_args()
    n = options.rounds
    borda, condorcet = dd.Borda(), dd.Condorcet()
    ten = report("Borda, K = 10", borda, 10, n)
    report("Borda, K = 100", borda, 100, n, ten)
    report("Borda, K = 1000", borda, 1000, n, ten)
    ten_c = report("Condorcet, K = 10", condorcet, 10, n)
    report("Condorcet, K = 100", condorcet, 100, n, ten_c)
    for rounds, repeats in ((n, REPEATS), (SHORT, 10 * REPEATS)):
        for criterion in (borda, condorcet):
            learner = dd.MetaBosse(10, rounds, criterion=criterion)
            name = f"{criterion.name.capitalize()}, K = 10, {rounds:,} rounds"
            compare(f"{name}, ties", learner, ties(10, rounds), repeats=repeats)
            compare(f"{name}, three phases", learner, phases(10, rounds), repeats=repeats)
    longer = report(f"Borda, K = 10, {10 * n:,} rounds", borda, 10, 10 * n, repeats=2)
    print(f"ten times the rounds cost {10 * longer / ten:.1f} times as much")
    for criterion in (borda, condorcet):
        for matrix, world in ((np.full((10, 10), 0.5), "ties"), (winner(10, 0.2), "one winner")):
            compare(
                f"DRIFTDUEL, {criterion.name}, K = 10, {world}",
                dd.DriftDuel(10, n, criterion=criterion),
                dd.Stream.stationary(matrix, n),
            )
    small, large = memory(10, n), memory(10, 10 * n)
    print(
        f"memory of a run: {small:.1f} MiB, ten times the rounds {large:.1f}: the list of replays"
    )
    quick("all intervals, K = 10, T = 20,000, ties", np.full((10, 10), 0.5))
    quick("all intervals, K = 10, T = 20,000, one winner by .4", winner(10, 0.4))
    fresh("import driftduel", "import driftduel")
    fresh("first simulate in a fresh process, warm cache", FIRST)


FIRST = (
    "import numpy as np, driftduel as dd;"
    "dd.simulate(dd.MetaBosse(5, 1000), dd.Stream.stationary(np.full((5, 5), 0.5), 1000))"
)


def report(
    name: str,
    criterion: dd.Criterion,
    n_arms: int,
    n: int,
    beside: float | None = None,
    repeats: int = REPEATS,
) -> float:
    learner = dd.MetaBosse(n_arms, n, criterion=criterion)
    return compare(name, learner, ties(n_arms, n), beside, repeats)


def compare(
    name: str,
    learner: dd.learners.Learner,
    world: dd.Stream,
    beside: float | None = None,
    repeats: int = REPEATS,
) -> float:
    n = world.horizon
    dd.simulate(learner, world[: min(n, 1000)], points=1)
    mine = floor = float("inf")
    for _ in range(repeats):
        mine = min(mine, cost(lambda: dd.simulate(learner, world, points=10), n))
        floor = min(floor, cost(lambda: draw_three(*generators(), n), n))
    versus = "" if beside is None else f", {mine / beside:.2f} times K = 10"
    print(
        f"{name}: {mine:.1f} ns a round, {mine / floor:.2f} times the floor of {floor:.1f} ns"
        f"{versus}",
        flush=True,
    )
    return mine


def cost(action: Callable[[], object], n: int) -> float:
    """Return the thread CPU time of ``action`` in ns a round."""
    begin = time.thread_time()
    action()
    return (time.thread_time() - begin) / n * 1e9


def generators() -> tuple[np.random.Generator, np.random.Generator]:
    draw_three(np.random.default_rng(0), np.random.default_rng(1), 1)
    return np.random.default_rng(0), np.random.default_rng(1)


@jit
def draw_three(learner: np.random.Generator, world: np.random.Generator, n: int) -> float:
    total = 0.0
    for _ in range(n):
        total += learner.random() + learner.random() + world.random()
    return total


def ties(n_arms: int, n: int) -> dd.Stream:
    """Return a world in which every duel is a coin toss."""
    return dd.Stream.stationary(np.full((n_arms, n_arms), 0.5), n)


def phases(n_arms: int, n: int) -> dd.Stream:
    """Return a world in which three arms win in turn, each for a third of the rounds."""
    matrices = [winner(n_arms, 0.4, arm) for arm in range(3)]
    return dd.Stream.piecewise(matrices, [0, n // 3, 2 * n // 3], n)


def winner(n_arms: int, margin: float, arm: int = 0) -> np.ndarray:
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[arm] += margin
    matrix[:, arm] -= margin
    return matrix


def quick(name: str, matrix: np.ndarray) -> None:
    for criterion in (dd.Borda(), dd.Condorcet()):
        learner = dd.MetaBosse(len(matrix), 20_000, criterion=criterion, intervals="all")
        stream = dd.Stream.stationary(matrix, 20_000)
        dd.simulate(learner, stream[:100])
        begin = time.perf_counter()
        run = dd.simulate(learner, stream)
        seconds = time.perf_counter() - begin
        print(f"{name}, {criterion.name}: {seconds:.1f} s, {len(run.evictions)} evictions")


def memory(n_arms: int, n: int) -> float:
    """Return the peak of Python's and numpy's memory during a run, in MiB."""
    learner, world = dd.MetaBosse(n_arms, n), ties(n_arms, n)
    tracemalloc.start()
    dd.simulate(learner, world, points=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def fresh(name: str, code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        best = min(best, time.perf_counter() - begin)
    bare = float("inf")
    for _ in range(REPEATS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare = min(bare, time.perf_counter() - begin)
    print(f"{name}: {best:.2f} s, of which Python itself {bare:.2f} s")


if __name__ == "__main__":
    main()
