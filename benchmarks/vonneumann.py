"""Von Neumann regret where nobody beats everybody and who is ahead changes, told and not told when.

python -m benchmarks vonneumann [--arms K] [--rounds T] [--phases S] [--seeds N] [--still]. In each
phase three arms, newly drawn, beat each other in a ring with chance .8 and all others with chance
.7; the others are even. So the von Neumann winner is uniform on three arms. Rings follow one
another at once, or each fades into the next in steps so small that no two of them differ by
much. To track the winner without prior knowledge is an open problem; `ExperimentalVonNeumann` is an
attempt. It prints how often that restarted, with ``--still`` in worlds that do not change: ties,
Bradley-Terry-Luce, rings.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import driftduel as dd


def main() -> None:
    parser = argparse.ArgumentParser(description="von Neumann regret in drifting rings")
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=10**6)
    parser.add_argument("--phases", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--still", action="store_true")
    options, _ = parser.parse_known_args()
    if options.still:
        print_still(options.rounds, options.seeds)
        return
    size = (options.arms, options.rounds, options.phases)
    worlds = (rings(*size), rings(*size, steps=50))
    for world in worlds:
        print(f"{world}: {dd.measure(world).von_neumann}")
    print("| learner | told | rings that switch | rings that fade |")
    print("|---|---|---:|---:|")
    seen: list[str] = []
    for told, learner in players(*size):
        cells = []
        for world in worlds:
            runs = dd.simulate_many(learner, world, range(options.seeds), points=1)
            final = np.array([run.regret("von-neumann")[-1] for run in runs])
            error = final.std(ddof=1) / np.sqrt(len(final)) if len(final) > 1 else np.nan
            cells.append(f"{final.mean():,.0f} ± {error:,.0f}")
            if isinstance(learner, dd.learners.ExperimentalVonNeumann):
                anew = [len(run.episodes) - 1 for run in runs]
                seen.append(f"{min(anew)} to {max(anew)} times in {world}")
        print(f"| {type(learner).__name__} | {told} | {' | '.join(cells)} |", flush=True)

    print(f"ExperimentalVonNeumann restarted {' and '.join(seen)}")


def print_still(rounds: int, seeds: int) -> None:
    """Count how often the attempt restarts where nothing changes."""
    began = runs = 0
    for k in (2, 3, 10):
        worth = np.exp(np.linspace(0, 1, k))
        worlds = [np.full((k, k), 0.5), worth[:, None] / (worth[:, None] + worth)]
        worlds += [ring(np.arange(k))] if k > 2 else []
        for matrix in worlds:
            world = dd.Stream.stationary(matrix, rounds)
            played = dd.simulate_many(
                dd.learners.ExperimentalVonNeumann(k), world, range(seeds), points=1
            )
            began += sum(len(run.episodes) - 1 for run in played)
            runs += len(played)
    print(f"{runs} runs of {rounds:,} rounds without a change: restarted {began} times")


def players(n_arms: int, rounds: int, phases: int) -> list[tuple[str, dd.Learner]]:
    """Return learners by what they are told."""
    period = -(-rounds // phases)
    return [
        ("when", dd.learners.PeriodicRestart.of(dd.learners.VersatileDB(n_arms), every=period)),
        ("T, S", dd.learners.DEX3S(n_arms, rounds, n_phases=phases)),
        ("T", dd.learners.DEX3S(n_arms, rounds)),
        ("T", dd.learners.SparringEXP3(n_arms, rounds)),
        ("nothing", dd.learners.ExperimentalVonNeumann(n_arms)),
        ("nothing", dd.learners.SparringUCB(n_arms)),
        ("nothing", dd.learners.VersatileDB(n_arms)),
        ("nothing", dd.learners.Anaconda(n_arms)),
        ("nothing", dd.learners.Uniform(n_arms)),
    ]


def rings(n_arms: int, rounds: int, phases: int, steps: int = 1) -> dd.Stream:
    """Return the world; with more than one step each ring fades into the next over its phase."""
    rng = np.random.default_rng(0)
    corners = [ring(rng.permutation(n_arms)) for _ in range(phases + (steps > 1))]
    matrices = [
        corners[phase] + (corners[min(phase + 1, len(corners) - 1)] - corners[phase]) * step / steps
        for phase in range(phases)
        for step in range(steps)
    ]
    starts = np.arange(len(matrices)) * rounds // len(matrices)
    return dd.Stream.piecewise(matrices, starts, rounds)


def ring(arms: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the matrix in which the first three of a list of arms are ahead."""
    matrix = np.full((len(arms), len(arms)), 0.5)
    ahead, others = arms[:3], arms[3:]
    matrix[np.ix_(ahead, others)], matrix[np.ix_(others, ahead)] = 0.7, 0.3
    matrix[ahead, np.roll(ahead, -1)], matrix[np.roll(ahead, -1), ahead] = 0.8, 0.2
    return matrix


if __name__ == "__main__":
    main()
