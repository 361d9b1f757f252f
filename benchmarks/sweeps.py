"""A sweep of 10^5 tiny tasks: tasks a second, and the peak memory of the process in charge."""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from driftduel.experiments import Progress, Results, Spec, run_sweep

SPEC = """
title = "Tiny tasks"
seeds = 1
points = 10
horizon = 20

[[stream]]
world = "switching"
n_arms = 3
n_phases = 2
seed = {streams}

[[learner]]
name = "DiscountedBordaUCB"
width = {learners}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    options, _ = parser.parse_known_args()
    learners = [0.1 + 0.01 * n for n in range(100)]
    streams = list(range(max(1, options.tasks // len(learners))))
    spec = Spec.parse(SPEC.format(streams=streams, learners=learners))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "results"
        began = perf_counter()
        milestones: list[str] = []

        def note(progress: Progress) -> None:
            if progress.done == 1 or progress.done % (progress.tasks // 5) == 0:
                milestones.append(f"{progress.done:,}: {_peak():,.0f}")

        done = run_sweep(spec, target, workers=options.workers, progress=note)
        seconds = perf_counter() - began
        again = perf_counter()
        run_sweep(spec, target, workers=1)
        resumed = perf_counter() - again
        size = sum(file.stat().st_size for file in (target / "tasks").iterdir()) / 2**20
        files = len(list((target / "tasks").iterdir()))
        rows = Results.load(target).summary()["runs"].sum()
    print(
        f"{done.tasks:,} tasks in {seconds:,.0f} s, {done.tasks / seconds:,.0f} a second, with "
        f"{options.workers} workers; planning and finding all of them finished {resumed:,.0f} s\n"
        f"peak memory in MiB after so many tasks: {'; '.join(milestones)}; in the end "
        f"{_peak():,.0f}\n"
        f"{files:,} files of {size:,.0f} MiB hold {rows:,} runs",
        flush=True,
    )


def _peak() -> float:
    """Return the peak memory of this process in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


if __name__ == "__main__":
    main()
