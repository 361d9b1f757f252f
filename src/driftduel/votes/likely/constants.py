"""The constants over which the likely story averages, and how many models are run side by side.

Nobody sets a constant. Each is on a grid; every point predicts all votes, bin by bin, and counts
as much as votes were likely under it. Where all would take too long, the grid is tried on coarse
bins first, and the points that did well there, with one that knows no change, run on fine ones.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from driftduel.votes.likely.bins import Bins, into_coarse
from driftduel.votes.likely.filtering import Constants, run_filter
from driftduel.votes.likely.layout import Layout

SPREADS = (0.2, 0.4, 0.8, 1.6)
DRIFTS = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
JUMPS = (0.0, 1.0, 4.0)
JUMP_SIZE = 0.5
PAIRS = (0.1, 0.3, 0.8)
"""Of a log that one number an arm does not fit."""
_NO_PAIRS = 0.01
_CHANCES = {(False, False): 0.4, (True, False): 0.3, (False, True): 0.2, (True, True): 0.1}
"""How likely drift and jumps are before any vote."""

_PAUSE = 4.0
"""How much faster drift may be in pauses."""
_PAUSE_FIRST = float(np.log(3))
"""How much likelier that is before any vote: where there are seasons, teams change between them."""
_FINER = (0.6, 1.0)
"""Drifts between those of the grid."""

_FEW_SPREADS = (0.3, 0.9)

_COMPONENTS = 48
_WORK = 1e9
_FEWEST = 10
_COARSE = 50
_NEAR = 9.0
"""Points whose evidence on coarse bins is within so much of the best run on fine ones."""


def grid(paired: bool = False) -> Constants:
    """Return the grid: spreads, drifts, jumps, and how far pairs differ from what strengths say.

    Examples
    --------
    >>> len(grid().spread), int(grid().static().sum())
    (96, 4)
    """
    spreads = SPREADS[1:3] if paired else SPREADS
    drifts = DRIFTS[::2] if paired else DRIFTS
    jumps_of = JUMPS[::2] if paired else JUMPS
    pairs_of = PAIRS if paired else (_NO_PAIRS,)
    rows = []
    for spread, drift, jumps, pairs in product(spreads, drifts, jumps_of, pairs_of):
        kind = (drift > 0, jumps > 0)
        alike = len(spreads) * len(pairs_of)
        alike *= len(drifts) - 1 if drift else 1
        alike *= len(jumps_of) - 1 if jumps else 1
        chance = np.log(_CHANCES[kind] / alike)
        rows.append((spread, drift, jumps, JUMP_SIZE, pairs, 1.0, chance))
    return Constants(*np.array(rows, dtype=np.float64).T)


def few(paired: bool = False) -> Constants:
    """Return the few constants of a poll that people look at while votes come in.

    Examples
    --------
    >>> len(few().spread), int(few().static().sum())
    (10, 2)
    """
    rows = []
    kinds = [(0.0, 0.0, 0.4), (0.3, 0.0, 0.15), (3.0, 0.0, 0.15), (0.0, 1.5, 0.2), (1.0, 1.5, 0.1)]
    for spread, (drift, jumps, chance) in product(_FEW_SPREADS, kinds):
        pairs = PAIRS[1] if paired else _NO_PAIRS
        rows.append((spread, drift, jumps, JUMP_SIZE, pairs, 1.0, np.log(chance / 2)))
    return Constants(*np.array(rows, dtype=np.float64).T)


def components(n_bins: int, size: int) -> int:
    """Return how many components a filter may have: fewer for long logs of many arms."""
    return int(np.clip(_WORK / (n_bins * (30_000 + size**3)), _FEWEST, _COMPONENTS))


def choose(bins: Bins, layout: Layout) -> Constants:
    """Return the constants to run on these bins."""
    whole = grid(layout.paired)
    most = components(len(bins), layout.size)
    if most >= _COMPONENTS or len(bins) <= _COARSE:
        return whole
    filtered = run_filter(into_coarse(bins, _COARSE), layout, whole, len(whole.spread))
    pool = filtered.pools[-1]
    weight = np.full(len(whole.spread), -np.inf)
    np.logaddexp.at(weight, pool.constants, pool.weight)
    static = whole.static()
    order = np.argsort(-weight)
    moving = [at for at in order if not static[at] and weight[at] > weight[order[0]] - _NEAR]
    moving = moving or [at for at in order if not static[at]]
    still = [at for at in order if static[at]][:1]
    few = Constants(*(np.asarray(part)[still] for part in whole))
    best = Constants(*(np.asarray(part)[moving[: max(most // 6, 3)]] for part in whole))
    tried = [
        best._replace(
            drift=best.drift * finer,
            pause=np.full(len(best.pause), pause),
            chance=best.chance + (_PAUSE_FIRST if pause > 1 else 0.0),
        )
        for finer in _FINER
        for pause in ((1.0, _PAUSE) if bins.pauses.any() else (1.0,))
    ]
    return Constants(*map(np.concatenate, zip(few, *tried, strict=True)))
