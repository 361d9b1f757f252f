"""Significant shifts: the rounds by which every arm has become unsafe.

Arm a is unsafe on the rounds s1 to s2, s1 < s2, if for some weight the sum of its gaps reaches
``root(s2 - s1)``:

- known weight [defn:sig-shift-fixed]: ``K^(1/3) (s2-s1)^(2/3)``;
- unknown weight [defn:sig-shift-generalized]: ``K^(2/3) (s2-s1)^(2/3)``, any weight. The sum of
  gaps is convex in the weight, so the K point masses are enough, and exact;
- Condorcet: ``sqrt(K (s2-s1))``.

The next shift is the first round by which every arm has been unsafe inside the phase. That round
closes the old phase and may begin an interval of the new one.

How it is fast. Write ``D(s)`` for the sum of gaps before round s. Round s2 makes the arm unsafe if
``D(s2+1)`` reaches the lowest of the curves ``D(s1) + root(s2-s1)``, s1 < s2 in the phase.

- The root is concave, so only corners of the lower convex hull of D matter as s1 (the gap rises
  there), and s1 = s2 - 1, which on a stretch matters at its first two rounds only.
- For a fixed s1 the slack ``D(s2+1) - D(s1) - root(s2-s1)`` is convex in s2 along a stretch: if it
  is reached there at all, it is at the first or at the last round.
- Two curves cross at most once and the later one is steeper everywhere. So the lowest curves form
  a stack, the newest on top, each lowest until its crossing with the one below.
- Curves rise with time. After a look at the stack nothing can happen before D has risen to the
  lowest curve, or an interval that starts after those on the stack is long enough for the largest
  gap seen. Until then new corners wait on the hull, where most of them disappear.

A stretch costs a few operations, however long it is. The stack compares roots, which are rounded,
so it only raises suspicion (`_SUSPICION`). A suspect stretch is settled by trying every s1 with
sums that start at s1 and powers instead of roots, ``S^3 >= K n^2``, reached up to a relative
`REACH`: thresholds that are hit exactly decide cases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftduel._support.compile.jit import jit
from driftduel.matrix.preferences import Array
from driftduel.worlds.measures.phases import Ints, Phases

REACH = 1e-12
"""A power of a sum counts as reaching its threshold if it is this close below, relatively."""

_SUSPICION = 1 + 1e-9
"""Far above the rounding of a sum over millions of stretches, far below one round's gap."""

_TABLE = 1 << 17
_FULL = -1


class Gaps(NamedTuple):
    """The gaps of the arms over time: ``best[m, w] - levels[m, arm, w]`` on stretch n, m=which[n].

    Scores instead of gaps, so that the palette of a stream can serve as it is.
    """

    levels: Array
    best: Array
    which: Ints
    starts: Ints
    horizon: int


class Threshold(NamedTuple):
    """A sum S over n + 1 rounds is significant if ``S^degree >= factor n^(degree-1)``."""

    factor: float
    degree: int


class Stack(NamedTuple):
    """The lowest curves, the newest on top, and above them the corners that wait.

    Curve d starts at round ``froms[d]`` from the sum ``sums[d]``, is lower than those below it
    until round ``ends[d]`` and stands at ``tops[d]`` there. Corners have no end yet.
    """

    froms: Ints
    sums: Array
    ends: Ints
    tops: Array


def significant_phases(gaps: Gaps, factor: float, degree: int) -> Phases:
    """Return the significant phases for the threshold ``S^degree >= factor n^(degree-1)``."""
    longest = min(gaps.horizon, max(1024, 4 * len(gaps.starts)), _TABLE)
    n = np.arange(longest + 1, dtype=np.float64)
    roots = (factor * n ** (degree - 1)) ** (1 / degree)
    runs, arms = _phase_runs(gaps, Threshold(float(factor), degree), roots)
    return Phases(runs, arms)


