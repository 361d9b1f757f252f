"""What each matrix of a palette says of each arm: the tables that measures are made from.

Tables have one row per matrix, not per round, and are made without a copy of the palette: a world
that changes every round may fill half the memory already.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import jit
from driftduel.matrix.criteria import Borda
from driftduel.matrix.preferences import TIE, Array
from driftduel.matrix.weights import WeightSequence
from driftduel.worlds.measures.shown import Shown
from driftduel.worlds.measures.significant import Gaps
from driftduel.worlds.timelines import Ints

Bools = NDArray[np.bool_]


class Survey(NamedTuple):
    """What one look at every matrix finds.

    Attributes
    ----------
    column_best : array of shape (M, K)
        The largest entry of each column.
    shortfall : array of shape (M, K)
        How far the row of each arm is below the largest entries, at most; 0 for an arm that
        maximises every column.
    unbeaten : array of bool, shape (M, K)
        Whether no arm beats this one.
    """

    column_best: Array
    shortfall: Array
    unbeaten: Bools

    @property
    def dominant(self) -> Bools:
        """Which arms maximise every column, the GIC winners."""
        return np.asarray(self.shortfall <= TIE)


def survey(palette: Array) -> Survey:
    """Look at every matrix once."""
    return Survey(*_survey(palette))


def score_winners(gaps: Gaps) -> Bools:
    """Return which arms have the best score, up to `TIE`, for gaps of a single weight."""
    return np.asarray(gaps.best - gaps.levels[:, :, 0] <= TIE)


def first_round(stream: Shown, matrices: Bools) -> int | None:
    """Return the first round ruled by one of the marked matrices, None if none is marked."""
    marked = np.flatnonzero(matrices[stream.which])
    return int(stream.starts[marked[0]]) if len(marked) else None


def borda_gaps(stream: Shown) -> Gaps:
    """Return the gaps in Borda scores."""
    if stream.weights is None:
        return _of_scores(stream, Borda().score_table(stream.palette))
    return _of_scores(stream, np.einsum("mab,mb->ma", stream.palette, stream.weights))


def weighted_gaps(stream: Shown, weights: WeightSequence) -> Gaps:
    """Return the gaps in weighted Borda scores for a known weight or sequence of weights."""
    turns = np.asarray(weights.starts)
    turns = turns[turns < stream.horizon]
    if len(turns) == 1:
        return _of_scores(stream, stream.palette @ weights.table[0])
    begins = np.union1d(stream.starts, turns)
    matrix = stream.which[np.searchsorted(stream.starts, begins, side="right") - 1]
    weight = np.searchsorted(turns, begins, side="right") - 1
    scores = _scores(stream.palette, weights.table, matrix, weight)
    rows = np.arange(len(begins))
    return _frozen(scores[:, :, None], scores.max(axis=1)[:, None], rows, begins, stream.horizon)


def point_mass_gaps(stream: Shown, column_best: Array) -> Gaps:
    """Return the gaps for the K point masses: column w of a matrix holds the scores for w."""
    return _frozen(stream.palette, column_best, stream.which, stream.starts, stream.horizon)


def condorcet_gaps(stream: Shown, unbeaten: Bools) -> Gaps:
    """Return the gaps to the Condorcet winner, the first of them if several tie."""
    winner = unbeaten.argmax(axis=1)
    return _of_scores(stream, stream.palette[np.arange(len(winner)), :, winner])


def _of_scores(stream: Shown, scores: Array) -> Gaps:
    best = scores.max(axis=1)[:, None]
    return _frozen(scores[:, :, None], best, stream.which, stream.starts, stream.horizon)


def _frozen(levels: Array, best: Array, which: Ints, starts: Ints, horizon: int) -> Gaps:
    """Make the arrays read-only, as those of a stream are: kernels are compiled once for all."""
    gaps = Gaps(
        np.ascontiguousarray(levels), np.ascontiguousarray(best), which[:], starts[:], horizon
    )
    for array in (gaps.levels, gaps.best, gaps.which, gaps.starts):
        array.setflags(write=False)
    return gaps


@jit
def _survey(palette: Array) -> tuple[Array, Array, Bools]:
    n_matrices, n_arms, _ = palette.shape
    column_best = np.zeros((n_matrices, n_arms))
    shortfall = np.zeros((n_matrices, n_arms))
    unbeaten = np.ones((n_matrices, n_arms), np.bool_)
    for m in range(n_matrices):
        for a in range(n_arms):
            for b in range(n_arms):
                column_best[m, b] = max(column_best[m, b], palette[m, a, b])
                if palette[m, a, b] < 0.5 - TIE:
                    unbeaten[m, a] = False
        for a in range(n_arms):
            for b in range(n_arms):
                shortfall[m, a] = max(shortfall[m, a], column_best[m, b] - palette[m, a, b])
    return column_best, shortfall, unbeaten


@jit
def _scores(palette: Array, weights: Array, matrix: Ints, weight: Ints) -> Array:
    """Return the scores of every arm in each row: matrix ``matrix[r]``, weight ``weight[r]``."""
    n_arms = palette.shape[1]
    scores = np.zeros((len(matrix), n_arms))
    for r in range(len(matrix)):
        for a in range(n_arms):
            for b in range(n_arms):
                scores[r, a] += palette[matrix[r], a, b] * weights[weight[r], b]
    return scores
