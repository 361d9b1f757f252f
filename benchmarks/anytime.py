"""What not knowing the horizon costs METABOSSE: regret with horizon=None over regret with T."""

from __future__ import annotations

import argparse

import numpy as np

import driftduel as dd
from driftduel.worlds.matrices import winner_matrix


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    options, _ = parser.parse_known_args()
    for criterion, n_arms in ((dd.Borda(), 5), (dd.Condorcet(), 3)):
        for horizon in (10**5, 10**6):
            starts = (0, horizon // 3, 2 * horizon // 3)
            matrices = [winner_matrix(n_arms, winner, 0.4) for winner in (0, 2, 1)]
            world = dd.Stream.piecewise(matrices, starts, horizon)
            regret, episodes = [], []
            for known in (horizon, None):
                learner = dd.MetaBosse(n_arms, known, criterion=criterion)
                runs = dd.simulate_many(
                    learner, world, range(options.seeds), options.workers, points=1
                )
                regret.append(np.array([run.regret(criterion)[-1] for run in runs]))
                episodes.append(np.mean([len(run.episodes) for run in runs]))
            with_t, without = regret[0].mean(), regret[1].mean()
            ratio = without / with_t
            error = (regret[1] - ratio * regret[0]).std(ddof=1) / with_t
            print(
                f"{criterion.name}, K = {n_arms}, T = {horizon:,}, 3 phases: regret "
                f"{without:,.0f} without and {with_t:,.0f} with the horizon, "
                f"ratio {ratio:.2f} +- {error / np.sqrt(options.seeds):.2f}; "
                f"episodes {episodes[1]:.1f} and {episodes[0]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
