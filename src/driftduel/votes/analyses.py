"""All that a file of votes tells its owner: who is best, since when, how sure, and what is missing.

Who was best when is from `driftduel.votes.histories`. The scores are those of the latest span
without a proved change, with bounds that hold for all spans at once, so that it does not matter
that the votes chose it. Pairs have the intervals of `driftduel.votes.sequences`, all at once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from driftduel._support.checks import BadParameter
from driftduel.matrix.criteria import Criterion, Weighted
from driftduel.matrix.weights import uniform
from driftduel.verdict.causes import Release
from driftduel.verdict.standing import Moment, Side
from driftduel.verdict.variants import counted_alone
from driftduel.votes import cautions
from driftduel.votes.analysis import Analysis, Group
from driftduel.votes.estimates import in_period, reference_weight, weigh
from driftduel.votes.figures import Bar, Rows, Sides
from driftduel.votes.groups import Only, only_where, seen, split_by
from driftduel.votes.histories import ASSUMED, MOST_CELLS, History, history
from driftduel.votes.log import Log
from driftduel.votes.pairs import condorcet_of, pairs_of
from driftduel.votes.planning import ask_next, between, votes_more
from driftduel.votes.reading import read
from driftduel.votes.roles import Columns
from driftduel.votes.standings import standing_of, with_options
from driftduel.votes.values import Values
from driftduel.votes.variants import Places, Variants, places_of, shared_weight
from driftduel.votes.weighted import Floats

if TYPE_CHECKING:
    import polars as pl

    from driftduel.votes.noise import LogMeasures

_LEVEL = 1e-9

_DAYS = (1 / 144, 1 / 24, 1 / 4, 1, 7, 30.4375, 91.3125, 365.25)
_MOST_BARS = 60


def analyse(
    votes: Any,
    criterion: Criterion | None = None,
    *,
    alpha: float = 0.05,
    pairs: str | None = None,
    arms: Sequence[str] | None = None,
    only: Only | None = None,
    by: str | None = None,
    releases: Sequence[Release] = (),
    drift: bool = False,
    variants: Variants = (),
    columns: Columns | None = None,
    dayfirst: bool | None = None,
    header: bool = True,
    values: Values | None = None,
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
    arms, columns, dayfirst, header, values
        As for `driftduel.votes.read`.
    only : str, sequence of str or mapping, optional
        Which votes count, by other columns: ``"language=en"``, several of these in a list, or
        ``{"language": ["en", "de"]}``. Of one column any of its values counts, of several all.
    by : str, optional
        A column, such as ``"language"``: each group that it makes is told of as well.
    releases : sequence of Release
        What was changed on purpose, as `driftduel.votes.Release`: whether that is why who leads changed
        is said, as with ``by`` whether other voters are.
    drift : bool
        Whether to tell how much tastes moved, too, and how much of that is noise, as
        `driftduel.measure_log` does; takes some seconds.
    variants : sequence of sequence of str, optional
        Arms that are variants of one thing, as ``[["tea 1", "tea 2"]]``. They share one weight as
        opponents in scores, and a note warns where another is ahead if each counts for itself.

    Returns
    -------
    Analysis
        In words by ``str``; with the verdict, scores, pairs, cautions, charts and a page.

    Examples
    --------
    >>> votes = {"left": [0, 1] * 200, "right": [1, 0] * 200, "outcome": [1, 0, 1, 0, 1, 1, 0, 0] * 50}
    >>> found = analyse(Log(["tea", "milk"], np.arange(400), **votes))
    >>> print(found.sentences[0])
    tea is very likely best now (over 99%), and was the likeliest all the time.
    >>> print(*found.proved[:2])
    tea is best on average since the first vote (time 0). It wins 67% to 83% of its votes against the other option.
    >>> found.best, found.to_dict()["changes"]
    ('tea', [])
    """  # noqa: E501
    log = read(
        votes, columns=columns, dayfirst=dayfirst, header=header, propensities=pairs is None,
        values=values,
    )  # fmt: skip
    words = None
    if only is not None:
        log, words = only_where(log, only)
    if arms is not None:
        log = log.select(arms)
    elif only is not None:
        log = seen(log)
    if len(variants) and criterion is not None:
        raise BadParameter("variants", "is given with a criterion, must be given alone")
    found = _analysed(log, criterion, alpha, pairs, places_of(variants, log.arms))
    if len(variants):
        alone = _analysed(log, None, alpha, pairs).standing
        note = counted_alone(found.standing, alone, variants)
        found = replace(found, variants=variants, standing=replace(found.standing, notes=note))
    found = replace(found, file=_file(votes), only=words, by=by, releases=tuple(releases))
    if by is not None:
        found = replace(found, groups=_groups(log, by, criterion, alpha, pairs))
    if drift:
        found = replace(found, drift=_drift(log))
    return found


