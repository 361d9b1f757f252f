"""Small random worlds with many ties, for comparing fast code with plain loops."""

from __future__ import annotations

import numpy as np

from driftduel import Stream


def tied_matrix(rng, n_arms, grid=(0.25, 0.5, 0.75)):
    """A matrix whose entries come from a coarse grid, so that ties abound."""
    P = np.full((n_arms, n_arms), 0.5)
    for a in range(n_arms):
        for b in range(a):
            P[a, b] = rng.choice(grid)
            P[b, a] = 1 - P[a, b]
    return P


def tied_world(seed, n_arms=3, stretches=6, lengths=4, labels=None):
    rng = np.random.default_rng(seed)
    matrices = [tied_matrix(rng, n_arms) for _ in range(stretches)]
    starts = np.append(0, np.cumsum(rng.integers(1, lengths, stretches)))
    return Stream.piecewise(matrices, starts[:-1], int(starts[-1]), labels=labels)
