"""What "best" means: Borda, Weighted, Condorcet, Copeland, VonNeumann: scores, gaps and regret.

A weighted Borda score is ``b(a, w) = sum_b P[a, b] w[b]``; the gap of an arm is how far it is
below the best score, and the regret of a round is the mean gap of the two arms played, as in
Suk & Agarwal. Borda is the uniform weight over all K arms, the arm itself included.
Condorcet is the point mass on the Condorcet winner c, so the gap of a is ``P[c, a] - 1/2``.
Copeland counts the arms that an arm beats. VonNeumann is the weight of each matrix that loses to no
arm on average. TopCycle, Uncovered and Banks ask for a member of these tournament solutions.

The literature also counts a round by its better arm only (weak regret), and by whether the arms
are winners instead of by how much they are worse (binary regret).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import BadParameter
from driftduel.matrix.preferences import TIE, as_matrix, condorcet_winners, maximisers, unbeaten
from driftduel.matrix.tournaments import (
    MOST_BANKS,
    banks_set,
    top_cycle,
    uncovered_set,
    von_neumann_table,
)
from driftduel.matrix.weights import Array, WeightSequence, as_weight, uniform


class NoCondorcetWinnerError(ValueError):
    """A matrix has no Condorcet winner where one is needed; ``index`` says which matrix."""

    def __init__(self, index: int) -> None:
        self.index = index
        super().__init__("no arm is a Condorcet winner, so Condorcet scores are undefined")


class Criterion(ABC):
    """What "best" means.

    Subclasses say what the scores of a stack of matrices are; the rest follows. A criterion is
    immutable, and two criteria of the same kind that mean the same are equal.
    """

    name: ClassVar[str]
    """The name that commands and result files use."""

    @abstractmethod
    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the scores (M, K) of every arm under every matrix of a palette (M, K, K).

        ``round_`` matters for weights that change with time only.
        """

    def gap_table(self, palette: Array, round_: int = 0) -> Array:
        """Return how far each arm (M, K) is below the best one under every matrix."""
        scores = self.score_table(palette, round_)
        return np.asarray(scores.max(axis=1, keepdims=True) - scores)

    def loss_table(self, palette: Array, round_: int = 0) -> Array:
        """Return 0 for each arm (M, K) that is a winner under a matrix and 1 for the others."""
        scores = self.score_table(palette, round_)
        return np.asarray(scores < scores.max(axis=1, keepdims=True) - TIE, dtype=np.float64)

    def changes(self) -> NDArray[np.int64]:
        """Return the rounds at which the criterion itself changes; the first is 0."""
        return np.zeros(1, dtype=np.int64)

    def check_arms(self, n_arms: int) -> None:
        """Raise ValueError if the criterion is not made for ``n_arms`` arms."""

    def among(self, arms: NDArray[np.int64]) -> Criterion:
        """Return what best means if only some arms are on offer.

        ``arms`` says which arm each of those was, -1 for one that is new, which has no weight.
        """
        return self

    def scores(self, P: ArrayLike, round_: int = 0) -> Array:
        """Return the score of every arm under the matrix ``P``."""
        return np.asarray(self.score_table(as_matrix(P)[None], round_)[0])

    def gaps(self, P: ArrayLike, round_: int = 0) -> Array:
        """Return how far every arm is below the best one under the matrix ``P``."""
        return np.asarray(self.gap_table(as_matrix(P)[None], round_)[0])

    def winners(self, P: ArrayLike, round_: int = 0) -> NDArray[np.intp]:
        """Return every arm that is best under the matrix ``P``."""
        return maximisers(self.scores(P, round_))

    def regret(
        self,
        P: ArrayLike,
        left: int,
        right: int,
        *,
        weak: bool = False,
        binary: bool = False,
        round_: int = 0,
    ) -> float:
        """Return the regret of one round in which ``left`` and ``right`` were played.

        Parameters
        ----------
        P : array_like of shape (K, K)
            The preference matrix of the round.
        left, right : int
            The arms played; they may be the same.
        weak : bool
            Count the better of the two arms only, instead of their mean.
        binary : bool
            Count 1 unless both arms are winners; if weak, unless one of them is.
        round_ : int
            The round, for weights that change with time.

        Examples
        --------
        >>> P = [[0.5, 0.6, 0.9], [0.4, 0.5, 0.6], [0.1, 0.4, 0.5]]
        >>> round(Condorcet().regret(P, 0, 2), 3), Condorcet().regret(P, 0, 2, weak=True)
        (0.2, 0.0)
        >>> Condorcet().regret(P, 0, 2, binary=True)
        1.0
        """
        table = self.loss_table if binary else self.gap_table
        gaps = table(as_matrix(P)[None], round_)[0]
        for arm in (left, right):
            if arm not in range(len(gaps)):
                raise ValueError(f"arm is {arm}, must be between 0 and {len(gaps) - 1}")
        return float(pair_regret(gaps[left], gaps[right], weak=weak, binary=binary))


