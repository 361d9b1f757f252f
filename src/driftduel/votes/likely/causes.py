"""Why who leads changed: other voters, other questions, other pairs, one option, or tastes.

Votes before and after a change are read by one model. i beats j with the chance of
s_i - s_j + d_gi - d_gj + e_ci - e_cj on the logistic scale, where d are departures of the group g
of the voter and e those of the context c of the question; after the change strengths may be others:
not at all (then who voted, or what was asked, has to explain the change), those of one option, or
all. Each of these *hypotheses* has its evidence (Laplace), so its probability.

What explains how far the new leader came to stand above the old one is told by draws: the
*lead* is the difference of their shares of wins, as pairs were shown, by the mixes of voters and of
questions of one side of the change or the other, and by strengths before or after. Each of the four
is moved from before to after in every order of the four; the mean of what that adds (Shapley) is
its part, and the four parts add up to the whole change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from driftduel.votes.likely.bins import Floats, Ints

FACTORS = ("voters", "questions", "pairs", "taste")
CAUSES = ("voters", "questions", "pairs", "option", "taste", "none")
"""What a change may be due to; an option alone and all tastes share the factor ``taste``."""

_SPREAD, _SIDE, _DEPART = 1.0, 0.3, 0.6
_MOVES = (0.4, 1.0)
"""Standard deviations before any vote: of strengths, a side, departures, and what moves."""

_NOTHING, _ALONE = 0.3, 0.45
"""How likely, before any vote, strengths stay, and one option moves alone; else all do."""

_MOST_ALONE = 8
_STEPS, _CLOSE = 25, 1e-8
_LEAST_PART = 0.02
"""A part below two points of a score explains nothing."""
_SHARE = 0.3
"""A cause among others explains this share of a change at least."""


@dataclass(frozen=True)
class Side:
    """Votes of one side of a change, as arrays; groups and contexts are numbers from 0."""

    left: Ints
    right: Ints
    outcome: Floats
    count: Floats
    group: Ints
    context: Ints


@dataclass(frozen=True)
class Explained:
    """What explains a change.

    Attributes
    ----------
    probability : dict of str to float
        How likely each of `CAUSES` explains most of it; they sum to 1.
    takes_part : dict of str to float
        How likely each of the first five explains three tenths of it or more.
    parts : dict of str to float
        By how much each of `FACTORS` moved the lead of the new leader over the old one.
    total : float
        By how much it moved in all.
    option : int
        Which option is likeliest to have moved, if one did alone.
    alone : ndarray of shape (K,)
        How likely each option moved alone.
    """

    probability: dict[str, float]
    takes_part: dict[str, float]
    parts: dict[str, float]
    total: float
    option: int
    alone: Floats


@dataclass(frozen=True)
class _Cells:
    """Votes alike in everything are one row."""

    left: Ints
    right: Ints
    group: Ints
    context: Ints
    after: NDArray[np.bool_]
    count: Floats
    won: Floats


def explain(
    before: Side,
    after: Side,
    n_arms: int,
    old: int,
    new: int,
    *,
    released: Floats | None = None,
    draws: int = 600,
    seed: int = 0,
) -> Explained:
    """Return what explains that ``new`` leads after a change, and ``old`` did before.

    ``released`` has by how much the date of a release of each option speaks for it that this one
    moved alone: 1 if there was none.

    Examples
    --------
    Old voters like tea, young ones milk, and after the change most voters are young:

    >>> rng = np.random.default_rng(0)
    >>> def votes(young):
    ...     group = (rng.random(800) < young).astype(int)
    ...     won = rng.random(800) < np.where(group == 1, 0.3, 0.7)
    ...     none = np.zeros(800, int)
    ...     return Side(none, none + 1, won.astype(float), np.ones(800), group, none)
    >>> found = explain(votes(0.2), votes(0.8), 2, 0, 1)
    >>> found.probability["voters"] > 0.9, round(found.parts["taste"], 1) == 0
    (True, True)
    """
    rng = np.random.default_rng(seed)
    cells = _cells_of(before, after, n_arms)
    n_groups, n_contexts = int(cells.group.max()) + 1, int(cells.context.max()) + 1
    mixes = _Mixes(before, after, n_arms, n_groups, n_contexts, (old, new))
    models = _models(cells, n_arms, n_groups, n_contexts, released)
    weight = np.array([one.weight for one in models])
    weight = np.exp(weight - weight.max())
    weight /= weight.sum()
    alone = np.zeros(n_arms)
    for one, share in zip(models, weight, strict=True):
        if one.moved >= 0:
            alone[one.moved] += share
    taken = rng.multinomial(draws, weight)
    parts, kinds = [], []
    for one, n in zip(models, taken, strict=True):
        if n:
            state = one.draw(int(n), rng)
            parts.append(mixes.parts(*one.split(state, n_arms, n_groups, n_contexts)))
            kinds += [one.moved] * int(n)
    return _counted(np.concatenate(parts), np.array(kinds), alone)


def _counted(parts: Floats, moved: Ints, alone: Floats) -> Explained:
    """Return what draws say; ``moved`` is the option that moved alone, -1 all, -2 none."""
    total = parts.sum(axis=1)
    whole = float(total.mean())
    toward = parts * (1.0 if whole >= 0 else -1.0)
    main = toward.argmax(axis=1)
    nothing = toward.max(axis=1) < _LEAST_PART
    taste = FACTORS.index("taste")
    single = moved >= 0
    found = dict.fromkeys(CAUSES, 0.0)
    found["none"] = float(nothing.mean())
    enough = np.maximum(_SHARE * np.maximum(toward, 0).sum(axis=1), _LEAST_PART)
    share = {}
    for n, name in enumerate(FACTORS):
        mine, has = (main == n) & ~nothing, toward[:, n] >= enough
        if n != taste:
            found[name], share[name] = float(mine.mean()), float(has.mean())
    for name, kind in (("option", single), ("taste", ~single)):
        found[name] = float(((main == taste) & ~nothing & kind).mean())
        share[name] = float(((toward[:, taste] >= enough) & kind).mean())
    mean = parts.mean(axis=0)
    return Explained(
        probability=found,
        takes_part=share,
        parts=dict(zip(FACTORS, map(float, mean), strict=True)),
        total=whole,
        option=int(alone.argmax()),
        alone=alone,
    )


def _cells_of(before: Side, after: Side, n_arms: int) -> _Cells:
    columns = [
        np.concatenate([getattr(before, name), getattr(after, name)])
        for name in ("left", "right", "group", "context")
    ]
    side = np.repeat([0, 1], [len(before.left), len(after.left)])
    count = np.concatenate([before.count, after.count])
    won = np.concatenate([before.outcome, after.outcome]) * count
    sizes = [n_arms, n_arms, *(int(one.max()) + 1 for one in columns[2:]), 2]
    key = np.ravel_multi_index((*columns, side), sizes)
    kept, where = np.unique(key, return_inverse=True)
    left, right, group, context, late = np.unravel_index(kept, sizes)
    counts, wins = (np.asarray(np.bincount(where, one), float) for one in (count, won))
    return _Cells(left, right, group, context, late == 1, counts, wins)


@dataclass(frozen=True)
class _Model:
    """A hypothesis with its evidence, the mode of its parameters, and the root of its spread."""

    weight: float
    moved: int  # the option that moved alone, -1 if all did, -2 if none
    groups: bool
    contexts: bool
    mode: Floats
    root: Floats

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Return parameters, (n, D)."""
        noise = rng.standard_normal((n, len(self.mode)))
        return np.asarray(self.mode + np.linalg.solve(self.root.T, noise.T).T)

    def split(
        self, state: Floats, n_arms: int, n_groups: int, n_contexts: int
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return strengths, and departures of groups, of contexts and after the change."""
        n, at = len(state), n_arms + 1
        strengths = state[:, :n_arms]
        departs = [np.zeros((n, size, n_arms)) for size in (n_groups, n_contexts)]
        for place, (there, size) in enumerate(
            ((self.groups, n_groups), (self.contexts, n_contexts))
        ):
            if there:
                departs[place] = state[:, at : at + size * n_arms].reshape(n, size, n_arms)
                at += size * n_arms
        moved = np.zeros((n, n_arms))
        if self.moved == -1:
            moved = state[:, at:]
        elif self.moved >= 0:
            moved[:, self.moved] = state[:, at]
        return strengths, departs[0], departs[1], moved


def _models(
    cells: _Cells, n_arms: int, n_groups: int, n_contexts: int, released: Floats | None
) -> list[_Model]:
    """Return all hypotheses, fitted; singles of those options alone that moved most, if many."""
    eye = np.eye(n_arms)
    pair = eye[cells.left] - eye[cells.right]
    rows = np.arange(len(pair))

    def by(of: Ints, size: int) -> Floats:
        found = np.zeros((len(pair), size, n_arms))
        found[rows, of] = pair
        return found.reshape(len(pair), -1)

    after = pair * cells.after[:, None]
    base = [(pair, _SPREAD), (np.ones((len(pair), 1)), _SIDE)]
    groups = (by(cells.group, n_groups), _DEPART)
    contexts = (by(cells.context, n_contexts), _DEPART)
    favour = np.ones(n_arms) if released is None else released
    found: list[_Model] = []
    singles = np.arange(n_arms)
    for has_groups in (True, False) if n_groups > 1 else (False,):
        for has_contexts in (True, False) if n_contexts > 1 else (False,):
            parts = [
                *base,
                *([groups] if has_groups else []),
                *([contexts] if has_contexts else []),
            ]

            def add(kind: int, more: list[tuple[Floats, float]], prior: float) -> _Model:
                evidence, mode, root = fit([*parts, *more], cells.count, cells.won)  # noqa: B023
                weight = evidence + float(np.log(prior))
                one = _Model(weight, kind, has_groups, has_contexts, mode, root)  # noqa: B023
                found.append(one)
                return one

            add(-2, [], _NOTHING)
            for size in _MOVES:
                one = add(-1, [(after, size)], (1 - _NOTHING - _ALONE) / len(_MOVES))
                if len(singles) > _MOST_ALONE:
                    far = np.abs(one.mode[-n_arms:] - np.median(one.mode[-n_arms:]))
                    singles = np.sort(np.argsort(far)[-_MOST_ALONE:])
                for k in singles.tolist():
                    prior = _ALONE / n_arms / len(_MOVES) * float(favour[k])
                    add(k, [(after[:, [k]], size)], prior)
    return found


def fit(
    parts: Sequence[tuple[Floats, float]], count: Floats, won: Floats
) -> tuple[float, Floats, Floats]:
    """Return the evidence of a logistic model, the mode, and the root of its precision.

    ``parts`` are columns with the standard deviation of their coefficients, which are normal.
    """
    x = np.concatenate([part for part, _ in parts], axis=1)
    precision = np.concatenate([np.full(part.shape[1], size**-2) for part, size in parts])
    b = np.zeros(x.shape[1])

    def height(b: Floats) -> float:
        told = x @ b
        likelihood = won @ told - count @ np.logaddexp(0.0, told)
        return float(likelihood - 0.5 * precision @ b**2)

    now = height(b)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-(x @ b)))
        slope = x.T @ (won - count * chance) - precision * b
        curve = (x * (count * chance * (1 - chance))[:, None]).T @ x
        curve[np.diag_indices_from(curve)] += precision
        step = np.linalg.solve(curve, slope)
        size, then = 1.0, height(b + step)
        while then < now - 1e-12 and size > 1e-4:
            size /= 2
            then = height(b + size * step)
        b, gain, now = b + size * step, then - now, then
        if gain < _CLOSE:
            break
    root = np.linalg.cholesky(curve).T
    volume = 0.5 * np.log(precision).sum() - np.log(np.diag(root)).sum()
    return now + float(volume), b, root


class _Mixes:
    """Who was shown against whom, who voted and what was asked, before and after."""

    def __init__(
        self,
        before: Side,
        after: Side,
        n_arms: int,
        n_groups: int,
        n_contexts: int,
        pair: tuple[int, int],
    ) -> None:
        self.pair = pair
        sides = (before, after)
        self.groups = [_shares(one.group, one.count, n_groups) for one in sides]
        self.contexts = [_shares(one.context, one.count, n_contexts) for one in sides]
        self.shown = [[_opponents(one, k, n_arms) for k in pair] for one in sides]

    def lead(
        self, moved: tuple[int, ...], s: Floats, d: Floats, e: Floats, change: Floats
    ) -> Floats:
        """Return the lead of the new leader over the old one; ``moved`` has 0 or 1 by factor."""
        voters, questions, pairs, taste = moved
        group, context = self.groups[voters], self.contexts[questions]
        strengths = s + taste * change
        found = []
        for k, against in zip(self.pair, self.shown[pairs], strict=True):
            gap = strengths[:, [k]] - strengths
            by_group, by_context = d[:, :, [k]] - d, e[:, :, [k]] - e
            told = gap[:, None, None] + by_group[:, :, None] + by_context[:, None]
            chance = 1.0 / (1.0 + np.exp(-told))
            found.append(np.einsum("ngck,g,c,k->n", chance, group, context, against))
        old, new = found
        return np.asarray(new - old)

    def parts(self, s: Floats, d: Floats, e: Floats, change: Floats) -> Floats:
        """Return the part of each factor, (n, 4), by all orders of moving them."""
        n = len(FACTORS)
        value = {
            moved: self.lead(tuple(int(f in moved) for f in range(n)), s, d, e, change)
            for size in range(n + 1)
            for moved in combinations(range(n), size)
        }
        found = np.zeros((len(s), n))
        for moved, told in value.items():
            for f in set(range(n)) - set(moved):
                orders = factorial(len(moved)) * factorial(n - len(moved) - 1)
                more = value[tuple(sorted((*moved, f)))]
                found[:, f] += (more - told) * orders / factorial(n)
        return found


def _shares(of: Ints, count: Floats, size: int) -> Floats:
    found = np.bincount(of, count, size)
    return np.asarray(found / found.sum())


def _opponents(side: Side, arm: int, n_arms: int) -> Floats:
    """Return how often each other arm was shown against one; alike if it never was."""
    found = np.zeros(n_arms)
    np.add.at(found, side.right[side.left == arm], side.count[side.left == arm])
    np.add.at(found, side.left[side.right == arm], side.count[side.right == arm])
    if not found.sum():
        found = np.ones(n_arms)
        found[arm] = 0.0
    return np.asarray(found / found.sum())
