"""What samples of trajectories say: who was best when, since when, who took over, how sure.

Everything is a count over samples. *Best* is the highest score among the arms on offer at the time;
the score is the mean chance to beat the others on offer. An *era* is a stretch in which one arm is
named: the sequence of names that is right most often, where each change of the name must be worth
a little more than it would gain by chance. Of a *take-over* the range is where samples change from
the one to the other between the surest moment of each, at the fewest exceptions. *Since* when an
arm is best is another question: since when no other was, not even for a moment; that is wider.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.likely.bins import Bins, Flags, Floats, Ints, into_bins
from driftduel.votes.likely.constants import choose, components
from driftduel.votes.likely.filtering import Filtered, outcomes, run_filter, sigma
from driftduel.votes.likely.layout import Layout
from driftduel.votes.likely.sampling import draw, draw_ahead

_SAMPLES = 300
_FEWEST_SAMPLES = 150
_NUMBERS = 12_000_000
_SWITCH = 0.35
"""A change of the name must gain as many expected bins, of 60."""
_CLEAR = 0.2
_ENDS = (0.025, 0.975)
_MOST_PAIRED = 10
_VOTES_PER_PAIR = 40


@dataclass(frozen=True)
class Era:
    """An arm is named best from one bin to before another; ``start`` is the range of its begin."""

    arm: int
    begin: int
    end: int
    probability: float  # the mean of P(best) over the era
    took_over: float  # the share of samples that have this take-over
    start: tuple[int, int]  # bins between which 95 % of these have it


@dataclass(frozen=True)
class Prediction:
    """Mean log loss of a vote, each predicted from the bins before it; less is better."""

    model: float
    static: float
    coin: float


@dataclass(frozen=True)
class Record:
    """What became of predictions of a certain chance: for the one that was ahead."""

    low: float
    high: float
    votes: float
    said: float
    won: float


@dataclass(frozen=True, eq=False)
class Story:
    """The likely story of arrays of votes.

    Attributes
    ----------
    bins : Bins
    filtered : Filtered
    samples : ndarray of shape (n, B, D)
        Trajectories of the state.
    """

    bins: Bins
    filtered: Filtered
    samples: NDArray[np.floating]

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return self.bins.n_arms

    @cached_property
    def best(self) -> Ints:
        """Who is best in each sample and bin, (n, B)."""
        if self.filtered.layout.paired:
            found = np.stack([self.scores_in(b).argmax(axis=1) for b in range(len(self.bins))], 1)
            return np.asarray(found)
        strengths = self.samples[..., : self.n_arms]
        return np.where(self.bins.offered, strengths, -np.inf).argmax(axis=2)

    @cached_property
    def p_best(self) -> Floats:
        """P(best), (B, K)."""
        return np.stack([(self.best == k).mean(axis=0) for k in range(self.n_arms)], axis=1)

    def chances_in(self, b: int, group: int | None = None) -> Floats:
        """Return the chance that row beats column in bin ``b``, (n, K, K), without a side."""
        layout, state = self.filtered.layout, self.samples[:, b].astype(np.float64)
        s = state[:, : self.n_arms]
        if group is not None:
            at = layout.first_group + group * self.n_arms
            s = s + state[:, at : at + self.n_arms]
        told = s[:, :, None] - s[:, None, :]
        if layout.paired:
            one, other = np.triu_indices(self.n_arms, 1)
            effect = state[:, layout.pair_place[one, other]]
            told[:, one, other] += effect
            told[:, other, one] -= effect
        return outcomes(told, self.bins.ties)[0]

    def scores_in(self, b: int, weight: Floats | None = None) -> Floats:
        """Return the score of each arm in bin ``b``, (n, K); below all if it was not on offer.

        With a weight it is the chance to beat an arm drawn by it, whoever is on offer.
        """
        offered = self.bins.offered[b]
        arms = np.flatnonzero(offered)
        found = np.full((len(self.samples), self.n_arms), -np.inf)
        chances = self.chances_in(b)
        if weight is None:
            among = chances[:, arms[:, None], arms]
            found[:, arms] = (among.sum(axis=2) - 0.5) / max(len(arms) - 1, 1)
        else:
            found[:, arms] = chances[:, arms] @ weight
        return found

    def bands_in(self, b: int) -> Floats:
        """Return the mean score and the ends of its band in bin ``b``, (3, K); nan if not there."""
        scores = self.scores_in(b)
        there = self.bins.offered[b]
        found = np.full((3, self.n_arms), np.nan)
        found[0, there] = scores[:, there].mean(axis=0)
        found[1:, there] = np.quantile(scores[:, there], _ENDS, axis=0)
        return found

    @cached_property
    def bands_now(self) -> Floats:
        """The mean score and the ends of its band now, (3, K); nan if not there."""
        return self.bands_in(-1)

    @cached_property
    def eras(self) -> tuple[Era, ...]:
        """Who was best when, without changes that are hardly seen."""
        names, _, _ = _path(self.p_best, self.bins.gap)
        begins = np.concatenate([[0], np.flatnonzero(np.diff(names)) + 1, [len(names)]])
        spans = [(int(names[begin]), int(begin), int(end)) for begin, end in pairwise(begins)]
        found: list[Era] = []
        surest = [begin + int(self.p_best[begin:end, arm].argmax()) for arm, begin, end in spans]
        for n, (arm, begin, end) in enumerate(spans):
            chance = float(np.average(self.p_best[begin:end, arm]))
            took, start = 1.0, (0, 0)
            if n:
                took, start = self._take_over(spans[n - 1][0], arm, surest[n - 1], surest[n], begin)
            found.append(Era(arm, begin, end, chance, took, start))
        return tuple(found)

    def _take_over(
        self, one: int, other: int, first: int, last: int, begin: int
    ) -> tuple[float, tuple[int, int]]:
        """Return the share of samples in which ``other`` took over, and where."""
        path = self.best[:, first : last + 1]
        has = (path[:, 0] == one) & (path[:, -1] == other)
        if not has.any():
            return 0.0, (begin, begin)
        at = first + turning_points(path[has] == other)
        low, high = np.quantile(at, _ENDS, method="nearest")
        return float(has.mean()), (min(int(low), begin), max(int(high), begin))

    @cached_property
    def ever_best(self) -> Floats:
        """How likely each arm was the best at some time, (K,)."""
        return np.array([(self.best == k).any(axis=1).mean() for k in range(self.n_arms)])

    def still_best(self, gap: float, n: int = 2_000) -> float:
        """Return how likely the best now is the best after a gap, a share of the whole log."""
        now, later = draw_ahead(self.filtered, self.bins, gap, n)
        arms = np.flatnonzero(self.bins.offered[-1])
        same = now[:, arms].argmax(axis=1) == later[:, arms].argmax(axis=1)
        return float(same.mean())

    @property
    def now(self) -> int:
        """Who is most likely best now."""
        return int(self.p_best[-1].argmax())

    @cached_property
    def since(self) -> tuple[int, int]:
        """The bins between which the one who is likely best now took over for the last time, 95 %.

        It is of the samples in which that arm is best now: since when no other was.
        """
        path = self.best[self.best[:, -1] == self.now] == self.now
        low, high = (int(end) for end in np.quantile(last_begins(path), _ENDS, method="nearest"))
        era = self.eras[-1]
        if era.arm != self.now or len(self.eras) == 1:
            return low, high
        return min(low, era.begin), max(high, era.begin)

    def p_beats(self, b: int = -1) -> Floats:
        """Return how likely row is stronger than column in bin ``b``, (K, K)."""
        return np.asarray((self.chances_in(b) > 0.5).mean(axis=0))

    @cached_property
    def prediction(self) -> Prediction:
        """How well votes were predicted from those before them."""
        return Prediction(
            loss(self.bins, self.filtered),
            _loss(self.bins, self.filtered.static_chances),
            float(np.log(2)),
        )

    @cached_property
    def record(self) -> tuple[Record, ...]:
        """What became of what was predicted, by the chance that it was given."""
        chances, count, won = self.filtered.chances, self.bins.count, self.bins.won
        ahead = np.maximum(chances, 1 - chances)
        wins = np.where(chances >= 0.5, won, count - won)
        found = []
        for low, high in ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0)):
            rows = (ahead >= low) & (ahead < high)
            votes = float(count[rows].sum())
            if votes:
                said = float((count * ahead)[rows].sum() / votes)
                found.append(Record(low, high, votes, said, float(wins[rows].sum() / votes)))
        return tuple(found)


def tell(
    left: Ints,
    right: Ints,
    outcome: Floats,
    time: Floats,
    n_arms: int,
    *,
    count: Floats | None = None,
    group: Ints | None = None,
    dated: bool = False,
    sides: bool = True,
    offered: Flags | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Story:
    """Tell the likely story of votes in the order of time, none of an arm with itself.

    Parameters are those of `driftduel.votes.likely.bins.into_bins`. ``seed`` is of the draws: the
    same votes have the same story.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left = rng.integers(3, size=900)
    >>> right = (left + rng.integers(1, 3, size=900)) % 3
    >>> best = np.arange(900) // 450
    >>> outcome = rng.random(900) < 0.5 + 0.25 * ((left == best) - 1.0 * (right == best))
    >>> story = tell(left, right, outcome.astype(float), np.arange(900.0), 3)
    >>> [(era.arm, era.probability > 0.75) for era in story.eras]
    [(0, True), (1, True)]
    """
    bins = into_bins(
        left,
        right,
        outcome,
        time,
        n_arms,
        count=count,
        group=group,
        dated=dated,
        sides=sides,
        offered=offered,
    )
    n_groups = 0 if group is None else int(group.max()) + 1
    layout = Layout(n_arms, bins.sided, pairs_differ(bins), n_groups)
    most = components(len(bins), layout.size)
    filtered = run_filter(bins, layout, choose(bins, layout), most, seed)
    if bins.worth < 1:
        bins, filtered = _weighed(bins, filtered, most, seed)
    if samples is None:
        fitting = _NUMBERS // (len(bins) * layout.size)
        samples = int(np.clip(fitting, _FEWEST_SAMPLES, _SAMPLES))
    return Story(bins, filtered, draw(filtered, bins, samples, seed))


def turning_points(flags: Flags) -> Ints:
    """Return for each row where false turns to true, at the fewest exceptions.

    Examples
    --------
    >>> turning_points(np.array([[0, 0, 1, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1]], bool)).tolist()
    [4, 0]
    """
    # Wrong are the true ones before it and the false ones from it on; the last of the best places.
    steps = np.where(flags, 1, -1)
    cost = np.concatenate([np.zeros((len(flags), 1), int), np.cumsum(steps, axis=1)], axis=1)
    reverse = cost[:, ::-1]
    return np.asarray(flags.shape[1] - reverse.argmin(axis=1))


def last_begins(flags: Flags) -> Ints:
    """Return for each row, whose last is true, since when it is true without a break.

    Examples
    --------
    >>> last_begins(np.array([[0, 0, 1, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1]], bool)).tolist()
    [4, 0]
    """
    broken = ~flags[:, ::-1]
    length = np.where(broken.any(axis=1), broken.argmax(axis=1), flags.shape[1])
    return np.asarray(flags.shape[1] - length)


def _path(p_best: Floats, gap: Floats) -> tuple[Ints, Floats, float]:
    """Return the names that are right most often, what each bin counts, and the price of a change.

    The last name is that of now, if that is clear. A bin counts half by its time and half like any
    other.
    """
    n_bins, n_arms = p_best.shape
    share = (gap + np.append(gap[1:], 0)) / 2 if gap.sum() > 0 else np.ones(n_bins)
    share = 0.5 * share / max(share.sum(), 1e-300) + 0.5 / n_bins
    price = _SWITCH / 60
    total = share[0] * p_best[0]
    origin = np.zeros((n_bins, n_arms), dtype=np.int64)
    for b in range(1, n_bins):
        leader = int(total.argmax())
        moved = total[leader] - price
        origin[b] = np.where(total >= moved, np.arange(n_arms), leader)
        total = np.maximum(total, moved) + share[b] * p_best[b]
    names = np.empty(n_bins, dtype=np.int64)
    names[-1] = total.argmax()
    now = p_best[-1]
    if now.max() - now[names[-1]] > _CLEAR:  # who is clearly likeliest now is named however late
        names[-1] = now.argmax()
    for b in range(n_bins - 1, 0, -1):
        names[b - 1] = origin[b, names[b]]
    return names, share, price


def _weighed(bins: Bins, filtered: Filtered, most: int, seed: int) -> tuple[Bins, Filtered]:
    """Return what predicts best if votes from rankings count in full, less, or least."""
    found = [(bins, filtered)]
    for worth in (bins.worth**0.5, 1.0):
        other = replace(bins, worth=worth)
        constants = choose(other, filtered.layout)
        found.append((other, run_filter(other, filtered.layout, constants, most, seed)))
    return min(found, key=lambda one: loss(*one))


def loss(bins: Bins, filtered: Filtered) -> float:
    """Return the mean log loss of a vote, each predicted from the bins before it."""
    return _loss(bins, filtered.chances)


def _loss(bins: Bins, chances: Floats) -> float:
    total = bins.won * np.log(chances) + (bins.count - bins.won) * np.log(1 - chances)
    return float(-total.sum() / bins.count.sum())


def pairs_differ(bins: Bins) -> bool:
    """Return whether one number an arm is too little: pairs deviate from Bradley-Terry.

    Over the whole log, by three standard deviations of the deviance. The model then learns how much
    pairs differ, which may be little.
    """
    k = bins.n_arms
    if not 3 <= k <= _MOST_PAIRED:
        return False
    wins = np.zeros((k, k))
    np.add.at(wins, (bins.left, bins.right), bins.won * bins.worth)
    np.add.at(wins, (bins.right, bins.left), (bins.count - bins.won) * bins.worth)
    met = wins + wins.T
    n_pairs = int((met[np.triu_indices(k, 1)] > 0).sum())
    freedom = n_pairs - k + 1
    if freedom < 1 or met.sum() / 2 < _VOTES_PER_PAIR * n_pairs:
        return False
    s = np.zeros(k)
    for _ in range(30):
        chance = sigma(s[:, None] - s)
        curve = met * chance * (1 - chance)
        hessian = np.diag(curve.sum(axis=1)) - curve + 0.1 * np.eye(k)
        s = s + np.linalg.solve(hessian, (wins - met * chance).sum(axis=1) - 0.1 * s)
    expected = met * sigma(s[:, None] - s)
    one, other = np.triu_indices(k, 1)
    known = met[one, other] > 0
    o, e, n = wins[one, other][known], expected[one, other][known], met[one, other][known]
    deviance = ((o - e) ** 2 / (e * (1 - e / n))).sum()
    return bool(deviance > freedom + 3 * np.sqrt(2 * freedom))
