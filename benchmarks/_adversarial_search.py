"""A search for worlds that break DRIFTDUEL, bounded in minutes, that goes on where it ended.

Worlds are numbered; the number is the seed from which a world is drawn. A world has one to four
phases. Its first matrix is that of one winner, of a winner with spoilers, of random strengths or
anything; each further phase sets some pairs anew: an arm rises against all or against all but the
leader, two arms change places, a pair or the order of some arms changes. So most worlds have some
structure that a learner may overlook.

Each is played with a few seeds. If the mean regret is above that of METABOSSE or of uniform play,
or nearly, it is played again with fresh seeds, so that no lucky draw is kept. What counts is the
larger of the two ratios. The file ``search.json`` has how many were tried and the worst, with the
numbers to draw them again.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import driftduel as dd
from driftduel._support.files import replacing
from driftduel.matrix.criteria import as_criterion
from driftduel.matrix.preferences import condorcet_winners
from driftduel.worlds.matrices import Array, btl_matrix, random_matrix, winner_matrix

ROUNDS = 100_000
FIRST_LOOK, SECOND_LOOK = range(4), range(100, 116)
NEARLY = 0.8
"""A world with such a ratio is played again."""
KEPT = 20
"""So many of the worst are kept."""
PRINTED = 5
FILE = "search.json"
ARMS = (3, 4, 5, 8, 10, 20, 30)
"""Few sizes, since those of many arms take longest."""


def search(folder: Path, minutes: float) -> None:
    """Try worlds until the minutes are over, keep the worst, and print them."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE
    known: dict[str, Any] = {"tried": 0, "worst": []}
    if file.exists():
        known = json.loads(file.read_text(encoding="utf-8"))
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        number = known["tried"]
        known["tried"] += 1
        world = draw(number)
        for criterion in criteria_of(world):
            ratio = judge(world, criterion, FIRST_LOOK)
            if ratio > NEARLY:
                ratio = judge(world, criterion, SECOND_LOOK)
                known["worst"].append({"number": number, "criterion": criterion, "ratio": ratio})
        known["worst"] = sorted(known["worst"], key=lambda one: -one["ratio"])[:KEPT]
        with replacing(file) as written:
            written.write_text(json.dumps(known, indent=1), encoding="utf-8")
    print(f"{known['tried']:,} worlds tried; the worst, by the larger ratio:")
    for one in known["worst"][:PRINTED]:
        print(
            f"  {one['ratio']:.2f}  {one['criterion']:>9}  number {one['number']}: "
            f"{draw(one['number'])}"
        )


def judge(world: dd.Stream, criterion: str, seeds: range) -> float:
    """Return the mean regret over that of METABOSSE or of uniform play, whichever is larger."""
    n_arms, aim = world.n_arms, as_criterion(criterion)
    ours, paper, uniform = (
        np.mean(
            [run.regret(criterion)[-1] for run in dd.simulate_many(learner, world, seeds, points=1)]
        )
        for learner in (
            dd.DriftDuel(n_arms, criterion=aim),
            dd.MetaBosse(n_arms, world.horizon, criterion=aim),
            dd.learners.Uniform(n_arms),
        )
    )
    # Where nothing can be lost there is nothing to compare.
    return float(ours / max(1.0, min(paper, uniform)))


def criteria_of(world: dd.Stream) -> list[str]:
    """Return the criteria that have a winner in every phase."""
    clear = all(len(condorcet_winners(matrix)) == 1 for matrix in world.palette)
    return ["borda", "condorcet"] if clear else ["borda"]


def draw(number: int) -> dd.Stream:
    """Draw the world with a number.

    Examples
    --------
    >>> draw(5) == draw(5), draw(5).horizon
    (True, 100000)
    """
    rng = np.random.default_rng(number)
    n_arms = int(rng.choice(ARMS))
    matrices = [_first(rng, n_arms)]
    for _ in range(int(rng.integers(0, 4))):
        matrices.append(_next(rng, matrices[-1]))
    starts = [0, *np.sort(rng.choice(np.arange(1, 100), len(matrices) - 1, replace=False))]
    return dd.Stream.piecewise(matrices, np.array(starts) * (ROUNDS // 100), ROUNDS)


def _first(rng: np.random.Generator, n_arms: int) -> Array:
    kind = int(rng.integers(4))
    margin = float(rng.choice([0.01, 0.03, 0.1, 0.3]))
    if kind == 0:
        return winner_matrix(n_arms, 0, margin)
    if kind == 1:
        matrix = winner_matrix(n_arms, 0, margin)
        for spoiler in range(1, 1 + int(rng.integers(1, n_arms - 1))):
            _beat(matrix, spoiler, range(spoiler + 1, n_arms), float(rng.uniform(0.1, 0.5)))
            _beat(matrix, 0, [spoiler], float(rng.uniform(0.01, 0.4)))
        return matrix
    if kind == 2:
        return np.array(btl_matrix(np.exp(rng.normal(size=n_arms))))
    return np.array(random_matrix("any", n_arms, int(rng.integers(2**32))))


def _next(rng: np.random.Generator, before: Array) -> Array:
    matrix = before.copy()
    n_arms = len(matrix)
    leader = int(matrix.mean(axis=1).argmax())
    arm = int(rng.choice([one for one in range(n_arms) if one != leader]))
    margin = float(rng.choice([0.02, 0.1, 0.3, 0.45]))
    kind = int(rng.integers(4))
    if kind == 0:
        _beat(matrix, arm, [one for one in range(n_arms) if one not in (arm, leader)], margin)
    elif kind == 1:
        _beat(matrix, arm, [one for one in range(n_arms) if one != arm], margin)
    elif kind == 2:
        order = np.arange(n_arms)
        order[[arm, leader]] = leader, arm
        matrix = matrix[np.ix_(order, order)]
    else:
        others = [one for one in range(n_arms) if one != leader]
        order = np.arange(n_arms)
        order[others] = rng.permutation(others)
        matrix = matrix[np.ix_(order, order)]
    return matrix


def _beat(matrix: Array, arm: int, others: Any, margin: float) -> None:
    for other in others:
        matrix[arm, other], matrix[other, arm] = 0.5 + margin, 0.5 - margin
