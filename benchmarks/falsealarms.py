"""How often a learner restarts in a world that never changes.

For each world, criterion and horizon: how many of the runs restarted, and the upper bound of that
probability at 95 % confidence (Clopper and Pearson). 300 runs without a restart bound it by 1 %.
The worlds are ties, Bradley-Terry-Luce and random cyclic matrices (one winner, the rest in circles)
of up to 50 arms, and three from the literature: six rankers, Komiyama's cycle of four arms, Hudry's
tournament of thirteen, which has no Condorcet winner.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from benchmarks.calibration import upper
from driftduel.streams import datasets
from driftduel.streams.matrices import btl_matrix, random_matrix
from driftduel.studies.benchmark.suite import LEARNER

ARMS = (2, 3, 5, 10, 20, 50)
ROUNDS = {10**4: 1000, 10**5: 1000, 10**6: 300}
"""Horizons and how many runs."""
WORLDS = ("ties", "BTL", "random cycle", "six rankers", "cyclic", "Hudry")
CONFIDENCE = 0.95
Matrix = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--learner", default=LEARNER)
    parser.add_argument("--worlds", nargs="*", default=WORLDS, choices=WORLDS)
    parser.add_argument("--criteria", nargs="*", default=["borda", "condorcet"])
    parser.add_argument("--arms", type=int, nargs="*", default=ARMS)
    parser.add_argument("--rounds", type=int, nargs="*", default=list(ROUNDS))
    parser.add_argument("--runs", type=int, help="as many at every horizon")
    parser.add_argument("--workers", type=int, default=2)
    options, _ = parser.parse_known_args()
    print(f"{options.learner}: runs with a restart where nothing changes, and at most what share")
    bounds, loud, played = [], 0, 0
    for horizon in options.rounds:
        runs = options.runs or ROUNDS.get(horizon, 300)
        for criterion in options.criteria:
            for name, matrix in worlds(options.worlds, options.arms):
                world = dd.Stream.stationary(matrix, horizon)
                hits = restarting(options.learner, criterion, world, runs, options.workers)
                bounds.append(upper(hits, runs, 1 - CONFIDENCE))
                loud, played = loud + hits, played + runs
                print(
                    f"{criterion:>9}  {name:>12}  {world.n_arms:3} arms  {horizon:9,} rounds  "
                    f"{hits:4}/{runs:4}  at most {bounds[-1]:.4f}",
                    flush=True,
                )
    above = sum(bound > 0.01 for bound in bounds)
    print(
        f"in all {loud:,}/{played:,}; in {len(bounds) - above} of {len(bounds)} cases at most "
        f"1 %, the largest bound is {max(bounds):.4f}"
    )


def worlds(names: Sequence[str], arms: Sequence[int]) -> Iterator[tuple[str, Matrix]]:
    """Yield names and matrices; those from the literature have their own numbers of arms."""
    for name in names:
        if name in SHIPPED:
            yield name, datasets.matrix(SHIPPED[name]).P
            continue
        for n_arms in arms:
            if name == "ties":
                yield name, np.full((n_arms, n_arms), 0.5)
            elif name == "BTL":
                strengths = np.random.default_rng(n_arms).uniform(0.2, 1.0, n_arms)
                yield name, btl_matrix(strengths)
            elif n_arms > 3:
                yield name, random_matrix("cyclic", n_arms, seed=n_arms)


SHIPPED = {"six rankers": "six_rankers", "cyclic": "cyclic", "Hudry": "hudry"}


def restarting(name: str, criterion: str, world: dd.Stream, runs: int, workers: int) -> int:
    """Return how many runs of a learner restarted."""
    learner = getattr(dd, name)(world.n_arms, world.horizon, criterion=criterion)
    played = dd.simulate_many(learner, world, range(runs), workers, points=1)
    return sum(len(run.episodes) > 1 for run in played)


if __name__ == "__main__":
    main()
