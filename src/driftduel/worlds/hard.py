"""The hard instances of Suk & Agarwal, each with the weight its regret is evaluated at.

In most of them the arms fall into a good and a bad half: good beats bad with probability 0.9 and
arms of the same half tie. What is hidden is a small epsilon, below 0.05:

- *known weight* (Theorem "Lower Bound on Regret in Stochastic Setting"): one good arm beats all
  bad arms with 0.9 + epsilon, epsilon = (K/T)^(1/3), and the bad half has at least half of the
  weight;
- *GIC* (Theorem "Lower Bound on Adaptive Regret under GIC"): one good arm beats one bad arm with
  0.9 + epsilon, epsilon = K^(2/3) T^(-1/3), and the weight is the point mass on that bad arm.

Each has a dynamic version, with a new secret drawn for each of L phases and epsilon meant for
T/L rounds, and a version with L the largest that keeps the total variation below a budget.

With an odd number of arms one arm ties with all others and K stands for the number of the
others, which is the paper's own reduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftduel._support.checks import BadParameter, as_count, as_horizon, as_number
from driftduel.matrix.criteria import Weighted
from driftduel.matrix.weights import WeightSequence, as_weight, point_mass, uniform
from driftduel.worlds.checks import Seed, as_arm, as_n_arms, as_rng, check_size, check_stretches
from driftduel.worlds.matrices import Array
from driftduel.worlds.stream import Stream
from driftduel.worlds.synthetic.phases import phase_starts
from driftduel.worlds.synthetic.switches import spurious_switches
from driftduel.worlds.timelines import Ints

__all__ = [
    "BORDA_AGAINST_CONDORCET",
    "LARGEST_EPSILON",
    "HardInstance",
    "borda_against_condorcet",
    "gic",
    "gic_dynamic",
    "gic_pair",
    "gic_variation",
    "known_weight",
    "known_weight_dynamic",
    "known_weight_variation",
    "shuffled_halves",
    "spurious_switches",
]

LARGEST_EPSILON = 0.049
"""The theorems hold for epsilon below 0.05; on short horizons epsilon is cut to this."""

BORDA_AGAINST_CONDORCET = ((0.5, 0.6, 0.6), (0.4, 0.5, 1.0), (0.4, 0.0, 0.5))
"""Arm 0 is the Condorcet winner, arm 1 the Borda winner, and no arm is good for every weight."""


@dataclass(frozen=True, eq=False)
class HardInstance:
    """A hard stream and what the theorem about it needs to know.

    Attributes
    ----------
    stream : Stream
        The world.
    weight : WeightSequence
        The reference weight at which the theorem measures regret.
    winners : tuple of int
        The best arm of each phase under the weight. Two phases in a row may have the same.
    good, bad : tuple of int
        The two halves of the arms.
    epsilon : float
        By how much the best arm is better.

    Examples
    --------
    >>> instance = gic(n_arms=4, horizon=10**6, winner=0, rival=2)
    >>> instance.stream.regret([0], [2], instance.criterion).round(3)
    array([0.213])
    """

    stream: Stream
    weight: WeightSequence
    winners: tuple[int, ...]
    good: tuple[int, ...]
    bad: tuple[int, ...]
    epsilon: float

    @property
    def criterion(self) -> Weighted:
        """The criterion that the theorem measures regret with."""
        return Weighted(self.weight)


def known_weight(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    weight: ArrayLike | None = None,
    winner: int | None = None,
    epsilon: float | None = None,
    seed: Seed = 0,
) -> HardInstance:
    """Make the lower bound for a known weight: one good arm is better against all bad arms.

    The bad half is the last half of the arms if it has half of the weight, otherwise the first.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms, 3 at least, and of rounds.
    weight : array_like of shape (K,), optional
        The known weight; uniform, which is Borda, if left out.
    winner : int, optional
        The better good arm, the paper's variant; drawn if left out.
    epsilon : float, optional
        By how much it is better: ``(K/T)^(1/3)`` if left out, cut to `LARGEST_EPSILON`. 0 is the
        paper's reference environment, in which all good arms are equal.
    seed : int, Generator or None
        Draws the winner.

    Examples
    --------
    >>> instance = known_weight(n_arms=4, horizon=4 * 10**6, winner=1)
    >>> instance.stream.matrix(0)
    array([[0.5 , 0.5 , 0.9 , 0.9 ],
           [0.5 , 0.5 , 0.91, 0.91],
           [0.1 , 0.09, 0.5 , 0.5 ],
           [0.1 , 0.09, 0.5 , 0.5 ]])
    """
    rng = as_rng(seed)
    layout = _Layout.for_weight(n_arms, weight)
    horizon = as_horizon(horizon)
    best = layout.draw(layout.good, 1, rng) if winner is None else layout.chosen(winner, "winner")
    shift = _epsilon(layout.n_paired / horizon) if epsilon is None else _check_epsilon(epsilon)
    return _known_weight(layout, best, np.zeros(1, dtype=np.int64), horizon, shift)


def known_weight_dynamic(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    n_phases: int = 5,
    weight: ArrayLike | None = None,
    seed: Seed = 0,
) -> HardInstance:
    """Make the dynamic lower bound for a known weight: a new better arm in every phase.

    Each phase of T/L rounds draws its winner from the good half, so there are at most
    ``n_phases`` phases, and epsilon is ``(K L/T)^(1/3)``.

    Examples
    --------
    >>> known_weight_dynamic(n_arms=4, horizon=1000, n_phases=4, seed=1).winners
    (0, 1, 1, 1)
    """
    rng = as_rng(seed)
    layout = _Layout.for_weight(n_arms, weight)
    starts = phase_starts(horizon, n_phases, "even", rng)
    best = layout.draw(layout.good, len(starts), rng)
    shift = _epsilon(layout.n_paired * len(starts) / horizon)
    return _known_weight(layout, best, starts, horizon, shift)


def known_weight_variation(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    variation: float = 1.0,
    weight: ArrayLike | None = None,
    seed: Seed = 0,
) -> HardInstance:
    """Make the lower bound for a known weight within a budget of total variation V.

    It is `known_weight_dynamic` with ``L = T^(1/4) V^(3/4) K^(-1/4)`` phases, rounded down and 1
    at least, so that the total variation is at most ``L (K L/T)^(1/3) <= V``.

    Examples
    --------
    >>> instance = known_weight_variation(n_arms=10, horizon=10**5, variation=2.0)
    >>> len(instance.winners)
    16
    """
    layout = _Layout.for_weight(n_arms, weight)
    n_phases = _phases_within(variation, as_horizon(horizon), layout.n_paired)
    return known_weight_dynamic(
        n_arms=n_arms, horizon=horizon, n_phases=n_phases, weight=weight, seed=seed
    )


def gic(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    winner: int | None = None,
    rival: int | None = None,
    epsilon: float | None = None,
    seed: Seed = 0,
) -> HardInstance:
    """Make the lower bound under GIC: one good arm is better against one bad arm.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms, 4 at least, and of rounds.
    winner, rival : int, optional
        The better good arm and the bad arm it is better against, which the weight is the point
        mass on; drawn if left out.
    epsilon : float, optional
        By how much it is better: ``K^(2/3) T^(-1/3)`` if left out, cut to `LARGEST_EPSILON`.
    seed : int, Generator or None
        Draws the winner and the rival.

    Examples
    --------
    >>> instance = gic(n_arms=4, horizon=16 * 10**6, winner=1, rival=2)
    >>> instance.stream.matrix(0)
    array([[0.5 , 0.5 , 0.9 , 0.9 ],
           [0.5 , 0.5 , 0.91, 0.9 ],
           [0.1 , 0.09, 0.5 , 0.5 ],
           [0.1 , 0.1 , 0.5 , 0.5 ]])
    >>> instance.weight.at(0)
    array([0., 0., 1., 0.])
    """
    rng = as_rng(seed)
    layout = _Layout.halves(as_n_arms(n_arms, 4))
    horizon = as_horizon(horizon)
    best = layout.draw(layout.good, 1, rng)
    against = layout.draw(layout.bad, 1, rng)
    if winner is not None:
        best = layout.chosen(winner, "winner")
    if rival is not None:
        against = layout.chosen(rival, "rival")
    shift = _epsilon(layout.n_paired**2 / horizon) if epsilon is None else _check_epsilon(epsilon)
    return _gic(layout, best, against, np.zeros(1, dtype=np.int64), horizon, shift)


def gic_dynamic(
    *, n_arms: int = 10, horizon: int = 100_000, n_phases: int = 5, seed: Seed = 0
) -> HardInstance:
    """Make the dynamic lower bound under GIC: a new winner and a new rival in every phase.

    Epsilon is ``K^(2/3) (L/T)^(1/3)``, and the weight follows the rival.

    Examples
    --------
    >>> instance = gic_dynamic(n_arms=4, horizon=1000, n_phases=4, seed=1)
    >>> instance.winners, instance.weight.at(0), instance.weight.at(999)
    ((0, 1, 1, 1), array([0., 0., 1., 0.]), array([0., 0., 0., 1.]))
    """
    rng = as_rng(seed)
    layout = _Layout.halves(as_n_arms(n_arms, 4))
    starts = phase_starts(horizon, n_phases, "even", rng)
    best = layout.draw(layout.good, len(starts), rng)
    against = layout.draw(layout.bad, len(starts), rng)
    shift = _epsilon(layout.n_paired**2 * len(starts) / horizon)
    return _gic(layout, best, against, starts, horizon, shift)


def gic_variation(
    *, n_arms: int = 10, horizon: int = 100_000, variation: float = 1.0, seed: Seed = 0
) -> HardInstance:
    """Make the lower bound under GIC within a budget of total variation V.

    It is `gic_dynamic` with ``L = T^(1/4) V^(3/4) K^(-1/2)`` phases, rounded down and 1 at least,
    so that the total variation is at most ``L (K^2 L/T)^(1/3) <= V``.

    Examples
    --------
    >>> len(gic_variation(n_arms=10, horizon=10**5, variation=2.0).winners)
    9
    """
    layout = _Layout.halves(as_n_arms(n_arms, 4))
    n_phases = _phases_within(variation, as_horizon(horizon), layout.n_paired**2)
    return gic_dynamic(n_arms=n_arms, horizon=horizon, n_phases=n_phases, seed=seed)


def gic_pair(
    *, horizon: int = 1_000_000, constant: float = 1.0
) -> tuple[HardInstance, HardInstance]:
    """Make the two 3-arm worlds under GIC that no duel of their two good arms can tell apart.

    Arms 0 and 1 tie; in the first world arm 0, in the second arm 1, beats arm 2 with 0.9 +
    epsilon instead of 0.9, ``epsilon = 4 C T^(-1/3)``. Whoever has Borda regret ``C T^(2/3)`` in
    both must play arm 2 often, and pays for it in Condorcet regret. The weight is the point mass
    on the winner.

    Parameters
    ----------
    horizon : int
        Number of rounds. Below ``(80 C)^3`` of them the formula passes 0.05 and epsilon is cut
        to `LARGEST_EPSILON`.
    constant : float
        The C of the theorem, above 0.

    Examples
    --------
    >>> first, second = gic_pair(horizon=8 * 10**6)
    >>> first.stream.matrix(0)
    array([[0.5 , 0.5 , 0.92],
           [0.5 , 0.5 , 0.9 ],
           [0.08, 0.1 , 0.5 ]])
    >>> second.winners
    (1,)
    """
    horizon = as_horizon(horizon)
    constant = as_number(constant, "constant", above=0)
    epsilon = _epsilon((4 * constant) ** 3 / horizon)
    layout = _Layout(uniform(3), good=(0, 1), bad=(2,))
    start = np.zeros(1, dtype=np.int64)
    worlds = []
    for winner in layout.good:
        stream = layout.stream([(winner, layout.bad)], start, horizon, epsilon)
        weight = WeightSequence(point_mass(3, winner)[None])
        worlds.append(HardInstance(stream, weight, (winner,), layout.good, layout.bad, epsilon))
    return worlds[0], worlds[1]


def borda_against_condorcet(*, horizon: int = 100_000) -> Stream:
    """Make the 3-arm world in which every policy has linear regret for some weight.

    Arm 0 is the Condorcet winner and arm 1 the Borda winner. Whoever plays arm 0 in a third of
    its choices has Borda regret T/45; whoever plays arm 1 or arm 2 that often has Condorcet
    regret T/30; and one of the three must be played that often.

    Examples
    --------
    >>> from driftduel.matrix.criteria import Borda, Condorcet
    >>> P = borda_against_condorcet().matrix(0)
    >>> Borda().gaps(P).round(3), Condorcet().gaps(P).round(3)
    (array([0.067, 0.   , 0.333]), array([0. , 0.1, 0.1]))
    """
    return Stream.stationary(BORDA_AGAINST_CONDORCET, horizon)


def shuffled_halves(
    *, n_arms: int = 10, horizon: int = 10_000, every: int = 1, seed: Seed = 0
) -> Stream:
    """Make the world that is split again into good and bad arms in every round.

    Good beats bad surely, a gap of 1/2, and arms of the same half tie; with an odd number of
    arms one ties with all. GIC holds in every round, yet nothing can be learned.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    every : int
        Rounds between splits; 1 in the paper.
    seed : int, Generator or None
        Draws the splits.

    Examples
    --------
    >>> shuffled_halves(n_arms=4, horizon=1000)
    Stream(4 arms, 1,000 rounds, ... stretches of 6 matrices)
    """
    n_arms = as_n_arms(n_arms)
    horizon, every = as_horizon(horizon), as_count(every, "every")
    check_stretches(-(-horizon // every), "raise every or lower n_arms", max(8, n_arms))
    starts = np.arange(0, horizon, every)
    half = n_arms // 2
    roles = np.repeat(np.array([1, -1, 0], dtype=np.int8), [half, half, n_arms % 2])
    drawn = as_rng(seed).permuted(np.tile(roles, (len(starts), 1)), axis=1)
    # Only the splits that differ become matrices: 10 arms have 252, however long the horizon.
    rows = np.ascontiguousarray(drawn).view(f"V{n_arms}").ravel()
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    check_size(len(first), n_arms, "raise every or lower n_arms")
    splits = drawn[first]
    apart = splits[:, :, None] - splits[:, None, :]
    return Stream(0.5 + np.trunc(apart / 2) / 2, which, starts, horizon)


@dataclass(frozen=True, eq=False)
class _Layout:
    """Which arms are good and which are bad; at most one is neither."""

    weight: Array
    good: tuple[int, ...]
    bad: tuple[int, ...]

    @classmethod
    def halves(cls, n_arms: int) -> _Layout:
        """Let the first half be good; an odd arm out is the last."""
        half = n_arms // 2
        return cls(uniform(n_arms), tuple(range(half)), tuple(range(half, 2 * half)))

    @classmethod
    def for_weight(cls, n_arms: int, weight: ArrayLike | None) -> _Layout:
        """Let the heavier half be bad, the last if equal; an odd arm out has the least weight."""
        n_arms = as_n_arms(n_arms, 3)
        w = uniform(n_arms) if weight is None else as_weight(weight, n_arms)
        arms = np.arange(n_arms)
        if n_arms % 2:
            arms = np.delete(arms, n_arms - 1 - int(np.argmin(w[::-1])))
        first, last = np.split(arms, 2)
        bad, good = (last, first) if w[last].sum() >= w[first].sum() else (first, last)
        return cls(w, tuple(good.tolist()), tuple(bad.tolist()))

    @property
    def n_arms(self) -> int:
        return len(self.weight)

    @property
    def n_paired(self) -> int:
        """The K of the formulas: the arms that are good or bad."""
        return len(self.good) + len(self.bad)

    def environment(self, winner: int, rivals: tuple[int, ...], epsilon: float) -> Array:
        """Return the matrix in which ``winner`` is better than the good arms against ``rivals``."""
        matrix = np.full((self.n_arms, self.n_arms), 0.5)
        matrix[np.ix_(self.good, self.bad)] = 0.9
        matrix[np.ix_(self.bad, self.good)] = 0.1
        matrix[winner, rivals] = 0.9 + epsilon
        matrix[rivals, winner] = 0.1 - epsilon
        return matrix

    def stream(
        self,
        secrets: Sequence[tuple[int, tuple[int, ...]]],
        starts: Ints,
        horizon: int,
        epsilon: float,
    ) -> Stream:
        """Return the world in which phase n hides the winner and rivals ``secrets[n]``."""
        index = {secret: n for n, secret in enumerate(dict.fromkeys(secrets))}
        check_size(len(index), self.n_arms, "lower n_phases or n_arms")
        palette = np.stack([self.environment(*secret, epsilon) for secret in index])
        return Stream(palette, [index[secret] for secret in secrets], starts, horizon)

    def draw(self, arms: tuple[int, ...], n_phases: int, rng: np.random.Generator) -> Ints:
        """Draw one of ``arms`` for each phase."""
        return np.array(arms, dtype=np.int64)[rng.integers(len(arms), size=n_phases)]

    def chosen(self, arm: int, name: str) -> Ints:
        """Return ``arm`` after checking that it is good, or for a rival bad."""
        side, arms = ("good", self.good) if name == "winner" else ("bad", self.bad)
        if as_arm(arm, name, self.n_arms) not in arms:
            raise BadParameter(name, f"is {arm}, must be one of the {side} arms {list(arms)}")
        return np.array([arm], dtype=np.int64)


def _known_weight(
    layout: _Layout, best: Ints, starts: Ints, horizon: int, epsilon: float
) -> HardInstance:
    winners = tuple(best.tolist())
    stream = layout.stream([(arm, layout.bad) for arm in winners], starts, horizon, epsilon)
    weight = WeightSequence(layout.weight[None])
    return HardInstance(stream, weight, winners, layout.good, layout.bad, epsilon)


def _gic(
    layout: _Layout, best: Ints, against: Ints, starts: Ints, horizon: int, epsilon: float
) -> HardInstance:
    winners, rivals = tuple(best.tolist()), against.tolist()
    secrets = [(arm, (rival,)) for arm, rival in zip(winners, rivals, strict=True)]
    stream = layout.stream(secrets, starts, horizon, epsilon)
    weight = WeightSequence(np.eye(layout.n_arms)[against], starts)
    return HardInstance(stream, weight, winners, layout.good, layout.bad, epsilon)


def _epsilon(cube: float) -> float:
    return min(LARGEST_EPSILON, float(np.cbrt(cube)))


def _check_epsilon(epsilon: float) -> float:
    return as_number(epsilon, "epsilon", 0, LARGEST_EPSILON)


def _phases_within(variation: float, horizon: int, price: int) -> int:
    """Return the largest L, 1 at least, with ``L (price L / horizon)^(1/3) <= variation``."""
    budget = as_number(variation, "variation", 0, horizon)
    return max(1, int((horizon * budget**3 / price) ** 0.25))
