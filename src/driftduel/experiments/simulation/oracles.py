"""The oracle of a stream: a learner that plays the winner of every round."""

from __future__ import annotations

import numpy as np

from driftduel.learners.rivals.oracle import Oracle
from driftduel.matrix.criteria import Criterion, as_criterion
from driftduel.worlds.stream import Stream


def oracle_of(stream: Stream, criterion: Criterion | str = "borda") -> Oracle:
    """Return a learner that plays the winner of each round of a stream twice.

    Parameters
    ----------
    stream : Stream
        The world.
    criterion : Criterion or str
        What "best" means; the first winner is taken if there are several.

    Raises
    ------
    ValueError
        If a round has no Condorcet winner where one is needed.

    Examples
    --------
    >>> import driftduel as dd
    >>> s = dd.Stream.piecewise([[[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]], [0, 60], 100)
    >>> run = dd.simulate(oracle_of(s), s, points=1)
    >>> run.plays.tolist(), run.regret("borda").tolist()
    ([[60, 0], [0, 40]], [0.0])
    """
    measure = as_criterion(criterion)
    gaps, begins = stream.gap_rows(measure)
    losses, _ = stream.gap_rows(measure, binary=True)
    # A gap is below 1, so an arm that ties with the winner without being one comes after it.
    winners = np.argmin(gaps + losses, axis=1)
    changes = np.flatnonzero(np.diff(winners, prepend=-1))
    return Oracle(
        stream.n_arms,
        stream.horizon,
        criterion=measure,
        labels=stream.labels,
        winners=winners[changes],
        starts=begins[changes],
    )