@jit
def _phase_runs(gaps: Gaps, threshold: Threshold, roots: Array) -> tuple[Ints, Ints]:
    """Return the runs of phases (R, 3) and the last safe arm of each run."""
    n_arms = gaps.levels.shape[1]
    likely = np.zeros(n_arms, np.int64)
    stack = _new_stack(64)
    runs = np.empty((16, 3), np.int64)
    arms = np.empty(16, np.int64)
    n_runs = 0
    stretch = 0
    # Not the literal 0, for which callees would be compiled once more.
    begin = gaps.starts[0]
    while begin < gaps.horizon:
        while _end(gaps, stretch) <= begin:
            stretch += 1
        shift = begin
        last_safe = 0
        for arm in range(n_arms):
            unsafe, stack = _arm_unsafe(
                gaps, threshold, roots, arm, begin, stretch, shift, likely, stack
            )
            if unsafe > shift:
                shift = unsafe
                last_safe = arm
            if unsafe == gaps.horizon:
                break
        step = shift - begin
        count = 1
        if shift < _end(gaps, stretch):
            # The whole phase lies in one stretch, so it repeats until that ends.
            count = (_end(gaps, stretch) - 1 - begin) // step
        if n_runs == len(arms):
            runs = np.concatenate((runs, np.empty_like(runs)))
            arms = np.concatenate((arms, np.empty_like(arms)))
        runs[n_runs, 0] = begin
        runs[n_runs, 1] = step
        runs[n_runs, 2] = count
        arms[n_runs] = last_safe
        n_runs += 1
        begin += step * count
    return runs[:n_runs].copy(), arms[:n_runs].copy()


@jit
def _arm_unsafe(
    gaps: Gaps,
    threshold: Threshold,
    roots: Array,
    arm: int,
    begin: int,
    stretch: int,
    shift: int,
    likely: Ints,
    stack: Stack,
) -> tuple[int, Stack]:
    """Return the first round by which the arm is unsafe for some weight, else the horizon.

    Weights are tried until the arm is known to be unsafe by round ``shift``, when an earlier arm
    is still safe: the exact round does not matter then. The weight that was enough in the last
    phase, ``likely``, is the first to be tried.
    """
    n_weights = gaps.best.shape[1]
    unsafe = gaps.horizon
    for k in range(n_weights):
        w = (likely[arm] + k) % n_weights
        found = _first_unsafe(gaps, threshold, roots, arm, w, begin, stretch, unsafe, stack)
        while found == _FULL:
            stack = _new_stack(2 * len(stack.froms))
            found = _first_unsafe(gaps, threshold, roots, arm, w, begin, stretch, unsafe, stack)
        unsafe = found
        if unsafe <= shift:
            likely[arm] = w
            break
    return unsafe, stack


@jit
def _first_unsafe(
    gaps: Gaps,
    threshold: Threshold,
    roots: Array,
    arm: int,
    w: int,
    begin: int,
    stretch: int,
    limit: int,
    stack: Stack,
) -> int:
    """Return the first round below ``limit`` by which the arm is unsafe for weight w.

    The phase starts at round ``begin``, in ``stretch``. If there is none, the result is ``limit``;
    if the stack is too small to tell, `_FULL`.
    """
    # Fields are taken out once: each use of an array through its tuple costs as much as a round.
    levels, best, which, starts, horizon = gaps
    froms, sums, ends, tops = stack
    depth, waiting = 0, 0
    # The curve of every s1 < base is on the stack, and was at least at ``alarm`` at the last look.
    # From base on, an interval needs more than safe + 1 rounds.
    base, alarm = begin, np.inf
    largest, safe = 0.0, limit
    total, previous = 0.0, -1.0
    first = begin
    for n in range(stretch, len(starts)):
        if first >= limit:
            break
        end = min(limit, starts[n + 1] if n + 1 < len(starts) else horizon)
        gap = best[which[n], w] - levels[which[n], arm, w]
        if gap > largest:
            largest = gap
            safe = _safe_length(threshold, roots, gap, limit)
        after = total + gap * (end - first)
        look = after * _SUSPICION >= alarm or end - base > safe + 1
        suspect = False
        young = end - 1 - safe // 2
        if look and first > begin:
            depth, waiting = _promote(
                threshold, roots, young, first, limit, depth, waiting, froms, sums, ends, tops
            )
            alarm = _lowest(threshold, roots, first, depth, froms, sums)
            suspect = (total + gap) * _SUSPICION >= alarm
            suspect = suspect or (previous + gap) * _SUSPICION >= roots[1]
        if gap > previous:
            if depth + waiting == len(froms):
                return _FULL
            waiting = _add_corner(first, total, depth, waiting, froms, sums)
        if look and end - first > 1:
            depth, waiting = _promote(
                threshold, roots, young, end - 1, limit, depth, waiting, froms, sums, ends, tops
            )
            alarm = _lowest(threshold, roots, end - 1, depth, froms, sums)
            suspect = suspect or after * _SUSPICION >= alarm
            suspect = suspect or 2 * gap * _SUSPICION >= roots[1]
        if look:
            base = froms[depth] if waiting else end - 1
        if suspect:
            unsafe = _settle(gaps, threshold, arm, w, begin, stretch, n, end)
            if unsafe < end:
                return unsafe
        total = after
        previous = gap
        first = end
    return limit


