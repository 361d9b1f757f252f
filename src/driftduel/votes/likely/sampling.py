"""The backward pass: whole trajectories of strengths, given all votes.

The last state is drawn from the last pool. Going back, a state x_(b-1) given x_b is of a component
and of a kind of move (drift alone, all arms jumped, one did), each as likely as its weight times
its chance times the density with which it leads to x_b; then it is the Gaussian of that component
given x_b. So samples agree with all votes, jumps lie where they fit best, and constants are as
likely as the votes make them. Everything that is asked of the past is a count over samples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftduel.votes.likely.bins import Bins, Floats, Ints
from driftduel.votes.likely.filtering import Filtered, Pool, jump_chances, moves


def draw(filtered: Filtered, bins: Bins, n: int, seed: int = 0) -> Floats:
    """Return ``n`` trajectories of the state, (n, B, D), without models of no change at all.

    Models without change are a part of the pool for comparison; they keep their weight here.
    """
    rng = np.random.default_rng(seed)
    size = filtered.layout.size
    kind = np.float32 if n * len(bins) * size > 5_000_000 else np.float64
    found = np.empty((n, len(bins), size), dtype=kind)
    pool = filtered.pools[-1]
    picked = rng.choice(len(pool.weight), n, p=np.exp(pool.weight))
    x = np.empty((n, size))
    for one in np.unique(picked):
        rows = picked == one
        root = np.linalg.cholesky(_sound(pool.spread[one].astype(np.float64)))
        x[rows] = pool.mean[one] + rng.standard_normal((int(rows.sum()), size)) @ root.T
    grid = pool.constants[picked]
    found[:, -1] = x
    moving = np.flatnonzero(~filtered.constants.static()[grid])  # others stay where they are
    for b in range(len(bins) - 1, 0, -1):
        if len(moving):
            before = filtered.pools[b - 1]
            x[moving] = _step_back(filtered, bins, b, before, x[moving], grid[moving], rng)
        found[:, b - 1] = x
    return found


def draw_ahead(
    filtered: Filtered, bins: Bins, gap: float, n: int, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return ``n`` states now and after a gap, a share of the whole log: each (n, D).

    Strengths drift and jump as the constants have it, of which each draw has its own.
    """
    rng = np.random.default_rng(seed)
    layout, constants, pool = filtered.layout, filtered.constants, filtered.pools[-1]
    picked = rng.choice(len(pool.weight), n, p=np.exp(pool.weight))
    now = np.empty((n, layout.size))
    for one in np.unique(picked):
        rows = picked == one
        root = np.linalg.cholesky(_sound(pool.spread[one].astype(np.float64)))
        noise = rng.standard_normal((int(rows.sum()), layout.size))
        now[rows] = pool.mean[one] + noise @ root.T
    of = pool.constants[picked]
    there = bins.joined[: layout.n_arms] < len(bins)
    variance = constants.spread[of] ** 2
    kept = np.exp(-constants.drift[of] * gap / (2 * variance))
    later = now.copy()
    noise = rng.standard_normal((n, layout.n_arms))
    added = np.sqrt(variance * (1 - kept**2))[:, None] * noise
    moved = kept[:, None] * now[:, : layout.n_arms] + added
    jumps = rng.poisson(constants.jumps[of] * gap)  # of all arms, and as many of single ones
    alone = rng.poisson(constants.jumps[of][:, None] * gap / layout.n_arms, moved.shape)
    alone *= layout.single_jumps
    size = np.sqrt(constants.size[of][:, None] * (jumps[:, None] + alone))
    moved += size * rng.standard_normal(moved.shape)
    later[:, : layout.n_arms] = np.where(there, moved, later[:, : layout.n_arms])
    return now, later


