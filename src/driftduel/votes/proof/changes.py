"""Changes that votes prove at every look: an arm fell or rose, or two arms turned.

A *stream* is a coin that keeps its mean if tastes do: the votes of a pair, however pairs are
chosen, and the tosses of an arm (`driftduel.votes.proof.tosses`), which are votes with an opponent
drawn alike, as long as the same arms are on offer. For each start m of a stream, by
`driftduel.votes.proof.evidence`,

    E_m = min over b of U(votes before m; b) D(votes from m on; b)     that the coin fell

and with U and D exchanged that it rose. With weights w_m proportional to (m + 3)^-1.2, which sum up
to 1, and shares of all streams and directions that do so too, a change is proved as soon as

    share * sum over m of w_m E_m >= 1 / alpha

as the sum over all streams is at most a fortune that began with 1 and does not grow on average if
nothing changes. Half of the shares is of tosses and half of pairs; all of pairs if no opponents
were drawn. After a proof the count begins again: phase j has the level alpha 2^-j, so that alpha is
the probability that a change is ever proved after the last one there was.

Who is on offer may change: tosses then begin again, while votes of pairs go on. Of pairs of arms
that were there first the part is .6 of what it would be. The rest is of pairs with a later arm m,
m = F, F + 1, ..., each F / (m^2 (m + 1)) of it, as nobody knows how many will come.

Of the starts only some 8 an octave of age are looked at, and of long streams one moment in
some 300. To leave out some of what is not negative only costs power.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.jit import interprets, jit, kernel
from driftduel.votes.checks import as_level
from driftduel.votes.log import Log
from driftduel.votes.proof.evidence import log_fall
from driftduel.votes.proof.tosses import Tosses, all_tosses

Moment = date | float
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEP = 4
"""Votes of a stream from one start to the next."""

_FIRST = 0.6
"""The part of pairs of those arms that were there first, where others may join."""

_POWER = 1.2
_TERMS = 1000
_LOG_SUM = math.log(
    sum((m + 3.0) ** -_POWER for m in range(1, _TERMS + 1))
    + (_TERMS + 3.0) ** (1 - _POWER) / (_POWER - 1)  # at least the rest of them
)

_AGES_PER_OCTAVE = 8
_LOOKS_PER_VOTE = 0.003
"""Of a stream of n votes the next look is this share of n later."""

_FIRST_REACH = 256
"""Times that are looked through for the next proof at first."""

_MOST_SCREENED = 500
"""Cells of a stream of which all pairs are looked at, where kernels are not compiled."""

_SLACK = 1e-6

_TOGETHER = 4.0
"""Starts whose evidence is below what is needed by this factor, as a logarithm, hardly count."""


@dataclass(frozen=True)
class Turn:
    """A change that is proved, whoever looked when.

    Attributes
    ----------
    kind : {"fell", "rose", "turned"}
        An arm wins less against the others, or more, or less against one other.
    arm : int
        Which arm; of a pair that turned the one that wins less.
    other : int or None
        The other one of a pair.
    proved : date or float
        With the votes of which time it was proved.
    likeliest : date or float
        The time with which the new tastes most likely began.
    """

    kind: Literal["fell", "rose", "turned"]
    arm: int
    other: int | None
    proved: Moment
    likeliest: Moment


class _Streams(NamedTuple):
    """Streams one after another, each in the order of time; a cell is the votes of one time."""

    begins: Ints  # (S + 1,) the first cell of each stream, and the end
    time: Ints  # (C,) the number of the time
    votes: Floats  # (C,) until the end of the cell, since the first cell of all
    wins: Floats  # (C,) likewise


class _Family(NamedTuple):
    """Streams of one kind, and which part of the level each has for either direction."""

    streams: _Streams
    shares: Floats


class _Proof(NamedTuple):
    """With which time some stream proved a change, -1 if none did, and which."""

    time: int
    start: int
    fell: bool
    stream: int


def turns(
    log: Log,
    *,
    alpha: float = 0.05,
    drawn: bool = False,
    tosses: Tosses | None = None,
    first_arms: int | None = None,
    n_pairs: int | None = None,
) -> tuple[tuple[Turn, ...], Ints]:
    """Return the changes that are proved, and the row with which each phase begins.

    Parameters
    ----------
    log : Log
        The votes, with times.
    alpha : float
        The probability that a change is ever proved if nothing changes.
    drawn : bool
        Whether opponents were drawn alike at all times, so that every vote is a toss of both arms.
    tosses : Tosses, optional
        Of which votes it is known, of those of ``log.votes``; in place of ``drawn``.
    first_arms : int, optional
        How many of the arms were there first, the others having joined in their order. Left out,
        how many there are was known from the beginning.
    n_pairs : int, optional
        How many pairs the log has at most, if these were chosen without knowledge of the votes.

    Examples
    --------
    Tea wins 80 % against milk 300 times, and then 20 %:

    >>> rng = np.random.default_rng(0)
    >>> outcome = rng.random(600) < np.where(np.arange(600) < 300, 0.8, 0.2)
    >>> log = Log(["tea", "milk"], np.arange(600), [0] * 600, [1] * 600, outcome)
    >>> turns(log)[0]
    (Turn(kind='turned', arm=0, other=1, proved=321.0, likeliest=300.0),)
    """
    level = as_level(alpha)
    log = log.votes
    if not log.timed:
        return (), np.zeros(1, dtype=np.int64)
    times, when = np.unique(log.time, return_inverse=True)
    n_arms = log.n_arms
    first, second = np.minimum(log.left, log.right), np.maximum(log.left, log.right)
    won = np.where(log.left == first, log.outcome, 1 - log.outcome)
    pair_keys = first * n_arms + second
    pairs, pair = np.unique(pair_keys, return_inverse=True)
    parts = _shares_of_pairs(pairs, n_arms, first_arms, n_pairs)
    families = [_Family(_streams(pair, when, log.count, log.count * won, len(pairs)), parts)]
    if drawn:
        tosses = all_tosses(len(log), n_arms)
    if tosses is not None and n_arms > 2:  # of two arms the pair is all there is
        families = [families[0]._replace(shares=parts / 2), _of_arms(log, when, tosses)]
    found: list[Turn] = []
    begins = [0]
    since = 0
    while (one := _next(families, since, len(times), len(found), level)) is not None:
        family, proof = one
        kind: Literal["fell", "rose", "turned"] = "fell" if proof.fell else "rose"
        arm, other = proof.stream % n_arms, None
        if family == 0:
            low, high = divmod(int(pairs[proof.stream]), n_arms)
            kind, (arm, other) = "turned", ((low, high) if proof.fell else (high, low))
        moments = (log.moment(float(times[n])) for n in (proof.time, proof.start))
        found.append(Turn(kind, arm, other, *moments))
        since = proof.time + 1
        begins.append(int(np.searchsorted(when, since)))
    return tuple(found), np.array(begins, dtype=np.int64)


def _shares_of_pairs(
    pairs: Ints, n_arms: int, first_arms: int | None, n_pairs: int | None = None
) -> Floats:
    """Return the part of the level of each pair and direction."""
    if n_pairs:
        return np.full(len(pairs), 1 / (2 * n_pairs))
    if first_arms is None:
        return np.full(len(pairs), 1 / (n_arms * (n_arms - 1)))
    later = np.maximum(pairs % n_arms, first_arms).astype(np.float64)  # the second arm of a pair
    among_first = _FIRST / max(first_arms * (first_arms - 1), 1)
    joined = (1 - _FIRST) / 2 * first_arms / (later * later * (later + 1))
    return np.where(pairs % n_arms < first_arms, among_first, joined)


def _of_arms(log: Log, when: Ints, tosses: Tosses) -> _Family:
    """Return the streams of tosses, of each era of each arm."""
    n_arms, eras = log.n_arms, len(tosses.shares)
    is_toss = np.concatenate([tosses.left, tosses.right])
    arms = np.concatenate([log.left, log.right]) + n_arms * np.tile(tosses.era, 2)
    outcome = np.concatenate([log.outcome, 1 - log.outcome])
    counts = np.tile(log.count, 2)
    counts, won = counts[is_toss], (counts * outcome)[is_toss]
    streams = _streams(arms[is_toss], np.tile(when, 2)[is_toss], counts, won, n_arms * eras)
    return _Family(streams, np.repeat(tosses.shares, n_arms) / 4)


def _next(
    families: list[_Family], since: int, end: int, before: int, level: float
) -> tuple[int, _Proof] | None:
    """Return the first proof from a time on, and of which family; the phase is after ``before``."""
    bar = (before + 1) * math.log(2.0) - math.log(level)
    reach = _FIRST_REACH
    while True:
        # Most phases are short, and streams that prove nothing are not followed to their end.
        until = min(since + reach, end)
        best: tuple[int, _Proof] | None = None
        for family, (streams, shares) in enumerate(families):
            stop = until if best is None else best[1].time
            needs = bar - np.log(shares)
            if interprets() and not _may_prove(streams, since, stop, needs):
                continue
            one = _Proof(*_first_proof(streams, since, stop, needs))
            if one.time >= 0:
                best = family, one
        if best is not None or until == end:
            return best
        reach *= 4


def _streams(
    stream: NDArray[np.integer], when: Ints, votes: Floats, wins: Floats, n_streams: int
) -> _Streams:
    n_times = int(when.max(initial=0)) + 1
    cells, place = np.unique(stream * n_times + when, return_inverse=True)
    of, time = np.divmod(cells, n_times)
    total, won = (
        np.cumsum(np.bincount(place, part, len(cells)), dtype=np.float64) for part in (votes, wins)
    )
    begins = np.searchsorted(of, np.arange(n_streams + 1))
    return _Streams(begins.astype(np.int64), time.astype(np.int64), total, won)


def _may_prove(streams: _Streams, since: int, until: int, needs: Floats) -> bool:
    """Tell whether `_first_proof` can find anything, in arrays: for kernels that are not compiled.

    The evidence of a start is below the likelihood ratio, and of all starts some are looked at. So
    if the sum over all of them is below what is needed with every cell, it finds nothing.
    """
    for (begin, end), need in zip(pairwise(streams.begins.tolist()), needs, strict=True):
        first, last = begin + np.searchsorted(streams.time[begin:end], (since, until))
        if last - first > _MOST_SCREENED:
            return True
        before = (streams.votes[first - 1], streams.wins[first - 1]) if first else (0.0, 0.0)
        votes, wins = streams.votes[first:last] - before[0], streams.wins[first:last] - before[1]
        begun = np.floor(np.append(-STEP, votes) / STEP)  # how many starts are in a cell
        n_starts = np.diff(begun)
        at = n_starts > 0
        n, s = votes[at, None], wins[at, None]
        rest, later = votes[None, :] - n, wins[None, :] - s
        after = rest >= 1.0
        rest, later = np.where(after, rest, 1.0), np.where(after, later, 0.5)
        mean = (s + later) / (n + rest)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = _fits(s, n, s / n) + _fits(later, rest, later / rest)
            ratio -= _fits(s, n, mean) + _fits(later, rest, mean)
        weight = -_POWER * np.log(np.maximum(begun[:-1][at, None] + 1.0, 0.0) + 3.0) - _LOG_SUM
        values = np.exp(np.minimum(ratio + weight - need, 1.0)) * n_starts[at, None]
        if (np.where(after, values, 0.0).sum(axis=0) > 1.0 - _SLACK).any():
            return True
    return False


def _fits(wins: Floats, votes: Floats, mean: Floats) -> Floats:
    """Return the logarithm of the likelihood of means, in arrays."""
    lost = votes - wins
    found: Floats = np.where(wins > 0, wins * np.log(mean), 0.0)
    found += np.where(lost > 0, lost * np.log1p(-mean), 0.0)
    return found


@jit
def _first_proof(
    streams: _Streams, since: int, until: int, needs: Floats
) -> tuple[int, int, bool, int]:
    """Return the first time from one to before another with which a stream proves a change."""
    proof = (-1, -1, False, -1)
    for stream in range(streams.begins.shape[0] - 1):
        begin, end = streams.begins[stream], streams.begins[stream + 1]
        begin += np.searchsorted(streams.time[begin:end], since)
        votes = wins = 0.0
        if begin > 0:
            votes, wins = streams.votes[begin - 1], streams.wins[begin - 1]
        wait = 0.0
        for cell in range(begin, end):
            if streams.time[cell] >= until:
                break
            count = streams.votes[cell] - votes
            if count < wait:
                continue
            wait = count * (1.0 + _LOOKS_PER_VOTE)
            start, fell = _look(streams, begin, cell, votes, wins, needs[stream])
            if start >= 0:
                until = streams.time[cell]
                proof = (until, streams.time[start], fell, stream)
                break
    return proof


@jit
def _look(
    streams: _Streams, begin: int, cell: int, votes: float, wins: float, need: float
) -> tuple[int, bool]:
    """Return the likeliest start of a change if one is proved with a cell, and whether a fall."""
    all_votes, all_wins = streams.votes[cell] - votes, streams.wins[cell] - wins
    falls = rises = 0.0
    likeliest_fall = likeliest_rise = -1
    most_fall = most_rise = -math.inf
    last, octave = -1, 0
    while True:
        age = math.ceil(2.0 ** (octave / _AGES_PER_OCTAVE))
        octave += 1
        if all_votes - age < STEP:
            break
        m = int((all_votes - age) / STEP)
        if m == last:
            continue
        last = m
        # Start m is after the first cell with which there are so many votes, whoever looks when.
        enough = np.searchsorted(streams.votes[begin : cell + 1], votes + STEP * m)
        before = int(begin + enough)
        n, s = streams.votes[before] - votes, streams.wins[before] - wins
        log_weight = -_POWER * math.log(m + 3.0) - _LOG_SUM
        rest, later = all_votes - n, all_wins - s
        if rest < 1.0 or _ratio(s, n, later, rest) + log_weight < need - _TOGETHER:
            continue
        if s / n > later / rest:
            value = log_fall(s, n, later, rest) + log_weight
            falls += math.exp(min(value - need, 1.0))
            if value > most_fall:
                most_fall, likeliest_fall = value, before + 1
        else:
            value = log_fall(later, rest, s, n) + log_weight
            rises += math.exp(min(value - need, 1.0))
            if value > most_rise:
                most_rise, likeliest_rise = value, before + 1
    if falls >= 1.0:
        return likeliest_fall, True
    if rises >= 1.0:
        return likeliest_rise, False
    return -1, False


@kernel
def _ratio(wins: float, votes: float, later_wins: float, later_votes: float) -> float:
    """Return the logarithm of the likelihood ratio of two means to one, which ln E is below."""
    mean = (wins + later_wins) / (votes + later_votes)
    return (
        _likelihood(wins, votes, wins / votes)
        + _likelihood(later_wins, later_votes, later_wins / later_votes)
        - _likelihood(wins, votes, mean)
        - _likelihood(later_wins, later_votes, mean)
    )


@kernel
def _likelihood(wins: float, votes: float, mean: float) -> float:
    value = 0.0
    if wins > 0.0:
        value += wins * math.log(mean)
    if wins < votes:
        value += (votes - wins) * math.log(1.0 - mean)
    return value
