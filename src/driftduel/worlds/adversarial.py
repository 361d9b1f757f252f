"""Worlds that are easy to name and hard for a learner that looks where its leader is.

In each of them what counts happens in duels that such a learner has no reason to ask for: between
two arms that do not lead. The seed draws which arm plays which part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import BadParameter, as_count, as_horizon, as_number
from driftduel.worlds.checks import Seed, as_n_arms, as_rng, check_size, check_stretches
from driftduel.worlds.matrices import Array, winner_matrix
from driftduel.worlds.stream import Stream

Arms = int | np.integer | NDArray[np.int64]


def hidden_rise(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    margin: float = 0.1,
    rise: float = 0.4,
    at: float = 0.5,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which the Borda winner changes and no duel of the old one tells.

    One arm beats every other by ``margin`` for ever, and the others tie. From ``at`` on one of
    those beats all but it by ``rise``, and is the Borda winner.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms, 3 at least, and of rounds.
    margin, rise : float
        The margins, at most 1/2; with K arms ``(K - 2) rise`` must be above ``K margin``, so that
        the Borda winner changes.
    at : float
        When it changes, as a share of the horizon.
    seed : int, Generator or None
        Draws the two arms.

    Examples
    --------
    >>> s = hidden_rise(n_arms=4, horizon=100, margin=0.1, rise=0.4, seed=1)
    >>> [int(s.matrix(t).sum(axis=1).argmax()) for t in (0, 49, 50)]
    [0, 0, 1]
    >>> (s.matrix(0)[0] == s.matrix(99)[0]).all()
    np.True_
    """
    n_arms = as_n_arms(n_arms, 3)
    horizon = as_horizon(horizon)
    margin, rise = as_number(margin, "margin", 0, 0.5), as_number(rise, "rise", 0, 0.5)
    at = as_number(at, "at", 0, 1)
    if (n_arms - 2) * rise <= n_arms * margin:
        least = n_arms * margin / (n_arms - 2)
        raise BadParameter(
            "rise", f"is {rise:g}, must be above {least:g} for the Borda winner to change"
        )
    check_size(2, n_arms, "lower n_arms")
    leader, riser = as_rng(seed).permutation(n_arms)[:2]
    before = winner_matrix(n_arms, int(leader), margin)
    after = before.copy()
    others = np.delete(np.arange(n_arms), [leader, riser])
    _set(after, riser, others, rise)
    start = min(max(1, round(at * horizon)), horizon)
    if start == horizon:
        return Stream.stationary(before, horizon)
    return Stream.piecewise([before, after], [0, start], horizon)


def spoilers(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    margin: float = 0.02,
    over: float = 0.2,
    spoils: float = 0.4,
    n_spoilers: int = 1,
    seed: Seed = 0,
) -> Stream:
    """Make a world that never changes, whose winner hardly shows but against a few spoilers.

    The Condorcet winner beats the spoilers by ``over`` and all others by ``margin``. The spoilers
    beat the others by ``spoils`` and tie among themselves, as the others do.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms, 3 at least, and of rounds.
    margin, over, spoils : float
        The margins, at most 1/2.
    n_spoilers : int
        How many spoilers there are, at most ``n_arms - 2``.
    seed : int, Generator or None
        Draws who is what.

    Examples
    --------
    >>> spoilers(n_arms=3, horizon=50, margin=0.05, seed=1).matrix(0)
    array([[0.5 , 0.7 , 0.55],
           [0.3 , 0.5 , 0.9 ],
           [0.45, 0.1 , 0.5 ]])
    """
    n_arms = as_n_arms(n_arms, 3)
    n_spoilers = as_count(n_spoilers, "n_spoilers", 1, n_arms - 2)
    margins = {"margin": margin, "over": over, "spoils": spoils}
    margin, over, spoils = (as_number(by, name, 0, 0.5) for name, by in margins.items())
    check_size(1, n_arms, "lower n_arms")
    winner, *rest = as_rng(seed).permutation(n_arms)
    spoiling, others = np.array(rest[:n_spoilers]), np.array(rest[n_spoilers:])
    matrix = np.full((n_arms, n_arms), 0.5)
    _set(matrix, winner, others, margin)
    _set(matrix, winner, spoiling, over)
    for spoiler in spoiling:
        _set(matrix, spoiler, others, spoils)
    return Stream.stationary(matrix, as_horizon(horizon))


