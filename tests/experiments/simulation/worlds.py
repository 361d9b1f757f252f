"""Worlds whose numbers are multiples of powers of 2, so that sums of them are exact."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import driftduel as dd
from driftduel.experiments.simulation import world_generator
from driftduel.experiments.simulation.loop import batches
from driftduel.learners.contract.base import learner_generator, settle_generator
from driftduel.learners.contract.history import History

ORDER = [
    [0.5, 0.75, 0.875, 1.0],
    [0.25, 0.5, 0.625, 0.75],
    [0.125, 0.375, 0.5, 0.5],
    [0.0, 0.25, 0.5, 0.5],
]
TURNED = np.transpose(ORDER).tolist()
CYCLE = [
    [0.5, 1.0, 0.0, 0.75],
    [0.0, 0.5, 1.0, 0.75],
    [1.0, 0.0, 0.5, 0.75],
    [0.25, 0.25, 0.25, 0.5],
]
SWITCHING = dd.Stream([ORDER, TURNED], which=[0, 1, 0], starts=[0, 130, 171], horizon=300)
SEQUENCE = dd.Weighted(dd.WeightSequence([[0.5, 0.25, 0.25, 0], [0, 0, 0, 1]], starts=[0, 77]))


def played(learner, stream, seed):
    """The left and the right arms of every round of a simulation."""
    rng = learner_generator(seed)
    state = learner._start(rng)
    others = settle_generator(seed), world_generator(seed)
    parts = batches(learner, stream, state, rng, *others, History())
    pairs = np.concatenate([part.copy() for _, part in parts])
    return pairs // stream.n_arms, pairs % stream.n_arms


@st.composite
def streams(draw, n_arms=4, longest=40):
    """Streams of two or three matrices with entries in eighths."""
    horizon = draw(st.integers(1, longest))
    palette = []
    for _ in range(draw(st.integers(1, 3))):
        upper = draw(
            st.lists(st.integers(0, 8), min_size=n_arms * n_arms, max_size=n_arms * n_arms)
        )
        half = np.triu(np.reshape(upper, (n_arms, n_arms)) / 8, 1)
        palette.append(half + np.tril(1 - half.T, -1) + np.eye(n_arms) / 2)
    turns = draw(st.sets(st.integers(1, longest), max_size=6))
    starts = [0, *sorted(turn for turn in turns if turn < horizon)]
    which = draw(
        st.lists(st.integers(0, len(palette) - 1), min_size=len(starts), max_size=len(starts))
    )
    return dd.Stream(palette, which, starts, horizon)


@st.composite
def weights(draw, n_arms=4, longest=40):
    """Sequences of weights in eighths."""
    table = []
    for _ in range(draw(st.integers(1, 3))):
        arms = draw(st.lists(st.integers(0, n_arms - 1), min_size=8, max_size=8))
        table.append(np.bincount(arms, minlength=n_arms) / 8)
    turns = st.lists(
        st.integers(1, longest), min_size=len(table) - 1, max_size=len(table) - 1, unique=True
    )
    return dd.Weighted(dd.WeightSequence(table, [0, *sorted(draw(turns))]))
