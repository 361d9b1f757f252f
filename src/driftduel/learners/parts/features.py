"""What learners that are told features compute with: coordinates, a design, and linear equations.

Estimates depend on the differences ``phi_ij = x_i - x_j`` alone, and on nothing but the space that
the columns of the features span over the arms. So features are replaced by coordinates of the arms
whose columns have mean 0, variance 1 and no correlation: then no equation is singular, whatever is
given, and d is their number, at most K - 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from driftduel._support.compile.jit import inline_kernel, kernel
from driftduel.learners.contract.ranges import Known, Range, such_that
from driftduel.learners.parts.arrays import Floats, Ints

Features = Sequence[Sequence[float]]

_DEPENDENT = 1e-6
"""A column of which no more is left than this share follows from those before it."""

_CLOSE_ENOUGH = 1.01
"""A design is good if no pair has a larger variance than so many times the least possible."""

_MOST_STEPS = 300


def coordinates_of(features: Floats) -> Floats:
    """Return the coordinates (K, d) of arms by their features: Gram and Schmidt, twice over.

    Examples
    --------
    >>> coordinates_of(np.array([[3.0, 30.0, 0.0], [5.0, 50.0, 0.0]]))
    array([[-1.],
           [ 1.]])
    """
    centred = features - features.mean(axis=0)
    basis: list[Floats] = []
    for column in centred.T:
        size = float(np.abs(column).max())
        if size <= 1e-12 * float(np.abs(features).max()):
            continue
        rest = column / size
        before = math.sqrt(float((rest**2).sum()))
        for _ in range(2):
            for direction in basis:
                rest = rest - float((direction * rest).sum()) * direction
        length = math.sqrt(float((rest**2).sum()))
        if length > _DEPENDENT * before:
            basis.append(rest / length)
    return np.ascontiguousarray(np.column_stack(basis) * math.sqrt(len(features)))


def least_eigenvalue(features: Floats, n_coordinates: int) -> float:
    """Return lambda_0: the least eigenvalue of sum_ij phi phi^T / K^2, but for those that are 0.

    Features are scaled so that the longest phi has length 1.

    Examples
    --------
    >>> least_eigenvalue(np.eye(4), 3)
    0.25
    """
    largest = float(np.abs(features).max())
    scaled = (features - features.mean(axis=0)) / (largest or 1.0)
    longest = max(float(((scaled - row) ** 2).sum(axis=1).max()) for row in scaled)
    small = scaled.T if len(scaled) < scaled.shape[1] else scaled
    values = np.linalg.eigvalsh(2.0 * small.T @ small / (len(features) * longest))
    return round(float(values[-n_coordinates]), 12)


def design_of(coordinates: Floats) -> list[tuple[int, int, float]]:
    """Return a G-optimal design: pairs of arms and their shares, which sum to 1.

    The largest variance ``phi^T (sum pi phi phi^T)^-1 phi`` of a pair is least, and then d. Shares
    begin equal and are multiplied by the variance over d, which leads there (Titterington 1976)
    and breaks no ties; those below a quarter of an equal share are left out in the end.

    Examples
    --------
    >>> [(left, right) for left, right, _ in design_of(coordinates_of(np.array([[0], [1], [9]])))]
    [(0, 2)]
    """
    n_arms, size = coordinates.shape
    n_pairs = n_arms * (n_arms - 1) // 2
    shares = (1.0 - np.eye(n_arms)) / (2 * n_pairs)
    for _ in range(_MOST_STEPS):
        moments = (coordinates.T * (2.0 * shares.sum(axis=1))) @ coordinates
        moments -= 2.0 * coordinates.T @ shares @ coordinates
        rows = np.linalg.solve(np.linalg.cholesky(moments), coordinates.T).T
        squares = (rows**2).sum(axis=1)
        variances = np.maximum(squares[:, None] + squares - 2.0 * rows @ rows.T, 0.0)
        if variances.max() <= _CLOSE_ENOUGH * size:
            break
        shares *= variances / size
    upper = np.triu(2.0 * shares, 1)
    upper[upper < 0.25 / n_pairs] = 0.0
    upper /= upper.sum()
    return [(int(i), int(j), float(upper[i, j])) for i, j in np.argwhere(upper > 0)]


def _are_coordinates(values: Floats, known: Known) -> Floats:
    return np.asarray(np.abs(values - known.fresh.coordinates) <= 1e-6)


COORDINATES: Range = such_that("what the features give", _are_coordinates)


@kernel
def factor(matrix: Floats) -> None:
    """Replace a positive definite matrix by the lower triangle of its Cholesky factor."""
    size = matrix.shape[0]
    for row in range(size):
        for column in range(row + 1):
            total = matrix[row, column]
            for place in range(column):
                total -= matrix[row, place] * matrix[column, place]
            if row == column:
                matrix[row, row] = math.sqrt(max(total, 1e-300))
            else:
                matrix[row, column] = total / matrix[column, column]


@kernel
def solve(factored: Floats, vector: Floats) -> None:
    """Replace a vector b by the x of A x = b, by the factor of A."""
    size = vector.shape[0]
    for row in range(size):
        total = vector[row]
        for place in range(row):
            total -= factored[row, place] * vector[place]
        vector[row] = total / factored[row, row]
    for back in range(size):
        row = size - 1 - back
        total = vector[row]
        for place in range(row + 1, size):
            total -= factored[place, row] * vector[place]
        vector[row] = total / factored[row, row]


@inline_kernel
def along(coordinates: Floats, arm: int, vector: Floats) -> float:
    """Return the inner product of an arm's coordinates with a vector."""
    total = 0.0
    for place in range(vector.shape[0]):
        total += coordinates[arm, place] * vector[place]
    return total


def one_hot(features: Features | None, n_arms: int) -> Floats:
    """Return features as an array; without any, each arm has one of its own."""
    return np.eye(n_arms) if features is None else np.asarray(features, np.float64)


def duels_of(design: list[tuple[int, int, float]], total: float) -> Ints:
    """Return the rows (left, right, duels) of a design, so many duels in all, rounded up."""
    rows = [(left, right, math.ceil(share * total - 1e-6)) for left, right, share in design]
    return np.array(rows, np.int64)
