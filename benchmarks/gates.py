"""Borda regret of bandits behind a gate: ADSWITCH and MASTER beside simpler ones and DRIFTDUEL.

python -m benchmarks gates [--arms K] [--rounds T] [--seeds N]. The worlds of the catalogue are one
Bradley-Terry-Luce matrix, 5 phases of matrices with SST and STI, and 10 phases of cyclic ones.
"""

from __future__ import annotations

import argparse

import numpy as np

import driftduel as dd
from driftduel.worlds import catalogue


def main() -> None:
    parser = argparse.ArgumentParser(description="Borda regret of bandits behind a gate")
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=10**6)
    parser.add_argument("--seeds", type=int, default=6)
    options, _ = parser.parse_known_args()
    size = {"n_arms": options.arms, "horizon": options.rounds}
    worlds = {
        "never changes": catalogue.build("bradley-terry-luce", **size),
        "5 phases": catalogue.build("switching", **size, n_phases=5, kind="sst-sti"),
        "10 cyclic phases": catalogue.build("switching", **size, n_phases=10, kind="cyclic"),
    }
    print(f"| learner | told | {' | '.join(worlds)} |")
    print("|---|---|" + "---:|" * len(worlds))
    for name, told, learner in players(options.arms, options.rounds):
        cells = []
        for world in worlds.values():
            runs = dd.simulate_many(learner, world, range(options.seeds), points=1)
            final = np.array([run.regret("borda")[-1] for run in runs])
            error = final.std(ddof=1) / np.sqrt(len(final)) if len(final) > 1 else np.nan
            cells.append(f"{final.mean():,.0f} ± {error:,.0f}")
        print(f"| {name} | {told} | {' | '.join(cells)} |", flush=True)


def players(n_arms: int, rounds: int) -> list[tuple[str, str, dd.Learner]]:
    """Return learners by name and by what they are told."""
    return [
        ("ADSWITCH", "T", dd.learners.ADSWITCH(n_arms, rounds)),
        ("MASTER", "T", dd.learners.MASTER(n_arms, rounds)),
        ("Gate of Tsallis-INF", "T", dd.learners.Gate(n_arms, rounds)),
        (
            "Gate of discounted UCB",
            "T, memory",
            dd.learners.Gate(n_arms, rounds, bandit="discounted-ucb", memory=5000),
        ),
        ("DriftDuel", "nothing", dd.DriftDuel(n_arms)),
        ("Uniform", "nothing", dd.learners.Uniform(n_arms)),
    ]


if __name__ == "__main__":
    main()
