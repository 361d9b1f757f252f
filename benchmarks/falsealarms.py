"""How often a learner restarts in a world that never changes.

For each world, criterion and horizon: how many of the runs restarted, and the upper bound of that
probability at 95 % confidence (Clopper and Pearson). 300 runs without a restart bound it by 1 %.
The worlds are ties, Bradley-Terry-Luce and random cyclic matrices (one winner, the rest in circles)
of up to 50 arms, and three from the literature: six rankers, Komiyama's cycle of four arms, Hudry's
tournament of thirteen, which has no Condorcet winner.

Then the same for voters with a taste for a side: with probability .2 they take the arm on the left,
whatever it is, and otherwise vote as the world has it, so that the left arm wins with probability
``.2 + .8 P[left, right]``, against itself too. Who is best is as before if every pair is shown
either way round equally often. The worlds are ties, one winner (by .2 over the others, which tie)
and Bradley-Terry-Luce, with 3, 10 and 30 arms.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

import driftduel as dd
from benchmarks.calibration import upper
from driftduel.learners.contract.build import learner_from
from driftduel.worlds import datasets
from driftduel.worlds.matrices import btl_matrix, random_matrix, winner_matrix
from studies.benchmark.suite import LEARNER

ARMS = (2, 3, 5, 10, 20, 50)
ROUNDS = {10**4: 1000, 10**5: 1000, 10**6: 300}
"""Horizons and how many runs."""
WORLDS = ("ties", "BTL", "random cycle", "six rankers", "cyclic", "Hudry")
TASTES = (0.0, 0.2)
"""With which probabilities voters take the left arm, whatever it is."""
SIDED_ARMS = (3, 10, 30)
SIDED_WORLDS = ("ties", "one winner", "BTL")
"""What is played where there is a taste for a side."""
MARGIN = 0.2
"""Of the one winner."""
CONFIDENCE = 0.95
Matrix = NDArray[np.float64]


def main() -> None:
    known = list(dict.fromkeys(WORLDS + SIDED_WORLDS))
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--learner", default=LEARNER)
    parser.add_argument("--worlds", nargs="*", choices=known)
    parser.add_argument("--criteria", nargs="*", default=["borda", "condorcet"])
    parser.add_argument("--arms", type=int, nargs="*")
    parser.add_argument("--tastes", type=float, nargs="*", default=TASTES)
    parser.add_argument("--rounds", type=int, nargs="*", default=list(ROUNDS))
    parser.add_argument("--runs", type=int, help="as many at every horizon")
    parser.add_argument("--workers", type=int, default=2)
    options, _ = parser.parse_known_args()
    print(f"{options.learner}: runs with a restart where nothing changes, and at most what share")
    bounds, loud, played = [], 0, 0
    for taste, horizon, criterion in product(options.tastes, options.rounds, options.criteria):
        runs = options.runs or ROUNDS.get(horizon, 300)
        names = options.worlds or (SIDED_WORLDS if taste else WORLDS)
        for name, matrix in worlds(names, options.arms or (SIDED_ARMS if taste else ARMS)):
            world = sided(matrix, horizon, taste)
            hits = restarting(options.learner, criterion, world, runs, options.workers)
            bounds.append(upper(hits, runs, 1 - CONFIDENCE))
            loud, played = loud + hits, played + runs
            print(
                f"{criterion:>9}  {name:>12}  {world.n_arms:3} arms  {horizon:9,} rounds  "
                f"taste {taste:.1f}  {hits:4}/{runs:4}  {hits / runs:.4f}, "
                f"at most {bounds[-1]:.4f}",
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
            elif name == "one winner":
                yield name, winner_matrix(n_arms, n_arms // 2, MARGIN)
            elif name == "BTL":
                strengths = np.random.default_rng(n_arms).uniform(0.2, 1.0, n_arms)
                yield name, btl_matrix(strengths)
            elif n_arms > 3:
                yield name, random_matrix("cyclic", n_arms, seed=n_arms)


def sided(matrix: ArrayLike, horizon: int, taste: float) -> dd.Stream:
    """Return a world that never changes, whose voters take the left arm with a probability.

    With a taste the probabilities of the two orders of a pair do not sum to 1. They are what a vote
    is drawn by; what the stream says of regret and winners means nothing.
    """
    world = dd.Stream.stationary(matrix, horizon)
    if taste:
        world.palette = taste + (1 - taste) * world.palette
        world.palette.setflags(write=False)  # as it was: the loop is compiled for this kind
    return world


SHIPPED = {"six rankers": "six_rankers", "cyclic": "cyclic", "Hudry": "hudry"}


def restarting(name: str, criterion: str, world: dd.Stream, runs: int, workers: int) -> int:
    """Return how many runs of a learner restarted."""
    learner = learner_from(name, {"criterion": criterion}, world.n_arms, world.horizon)
    played = dd.simulate_many(learner, world, range(runs), workers, points=1)
    return sum(len(run.episodes) > 1 for run in played)


if __name__ == "__main__":
    main()
