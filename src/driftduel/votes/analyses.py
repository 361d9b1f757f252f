"""All that a file of votes tells its owner: who is best, since when, how sure, and what is missing.

Who was best when is from `driftduel.votes.histories`. The scores are those of the latest span
without a proved change, with bounds that hold for all spans at once, so that it does not matter
that the votes chose it. Pairs have the intervals of `driftduel.votes.sequences`, all at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel._support.extras import MissingExtraError
from driftduel.matrix.criteria import Criterion, Weighted
from driftduel.matrix.weights import uniform
from driftduel.verdict import text
from driftduel.verdict.parts import plain
from driftduel.verdict.standing import Moment, Side, Standing
from driftduel.votes import cautions
from driftduel.votes.columns import Columns
from driftduel.votes.estimates import in_period, reference_weight, weigh
from driftduel.votes.figures import Bar, Condorcet, Pair, Rated, Sides
from driftduel.votes.figures import plain as as_plain
from driftduel.votes.histories import ASSUMED, MOST_CELLS, History, LeaderChange, history
from driftduel.votes.log import Log
from driftduel.votes.ratings import ratings
from driftduel.votes.reading import read
from driftduel.votes.sequences import interval
from driftduel.votes.standings import standing_of, with_options
from driftduel.votes.weighted import Floats

if TYPE_CHECKING:
    import polars as pl

_LEVEL = 1e-9

_MOST_NEXT = 5
_FAR = 10**9
_DAYS = (1 / 144, 1 / 24, 1 / 4, 1, 7, 30.4375, 91.3125, 365.25)
_MOST_BARS = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class Analysis:
    """What votes tell, as returned by `analyse`; in words by ``str``.

    Attributes
    ----------
    log : Log
        The votes.
    history : History
        Who was best when.
    present : History
        The same of the arms that are still shown; the history itself if all are.
    standing : Standing
        The verdict: who is best, since when, what changed, and what is undecided.
    panel : tuple of str
        The arms that scores are against.
    scores : polars.DataFrame
        Those of ``present`` since its latest change, without estimates where votes cannot tell.
    times : int
        How many different times the votes have.
    votes_more : int or None
        About how many more decide; 0 if it is decided, None if very many.
    doubts : dict of str to str
        By arm why its score cannot be told.
    pairs, condorcet, ratings, sides, bars
        See `driftduel.votes.figures`.
    ties : float
        The share of ties.
    joined, left : dict of str to Moment
        First votes of arms that came late, and last votes of arms that are shown no more.
    ask_next : tuple of (str, str)
        The pairs that would tell the most.
    """

    log: Log
    history: History
    present: History
    standing: Standing
    panel: tuple[str, ...]
    scores: pl.DataFrame
    times: int
    votes_more: int | None
    doubts: dict[str, str]
    pairs: tuple[Pair, ...]
    condorcet: Condorcet
    ratings: Rated
    sides: Sides | None
    ties: float
    joined: dict[str, Moment]
    left: dict[str, Moment]
    bars: tuple[Bar, ...]
    ask_next: tuple[tuple[str, str], ...]

    @property
    def best(self) -> str | None:
        """Who is ahead; None if nobody is, or the votes cannot tell."""
        best = self.standing.best
        return None if best is None else self.log.arms[best]

    @property
    def since(self) -> Moment:
        """From when on scores count: the beginning of the latest time without a proved change."""
        return Moment.of(self.present.latest)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it comes to, in words."""
        return tuple(map(plain, text.sentences(self.standing)))

    def __str__(self) -> str:
        return text.words(self.standing)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it, with what is to be said of how votes were read."""
        known, log = self.standing, self.log
        copies = known.copies
        return {
            "says": list(self.sentences),
            "votes": log.n_votes,
            "serves": log.n_serves,
            "period": [Moment.of(log.moment(float(t))).to_json() for t in log.time[[0, -1]]],
            "times": self.times,
            "arms": list(log.arms),
            "against": list(self.panel),
            "alpha": self.history.alpha,
            "assuming": self.history.assuming,
            "best": self.best,
            "since": None if known.since is None else known.since.to_json(),
            "decided": self.present.decided,
            "candidates": list(self.present.candidates),
            "votes_more": self.votes_more,
            "changes": [_change(one) for one in self.history.changes],
            "scores_since": self.since.to_json(),
            "scores": self.scores.to_dicts(),
            "doubts": self.doubts,
            "pairs": as_plain(self.pairs),
            "condorcet": {
                **as_plain(self.condorcet),
                "cycle": self.condorcet.cycle and list(self.condorcet.cycle),
            },
            "ratings": {
                **as_plain(self.ratings),
                "rows": list(self.ratings.rows),
                "says": list(self.ratings.says),
            },
            "side": as_plain(self.sides),
            "ties": self.ties,
            "joined": {arm: at.to_json() for arm, at in self.joined.items()},
            "left": {arm: at.to_json() for arm, at in self.left.items()},
            "copies": copies and {"next": copies.near, "apart": copies.apart},
            "votes_over_time": as_plain(self.bars),
            "ask_next": [{"first": one, "second": other} for one, other in self.ask_next],
            "standing": known.to_dict(),
            "notes": list(log.notes),
        }


def _change(change: LeaderChange) -> dict[str, Any]:
    return {
        "from": change.before,
        "to": change.after,
        "from_among": list(change.before_among),
        "to_among": list(change.after_among),
        "likeliest": Moment.of(change.likeliest).to_json(),
        "earliest": Moment.of(change.earliest).to_json(),
        "latest": Moment.of(change.latest).to_json(),
        "surely_after": Moment.of(change.after_surely).to_json(),
        "surely_before": Moment.of(change.before_surely).to_json(),
    }


def analyse(
    votes: Any,
    criterion: Criterion | None = None,
    *,
    alpha: float = 0.05,
    pairs: str | None = None,
    arms: Sequence[str] | None = None,
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
) -> Analysis:
    """Tell all that votes tell: who is best, since when, how sure that is.

    Parameters
    ----------
    votes : path, data frame, dict, list or Log
        Whatever `driftduel.votes.read` reads.
    criterion : Criterion, optional
        What best means. If left out, the chance to beat an arm drawn from those that were there all
        the time, if there are two of them at least; else from all.
    alpha, pairs
        As for `driftduel.history`.
    arms, columns, dayfirst, header
        As for `driftduel.votes.read`.

    Examples
    --------
    >>> votes = {"left": [0, 1] * 200, "right": [1, 0] * 200, "outcome": [1, 0, 1, 0, 1, 1, 0, 0] * 50}
    >>> found = analyse(Log(["tea", "milk"], np.arange(400), **votes))
    >>> print(*found.sentences[:2])
    tea is best on average since the first vote (time 0). It wins 67% to 83% of its votes against the other option.
    >>> found.best, found.to_dict()["changes"]
    ('tea', [])
    """  # noqa: E501
    log = read(
        votes,
        arms=arms,
        columns=columns,
        dayfirst=dayfirst,
        header=header,
        propensities=pairs is None,
    )
    weight, panel = _panel(log) if criterion is None else (None, log.arms)
    left: dict[str, float] = {}
    if weight is None:
        assert criterion is not None
        weight = reference_weight(criterion, log.n_arms)
    else:
        left = cautions.gone(log)
    past = history(log, Weighted(weight), alpha=alpha, pairs=pairs)
    present, shown = past, log
    if left and len(left) <= log.n_arms - 2:
        stays = np.array([arm not in left for arm in log.arms])
        shown, weight = log.select([arm for arm in log.arms if arm not in left]), weight[stays]
        weight = weight / weight.sum() if weight.any() else uniform(shown.n_arms)
        panel = tuple(arm for arm in panel if arm not in left)
        present = history(shown, Weighted(weight), alpha=alpha, pairs=pairs)
    began = cautions.joined(log)
    late = in_period(shown, (present.latest, None))
    doubts = _doubts(late, weight, pairs, alpha)
    best = _best(present)
    if best in doubts and not present.decided:  # its estimate is none
        best = None
    # Without a change the time is all of it; otherwise the votes chose one of its cells.
    level = alpha / MOST_CELLS if past.changes or present.changes else alpha
    matrix = _pairs(log, in_period(log, (present.latest, None)), level)
    votes_more = _votes_more(present, late, weight, pairs)
    joined = {arm: Moment.of(log.moment(time)) for arm, time in began.items()}
    gone = {arm: Moment.of(log.moment(time)) for arm, time in left.items()}
    condorcet = _condorcet(
        shown.arms, [pair for pair in matrix if not {pair.first, pair.second} & {*left}]
    )
    sides = cautions.side(log, best, alpha) if log.sides else None
    cycle = condorcet.cycle if {*(condorcet.cycle or ())} & {*present.candidates} else None
    known = standing_of(present, log.arms, past)
    first = joined.get(best or "")
    standing = replace(
        with_options(known, _of_options(joined, gone, present, doubts)),
        best=None if best is None else log.arms.index(best),
        since=max(known.since, first) if first and known.since else known.since,
        missing=math.inf if votes_more is None else votes_more,
        level_with=tuple(log.arms.index(arm) for arm in present.candidates)
        if best is None and present.best is not None and present.best not in doubts
        else (),
        panel=tuple(map(log.arms.index, panel)) if len(panel) < log.n_arms else None,
        cycle=tuple(map(log.arms.index, cycle or ())),
        copies=cautions.copies(log),
        side=_suspect(sides),
        confounded=past.assuming == ASSUMED["independent"],
    )
    return Analysis(
        log=log,
        history=past,
        present=present,
        standing=standing,
        panel=panel,
        scores=_without_doubted(present.scores, doubts),
        times=1 + int((np.diff(log.time) > 0).sum()),
        votes_more=votes_more,
        doubts=doubts,
        pairs=matrix,
        condorcet=condorcet,
        ratings=_ratings(late, alpha),
        sides=sides,
        ties=float((log.count * (log.outcome == 0.5))[log.left != log.right].sum()) / log.n_votes,
        joined=joined,
        left=gone,
        bars=_bars(log),
        ask_next=_ask_next(present, late, weight),
    )


def _of_options(
    joined: Mapping[str, Moment],
    left: Mapping[str, Moment],
    present: History,
    doubts: Mapping[str, str],
) -> dict[str, dict[str, Any]]:
    """Return what is known of options beside their scores."""
    found: dict[str, dict[str, Any]] = {}
    for arm, at in joined.items():
        found.setdefault(arm, {})["joined_at"] = at if arm in present.candidates else None
    for arm, at in left.items():
        if arm not in present.arms:
            found.setdefault(arm, {}).update(offered=False, out="unseen", out_since=at)
    for arm, why in doubts.items():
        found.setdefault(arm, {}).update(untold=why, score=None)
    return found


def _suspect(sides: Sides | None) -> Side | None:
    """Return on which side the best arm was shown too often, if it may profit from that."""
    if sides is None or not sides.suspect or sides.shown_left is None:
        return None
    left = sides.shown_left > 0.5
    share = sides.shown_left if left else 1 - sides.shown_left
    return Side(side="left" if left else "right", share=share)


def _panel(log: Log) -> tuple[Floats, tuple[str, ...]]:
    """Return the weight on the arms that were there all the time, on all if that are too few."""
    always = np.asarray(cautions.shown_in_parts(log).all(axis=0))
    if cautions.too_few(log) or always.sum() < 2:
        always[:] = True
    weight = uniform(log.n_arms) if always.all() else always / always.sum()
    return weight, tuple(np.array(log.arms, dtype=object)[always])


def _best(present: History) -> str | None:
    """Return who is ahead; nobody if two are level."""
    if present.best is None:
        return None
    scores = present.scores["score"].drop_nulls().to_list()
    level = not present.decided and len(scores) > 1 and scores[0] - scores[1] < _LEVEL
    return None if level else present.best


def _doubts(late: Log, weight: Floats, pairs: str | None, alpha: float) -> dict[str, str]:
    """Return of which arms the scores cannot be told, and why; bounds hold all the same."""
    if late.propensity is None and pairs != "uniform":
        return {}
    evidence, _ = weigh(late, weight, None if late.propensity is not None else pairs)
    found = zip(late.arms, evidence.doubts(alpha), strict=True)
    return {arm: doubt for arm, doubt in found if doubt}


def _without_doubted(scores: pl.DataFrame, doubts: dict[str, str]) -> pl.DataFrame:
    import polars as pl

    told = ~pl.col("arm").is_in(list(doubts))
    return scores.with_columns(
        pl.when(told).then(pl.col(name)).alias(name) for name in ("score", "score_against_others")
    )


def _votes_more(past: History, late: Log, weight: Floats, pairs: str | None) -> int | None:
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


def _pairs(log: Log, late: Log, alpha: float) -> tuple[Pair, ...]:
    """Return of every pair that met how often, in the latest time who won, and the interval."""
    met, wins = log.head_to_head(), late.head_to_head()
    first, second = np.nonzero(np.triu(met + met.T, 1))
    votes = (wins + wins.T)[first, second]
    won = wins[first, second]
    low, high = interval(won, votes, alpha / max(len(first), 1))
    return tuple(
        Pair(
            first=log.arms[a],
            second=log.arms[b],
            votes=int(met[a, b] + met[b, a]),
            votes_since=int(votes[n]),
            share=float(won[n] / votes[n]) if votes[n] else None,
            low=float(low[n]),
            high=float(high[n]),
        )
        for n, (a, b) in enumerate(zip(first, second, strict=True))
    )


def _condorcet(arms: tuple[str, ...], matrix: Sequence[Pair]) -> Condorcet:
    """Return who beats all others, whether that is proved, and whether it is proved nobody does."""
    beats = dict.fromkeys(arms, 0)
    ahead = dict.fromkeys(arms, 0)
    beaten = dict.fromkeys(arms, False)
    for pair in matrix:
        for one, other, low, share in (
            (pair.first, pair.second, pair.low, pair.share),
            (pair.second, pair.first, 1 - pair.high, _turned(pair.share)),
        ):
            beats[one] += low > 0.5
            ahead[one] += share is not None and share > 0.5
            beaten[other] |= low > 0.5
    winner = [arm for arm in arms if ahead[arm] == len(arms) - 1]
    proved = bool(winner) and beats[winner[0]] == len(arms) - 1
    return Condorcet(
        winner=winner[0] if winner else None,
        proved=proved,
        proved_none=all(beaten.values()),
        cycle=_cycle(arms, matrix),
    )


def _cycle(arms: tuple[str, ...], matrix: Sequence[Pair]) -> tuple[str, ...] | None:
    """Return arms of which each is proved to beat the next, and the last the first, few if any."""
    place = {arm: n for n, arm in enumerate(arms)}
    beats: list[list[int]] = [[] for _ in arms]
    for pair in matrix:
        first, second = place[pair.first], place[pair.second]
        if pair.low > 0.5:
            beats[first].append(second)
        elif pair.high < 0.5:
            beats[second].append(first)
    shortest: list[int] | None = None
    for start in range(len(arms)):
        paths = {start: [start]}
        reached = [start]
        for arm in reached:  # grows while it is read: nearest arms first
            if shortest is not None and len(paths[arm]) >= len(shortest):
                break
            if start in beats[arm]:
                shortest = paths[arm]
                break
            for other in beats[arm]:
                if other not in paths:
                    paths[other] = [*paths[arm], other]
                    reached.append(other)
        if shortest is not None and len(shortest) == 3:  # none is shorter
            break
    return None if shortest is None else tuple(arms[arm] for arm in shortest)


def _ratings(late: Log, alpha: float) -> Rated:
    """Return Bradley-Terry ratings of the latest time, or why there are none."""
    try:
        found = ratings(late, alpha=alpha)
    except MissingExtraError as error:
        why = (f"Left out, as a library is not installed: {error}.",)
        return Rated(installed=False, rows=(), fits=None, p_value=None, says=why)
    return Rated(
        installed=True,
        rows=tuple(found.frame.to_dicts()),
        fits=found.fits,
        p_value=found.p_value,
        says=tuple(found.sentences),
    )


def _turned(share: float | None) -> float | None:
    return None if share is None else 1 - share


def _bars(log: Log) -> tuple[Bar, ...]:
    """Return the number of votes in equal parts of the time."""
    votes = log.votes
    first, last = float(votes.time[0]), float(votes.time[-1])
    if first == last:
        return (Bar(begin=Moment.of(log.moment(first)), votes=log.n_votes),)
    step = (last - first) / _MOST_BARS
    if log.dated:
        step = next((days for days in _DAYS if days >= step), step)
    place = np.minimum(((votes.time - first) / step).astype(np.int64), _MOST_BARS)
    sums = np.bincount(place, votes.count)
    return tuple(
        Bar(begin=Moment.of(log.moment(first + n * step)), votes=int(number))
        for n, number in enumerate(sums)
    )


def _ask_next(past: History, late: Log, weight: Floats) -> tuple[tuple[str, str], ...]:
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
