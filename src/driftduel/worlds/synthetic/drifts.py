"""Worlds that drift without pause, cut into stretches of ``step`` rounds.

A stretch is a thousandth of the horizon unless told otherwise: a million rounds then cost a
thousand matrices, and a smaller step changes how finely the drift is followed, not how far it goes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftduel._support.checks import as_count, as_horizon, as_number
from driftduel._support.features import as_features
from driftduel.worlds.checks import Seed, as_n_arms, as_rng, check_size
from driftduel.worlds.matrices import (
    Array,
    Link,
    utility_matrix,
    winner_matrix,
)
from driftduel.worlds.stream import Stream
from driftduel.worlds.timelines import Ints

_STRETCHES = 1000
_MOST_FEATURES = 10_000


def random_walk(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    spread: float = 1.0,
    travel: float = 1.0,
    link: Link = "logistic",
    step: int | None = None,
    seed: Seed = 0,
) -> Stream:
    """Make a world whose utilities are independent random walks.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    spread : float
        Standard deviation of the utilities at the start.
    travel : float
        Standard deviation of the way each utility has gone by the end.
    link : str or callable
        How utilities become preferences; see `matrices.utility_matrix`.
    step : int, optional
        Rounds between changes; a thousandth of the horizon if left out.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> random_walk(n_arms=3, horizon=10**6)
    Stream(3 arms, 1,000,000 rounds, 1,000 stretches of 1,000 matrices)
    """
    n_arms = as_n_arms(n_arms)
    spread, travel = as_number(spread, "spread", 0), as_number(travel, "travel", 0)
    starts = drift_starts(horizon, step, n_arms)
    utilities = _walks(starts, horizon, n_arms, spread, travel, as_rng(seed))
    return Stream.piecewise(utility_matrix(utilities, link), starts, horizon)


def glm_drift(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    n_features: int = 3,
    features: Sequence[Sequence[float]] | None = None,
    spread: float = 1.0,
    travel: float = 1.0,
    link: Link = "logistic",
    step: int | None = None,
    seed: Seed = 0,
) -> Stream:
    """Make a world whose preferences follow a generalised linear model that drifts.

    Arm i has the features x_i and beats j with chance ``F((x_i - x_j)^T theta_t)``, F the link. The
    features stay; theta, what people look for in an arm, is a random walk of d numbers.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    n_features : int
        d, how many features to draw if they are not given; see `random_features`.
    features : list of lists of float, optional
        A row of numbers for each arm; drawn if left out.
    spread : float
        Standard deviation of each number of theta at the start.
    travel : float
        Standard deviation of the way each has gone by the end.
    link : str or callable
        How utilities become preferences; see `matrices.utility_matrix`.
    step : int, optional
        Rounds between changes; a thousandth of the horizon if left out.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> import driftduel as dd
    >>> features = random_features(n_arms=6, n_features=2, seed=5)
    >>> world = glm_drift(features=features, n_arms=6, horizon=1000, seed=5)
    >>> dd.simulate(dd.learners.BEXP3(6, 1000, features=features), world, seed=1).best
    5
    """
    n_arms = as_n_arms(n_arms)
    spread, travel = as_number(spread, "spread", 0), as_number(travel, "travel", 0)
    rng = as_rng(seed)
    drawn = _draw_features(n_arms, as_count(n_features, "n_features", 1, _MOST_FEATURES), rng)
    table = drawn if features is None else as_features(features, n_arms)
    starts = drift_starts(horizon, step, n_arms)
    theta = _walks(starts, horizon, table.shape[1], spread, travel, rng)
    return Stream.piecewise(utility_matrix(theta @ table.T, link), starts, horizon)


def random_features(*, n_arms: int = 10, n_features: int = 3, seed: Seed = 0) -> Array:
    """Draw features (K, d) of arms, each from a normal distribution: those of `glm_drift`.

    Examples
    --------
    >>> random_features(n_arms=2, n_features=2).round(2)
    array([[ 0.09, -0.09],
           [ 0.45,  0.07]])
    """
    n_arms = as_n_arms(n_arms)
    n_features = as_count(n_features, "n_features", 1, _MOST_FEATURES)
    return _draw_features(n_arms, n_features, as_rng(seed))


def sinusoidal(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    periods: float = 2.0,
    amplitude: float = 1.0,
    link: Link = "logistic",
    step: int | None = None,
    seed: Seed = 0,
) -> Stream:
    """Make a world whose utilities rise and fall in turn, evenly out of step.

    The utility of arm a is ``amplitude * sin(2 pi (periods t / horizon + r_a / K))``, with r a
    random order of the arms, so each arm is best once in a period.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    periods : float
        How many times the world comes round within the horizon.
    amplitude : float
        The largest utility.
    link : str or callable
        How utilities become preferences; see `matrices.utility_matrix`.
    step : int, optional
        Rounds between changes; a thousandth of the horizon if left out.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> sinusoidal(n_arms=3, horizon=10**6).n_stretches
    1000
    """
    n_arms = as_n_arms(n_arms)
    periods, amplitude = as_number(periods, "periods", 0), as_number(amplitude, "amplitude", 0)
    starts = drift_starts(horizon, step, n_arms)
    lag = as_rng(seed).permutation(n_arms) / n_arms
    angle = 2 * np.pi * (periods * (starts / horizon)[:, None] + lag)
    return Stream.piecewise(utility_matrix(amplitude * np.sin(angle), link), starts, horizon)


def one_entry_drift(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    first: float = 0.6,
    last: float = 0.4,
    margin: float = 0.1,
    step: int | None = None,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which a single entry of the matrix drifts.

    One arm beats the others by ``margin`` and they all tie, but for one opponent: the chance of
    the arm to beat it goes in a straight line from ``first`` to ``last``. As it crosses 1/2 the
    Condorcet winner becomes the opponent, while with many arms the Borda winner stays.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    first, last : float
        The entry at the start and in the last stretch.
    margin : float
        By how much the arm beats the arms other than its opponent, at most 1/2.
    step : int, optional
        Rounds between changes; a thousandth of the horizon if left out.
    seed : int, Generator or None
        Draws the arm and its opponent.

    Examples
    --------
    >>> s = one_entry_drift(n_arms=2, horizon=300, step=100)
    >>> s.palette[:, 0, 1].round(3)
    array([0.6, 0.5, 0.4])
    """
    n_arms = as_n_arms(n_arms)
    first, last = as_number(first, "first", 0, 1), as_number(last, "last", 0, 1)
    margin = as_number(margin, "margin", 0, 0.5)
    starts = drift_starts(horizon, step, n_arms)
    arm, opponent = as_rng(seed).permutation(n_arms)[:2]
    matrices = np.tile(winner_matrix(n_arms, int(arm), margin), (len(starts), 1, 1))
    matrices[:, arm, opponent] = np.linspace(first, last, len(starts))
    matrices[:, opponent, arm] = 1 - matrices[:, arm, opponent]
    return Stream.piecewise(matrices, starts, horizon)


