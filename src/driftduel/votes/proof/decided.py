"""Whether it is decided who is best of the options on offer, at every look, over a poll's life.

`driftduel.votes.proof.counts` has the votes, and the level that a set of options has. The one in
front is decided to be best of the set S if by `driftduel.votes.proof.leads` for every other one

    ln E >= ln(|S| / level) - ln w(S)

Options that came later than the first vote of the count are judged *apart* until they were compared
`ENOUGH` times: S is the others until then. Intervals of scores hold for all of S at once: of one
class of opponents by `driftduel.votes.sequences.interval` at level w(S) / |S|; of several, where
the evidence that the score is above (or below) crosses 2 |S| / (level w(S)).

How many more votes decide follows from the likelihood ratio G of the gap, which grows with the
votes, and what the evidence is below it, which hardly does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel.verdict.standing import ENOUGH
from driftduel.votes.proof.counts import ALWAYS, Counts
from driftduel.votes.proof.evidence import BETS, HALVINGS
from driftduel.votes.proof.leads import Strata, log_lead, strata
from driftduel.votes.sequences import interval

Floats = NDArray[np.float64]

_PRICES = 64
_FAR = 1e9
"""After more votes than this nobody waits."""

_SPREAD = 0.8
"""Standard errors by which the gap may be off in four of five cases or more.

