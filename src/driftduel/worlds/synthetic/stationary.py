"""Worlds that never change: one random matrix, or one winner among equals."""

from __future__ import annotations

import numpy as np

from driftduel._support.checks import as_number
from driftduel.worlds.checks import Seed, as_arm, as_n_arms, as_rng
from driftduel.worlds.matrices import (
    Link,
    btl_matrix,
    random_matrix,
    utility_matrix,
    winner_matrix,
)
from driftduel.worlds.stream import Stream


def one_winner(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    margin: float = 0.1,
    winner: int | None = None,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which one arm beats every other by a margin and the others tie.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    margin : float
        ``P[winner, a] - 1/2`` for every other arm, at most 1/2.
    winner : int, optional
        The winner; drawn if left out.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> one_winner(n_arms=3, horizon=50, margin=0.25, winner=1).matrix(0)
    array([[0.5 , 0.25, 0.5 ],
           [0.75, 0.5 , 0.75],
           [0.5 , 0.25, 0.5 ]])
    """
    n_arms = as_n_arms(n_arms)
    margin = as_number(margin, "margin", 0, 0.5)
    best = int(as_rng(seed).integers(n_arms)) if winner is None else winner
    best = as_arm(best, "winner", n_arms)
    return Stream.stationary(winner_matrix(n_arms, best, margin), horizon)


def bradley_terry_luce(
    *, n_arms: int = 10, horizon: int = 100_000, spread: float = 1.0, seed: Seed = 0
) -> Stream:
    """Make a Bradley-Terry-Luce world; for given strengths see `matrices.btl_matrix`.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    spread : float
        Standard deviation of the logarithms of the strengths.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> bradley_terry_luce(n_arms=5, horizon=1000)
    Stream(5 arms, 1,000 rounds, stationary)
    """
    n_arms = as_n_arms(n_arms)
    spread = as_number(spread, "spread", 0, 100)
    strengths = np.exp(spread * as_rng(seed).standard_normal(n_arms))
    return Stream.stationary(btl_matrix(strengths), horizon)


def random_utilities(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    link: Link = "probit",
    spread: float = 1.0,
    seed: Seed = 0,
) -> Stream:
    """Make a world of normal utilities seen through a link; see `matrices.utility_matrix`.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    link : str or callable
        "logistic", "probit" or "linear", or a function F with F(x) + F(-x) = 1.
    spread : float
        Standard deviation of the utilities.
    seed : int, Generator or None
        Where the randomness comes from.

    Examples
    --------
    >>> random_utilities(n_arms=5, horizon=1000, link="linear")
    Stream(5 arms, 1,000 rounds, stationary)
    """
    n_arms = as_n_arms(n_arms)
    spread = as_number(spread, "spread", 0)
    utilities = spread * as_rng(seed).standard_normal(n_arms)
    return Stream.stationary(utility_matrix(utilities, link), horizon)


def random_member(
    *, kind: str = "cw", n_arms: int = 10, horizon: int = 100_000, seed: Seed = 0
) -> Stream:
    """Make a world that is one random matrix of a class; the kinds are `matrices.KINDS`.

    Examples
    --------
    >>> random_member(kind="gic", n_arms=5, horizon=1000)
    Stream(5 arms, 1,000 rounds, stationary)
    """
    return Stream.stationary(random_matrix(kind, n_arms, seed), horizon)
