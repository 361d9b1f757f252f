"""How many more votes it takes, and which pairs would tell the most."""

from __future__ import annotations

import numpy as np

from driftduel.votes.estimates import weigh
from driftduel.votes.histories import History
from driftduel.votes.log import Log
from driftduel.votes.weighted import Floats

_MOST_NEXT = 5
_FAR = 10**9


def votes_more(past: History, late: Log, weight: Floats, pairs: str | None) -> int | None:
    """Return about how many more votes it takes until the best arm is proved to be best.

    Bounds come closer like the root of the votes, if all goes on as it did; None if nobody is
    ahead, or after more than a thousand million.
    """
    if past.decided:
        return 0
    if past.best is None:
        return None
    assumed = None if late.propensity is not None else pairs or "independent"
    evidence, _ = weigh(late, weight, assumed)
    best = late.arms.index(past.best)
    scores, leads = evidence.scores(), evidence.leads(best, past.alpha)
    longest = 1.0
    for rival in past.candidates:
        if rival != past.best:
            gap = scores[best] - scores[late.arms.index(rival)]
            if not gap > 0:
                return None
            longest = max(longest, ((gap - leads[late.arms.index(rival)]) / gap) ** 2)
    votes = late.n_votes * (longest - 1)
    if not votes < _FAR:
        return None
    whole = max(int(votes), 1)
    return round(whole, 2 - len(str(whole)))


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