@jit
def _safe_length(threshold: Threshold, roots: Array, gap: float, limit: int) -> int:
    """Return an n such that no interval of 2 to n + 1 rounds with gaps up to ``gap`` matters.

    The slack is convex in n, so it is enough that it is missed at 1 and at n.
    """
    if 2 * gap * _SUSPICION >= roots[1]:
        return 0
    guess = _power(roots[1] / gap, threshold.degree) - threshold.degree
    n = int(min(max(guess, 1.0), float(limit)))
    while n > 1 and (n + 1) * gap * _SUSPICION >= _root(threshold, roots, n):
        n //= 2
    return n


@jit
def _add_corner(
    start: int, total: float, depth: int, waiting: int, froms: Ints, sums: Array
) -> int:
    """Add the point (start, total) to the hull, drop those above it; return how many wait."""
    i = depth + waiting - 1
    while i > depth:
        rise = sums[i] - sums[i - 1]
        run = froms[i] - froms[i - 1]
        if rise * (start - froms[i]) < (total - sums[i]) * run:
            break
        i -= 1
    froms[i + 1] = start
    sums[i + 1] = total
    return i + 2 - depth


@jit
def _promote(
    threshold: Threshold,
    roots: Array,
    young: int,
    round_: int,
    limit: int,
    depth: int,
    waiting: int,
    froms: Ints,
    sums: Array,
    ends: Ints,
    tops: Array,
) -> tuple[int, int]:
    """Make curves of the corners before ``young``, for looks from ``round_`` on.

    Curves that are not the lowest from then on are dropped. Returns the depth and how many wait.
    """
    corner = depth
    last = depth + waiting
    d = depth - 1
    while d >= 0 and ends[d] < round_:
        d -= 1
    while corner < last and froms[corner] < young:
        start, total = froms[corner], sums[corner]
        corner += 1
        if d >= 0:
            older = sums[d] + _root(threshold, roots, round_ - froms[d])
            if total + _root(threshold, roots, round_ - start) >= older:
                continue
        while d >= 0 and total + _root(threshold, roots, ends[d] - start) <= tops[d]:
            d -= 1
        end = limit
        if d >= 0:
            behind, rise = start - froms[d], total - sums[d]
            latest = ends[d] - start
            end = start + _first_crossing(threshold, roots, behind, rise, round_ - start, latest)
        d += 1
        froms[d] = start
        sums[d] = total
        ends[d] = end
        tops[d] = total + _root(threshold, roots, end - start)
    for i in range(last - corner):
        froms[d + 1 + i] = froms[corner + i]
        sums[d + 1 + i] = sums[corner + i]
    return d + 1, last - corner


