"""Small random worlds in whole numbers, in which ties and exact hits of thresholds are common."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from driftduel import Stream, WeightSequence

COMPILED = not os.environ.get("NUMBA_DISABLE_JIT")

KINDS = ("any", "extreme", "cycle", "condorcet", "gic", "star", "utility", "ties")


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
    n_arms = draw(st.sampled_from((2, 2, 3, 3, 4, 5)))
    unit = draw(st.sampled_from((2, 8, 16)))
    horizon = draw(st.integers(1, 44))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2))
    longest = draw(st.sampled_from((1, 3, horizon)))
    n_matrices = draw(st.integers(1, 5))
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
    """A matrix over ``unit`` of one of the `KINDS`."""
    half = unit // 2
    if kind == "utility":
        utility = rng.integers(0, half + 1, n_arms)
        return half + utility[:, None] - utility[None, :]
    values = {
        "extreme": (0, half, unit),
        "cycle": (0, unit),
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
