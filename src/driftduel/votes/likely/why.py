"""Why who leads changed, asked of a log: votes before and after a change, with what they carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from driftduel.verdict.causes import Cause, Release
from driftduel.verdict.moments import Moment
from driftduel.votes.likely.bins import Floats, Ints
from driftduel.votes.likely.causes import Side, explain, fit
from driftduel.votes.likely.groups import RETURNING, cells_of
from driftduel.votes.log import Log
from driftduel.votes.names import VOTERS

MOST_ARMS = 20
_FEWEST, _MOST = 30, 3_000
"""Votes of a side of a change: of fewer nobody can tell why, of more those nearest are taken."""

_MOST_GROUPS = 6
"""Groups of a field that are told apart; those of fewest votes are one."""

_COMES = 0.5
"""How likely it is that an option which changes alone does so with a release, if one is marked."""

_WITHIN = 0.9
"""How likely that release then lies in the range of the change."""

_NEAR = 0.02
"""A release may be so much of the time of the log before or after the range."""


def why(
    log: Log,
    earliest: float,
    latest: float,
    *,
    voters: Sequence[str] = (),
    questions: Sequence[str] = (),
    releases: Iterable[Release] = (),
    since: float | None = None,
    until: float | None = None,
    leaders: tuple[str, str] | None = None,
    seed: int = 0,
) -> Cause | None:
    """Return what explains a change; None if there are too few votes on a side of it.

    Parameters
    ----------
    log : Log
        The votes, with what else they carry in ``log.extras``.
    earliest, latest : float
        Between which times of the log the change came; votes between them are not looked at.
    voters, questions : sequence of str
        Columns that say of which kind the voter was (``"returning"`` is new or not), and what was
        asked. Of several the one is taken by which tastes differ most.
    releases : iterable of Release
        What was changed on purpose; their moments are those of `Log.moment`.
    since, until : float, optional
        The times of the changes before and after, if there are any.
    leaders : tuple of str, optional
        Who led before and who after; found if left out.

    Examples
    --------
    >>> import polars as pl
    >>> rng = np.random.default_rng(0)
    >>> n, young = 2_000, np.arange(2_000) >= 1_000
    >>> kind = rng.random(n) < np.where(young, 0.8, 0.2)
    >>> won = (rng.random(n) < np.where(kind, 0.3, 0.7)).astype(float)
    >>> ages = pl.DataFrame({"age": np.where(kind, "young", "old")})
    >>> log = Log(["tea", "milk"], np.arange(n), [0] * n, [1] * n, won, extras=ages)
    >>> found = why(log, 990, 1_010, voters=["age"])
    >>> found.named, found.shifted[0]
    (('voters',), 'young')
    """
    votes = log.votes
    time = votes.time
    first = np.flatnonzero((time < earliest) & (time >= (-np.inf if since is None else since)))
    then = np.flatnonzero((time > latest) & (time <= (np.inf if until is None else until)))
    first, then = first[-_MOST:], then[:_MOST]
    if min(votes.count[first].sum(), votes.count[then].sum()) < _FEWEST:
        return None
    both = np.concatenate([first, then])
    seen = np.unique(np.concatenate([votes.left[both], votes.right[both]]))
    if not 2 <= len(seen) <= MOST_ARMS:
        return None
    places = np.full(votes.n_arms, -1)
    places[seen] = np.arange(len(seen))
    names = [votes.arms[k] for k in seen]

    def side(rows: Ints, group: Ints, context: Ints) -> Side:
        return Side(
            places[votes.left[rows]],
            places[votes.right[rows]],
            votes.outcome[rows],
            votes.count[rows],
            group[rows],
            context[rows],
        )

    nobody = np.zeros(len(votes), np.int64)
    by_voter = _chosen(votes, voters, first, then, places, len(seen))
    by_question = _chosen(votes, questions, first, then, places, len(seen))
    group = nobody if by_voter is None else by_voter[1]
    context = nobody if by_question is None else by_question[1]
    sides = (side(first, group, context), side(then, group, context))
    known = [places[votes.arms.index(one)] for one in leaders or () if one in votes.arms]
    if len(known) != 2 or min(known) < 0:
        known = _leaders(*sides, len(seen))
    old, new = int(known[0]), int(known[1])
    marks = [one for one in releases if _comes_with(one, votes, earliest, latest)]
    favour = _favour(marks, names, earliest, latest, float(np.ptp(time)))
    told = explain(*sides, len(seen), old, new, released=favour, seed=seed)
    release = next((one for one in marks if one.option in (None, names[told.option])), None)
    odds = 0.0 if release is None else favour[told.option] / _usual() - 1.0
    return Cause(
        before=names[old],
        after=names[new],
        earliest=Moment.of(votes.moment(earliest)),
        latest=Moment.of(votes.moment(latest)),
        votes=(int(votes.count[first].sum()), int(votes.count[then].sum())),
        probability=told.probability,
        takes_part=told.takes_part,
        parts=told.parts,
        total=told.total,
        option=names[told.option],
        voters=None if by_voter is None else by_voter[0],
        questions=None if by_question is None else by_question[0],
        shifted=_shifted(by_voter, votes.count, first, then),
        asked=_shifted(by_question, votes.count, first, then),
        release=release,
        released=odds / (1.0 + odds),
    )


def why_each(
    log: Log,
    changes: Sequence[tuple[float, float, tuple[str, str]]],
    *,
    voters: Sequence[str] = (),
    questions: Sequence[str] = (),
    releases: Iterable[Release] = (),
) -> tuple[Cause, ...]:
    """Return what explains each of some changes: earliest and latest time, and who led.

    Of each the votes since the change before it and until the one after it are looked at; changes
    with too few are left out.
    """
    marks = tuple(releases)
    found = []
    for n, (earliest, latest, leaders) in enumerate(changes):
        one = why(
            log,
            earliest,
            latest,
            voters=voters,
            questions=questions,
            releases=marks,
            since=changes[n - 1][1] if n else None,
            until=changes[n + 1][0] if n + 1 < len(changes) else None,
            leaders=leaders,
        )
        if one is not None:
            found.append(one)
    return tuple(found)


def columns_of(log: Log, by: str | None) -> tuple[list[str], list[str]]:
    """Return the columns that tell voters apart, and those that tell questions apart."""
    known = [] if log.extras is None else log.extras.columns
    voters = [] if by is None or by in QUESTIONS else [by]
    questions = [name for name in QUESTIONS if name in known]
    if any(name.lower() in VOTERS for name in known):
        voters.append(RETURNING)
    return voters, questions


QUESTIONS = ("context", "category", "topic", "task")
"""What a column is called that says of which kind a question was."""


def _usual() -> float:
    """Return the evidence of a release for a change that it did not bring."""
    return 1.0 - _COMES


def _favour(
    marks: Sequence[Release], names: Sequence[str], earliest: float, latest: float, span: float
) -> Floats:
    """Return by how much releases that came with a change speak for each option moving alone.

    One that brought the change lies in its range with 90 %, any other anywhere in the log.
    """
    width = min(max((latest - earliest) / max(span, 1e-12) + 2 * _NEAR, 1e-6), 1.0)
    found = np.ones(len(names))
    for one in marks:
        for k, name in enumerate(names):
            if one.option == name:
                found[k] = _usual() + _COMES * _WITHIN / width
    return found


def _comes_with(release: Release, log: Log, earliest: float, latest: float) -> bool:
    """Tell whether a release lies in the range of a change, or nearly."""
    near = _NEAR * float(np.ptp(log.time))
    low, high = (Moment.of(log.moment(at)) for at in (earliest - near, latest + near))
    at = release.at
    if at.kind != low.kind:
        at = Moment("date", _date_of(at)) if low.kind == "date" else at
        if at.kind != low.kind:
            return False
    return bool(low.value <= at.value <= high.value)


def _date_of(moment: Moment) -> object:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(moment.value / 1e6, UTC).date()


def _leaders(before: Side, after: Side, n_arms: int) -> list[int]:
    """Return who was best before and after; who lost and gained most if that is the same."""
    found = []
    for one in (before, after):
        pair = np.eye(n_arms)[one.left] - np.eye(n_arms)[one.right]
        found.append(fit([(pair, 1.0)], one.count, one.outcome * one.count)[1])
    best = [int(one.argmax()) for one in found]
    if best[0] == best[1]:
        change = found[1] - found[0]
        return [int(change.argmin()), int(change.argmax())]
    return best


def _chosen(
    log: Log, columns: Sequence[str], first: Ints, then: Ints, places: Ints, n_arms: int
) -> tuple[str, Ints, list[str]] | None:
    """Return the column by which tastes differ most, each row's group, and their names."""
    found: list[tuple[float, str, Ints, list[str]]] = []
    rows = np.concatenate([first, then])
    late = np.repeat([0.0, 1.0], [len(first), len(then)])[:, None]
    pair = np.eye(n_arms)[places[log.left[rows]]] - np.eye(n_arms)[places[log.right[rows]]]
    for column in columns:
        group, names = _groups(log, column, rows)
        if len(names) < 2:
            continue
        if len(columns) == 1:
            return column, group, names
        by = np.zeros((len(rows), len(names), n_arms))
        by[np.arange(len(rows)), group[rows]] = pair
        parts = [(pair, 1.0), (pair * late, 1.0), (by.reshape(len(rows), -1), 0.6)]
        evidence, _, _ = fit(parts, log.count[rows], log.outcome[rows] * log.count[rows])
        found.append((evidence, column, group, names))
    return max(found, key=lambda one: one[0])[1:] if found else None


def _groups(log: Log, column: str, rows: Ints) -> tuple[Ints, list[str]]:
    """Return the group of each row of a log by a column, and what groups are called."""
    try:
        cells = cells_of(log, column)
    except ValueError:  # nobody knows who is new
        if column == RETURNING:
            return np.zeros(len(log), np.int64), []
        raise
    counts = Counter(cells[n] for n in rows.tolist())
    names = [name for name, _ in counts.most_common()]
    if len(names) > _MOST_GROUPS:
        names = [*names[: _MOST_GROUPS - 1], "(others)"]
    place = {name: n for n, name in enumerate(names)}
    last = len(names) - 1
    return np.array([place.get(cell, last) for cell in cells], np.int64), names


def _shifted(
    chosen: tuple[str, Ints, list[str]] | None, count: Floats, first: Ints, then: Ints
) -> tuple[str, float, float] | None:
    """Return the group whose share changed most, and that share before and after."""
    if chosen is None:
        return None
    _, group, names = chosen
    shares = []
    for rows in (first, then):
        found = np.bincount(group[rows], count[rows], len(names))
        shares.append(found / found.sum())
    most = int((shares[1] - shares[0]).argmax())
    return names[most], float(shares[0][most]), float(shares[1][most])
