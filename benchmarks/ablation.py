"""What each part of DRIFTDUEL is worth, on the tuning half of the suite.

One constant at a time is changed, mostly so far that a part is off. The figure is the geometric
mean, over the worlds of a criterion, of the regret over that of the constants that ship; seeds are
not those of the benchmark.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from driftduel.experiments import Results, Spec, run_sweep
from driftduel.learners.driftduel.constants import Calibration
from studies.benchmark import suite

OFF = 1e9
CHANGES: dict[str, dict[str, float]] = {
    "no looks": {"watch": 0.0},
    "looks a third as often": {"watch": 1 / 3},
    "looks three times as often": {"watch": 3.0},
    "a surprise brings no looks": {"urge": 0.0, "pair_urge": 0.0},
    "no alarm": {"alarm": OFF},
    "an alarm forgets everything": {"keep": 1e-6},
    "an alarm forgets nothing": {"keep": 1.0},
    "memory never fades": {"most": OFF},
    "likely changes count for nothing": {"shift_hazard": 0.0},
    "no trials": {"trial_share": 0.0},
    "challenges never thin out": {"throttle": 0.0},
    "the strongest arm leads, whatever its score (Borda)": {"sway": OFF},
    "no audits (Borda)": {"audit": 0.0},
    "no random replays": {"replay_rate": 0.0},
    "random replays at a hundredth of the paper's rate": {"replay_rate": 0.01},
    "random replays at the paper's rate": {"replay_rate": 1.0},
}
SHIPPED = "as it ships"
SCALED = {"watch"}
"""Multiplied instead of replaced, unless 0."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="keep the results in this folder, and go on")
    options, _ = parser.parse_known_args()
    with TemporaryDirectory() as scratch:
        found = []
        for criterion in suite.CRITERIA:
            folder = (options.out or Path(scratch)) / criterion
            run_sweep(ablation(criterion, options.seeds), folder, workers=options.workers)
            found.append(ratios(Results.load(folder)))
    print("| changed | Borda | Condorcet |\n|---|---:|---:|")
    for title in CHANGES:
        cells = (
            f"{np.exp(np.log(r).mean()):.2f} (worst {r.max():.1f})"
            if (r := rows.get(title)) is not None
            else "-"
            for rows in found
        )
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


def ablation(criterion: str, seeds: int) -> Spec:
    """Return the spec: every change is a learner, on the tuning half of the suite."""
    base = Calibration()
    played = suite.benchmark_spec(criterion, "tuning", 1).text.partition("\n[[learner]]")[0]
    lines = [played.replace("seeds = [0]", f"seeds = {[*range(500, 500 + seeds)]}", 1)]
    for title, change in {SHIPPED: {}, **CHANGES}.items():
        if "(" not in title or criterion in title.lower():
            values = {
                key: getattr(base, key) * value if key in SCALED else value
                for key, value in change.items()
            }
            table = ", ".join(f"{key} = {value!r}" for key, value in values.items())
            lines.append(
                f'[[learner]]\nlabel = "{title}"\nname = "{suite.LEARNER}"\n'
                f'criterion = "{criterion}"\ncalibration = {{{table}}}\n'
            )
    return Spec.parse("\n".join(lines))


def ratios(results: Results) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return the mean regret of every change on each world, relative to what ships."""
    means = results.summary().pivot("learner", index="stream", values="mean")
    return {
        title: (means[title] / means[SHIPPED]).to_numpy()
        for title in means.columns
        if title in CHANGES
    }
