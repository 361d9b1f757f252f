"""Stationary Borda learners by their definitions: every number is computed anew in every round.

Each learner is a generator that yields the pair of a round and is sent the outcome. Random
numbers are taken from ``draw``, a function that returns the next number from [0, 1), in the order
in which the learners of the package take theirs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator

Pair = tuple[int, int]
Draw = Callable[[], float]
Play = Generator[Pair, float, None]


def different_arms(K: int, draw: Draw) -> Pair:
    left = int(draw() * K)
    others = [arm for arm in range(K) if arm != left]
    return left, others[int(draw() * (K - 1))]


def explore_then_commit(K: int, N: int, draw: Draw) -> Play:
    log: list[tuple[int, float]] = []
    while len(log) < N:
        left, right = different_arms(K, draw)
        outcome = yield left, right
        log.append((left, outcome))

    def rate(arm: int) -> float:
        mine = [outcome for first, outcome in log if first == arm]
        return sum(mine) / len(mine) if mine else 0.5

    best = max(range(K), key=lambda arm: (rate(arm), -arm))
    while True:
        yield best, best


def confidence_bound(K: int, T: int, delta: float, width: float, draw: Draw) -> Play:
    """Commit to i once btil(i) - width > btil(j) + width for all j != i."""
    log: list[tuple[int, float]] = []
    while True:
        left, right = different_arms(K, draw)
        outcome = yield left, right
        log.append((left, outcome))
        t = len(log)
        btil = [sum(K * o for first, o in log if first == arm) / t for arm in range(K)]
        w = width * math.sqrt(K / t * math.log(2 * K * T / delta))
        for i in range(K):
            if all(btil[i] - w > btil[j] + w for j in range(K) if j != i):
                while True:
                    yield i, i


def elimination(
    n: int,
    delta: float,
    draw: Draw,
    width: float = 1.0,
    k: int | None = None,
    T0: int = 0,
    sparse_width: float = 6.0,
    removed: list[tuple[int, int, str]] | None = None,
) -> Play:
    """SECS; without the sparse rule if k is None. Notes (step, arm, rule) in ``removed``."""
    active = list(range(n))
    Z: list[tuple[int, int, float]] = []
    t = 0
    while len(active) > 1:
        t += 1
        opponent = int(draw() * n)
        for j in active:
            if j != opponent:
                outcome = yield j, opponent
                Z.append((j, opponent, outcome))
        gone = set()
        for j in active:
            for i in active:
                if _plain(n, t, delta, width, Z, i, j):
                    gone.add(j)
                    _note(removed, t, j, "plain")
                elif k is not None and t > T0 and i != j:
                    level = math.log(4 * n * n * t * t / delta)
                    C = math.sqrt(2 * level / (t / n)) + 2 * level / (3 * t / n)
                    if sparse_difference(n, t, Z, i, j, k) > sparse_width * (k + 1) * C:
                        gone.add(j)
                        _note(removed, t, j, "sparse")
        if gone == set(active):
            gone.discard(max(active, key=lambda arm: (_score(n, t, Z, arm), -arm)))
        active = [arm for arm in active if arm not in gone]
    while True:
        yield active[0], active[0]


def _note(removed: list[tuple[int, int, str]] | None, t: int, arm: int, rule: str) -> None:
    if removed is not None:
        removed.append((t, arm, rule))


def _score(n: int, t: int, Z: list[tuple[int, int, float]], j: int) -> float:
    return n / (n - 1) / t * sum(z for arm, _, z in Z if arm == j)


def _plain(
    n: int, t: int, delta: float, width: float, Z: list[tuple[int, int, float]], i: int, j: int
) -> bool:
    ahead = _score(n, t, Z, i) - _score(n, t, Z, j)
    return ahead > width * n / (n - 1) * math.sqrt(2 * math.log(4 * n * t * t / delta) / t)


def sparse_difference(
    n: int, t: int, Z: list[tuple[int, int, float]], i: int, j: int, k: int
) -> float:
    def p(arm: int, opponent: int) -> float:
        return n / t * sum(z for a, b, z in Z if (a, b) == (arm, opponent))

    others = [w for w in range(n) if w not in (i, j)]
    omega = sorted(others, key=lambda w: (-round(abs(p(i, w) - p(j, w)), 12), w))[:k]
    return 2 * (p(i, j) - 0.5) + sum(p(i, w) - p(j, w) for w in omega)


def active_ranking(n: int, top: int, delta: float, width: float, draw: Draw) -> Play:
    active = list(range(n))
    outcomes: list[list[float]] = [[] for _ in range(n)]
    found: dict[int, float] = {}
    t = 0
    while len(found) < top:
        t += 1
        for i in active:
            others = [arm for arm in range(n) if arm != i]
            outcome = yield i, others[int(draw() * (n - 1))]
            outcomes[i].append(outcome)
        if t < 2:
            continue
        d = delta / n
        beta = math.log(1 / d) + 0.75 * math.log(math.log(1 / d))
        beta += 1.5 * math.log(1 + math.log(t / 2))
        alpha = math.sqrt(beta / (2 * t))
        tau = {arm: sum(outcomes[arm]) / t for arm in active}
        ranked = sorted(tau.values(), reverse=True)
        k = top - len(found)
        to_top = [arm for arm in active if tau[arm] >= ranked[k] + width * alpha]
        to_bottom = [arm for arm in active if tau[arm] <= ranked[k - 1] - width * alpha]
        found.update((arm, tau[arm]) for arm in to_top)
        active = [arm for arm in active if arm not in to_top and arm not in to_bottom]
        if len(active) <= top - len(found):
            found.update((arm, tau[arm]) for arm in active)
    best = max(found, key=lambda arm: (found[arm], -arm))
    while True:
        yield best, best