@jit
def _first_crossing(
    threshold: Threshold, roots: Array, behind: int, rise: float, low: int, high: int
) -> int:
    """Return the largest age at which the new curve is still below the older one.

    The older curve started ``behind`` rounds before and ``rise`` lower. At age ``low`` the new one
    is below it, at age ``high`` it is not. Newton's method from the asymptotic solution; the
    function is convex, so it is a step or two.
    """
    power = 1 - 1 / threshold.degree
    guess = _power(roots[1] * power * behind / rise, threshold.degree) - behind / 2
    steps = 0
    slope = -1.0
    while high - low > 1:
        age = low + (high - low) // 2
        if steps < 8 and slope < 0:
            age = int(min(max(guess, low + 1.0), high - 1.0))
        new = _root(threshold, roots, age)
        old = _root(threshold, roots, age + behind)
        excess = old - new - rise
        if excess >= 0:
            low = age
        else:
            high = age
        slope = power * (old / (age + behind) - new / age)
        if slope < 0:
            guess = age - excess / slope
        steps += 1
    return low


@jit
def _lowest(
    threshold: Threshold, roots: Array, round_: int, depth: int, froms: Ints, sums: Array
) -> float:
    """Return the height of the top curve at a round, which is the lowest; infinite if none."""
    if depth == 0:
        return np.inf
    return float(sums[depth - 1] + _root(threshold, roots, round_ - froms[depth - 1]))


@jit
def _settle(
    gaps: Gaps, threshold: Threshold, arm: int, w: int, begin: int, stretch: int, n: int, end: int
) -> int:
    """Return the first round of stretch n, before ``end``, that makes the arm unsafe, else ``end``.

    Every start of a stretch is tried as s1, and the last round of the one before. Sums are taken
    backward from the stretch, with the rounding error carried along, so that short sums are not
    differences of long ones.
    """
    levels, best, which, starts, _ = gaps
    gap = best[which[n], w] - levels[which[n], arm, w]
    first = max(starts[n], begin)
    unsafe = _earliest(threshold, 0.0, gap, first, first, end)
    total = 0.0
    lost = 0.0
    later = first
    for k in range(n - 1, stretch - 1, -1):
        before = best[which[k], w] - levels[which[k], arm, w]
        if later == first and _reaches(threshold, before + gap, 1):
            return first
        start = max(starts[k], begin)
        term = before * (later - start)
        grown = total + term
        lost += (total - grown) + term if total >= term else (term - grown) + total
        total = grown
        later = start
        unsafe = _earliest(threshold, total + lost, gap, first, start, unsafe)
    return unsafe


@jit
def _earliest(
    threshold: Threshold, before: float, gap: float, first: int, start: int, end: int
) -> int:
    """Return the first s2 in [first, end) with [start, s2] significant, else ``end``.

    ``before`` is the sum over the rounds from ``start`` to ``first``; each later one adds ``gap``.
    """
    low = max(first, start + 1)
    high = end - 1
    if high < low:
        return end
    if _reaches(threshold, before + gap * (low - first + 1), low - start):
        return low
    if not _reaches(threshold, before + gap * (high - first + 1), high - start):
        return end
    while high - low > 1:
        middle = low + (high - low) // 2
        if _reaches(threshold, before + gap * (middle - first + 1), middle - start):
            high = middle
        else:
            low = middle
    return high


@jit
def _reaches(threshold: Threshold, total: float, n: int) -> bool:
    """Tell whether a sum over n + 1 rounds is significant."""
    needed = threshold.factor * _power(float(n), threshold.degree - 1)
    return _power(total, threshold.degree) >= needed * (1 - REACH)


@jit
def _root(threshold: Threshold, roots: Array, n: int) -> float:
    """Return the smallest significant sum over n + 1 rounds; ``roots`` holds the first ones."""
    if n < len(roots):
        return float(roots[n])
    needed = threshold.factor * _power(float(n), threshold.degree - 1)
    return float(needed ** (1 / threshold.degree))


@jit
def _power(x: float, exponent: int) -> float:
    """Return x, its square or its cube; products, because they round to 1e-16."""
    if exponent == 1:
        return x
    return x * x if exponent == 2 else x * x * x


@jit
def _end(gaps: Gaps, n: int) -> int:
    """Return the round after the last round of stretch n."""
    return int(gaps.starts[n + 1]) if n + 1 < len(gaps.starts) else gaps.horizon


@jit
def _new_stack(size: int) -> Stack:
    return Stack(np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64), np.empty(size))
