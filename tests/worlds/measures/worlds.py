"""Small random worlds in whole numbers, in which ties and exact hits of thresholds are common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from driftduel import Stream, WeightSequence

KINDS = (
    ("star",),
    ("star", "star", "ties"),
    ("rock",),
    ("rock", "star"),
    ("gic", "extreme"),
    ("gic",),
    ("any", "rock"),
    ("condorcet",),
    ("utility", "ties"),
)


@dataclass(frozen=True)
class World:
    """Rounds of integer matrices over ``unit``, and integer weights of equal sum per round."""

    unit: int
    rounds: list[list[list[int]]]
    weights: list[list[int]]

    @property
    def n_arms(self) -> int:
        return len(self.rounds[0])

    @property
    def stream(self) -> Stream:
        return Stream.sequence(np.array(self.rounds) / self.unit)

    @property
    def sequence(self) -> WeightSequence:
        starts = [
            t for t in range(len(self.weights)) if t == 0 or self.weights[t] != self.weights[t - 1]
        ]
        rows = np.array([self.weights[t] for t in starts]) / sum(self.weights[0])
        return WeightSequence(rows, starts)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    n_arms = draw(st.sampled_from((2, 2, 2, 3, 3, 4, 5)))
    unit = draw(st.sampled_from((2, 8, 16)))
    horizon = draw(st.sampled_from((120, 90, 60, 1, 2) if n_arms < 4 else (40, 30, 20)))
    kinds = draw(st.sampled_from(KINDS))
    longest = draw(st.sampled_from((horizon // 2 + 1, horizon // 3 + 1, horizon, 3, 1)))
    n_matrices = draw(st.integers(2, 5))
    n_weights = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    palette = [matrix(rng, n_arms, unit, kinds[m % len(kinds)]) for m in range(n_matrices)]
    which = timeline(rng, n_matrices, horizon, longest)
    table = rng.multinomial(draw(st.integers(1, 6)), np.full(n_arms, 1 / n_arms), n_weights)
    turns = timeline(rng, n_weights, horizon, horizon)
    return World(
        unit,
        [palette[m].tolist() for m in which],
        [table[w].tolist() for w in turns],
    )


def timeline(rng: np.random.Generator, n: int, horizon: int, longest: int) -> list[int]:
    """Stretches of up to ``longest`` rounds, each ruled by one of n."""
    rounds: list[int] = []
    while len(rounds) < horizon:
        rounds += [int(rng.integers(n))] * int(rng.integers(1, longest + 1))
    return rounds[:horizon]


def matrix(rng: np.random.Generator, n_arms: int, unit: int, kind: str) -> np.ndarray:
    """A matrix over ``unit`` of one of the kinds that `KINDS` combines."""
    half = unit // 2
    if kind == "utility":
        utility = rng.integers(0, half + 1, n_arms)
        return half + utility[:, None] - utility[None, :]
    if kind == "rock" and n_arms > 2:
        around = unit * np.roll(np.eye(n_arms, dtype=int), rng.choice((-1, 1)), axis=1)
        return np.where(around + around.T > 0, around, half)
    values = {
        "extreme": (0, half, unit),
        "ties": (half,),
        "star": (0, half, unit),
    }.get(kind, tuple(range(unit + 1)))
    upper = np.triu(rng.choice(values, (n_arms, n_arms)), 1)
    P = upper + np.tril(unit - upper.T, -1) + half * np.eye(n_arms, dtype=int)
    best = rng.integers(n_arms)
    others = np.arange(n_arms) != best
    if kind == "condorcet":
        P[best] = np.maximum(P[best], unit - P[best])
    elif kind == "gic":
        P[best, others] = np.maximum(P[others][:, others].max(axis=0), P[best, others])
    elif kind == "star":
        P[best, others] = unit
    P[others, best] = unit - P[best, others]
    return P
