"""The von Neumann winner of a stream: whether it is unique, whom it plays, when it shifts.

Winners are mixtures here: a distribution v over the arms loses ``D_s(a, v) = sum_b D_s[a, b] v[b]``
to arm a in round s, where ``D = P - 1/2``. It is unsafe on the rounds s1 to s2, s1 < s2, if some
arm gains ``sqrt(K (s2 - s1))`` on it there, the threshold of significant Condorcet shifts. A phase
lasts while some mixture is safe on all its intervals; the round by which none is closes the phase
and may begin an interval of the next. The von Neumann winner of a matrix loses to nobody, so a
phase outlives the stretch in which it starts. The paper names tracking it as a direction and has no
definition; this one is ours.

Whether a mixture exists is a linear program with an inequality for each arm and interval. Few of
them matter, and they are found one after the other: take a mixture that fulfils all those found so
far, and see when it is unsafe first and by which inequality; add that one. Once nothing fulfils
those found, no mixture is safe for longer than the best one tried. The mixture is taken well inside
of the inequalities, by Newton's method on the logarithms of what they leave over, so each one cuts
off a good part of what is left.

For one mixture and one s2 the sum minus the threshold is convex in s1 along a stretch, and for one
s1 it is convex in s2: so s1 is a start of a stretch or of the phase, and a stretch in which the
threshold is reached has it reached at its first round or at its last. Two rounds never reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftduel.matrix.preferences import Array, Bools
from driftduel.matrix.tournaments import von_neumann_table
from driftduel.worlds.measures.phases import Ints, Phases
from driftduel.worlds.measures.significant import REACH
from driftduel.worlds.stream import Stream

_CERTAIN = 1e-11
"""How little of a threshold may be left over before it counts as reached."""


@dataclass(frozen=True)
class VonNeumannShifts:
    """The von Neumann winner of a stream, as `Measures.von_neumann` has it.

    Attributes
    ----------
    unique : bool
        Whether the matrix of every round has only one.
    support : tuple of int
        The arms that it plays in some round.
    largest_support : int
        How many arms it plays at once, at most; 1 where one arm beats all others in every round.
    phases : Phases
        Phases between significant shifts. ``last_safe`` is the arm that a mixture which stays safe
        longest plays most.
    """

    unique: bool
    support: tuple[int, ...]
    largest_support: int
    phases: Phases


def von_neumann_shifts(stream: Stream) -> VonNeumannShifts:
    """Tell of the von Neumann winner of a stream whose arms are always on offer.

    Examples
    --------
    Scissors are replaced by another arm at round 3,000:

    >>> first = [[0.5, 0.9, 0.1, 0.9], [0.1, 0.5, 0.9, 0.9], [0.9, 0.1, 0.5, 0.9], [0.1] * 3 + [0.5]]
    >>> order = [0, 1, 3, 2]
    >>> then = [[first[a][b] for b in order] for a in order]
    >>> found = von_neumann_shifts(Stream.piecewise([first, then], [0, 3000], 9000))
    >>> found.unique, found.support, found.largest_support, found.phases
    (True, (0, 1, 2, 3), 3, Phases(2 phases of 9,000 rounds, starting at 0, 3,090))
    """  # noqa: E501
    _, support, unique = von_neumann_table(stream.palette)
    return VonNeumannShifts(
        unique=bool(unique.all()),
        support=tuple(np.flatnonzero(support.any(axis=0)).tolist()),
        largest_support=int(support.sum(axis=1).max()),
        phases=_phases(stream),
    )


def _phases(stream: Stream) -> Phases:
    runs: list[tuple[int, int, int]] = []
    arms: list[int] = []
    begin = 0
    while begin < stream.horizon:
        end, mixture = _safe_longest(_Rest.of(stream, begin))
        runs.append((begin, end - begin, 1))
        arms.append(int(mixture.argmax()))
        begin = end
    return Phases(runs, arms)


class _Rest(NamedTuple):
    """What is left of a stream from the start of a phase on, stretch by stretch."""

    gains: Array
    """D of each stretch (N, K, K)."""

    before: Array
    """The sum of D over the rounds of the phase before each stretch (N, K, K)."""

    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, stream: Stream, begin: int) -> _Rest:
        first = int(np.searchsorted(stream.starts, begin, side="right")) - 1
        starts = np.maximum(stream.starts[first:], begin)
        ends = np.append(starts[1:], stream.horizon)
        gains = stream.palette[stream.which[first:]] - 0.5
        sums = gains * (ends - starts)[:, None, None]
        return cls(gains, np.cumsum(sums, axis=0) - sums, starts, ends)


class _Breach(NamedTuple):
    """The first round at which a mixture is unsafe, and why: rows (R, K) over their thresholds."""

    round_: int
    rows: Array


def _safe_longest(rest: _Rest) -> tuple[int, Array]:
    """Return the round at which no mixture is safe any more, and one that is safe until then."""
    n_arms = rest.gains.shape[1]
    rows = np.empty((0, n_arms))
    mixture = von_neumann_table(rest.gains[:1] + 0.5)[0][0]
    inside = np.full(n_arms, 1 / n_arms)
    longest, best = -1, mixture
    while True:
        breach = _first_breach(rest, mixture)
        if breach is None:
            return int(rest.ends[-1]), mixture
        if breach.round_ > longest:
            longest, best = breach.round_, mixture
        rows = np.vstack([rows, breach.rows])
        found = _point_within(rows, inside)
        if found is None:
            return longest, best
        mixture = inside = found


def _first_breach(rest: _Rest, mixture: Array) -> _Breach | None:
    """Return when a mixture is unsafe first and the inequalities, one an arm, that say so."""
    n_arms = len(mixture)
    gains, before = rest.gains @ mixture, rest.before @ mixture
    for n in range(len(rest.starts)):
        first, last = int(rest.starts[n]), int(rest.ends[n]) - 1
        begins = rest.starts[: n + 1, None]
        sums = before[n] - before[: n + 1]
        hit_first = _reaches(sums + gains[n], first - begins, n_arms)
        hit_last = _reaches(sums + gains[n] * (last - first + 1), last - begins, n_arms)
        if not (hit_first | hit_last).any():
            continue
        low = np.full(sums.shape, first)
        high = np.where(hit_first, first, np.where(hit_last, last, last + 1))
        while (high - low > 1).any():
            middle = low + (high - low) // 2
            hit = _reaches(sums + gains[n] * (middle - first + 1), middle - begins, n_arms)
            open_ = high - low > 1
            low, high = np.where(open_ & ~hit, middle, low), np.where(open_ & hit, middle, high)
        round_ = int(high.min())
        rows = []
        for arm in np.flatnonzero((high == round_).any(axis=0)):
            k = int(np.flatnonzero(high[:, arm] == round_)[0])
            row = rest.before[n, arm] - rest.before[k, arm]
            row = row + rest.gains[n, arm] * (round_ - first + 1)
            rows.append(row / np.sqrt(n_arms * (round_ - rest.starts[k])))
        return _Breach(round_, np.array(rows))
    return None


def _reaches(sums: Array, lengths: Ints, n_arms: int) -> Bools:
    """Tell which sums over intervals with s2 - s1 = ``lengths`` are significant."""
    needed = n_arms * lengths * (1 - REACH)
    return np.asarray((sums > 0) & (lengths > 0) & (sums * sums >= needed))


def _point_within(rows: Array, start: Array) -> Array | None:
    """Return a mixture v with ``rows @ v < 1``, well inside; None if there is none.

    The least that a row leaves over, z, is made large: ``z / mu + sum log(1 - rows v - z) + sum
    log v`` has its maximum within ``mu`` times the number of logarithms of the largest z. So once z
    and that are below 0, no mixture will do.
    """
    n_arms = len(start)
    over = 1 - rows
    n_logs = len(rows) + n_arms
    v = (start + 1e-3 / n_arms) / (1 + 1e-3)
    z = float((over @ v).min()) - 0.1
    mu = 1.0
    while True:
        v, z = _centre(over, v, z, mu)
        if z > _CERTAIN:
            return v
        if z + 2 * n_logs * mu <= 0 or n_logs * mu < _CERTAIN:
            return None
        mu /= 8


def _centre(over: Array, v: Array, z: float, mu: float) -> tuple[Array, float]:
    """Return where ``z / mu`` plus the logarithms is largest, by Newton's method."""
    n_arms = len(v)
    wide = np.hstack([over, -np.ones((len(over), 1))])
    system = np.zeros((n_arms + 2, n_arms + 2))
    system[-1, :n_arms] = system[:n_arms, -1] = 1
    aim = np.zeros(n_arms + 2)
    for _ in range(60):
        left = over @ v - z
        scaled = wide / left[:, None]
        slope = scaled.sum(axis=0)
        slope[:n_arms] += 1 / v
        slope[-1] += 1 / mu
        system[:-1, :-1] = scaled.T @ scaled
        system[np.arange(n_arms), np.arange(n_arms)] += 1 / v**2
        aim[:-1] = slope
        aim[-1] = 1 - v.sum()
        step = np.linalg.solve(system, aim)[:-1]
        gain = float(slope @ step)
        drops = np.concatenate([-step[:n_arms] / v, -(scaled @ step)])
        length = min(1.0, 0.95 / max(float(drops.max()), 1e-300))
        v, z = v + length * step[:n_arms], z + length * float(step[-1])
        if gain < 1e-3 and length == 1.0:
            break
    return v, z