Votes so far are among those that decide, so it is measured: the number was in the range in 191 of
225 cases of ``python -m benchmarks.clicks --part missing``, sooner in 19 and later in 15.
"""


@dataclass(frozen=True)
class Judged:
    """What is decided of the arms on offer, by arm.

    Attributes
    ----------
    front : int
        Who is judged to be best or not: who leads, or if that is apart the best of the others.
    among, apart : tuple of int
        The arms that are judged, and those of which there is too little to do so.
    decided : bool
        Whether the one in front is proved to be best of ``among``, on average since the count
        began.
    rivals : tuple of int
        Those of ``among`` to which that is not proved, the nearest first.
    missing : float
        About how many more votes it takes; infinite if votes such as these hardly would.
    between : tuple of float
        The range in which that lies in four of five cases, about.
    scores : dict of int to float or None
    intervals : dict of int to tuple of float
    compared : dict of int to int
        Of each arm on offer; of those apart against all on offer.
    """

    front: int
    among: tuple[int, ...]
    apart: tuple[int, ...]
    decided: bool
    rivals: tuple[int, ...]
    missing: float
    between: tuple[float, float]
    scores: dict[int, float | None]
    intervals: dict[int, tuple[float, float]]
    compared: dict[int, int]


def judge(
    counts: Counts, offered: Sequence[int], leader: int, alpha: float, weight: Floats | None = None
) -> Judged:
    """Return what is decided of the arms on offer.

    Parameters
    ----------
    counts : Counts
        All votes of the count.
    offered : sequence of int
        The arms on offer, increasing.
    leader : int
        Which of them seems best.
    alpha : float
        The probability that anything of this is ever wrong over the life of the poll, if tastes
        move only when the count begins again.
    weight : ndarray of shape (len(offered),), optional
        The reference weight of the arms on offer; even if left out.

    Examples
    --------
    >>> from driftduel.votes.proof.counts import no_counts
    >>> wins = np.array([[0, 70, 65], [30, 0, 50], [35, 50, 0]], dtype=float)
    >>> counts = no_counts(3, [0, 1, 2], number=0, since=0)
    >>> counts = counts.with_votes([0, 1, 2], 4 * wins, 4 * (wins + wins.T), 4 * wins, until=1200)
    >>> judged = judge(counts, [0, 1, 2], 0, alpha=0.05)
    >>> judged.decided, judged.rivals, judged.scores[0]
    (True, (), 0.675)
    """
    weights = np.full(len(offered), 1 / len(offered)) if weight is None else weight
    of_all = _Scores(counts, offered, weights)
    apart = _apart(counts, offered, of_all)
    places = [place for place, arm in enumerate(offered) if arm not in apart]
    among = [offered[place] for place in places]
    own = weights[places] / max(weights[places].sum(), 1e-12)
    scores = of_all if not apart else _Scores(counts, among, own)
    level = counts.level(alpha) * math.exp(counts.log_weight(among))
    known = [0.0 if one is None else one for one in scores.scores]
    front = among.index(leader) if leader in among else int(np.argmax(known))
    gaps = _Gaps(counts, among, own, front)
    bar = math.log(len(among) / level)
    rivals = [rival for rival in gaps.nearest if not gaps.is_proved(rival, bar)]
    enough = scores.compared[front] >= ENOUGH
    missing, between = gaps.votes_more(rivals, bar)
    if not enough:
        wait = _until_enough(scores.compared[front], gaps.n_votes)
        missing = max(missing, wait)
        between = (max(between[0], wait), max(between[1], wait))
    found = dict(zip(among, zip(scores.scores, scores.compared, strict=True), strict=True))
    for place, arm in enumerate(offered):
        found.setdefault(arm, (of_all.scores[place], of_all.compared[place]))
    ends = dict(zip(among, scores.intervals(level), strict=True))
    return Judged(
        front=among[front],
        among=tuple(among),
        apart=tuple(apart),
        decided=enough and not rivals,
        rivals=tuple(among[rival] for rival in rivals),
        missing=missing,
        between=between,
        scores={arm: found[arm][0] for arm in offered},
        intervals={arm: ends.get(arm, (0.0, 1.0)) for arm in offered},
        compared={arm: found[arm][1] for arm in offered},
    )


def _apart(counts: Counts, offered: Sequence[int], scores: _Scores) -> list[int]:
    """Return the arms that came later and were seldom compared, if two others are left."""
    found = [
        arm
        for arm, compared in zip(offered, scores.compared, strict=True)
        if compared < ENOUGH and counts.alike[arm] != ALWAYS
    ]
    return found if len(offered) - len(found) >= 2 else []


def _until_enough(compared: int, votes: float) -> float:
    """Return after about how many more votes an arm was compared often enough."""
    return math.inf if compared == 0 else math.ceil(votes * (ENOUGH - compared) / compared)


class _Scores:
    """The scores of arms against the others, from tosses and from votes of single pairs."""

    def __init__(self, counts: Counts, arms: Sequence[int], weights: Floats) -> None:
        self.wins, self.tosses = counts.among(arms)
        self.classes = counts.classes(arms)
        parts = [self._strata(place, weights) for place in range(len(arms))]
        self.parts = parts
        self.compared = [round(float(votes.sum())) for _, _, votes in parts]
        self.scores = [_mean(*part) for part in parts]

    def _strata(self, place: int, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the share, the wins and the votes of each class of others."""
        met, won = self.tosses
        rows = []
        for group in self.classes:
            among = [one for one in group if one != place and weights[one] > 0]
            if not among:
                continue
            if len(among) == 1:
                wins, lost = self.wins[place, among[0]], self.wins[among[0], place]
                rows.append((weights[among].sum(), wins, wins + lost))
            else:
                counted = won[place, among].sum(), met[place, among].sum()
                rows.append((weights[among].sum(), *counted))
        if not rows:  # the one arm with a weight is compared with nobody else
            return np.ones(1), np.zeros(1), np.zeros(1)
        shares, wins_of, votes = np.array(rows).T
        return shares / shares.sum(), wins_of, votes

    def intervals(self, level: float) -> list[tuple[float, float]]:
        """Return intervals of which all hold at every moment with 1 - level."""
        each = level / len(self.parts)
        found = [(0.0, 1.0)] * len(self.parts)
        plain = [place for place, (shares, _, _) in enumerate(self.parts) if len(shares) == 1]
        if plain:  # all at once, as this is searched for
            won = [self.parts[place][1][0] for place in plain]
            low, high = interval(won, [self.parts[place][2][0] for place in plain], each)
            for n, place in enumerate(plain):
                found[place] = float(low[n]), float(high[n])
        for place, (shares, wins, votes) in enumerate(self.parts):
            if len(shares) > 1:
                bar = math.log(2 / each)
                low_end = _low_end(shares, wins, votes, bar)
                high_end = 1 - _low_end(shares, votes - wins, votes, bar)
                found[place] = max(low_end, 0.0), min(high_end, 1.0)
        return found


def _mean(shares: Floats, wins: Floats, votes: Floats) -> float | None:
    """Return the score; where a class was never met, the others stand for it."""
    some = votes > 0
    if not some.any():
        return None
    if some.all() and len(wins) == 1:
        return float(wins[0] / votes[0])
    return float((shares[some] * wins[some] / votes[some]).sum() / shares[some].sum())


def _low_end(shares: Floats, wins: Floats, votes: Floats, bar: float) -> float:
    """Return the least sum that is not refuted: the evidence that it is above is below the bar.

    At each price of the constraint the dual is a line in the bound; where it crosses the bar is
    refuted, whatever the price.
    """
    highest = max(math.log(60.0 * (float(votes.sum()) + 1.0)), 1.0)
    prices = np.exp(np.linspace(-3.0, highest, _PRICES))
    step = (highest + 3.0) / (_PRICES - 1)
    for _ in range(2):
        ends = (_least(wins, votes, prices[:, None] * shares).sum(axis=1) - bar) / prices
        best = prices[int(np.argmax(ends))]
        prices = best * np.exp(np.linspace(-step, step, 17))
        step /= 8
    return float(ends.max())


