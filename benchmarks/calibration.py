"""Are the default constants quiet on ties? Plays where there is nothing to find.

For each number of arms and horizon: how many of the runs evicted any arm, with the upper end of the
95 % confidence interval (Clopper and Pearson). The constants of METABOSSE
(`driftduel.learners.paper.bosse.quiet`), ANACONDA and METASWIFT were found by lowering C
until the bar broke: at most 1 run in 100.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import driftduel as dd


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="runs per size")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--arms", type=int, nargs="*", default=[2, 3, 5, 10, 20, 50])
    parser.add_argument("--rounds", type=int, nargs="*", default=[10**4, 10**5, 10**6])
    options, _ = parser.parse_known_args()
    print(f"{'learner':>21} {'arms':>5} {'rounds':>9} {'C':>6} {'evicting':>9} {'at most':>8}")
    for name, make in LEARNERS.items():
        for n_arms in options.arms:
            for horizon in options.rounds:
                learner = make(n_arms, horizon)
                ties = dd.Stream.stationary(np.full((n_arms, n_arms), 0.5), horizon)
                runs = dd.simulate_many(
                    learner, ties, range(options.runs), options.workers, points=1
                )
                loud = sum(len(run.evictions) > 0 for run in runs)
                print(
                    f"{name:>21} {n_arms:5} {horizon:9,} {learner.scale:6.3f} "
                    f"{loud:4}/{options.runs:4} {upper(loud, options.runs):8.4f}",
                    flush=True,
                )


def skewed(n_arms: int) -> np.ndarray:
    """Return a weight with nearly all on one arm, the hardest to stay quiet under."""
    weight = np.full(n_arms, 0.05 / (n_arms - 1))
    weight[0] = 0.95
    return weight


LEARNERS: dict[str, Callable[[int, int], Any]] = {
    "MetaBosse Borda": dd.MetaBosse,
    "MetaBosse Condorcet": lambda k, t: dd.MetaBosse(k, t, criterion="condorcet"),  # type: ignore[arg-type]
    "MetaBosse weighted": lambda k, t: dd.MetaBosse(k, t, criterion=dd.Weighted(skewed(k))),
    "MetaBosse, no horizon": lambda k, _: dd.MetaBosse(k),
    "Anaconda": dd.learners.Anaconda,
    "MetaSwift": dd.learners.MetaSwift,
}


def upper(hits: int, runs: int, error: float = 0.025) -> float:
    """Return the upper end of the exact interval for a share, by bisection."""
    if hits == runs:
        return 1.0
    # By logarithms, for the coefficients of thousands of runs are beyond a float.
    ways = [
        math.lgamma(runs + 1) - math.lgamma(k + 1) - math.lgamma(runs - k + 1)
        for k in range(hits + 1)
    ]
    low, high = hits / runs, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        won, lost = math.log(middle), math.log1p(-middle)
        at_most = sum(math.exp(way + k * won + (runs - k) * lost) for k, way in enumerate(ways))
        low, high = (middle, high) if at_most > error else (low, middle)
    return high


if __name__ == "__main__":
    main()
