"""Who wins one matrix where nobody beats everybody: tournament solutions, and `classify`.

"a beats b" means ``P[a, b] > 1/2``; arms may tie. Each solution is the Condorcet winner alone where
one arm beats all others:

- the top cycle: the smallest set whose members beat everyone outside (the Smith set);
- the uncovered set: c covers a if c beats a and does at least as well as a against everyone, where
  to win is better than to tie and that better than to lose (McKelvey);
- the Copeland set: most wins, a tie counted half;
- the Banks set: who tops a chain, in which everyone beats all after it, that no arm beats as a
  whole, and so cannot be made longer at the top;
- the von Neumann winner: a distribution v with ``sum_c v[c] P[c, a] >= 1/2`` for all a. Drawn from
  it, an arm loses to no arm on average.

The top cycle holds the uncovered set, and this holds the others where no two arms tie.

The von Neumann winners are the optimal strategies of a game with D = P - 1/2, which is worth 0.
With ``s = mu K - D v`` the equations ``v[a] s[a] = mu`` have one positive solution for each mu > 0,
and it sums to 1. As mu falls it tends to the centre of the optimal strategies: it has the
largest support, and the order of the arms does not matter. Newton's method follows it; the
matrix of its equations, ``diag(s / v) - D``, is never singular, as D is antisymmetric. Arms with
v > s are the support. The winner is unique if the null space of D, restricted to them, is a line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel.matrix.preferences import (
    TIE,
    Arms,
    Array,
    Bools,
    as_matrix,
    chunks,
    condorcet_winners,
    gic_winners,
    is_sst,
    is_sti,
)

MOST_BANKS = 20
"""Arms for which the Banks set is computed; no quick way is known for any number."""

_LAST = 1e-13
"""mu at which the path of the von Neumann winner ends."""

_STEPS = 200
_LAST_STEPS = 4
"""Of Newton's method; those at the end begin within a hundred thousandth of the centre."""


@dataclass(frozen=True)
class PreferenceClass:
    """Which classes a matrix belongs to and who wins it, as returned by `classify`.

    Attributes
    ----------
    condorcet_winner : int or None
        An arm that no other arm beats; the first of them if several tie.
    gic_winners : tuple of int
        The arms that maximise every column.
    condorcet, gic, sst, sti : bool
        Whether the matrix is in the class.
    top_cycle, uncovered, copeland : tuple of int
        The members of these tournament solutions.
    banks : tuple of int or None
        The members of the Banks set; None with more than 20 arms.
    von_neumann : tuple of int
        The arms that a von Neumann winner may play.
    von_neumann_unique : bool
        Whether there is only one.
    """

    condorcet_winner: int | None
    gic_winners: tuple[int, ...]
    condorcet: bool
    gic: bool
    sst: bool
    sti: bool
    top_cycle: tuple[int, ...]
    uncovered: tuple[int, ...]
    copeland: tuple[int, ...]
    banks: tuple[int, ...] | None
    von_neumann: tuple[int, ...]
    von_neumann_unique: bool


def classify(P: ArrayLike) -> PreferenceClass:
    """Tell which of the classes CW, GIC, SST and STI a matrix belongs to, and who wins it.

    Examples
    --------
    Rock, paper, scissors has no winner that beats all; arms with utilities have one:

    >>> rock = classify([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    >>> rock.condorcet, rock.top_cycle, rock.von_neumann
    (False, (0, 1, 2), (0, 1, 2))
    >>> c = classify([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    >>> c.condorcet_winner, c.gic_winners, c.sst, c.sti, c.top_cycle
    (0, (0,), True, True, (0,))
    """
    matrix = as_matrix(P)
    winners = condorcet_winners(matrix)
    dominant = gic_winners(matrix)
    mixture = von_neumann_winner(matrix)
    return PreferenceClass(
        condorcet_winner=int(winners[0]) if len(winners) else None,
        gic_winners=_listed(dominant),
        condorcet=len(winners) > 0,
        gic=len(dominant) > 0,
        sst=is_sst(matrix),
        sti=is_sti(matrix),
        top_cycle=_listed(top_cycle(matrix)),
        uncovered=_listed(uncovered_set(matrix)),
        copeland=_listed(copeland_set(matrix)),
        banks=_listed(banks_set(matrix)) if len(matrix) <= MOST_BANKS else None,
        von_neumann=_listed(mixture.support),
        von_neumann_unique=mixture.unique,
    )


