"""What testing blocks instead of all intervals costs: regret and delay on switching worlds.

Each rule gets the constant at which the same share of runs on ties evicts an arm, so that none
gains by crying wolf. Then all play the same switching worlds with the same seeds. Ratios are to
the paper's rule, all intervals; the delay is the number of rounds from a change to the next
episode, the whole phase if there is none.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

import driftduel as dd
from driftduel.learners import Constants

RULES: dict[str, dict[str, object]] = {
    "all": {"intervals": "all"},
    "dyadic": {"steps": 1, "prefix": False},
    "quarter steps": {"steps": 4, "prefix": False},
    "quarter steps, prefix": {"steps": 4, "prefix": True},
}


@dataclass(frozen=True)
class World:
    """A switching world: one arm beats the others by a margin, another one in each phase."""

    criterion: dd.Criterion
    n_arms: int
    margin: float
    n_phases: int
    horizon: int


WORLDS = (
    World(dd.Borda(), 5, 0.4, 3, 20_000),
    World(dd.Borda(), 3, 0.3, 2, 20_000),
    World(dd.Condorcet(), 3, 0.4, 2, 20_000),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--alarms", type=float, default=0.05, help="share of runs on ties")
    parser.add_argument("--workers", type=int, default=2)
    options, _ = parser.parse_known_args()
    for world in WORLDS:
        print(
            f"{world.criterion.name}, K = {world.n_arms}, margin {world.margin}, "
            f"{world.n_phases} phases, T = {world.horizon:,}, {options.seeds} seeds, false alarms "
            f"{options.alarms:.0%}"
        )
        reference = None
        for name, rule in RULES.items():
            scale = quiet_scale(world, rule, options.alarms, options.seeds, options.workers)
            regret, delay = play(world, rule, scale, options.seeds, options.workers)
            if reference is None:
                reference = regret, delay
            print(
                f"  {name:>22}: C = {scale:.3f}, regret {regret.mean():7,.0f} "
                f"{ratio(regret, reference[0])}, delay {delay.mean():6,.0f} "
                f"{ratio(delay, reference[1])}",
                flush=True,
            )


def learner(world: World, rule: dict[str, object], scale: float) -> dd.MetaBosse:
    return dd.MetaBosse(
        world.n_arms,
        world.horizon,
        criterion=world.criterion,
        constants=Constants(scale),
        **rule,  # type: ignore[arg-type]
    )


def quiet_scale(
    world: World, rule: dict[str, object], alarms: float, seeds: int, workers: int
) -> float:
    """Return the least C, to .004, with at most this share of loud runs on ties."""
    ties = dd.Stream.stationary(np.full((world.n_arms,) * 2, 0.5), world.horizon)
    low, high = 0.1, 0.356
    while high - low > 0.004:
        middle = (low + high) / 2
        runs = dd.simulate_many(
            learner(world, rule, middle), ties, range(10_000, 10_000 + 2 * seeds), workers, points=1
        )
        loud = sum(len(run.evictions) > 0 for run in runs) / len(runs)
        low, high = (middle, high) if loud > alarms else (low, middle)
    return high


def play(
    world: World, rule: dict[str, object], scale: float, seeds: int, workers: int
) -> tuple[np.ndarray, np.ndarray]:
    regrets, delays = [], []
    player = learner(world, rule, scale)
    streams = [phases(world, seed) for seed in range(seeds)]
    for seed, stream in enumerate(streams):
        run = dd.simulate_many(player, stream, [seed], workers, points=1)[0]
        regrets.append(run.regret(world.criterion)[-1])
        ends = stream.ends[1:]
        for change, end in zip(stream.starts[1:], ends, strict=True):
            later = [episode for episode in run.episodes if change < episode < end]
            delays.append((later[0] if later else end) - change)
    return np.array(regrets), np.array(delays)


def phases(world: World, seed: int) -> dd.Stream:
    rng = np.random.default_rng(seed)
    matrices = []
    best = -1
    for _ in range(world.n_phases):
        best = int(rng.choice([arm for arm in range(world.n_arms) if arm != best]))
        matrix = np.full((world.n_arms,) * 2, 0.5)
        matrix[best] += world.margin
        matrix[:, best] -= world.margin
        matrix[best, best] = 0.5
        matrices.append(matrix)
    starts = [n * world.horizon // world.n_phases for n in range(world.n_phases)]
    return dd.Stream.piecewise(matrices, starts, world.horizon)


def ratio(values: np.ndarray, reference: np.ndarray) -> str:
    """Return the ratio of the means, with its standard error over the paired runs."""
    mean = values.mean() / reference.mean()
    error = (values - mean * reference).std(ddof=1) / reference.mean() / np.sqrt(len(values))
    return f"({mean:.2f} +- {error:.2f})"


if __name__ == "__main__":
    main()
