"""Answers of an automatic judge beside the votes of people: never votes, but what lets expect them.

A judge was asked which of two arms is better, often about a *case*, such as a prompt, and in both
orders. An answer stands until the same is asked again, in the same order; before the first answer
that one stands. Let u(c, a, b) in [-1, 1] be what it says of a against b in case c: twice the mean
of its answers in both orders less one, so 0 if it contradicts itself or was not asked. What a vote
on a and b in case c is expected to be is

    sigma(x logit p(a, b) + y u(c, a, b))

with the chances p that earlier votes let expect (`driftduel.votes.forecasts`). In each block x and
y are the mode of the likelihood of the votes before it, of which those of 32 blocks before count
half, beside normal priors around 1 and 0. So a judge who agrees with people is listened to, one who
says the opposite is turned round, and one who says nothing is left out.

All of this has to be settled before it is drawn which pair of a case is voted on. So a case of
which the judge was not asked about every pair says nothing, u = 0: it might have been asked about
the pair that was voted on alone. Whoever asks without a look at votes may say so (``partial``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import BadParameter
from driftduel.votes.forecasts import Forecasts, block_starts, of_past
from driftduel.votes.log import Log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CASE = "context"
"""The column that says of which case a vote was, unless somebody says otherwise."""

_PRIOR = np.array([1.0, 0.0])
_PRECISION = np.array([4.0, 1.0])
_FORGET = 0.5 ** (1 / 32)
_STEPS, _CLOSE = 20, 1e-10
_SLACK = 1e-3
"""Chances are kept so far from 0 and 1."""

MOST_NUMBERS = 40_000_000
"""Of larger tables cases are not told apart."""


@dataclass(frozen=True)
class Answers:
    """What a judge said, each row one question in one order.

    Parameters
    ----------
    judge : str
        What it is called.
    arms : sequence of str
        The labels of the arms.
    left, right : array_like
        The places of the two arms, in the order in which they were put before it.
    outcome : array_like
        1 if it took the left one, 0 the right one, 1/2 if neither.
    time : array_like
        When it answered, as times of the log are.
    case : sequence of str, optional
        What each question was about, as the column ``context`` of the log has it.

    Examples
    --------
    >>> said = Answers("robot", ["tea", "milk"], [0, 1], [1, 0], [1, 0], [5, 5])
    >>> said.calls()[0, 0, 1]  # tea rather than milk, in both orders
    np.float64(1.0)
    """

    judge: str
    arms: tuple[str, ...]
    left: Ints
    right: Ints
    outcome: Floats
    time: Floats
    case: tuple[str, ...]

    def __init__(
        self,
        judge: str,
        arms: Sequence[str],
        left: Any,
        right: Any,
        outcome: Any,
        time: Any,
        case: Iterable[str] | None = None,
    ) -> None:
        columns = [np.asarray(one, dtype=np.int64) for one in (left, right)]
        said, when = np.asarray(outcome, dtype=np.float64), np.asarray(time, dtype=np.float64)
        cases = ("",) * len(said) if case is None else tuple(str(one) for one in case)
        if {len(one) for one in columns} | {len(when), len(cases)} != {len(said)}:
            raise BadParameter(
                "answers", "have columns of different lengths, must have one row each"
            )
        for one in columns:
            if ((one < 0) | (one >= len(arms))).any():
                raise BadParameter("answers", f"name an arm that is none of the {len(arms)}")
        if (columns[0] == columns[1]).any():
            raise BadParameter("answers", "have an arm beside itself, must have two arms each")
        if not np.isin(said, (0.0, 0.5, 1.0)).all():
            raise BadParameter("answers", "have outcomes that are none, must be 1, 0 or 0.5")
        order = np.argsort(when, kind="stable")
        values = (
            judge,
            tuple(arms),
            columns[0][order],
            columns[1][order],
            said[order],
            when[order],
        )
        cases = tuple(cases[n] for n in order.tolist())
        names = ("judge", "arms", "left", "right", "outcome", "time", "case")
        for name, value in zip(names, (*values, cases), strict=True):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Return how many answers there are."""
        return len(self.outcome)

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases that the judge was asked about."""
        return tuple(sorted(set(self.case)))

    def calls(self, at: float = np.inf) -> Floats:
        """Return u of each case, (C, K, K), by the answers that stand at a time."""
        standing = Standing(self)
        standing.until(at)
        return standing.calls[:-1]

    def expect(self, log: Log, case: str = CASE, *, partial: bool = False) -> Forecasts:
        """Return what the judge, and earlier votes, let expect of each row of a log.

        `driftduel.estimate` asks this of what it gets as ``predictions``.

        Parameters
        ----------
        log : Log
            The votes, with the column of cases among what else they carry.
        case : str
            What that column is called; without one all votes are of the case ``""``.
        partial : bool
            Whether a case counts of which some pairs were not asked about: only if which these are
            does not depend on what was voted on.

        Returns
        -------
        Forecasts
            Chances of every pair, and which of these tables each row has.
        """
        self.check_arms(log)
        past = of_past(log)
        starts = block_starts(log.time)
        of_case = cases_of(self, log, case)
        size = log.n_arms**2 * min(len(log), len(starts) * len(np.unique(of_case)))
        if size > MOST_NUMBERS:  # so many cases of so many arms
            joined = Answers(self.judge, self.arms, self.left, self.right, self.outcome, self.time)
            return joined.expect(log, "", partial=partial)
        ends = np.append(starts[1:], len(log))
        standing = Standing(self)
        heard = standing.complete | partial
        x = np.zeros((len(log), 2))
        asked = log.left != log.right
        coefficients = _PRIOR
        tables: list[Floats] = []
        of_row = np.zeros(len(log), dtype=np.int64)
        n_tables = 0
        for block, (begin, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            standing.until(float(log.time[begin]))
            if begin:
                weight = _FORGET ** (block - 1.0 - past.of_row[:begin]) * log.count[:begin]
                weight *= asked[:begin]
                coefficients = _fit(x[:begin], weight, log.outcome[:begin], coefficients)
            told = _logit(past.tables[block])
            here = of_case[begin:end]
            rows = np.arange(begin, end)
            x[rows, 0] = told[log.left[rows], log.right[rows]]
            x[rows, 1] = heard[here] * standing.calls[here, log.left[rows], log.right[rows]]
            kinds, place = np.unique(here, return_inverse=True)
            calls = heard[kinds, None, None] * standing.calls[kinds]
            sums = coefficients[0] * told + coefficients[1] * calls
            of_row[rows] = n_tables + place
            n_tables += len(kinds)
            tables.append(_sigma(sums))
        return Forecasts(np.concatenate(tables), of_row)

    def check_arms(self, log: Log) -> None:
        """Refuse a log of other arms."""
        if tuple(log.arms) != self.arms:
            raise BadParameter("answers", "are of other arms than the log, must be of the same")


def cases_of(answers: Answers, log: Log, column: str = CASE) -> Ints:
    """Return the number of the case of each row of a log, one more than there are if none.

    Examples
    --------
    >>> said = Answers("robot", ["tea", "milk"], [0, 1], [1, 0], [1, 0], [5, 5])
    >>> cases_of(said, Log(["tea", "milk"], [0, 1], [0, 1], [1, 0], [1, 1]))
    array([0, 0])
    """
    place = {name: n for n, name in enumerate(answers.cases)}
    none = len(place)
    if log.extras is None or column not in log.extras.columns:
        return np.full(len(log), place.get("", none))
    cells = ["" if cell is None else str(cell) for cell in log.extras[column].to_list()]
    return np.array([place.get(cell, none) for cell in cells], dtype=np.int64)


class Standing:
    """The answers that stand while time goes on; the last case is of what was never asked."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        place = {name: n for n, name in enumerate(answers.cases)}
        self._case = np.array([place[one] for one in answers.case], dtype=np.int64)
        n = len(answers.arms)
        self._said = np.full((len(place), n, n), np.nan)
        for row in range(len(answers) - 1, -1, -1):  # the first one of each question stands
            self._answer(row)
        self.calls = np.zeros((len(place) + 1, n, n))
        self._next = 0
        for row in range(len(answers)):
            self._call(row)
        self.calls = self.calls if place else np.zeros((1, n, n))

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Of which cases every pair was asked about, in some order."""
        asked = ~np.isnan(self._said)
        asked |= np.swapaxes(asked, 1, 2) | np.eye(asked.shape[1], dtype=np.bool_)
        return np.append(asked.all(axis=(1, 2)), False)

    def until(self, at: float) -> None:
        """Take in the answers until a time."""
        while self._next < len(self._answers) and self._answers.time[self._next] <= at:
            self._answer(self._next)
            self._call(self._next)
            self._next += 1

    def _answer(self, row: int) -> None:
        one, other = self._answers.left[row], self._answers.right[row]
        self._said[self._case[row], one, other] = self._answers.outcome[row]

    def _call(self, row: int) -> None:
        case, one, other = self._case[row], self._answers.left[row], self._answers.right[row]
        both = np.array([self._said[case, one, other], 1 - self._said[case, other, one]])
        call = 2 * float(both[~np.isnan(both)].mean()) - 1
        self.calls[case, one, other], self.calls[case, other, one] = call, -call


def _fit(x: Floats, weight: Floats, won: Floats, start: Floats) -> Floats:
    """Return the mode of the two coefficients, by Newton's method."""
    b = start
    for _ in range(_STEPS):
        chance = _sigma(x @ b)
        slope = x.T @ (weight * (won - chance)) - _PRECISION * (b - _PRIOR)
        curve = (x * (weight * chance * (1 - chance))[:, None]).T @ x + np.diag(_PRECISION)
        step = np.linalg.solve(curve, slope)
        size = np.abs(step).max()
        b = b + step / max(1.0, size)  # a step too long would leap over the mode
        if size < _CLOSE:
            break
    return np.asarray(b)


def _sigma(x: Floats) -> Floats:
    return np.asarray(np.clip(1 / (1 + np.exp(-np.clip(x, -30, 30))), _SLACK, 1 - _SLACK))


def _logit(p: Floats) -> Floats:
    kept = np.clip(p, _SLACK, 1 - _SLACK)
    return np.asarray(np.log(kept / (1 - kept)))
