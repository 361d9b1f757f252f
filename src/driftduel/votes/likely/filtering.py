"""The forward pass: what the votes until each bin say of strengths, from many models side by side.

Strengths s_b of the arms in bin b move from a bin to the next,

    s_b = a s_(b-1) + N(0, (1 - a^2) S^2 I)                  drift
        (+ N(0, J I) with chance l gap_b                     all arms jump
         or N(0, J) of one arm with chance l gap_b)          or one does

with a = exp(-q gap_b / (2 S^2)), so that S stays the spread of a field of arms however long the
log is (an Ornstein-Uhlenbeck process; a random walk if S is large). i beats j with the chance
1 / (1 + exp(-(s_i - s_j + side + u_ij))), where side and pair effects u_ij do not move; ties are
those of Davidson (`outcomes`). A *component* is a Gaussian for the state with its constants (a row
of `Constants`) and its weight. In each bin it has children: nothing jumped, all arms did, or one
did. Their evidence is that of the Gaussian at the mode (Laplace). As many as the pool holds are
kept, those of little weight by a draw that leaves expectations as they are (Fearnhead and Clifford
2003, optimal resampling for switching models). So constants are averaged by how well they
predicted, and a jump is believed when votes after it say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.likely.bins import Bins, Flags, Floats, Ints
from driftduel.votes.likely.design import Design
from driftduel.votes.likely.layout import Layout

_STEPS, _CLOSE, _FARTHEST_STEP = 12, 1e-5, 3.0
_MOST_LIKELY_JUMP = 0.3
_LEAST = 1e-9
_FORGOTTEN, _HOPELESS, _FEWEST, _MOST_MISSED = 60.0, 12.0, 4, 5.0


class Constants(NamedTuple):
    """The grid of constants, each of shape (G,)."""

    spread: Floats  # the standard deviation of strengths before any vote
    drift: Floats  # q: the variance that a strength gains over the whole log
    jumps: Floats  # l: how many jumps to expect over the whole log
    size: Floats  # J: the variance of a jump
    pairs: Floats  # the standard deviation of pair effects
    pause: Floats  # how much faster drift is while nobody votes, as between seasons
    chance: Floats  # the logarithm of the weight before any vote

    def static(self) -> Flags:
        """Return which of them say that nothing ever changes."""
        return np.asarray((self.drift == 0) & (self.jumps == 0))


class Pool(NamedTuple):
    """The components after a bin; weights are logarithms and sum to 1."""

    weight: Floats  # (N,)
    constants: Ints  # (N,) rows of the grid
    mean: Floats  # (N, D)
    spread: NDArray[np.floating]  # (N, D, D) covariances


@dataclass(frozen=True, eq=False)
class Filtered:
    """What the forward pass leaves.

    Attributes
    ----------
    layout : Layout
    constants : Constants
    pools : list of Pool
        After each bin.
    chances : ndarray of shape (R,)
        Of each row of the bins, the chance that its left arm wins, from the bins before it.
    static_chances : ndarray of shape (R,)
        The same of the model in which nothing changes.
    gains : list of float
        The logarithm of the probability of each bin's votes, from the bins before it.
    """

    layout: Layout
    constants: Constants
    pools: list[Pool]
    chances: Floats
    static_chances: Floats
    gains: list[float]

    @property
    def evidence(self) -> float:
        """The logarithm of the probability of all votes."""
        return float(sum(self.gains))


def run_filter(
    bins: Bins,
    layout: Layout,
    constants: Constants,
    most: int,
    seed: int = 0,
    begun: Filtered | None = None,
) -> Filtered:
    """Run the forward pass with at most ``most`` components.

    ``begun`` is a pass over the first of these bins, which goes on as if it had never stopped.
    """
    size = layout.size
    grid = np.arange(len(constants.spread))
    static = constants.static()
    mean = np.zeros((len(grid), size))
    spread = np.zeros((len(grid), size, size))
    spread[:, np.arange(size), np.arange(size)] = layout.prior(constants)
    weight = constants.chance - _log_sum(constants.chance)
    pools, gains_of = list[Pool](), list[float]()
    chances, static_chances = np.empty(len(bins.left)), np.full(len(bins.left), 0.5)
    if begun is not None and begun.pools:
        pools, gains_of = begun.pools.copy(), begun.gains.copy()
        chances[: len(begun.chances)] = begun.chances
        static_chances[: len(begun.chances)] = begun.static_chances
        weight, grid, mean, kept_spread = pools[-1]
        spread = kept_spread.astype(np.float64)
    for b in range(len(pools), len(bins)):
        rng = np.random.default_rng((seed, b))
        rows = slice(bins.rows[b], bins.rows[b + 1])
        design, active = layout.design(bins, rows)
        votes, won = bins.count[rows] * bins.worth, bins.won[rows] * bins.worth
        decay, added = moves(layout, constants, bins, b)
        mean = mean * decay[grid]
        spread = spread * decay[grid][:, :, None] * decay[grid][:, None, :]
        spread[:, np.arange(size), np.arange(size)] += added[grid]
        told = _predicted(mean, spread, design, active, bins.ties)
        chances[rows] = _mixed(told, weight)
        if static.any():
            static_chances[rows] = _mixed(told[static[grid]], weight[static[grid]])
        before = mean, spread
        fitted = _update(mean, spread, design, active, votes, won, bins.ties)
        mean, spread = fitted.mean, fitted.spread
        rates = jump_chances(constants, bins, b)[grid]
        facts = design, active, votes, won, bins.ties
        log_prior, gains = _kinds(before, fitted, facts, layout, constants, bins, b, grid, rates)
        n_kinds = gains.shape[1]
        flat = (log_prior + gains + (weight + fitted.evidence)[:, None]).ravel()
        fixed = _protected(flat, np.repeat(grid, n_kinds), static, most)
        free = flat > flat.max() - _FORGOTTEN
        free[fixed] = False
        kept, new_weight = _keep(flat, np.flatnonzero(free), max(most - len(fixed), _FEWEST), rng)
        kept, new_weight = np.append(fixed, kept), np.append(flat[fixed], new_weight)
        parent, kind = kept // n_kinds, kept % n_kinds
        mean, spread = mean[parent], spread[parent]
        jumped = np.flatnonzero(kind)
        if len(jumped):
            of, which = parent[jumped], kind[jumped]
            wide = before[1][of].copy()
            moved_arms = _jumped(which, np.flatnonzero(bins.joined < b), layout)
            wide[:, np.arange(size), np.arange(size)] += (
                moved_arms * constants.size[grid[of]][:, None]
            )
            exact = _update(before[0][of], wide, *facts, mean[jumped])
            mean[jumped], spread[jumped] = exact.mean, exact.spread
            # The gains were those of a quadratic; now the weight is that of the likelihood.
            missed = exact.evidence - fitted.evidence[of] - gains[of, which]
            new_weight[jumped] += np.clip(missed, -_MOST_MISSED, _MOST_MISSED)
        grid = grid[parent]
        total = _log_sum(new_weight)
        gains_of.append(total)
        weight = new_weight - total
        pools.append(Pool(weight, grid, mean, layout.stored(spread)))
        spread = pools[-1].spread.astype(np.float64)  # so that to stop and go on is the same
    return Filtered(layout, constants, pools, chances, static_chances, gains_of)


def moves(layout: Layout, constants: Constants, bins: Bins, b: int) -> tuple[Floats, Floats]:
    """Return what drift before bin ``b`` leaves of the state and adds to its variances, (G, D).

    Arms that are yet to come do not move.
    """
    decay = np.ones((len(constants.drift), layout.size))
    added = np.zeros((len(constants.drift), layout.size))
    there = np.flatnonzero(bins.joined < b)
    variance = constants.spread**2
    kept = np.exp(-constants.drift * _rest(constants, bins, b) / (2 * variance))
    decay[:, there] = kept[:, None]
    added[:, there] = (variance * (1 - kept**2))[:, None]
    return decay, added


def jump_chances(constants: Constants, bins: Bins, b: int) -> Floats:
    """Return the chance that all arms jump before bin ``b``, (G,); that one does is the same."""
    if b == 0:
        return np.zeros(len(constants.jumps))
    return np.minimum(constants.jumps * _rest(constants, bins, b), _MOST_LIKELY_JUMP)


def _rest(constants: Constants, bins: Bins, b: int) -> Floats:
    """Return the time before bin ``b`` as drift and jumps count it, (G,)."""
    return bins.gap[b] * (constants.pause if bins.pauses[b] else np.ones_like(constants.pause))


def _jumped(kind: Ints, there: Ints, layout: Layout) -> Floats:
    """Return which arms jump in children of these kinds, (n, D): 1 is all that are there."""
    found = np.zeros((len(kind), layout.size))
    found[np.ix_(kind == 1, there)] = 1.0
    single = np.flatnonzero(kind > 1)
    found[single, kind[single] - 2] = 1.0
    return found


_Told = tuple[Design, "Ints | None", Floats, Floats, float]
"""The votes of a bin: what rows add up, its places, votes, wins, and how likely ties are."""


class _Fitted(NamedTuple):
    mean: Floats
    spread: Floats
    evidence: Floats
    curve: Floats  # (N, R) the weight of each row at the mode
    slope: Floats  # (N, A) the gradient of the likelihood at the mode


def _update(
    mean: Floats,
    spread: Floats,
    design: Design,
    active: Ints | None,
    votes: Floats,
    won: Floats,
    ties: float,
    start: Floats | None = None,
) -> _Fitted:
    """Return the Gaussians at the modes after the votes of a bin, and their evidence.

    Only the active part of the state meets the votes; the rest follows by its covariance with it.
    """
    m, p = (
        (mean, spread) if active is None else (mean[:, active], spread[:, active[:, None], active])
    )
    inverse = np.linalg.inv(p)
    x = m.copy() if start is None else start[:, slice(None) if active is None else active].copy()
    for _ in range(_STEPS):
        mean_of, variance = outcomes(design.of(x), ties)
        slope = design.gradient(won - votes * mean_of)
        curve = votes * variance
        hessian = inverse + design.curvature(curve)
        gradient = slope - np.matmul(inverse, (x - m)[..., None])[..., 0]
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        farthest = np.abs(step).max()
        x = x + step * min(1.0, _FARTHEST_STEP / max(farthest, _LEAST))
        if farthest < _CLOSE:
            break
    after = np.linalg.inv(hessian)
    after = (after + np.swapaxes(after, 1, 2)) / 2
    told = design.of(x)
    gain = won * told - votes * _log_total(told, ties)
    away = x - m
    evidence = (
        gain.sum(axis=1)
        - 0.5 * (away * np.matmul(inverse, away[..., None])[..., 0]).sum(axis=1)
        - 0.5 * (np.linalg.slogdet(hessian)[1] + np.linalg.slogdet(p)[1])
    )
    if active is None:
        return _Fitted(x, after, evidence, curve, slope)
    cross = np.matmul(spread[:, :, active], inverse)
    new_mean = mean + np.matmul(cross, away[..., None])[..., 0]
    new_spread = spread - np.matmul(np.matmul(cross, p - after), np.swapaxes(cross, 1, 2))
    return _Fitted(
        new_mean, (new_spread + np.swapaxes(new_spread, 1, 2)) / 2, evidence, curve, slope
    )


def _kinds(
    before: tuple[Floats, Floats],
    fitted: _Fitted,
    told: _Told,
    layout: Layout,
    constants: Constants,
    bins: Bins,
    b: int,
    grid: Ints,
    rates: Floats,
) -> tuple[Floats, Floats]:
    """Return what kinds of children components have: the chance of each, and its gain of evidence.

    Kind 0: nothing jumped; 1: all arms did; 2 + k: arm k did. With the likelihood replaced by its
    quadratic at the mode, of precision S, variance added to the prior changes the evidence by a
    closed form in T = S - S C S, where C is the covariance after the votes, and in the gradient u
    of the evidence by the prior's mean.
    """
    if not rates.any():
        return np.zeros((len(grid), 1)), np.zeros((len(grid), 1))
    design, active, *_ = told
    chosen = slice(None) if active is None else active
    places = np.arange(layout.size) if active is None else active
    arms = np.flatnonzero(places < layout.n_arms)
    x, c = fitted.mean[:, chosen], fitted.spread
    c = c if active is None else c[:, active[:, None], active]
    s = design.curvature(fitted.curve)
    away = before[0][:, chosen] - x
    v = fitted.slope - np.matmul(s, away[..., None])[..., 0]
    sc = np.matmul(s, c)
    u = (v - np.matmul(sc, v[..., None])[..., 0])[:, arms]
    t = (s - np.matmul(sc, s))[:, arms[:, None], arms]
    size = constants.size[grid]
    whole = np.eye(len(arms)) + size[:, None, None] * t
    solved = np.linalg.solve(whole, u[..., None])[..., 0]
    everyone = -0.5 * np.linalg.slogdet(whole)[1] + 0.5 * size * (u * solved).sum(axis=1)
    n_kinds = 2 + (layout.n_arms if layout.single_jumps else 0)
    gains = np.zeros((len(grid), n_kinds))
    log_prior = np.full((len(grid), n_kinds), -np.inf)
    gains[:, 1] = everyone
    with np.errstate(divide="ignore"):
        rate = np.log(rates)
    log_prior[:, 0], log_prior[:, 1] = np.log1p(-2 * rates), rate
    if layout.single_jumps:
        own = np.maximum(t[:, np.arange(len(arms)), np.arange(len(arms))], 0)
        scaled = size[:, None]
        at = 2 + places[arms]
        gains[:, at] = -0.5 * np.log1p(scaled * own) + 0.5 * scaled * u**2 / (1 + scaled * own)
        alive = bins.joined[places[arms]] < b
        log_prior[:, at] = np.where(alive, rate[:, None] - np.log(layout.n_arms), -np.inf)
    return log_prior, gains


def _predicted(
    mean: Floats, spread: Floats, design: Design, active: Ints | None, ties: float
) -> Floats:
    """Return the chance that the left arm of each row wins, (N, R), the state integrated out."""
    m, p = (
        (mean, spread) if active is None else (mean[:, active], spread[:, active[:, None], active])
    )
    variance = np.maximum(design.variance(p), 0)
    return outcomes(design.of(m) / np.sqrt(1 + np.pi * variance / 8), ties)[0]


def _mixed(told: Floats, weight: Floats) -> Floats:
    shares = np.exp(weight - weight.max())
    return np.clip(shares @ told / shares.sum(), _LEAST, 1 - _LEAST)


def _protected(log_weight: Floats, grid: Ints, static: Flags, most: int) -> Ints:
    """Return the children that stay in any case.

    Models without change stay for comparison. Constants do not come back once they are lost, so
    that of few the best child of each stays until it is hopeless.
    """
    order = np.lexsort((-log_weight, grid))
    of = grid[order]
    best = order[np.append(True, of[1:] != of[:-1])]  # of each, in their order
    still = static[grid[best]]
    if len(best) > most:
        return best[still]
    return best[still | (log_weight[best] > log_weight.max() - _HOPELESS)]


def _keep(
    log_weight: Floats, free: Ints, most: int, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Return which of the free children stay, with their weights, so that none is expected less."""
    if len(free) <= most:
        return free, log_weight[free]
    top = log_weight[free].max()
    order = free[np.argsort(-log_weight[free], kind="stable")]
    w = np.exp(log_weight[order] - top)
    total = w.sum()
    rest = np.append(total, total - np.cumsum(w))[:most]
    level = rest / (most - np.arange(most))
    n_sure = (
        int(np.flatnonzero(w[:most] <= level * (1 + 1e-12))[0])
        if (w[:most] <= level * (1 + 1e-12)).any()
        else most - 1
    )
    n_drawn = most - n_sure
    tail = np.cumsum(w[n_sure:])
    points = (np.arange(n_drawn) + rng.random()) * tail[-1] / n_drawn
    drawn = n_sure + np.minimum(np.searchsorted(tail, points), len(tail) - 1)
    chosen = np.append(order[:n_sure], order[drawn])
    found = np.append(
        log_weight[order[:n_sure]], np.full(n_drawn, top + np.log(tail[-1] / n_drawn))
    )
    return chosen, found


def outcomes(x: Floats, ties: float) -> tuple[Floats, Floats]:
    """Return the mean and the variance of the outcome of a vote whose arms are ``x`` apart.

    Win, tie and loss are as likely as e^x, ties e^(x / 2) and 1 (Davidson 1970); a tie is half.
    """
    if not ties:
        mean = sigma(x)
        return mean, mean * (1 - mean)
    up = np.exp(np.clip(x / 2, -300, 300))
    total = up + 1 / up + ties
    mean = (up + ties / 2) / total
    return mean, np.maximum((up + ties / 4) / total - mean**2, 0.0)


def _log_total(x: Floats, ties: float) -> Floats:
    """Return the logarithm of e^x + ties e^(x / 2) + 1."""
    far = np.exp(-np.abs(x) / 2)
    return np.asarray(np.maximum(x, 0) + np.log1p(far * (far + ties)))


def sigma(x: Floats) -> Floats:
    """Return the logistic function."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


def _log_sum(values: Floats) -> float:
    top = values.max()
    return float(top + np.log(np.exp(values - top).sum()))