def _least(wins: Floats, votes: Floats, slope: Floats) -> Floats:
    """Return the least of ln U plus a slope times p over p, from below, in arrays."""
    low, high = np.zeros(slope.shape), np.ones(slope.shape)
    least = np.full(slope.shape, -np.inf)
    gains = np.expm1(BETS)
    for _ in range(HALVINGS):
        mean = (low + high) / 2
        factor = 1 + mean[..., None] * gains
        logs = BETS * wins[:, None] - votes[:, None] * np.log(factor)
        top = logs.max(axis=-1)
        parts = np.exp(logs - top[..., None])
        total = parts.sum(axis=-1)
        value = top + np.log(total / len(BETS)) + slope * mean
        rise = slope - votes * (parts * gains / factor).sum(axis=-1) / total
        least = np.maximum(least, value - np.abs(rise) * (high - low) / 2)
        low, high = np.where(rise > 0, low, mean), np.where(rise > 0, mean, high)
    return least


class _Gaps:
    """By how much the arm in front is ahead of each other one, and whether that is proved."""

    def __init__(self, counts: Counts, arms: Sequence[int], weights: Floats, front: int) -> None:
        self.wins, tosses = counts.among(arms)
        self.front = front
        self.how: dict[str, Any] = {
            "weight": weights,
            "tosses": tosses,
            "classes": counts.classes(arms),
        }
        self.n_votes = float(self.wins.sum())
        others = [rival for rival in range(len(arms)) if rival != front]
        self.ratios = {
            rival: _log_ratio(strata(self.wins, front, rival, **self.how)) for rival in others
        }
        self.nearest = sorted(others, key=lambda rival: self.ratios[rival][0])
        self.known: dict[int, float] = {}

    def is_proved(self, rival: int, bar: float) -> bool:
        """Tell whether the evidence reaches the bar."""
        return self.ratios[rival][1] >= bar and self.evidence(rival) >= bar

    def evidence(self, rival: int) -> float:
        """Return ln E that the arm in front is ahead of another one."""
        if rival not in self.known:
            self.known[rival] = log_lead(self.wins, self.front, rival, **self.how)
        return self.known[rival]

    def votes_more(self, rivals: Sequence[int], bar: float) -> tuple[float, tuple[float, float]]:
        """Return about how many more votes prove the rest, and the range of that."""
        if not rivals:
            return 0.0, (0.0, 0.0)
        ratio = self.ratios[rivals[0]][0]
        if ratio <= 0:
            return math.inf, (math.inf, math.inf)
        # What mixing bets costs hardly grows with the votes.
        need = bar + max(ratio - self.evidence(rivals[0]), 0.0)

        def more(errors: float) -> float:
            gap = math.sqrt(2 * ratio) + errors
            votes = self.n_votes * (2 * need / (gap * gap) - 1) if gap > 0 else math.inf
            return max(votes, 1.0) if votes < _FAR else math.inf

        return more(0.0), (more(_SPREAD), more(-_SPREAD))


def _log_ratio(problem: Strata) -> tuple[float, float]:
    """Return about the log likelihood ratio of the gap to none, and what ln E is at most.

    It is that of the estimates to means without a gap, which are near the likeliest ones.
    """
    won, played = problem.wins, problem.votes
    some = played > 0
    n, s = np.where(some, played, 1.0), np.where(some, won, 0.0)
    means = np.where(some, s / n, np.where(problem.coefficients > 0, 0.0, 1.0))
    gap = float(problem.coefficients @ means) - problem.bound
    if gap <= 0:
        return 0.0, 0.0
    spread = np.where(some, (s + 0.5) * (n - s + 0.5) / ((n + 1) ** 2 * n), 0.0)
    variance = float((problem.coefficients**2) @ spread)
    moved = means - gap / variance * problem.coefficients * spread
    if ((moved < 0) | (moved > 1)).any():
        return gap * gap / (2 * variance), math.inf
    ratio = _fit(won, played, means) - _fit(won, played, moved)
    return ratio, ratio


def _fit(wins: Floats, votes: Floats, means: Floats) -> float:
    """Return the log likelihood of means."""
    lost = votes - wins
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 ln 0 is 0
        parts = np.where(wins > 0, wins * np.log(means), 0.0)
        return float((parts + np.where(lost > 0, lost * np.log1p(-means), 0.0)).sum())
