"""What each part of CALIBRATED METABOSSE is worth, on the tuning half of the suite.

One constant at a time is changed, mostly so far that a part is off. The figure is the geometric
mean, over the worlds of a criterion, of the regret over that of the constants that ship; seeds are
not those of the benchmark.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

import driftduel as dd
from driftduel.learners.calibrated.calibration import FOR_PAIRS, FOR_SCORES
from driftduel.studies.benchmark import suite

OFF = 1e9
CHANGES: dict[str, dict[str, float]] = {
    "no alarm": {"alarm": OFF, "watch": 0.0},
    "alarm at 3 instead of 4": {"alarm": 3.0},
    "alarm at 6": {"alarm": 6.0},
    "an alarm forgets everything": {"keep": 1e-6},
    "an alarm forgets two thirds": {"keep": 0.33},
    "memory never fades": {"fade": 0.0, "slow_fade": 0.0},
    "memory fades at once": {"slow_fade": 6.0},
    "watching a third as often": {"watch": 1 / 3},
    "watching three times as often": {"watch": 3.0},
    "no likely changes": {"likely": OFF},
    "no random replays": {"replay_rate": 1e-12},
    "random replays at a hundredth of the paper's rate": {"replay_rate": 0.01},
    "random replays at the paper's rate": {"replay_rate": 1.0},
    "active up to 2.5 standard deviations (Borda)": {"doubt": 2.5},
    "half the exploring while learning (Borda)": {"learn": 0.25, "spread": 0.1},
    "optimism doubled (Condorcet)": {"optimism": 0.1},
}
SCALED = {"watch"}
"""Multiplied instead of replaced, unless 0."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    options, _ = parser.parse_known_args()
    seeds = range(500, 500 + options.seeds)
    print("| changed | Borda | Condorcet |\n|---|---:|---:|")
    shipped = {name: scores(name, {}, seeds, options.workers) for name in suite.CRITERIA}
    for title, change in CHANGES.items():
        cells = []
        for name in suite.CRITERIA:
            ratios = scores(name, change, seeds, options.workers) / shipped[name]
            mean, worst = np.exp(np.log(ratios).mean()), ratios.max()
            other = {"borda": "Condorcet", "condorcet": "Borda"}[name]
            cells.append("-" if f"({other})" in title else f"{mean:.2f} (worst {worst:.1f})")
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


def scores(
    criterion: str, change: dict[str, float], seeds: range, workers: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the mean regret on each world of the tuning half."""
    base = FOR_SCORES if criterion == "borda" else FOR_PAIRS
    values = {
        key: getattr(base, key) * value if key in SCALED else value for key, value in change.items()
    }
    means = []
    for world in suite.worlds(criterion, "tuning"):
        stream = world.stream()
        learner = dd.CalibratedMetaBosse(
            stream.n_arms,
            stream.horizon,
            criterion=dd.criteria.as_criterion(criterion),
            calibration=replace(base, **values),
        )
        runs = dd.simulate_many(learner, stream, seeds, workers, points=1)
        means.append(np.mean([run.regret(criterion)[-1] for run in runs]))
    return np.array(means)