def handover(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    margin: float = 0.3,
    middle: float = 0.5,
    width: float = 0.2,
    step: int | None = None,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which one arm slowly hands over to another, once.

    The first favourite beats every other arm by ``margin`` and the others tie; so does the second
    in its own matrix. The world goes from one matrix to the other along a logistic curve. Both
    favourites beat the rest throughout, and the winner changes where the curve is at one half.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    margin : float
        By how much a favourite wins in its own matrix, at most 1/2.
    middle : float
        Where the winner changes, as a share of the horizon.
    width : float
        How long the crossing takes, from 12 % to 88 % of the way, as a share of the horizon.
    step : int, optional
        Rounds between changes; a thousandth of the horizon if left out.
    seed : int, Generator or None
        Draws the two favourites.

    Examples
    --------
    >>> s = handover(n_arms=3, horizon=10**6, margin=0.25)
    >>> s.n_stretches, [round(float(np.ptp(s.matrix(t))), 2) for t in (0, 500_000, 999_999)]
    (1000, [0.5, 0.25, 0.5])
    """
    n_arms = as_n_arms(n_arms)
    margin = as_number(margin, "margin", 0, 0.5)
    middle = as_number(middle, "middle", 0, 1)
    width = as_number(width, "width", above=0)
    starts = drift_starts(horizon, step, n_arms)
    first, second = (
        winner_matrix(n_arms, int(arm), margin) for arm in as_rng(seed).permutation(n_arms)[:2]
    )
    # As tanh, which does not overflow where the curve is steep.
    gone = (1 + np.tanh(2 * (starts / horizon - middle) / width)) / 2
    return Stream.piecewise(first + gone[:, None, None] * (second - first), starts, horizon)


def drift_starts(horizon: int, step: int | None, n_arms: int) -> Ints:
    """Return the first rounds of the stretches of a drift, ``step`` rounds each."""
    horizon = as_horizon(horizon)
    length = -(-horizon // _STRETCHES) if step is None else as_count(step, "step")
    check_size(-(-horizon // length), n_arms, "raise step")
    return np.arange(0, horizon, length, dtype=np.int64)


def _walks(
    starts: Ints, horizon: int, number: int, spread: float, travel: float, rng: np.random.Generator
) -> Array:
    """Return where independent random walks are at the start of each stretch, (S, number)."""
    steps = spread * rng.standard_normal((len(starts), number))
    lengths = np.diff(starts) / horizon
    steps[1:] = rng.standard_normal((len(lengths), number)) * np.sqrt(lengths)[:, None] * travel
    return np.asarray(np.cumsum(steps, axis=0))


def _draw_features(n_arms: int, n_features: int, rng: np.random.Generator) -> Array:
    """Return normal numbers, scaled so that the length of a row is about 1."""
    return np.asarray(rng.standard_normal((n_arms, n_features)) / np.sqrt(n_features))
