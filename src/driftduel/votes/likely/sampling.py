"""The backward pass: whole trajectories of strengths, given all votes.

The last state is drawn from the last pool. Going back, a state x_(b-1) given x_b is of a component
and of a kind of move (drift alone, all arms jumped, one did), each as likely as its weight times
its chance times the density with which it leads to x_b; then it is the Gaussian of that component
given x_b. So samples agree with all votes, jumps lie where they fit best, and constants are as
likely as the votes make them. Everything that is asked of the past is a count over samples.
"""

from __future__ import annotations

import numpy as np

from driftduel.votes.likely.bins import Bins, Floats
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
    for b in range(len(bins) - 1, 0, -1):
        x = _step_back(filtered, bins, b, filtered.pools[b - 1], x, grid, rng)
        found[:, b - 1] = x
    return found


def _step_back(
    filtered: Filtered,
    bins: Bins,
    b: int,
    pool: Pool,
    x: Floats,
    grid: np.ndarray,
    rng: np.random.Generator,
) -> Floats:
    """Return states before bin ``b`` for those in it."""
    layout, constants = filtered.layout, filtered.constants
    size, n = layout.size, len(x)
    wanted = np.isin(pool.constants, grid)
    weight, of = pool.weight[wanted], pool.constants[wanted]
    mean, spread = pool.mean[wanted], pool.spread[wanted].astype(np.float64)
    decay, drift = (part[of] for part in moves(layout, constants, bins, b))
    ahead = spread * decay[:, :, None] * decay[:, None, :]
    ahead[:, np.arange(size), np.arange(size)] += drift + 1e-9
    inverse = np.linalg.inv(ahead)
    there = np.flatnonzero(bins.joined[: layout.n_arms] < b)
    rate = jump_chances(constants, bins, b)[of]
    jump = constants.size[of]
    away = x[None] - (decay * mean)[:, None]  # (N, n, D)
    pulled = np.matmul(away, inverse)
    still = -0.5 * (pulled * away).sum(axis=2) - 0.5 * np.linalg.slogdet(ahead)[1][:, None]
    base = np.where(of[:, None] == grid, weight[:, None], -np.inf)
    with np.errstate(divide="ignore"):
        scores = [base + still + np.log1p(-2 * rate)[:, None]]
    wide = None
    if rate.any():
        wide = ahead.copy()
        wide[:, there, there] += jump[:, None]
        wide_inverse = np.linalg.inv(wide)
        wide_pulled = np.matmul(away, wide_inverse)
        with np.errstate(divide="ignore"):
            log_rate = np.log(rate)[:, None]
        scores.append(
            base
            + log_rate
            - 0.5 * (wide_pulled * away).sum(axis=2)
            - 0.5 * np.linalg.slogdet(wide)[1][:, None]
        )
        if layout.single_jumps:
            own = inverse[:, there, there]
            share = 1 + jump[:, None] * own
            gain = (
                -0.5 * np.log(share)[:, None]
                + 0.5 * (jump[:, None] / share)[:, None] * pulled[..., there] ** 2
            )
            each = (base + log_rate - np.log(layout.n_arms) + still)[..., None] + gain
            scores.extend(np.moveaxis(each, 2, 0))
    table = np.stack(scores)  # (kinds, N, n)
    table = table - table.max(axis=(0, 1))
    flat = np.cumsum(np.exp(table).reshape(-1, n), axis=0)
    chosen = (flat < rng.random(n) * flat[-1]).sum(axis=0)
    kind, one = np.minimum(chosen, len(flat) - 1) // len(of), chosen % len(of)
    noise = rng.standard_normal((2, n, size))
    before = np.empty_like(x)
    for component in np.unique(one):
        rows = np.flatnonzero(one == component)
        root = np.linalg.cholesky(_sound(spread[component]))
        start = mean[component] + noise[0, rows] @ root.T
        var = np.tile(drift[component], (len(rows), 1))
        kinds = kind[rows]
        var[np.ix_(kinds == 1, there)] += jump[component]
        single = np.flatnonzero(kinds > 1)
        var[single, there[kinds[single] - 2]] += jump[component]
        rest = x[rows] - decay[component] * start - noise[1, rows] * np.sqrt(var)
        solved = rest @ inverse[component]
        if wide is not None:
            solved[kinds == 1] = rest[kinds == 1] @ wide_inverse[component]
            at = there[kinds[single] - 2]
            share = jump[component] / (1 + jump[component] * inverse[component][at, at])
            solved[single] -= (share * solved[single, at])[:, None] * inverse[component][at]
        before[rows] = start + (solved * decay[component]) @ spread[component]
    return before


def _sound(spread: Floats) -> Floats:
    """Return a covariance with a little more on its diagonal, so that it has a root."""
    return spread + np.eye(len(spread)) * (1e-9 + 1e-6 * float(np.trace(spread)) / len(spread))
