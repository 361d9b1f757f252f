"""All that a file of votes tells its owner: who is best, since when, how sure, and what is missing.

Who was best when is from `driftduel.votes.histories`. The scores are those of the latest span
without a proved change, with bounds that hold for all spans at once, so that it does not matter
that the votes chose it. Pairs have the intervals of `driftduel.votes.sequences`, all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftduel._support.extras import MissingExtraError
from driftduel.matrix.criteria import Criterion, Weighted
from driftduel.matrix.weights import uniform
from driftduel.votes import cautions
from driftduel.votes.columns import Columns
from driftduel.votes.estimates import in_period, reference_weight, weigh
from driftduel.votes.histories import MOST_CELLS, History, Moment, history, said
from driftduel.votes.log import Log
from driftduel.votes.ratings import ratings
from driftduel.votes.reading import read
from driftduel.votes.sentences import sentences
from driftduel.votes.sequences import interval
from driftduel.votes.weighted import Floats

_LEVEL = 1e-9

_MOST_NEXT = 5
_FAR = 10**9
_DAYS = (1 / 144, 1 / 24, 1 / 4, 1, 7, 30.4375, 91.3125, 365.25)
_MOST_BARS = 60


@dataclass(frozen=True, eq=False)
class Analysis:
    """What votes tell, as returned by `analyse`; `data` is all of it.

    Attributes
    ----------
    log : Log
        The votes.
    history : History
        Who was best when.
    present : History
        The same of the arms that are still shown; the history itself if all are.
    panel : tuple of str
        The arms that scores are against.
    sentences : tuple of str
        What it comes to, in words.
    data : dict
        The figures, as JSON has them.
    """

    log: Log
    history: History
    present: History
    panel: tuple[str, ...]
    sentences: tuple[str, ...]
    data: dict[str, Any]

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it, with what is to be said of how votes were read."""
        return {"says": list(self.sentences), **self.data, "notes": list(self.log.notes)}


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
    >>> print(found.sentences[0])
    tea is best on average since 0: it beats the other in 67 to 83 of 100 votes.
    >>> found.data["best"], found.data["changes"]
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
    data = {
        "votes": log.n_votes,
        "serves": log.n_serves,
        "period": [
            said(log.moment(float(t))) if log.dated else float(t) for t in log.time[[0, -1]]
        ],
        "times": 1 + int((np.diff(log.time) > 0).sum()),
        "arms": list(log.arms),
        "against": list(panel),
        "alpha": alpha,
        "assuming": past.assuming,
        "best": best,
        "since": _since(log, present, best, began),
        "decided": present.decided,
        "candidates": list(present.candidates),
        "votes_more": _votes_more(present, late, weight, pairs),
        "changes": [
            {
                "from": change.before,
                "to": change.after,
                "from_among": list(change.before_among),
                "to_among": list(change.after_among),
                "likeliest": _plain(change.likeliest),
                "earliest": _plain(change.earliest),
                "latest": _plain(change.latest),
                "surely_after": _plain(change.after_surely),
                "surely_before": _plain(change.before_surely),
            }
            for change in past.changes
        ],
        "scores_since": _plain(present.latest),
        "scores": _without_doubted(present.scores.to_dicts(), doubts),
        "doubts": doubts,
        "pairs": matrix,
        "condorcet": _condorcet(
            shown.arms, [pair for pair in matrix if not {pair["first"], pair["second"]} & {*left}]
        ),
        "ratings": _ratings(late, alpha),
        "side": cautions.side(log, best, alpha) if log.sides else None,
        "ties": float((log.count * (log.outcome == 0.5))[log.left != log.right].sum())
        / log.n_votes,
        "joined": {arm: _plain(log.moment(time)) for arm, time in began.items()},
        "left": {arm: _plain(log.moment(time)) for arm, time in left.items()},
        "copies": cautions.copies(log),
        "votes_over_time": _bars(log),
        "ask_next": _ask_next(present, late, weight),
    }
    return Analysis(log, past, present, panel, sentences(past, present, data), data)


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


def _without_doubted(rows: list[dict[str, Any]], doubts: dict[str, str]) -> list[dict[str, Any]]:
    nothing = {"score": None, "score_against_others": None}
    return [row | nothing if row["arm"] in doubts else row for row in rows]


def _since(log: Log, present: History, best: str | None, began: dict[str, float]) -> float | str:
    """Return since when the best arm is; not before its first vote."""
    since = log.as_times(present.since)[0]  # type: ignore[arg-type]
    first = began.get(best, since) if best is not None else since
    return _plain(log.moment(float(max(first, since))))


