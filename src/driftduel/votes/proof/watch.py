"""What somebody who looks after each vote is told with proof: what turned, and who was best when.

Changes are proved by `driftduel.votes.proof.changes`. Each begins another *phase*, at a moment that
depends on earlier votes only, in which votes are counted from nothing, and in each phase an arm may
be proved to be best on average by `driftduel.votes.proof.leads`. Phase j = 0, 1, ... has the level
alpha / ((j + 1) (j + 2)) of that, so that the levels of all phases sum up to alpha.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.checks import as_level
from driftduel.votes.log import Log
from driftduel.votes.proof.changes import Turn, turns
from driftduel.votes.proof.leads import proved_best
from driftduel.votes.proof.tosses import all_tosses, tosses_of

Floats = NDArray[np.float64]
Moment = date | float


class Phase(NamedTuple):
    """A time between two proofs; ``best`` is proved to be best in it on average, if anybody is."""

    begin: Moment
    end: Moment
    best: int | None


@dataclass(frozen=True)
class Watch:
    """What is proved at every look, as returned by `watch`.

    Attributes
    ----------
    turns : tuple of Turn
        Changes, in the order in which they were proved.
    phases : tuple of Phase
        The times before, between and after these proofs.
    drawn : bool
        Whether opponents were drawn alike at all times, so that every vote counts for both arms.
    alpha : float
        The probability that a change is ever proved if nothing changes; likewise that somebody is
        ever proved to be best of a phase who is not.
    """

    turns: tuple[Turn, ...]
    phases: tuple[Phase, ...]
    drawn: bool
    alpha: float


def watch(log: Log, weight: Floats, *, alpha: float = 0.05, drawn: bool = False) -> Watch:
    """Return what is proved at every look.

    Parameters
    ----------
    log : Log
        The votes.
    weight : ndarray of shape (K,)
        The reference weight.
    alpha : float
        See `Watch`.
    drawn : bool
        Whether all pairs were as likely at all times. If not, each pair is a stream of its own, for
        which it does not matter how pairs were chosen; and so is each arm where the log tells which
        votes are its tosses.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> outcome = rng.random(600) < np.where(np.arange(600) < 300, 0.8, 0.2)
    >>> log = Log(["tea", "milk"], np.arange(600), [0] * 600, [1] * 600, outcome)
    >>> [phase.best for phase in watch(log, np.array([0.5, 0.5])).phases]
    [0, 1]
    """
    level = as_level(alpha)
    log = log.votes
    tosses = all_tosses(len(log), log.n_arms) if drawn else tosses_of(log)
    found, begins = turns(log, alpha=level, tosses=tosses)
    ends = np.append(begins[1:], len(log))
    phases = []
    for j, (begin, end) in enumerate(zip(map(int, begins), map(int, ends), strict=True)):
        if begin == end:  # the last votes of all proved a change
            continue
        tables = None if tosses is None else tosses.tables(log, begin, end)
        share = level / ((j + 1) * (j + 2))
        best = _best(log.rows(slice(begin, end)), weight, share, tables)
        first, last = (log.moment(float(log.time[row])) for row in (begin, end - 1))
        phases.append(Phase(first, last, best))
    return Watch(found, tuple(phases), drawn, level)


def _best(
    log: Log, weight: Floats, alpha: float, tosses: tuple[Floats, Floats] | None
) -> int | None:
    wins = log.head_to_head()
    met = wins + wins.T
    means = np.divide(wins, met, out=np.full(wins.shape, 0.5), where=met > 0)
    scores = (weight * means).sum(axis=1)
    if tosses is not None and np.ptp(weight) < 1e-12:
        everybody = [range(len(weight))]
        return proved_best(wins, scores, alpha, tosses=tosses, classes=everybody)
    return proved_best(wins, scores, alpha, weight=weight)
