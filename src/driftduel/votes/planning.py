"""How many more votes it takes, and which pairs would tell the most."""

from __future__ import annotations

import numpy as np

from driftduel.votes.estimates import weigh
from driftduel.votes.histories import History
from driftduel.votes.log import Log
from driftduel.votes.weighted import Floats

_MOST_NEXT = 5
_FAR = 10**9
_FOUR_OF_FIVE = 0.6
"""Of what a bound is wider than a gap by, over the root of twice the logarithm of the level.

That is more than a standard error, as bounds hold at all times and whatever the variance is, and
votes so far are among those that decide. So it is measured: ``python -m benchmarks proofs``.
"""


def votes_more(past: History, late: Log, weight: Floats, pairs: str | None) -> int | None:
    """Return about how many more votes it takes until the best arm is proved to be best.

    Bounds come closer like the root of the votes, if all goes on as it did; None if nobody is
    ahead, or after more than a thousand million.
    """
    if past.decided:
        return 0
    if past.best is None:
        return None
    gaps, spreads = _gaps(past, late, weight, pairs)
    votes = _until(late.n_votes, gaps, spreads)
    if not votes < _FAR:
        return None
    whole = max(int(votes), 1)
    return round(whole, 2 - len(str(whole)))


def between(
    past: History, late: Log, weight: Floats, pairs: str | None
) -> tuple[float, float] | None:
    """Return the range in which that number lies in four of five cases, about.

    The gap to each rival may be off by some part of what its bound is wider by. None if it is
    decided, or nobody is ahead.
    """
    if past.decided or past.best is None:
        return None
    gaps, spreads = _gaps(past, late, weight, pairs)
    n_arms = late.n_arms
    errors = _FOUR_OF_FIVE * spreads / np.sqrt(2 * np.log(n_arms * (n_arms - 1) / past.alpha))
    least, most = (_until(late.n_votes, gaps + side * errors, spreads) for side in (1, -1))
    return max(least, 1.0), most


def _gaps(past: History, late: Log, weight: Floats, pairs: str | None) -> tuple[Floats, Floats]:
    """Return by how much the best arm is ahead of its rivals, and how wide the bounds are."""
    assumed = None if late.propensity is not None else pairs or "independent"
    evidence, _ = weigh(late, weight, assumed)
    best = late.arms.index(past.best or "")
    scores, leads = evidence.scores(), evidence.leads(best, past.alpha)
    rivals = [late.arms.index(arm) for arm in past.candidates if arm != past.best]
    gaps = scores[best] - scores[rivals]
    return gaps, gaps - leads[rivals]


def _until(n_votes: int, gaps: Floats, spreads: Floats) -> float:
    """Return how many more votes make the widest bound narrow enough; infinite if nothing does."""
    if not (gaps > 0).all():
        return np.inf
    return float(n_votes * (max(1.0, float(((spreads / gaps) ** 2).max(initial=1.0))) - 1))


def ask_next(past: History, late: Log, weight: Floats) -> tuple[tuple[str, str], ...]:
    """Return the pairs that stand most in the way of knowing who of the candidates is best.

    The gap of two arms is a sum over the pairs of either. A vote of a pair with coefficient v and n
    votes takes v^2 / n^2 from the variance, or about as much where there is none.
    """
    if past.best is None or past.decided:
        return ()
    best = late.arms.index(past.best)
    wins = late.head_to_head()
    met = np.maximum(wins + wins.T, 0.5)
    gain: dict[tuple[int, int], float] = {}
    for rival in (late.arms.index(arm) for arm in past.candidates if arm != past.best):
        for arm in (best, rival):
            for other in range(late.n_arms):
                if other == arm:
                    continue
                both = other in (best, rival)
                v = weight[best] + weight[rival] if both else weight[other]
                pair = (min(arm, other), max(arm, other))
                gain[pair] = max(gain.get(pair, 0.0), float(v / met[pair]) ** 2)
    most = sorted(gain, key=lambda pair: -gain[pair])[:_MOST_NEXT]
    return tuple((late.arms[a], late.arms[b]) for a, b in most if gain[a, b] > 0)
