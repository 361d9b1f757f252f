"""Votes weighed by how far their voters agree with others: Bradley-Terry with reliable voters.

Voter v says what it means with the chance r_v, and else the opposite (Chen, Bennett,
Collins-Thompson and Horvitz, WSDM 2013): i is taken over j with

    r_v sigma(s_i - s_j) + (1 - r_v) sigma(s_j - s_i),    1/2 <= r_v <= 1

so that no vote ever counts for the other side, and one of r_v = 1/2 counts for nobody. Strengths s
are normal with deviation 1, and r has the prior r^3: who has voted little is believed. Both are
found by expectation and maximisation; a tie is half a vote each way. Scores are means of
sigma(s_i - s_j) over the other options. This assumes that who disagrees with most is careless,
which minorities are not, and whoever clicks most often is most: it is shown beside the plain
result, and nothing that is proved uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import BadParameter
from driftduel.votes.log import Log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PRIOR = 3.0
"""Votes that a voter is believed to have meant before any."""

_STEPS, _CLOSE = 500, 1e-9
_NEWTON = 50


@dataclass(frozen=True)
class Weighed:
    """Scores with voters weighed and without.

    Attributes
    ----------
    arms : tuple of str
        The options.
    plain, weighed : ndarray of shape (K,)
        Scores with all voters alike, and with each as reliable as it seems.
    voters : tuple of str
        Who voted.
    votes : ndarray
        How often each did.
    reliability : ndarray
        How likely each says what it means, from 1/2 to 1.
    """

    arms: tuple[str, ...]
    plain: Floats
    weighed: Floats
    voters: tuple[str, ...]
    votes: Floats
    reliability: Floats

    @property
    def best(self) -> tuple[str, str]:
        """Who is ahead, with all voters alike and with voters weighed."""
        return self.arms[int(self.plain.argmax())], self.arms[int(self.weighed.argmax())]


def weigh_voters(log: Log, voter: str = "voter") -> Weighed:
    """Return scores with votes weighed by how far their voters agree with others.

    Parameters
    ----------
    log : Log
        The votes, with the column of voters among what else they carry.
    voter : str
        What that column is called.

    Returns
    -------
    Weighed
        Scores with all voters alike and with voters weighed, and how reliable each seems.

    Examples
    --------
    Eight voters like tea; two click the other one:

    >>> import polars as pl
    >>> voters = [f"v{n % 8}" for n in range(80)] + [f"x{n % 2}" for n in range(60)]
    >>> log = Log(["tea", "milk"], range(140), [0] * 140, [1] * 140, [1.0] * 80 + [0.0] * 60,
    ...           extras=pl.DataFrame({"voter": voters}))
    >>> found = weigh_voters(log)
    >>> found.plain.round(2)[0], found.reliability.round(2)[[0, -1]]
    (np.float64(0.57), array([1. , 0.5]))
    """
    if log.extras is None or voter not in log.extras.columns:
        raise BadParameter("voter", f"is {voter!r}, which is no column of the log")
    votes = log.rows(log.left != log.right)
    assert votes.extras is not None
    names = ["" if cell is None else str(cell) for cell in votes.extras[voter].to_list()]
    voters, who = np.unique(np.array(names), return_inverse=True)
    # Each vote as two: the part that the left option won, and the part that the right one did.
    winner = np.concatenate([votes.left, votes.right])
    loser = np.concatenate([votes.right, votes.left])
    count = np.concatenate([votes.count * votes.outcome, votes.count * (1 - votes.outcome)])
    who = np.tile(who, 2)
    cells, place = np.unique(np.stack([winner, loser, who]), axis=1, return_inverse=True)
    count = np.asarray(np.bincount(place.ravel(), count), dtype=np.float64)
    n_arms = log.n_arms
    plain = _strengths(cells, count, count, np.zeros(n_arms))
    s, r = plain, np.ones(len(voters)) * 0.9
    total = np.asarray(np.bincount(cells[2], count, len(voters)), dtype=np.float64)
    for _ in range(_STEPS):
        told = _sigma(s[cells[0]] - s[cells[1]])
        of = r[cells[2]]
        meant = of * told / (of * told + (1 - of) * (1 - told))
        known = np.bincount(cells[2], count * meant, len(voters))
        new = np.clip((known + _PRIOR) / (total + _PRIOR), 0.5, 1.0)
        before, s = s, _strengths(cells, count, count * meant, s)
        step = max(np.abs(new - r).max(), np.abs(s - before).max())
        r = new
        if step < _CLOSE:
            break
    return Weighed(log.arms, _scores(plain), _scores(s), tuple(map(str, voters)), total, r)


def _strengths(cells: Ints, count: Floats, won: Floats, start: Floats) -> Floats:
    """Return the strengths at the mode, if of each cell so many votes were meant."""
    s = start.copy()
    n = len(s)
    for _ in range(_NEWTON):
        told = _sigma(s[cells[0]] - s[cells[1]])
        push = won - count * told
        slope = np.bincount(cells[0], push, n) - np.bincount(cells[1], push, n) - s
        bend = count * told * (1 - told)
        curve = np.diag(1 + np.bincount(cells[0], bend, n) + np.bincount(cells[1], bend, n))
        np.add.at(curve, (cells[0], cells[1]), -bend)
        np.add.at(curve, (cells[1], cells[0]), -bend)
        step = np.linalg.solve(curve, slope)
        size = float(np.abs(step).max())
        s = s + step / max(1.0, size)
        if size < _CLOSE / 10:
            break
    return s


def _scores(s: Floats) -> Floats:
    told = _sigma(s[:, None] - s)
    return np.asarray((told.sum(axis=1) - 0.5) / (len(s) - 1))


def _sigma(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))
