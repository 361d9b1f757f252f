"""Rounds a second of every learner, written to docs/learners.md.

One arm beats all others by .1 and the others are even, so that much stays undecided for long. A
run is 10^5 rounds, made with the learner's defaults; the time is that of one thread, without
compilation, the least of several runs. A learner that has made up its mind plays one arm for the
rest of the run, which is quick: the figures tell what an experiment costs.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

import driftduel as dd

Array = NDArray[np.float64]

ARMS = (10, 100)
INDEX_POLICIES = ("RUCB", "DTS", "RMED1", "MergeRUCB")
MORE_ARMS = (50, 200)
PAGE = Path(__file__).parent.parent / "docs" / "learners.md"
ENOUGH = 0.3
"""Seconds of runs after which no further run is timed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10**5)
    parser.add_argument("--out", type=Path, default=PAGE, help="the page to write")
    options, _ = parser.parse_known_args()
    written = []
    for line in page(options.rounds):
        print(line, flush=True)
        written.append(line)
    options.out.write_text("\n".join(written) + "\n", encoding="utf-8")


def page(rounds: int) -> Iterator[str]:
    """Return the lines of the page, one after the other as they are measured."""
    learners = dd.all_learners()
    yield "# The learners and what they cost"
    yield ""
    yield (
        f"Rounds a second, in millions, of each of the {len(learners)} learners in a run of "
        f"{rounds:,} rounds; what each must be told in advance besides the number of arms; and "
        "the order of what a round costs."
    )
    yield ""
    yield (
        "`make bench-learners` measures this and writes this page. The world has one arm that "
        "beats all others by .1, while the others are even; parameters are the defaults. The time "
        "is that of one thread, without compilation, the least of several runs. "
        f"It was measured on {machine()}. `driftduel learners NAME` tells more about each."
    )
    yield ""
    yield f"| learner | told | a round | {' | '.join(f'K = {k}' for k in ARMS)} |"
    yield "|---|---|---|" + "---:|" * len(ARMS)
    for name, kind in learners.items():
        literature = kind._literature
        rates = [million(rate(kind, one_ahead(k), rounds)) for k in ARMS]
        yield row(name, literature.needs, literature.cost, *rates)
    yield ""
    yield from many_arms(rounds)


def many_arms(rounds: int) -> Iterator[str]:
    """Return the lines about index policies."""
    learners = dd.all_learners()
    worlds = {"one ahead": one_ahead, "in a row": in_a_row}
    heads = [f"{name}, K = {k}" for name in worlds for k in MORE_ARMS]
    yield "## Index policies with many arms"
    yield ""
    yield (
        "These hold all pairs of arms against each other, K^2 numbers a round as their papers "
        "have it. Here a round recomputes what its duel changed; only D-TS has to draw a "
        "number for every pair with a candidate. Nanoseconds a round, in the same world (one "
        "ahead) and in one where the quality of the arms falls evenly (in a row), "
        "`P[i, j] = 1/2 + (j - i) / (2 K)`:"
    )
    yield ""
    yield row("learner", *heads)
    yield "|---|" + "---:|" * len(heads)
    for name in INDEX_POLICIES:
        rates = (rate(learners[name], w(k), rounds) for w in worlds.values() for k in MORE_ARMS)
        yield row(name, *(nanoseconds(value) for value in rates))


def one_ahead(n_arms: int) -> Array:
    """Return the matrix in which one arm beats all others by .1 and these are even."""
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[0, 1:] = 0.6
    matrix[1:, 0] = 0.4
    return matrix


def in_a_row(n_arms: int) -> Array:
    """Return the matrix of arms whose quality falls evenly from first to last."""
    arms = np.arange(n_arms) / (2.0 * n_arms)
    return 0.5 + (arms - arms[:, None])


def rate(kind: type[dd.Learner], matrix: Array, rounds: int) -> float | str:
    """Return the rounds a second, or why there is no such number."""
    stream = dd.Stream.stationary(matrix, rounds)
    times: list[float] = []
    try:
        learner = kind(len(matrix), rounds)
        dd.simulate(learner, stream[:1], points=1)
        while sum(times) < ENOUGH:
            begin = time.thread_time()
            dd.simulate(learner, stream, points=1)
            times.append(time.thread_time() - begin)
    except (TypeError, ValueError) as problem:
        return str(problem)
    return rounds / min(times)


def nanoseconds(value: float | str) -> str:
    return value if isinstance(value, str) else f"{1e9 / value:,.0f}"


def million(value: float | str) -> str:
    if isinstance(value, str):
        return value
    value /= 1e6
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def machine() -> str:
    """Return what kind of machine this is."""
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba"
    return (
        f"one core of {os.cpu_count()} ({processor()}, {platform.system()}), {versions} "
        f"{numba.__version__}"
    )


def processor() -> str:
    known = Path("/proc/cpuinfo")
    if known.exists():
        for line in known.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