def dear_challenger(
    *,
    n_arms: int = 5,
    horizon: int = 100_000,
    margin: float = 0.015,
    lead: float = 0.3,
    behind: float = 0.1,
    seed: Seed = 0,
) -> Stream:
    """Make a world that never changes, whose Borda winner loses to an arm that is otherwise poor.

    The Borda winner beats all others by ``lead`` but one, the challenger, which beats it by
    ``margin`` and loses to all others by ``behind``. Every duel of the two is dear.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms, 3 at least, and of rounds.
    margin, lead, behind : float
        The margins, at most 1/2; with K arms ``(K - 2) (lead + behind)`` must be above
        ``2 margin``, so that the challenger is not the Borda winner.
    seed : int, Generator or None
        Draws the two arms.

    Examples
    --------
    >>> dear_challenger(n_arms=3, horizon=50, margin=0.05, seed=1).matrix(0)
    array([[0.5 , 0.45, 0.8 ],
           [0.55, 0.5 , 0.4 ],
           [0.2 , 0.6 , 0.5 ]])
    """
    n_arms = as_n_arms(n_arms, 3)
    margins = {"margin": margin, "lead": lead, "behind": behind}
    margin, lead, behind = (as_number(by, name, 0, 0.5) for name, by in margins.items())
    if (n_arms - 2) * (lead + behind) <= 2 * margin:
        least = 2 * margin / (n_arms - 2) - behind
        raise BadParameter(
            "lead", f"is {lead:g}, must be above {least:g} for it to be the Borda winner"
        )
    check_size(1, n_arms, "lower n_arms")
    winner, challenger, *rest = as_rng(seed).permutation(n_arms)
    others = np.array(rest)
    matrix = np.full((n_arms, n_arms), 0.5)
    _set(matrix, winner, others, lead)
    _set(matrix, others, challenger, behind)
    matrix[challenger, winner], matrix[winner, challenger] = 0.5 + margin, 0.5 - margin
    return Stream.stationary(matrix, as_horizon(horizon))


def others_change(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    margin: float = 0.1,
    step: float = 0.1,
    every: int = 10_000,
    seed: Seed = 0,
) -> Stream:
    """Make a world in which only duels between arms that do not win change.

    One arm beats every other by ``margin`` for ever. The others are in an order, the higher of two
    wins by ``step``, and the order is drawn again every so many rounds.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    margin, step : float
        The margins, at most 1/2; with K arms ``(K - 2) step`` must be below ``K margin``, so that
        the winner stays.
    every : int
        Rounds between changes.
    seed : int, Generator or None
        Draws the winner and the orders.

    Examples
    --------
    >>> s = others_change(n_arms=4, horizon=300, every=100, seed=1)
    >>> s.n_stretches, {int(s.matrix(t).sum(axis=1).argmax()) for t in (0, 100, 200)}
    (3, {1})
    """
    n_arms = as_n_arms(n_arms)
    horizon, every = as_horizon(horizon), as_count(every, "every")
    margin, step = as_number(margin, "margin", 0, 0.5), as_number(step, "step", 0, 0.5)
    if step > 0 and (n_arms - 2) * step >= n_arms * margin:
        most = n_arms * margin / max(1, n_arms - 2)
        raise BadParameter("step", f"is {step:g}, must be below {most:g} for the winner to stay")
    n_orders = -(-horizon // every)
    check_stretches(n_orders, "lower horizon or raise every")
    check_size(n_orders, n_arms, "lower horizon or raise every")
    starts = np.arange(0, horizon, every)
    rng = as_rng(seed)
    winner = int(rng.integers(n_arms))
    others = np.delete(np.arange(n_arms), winner)
    matrices = np.stack([winner_matrix(n_arms, winner, margin)] * len(starts))
    for matrix in matrices:
        order = rng.permutation(others)
        for place, arm in enumerate(order[:-1]):
            _set(matrix, arm, order[place + 1 :], step)
    return Stream.piecewise(matrices, starts, horizon)


def late_start(
    *,
    n_arms: int = 10,
    horizon: int = 100_000,
    margin: float = 0.3,
    calm: float = 0.8,
    every: int = 2000,
    seed: Seed = 0,
) -> Stream:
    """Make a world that is calm for long, and in which two arms then take turns to win.

    The winner beats every other arm by ``margin``, and the others tie.

    Parameters
    ----------
    n_arms, horizon : int
        Number of arms and of rounds.
    margin : float
        By how much the winner wins, at most 1/2.
    calm : float
        When the turns begin, as a share of the horizon.
    every : int
        Rounds between changes from then on.
    seed : int, Generator or None
        Draws the two arms.

    Examples
    --------
    >>> s = late_start(n_arms=4, horizon=100, calm=0.8, every=10)
    >>> s.starts
    array([ 0, 80, 90])
    """
    n_arms = as_n_arms(n_arms)
    horizon, every = as_horizon(horizon), as_count(every, "every")
    margin, calm = as_number(margin, "margin", 0, 0.5), as_number(calm, "calm", 0, 1)
    begin = max(1, round(calm * horizon))
    check_stretches(-(-(horizon - begin) // every), "lower horizon or raise every")
    check_size(2, n_arms, "lower n_arms")
    starts = np.append(0, np.arange(begin, horizon, every))
    first, second = as_rng(seed).permutation(n_arms)[:2]
    palette = np.stack([winner_matrix(n_arms, int(arm), margin) for arm in (first, second)])
    return Stream(palette, np.arange(len(starts)) % 2, starts, horizon)


def _set(matrix: Array, winners: Arms, losers: Arms, margin: float) -> None:
    """Let one or some arms beat others by a margin."""
    matrix[winners, losers] = 0.5 + margin
    matrix[losers, winners] = 0.5 - margin