def top_cycle(P: ArrayLike) -> Arms:
    """Return the smallest set of arms whose members beat everyone outside.

    These are the arms from which a way leads to every arm over arms that do not lose.

    Examples
    --------
    >>> top_cycle([[0.5, 0.9, 0.2, 0.9], [0.1, 0.5, 0.9, 0.9], [0.8, 0.1, 0.5, 0.9], [0.1] * 3 + [0.5]])
    array([0, 1, 2])
    """  # noqa: E501
    reached = ~beaten(as_matrix(P))
    for via in range(len(reached)):
        reached |= reached[:, via, None] & reached[None, via]
    return np.flatnonzero(reached.all(axis=1))


def uncovered_set(P: ArrayLike) -> Arms:
    """Return the arms that no arm covers: without ties, those that reach all in two wins.

    Examples
    --------
    >>> uncovered_set([[0.5, 0.9, 0.2, 0.9], [0.1, 0.5, 0.9, 0.9], [0.8, 0.1, 0.5, 0.9], [0.1] * 3 + [0.5]])
    array([0, 1, 2])
    """  # noqa: E501
    signs = _signs(as_matrix(P))
    as_good = (signs[:, None, :] >= signs[None, :, :]).all(axis=2)
    return np.flatnonzero(~(as_good & (signs > 0)).any(axis=0))


def copeland_set(P: ArrayLike) -> Arms:
    """Return the arms with most wins, a tie counted half.

    Examples
    --------
    >>> copeland_set([[0.5, 0.9, 0.9], [0.1, 0.5, 0.5], [0.1, 0.5, 0.5]])
    array([0])
    """
    scores = _signs(as_matrix(P)).sum(axis=1)
    return np.flatnonzero(scores == scores.max())