def pair_regret(left: Array, right: Array, *, weak: bool = False, binary: bool = False) -> Array:
    """Combine the gaps of the two arms of a round: their mean, or the smaller one if weak.

    Of binary losses, 0 for a winner and 1 otherwise, the larger one counts unless weak.
    """
    if weak:
        return np.minimum(left, right)
    return np.maximum(left, right) if binary else (left + right) / 2


@dataclass(frozen=True)
class Borda(Criterion):
    """The chance to beat an arm drawn uniformly from all K arms, the arm itself included.

    Examples
    --------
    >>> Borda().scores([[0.5, 0.75], [0.25, 0.5]])
    array([0.625, 0.375])
    """

    name: ClassVar = "borda"

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the Borda scores (M, K); see `Criterion.score_table`."""
        return _weighted_scores(palette, uniform(palette.shape[-1]))


@dataclass(frozen=True)
class Weighted(Criterion):
    """The chance to beat an arm drawn from a given distribution.

    Parameters
    ----------
    weight : array_like of shape (K,) or WeightSequence
        The distribution, or a sequence of them over stretches of rounds.

    Examples
    --------
    >>> Weighted([1, 0]).scores([[0.5, 0.75], [0.25, 0.5]])
    array([0.5 , 0.25])
    """

    name: ClassVar = "weighted"

    weight: WeightSequence

    def __init__(self, weight: ArrayLike | WeightSequence) -> None:
        sequence = (
            weight
            if isinstance(weight, WeightSequence)
            else WeightSequence(as_weight(weight)[None])
        )
        object.__setattr__(self, "weight", sequence)

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the weighted scores (M, K); see `Criterion.score_table`."""
        self.check_arms(palette.shape[-1])
        return _weighted_scores(palette, self.weight.at(round_))

    def changes(self) -> NDArray[np.int64]:
        """Return the rounds at which the weight changes; the first is 0."""
        return np.asarray(self.weight.starts)

    def among(self, arms: NDArray[np.int64]) -> Weighted:
        """Return the same weight on some arms; those that have none of it may be missing.

        Examples
        --------
        >>> Weighted([0.5, 0, 0.5]).among(np.array([0, 2, -1])).weight.table
        array([[0.5, 0.5, 0. ]])
        """
        missing = np.setdiff1d(np.arange(self.weight.n_arms), arms)
        for arm in missing[self.weight.table[:, missing].any(axis=0)]:
            raise BadParameter("weight", f": arm {arm} has some, so it must be on offer")
        table = np.where(arms < 0, 0.0, self.weight.table[:, arms])
        return Weighted(WeightSequence(table, self.weight.starts))

    def check_arms(self, n_arms: int) -> None:
        """Raise ValueError if the weight is not over ``n_arms`` arms."""
        if self.weight.n_arms != n_arms:
            raise BadParameter(
                "weight", f": has {self.weight.n_arms} entries, there are {n_arms} arms"
            )


@dataclass(frozen=True)
class Condorcet(Criterion):
    """The chance to beat the Condorcet winner, the arm that no other arm beats.

    If several arms tie for Condorcet winner, scores and gaps refer to the first of them and
    `winners` lists them all.

    Examples
    --------
    >>> Condorcet().gaps([[0.5, 0.75], [0.25, 0.5]])
    array([0.  , 0.25])
    >>> Condorcet().scores([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    Traceback (most recent call last):
        ...
    driftduel.matrix.criteria.NoCondorcetWinnerError: no arm is a Condorcet winner, so Condorcet scores are undefined
    """  # noqa: E501

    name: ClassVar = "condorcet"

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the scores (M, K) against the Condorcet winner of each matrix."""
        winners = unbeaten(palette)
        if not winners.any(axis=1).all():
            raise NoCondorcetWinnerError(int(np.flatnonzero(~winners.any(axis=1))[0]))
        winner = winners.argmax(axis=1)
        return np.asarray(palette[np.arange(len(palette)), :, winner])

    def loss_table(self, palette: Array, round_: int = 0) -> Array:
        """Return 0 for each Condorcet winner (M, K) and 1 for the others, ties with it too."""
        self.score_table(palette, round_)
        return np.asarray(~unbeaten(palette), dtype=np.float64)

    def winners(self, P: ArrayLike, round_: int = 0) -> NDArray[np.intp]:
        """Return every Condorcet winner of ``P``; none is an error."""
        winners = condorcet_winners(as_matrix(P))
        if len(winners) == 0:
            raise NoCondorcetWinnerError(0)
        return winners


@dataclass(frozen=True)
class Copeland(Criterion):
    """The share of the other arms that an arm beats; a tie counts half.

    The winner is the Condorcet winner where there is one, and exists always.

    Examples
    --------
    >>> Copeland().scores([[0.5, 0.75, 0.6], [0.25, 0.5, 0.5], [0.4, 0.5, 0.5]])
    array([1.  , 0.25, 0.25])
    """

    name: ClassVar = "copeland"

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the Copeland scores (M, K), from 0 to 1; see `Criterion.score_table`."""
        beaten = (palette > 0.5 + TIE).sum(axis=2)
        withstood = (palette >= 0.5 - TIE).sum(axis=2) - 1  # the arm itself is none of the others
        return np.asarray((beaten + withstood) / (2 * (palette.shape[-1] - 1)))