def _file(votes: Any) -> str | None:
    """Return what the files of votes are called; None if they are no files."""
    parts = votes if isinstance(votes, list | tuple) else [votes]
    if not all(isinstance(part, str | os.PathLike) for part in parts):
        return None
    return ", ".join(map(os.fspath, parts))


def _groups(
    log: Log, by: str, criterion: Criterion | None, alpha: float, pairs: str | None
) -> tuple[Group, ...]:
    """Return what each group of votes tells; the level is split, so that all holds at once."""
    parts = [*split_by(log, by)]
    found = []
    for name, kept in parts:
        some = log.rows(kept) if criterion is not None else seen(log.rows(kept))
        found.append(
            Group(name=name, analysis=_analysed(some, criterion, alpha / len(parts), pairs))
        )
    return tuple(found)


def _drift(log: Log) -> LogMeasures:
    from driftduel.votes.noise import measure_log  # imports numba

    return measure_log(log)


def _analysed(
    log: Log,
    criterion: Criterion | None,
    alpha: float,
    pairs: str | None,
    variants: Places = (),
) -> Analysis:
    weight, panel = _panel(log, variants) if criterion is None else (None, log.arms)
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
        shown = log.select([arm for arm in log.arms if arm not in left])
        if variants:
            in_panel = [n for n in range(log.n_arms) if stays[n] and weight[n]]
            weight = shared_weight(log.n_arms, variants, in_panel)
        weight = weight[stays]
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
    matrix = pairs_of(log, in_period(log, (present.latest, None)), level)
    missing = votes_more(present, late, weight, pairs)
    joined = {arm: Moment.of(log.moment(time)) for arm, time in began.items()}
    gone = {arm: Moment.of(log.moment(time)) for arm, time in left.items()}
    condorcet = condorcet_of(
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
        missing=math.inf if missing is None else missing,
        missing_between=between(present, late, weight, pairs),
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
        votes_more=missing,
        doubts=doubts,
        pairs=matrix,
        condorcet=condorcet,
        sides=sides,
        ties=float((log.count * (log.outcome == 0.5))[log.left != log.right].sum()) / log.n_votes,
        joined=joined,
        left=gone,
        bars=_bars(log),
        ask_next=ask_next(present, late, weight),
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


def _panel(log: Log, variants: Places = ()) -> tuple[Floats, tuple[str, ...]]:
    """Return the weight on the arms that were there all the time, on all if that are too few."""
    always = np.asarray(cautions.shown_in_parts(log).all(axis=0))
    if cautions.too_few(log) or always.sum() < 2:
        always[:] = True
    weight = uniform(log.n_arms) if always.all() else always / always.sum()
    if variants:
        weight = shared_weight(log.n_arms, variants, np.flatnonzero(always).tolist())
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


def _bars(log: Log) -> Rows[Bar]:
    """Return the number of votes in equal parts of the time."""
    votes = log.votes
    first, last = float(votes.time[0]), float(votes.time[-1])
    if first == last:
        return Rows([Bar(begin=Moment.of(log.moment(first)), votes=log.n_votes)])
    step = (last - first) / _MOST_BARS
    if log.dated:
        step = next((days for days in _DAYS if days >= step), step)
    place = np.minimum(((votes.time - first) / step).astype(np.int64), _MOST_BARS)
    sums = np.bincount(place, votes.count)
    return Rows(
        Bar(begin=Moment.of(log.moment(first + n * step)), votes=int(number))
        for n, number in enumerate(sums)
    )
