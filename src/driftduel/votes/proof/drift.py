"""Whether votes prove that tastes drifted at all, however often somebody looks.

If no taste moves, every ordered pair of arms is a coin of constant mean. Players who move with
their results (Elo 1978) predict every vote from those of earlier times, each with another step and
another advantage of the left side, and share one fortune in proportion to how well they predicted:

    E = product of what they predicted for each vote / greatest likelihood of any constant means

The product is at most the true likelihood times a fortune that does not grow on average, and the
true likelihood is at most the greatest. So E ever reaches 1 / alpha with probability alpha at most
if nothing moves, whoever chose the pairs and when to look (Ville 1939; Wasserman, Ramdas and
Balakrishnan 2020 call such a ratio universal inference). A tie counts half a win each way, which
keeps that, as (p/m)^x ((1-p)/(1-m))^(1-x) is convex in the outcome x. Votes of one time have no
order: all of them are predicted from the times before.

It says that something moved, not what. Where many pairs met seldom, constant means fit the votes so
well that nothing is ever proved. Then the same is asked with a smaller crowd of worlds below the
line: those of constant strengths and a constant advantage of the left side (Bradley and Terry
1952). What that proves is drift *if strengths alone tell who beats whom*, and it is said so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import items, kernel
from driftduel.votes.checks import as_level
from driftduel.votes.log import Log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
"""How far a vote moves the strengths of its two arms, in log odds, if it was a full surprise."""

SIDES = (0.0, 0.1, 0.2, 0.4)
"""The advantage of being left, in log odds; none where it is not known who was."""

_MOST_MOVES = 100
"""Votes of one row that move the strengths; more would hardly move them further."""


_LOOKS = 64
"""Times at which constant strengths are fitted."""

_WIDEST = 20.0
"""No arm is thought to be farther from the mean than this, in log odds."""

_NEWTON_STEPS = 50
_CLOSE = 1e-3


@dataclass(frozen=True)
class Drift:
    """What votes prove of drift, as returned by `drift`.

    Attributes
    ----------
    proved : date or float or None
        The time at which it was first proved that tastes drifted; None if it never was.
    of_strengths : bool
        Whether it is proved only if strengths alone tell who beats whom.
    log_evidence : float
        ln E after the last vote, against all constant means.
    most : float
        The greatest ln E after any time.
    alpha : float
        The probability that drift is ever proved if nothing moves.
    """

    proved: date | float | None
    of_strengths: bool
    log_evidence: float
    most: float
    alpha: float


class _Votes(NamedTuple):
    """Votes in the order of time; ``begins`` has the first row of each time, and the end."""

    begins: Ints
    left: Ints
    right: Ints
    outcome: Floats
    copies: Floats


class _Players(NamedTuple):
    """What moves with the votes."""

    steps: Floats  # (G,)
    sides: Floats  # (G,)
    strengths: Floats  # (G, K)
    credits: Floats  # (G,) logarithms of the shares of the fortune
    wins: Floats  # (K, K) of the left arm over the right one
    votes: Floats  # (K, K)


def drift(log: Log, *, alpha: float = 0.05) -> Drift:
    """Tell whether and when it was proved that tastes drifted.

    Parameters
    ----------
    log : Log
        The votes, with times.
    alpha : float
        The probability that drift is ever proved though nothing moves.

    Examples
    --------
    Tea wins 70 % of 500 votes, then 30 % of as many:

    >>> rng = np.random.default_rng(0)
    >>> outcome = rng.random(1000) < np.where(np.arange(1000) < 500, 0.7, 0.3)
    >>> log = Log(["tea", "milk"], np.arange(1000), [0] * 1000, [1] * 1000, outcome)
    >>> drift(log).proved
    560.0
    """
    bar = -math.log(as_level(alpha))
    log = log.votes
    votes = _as_votes(log)
    times = len(votes.begins) - 1
    predicted, greatest = np.zeros(times), np.zeros(times)
    players = _players(log.n_arms, sides=log.sides)
    _follow(
        _Votes._make(map(items, votes)),
        _Players._make(map(items, players)),
        items(predicted),
        items(greatest),
    )
    evidence = predicted - greatest
    first, of_strengths = _first(evidence >= bar), False
    if first is None and log.timed:
        first = _against_strengths(votes, log.n_arms, predicted - bar, sides=log.sides)
        of_strengths = first is not None
    # Without times all votes are of one, and nothing was predicted.
    known = first is not None and log.timed
    return Drift(
        proved=log.moment(float(log.time[votes.begins[first or 0]])) if known else None,
        of_strengths=of_strengths,
        log_evidence=float(evidence[-1]),
        most=float(evidence.max()),
        alpha=float(alpha),
    )


def _first(over: NDArray[np.bool_]) -> int | None:
    return int(over.argmax()) if over.any() else None


def _as_votes(log: Log) -> _Votes:
    begins = np.append(0, np.flatnonzero(np.diff(log.time)) + 1)
    left, right, outcome = log.left, log.right, log.outcome
    if not log.sides:
        # Left and right say nothing, and may even follow who won.
        turned = left > right
        left, right = np.where(turned, right, left), np.where(turned, left, right)
        outcome = np.where(turned, 1 - outcome, outcome)
    return _Votes(np.append(begins, len(log)), left, right, outcome, log.count)


def _players(n_arms: int, *, sides: bool) -> _Players:
    kinds = [(step, side) for step in STEPS for side in (SIDES if sides else SIDES[:1])]
    steps, advantages = np.array(kinds).T.copy()
    return _Players(
        steps,
        advantages,
        np.zeros((len(kinds), n_arms)),
        np.full(len(kinds), -math.log(len(kinds))),
        np.zeros((n_arms, n_arms)),
        np.zeros((n_arms, n_arms)),
    )


def _against_strengths(votes: _Votes, n_arms: int, bars: Floats, *, sides: bool) -> int | None:
    """Return the first time of a few after which no constant strengths reach the bar."""
    last = len(bars) - 1
    looks = np.linspace(0, last, min(_LOOKS, last + 1)).round().astype(np.int64)
    looks = looks[np.diff(looks, prepend=-1) > 0]
    wins, met = np.zeros((n_arms, n_arms)), np.zeros((n_arms, n_arms))
    free = np.zeros(n_arms + 1)
    done = 0
    for look in map(int, looks):
        rows = slice(done, int(votes.begins[look + 1]))
        done = rows.stop
        pairs = votes.left[rows], votes.right[rows]
        np.add.at(wins, pairs, votes.copies[rows] * votes.outcome[rows])
        np.add.at(met, pairs, votes.copies[rows])
        free, most = _greatest_of_strengths(wins, met, free, sides=sides, enough=bars[look])
        if most <= bars[look]:
            return look
    return None


def _greatest_of_strengths(
    wins: Floats, met: Floats, free: Floats, *, sides: bool, enough: float
) -> tuple[Floats, float]:
    """Return strengths and side, and an upper bound of what any reach that are within `_WIDEST`.

    Newton's steps go on until the bound is close, or ``enough`` is reached so that it need not be.
    A concave function lies below its tangent, so the bound holds wherever they end.
    """
    n_arms = len(wins)
    free = free.copy()
    value, slope, curvature = _fit(wins, met, free, sides=sides)
    most = math.inf
    for _ in range(_NEWTON_STEPS):
        most = min(most, value + float(np.abs(slope) @ (_WIDEST + np.abs(free))))
        if most - value < _CLOSE or value > enough:
            break
        # A shift of all strengths changes nothing; a little curvature makes it a step of nothing.
        curvature[np.diag_indices(n_arms + 1)] += 1e-9 + 1e-9 * np.trace(curvature)
        step = np.linalg.solve(curvature, slope)
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        while True:
            trial = free + step
            trial[:n_arms] -= trial[:n_arms].mean()
            higher, next_slope, next_curvature = _fit(wins, met, trial, sides=sides)
            if higher >= value or float(np.abs(step).max()) < 1e-12:
                break
            step /= 2
        free, value, slope, curvature = trial, higher, next_slope, next_curvature
    return free, most


def _fit(wins: Floats, met: Floats, free: Floats, *, sides: bool) -> tuple[float, Floats, Floats]:
    """Return the log likelihood of strengths and side, its slope and its curvature, negated."""
    strengths, side = free[:-1], free[-1]
    odds = strengths[:, None] - strengths + side
    value = float((wins * odds - met * np.logaddexp(0, odds)).sum())
    chances = 1 / (1 + np.exp(-odds))
    pull = wins - met * chances
    weight = met * chances * (1 - chances)
    slope = np.append(pull.sum(axis=1) - pull.sum(axis=0), pull.sum() if sides else 0.0)
    n_arms = len(strengths)
    curvature = np.zeros((n_arms + 1, n_arms + 1))
    curvature[:-1, :-1] = np.diag(weight.sum(axis=0) + weight.sum(axis=1)) - weight - weight.T
    if sides:
        curvature[-1, :-1] = curvature[:-1, -1] = weight.sum(axis=1) - weight.sum(axis=0)
        curvature[-1, -1] = weight.sum()
    return value, slope, curvature


@kernel
def _follow(votes: _Votes, players: _Players, predicted: Floats, greatest: Floats) -> None:
    """Write what was predicted until every time, and the greatest likelihood, as logarithms."""
    # Names of their own, as kernels that are not compiled look up every dot.
    lefts, rights, outcomes, copies = votes.left, votes.right, votes.outcome, votes.copies
    steps, sides, strengths, credits = (
        players.steps,
        players.sides,
        players.strengths,
        players.credits,
    )
    told, most = 0.0, 0.0
    n_players = steps.shape[0]
    for n in range(predicted.shape[0]):
        begin, end = votes.begins[n], votes.begins[n + 1]
        top = -math.inf
        for g in range(n_players):
            credit, side = credits[g], sides[g]
            for row in range(begin, end):
                log_odds = strengths[g, lefts[row]] - strengths[g, rights[row]] + side
                soft = math.log1p(math.exp(-abs(log_odds)))
                if log_odds > 0.0:
                    soft += log_odds
                credit += copies[row] * (outcomes[row] * log_odds - soft)
            credits[g] = credit
            top = max(top, credit)
        total = 0.0
        for g in range(n_players):
            total += math.exp(credits[g] - top)
        gain = top + math.log(total)
        told += gain
        for g in range(n_players):
            credits[g] -= gain
        for row in range(begin, end):
            most += _count(players, votes, row)
            left, right, outcome = lefts[row], rights[row], outcomes[row]
            moves = int(min(copies[row], _MOST_MOVES))
            for g in range(n_players):
                step, side = steps[g], sides[g]
                for _ in range(moves):
                    log_odds = strengths[g, left] - strengths[g, right] + side
                    move = step * (outcome - 1.0 / (1.0 + math.exp(-log_odds)))
                    strengths[g, left] += move
                    strengths[g, right] -= move
        predicted[n], greatest[n] = told, most


@kernel
def _count(players: _Players, votes: _Votes, row: int) -> float:
    """Count the votes of a row; return by how much the greatest likelihood changes."""
    left, right = votes.left[row], votes.right[row]
    before = _greatest(players.wins[left, right], players.votes[left, right])
    players.wins[left, right] += votes.copies[row] * votes.outcome[row]
    players.votes[left, right] += votes.copies[row]
    return _greatest(players.wins[left, right], players.votes[left, right]) - before


@kernel
def _greatest(wins: float, votes: float) -> float:
    """Return the logarithm of the greatest likelihood of a coin."""
    value = 0.0
    if wins > 0.0:
        value += wins * math.log(wins / votes)
    if wins < votes:
        value += (votes - wins) * math.log1p(-wins / votes)
    return value
