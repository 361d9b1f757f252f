"""Worlds of the adversarial suite in which nine of ten votes are ties, and the winner changes.

Streams have no ties, so learners are asked and told here, round by round. A tie is half a win, so
what may be lost a round is a tenth of what it is without ties.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

import driftduel as dd
from benchmarks._adversarial_worlds import FIRST_SEED
from driftduel.matrix.criteria import as_criterion
from driftduel.worlds import catalogue

TIES = 0.9
ROUNDS = 20_000
WORLDS: dict[str, tuple[str, dict[str, float]]] = {
    "90% ties: 3 arms, by 0.4": ("alternation", {"n_arms": 3, "margin": 0.4, "contenders": 2}),
    "90% ties: 10 arms, by 0.3": ("alternation", {"n_arms": 10, "margin": 0.3, "contenders": 2}),
}
"""The winner changes half way; margins are those of the votes that are no ties."""

LEARNERS: dict[str, Callable[[int, str, int], dd.Learner]] = {
    "DriftDuel": lambda k, aim, seed: dd.DriftDuel(k, criterion=as_criterion(aim), seed=seed),
    "MetaBosse": lambda k, aim, seed: dd.MetaBosse(
        k, ROUNDS, criterion=as_criterion(aim), seed=seed
    ),
    "Uniform": lambda k, _, seed: dd.learners.Uniform(k, seed=seed),
}


def tied_standings(criterion: str, seeds: int) -> pl.DataFrame:
    """Return a row for every world, as of the others; *right* is the share of rounds since."""
    return pl.DataFrame([_row(label, criterion, seeds) for label in WORLDS])


def _row(label: str, criterion: str, seeds: int) -> dict[str, float | str]:
    name, parameters = WORLDS[label]
    world = catalogue.build(name, **parameters, every=ROUNDS // 2, horizon=ROUNDS)
    runs = {
        learner: [
            play(make(world.n_arms, criterion, seed), world, criterion, seed)
            for seed in range(FIRST_SEED, FIRST_SEED + seeds)
        ]
        for learner, make in LEARNERS.items()
    }
    regret = {learner: np.array([run[0] for run in played]) for learner, played in runs.items()}
    ours = regret["DriftDuel"]
    return {
        "criterion": criterion,
        "world": f"{label}, {ROUNDS:,} rounds",
        "mean": float(ours.mean()),
        "error": float(ours.std(ddof=1) / np.sqrt(seeds)),
        "right": float(np.mean([run[1] for run in runs["DriftDuel"]])),
        "restarts": float(np.mean([run[2] for run in runs["DriftDuel"]])),
        "over METABOSSE": float(ours.mean() / regret["MetaBosse"].mean()),
        "over uniform": float(ours.mean() / regret["Uniform"].mean()),
        "max/median": float(ours.max() / np.median(ours)),
    }


def play(
    learner: dd.Learner, world: dd.Stream, criterion: str, seed: int
) -> tuple[float, float, int]:
    """Return the regret, in what share of the second half the best was right, and restarts."""
    rng = np.random.default_rng(seed)
    gaps = as_criterion(criterion).gap_table(world.palette)
    places = np.searchsorted(world.starts, np.arange(world.horizon), side="right") - 1
    half = world.horizon // 2
    lost = right = 0.0
    for t, number in enumerate(world.which[places]):
        duel = learner.ask()
        pair = duel.left, duel.right
        lost += (1 - TIES) * gaps[number, list(pair)].mean()
        won = float(rng.random() < world.palette[number][pair])
        learner.tell(duel, won if duel.is_vote and rng.random() >= TIES else 0.5)
        right += t >= half and learner.best() == gaps[number].argmin()
    return float(lost), right / (world.horizon - half), len(learner.episodes) - 1