def banks_set(P: ArrayLike) -> Arms:
    """Return the arms at the top of a chain that no arm beats as a whole; for 20 arms at most.

    Examples
    --------
    >>> banks_set([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    array([0, 1, 2])
    """
    lost = beaten(as_matrix(P))
    if len(lost) > MOST_BANKS:
        raise ValueError(
            f"preference matrix: has {len(lost)} arms, the Banks set is known for {MOST_BANKS} at "
            "most"
        )
    losers = [set(np.flatnonzero(column).tolist()) for column in lost.T]
    winners = [set(np.flatnonzero(row).tolist()) for row in lost]
    tops = [arm for arm in range(len(lost)) if _tops_chain(arm, losers, winners)]
    return np.array(tops, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A von Neumann winner, as returned by `von_neumann_winner`.

    Attributes
    ----------
    weight : array of shape (K,)
        The distribution.
    support : array of int
        The arms with positive weight; no von Neumann winner plays another one.
    unique : bool
        Whether it is the only one. If not, it is the centre of all of them.
    """

    weight: Array
    support: Arms
    unique: bool


def von_neumann_winner(P: ArrayLike) -> Mixture:
    """Return the distribution that loses to no arm on average.

    Examples
    --------
    >>> found = von_neumann_winner([[0.5, 0.9, 0.4], [0.1, 0.5, 0.7], [0.6, 0.3, 0.5]])
    >>> found.weight.round(3).tolist(), found.unique
    ([0.286, 0.143, 0.571], True)
    >>> von_neumann_winner([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]]).unique
    False
    """
    weights, support, unique = von_neumann_table(as_matrix(P)[None])
    return Mixture(weights[0], np.flatnonzero(support[0]), bool(unique[0]))


def von_neumann_table(palette: Array) -> tuple[Array, Bools, Bools]:
    """Return the von Neumann winners (M, K), their supports (M, K) and which are unique (M,)."""
    weights = np.zeros(palette.shape[:2])
    unique = np.ones(len(palette), dtype=np.bool_)
    for part in chunks(palette):
        some = palette[part]
        # Who beats all others is the winner, and nothing has to be solved.
        sure = (some > 0.5 + TIE).sum(axis=2) == palette.shape[1] - 1
        weights[part] = sure
        rest = np.flatnonzero(~sure.any(axis=1))
        if len(rest):
            gaps = some[rest] - 0.5
            centres = _centres(gaps)
            for m, index in enumerate(rest + part.start):
                weights[index], unique[index] = _made_exact(gaps[m], *(c[m] for c in centres))
    return weights, weights > 0, unique


def beaten(P: Array) -> Bools:
    """Return whether the row is beaten by the column."""
    return np.asarray(P < 0.5 - TIE)


def _signs(P: Array) -> NDArray[np.int8]:
    lost = beaten(P)
    return lost.T.astype(np.int8) - lost.astype(np.int8)


def _listed(arms: Arms) -> tuple[int, ...]:
    return tuple(int(arm) for arm in arms)


def _tops_chain(top: int, losers: list[set[int]], winners: list[set[int]]) -> bool:
    """Tell whether an arm is the top of a chain that no arm beats as a whole.

    A chain is grown below the top. As long as someone beats all of it, one must join that this
    one does not beat; all that may are tried. The order of a chain follows from its members, so
    each set of members is tried once.
    """
    tried: set[frozenset[int]] = set()

    def grows(chain: frozenset[int], threats: set[int]) -> bool:
        if not threats:
            return True
        if chain in tried:
            return False
        tried.add(chain)
        threat = min(threats)
        for arm in losers[top] - losers[threat] - chain:
            longer = chain | {arm}
            if _is_chain(longer, losers) and grows(longer, threats & winners[arm]):
                return True
        return False

    return grows(frozenset([top]), winners[top])


def _is_chain(members: frozenset[int], losers: list[set[int]]) -> bool:
    """Tell whether in some order everyone beats all after it: if wins are 0, 1, 2 and so on."""
    wins = sorted(len(losers[arm] & members) for arm in members)
    return wins == list(range(len(members)))


def _centres(gaps: Array) -> tuple[Array, Array]:
    """Return v and s near the end of the path, for each of a stack of antisymmetric matrices.

    Steps aim in turn at a tenth of mu and at the path itself, and stop short of zero.
    """
    n_arms = gaps.shape[1]
    diagonal = np.arange(n_arms)
    v = np.full(gaps.shape[:2], 1 / n_arms)
    s = 1 - np.einsum("mab,mb->ma", gaps, v)
    mu = np.full((len(gaps), 1), 1 / n_arms)
    for step in range(_STEPS):
        if mu.max() <= _LAST and step % 2 == 0:
            break
        aim = mu / 10 if step % 2 == 0 else mu
        jacobian = -gaps
        jacobian[:, diagonal, diagonal] += s / v
        rise = n_arms * (aim - mu)
        dv = np.linalg.solve(jacobian, (aim / v - s - rise)[..., None])[..., 0]
        ds = rise - np.einsum("mab,mb->ma", gaps, dv)
        # Matrices whose path has ended stay where they are.
        length = np.minimum(_reach(v, dv), _reach(s, ds)) * (mu > _LAST / 10)
        v, s, mu = v + length * dv, s + length * ds, mu + length * (aim - mu)
    return v, s


def _reach(values: Array, steps: Array) -> Array:
    """Return how much of a step (M, 1) to take: all of it, or most of the way to zero."""
    ratio = np.divide(-0.95 * values, steps, out=np.ones_like(values), where=steps < 0)
    return np.asarray(np.minimum(1.0, ratio.min(axis=1, keepdims=True)))


def _made_exact(gaps: Array, v: Array, s: Array) -> tuple[Array, bool]:
    """Return the winner that the end of the path stands for, and whether it is the only one.

    On its support D v = 0, so it is in a null space; if that is no line, the centre is where the
    product of all v of the support and all s of the others is largest.
    """
    inside, outside = np.flatnonzero(v > s), np.flatnonzero(v <= s)
    _, sizes, rows = np.linalg.svd(gaps[np.ix_(inside, inside)])
    null = rows[-max(1, int((sizes <= TIE).sum())) :]
    found = null.T @ (null @ v[inside])
    found /= found.sum()
    if len(null) > 1:
        # Directions in the null space whose entries sum to 0.
        moves = np.linalg.svd(null.sum(axis=1)[None])[2][1:] @ null
        losses = -gaps[np.ix_(outside, inside)]
        for _ in range(_LAST_STEPS):
            rates = np.vstack(
                [moves.T / found[:, None], losses @ moves.T / (losses @ found)[:, None]]
            )
            found = found + np.linalg.solve(rates.T @ rates, rates.sum(axis=0)) @ moves
    weight = np.zeros(len(v))
    weight[inside] = found
    return weight, len(null) == 1