def _plain(moment: Moment) -> float | str:
    return moment if isinstance(moment, float) else said(moment)


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


def _pairs(log: Log, late: Log, alpha: float) -> list[dict[str, Any]]:
    """Return of every pair that met how often, in the latest time who won, and the interval."""
    met, wins = log.head_to_head(), late.head_to_head()
    first, second = np.nonzero(np.triu(met + met.T, 1))
    votes = (wins + wins.T)[first, second]
    won = wins[first, second]
    low, high = interval(won, votes, alpha / max(len(first), 1))
    return [
        {
            "first": log.arms[a],
            "second": log.arms[b],
            "votes": int(met[a, b] + met[b, a]),
            "votes_since": int(votes[n]),
            "share": float(won[n] / votes[n]) if votes[n] else None,
            "low": float(low[n]),
            "high": float(high[n]),
        }
        for n, (a, b) in enumerate(zip(first, second, strict=True))
    ]


def _condorcet(arms: tuple[str, ...], matrix: list[dict[str, Any]]) -> dict[str, Any]:
    """Return who beats all others, whether that is proved, and whether it is proved nobody does."""
    beats = dict.fromkeys(arms, 0)
    ahead = dict.fromkeys(arms, 0)
    beaten = dict.fromkeys(arms, False)
    for pair in matrix:
        for one, other, low, share in (
            (pair["first"], pair["second"], pair["low"], pair["share"]),
            (pair["second"], pair["first"], 1 - pair["high"], _turned(pair["share"])),
        ):
            beats[one] += low > 0.5
            ahead[one] += share is not None and share > 0.5
            beaten[other] |= low > 0.5
    winner = [arm for arm in arms if ahead[arm] == len(arms) - 1]
    proved = bool(winner) and beats[winner[0]] == len(arms) - 1
    none_proved = all(beaten.values())
    return {
        "winner": winner[0] if winner else None,
        "proved": proved,
        "proved_none": none_proved,
        "cycle": _cycle(arms, matrix),
    }


def _cycle(arms: tuple[str, ...], matrix: list[dict[str, Any]]) -> list[str] | None:
    """Return arms of which each is proved to beat the next, and the last the first, few if any."""
    place = {arm: n for n, arm in enumerate(arms)}
    beats: list[list[int]] = [[] for _ in arms]
    for pair in matrix:
        first, second = place[pair["first"]], place[pair["second"]]
        if pair["low"] > 0.5:
            beats[first].append(second)
        elif pair["high"] < 0.5:
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
    return None if shortest is None else [arms[arm] for arm in shortest]


def _ratings(late: Log, alpha: float) -> dict[str, Any]:
    """Return Bradley-Terry ratings of the latest time, or why there are none."""
    try:
        found = ratings(late, alpha=alpha)
    except MissingExtraError as error:
        said = [f"Left out, as a library is not installed: {error}."]
        return {"installed": False, "rows": [], "fits": None, "p_value": None, "says": said}
    return {
        "installed": True,
        "rows": found.frame.to_dicts(),
        "fits": found.fits,
        "p_value": found.p_value,
        "says": list(found.sentences),
    }


def _turned(share: float | None) -> float | None:
    return None if share is None else 1 - share


def _bars(log: Log) -> list[dict[str, Any]]:
    """Return the number of votes in equal parts of the time."""
    votes = log.votes
    first, last = float(votes.time[0]), float(votes.time[-1])
    if first == last:
        return [{"begin": _plain(log.moment(first)), "votes": log.n_votes}]
    step = (last - first) / _MOST_BARS
    if log.dated:
        step = next((days for days in _DAYS if days >= step), step)
    place = np.minimum(((votes.time - first) / step).astype(np.int64), _MOST_BARS)
    sums = np.bincount(place, votes.count)
    return [
        {"begin": _plain(log.moment(first + n * step)), "votes": int(number)}
        for n, number in enumerate(sums)
    ]


def _ask_next(past: History, late: Log, weight: Floats) -> list[dict[str, str]]:
    """Return the pairs that stand most in the way of knowing who of the candidates is best.

    The gap of two arms is a sum over the pairs of either. A vote of a pair with coefficient v and n
    votes takes v^2 / n^2 from the variance, or about as much where there is none.
    """
    if past.best is None or past.decided:
        return []
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
    return [{"first": late.arms[a], "second": late.arms[b]} for a, b in most if gain[a, b] > 0]