@dataclass(frozen=True)
class VonNeumann(Criterion):
    """The chance to beat an arm drawn from the von Neumann winner, which loses to no arm.

    The weight is that of `driftduel.matrix.von_neumann_winner`, matrix by matrix; where
    several will do it is their centre. The gap of an arm is what the winner gains on it, so it is 0
    for the arms that the winner plays, and the regret against a Condorcet winner where one arm
    beats all.

    Examples
    --------
    >>> rock = [[0.5, 1, 0, 1], [0, 0.5, 1, 1], [1, 0, 0.5, 1], [0, 0, 0, 0.5]]
    >>> VonNeumann().gaps(rock), VonNeumann().winners(rock)
    (array([0. , 0. , 0. , 0.5]), array([0, 1, 2]))
    """

    name: ClassVar = "von-neumann"

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the scores (M, K) against the von Neumann winner; those it plays have 1/2."""
        weights, support, _ = von_neumann_table(palette)
        scores = np.minimum(np.einsum("mab,mb->ma", palette, weights), 0.5)
        return np.where(support, 0.5, scores)


@dataclass(frozen=True)
class TopCycle(Criterion):
    """The least chance to beat a member of the top cycle; that of a member counts as 1/2.

    So the gap of an arm outside is the most that a member beats it by.

    Examples
    --------
    >>> rock = [[0.5, 1, 0, 0.7], [0, 0.5, 1, 0.8], [1, 0, 0.5, 0.9], [0.3, 0.2, 0.1, 0.5]]
    >>> TopCycle().gaps(rock).round(12)
    array([0. , 0. , 0. , 0.4])
    """

    name: ClassVar = "top-cycle"

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the scores (M, K); see `Criterion.score_table`."""
        scores = np.full(palette.shape[:2], 0.5)
        for row, P in zip(scores, palette, strict=True):
            members = top_cycle(P)
            others = np.setdiff1d(np.arange(len(P)), members)
            row[others] = P[np.ix_(others, members)].min(axis=1)
        return scores


@dataclass(frozen=True)
class Uncovered(Criterion):
    """1 for the members of the uncovered set and 0 for others: regret counts the others.

    Examples
    --------
    >>> Uncovered().scores([[0.5, 0.75, 0.6], [0.25, 0.5, 0.5], [0.4, 0.5, 0.5]])
    array([1., 0., 0.])
    """

    name: ClassVar = "uncovered"

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the scores (M, K); see `Criterion.score_table`."""
        return _memberships(palette, uncovered_set)


@dataclass(frozen=True)
class Banks(Criterion):
    """1 for the members of the Banks set and 0 for others, of 20 arms at most.

    Examples
    --------
    >>> Banks().scores([[0.5, 0.75, 0.6], [0.25, 0.5, 0.5], [0.4, 0.5, 0.5]])
    array([1., 0., 0.])
    """

    name: ClassVar = "banks"

    def score_table(self, palette: Array, round_: int = 0) -> Array:
        """Return the scores (M, K); see `Criterion.score_table`."""
        return _memberships(palette, banks_set)

    def check_arms(self, n_arms: int) -> None:
        """Raise ValueError if there are more arms than the Banks set is known for."""
        if n_arms > MOST_BANKS:
            raise BadParameter(
                "n_arms", f"is {n_arms}, the Banks set is known for {MOST_BANKS} arms at most"
            )


def _memberships(palette: Array, solution: Callable[[ArrayLike], NDArray[np.intp]]) -> Array:
    scores = np.zeros(palette.shape[:2])
    for row, P in zip(scores, palette, strict=True):
        row[solution(P)] = 1.0
    return scores


def _weighted_scores(palette: Array, weight: Array) -> Array:
    """Return b(a, w) of every arm and matrix; unlike with BLAS, equal rows get equal scores."""
    return np.asarray(np.einsum("mab,b->ma", palette, weight))


NAMED: dict[str, type[Criterion]] = {
    kind.name: kind for kind in (Borda, Condorcet, Copeland, VonNeumann, TopCycle, Uncovered, Banks)
}
"""The criteria that a name is enough for."""


def as_criterion(criterion: Criterion | str | Sequence[float]) -> Criterion:
    """Return a criterion given as itself, by name, or as the weights of the arms.

    Examples
    --------
    >>> as_criterion("borda")
    Borda()
    >>> as_criterion([0.5, 0.25, 0.25]).name
    'weighted'
    """
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, str) and criterion in NAMED:
        return NAMED[criterion]()
    if isinstance(criterion, list | tuple | np.ndarray):
        return Weighted(criterion)
    names = ", ".join(map(repr, NAMED))
    raise BadParameter("criterion", f"is {criterion!r}, must be {names} or a list of weights")
