"""What rows of a bin add up: the products of a design with states, in two ways that agree.

A row tells z' s, where s is the state and z has 1 for the left arm, -1 for the right one, and 1 for
the side, the effect of the pair, or the group. Few rows are a matrix. Of many rows z has two or
three entries that are not 0, and sums over rows are put in their places.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftduel.votes.likely.bins import Floats, Ints


@dataclass(frozen=True)
class Matrix:
    """Rows as a matrix, (R, A)."""

    z: Floats

    def of(self, x: Floats) -> Floats:
        """Return what rows tell under states, (N, A) to (N, R)."""
        return np.asarray(x @ self.z.T)

    def variance(self, spread: Floats) -> Floats:
        """Return the variances of that under covariances, (N, A, A) to (N, R)."""
        return np.asarray((np.matmul(self.z, spread) * self.z).sum(axis=2))

    def gradient(self, residual: Floats) -> Floats:
        """Return the sums of z over rows with these weights, (N, R) to (N, A)."""
        return np.asarray(residual @ self.z)

    def curvature(self, weight: Floats) -> Floats:
        """Return the sums of z z' over rows with these weights, (N, R) to (N, A, A)."""
        return np.asarray((self.z.T * weight[:, None, :]) @ self.z)


@dataclass(frozen=True)
class Pairs:
    """Rows as places of their arms, each ordered pair once; the side, if any, is the last place.

    Attributes
    ----------
    left, right : ndarray of shape (R,)
    size : int
        A, how many places there are.
    sided : bool
    """

    left: Ints
    right: Ints
    size: int
    sided: bool

    def of(self, x: Floats) -> Floats:
        """Return what rows tell under states, (N, A) to (N, R)."""
        found = x[:, self.left] - x[:, self.right]
        return found + x[:, -1:] if self.sided else found

    def variance(self, spread: Floats) -> Floats:
        """Return the variances of that under covariances, (N, A, A) to (N, R)."""
        own = np.diagonal(spread, axis1=1, axis2=2)
        found = own[:, self.left] + own[:, self.right] - 2 * spread[:, self.left, self.right]
        if self.sided:
            side = spread[:, -1]
            found = found + side[:, -1:] + 2 * (side[:, self.left] - side[:, self.right])
        return np.asarray(found)

    def gradient(self, residual: Floats) -> Floats:
        """Return the sums of z over rows with these weights, (N, R) to (N, A)."""
        table = self._table(residual)
        found = table.sum(axis=2) - table.sum(axis=1)
        if self.sided:
            found[:, -1] = residual.sum(axis=1)
        return np.asarray(found)

    def curvature(self, weight: Floats) -> Floats:
        """Return the sums of z z' over rows with these weights, (N, R) to (N, A, A)."""
        table = self._table(weight)
        won, lost = table.sum(axis=2), table.sum(axis=1)
        found = -table - np.swapaxes(table, 1, 2)
        at = np.arange(self.size)
        found[:, at, at] += won + lost
        if self.sided:
            found[:, -1] = found[:, :, -1] = won - lost
            found[:, -1, -1] = weight.sum(axis=1)
        return np.asarray(found)

    def _table(self, weight: Floats) -> Floats:
        found = np.zeros((len(weight), self.size, self.size))
        found[:, self.left, self.right] = weight
        return found


Design = Matrix | Pairs