def _step_back(
    filtered: Filtered,
    bins: Bins,
    b: int,
    pool: Pool,
    x: Floats,
    grid: Ints,
    rng: np.random.Generator,
) -> Floats:
    """Return states before bin ``b`` for those in it, of constants under which something moves."""
    layout, constants = filtered.layout, filtered.constants
    size, n = layout.size, len(x)
    present = np.zeros(len(constants.spread), dtype=np.bool_)
    present[grid] = True
    wanted = present[pool.constants]
    weight, of = pool.weight[wanted], pool.constants[wanted]
    mean, spread = pool.mean[wanted], pool.spread[wanted].astype(np.float64)
    decay, drift = (part[of] for part in moves(layout, constants, bins, b))
    ahead = spread * decay[:, :, None] * decay[:, None, :]
    ahead[:, np.arange(size), np.arange(size)] += drift + 1e-9
    there = np.flatnonzero(bins.joined[: layout.n_arms] < b)
    rate = jump_chances(constants, bins, b)[of]
    jump = constants.size[of]
    jumpy = np.flatnonzero(rate > 0)  # others have no use for what follows a jump of all
    wide = ahead[jumpy]
    wide[:, there, there] += jump[jumpy, None]
    both = np.concatenate([ahead, wide])
    inverses, halves = np.linalg.inv(both), -0.5 * np.linalg.slogdet(both)[1]
    inverse, wide_inverse = inverses[: len(of)], inverses[: len(of)].copy()
    wide_inverse[jumpy] = inverses[len(of) :]
    half = np.stack([halves[: len(of)], halves[: len(of)]])
    half[1, jumpy] = halves[len(of) :]
    with np.errstate(divide="ignore"):
        chances = np.stack([np.log1p(-2 * rate), np.log(rate)]) + weight
    single = layout.single_jumps
    own = inverse[:, there, there]
    share = 1 + jump[:, None] * own
    # A component and a sample meet if they are of the same constants; a component's are in a row.
    met = of[:, None] == grid
    one, row = np.nonzero(met)
    ends = np.searchsorted(one, np.arange(len(of) + 1))
    away = x[row] - (decay * mean)[one]
    pulled, wide_pulled = np.empty_like(away), np.empty_like(away)
    jumps = (rate > 0).tolist()
    for n_one, part in _parts(ends):
        np.matmul(away[part], inverse[n_one], out=pulled[part])
        if jumps[n_one]:
            np.matmul(away[part], wide_inverse[n_one], out=wide_pulled[part])
        else:
            wide_pulled[part] = pulled[part]
    scores = np.empty((len(one), 2 + len(there) * single))
    still = half[0, one] - 0.5 * (pulled * away).sum(axis=1)
    scores[:, 0] = still + chances[0, one]
    scores[:, 1] = chances[1, one] + half[1, one] - 0.5 * (wide_pulled * away).sum(axis=1)
    if single:
        gain = 0.5 * (jump[:, None] / share)[one] * pulled[:, there] ** 2
        rarely = (chances[1] - np.log(layout.n_arms))[:, None] - 0.5 * np.log(share)
        scores[:, 2:] = still[:, None] + (gain + rarely[one])
    top = scores.max(axis=1)
    total = np.full((n, len(of)), -np.inf)
    total[row, one] = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    chosen = _drawn(total, rng)
    noise = rng.standard_normal((2, n, size))
    order = np.argsort(chosen, kind="stable")
    one = chosen[order]
    place = np.empty((len(of), n), dtype=np.int64)
    place[met] = np.arange(len(scores))
    kind = _drawn(scores[place[one, order]], rng)
    alone, of_all = np.flatnonzero(kind > 1), kind == 1
    arm = kind[alone] - 2
    variance = drift[one]
    variance[np.ix_(of_all, there)] += jump[one[of_all], None]
    variance[alone, there[arm]] += jump[one[alone]]
    start, rest = mean[one], x[order] - noise[1, order] * np.sqrt(variance)
    ends = np.searchsorted(one, np.arange(len(of) + 1))
    parts = [*_parts(ends)]
    roots = np.linalg.cholesky(_sound(spread[[n_one for n_one, _ in parts]]))
    for (_, part), root in zip(parts, roots, strict=True):
        start[part] += noise[0, order[part]] @ root.T
    rest -= decay[one] * start
    solved = np.empty_like(rest)
    for n_one, part in parts:
        np.matmul(rest[part], inverse[n_one], out=solved[part])
        if of_all[part].any():
            solved[part][of_all[part]] = rest[part][of_all[part]] @ wide_inverse[n_one]
    pull = (jump[:, None] / share)[one[alone], arm] * solved[alone, there[arm]]
    solved[alone] -= pull[:, None] * inverse[one[alone], there[arm]]
    solved *= decay[one]
    before = np.empty_like(x)
    for n_one, part in parts:
        before[order[part]] = start[part] + solved[part] @ spread[n_one]
    return before


def _parts(ends: Ints) -> Iterator[tuple[int, slice]]:
    """Yield which of some have a part of a row, and the part."""
    for one in np.flatnonzero(np.diff(ends)).tolist():
        yield one, slice(int(ends[one]), int(ends[one + 1]))


def _drawn(log_weight: Floats, rng: np.random.Generator) -> Ints:
    """Return a column for each row, as likely as its weight."""
    weight = np.cumsum(np.exp(log_weight - log_weight.max(axis=1, keepdims=True)), axis=1)
    point = rng.random((len(weight), 1)) * weight[:, -1:]
    return np.asarray(np.minimum((weight <= point).sum(axis=1), weight.shape[1] - 1))


def _sound(spread: Floats) -> Floats:
    """Return covariances with a little more on their diagonals, so that they have roots."""
    size = spread.shape[-1]
    more = 1e-9 + 1e-6 * np.trace(spread, axis1=-2, axis2=-1) / size
    return np.asarray(spread + np.eye(size) * more[..., None, None])
