"""How far an automatic judge agrees with people, by time, group and side, and whether it moved.

Agreement is of votes on pairs that the judge was asked about, by the answer that stood then. Ranges
hold at every look: the shares m with

    B(s + 1/2, n - s + 1/2) / B(1/2, 1/2) < m^s (1 - m)^(n - s) / alpha.

Whether the judge itself moved is asked of questions that it is asked again and again. After R
rounds of them let E be the evidence that the answers to a question fell with round m, or rose,
which is 1 on average if they did not (`driftduel.votes.proof.evidence`). With weights w that sum
up to 1

    sum over m of w_m, product over questions of (1/2 + E_fall / 4 + E_rise / 4)

ever reaches 20 with 5 % if no answer moves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from driftduel.verdict.judges import Agreement, Share
from driftduel.verdict.moments import Moment
from driftduel.votes.judges import CASE, Answers, Standing, cases_of
from driftduel.votes.log import Log
from driftduel.votes.proof.evidence import log_fall

PROVED = math.log(20.0)
_STRETCHES = 6
_FEWEST = 10
"""Votes of a group, or of a stretch of time, of which a share is told."""

_AGES = tuple(sorted({round(2 ** (n / 2)) for n in range(17)}))
"""How long ago a judge may have moved, in rounds."""

_MOST_ROUNDS = 256


def agreement(log: Log, answers: Answers, by: Sequence[str] = (), case: str = CASE) -> Agreement:
    """Return how far a judge agrees with the votes of a log, and whether it moved.

    Parameters
    ----------
    log : Log
        The votes of people.
    answers : Answers
        What the judge said of the same arms.
    by : sequence of str
        Columns of ``log.extras`` that tell groups of voters apart.
    case : str
        The column that says which case a vote was about.

    Examples
    --------
    >>> log = Log(["tea", "milk"], range(20), [0] * 20, [1] * 20, [1] * 15 + [0] * 5)
    >>> said = Answers("robot", log.arms, [0, 1], [1, 0], [1, 0], [0, 0])
    >>> agreement(log, said).whole.share
    0.75
    """
    answers.check_arms(log)
    of_case = cases_of(answers, log, case)
    standing = Standing(answers)
    call = np.zeros(len(log))
    for row in np.argsort(log.time, kind="stable").tolist():
        standing.until(float(log.time[row]))
        call[row] = standing.calls[of_case[row], log.left[row], log.right[row]]
    told = (call != 0) & (log.outcome != 0.5) & (log.left != log.right)
    agrees = (call > 0) == (log.outcome > 0.5)
    parts = _by_time(log, told, agrees)
    for name, won in (("the left one", 1.0), ("the right one", 0.0)):
        parts += _share("side", name, log, told & (log.outcome == won), agrees)
    for column in by:
        if log.extras is None or column not in log.extras.columns:
            continue
        cells = np.array(log.extras[column].cast(str).fill_null("").to_list())
        for name, _ in Counter(cells.tolist()).most_common(12):
            parts += _share(column, name, log, told & (cells == name), agrees)
    found = _share("all", "", log, told, agrees, fewest=1)
    named = answers.outcome != 0.5
    both = _both_ways(answers)
    rounds, moved = moved_since(answers)
    return Agreement(
        answers.judge,
        len(answers),
        found[0] if found else None,
        tuple(parts),
        float(answers.outcome[named].mean()) if named.any() else None,
        float(np.mean(both)) if both else None,
        rounds,
        None if moved is None else Moment.of(log.moment(moved)),
    )


def moved_since(answers: Answers) -> tuple[int, float | None]:
    """Return how often a judge was asked again, and from when on it answers otherwise, if it does.

    Examples
    --------
    >>> def said(n):
    ...     return Answers("robot", "ab", [0] * n, [1] * n, [1] * 20 + [0] * (n - 20), range(n))
    >>> moved_since(said(40)), moved_since(said(21))
    ((40, 20.0), (21, None))
    """
    asked: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    for case, one, other, said, when in zip(
        answers.case,
        answers.left.tolist(),
        answers.right.tolist(),
        answers.outcome.tolist(),
        answers.time.tolist(),
        strict=True,
    ):
        asked.setdefault((case, one, other), []).append((when, said))
    again = [rows[-_MOST_ROUNDS:] for rows in asked.values() if len(rows) > 1]
    rounds = max(map(len, again), default=len(answers) and 1)
    sums = [np.concatenate([[0.0], np.cumsum([said for _, said in rows])]) for rows in again]
    for now in range(2, rounds + 1):
        values = {}
        for age in _AGES:
            if (m := now - age) < 1:
                break
            total = -math.log(m * (m + 1))
            for wins in sums:
                n = min(now, len(wins) - 1)
                if m < n:
                    total += _moved_with(wins[m], m, wins[n] - wins[m], n - m)
            values[m] = total
        if np.logaddexp.reduce([*values.values()]) >= PROVED:
            m = max(values, key=lambda start: values[start])
            return rounds, min(rows[m][0] for rows in again if len(rows) > m)
    return rounds, None


def _moved_with(wins: float, votes: float, later: float, rest: float) -> float:
    """Return the logarithm of what one question adds: that it fell, rose, or stayed."""
    falls = log_fall(float(wins), float(votes), float(later), float(rest))
    rises = log_fall(float(later), float(rest), float(wins), float(votes))
    return float(np.logaddexp.reduce([math.log(0.5), falls - math.log(4), rises - math.log(4)]))


def _both_ways(answers: Answers) -> list[bool]:
    """Return of each pair that was asked both ways whether the two answers differ."""
    last = {
        (case, one, other): said
        for case, one, other, said in zip(
            answers.case,
            answers.left.tolist(),
            answers.right.tolist(),
            answers.outcome.tolist(),
            strict=True,
        )
    }
    return [
        said + last[case, other, one] != 1
        for (case, one, other), said in last.items()
        if one < other and (case, other, one) in last
    ]


def _by_time(log: Log, told: np.ndarray, agrees: np.ndarray) -> list[Share]:
    found: list[Share] = []
    if not log.timed or not told.any():
        return found
    edges = np.linspace(log.time.min(), log.time.max(), _STRETCHES + 1)
    place = np.clip(np.searchsorted(edges, log.time, side="right") - 1, 0, _STRETCHES - 1)
    for n in range(_STRETCHES):
        name = f"{log.moment(float(edges[n]))}"
        found += _share("time", name, log, told & (place == n), agrees)
    return found


def _share(
    kind: str,
    name: str,
    log: Log,
    rows: np.ndarray,
    agrees: np.ndarray,
    fewest: float = _FEWEST,
) -> list[Share]:
    votes = float(log.count[rows].sum())
    agreed = float(log.count[rows & agrees].sum())
    if votes < fewest:
        return []
    return [Share(kind, name, votes, agreed, *range_of(agreed, votes))]


def range_of(wins: float, votes: float, alpha: float = 0.05) -> tuple[float, float]:
    """Return the range of a share that holds at every look with 1 - alpha.

    Examples
    --------
    >>> [round(end, 2) for end in range_of(75, 100)]
    [0.59, 0.87]
    """
    m = np.linspace(0.0, 1.0, 2002)[1:-1]
    lost = votes - wins
    wealth = math.lgamma(wins + 0.5) + math.lgamma(lost + 0.5) - math.lgamma(votes + 1.0)
    wealth -= math.log(math.pi)  # B(1/2, 1/2)
    kept = m[wealth - wins * np.log(m) - lost * np.log1p(-m) < -math.log(alpha)]
    return (float(kept[0]) if wins else 0.0), (float(kept[-1]) if lost else 1.0)
